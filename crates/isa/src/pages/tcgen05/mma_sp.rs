//! `tcgen05.mma.sp`: multiply a sparse matrix by another into tensor memory.
use super::alloc::BLACKWELL;
use super::mma::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.10.9.2", &["tcgen05"], &[
    line("tcgen05.mma.sp.cta_group.kind{.collector} [d], a_desc, b_desc, [sp_meta], idesc, {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.kind{.collector} [d], a_desc, b_desc, [sp_meta], idesc, disable_output_lane, {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.kind{.ashift}{.collector} [d], [a], b_desc, [sp_meta], idesc, {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.kind{.ashift}{.collector} [d], [a], b_desc, [sp_meta], idesc, disable_output_lane, {!}enable_input_d"),
    line("tcgen05.mma.sp.cta_group.scaled_kind{.collector} [d], a_desc, b_desc, [sp_meta], idesc, {!}enable_input_d, scale_input_d"),
    line("tcgen05.mma.sp.cta_group.scaled_kind{.collector} [d], a_desc, b_desc, [sp_meta], idesc, disable_output_lane, {!}enable_input_d, scale_input_d"),
    line("tcgen05.mma.sp.cta_group.scaled_kind{.ashift}{.collector} [d], [a], b_desc, [sp_meta], idesc, {!}enable_input_d, scale_input_d"),
    line("tcgen05.mma.sp.cta_group.scaled_kind{.ashift}{.collector} [d], [a], b_desc, [sp_meta], idesc, disable_output_lane, {!}enable_input_d, scale_input_d"),
], Meaning::NotYet)
    .about("multiply a sparse matrix into tensor memory",
        "Like `tcgen05.mma`, but only half of A's elements are stored, and the metadata at `sp_meta` in \
         tensor memory say where they belong.")
    .sets(SETS)
    .operands(&[D, A, DESCRIPTORS, METADATA, IDESC, LANES, ENABLE, SCALE])
    .rules(&[SHIFTED])
    .since(BLACKWELL)
    .form_floors(&[OF_INTEGERS, SCALED])
    .order(NAME)
    .examples(&[
        "tcgen05.mma.sp.cta_group::1.kind::f16 [taddr0], adesc, bdesc, [meta], idesc, p;",
        "tcgen05.mma.sp.cta_group::2.kind::tf32.ashift [taddr0], [taddr1], bdesc, [meta], idesc, {m0, m1, m2, m3, m4, m5, m6, m7}, p, 1;",
    ])
    .refused(&[("tcgen05.mma.sp.cta_group::1.kind::f16 [d], adesc, bdesc, idesc, p;", "the metadata are \
                                                                                       missing")]);

pub const METADATA: Operand = src("sp_meta", TensorAddress(B32));
