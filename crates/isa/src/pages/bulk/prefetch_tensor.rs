//! `cp.async.bulk.prefetch.tensor`: ask for part of a tensor in advance.
use crate::pages::access::CACHE_POLICY;
use crate::pages::bulk::groups::{LASTING, NAME, SINCE};
use crate::pages::tensor::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.5.4", &["cp"], &[
    line("cp.async.bulk.prefetch.tensor.dim.L2.src{.gather}{.L2::cache_hint} [a, {c}]{, cache_policy}"),
    line("cp.async.bulk.prefetch.tensor.dim.L2.src.columns{.L2::cache_hint} [a, {c}], {o}{, cache_policy}"),
    line("cp.async.bulk.prefetch.tensor.dim.L2.src{.gather}.L2::evict_last [a, {c}]").since(LASTING),
    line("cp.async.bulk.prefetch.tensor.dim.L2.src.columns.L2::evict_last [a, {c}], {o}").since(LASTING),
], Meaning::Effect(Effect::Nothing))
    .about("ask for part of a tensor in advance",
        "A hint that changes no result: the box of the tensor that `a` describes, at coordinates `c`, is brought into the \
         second-level cache.")
    .sets(&[
        ("dim", Slot::Dim, DIMENSIONS),
        ("src", Slot::Space, Set::Of(&[Global])),
        ("gather", Slot::LoadMode, Set::Of(&[Tile, TileGather4])),
        ("columns", Slot::LoadMode, Set::Of(&[Im2col, Im2colW, Im2colW128])),
    ])
    .operands(&[src("a", Address).symbol(), COORDINATES, OFFSETS, CACHE_POLICY])
    .rules(&[ROWS, PICTURES])
    .since(SINCE)
    .word_floors(&[(TileGather4, WIDE_MODES), (Im2colW, WIDE_MODES), (Im2colW128, WIDE_MODES)])
    .order(NAME)
    .examples(&[
        "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [map, {x}];",
        "cp.async.bulk.prefetch.tensor.2d.L2.global [map, {x, y}];",
        "cp.async.bulk.prefetch.tensor.2d.L2.global.L2::evict_last [map, {x, y}];",
        "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col [map, {c, x, y, z, n}], {u, v, w};",
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4.L2::cache_hint [map, {x, r1, r2, r3, r4}], policy;",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w [map, {c, x, n}], {halo, column};",
    ])
    .refused(&[
        ("cp.async.bulk.prefetch.tensor.2d.L2.global [map, {x}];", "a coordinate is missing"),
        ("cp.async.bulk.prefetch.tensor.1d.L2.global [map, x];", "a single coordinate is in braces, too"),
        ("cp.async.bulk.prefetch.tensor.2d.L2.global [map+16, {x, y}];", "the tensor's address has no offset"),
        ("cp.async.bulk.prefetch.tensor.2d.L2.global.im2col [map, {x, y}], {};", "pictures have three dimensions at least"),
    ]);
