//! `tcgen05.mma` with `.block_scale`: multiply matrices whose blocks have scales into tensor memory.
use super::alloc::{ARCHITECTURES, BLACKWELL, CTA_GROUPS};
use super::mma::*;
use crate::pages::warpgroup::block;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.10.9.1", &["tcgen05"], &[
    line("tcgen05.mma.cta_group.mxkind.block_scale{.collector} [d], a_desc, b_desc, idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.cta_group.mxkind.block_scale{.collector} [d], [a], b_desc, idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.cta_group.kind::mxf8f6f4.block_scale.size8{.collector} [d], a_desc, b_desc, idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.cta_group.kind::mxf8f6f4.block_scale.size8{.collector} [d], [a], b_desc, idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.cta_group.kind::mxf4.block_scale.size4{.collector} [d], a_desc, b_desc, idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.cta_group.kind::mxf4.block_scale.size4{.collector} [d], [a], b_desc, idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.cta_group.kind::mxf4nvf4.block_scale.sizenv{.collector} [d], a_desc, b_desc, idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.cta_group.kind::mxf4nvf4.block_scale.sizenv{.collector} [d], [a], b_desc, idesc, [scale_a], [scale_b], {!}enable_input_d"),
], Meaning::TensorMemory(|i, device| TensorMemoryOp::Multiply(Multiply::new(i, device, block))))
    .about("multiply matrices of scaled blocks into tensor memory",
        "Like `tcgen05.mma`, but each block of A's rows and B's columns is multiplied by a scale of its own, \
         which is in tensor memory.")
    .sets(BLOCK_SETS)
    .operands(&[D, A, DESCRIPTORS, IDESC, SCALES, ENABLE])
    .since(BLACKWELL)
    .form_floors(&[VECTOR_SIZE, NVF4_VECTOR_SIZE, BLOCK_SIZE])
    .order(NAME)
    .examples(&[
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [taddr2], [taddr1], bdesc, idesc, [tmem_scaleA], [tmem_scaleB], p;",
        "tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.block16.collector::a::use [taddr2], adesc, bdesc, idesc, [sa], [sb], p;",
    ])
    .refused(&[
        ("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [d], adesc, bdesc, idesc, [sa], [sb], p;", "it has blocks of two sizes, and one must be named"),
        ("tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block16 [d], adesc, bdesc, idesc, [sa], [sb], p;", "its blocks have 32 elements"),
    ])
    .errata(&[SUMS])
    .fidelity(fidelity);

pub const BLOCK_SETS: &[(&str, Slot, Set)] = &[
    ("mma", Slot::Mode, Set::Of(&[MmaWord])),
    ("cta_group", Slot::CtaGroup, CTA_GROUPS),
    ("mxkind", Slot::Kind, Set::Of(&[KindMxf8f6f4, KindMxf4])),
    ("size8", Slot::Scale, Set::Of(&[ScaleVec1, Block32])),
    ("size4", Slot::Scale, Set::Of(&[ScaleVec2, Block32])),
    ("sizenv", Slot::Scale, Set::Of(&[ScaleVec2, ScaleVec4, Block16, Block32])),
    ("collector", Slot::Cache, COLLECTORS),
];

pub const SCALES: Operand = src("scale_a scale_b", TensorAddress(B32));

pub const VECTOR_SIZE: FormFloor = FormFloor {
    text: "`.scale_vec`",
    when: |i| matches!(i[Slot::Scale], ScaleVec1 | ScaleVec2 | ScaleVec4),
    floor: Floor::architectures(8, 6, ARCHITECTURES),
};
pub const NVF4_VECTOR_SIZE: FormFloor = FormFloor {
    text: "`.scale_vec` with `.kind::mxf4nvf4`",
    when: |i| i[Slot::Kind] == KindMxf4nvf4 && matches!(i[Slot::Scale], ScaleVec2 | ScaleVec4),
    floor: Floor::architectures(8, 7, ARCHITECTURES),
};
pub const BLOCK_SIZE: FormFloor = FormFloor {
    text: "`.block16` and `.block32`",
    when: |i| matches!(i[Slot::Scale], Block16 | Block32),
    floor: Floor::families(8, 8, &[100, 110]),
};
