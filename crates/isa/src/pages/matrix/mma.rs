//! `mma`: multiply matrices that the lanes of a warp hold in registers.
use crate::pages::fragment::{a_of, b_of, c_of};
use crate::pages::multiply::{Matrices, product};
use crate::pages::product::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.5.14", &["mma"], &[
    line("mma.sync.aligned.shape.alayout.blayout{.rnd}.dtype.atype.btype.ctype d, a, b, c"),
    line("mma.sync.aligned.int_shape.row.col{.satfinite}.s32.int.int.s32 d, a, b, c"),
    line("mma.sync.aligned.bit_shape.row.col.s32.b1.b1.s32.bitop.popc d, a, b, c"),
    line("mma.sync.aligned.small_shape.row.col{.kind::f8f6f4}.dtype.small.small.ctype d, a, b, c"),
], Meaning::Fragments(multiply))
    .about("multiply and add matrices by a warp",
        "D = A·B + C, the matrices spread over the registers of the warp's lanes; A is stored by rows and B by columns, only \
         `.m8n8k4` (four products at once) takes other orders. Integers wrap, or are clamped with `.satfinite`; single bits \
         are combined and the ones counted.")
    .sets(&[
        ("shape", Slot::Shape, Set::Of(&[M8N8K4, M16N8K4, M16N8K8, M16N8K16])),
        ("alayout", Slot::LayoutA, Set::Of(&[Row, Col])),
        ("blayout", Slot::LayoutB, Set::Of(&[Row, Col])),
        ("rnd", Slot::Rnd, Set::Of(&[Rn, Rz, Rm, Rp])),
        ("dtype", Slot::DType, Set::Of(&[F16, F32, F64])),
        ("atype", Slot::AType, Set::Of(&[F16, Bf16, Tf32, F64])),
        ("btype", Slot::BType, Set::Of(&[F16, Bf16, Tf32, F64])),
        ("ctype", Slot::CType, Set::Of(&[F16, F32, F64])),
        ("int_shape", Slot::Shape, Set::Of(&[M8N8K16, M16N8K16, M16N8K32, M8N8K32, M16N8K64])),
        ("int", Slot::Type, Set::Of(&[S8, U8, S4, U4])),
        ("bit_shape", Slot::Shape, Set::Of(&[M8N8K128, M16N8K128, M16N8K256])),
        ("bitop", Slot::Bool, Set::Of(&[Xor, And])),
        ("small_shape", Slot::Shape, Set::Of(&[M16N8K16, M16N8K32])),
        ("small", Slot::Type, SMALL),
    ])
    .operands(&[
        dst("d", By(|i| accumulator(i[Slot::DType]))).elements(|i| c_registers(i, Slot::DType)).sink(),
        src("a", By(|i| if i[Slot::Shape] == M8N8K16 { accumulator(S32) } else { factor(i[Slot::AType]) })).elements(|i| a_registers(i, 1)),
        src("b", By(|i| factor(i[Slot::BType]))).elements(b_registers),
        src("c", By(|i| accumulator(i[Slot::CType]))).elements(|i| c_registers(i, Slot::CType)).constants(Immediate::Number),
    ])
    .rules(&[
        Rule {
            text: "only `.m8n8k4` of `.f16`, `.bf16` or `.tf32` takes other layouts than `.row.col`",
            slot: Some(Slot::LayoutA),
            holds: |i| (i[Slot::LayoutA], i[Slot::LayoutB]) == (Row, Col) || quadrupled(i),
        },
        Rule {
            text: "only `.f64` takes a rounding",
            slot: Some(Slot::Rnd),
            holds: |i| i[Slot::Rnd] == Absent || i[Slot::DType] == F64,
        },
        Rule {
            text: "shape and types must go together, such as `.m16n8k16` with `.f32.f16.f16.f32` or `.f32.bf16.bf16.f32`, `.m16n8k8` with \
                   `.f32.tf32.tf32.f32`, `.m16n8k32` with `.s32.s8.s8.s32` or `.f32.e4m3.e5m2.f32`, `.m16n8k64` with `.s32.s4.u4.s32`",
            slot: Some(Slot::Shape),
            holds: |i| find(table(i), i).is_some(),
        },
    ])
    .held(|i| matrices(i, 1).held(stored_bits(i, Slot::AType)))
    .since(VOLTA)
    .floor_of(|i| find(table(i), i).map(|row| if i[Slot::Bool] == And { AND } else { row.floor }))
    .examples(&[
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {d0, d1, d2, d3, d4, d5, d6, d7}, {a0, a1}, {b0, b1}, {c0, c1, c2, c3, c4, c5, c6, c7};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
        "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32 {d0, d1}, {a}, {b}, {c0, c1};",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {d0, d1}, {a}, {b}, {c0, c1};",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
    ])
    .refused(&[
        ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 {d0, d1, d2, d3}, {a0, a1}, {b0}, {c0, c1};",
            "only `.m8n8k4` adds `.f16` to products summed in `.f32`"),
        ("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
            "B is stored by columns"),
    ])
    .errata(&[erratum(
        "makes `.m8n8k4` a shape of `.f16` and `.f64` only",
        "also takes it for `.bf16` and `.tf32`, as ptxas does, and computes it; ptxas 13.5 makes no code of it for sm_80 to sm_120, so that on a \
         device D keeps what its registers held",
    )
    .concerns(|i| quadrupled(i) && i[Slot::AType] != F16), SUMS])
    .fidelity(fidelity);

