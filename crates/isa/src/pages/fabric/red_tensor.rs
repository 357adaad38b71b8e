//! `fabric.try_red.async.tensor`: change part of a tensor of another device through the fabric.
use crate::pages::access::CACHE_POLICY;
use crate::pages::endpoint::*;
use crate::pages::tensor::{COORDINATES, DIMENSIONS, LOWER_STRIDES, SIZES, STRIDES, UPPER_STRIDES};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.11.5.9", &["fabric"], &[
    line("fabric.try_red.async.tensor{.multimem}.dim.own{.tile}.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}.override::global_address{.relaxed}{.sys}.op [map, le, off, {c}], [m], size, [mbar]{, cache_policy}"),
    line("fabric.try_red.async.tensor{.multimem}.dim.own{.tile}.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}.override::global_address.override::global_dim{.relaxed}{.sys}.op [map, le, off, {n}, {c}], [m], size, [mbar]{, cache_policy}"),
    line("fabric.try_red.async.tensor{.multimem}.dim.own{.tile}.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}.override::global_address.override::global_dim_stride{.relaxed}{.sys}.op [map, le, off, {n}, {s}, u, {c}], [m], size, [mbar]{, cache_policy}"),
], Meaning::NotYet)
    .about("reduction into part of a tensor through the fabric",
        "Combines a box of a tensor with shared memory by `.op`; the map says the type. \
         `map` describes the tensor, which lies at `off` of the endpoint `le`; `c` says where the box begins.")
    .sets(&[OWN, ("dim", Slot::Dim, DIMENSIONS), ("tile", Slot::LoadMode, Set::Of(&[Tile])), ("op", Slot::Op2, Set::Of(&[Add, Min, Max, And, Or, Xor]))])
    .operands(&[
        MEMORY, src("mbar", Address).symbol(), MAP, TENSOR_ENDPOINT, OFFSET, SIZE,
        SIZES, LOWER_STRIDES, UPPER_STRIDES, COORDINATES, CACHE_POLICY,
    ])
    .rules(&[ORDER, STRIDES])
    .since(TENSORS)
    .order(NAME)
    .examples(&[
        "fabric.try_red.async.tensor.2d.shared::cta.tile.mbarrier::complete_tx::16B.mbarrier::report::fabric.override::global_address.relaxed.sys.add [map, le, off, {x, y}], [m], size, [mbar];",
        "fabric.try_red.async.tensor.1d.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.L2::cache_hint.override::global_address.override::global_dim.relaxed.sys.add [map, le, off, {n}, {x}], [m], size, [mbar], policy;",
        "fabric.try_red.async.tensor.multimem.3d.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.override::global_address.override::global_dim_stride.add [map, le, off, {n1, n2, n3}, {s1, s2}, u, {x, y, z}], [m], size, [mbar];",
    ])
    .refused(&[
        ("fabric.try_red.async.tensor.2d.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.add [map, le, off, {x, y}], [m], size, [mbar];", "the tensor lies at the endpoint, not where its map says"),
        ("fabric.try_red.async.tensor.2d.shared::cta.im2col.mbarrier::complete_tx::16B.mbarrier::report::fabric.override::global_address.relaxed.sys.add [map, le, off, {x, y}], [m], size, [mbar];", "pictures are not taken apart"),
        ("fabric.try_red.async.tensor.2d.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.override::global_address.override::global_dim.relaxed.sys.add [map, le, off, {n1, n2}, {x, y}], [m], size, [mbar];", "a matrix has strides, too"),
    ]);
