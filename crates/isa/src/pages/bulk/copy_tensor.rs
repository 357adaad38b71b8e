//! `cp.async.bulk.tensor`: copy part of a tensor while the thread goes on.
use crate::pages::access::CACHE_POLICY;
use crate::pages::bulk::groups::*;
use crate::pages::tensor::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.5.2", &["cp"], &[
    line("cp.async.bulk.tensor.dim.dst.src{.gather}.mbarrier::complete_tx::bytes{.group}{.L2::cache_hint} [d], [a, {c}], [mbar]{, cache_policy}"),
    line("cp.async.bulk.tensor.dim.shared::cluster.src{.gather}.mbarrier::complete_tx::bytes.multicast::cluster{.group}{.L2::cache_hint} [d], [a, {c}], [mbar], ctas{, cache_policy}"),
    line("cp.async.bulk.tensor.dim.dst.src.columns.mbarrier::complete_tx::bytes{.group}{.L2::cache_hint} [d], [a, {c}], [mbar], {o}{, cache_policy}"),
    line("cp.async.bulk.tensor.dim.shared::cluster.src.columns.mbarrier::complete_tx::bytes.multicast::cluster{.group}{.L2::cache_hint} [d], [a, {c}], [mbar], {o}, ctas{, cache_policy}"),
    line("cp.async.bulk.tensor.dim.global.cta{.scatter}.bulk_group{.L2::cache_hint} [t, {c}], [s]{, cache_policy}"),
], Meaning::Effect(Effect::CopyTensor))
    .about("copy part of a tensor asynchronously",
        "Copies a box of the tensor that `a` describes, at coordinates `c`, to shared memory, or back to the tensor `t`. \
         `.tile` takes the box as it is, `.im2col` and kin the pictures' columns with offsets `o`, `.tile::gather4` and \
         `.tile::scatter4` four rows. A barrier object at `mbar` counts the bytes that have come.")
    .sets(&[
        ("dim", Slot::Dim, DIMENSIONS),
        ("dst", Slot::Space, Set::Of(&[SharedCluster, SharedCta])),
        ("src", Slot::From, Set::Of(&[Global])),
        ("cta", Slot::From, Set::Of(&[SharedCta])),
        ("gather", Slot::LoadMode, Set::Of(&[Tile, TileGather4])),
        ("columns", Slot::LoadMode, Set::Of(&[Im2col, Im2colW, Im2colW128])),
        ("scatter", Slot::LoadMode, SCATTER),
        ("group", Slot::CtaGroup, Set::Of(&[CtaGroup1, CtaGroup2])),
    ])
    .operands(&[
        src("d", Address).symbol(),
        src("a", Address).symbol().within(Within::Named(Slot::From)),
        src("t", Address).symbol(),
        src("s", Address).symbol().within(Within::Named(Slot::From)),
        COORDINATES,
        OFFSETS,
        BARRIER,
        CTAS,
        CACHE_POLICY,
    ])
    .open(|i| matches!(i[Slot::LoadMode], Im2colW | Im2colW128) || i[Slot::CtaGroup] == CtaGroup2)
    .rules(&[ROWS, PICTURES])
    .since(SINCE)
    .word_floors(&[(TileScatter4, WIDE_MODES), (Im2colW128, WIDE_MODES), (CtaGroup1, WIDE_MODES), (CtaGroup2, WIDE_MODES)])
    .form_floors(&[
        FormFloor { text: "copies to `.shared::cta`", when: |i| i[Slot::Space] == SharedCta, floor: OWN_CTA },
        FormFloor {
            text: "rows gathered to `.shared::cta`, and wide columns",
            when: |i| i[Slot::Space] == SharedCta && is_wide(i),
            floor: Floor::new(8, 6, 100),
        },
        FormFloor {
            text: "rows gathered to `.shared::cluster`, and wide columns",
            when: |i| i[Slot::Space] == SharedCluster && is_wide(i),
            floor: WIDE_MODES,
        },
    ])
    .order(NAME)
    .examples(&[
        "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.tile [d], [map, {x}], [mbar];",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [d], [map, {x, y}], [mbar], ctas;",
        "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [d], [map, {c, x, y, z, n}], [mbar], {u, v, w};",
        "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes.cta_group::2 [d], [map, {c, x, n}], [mbar], {halo, column};",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.L2::cache_hint [d], [map, {x, r1, r2, r3, r4}], [mbar], policy;",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {x, y}], [s];",
        "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint [map, {c, x, y, n}], [s], policy;",
    ])
    .refused(&[
        ("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [d], [map, {x}], [mbar];", "a coordinate is missing"),
        ("cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [d], [map, {x, y}], [mbar], {};",
            "pictures have three dimensions at least"),
        ("cp.async.bulk.tensor.3d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [d], [map, {x, a, b, c, d}], [mbar];",
            "rows are gathered from matrices"),
        ("cp.async.bulk.tensor.2d.global.shared::cta.tile::gather4.bulk_group [map, {x, a, b, c, d}], [s];", "stores scatter"),
    ])
    .errata(&[MAPS]);

/// Whether rows are gathered or columns taken in the ways that came later.
fn is_wide(i: &Inst) -> bool {
    matches!(i[Slot::LoadMode], TileGather4 | Im2colW | Im2colW128)
}
