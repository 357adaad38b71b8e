//! `tcgen05.mma.ws.sp`: multiply a sparse matrix by another into tensor memory, B held in place.
use super::alloc::BLACKWELL;
use super::mma::*;
use super::mma_sp::METADATA;
use super::mma_ws::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.10.9.4", &["tcgen05"], &[
    line("tcgen05.mma.ws.sp.cta_group::1.kind{.collector} [d], a_desc, b_desc, [sp_meta], idesc, {!}enable_input_d{, zero_column_mask_desc}"),
    line("tcgen05.mma.ws.sp.cta_group::1.kind{.collector} [d], [a], b_desc, [sp_meta], idesc, {!}enable_input_d{, zero_column_mask_desc}"),
], Meaning::NotYet)
    .about("sparse matrix multiply, weights held in place",
        "Like `tcgen05.mma.ws`, but only half of A's elements are stored, and the metadata at `sp_meta` in \
         tensor memory say where they belong.")
    .sets(WS_SETS)
    .operands(&[D, A, DESCRIPTORS, METADATA, IDESC, ENABLE, ZERO_COLUMNS])
    .since(BLACKWELL)
    .form_floors(&[OF_INTEGERS])
    .order(WS_NAME)
    .examples(&["tcgen05.mma.ws.sp.cta_group::1.kind::tf32.collector::b1::fill [taddr1], [taddr0], bdesc, [meta], idesc, p;"])
    .refused(&[("tcgen05.mma.ws.sp.cta_group::1.kind::tf32 [d], adesc, bdesc, idesc, p;", "the metadata are \
                                                                                           missing")]);
