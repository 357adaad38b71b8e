//! `mma.sp` with `.block_scale`: multiply a sparse matrix by another, both of small numbers whose blocks have scales.
use super::mma::*;
use super::mma_block_scale::*;
use super::mma_sp::{METADATA, SPARSE_SUMS, of_sparse, stored};
use crate::pages::sparse::{Beside, product_beside};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.6.3", &["mma"], &[
    line("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.small.small.f32.ue8m0 d, a, b, c, metadata, selector, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b}"),
    line("mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0 d, a, b, c, metadata, selector, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b}"),
    line("mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_size.f32.e2m1.e2m1.f32.stype d, a, b, c, metadata, selector, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b}"),
], Meaning::Fragments(multiply))
    .about("multiply and add a sparse and a full matrix of scaled blocks by a warp",
        "Like `mma` with `.block_scale`, with twice the depth: only half of A's elements are stored, and the \
         metadata say where they belong.")
    .sets(&[
        ("m16n8k64", Slot::Shape, Set::Of(&[M16N8K64])),
        ("m16n8k128", Slot::Shape, Set::Of(&[M16N8K128])),
        ("small", Slot::Type, SMALL),
        ("scale_size", Slot::Scale, Set::Of(&[ScaleVec2, ScaleVec4])),
        ("stype", Slot::SType, Set::Of(&[Ue8m0, Ue4m3])),
    ])
    .operands(&[
        dst("d", Is(F32)).elements(|i| c_registers(i, Slot::DType)).sink(),
        src("a", Is(E4m3x4)).elements(|i| a_registers(i, 2)),
        src("b", Is(E4m3x4)).elements(b_registers),
        src("c", Is(F32)).elements(|i| c_registers(i, Slot::CType)).constants(Immediate::Number),
        METADATA,
        src("selector", Is(U32)).constants(Immediate::Only(0, 0)),
        SCALES,
        BYTES_OF_SCALES,
        THREAD_A,
        THREAD_B,
    ])
    .rules(&[SCALE_TYPES])
    .held(|i| of_sparse(i, held(i, 2)))
    .since(Floor::family(8, 7, 120))
    .form_floors(&[FOUR_UE8M0, FormFloor {
        text: "products of `.m16n8k128` with scales",
        when: |i| i[Slot::Shape] == M16N8K128,
        floor: Floor::architectures(8, 7, &[120, 121]),
    }])
    .examples(&[
        "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1, b2, b3}, {c0, c1, c2, c3}, meta, 0, sa, {2, 1}, sb, {2, 3};",
    ])
    .refused(&[
        ("mma.sp.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1, b2, b3}, {c0, c1, c2, c3}, meta, 0, sa, {2, 1}, sb, {2, 3};",
            "only ordered metadata go with scales"),
    ])
    .errata(&[SUMS, SPARSE_SUMS])
    .fidelity(fidelity);

fn multiply(i: &Inst, device: Target) -> Whole {
    product_beside(i, device, &matrices(i, 2), Beside { sparse: Some(stored(i)), scales: scales(i) })
}
