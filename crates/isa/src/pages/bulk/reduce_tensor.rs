//! `cp.reduce.async.bulk.tensor`: combine shared memory with part of a tensor while the thread goes on.
use crate::pages::access::CACHE_POLICY;
use crate::pages::bulk::groups::*;
use crate::pages::bulk::reduce::OPERATIONS;
use crate::pages::tensor::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.5.3", &["cp"], &[
    line("cp.reduce.async.bulk.tensor.dim.global.cta.op{.scatter}.bulk_group{.L2::cache_hint} [t, {c}], [s]{, cache_policy}"),
], Meaning::NotYet)
    .about("combine shared memory with part of a tensor asynchronously",
        "Every element of a box of the tensor that `t` describes, at coordinates `c`, is combined with that at `s` by `.op`; \
         the tensor says the type.")
    .sets(&[
        ("dim", Slot::Dim, DIMENSIONS),
        ("cta", Slot::From, Set::Of(&[SharedCta])),
        ("op", Slot::Op2, OPERATIONS),
        ("scatter", Slot::LoadMode, SCATTER),
    ])
    .operands(&[
        src("t", Address).symbol(),
        src("s", Address).symbol().within(Within::Named(Slot::From)),
        COORDINATES,
        CACHE_POLICY,
    ])
    .rules(&[ROWS, PICTURES])
    .since(SINCE)
    .word_floors(&[(TileScatter4, WIDE_MODES)])
    .order(NAME)
    .examples(&[
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [map, {x}], [s];",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.bulk_group.L2::cache_hint [map, {x, y}], [s], policy;",
        "cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col_no_offs.bulk_group [map, {c, x, n}], [s];",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile::scatter4.bulk_group [map, {x, r1, r2, r3, r4}], [s];",
    ])
    .refused(&[("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.u32.bulk_group [map, {x, y}], [s];", "the tensor says the type")]);
