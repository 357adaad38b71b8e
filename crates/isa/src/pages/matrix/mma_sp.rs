//! `mma.sp`: multiply a sparse matrix by another, both in the registers of a warp.
use super::mma::*;
use crate::fragments::Sparse;
use crate::pages::sparse::{Beside, product_beside};
use crate::pages::product::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.6.3", &["mma"], &[
    line("mma.sparsity.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c, metadata, selector"),
    line("mma.sparsity.sync.aligned.int_shape.row.col{.satfinite}.s32.int.int.s32 d, a, b, c, metadata, selector"),
    line("mma.sparsity.sync.aligned.m16n8k64.row.col{.kind::f8f6f4}.dtype.small.small.ctype d, a, b, c, metadata, selector"),
], Meaning::Fragments(multiply))
    .about("multiply and add a sparse and a full matrix by a warp",
        "Like `mma`, with twice the depth: only half of A's elements are stored, and the metadata of the \
         lanes that the selector picks say where they belong.")
    .sets(&[
        ("sparsity", Slot::Sparse, Set::Of(&[Sp, SpOrdered])),
        ("shape", Slot::Shape, Set::Of(&[M16N8K8, M16N8K16, M16N8K32])),
        ("dtype", Slot::DType, Set::Of(&[F16, F32])),
        ("atype", Slot::AType, Set::Of(&[F16, Bf16, Tf32])),
        ("btype", Slot::BType, Set::Of(&[F16, Bf16, Tf32])),
        ("ctype", Slot::CType, Set::Of(&[F16, F32])),
        ("int_shape", Slot::Shape, Set::Of(&[M16N8K32, M16N8K64, M16N8K128])),
        ("int", Slot::Type, Set::Of(&[S8, U8, S4, U4])),
        ("m16n8k64", Slot::Shape, Set::Of(&[M16N8K64])),
        ("small", Slot::Type, SMALL),
    ])
    .operands(&[
        dst("d", By(|i| sum(i, Slot::DType))).elements(|i| c_registers(i, Slot::DType)).sink(),
        src("a", By(|i| factor_here(i[Slot::AType]))).elements(|i| a_registers(i, 2)),
        src("b", By(|i| factor_here(i[Slot::BType]))).elements(b_registers),
        src("c", By(|i| sum(i, Slot::CType))).elements(|i| c_registers(i, Slot::CType)).constants(Immediate::Number),
        METADATA,
        src("selector", Is(U32)).constants_of(|i| Immediate::Only(0, selectors(i) - 1)),
    ])
    .rules(&[
        Rule {
            text: "shape and types must go together, such as `.m16n8k32` with `.f32.f16.f16.f32` or `.f32.bf16.bf16.f32`, `.m16n8k16` with \
                   `.f32.tf32.tf32.f32`, `.m16n8k64` with `.s32.s8.s8.s32` or `.f32.e4m3.e5m2.f32`, `.m16n8k128` with `.s32.s4.u4.s32`",
            slot: Some(Slot::Shape),
            holds: |i| find(table(i), i).is_some(),
        },
        Rule {
            text: "`.sp` alone goes with `.f32` sums of `.e4m3` and `.e5m2`; for more, write `.sp::ordered_metadata`",
            slot: Some(Slot::Sparse),
            holds: |i| i[Slot::Sparse] == SpOrdered || !small(i) || (i[Slot::DType] == F32 && !i.has(Slot::Kind)),
        },
    ])
    .held(|i| of_sparse(i, matrices(i, 2).held(stored_bits(i, Slot::AType))))
    .since(SPARSE)
    .word_floors(&[(SpOrdered, Floor::new(8, 5, 80))])
    .floor_of(|i| find(table(i), i).map(|row| row.floor))
    .examples(&[
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {d0, d1, d2, d3}, {a0, a1}, {b0, b1}, {c0, c1, c2, c3}, meta, 3;",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.u8.s8.s32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1, b2, b3}, {c0, c1, c2, c3}, meta, 0;",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16.e2m3.e2m1.f16 {d0, d1}, {a0, a1, a2, a3}, {b0, b1, b2, b3}, {c0, c1}, meta, 0;",
    ])
    .refused(&[
        ("mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1, b2, b3}, {c0, c1, c2, c3}, meta, 0;",
            "only ordered metadata go with `.kind::f8f6f4`"),
    ])
    .errata(&[erratum(
        "says that the selector of `.m16n8k32` with `.f16` is 0 or 1",
        "takes 0 to 3 if the sums are `.f32`, because ptxas does; of 2 and 3 an H200 (sm_90) says that the instruction is illegal",
    )
    .concerns(|i| (i[Slot::AType], i[Slot::DType], i[Slot::Shape]) == (F16, F32, M16N8K32)), SUMS, SPARSE_SUMS])
    .fidelity(fidelity);