/// How sums of floating-point products are rounded.
pub const SUMS: Erratum = erratum(
    "leaves open how products of less than 64 bits are added and rounded",
    "adds as the tensor cores of the device (`--device`, else the module's target) do; `margay explain` with all words of a form says what \
     stands behind that: results of devices, or none",
)
.concerns(|i| fidelity(i) == Fidelity::Model);

/// Integers and `.f64` are exact.
pub fn fidelity(i: &Inst) -> Fidelity {
    match i[Slot::AType] {
        S8 | U8 | S4 | U4 | B1 | F64 => Fidelity::Exact,
        _ => Fidelity::Model,
    }
}

pub const M8N8K4: Word = Word::shape(8, 8, 4);
const M8N8K16: Word = Word::shape(8, 8, 16);
const M8N8K32: Word = Word::shape(8, 8, 32);
const M8N8K128: Word = Word::shape(8, 8, 128);
const M16N8K4: Word = Word::shape(16, 8, 4);
pub const M16N8K8: Word = Word::shape(16, 8, 8);
pub const M16N8K16: Word = Word::shape(16, 8, 16);
pub const M16N8K32: Word = Word::shape(16, 8, 32);
pub const M16N8K64: Word = Word::shape(16, 8, 64);
pub const M16N8K128: Word = Word::shape(16, 8, 128);
const M16N8K256: Word = Word::shape(16, 8, 256);

/// Floating-point numbers of at most 8 bits.
pub const SMALL: Set = Set::Of(&[E4m3, E5m2, E3m2, E2m3, E2m1]);
pub const BYTES: &[Word] = &[S8, U8];
pub const NIBBLES: &[Word] = &[S4, U4];
pub const F8: &[Word] = &[E4m3, E5m2];
pub const F8_F6_F4: &[Word] = &[E4m3, E5m2, E3m2, E2m3, E2m1];

const VOLTA: Floor = Floor::new(6, 4, 70);
const TURING: Floor = Floor::new(6, 5, 75);
pub const AMPERE: Floor = Floor::new(7, 0, 80);
const HOPPER: Floor = Floor::new(7, 8, 90);
pub const BLACKWELL: &[u16] = &[100, 110, 120];
/// `.and` of single bits.
const AND: Floor = Floor::new(7, 1, 80);

