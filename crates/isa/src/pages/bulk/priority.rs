//! `applypriority.async.bulk`: set the eviction priority of a range, or of part of a tensor, at some later time.
use crate::pages::bulk::groups::BYTES;
use crate::pages::tensor::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.16", &["applypriority"], &[
    line("applypriority.async.bulk{.global}.bulk_group.L2::evict_normal [a], size"),
    line("applypriority.async.bulk.tensor.dim.global{.tile}.bulk_group.L2::evict_normal [a, {c}]"),
], Meaning::Effect(Effect::Nothing))
    .about("set the eviction priority of a range", "A hint that changes no result.")
    .sets(&[("dim", Slot::Dim, DIMENSIONS)])
    .operands(&[src("a", Address).symbol(), BYTES, COORDINATES])
    .since(Floor::family(9, 4, 107))
    .order(Order::NameFirst(&[Async, Bulk, Tensor]))
    .examples(&[
        "applypriority.async.bulk.global.bulk_group.L2::evict_normal [a], size;",
        "applypriority.async.bulk.tensor.2d.global.tile.bulk_group.L2::evict_normal [map, {x, y}];",
    ]);
