//! `wmma.mma`: multiply matrices that `wmma.load` loaded.
use super::mma::{SUMS, fidelity};
use super::wmma_load::*;
use crate::pages::fragment::{wide_a_of, wide_b_of, wide_c_of};
use crate::pages::multiply::{Matrices, product};
use crate::pages::product::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.4.5", &["wmma"], &[
    line("wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype d, a, b, c"),
    line("wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype.satfinite d, a, b, c").until(Floor::new(6, 5, 70)),
    line("wmma.mma.sync.aligned.alayout.blayout.shape.f32.atype.btype.f32 d, a, b, c"),
    line("wmma.mma.sync.aligned.alayout.blayout.m8n8k4{.rnd}.f64.f64.f64.f64 d, a, b, c"),
    line("wmma.mma.sync.aligned.alayout.blayout.shape.s32.byte.byte.s32{.satfinite} d, a, b, c"),
    line("wmma.mma.sync.aligned.row.col.m8n8k32.s32.nibble.nibble.s32{.satfinite} d, a, b, c"),
    line("wmma.mma.bitop.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 d, a, b, c"),
], Meaning::Fragments(multiply))
    .about("multiply and add loaded matrices",
        "D = A·B + C of matrices that `wmma.load` loaded with the same shape, layouts and types. Integers wrap, or are clamped \
         with `.satfinite`; single bits are combined and the ones counted.")
    .sets(&[
        ("mma", Slot::Mode, Set::Of(&[MmaWord])),
        ("alayout", Slot::LayoutA, Set::Of(&[Row, Col])),
        ("blayout", Slot::LayoutB, Set::Of(&[Row, Col])),
        ("shape", Slot::Shape, Set::Of(&[M16N16K16, M8N32K16, M32N8K16, M16N16K8])),
        ("m8n8k4", Slot::Shape, Set::Of(&[M8N8K4])),
        ("m8n8k32", Slot::Shape, Set::Of(&[M8N8K32])),
        ("m8n8k128", Slot::Shape, Set::Of(&[M8N8K128])),
        ("dtype", Slot::DType, Set::Of(&[F16, F32])),
        ("ctype", Slot::CType, Set::Of(&[F16, F32])),
        ("atype", Slot::AType, Set::Of(&[Bf16, Tf32])),
        ("btype", Slot::BType, Set::Of(&[Bf16, Tf32])),
        ("rnd", Slot::Rnd, Set::Of(&[Rn, Rz, Rm, Rp])),
        ("byte", Slot::Type, Set::Of(&[S8, U8])),
        ("nibble", Slot::Type, Set::Of(&[S4, U4])),
        ("bitop", Slot::Bool, Set::Of(&[Xor, And])),
    ])
    .operands(&[
        dst("d", By(|i| accumulator(i[Slot::DType]))).elements(|i| sums(i, Slot::DType)).sink(),
        src("a", By(factor_type)).elements(|i| { let (m, _, k) = shape(i); of(m * k, factors(i), true) }),
        src("b", By(factor_type)).elements(|i| { let (_, n, k) = shape(i); of(k * n, factors(i), true) }),
        src("c", By(|i| accumulator(i[Slot::CType]))).elements(|i| sums(i, Slot::CType)).constants(Immediate::Number),
    ])
    .rules(&[
        Rule {
            text: "A and B are of one type",
            slot: Some(Slot::BType),
            holds: |i| i[Slot::AType] == i[Slot::BType],
        },
        Rule {
            text: "only `.tf32` has the shape `.m16n16k8`, and no other",
            slot: Some(Slot::Shape),
            holds: |i| (i[Slot::Shape] == M16N16K8) == (i[Slot::AType] == Tf32),
        },
    ])
    .held(|i| matrices(i).held(factors(i).ty().map_or(32, |ty| ty.bits)))
    .since(VOLTA)
    .floor_of(|i| Some(match (factors(i), i[Slot::Shape]) {
        (F16, M16N16K16) => VOLTA,
        (F16, _) => VOLTA_LONG,
        (S8 | U8, _) => INTEGER,
        (B1, _) if i[Slot::Bool] == And => Floor::new(7, 1, 80),
        (S4 | U4 | B1, _) => SMALL,
        _ => AMPERE,
    }))
    .order(Order::NameFirst(&[MmaWord]))
    .examples(&[
        "wmma.mma.sync.aligned.row.col.m8n32k16.f32.f16 {d0, d1, d2, d3, d4, d5, d6, d7}, {a0, a1, a2, a3, a4, a5, a6, a7}, {b0, b1, b2, b3, b4, b5, b6, b7}, {c0, c1, c2, c3};",
        "wmma.mma.sync.aligned.col.row.m16n16k16.s32.u8.u8.s32.satfinite {d0, d1, d2, d3, d4, d5, d6, d7}, {a0, a1}, {b0, b1}, {c0, c1, c2, c3, c4, c5, c6, c7};",
        "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 {d0, d1}, {a}, {b}, {c0, c1};",
        "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {d0, d1}, {a}, {b}, {c0, c1};",
    ])
    .refused(&[
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.tf32.f32 {d0, d1, d2, d3, d4, d5, d6, d7}, {a0, a1, a2, a3}, {b0, b1, b2, b3}, {c0, c1, c2, c3, c4, c5, c6, c7};",
            "A and B are of one type"),
        ("wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {d0, d1}, {a}, {b}, {c0, c1};", "B of `.s4` is stored by columns"),
    ])
    .errata(&[LAYOUT, SUMS])
    .fidelity(fidelity);

/// The type of A and B, which a product of `.f16` does not name.
fn factors(i: &Inst) -> Word {
    if i[Slot::AType] == Absent { F16 } else { i[Slot::AType] }
}

fn factor_type(i: &Inst) -> Ty {
    match i[Slot::AType] {
        Absent => factor(F16),
        S8 | U8 | S4 | U4 | B1 => accumulator(S32),
        _ => fragment_type(i, Slot::AType),
    }
}

fn sums(i: &Inst, slot: Slot) -> usize {
    let (m, n, _) = shape(i);
    of(m * n, i[slot], false)
}

fn multiply(i: &Inst, device: Target) -> Whole {
    product(i, device, &matrices(i))
}

/// The matrices of a form.
pub fn matrices(i: &Inst) -> Matrices {
    let ((m, n, k), word) = (shape(i), factors(i));
    let bits = |word: Word| word.ty().map_or(32, |ty| ty.bits);
    let sum = |slot| wide_c_of(i, bits(i[slot]), sums(i, slot));
    Matrices {
        d: sum(Slot::DType),
        a: wide_a_of(i, bits(word), of(m * k, word, true)),
        b: wide_b_of(i, bits(word), of(k * n, word, true)),
        c: sum(Slot::CType),
        products: 1,
    }
}