static PRODUCTS: &[Product] = &[
    row(&[M8N8K4], F16, &[F16], VOLTA),
    row(&[M8N8K4], F32, &[F16], VOLTA),
    Product { shapes: &[M8N8K4], d: F32, ab: &[F16], c: F16, floor: VOLTA },
    row(&[M8N8K4], F32, &[Bf16], AMPERE),
    row(&[M8N8K4], F32, &[Tf32], AMPERE),
    row(&[M16N8K8], F16, &[F16], TURING),
    row(&[M16N8K8], F32, &[F16], TURING),
    row(&[M16N8K16], F16, &[F16], AMPERE),
    row(&[M16N8K16], F32, &[F16], AMPERE),
    row(&[M16N8K8, M16N8K16], F32, &[Bf16], AMPERE),
    row(&[M16N8K4, M16N8K8], F32, &[Tf32], AMPERE),
    row(&[M8N8K4], F64, &[F64], AMPERE),
    row(&[M16N8K4, M16N8K8, M16N8K16], F64, &[F64], HOPPER),
    row(&[M8N8K16], S32, BYTES, TURING),
    row(&[M16N8K16, M16N8K32], S32, BYTES, AMPERE),
    row(&[M8N8K32], S32, NIBBLES, TURING),
    row(&[M16N8K32, M16N8K64], S32, NIBBLES, AMPERE),
    row(&[M8N8K128], S32, &[B1], Floor::new(7, 0, 75)),
    row(&[M16N8K128, M16N8K256], S32, &[B1], AMPERE),
    row(&[M16N8K32], F32, F8, Floor::new(8, 4, 89)),
    row(&[M16N8K32], F16, F8, Floor::new(8, 7, 89)),
    row(&[M16N8K16], F32, F8, Floor::new(8, 7, 89)),
    row(&[M16N8K16], F16, F8, Floor::new(8, 7, 89)),
];

/// Products with `.kind::f8f6f4`: what exists without it, too, exists for more targets.
static KIND_PRODUCTS: &[Product] = &[
    row(&[M16N8K32], F32, F8, Floor::families(8, 6, BLACKWELL)),
    row(&[M16N8K32], F16, F8, Floor::families(8, 7, BLACKWELL)),
    row(&[M16N8K16], F32, F8, Floor::families(8, 7, BLACKWELL)),
    row(&[M16N8K16], F16, F8, Floor::families(8, 7, BLACKWELL)),
    row(&[M16N8K32], F32, F8_F6_F4, Floor::family(8, 7, 120)),
    row(&[M16N8K32], F16, F8_F6_F4, Floor::family(8, 7, 120)),
];

fn table(i: &Inst) -> &'static [Product] {
    if i.has(Slot::Kind) { KIND_PRODUCTS } else { PRODUCTS }
}

/// Whether four products are computed at once, one by each eight lanes.
fn quadrupled(i: &Inst) -> bool {
    i[Slot::Shape] == M8N8K4 && i[Slot::AType] != F64
}

/// Bits that an element of A or B takes: those of 6 and 4 bits have a byte each, but for the kinds that are of 4 bits alone.
pub fn stored_bits(i: &Inst, slot: Slot) -> u32 {
    match i[slot] {
        E2m1 if matches!(i[Slot::Kind], KindMxf4 | KindMxf4nvf4) => 4,
        E3m2 | E2m3 | E2m1 => 8,
        word => word.ty().map_or(32, |ty| ty.bits),
    }
}

/// Registers of A, of which one element of `sparse` is there.
pub fn a_registers(i: &Inst, sparse: usize) -> usize {
    let (m, _, k) = shape(i);
    registers(m * k * products(i) / sparse, stored_bits(i, Slot::AType))
}

/// Registers of B.
pub fn b_registers(i: &Inst) -> usize {
    let (_, n, k) = shape(i);
    registers(n * k * products(i), stored_bits(i, Slot::BType))
}

/// Registers of C or D, by the slot of its type.
pub fn c_registers(i: &Inst, slot: Slot) -> usize {
    let (m, n, _) = shape(i);
    i[slot].ty().map_or(0, |ty| registers(m * n * products(i), ty.bits))
}

fn products(i: &Inst) -> usize {
    if quadrupled(i) { 4 } else { 1 }
}

fn multiply(i: &Inst, device: Target) -> Whole {
    product(i, device, &matrices(i, 1))
}

/// The matrices of a form, of whose A one element of `sparse` is there.
pub fn matrices(i: &Inst, sparse: usize) -> Matrices {
    let sum = |slot| c_of(i, c_registers(i, slot), i[slot].ty().map_or(32, |ty| ty.bits));
    Matrices {
        d: sum(Slot::DType),
        a: a_of(i, a_registers(i, sparse), stored_bits(i, Slot::AType), sparse),
        b: b_of(i, b_registers(i), stored_bits(i, Slot::BType)),
        c: sum(Slot::CType),
        products: products(i),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_tables_is_a_form() {
        assert_eq!(unmet(&PAGE, PRODUCTS, table), []);
        assert_eq!(unmet(&PAGE, KIND_PRODUCTS, table), []);
    }
}