/// How many products are added at once.
pub const SPARSE_SUMS: Erratum = erratum(
    "leaves open how many products of stored elements are added at once",
    "adds as many as of full matrices, those that are stored following each other, as an H200 (sm_90) does; not verified on hardware of `.tf32`, and of `.m16n8k32` on `.f16` with sums in `.f32`",
)
.concerns(|i| fidelity(i) == Fidelity::Model);

pub const METADATA: Operand = src("metadata", Is(B32)).constants(Immediate::No);

static PRODUCTS: &[Product] = &[
    row(&[M16N8K16, M16N8K32], F16, &[F16], SPARSE),
    row(&[M16N8K16, M16N8K32], F32, &[F16], SPARSE),
    row(&[M16N8K16, M16N8K32], F32, &[Bf16], SPARSE),
    row(&[M16N8K8, M16N8K16], F32, &[Tf32], SPARSE),
    row(&[M16N8K32, M16N8K64], S32, BYTES, SPARSE),
    row(&[M16N8K64, M16N8K128], S32, NIBBLES, SPARSE),
    row(&[M16N8K64], F32, F8, Floor::new(8, 4, 89)),
    row(&[M16N8K64], F16, F8, Floor::family(8, 7, 120)),
];

static KIND_PRODUCTS: &[Product] = &[
    row(&[M16N8K64], F32, F8, Floor::families(8, 6, BLACKWELL)),
    row(&[M16N8K64], F32, F8_F6_F4, Floor::family(8, 7, 120)),
    row(&[M16N8K64], F16, F8_F6_F4, Floor::family(8, 7, 120)),
];

const SPARSE: Floor = Floor::new(7, 1, 80);

/// ptxas takes registers of any type for `.f32` here, but for those of 8 bits, and for `.bf16` and `.tf32`.
fn sum(i: &Inst, slot: Slot) -> Ty {
    if i[slot] == F32 && !small(i) { BITS } else { accumulator(i[slot]) }
}

fn factor_here(word: Word) -> Ty {
    if matches!(word, Bf16 | Tf32) { BITS } else { factor(word) }
}

fn table(i: &Inst) -> &'static [Product] {
    if i.has(Slot::Kind) { KIND_PRODUCTS } else { PRODUCTS }
}

fn small(i: &Inst) -> bool {
    F8_F6_F4.contains(&i[Slot::AType])
}

/// How many lanes, or pairs of lanes, of four the selector can pick: all four hold metadata where A is deepest.
fn selectors(i: &Inst) -> i128 {
    match (i[Slot::AType], i[Slot::Shape]) {
        (F16, M16N8K32) if i[Slot::DType] == F32 => 4,
        (F16 | Bf16, M16N8K16) | (Tf32, M16N8K8) => 4,
        (F16 | Bf16 | Tf32, _) | (S8 | U8, M16N8K32) | (S4 | U4, M16N8K64) => 2,
        _ => 1,
    }
}

/// Who holds what, with what is stored of A.
pub fn of_sparse(i: &Inst, mut held: Vec<Held>) -> Vec<Held> {
    let a = held.iter_mut().filter(|held| held.operand == "a");
    a.for_each(|a| a.sparse = Some(stored(i)));
    held
}

/// Which of A's elements are stored: two of four, of the smallest by twos, of `.tf32` one of two.
pub fn stored(i: &Inst) -> Sparse {
    match stored_bits(i, Slot::AType) {
        32 => Sparse { unit: 1, step: 4, span: 8, two_rows: true },
        16 => Sparse { unit: 1, step: 2, span: 16, two_rows: true },
        8 => Sparse { unit: 1, step: 2, span: 32, two_rows: false },
        _ => Sparse { unit: 2, step: 2, span: 64, two_rows: false },
    }
}

fn multiply(i: &Inst, device: Target) -> Whole {
    product_beside(i, device, &matrices(i, 2), Beside { sparse: Some(stored(i)), scales: 0 })
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
