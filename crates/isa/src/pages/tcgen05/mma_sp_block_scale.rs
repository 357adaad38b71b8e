//! `tcgen05.mma.sp` with `.block_scale`: multiply a sparse matrix by another, both of scaled blocks, into tensor memory.
use super::alloc::{ARCHITECTURES, BLACKWELL};
use super::mma::*;
use super::mma_block_scale::*;
use super::mma_sp::METADATA;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.10.9.2", &["tcgen05"], &[
    line("tcgen05.mma.sp.cta_group.mxkind.block_scale{.collector} [d], a_desc, b_desc, [sp_meta], idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.mxkind.block_scale{.collector} [d], [a], b_desc, [sp_meta], idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.kind::mxf8f6f4.block_scale.size8{.collector} [d], a_desc, b_desc, [sp_meta], idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.kind::mxf8f6f4.block_scale.size8{.collector} [d], [a], b_desc, [sp_meta], idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.kind::mxf4.block_scale.size4{.collector} [d], a_desc, b_desc, [sp_meta], idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.kind::mxf4.block_scale.size4{.collector} [d], [a], b_desc, [sp_meta], idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.kind::mxf4nvf4.block_scale.sizenv{.collector} [d], a_desc, b_desc, [sp_meta], idesc, [scale_a], [scale_b], {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.kind::mxf4nvf4.block_scale.sizenv{.collector} [d], [a], b_desc, [sp_meta], idesc, [scale_a], [scale_b], {!}enable_input_d"),
], Meaning::NotYet)
    .about("multiply a sparse matrix of scaled blocks into tensor memory",
        "Like `tcgen05.mma.sp`, but each block of A's rows and B's columns is multiplied by a scale of its \
         own.")
    .sets(BLOCK_SETS)
    .operands(&[D, A, DESCRIPTORS, METADATA, IDESC, SCALES, ENABLE])
    .since(BLACKWELL)
    .form_floors(&[VECTOR_SIZE, NVF4_VECTOR_SIZE, BLOCK_SIZE, FormFloor {
        text: "`.sp` with `.kind::mxf4` and `.kind::mxf4nvf4`",
        when: |i| i[Slot::Kind] != KindMxf8f6f4,
        floor: Floor::architectures(8, 6, ARCHITECTURES),
    }])
    .order(NAME)
    .examples(&["tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale.block32 [d], adesc, bdesc, [meta], idesc, [sa], [sb], p;"])
    .refused(&[("tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale [d], adesc, bdesc, [meta], idesc, [sa], p;", "both have scales")]);
