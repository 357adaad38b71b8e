//! `mma` with `.block_scale`: multiply matrices of small numbers whose blocks have scales.
use super::mma::*;
use crate::pages::sparse::{Beside, held_scales, product_beside};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.5.14", &["mma"], &[
    line("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.small.small.f32.ue8m0 d, a, b, c, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b}"),
    line("mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0 d, a, b, c, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b}"),
    line("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_size.f32.e2m1.e2m1.f32.stype d, a, b, c, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b}"),
], Meaning::Fragments(multiply))
    .about("multiply and add matrices of scaled blocks by a warp",
        "D = A·B + C, where each block of A's rows and B's columns is multiplied by a scale of its own. Lanes hold scales in \
         `scale_a` and `scale_b`; the constants or registers after them say in which bytes, and in which of four lanes.")
    .sets(BLOCK_SETS)
    .operands(&[
        dst("d", Is(F32)).elements(|i| c_registers(i, Slot::DType)).sink(),
        src("a", Is(E4m3x4)).elements(|i| a_registers(i, 1)),
        src("b", Is(E4m3x4)).elements(b_registers),
        src("c", Is(F32)).elements(|i| c_registers(i, Slot::CType)).constants(Immediate::Number),
        SCALES,
        BYTES_OF_SCALES,
        THREAD_A,
        THREAD_B,
    ])
    .rules(&[SCALE_TYPES])
    .held(|i| held(i, 1))
    .since(Floor::family(8, 7, 120))
    .form_floors(&[FOUR_UE8M0])
    .examples(&[
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}, sa, {2, 1}, sb, {2, 3};",
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e4m3.f32.ue8m0 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}, sa, {0, 1}, sb, {byte, thread};",
    ])
    .refused(&[
        ("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue4m3 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}, sa, {0, 1}, sb, {0, 1};",
            "`.kind::mxf4nvf4` has blocks of two sizes, and one must be named"),
    ])
    .errata(&[SUMS])
    .fidelity(fidelity);

pub const BLOCK_SETS: &[(&str, Slot, Set)] = &[
    ("m16n8k32", Slot::Shape, Set::Of(&[M16N8K32])),
    ("m16n8k64", Slot::Shape, Set::Of(&[M16N8K64])),
    ("small", Slot::Type, SMALL),
    ("scale_size", Slot::Scale, Set::Of(&[ScaleVec2, ScaleVec4])),
    ("stype", Slot::SType, Set::Of(&[Ue8m0, Ue4m3])),
];

pub const SCALES: Operand = src("scale_a scale_b", Is(B32)).constants(Immediate::No);

/// Which bytes of a lane's 32 bits are the scales: any, a pair, or all four.
pub const BYTES_OF_SCALES: Operand = src("byte_a byte_b", Is(U16)).constants_of(|i| match (i[Slot::Kind], i[Slot::Scale]) {
    (_, ScaleVec4) => Immediate::Among(&[0]),
    (KindMxf8f6f4, _) => Immediate::Range(0, 3),
    _ => Immediate::Among(&[0, 2]),
});
pub const THREAD_A: Operand = src("thread_a", Is(U16)).constants(Immediate::Range(0, 1));
pub const THREAD_B: Operand = src("thread_b", Is(U16)).constants(Immediate::Range(0, 3));

pub const SCALE_TYPES: Rule = Rule {
    text: "scales in `.ue4m3` have the size `.scale_vec::4X`",
    slot: Some(Slot::Scale),
    holds: |i| i[Slot::SType] != Ue4m3 || i[Slot::Scale] == ScaleVec4,
};

pub const FOUR_UE8M0: FormFloor = FormFloor {
    text: "`.scale_vec::4X` with `.ue8m0`",
    when: |i| i[Slot::Scale] == ScaleVec4 && i[Slot::SType] == Ue8m0,
    floor: Floor::family(9, 1, 120),
};

/// How many scales a row of A or a column of B has.
pub fn scales(i: &Inst) -> usize {
    match i[Slot::Scale] {
        ScaleVec4 => 4,
        ScaleVec2 => 2,
        _ if i[Slot::Kind] == KindMxf4 => 2,
        _ => 1,
    }
}

/// Who holds what, of A one element of `sparse`; scales where byte and thread are 0.
pub fn held(i: &Inst, sparse: usize) -> Vec<Held> {
    let matrices = matrices(i, sparse);
    let mut held = matrices.held(stored_bits(i, Slot::AType));
    held.extend(held_scales(matrices.a.rows, matrices.b.columns, scales(i)));
    held
}

fn multiply(i: &Inst, device: Target) -> Whole {
    product_beside(i, device, &matrices(i, 1), Beside { sparse: None, scales: scales(i) })
}
