//! `wgmma.mma_async`: multiply matrices by a warpgroup while its threads go on.
use crate::pages::matrix::mma::{SUMS, fidelity};
use crate::pages::product::*;
use crate::pages::warpgroup::multiply;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.15.5.2", &["wgmma"], &[
    line("wgmma.mma_async.sync{.aligned}.k16.dtype.half.half d, a_desc, b_desc, {!}scale_d, imm_scale_a, imm_scale_b, imm_trans_a, imm_trans_b"),
    line("wgmma.mma_async.sync{.aligned}.k16.dtype.half.half d, a, b_desc, {!}scale_d, imm_scale_a, imm_scale_b, imm_trans_b"),
    line("wgmma.mma_async.sync{.aligned}.k8.f32.tf32.tf32 d, a_desc, b_desc, {!}scale_d, imm_scale_a, imm_scale_b"),
    line("wgmma.mma_async.sync{.aligned}.k8.f32.tf32.tf32 d, a, b_desc, {!}scale_d, imm_scale_a, imm_scale_b"),
    line("wgmma.mma_async.sync{.aligned}.k32.dtype.f8type.f8type d, a_desc, b_desc, {!}scale_d, imm_scale_a, imm_scale_b"),
    line("wgmma.mma_async.sync{.aligned}.k32.dtype.f8type.f8type d, a, b_desc, {!}scale_d, imm_scale_a, imm_scale_b"),
    line("wgmma.mma_async.sync{.aligned}.k32i{.satfinite}.s32.byte.byte d, a_desc, b_desc, {!}scale_d"),
    line("wgmma.mma_async.sync{.aligned}.k32i{.satfinite}.s32.byte.byte d, a, b_desc, {!}scale_d"),
    line("wgmma.mma_async.sync{.aligned}.k256.s32.b1.b1.and.popc d, a_desc, b_desc, {!}scale_d"),
    line("wgmma.mma_async.sync{.aligned}.k256.s32.b1.b1.and.popc d, a, b_desc, {!}scale_d"),
], Meaning::Warpgroup(|i, device| multiply(i, device, None)))
    .about("multiply matrices by a warpgroup asynchronously",
        "The four warps of a warpgroup asynchronously compute D = A·B + D, or A·B if the predicate `scale_d` \
         is false. A is in registers or, like B, in shared memory, described by a descriptor; `imm_scale_a` \
         and `imm_scale_b` of −1 negate a matrix, `imm_trans_a` and `imm_trans_b` of 1 transpose it.")
    .sets(&[
        ("mma_async", Slot::Mode, Set::Of(&[MmaAsync])),
        ("dtype", Slot::DType, Set::Of(&[F16, F32])),
        ("half", Slot::Type, Set::Of(&[F16, Bf16])),
        ("f8type", Slot::Type, Set::Of(&[E4m3, E5m2])),
        ("byte", Slot::Type, Set::Of(&[S8, U8])),
        ("k8", Slot::Shape, Set::Of(K8)),
        ("k16", Slot::Shape, Set::Of(K16)),
        ("k32", Slot::Shape, Set::Of(K32)),
        ("k32i", Slot::Shape, Set::Of(K32_INTEGERS)),
        ("k256", Slot::Shape, Set::Of(K256)),
    ])
    .operands(&[
        D,
        A,
        DESCRIPTORS,
        SCALE_D,
        IMM_SCALE,
        src("imm_trans_a imm_trans_b", Is(S32)).constants(Immediate::Only(0, 1)),
    ])
    .rules(&[TYPES])
    .since(SINCE)
    .form_floors(&[MIXED])
    .order(NAME)
    .examples(&[
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, descA, descB, p, 1, -1, 0, 1;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {d0, d1}, {a0, a1, a2, a3}, descB, 1, 1, 1, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8.satfinite {r0, r1, r2, r3}, descA, descB, p;",
        "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {r0, r1, r2, r3}, descA, descB, p;",
    ])
    .refused(&[
        ("wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 {d0, d1}, descA, descB, p, 1, 1, 0, 0;",
            "products of `.bf16` are summed in `.f32`"),
        ("wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {r0}, descA, descB, p;",
            "integers have no shape of 40 columns"),
    ])
    .errata(&[SUMS])
    .fidelity(fidelity);

/// The name, as good as a part of the opcode.
pub const NAME: Order = Order::NameFirst(&[MmaAsync]);
pub const SINCE: Floor = Floor::architectures(8, 0, &[90]);

/// Shapes of one depth: every multiple of 8 columns; integers beyond 32 take every multiple of 16.
pub const fn shapes<const N: usize>(k: u16, integers: bool) -> [Word; N] {
    let mut words = [Absent; N];
    let (mut n, mut at) = (8, 0);
    while at < N {
        words[at] = Word::shape(64, n, k);
        at += 1;
        n += if integers && n >= 32 { 16 } else { 8 };
    }
    words
}

const K8: &[Word] = &shapes::<32>(8, false);
pub const K16: &[Word] = &shapes::<32>(16, false);
pub const K32: &[Word] = &shapes::<32>(32, false);
const K32_INTEGERS: &[Word] = &shapes::<18>(32, true);
const K256: &[Word] = &shapes::<18>(256, true);

pub const D: Operand = dst("d", By(|i| accumulator(i[Slot::DType]))).elements(d_registers);
/// 64 rows of 32 bytes, or of 256 bits, over four warps.
pub const A: Operand = src("a", By(a_type)).elements(|_| 4);
pub const DESCRIPTORS: Operand = src("a_desc b_desc", Is(U64));
pub const SCALE_D: Operand = src("scale_d", Is(Pred)).constants(Immediate::Range(0, 1));
pub const IMM_SCALE: Operand = src("imm_scale_a imm_scale_b", Is(S32)).constants(Immediate::OneOf(&[-1, 1]));

pub const TYPES: Rule = Rule {
    text: "A and B are of one type if they are `.f16`, `.bf16` or `.tf32`, and products of `.bf16` are summed in `.f32`",
    slot: Some(Slot::BType),
    holds: |i| match (i[Slot::AType], i[Slot::BType]) {
        (Bf16, b) => b == Bf16 && i[Slot::DType] == F32,
        (F16, b) => b == F16,
        _ => true,
    },
};

/// A manual of PTX 8.0 has it already; ptxas has not.
pub const MIXED: FormFloor = FormFloor {
    text: "a product of `.s8` and `.u8`",
    when: |i| matches!((i[Slot::AType], i[Slot::BType]), (S8, U8) | (U8, S8)),
    floor: Floor::architectures(8, 4, &[90]),
};

/// D is shared by the 128 threads of a warpgroup.
fn d_registers(i: &Inst) -> usize {
    let (m, n, _) = shape(i);
    i[Slot::DType].ty().map_or(0, |d| registers(m * n / 4, d.bits))
}

/// ptxas takes registers of two halves for every type but integers.
fn a_type(i: &Inst) -> Ty {
    factor(if i[Slot::DType] == S32 { S8 } else { F16 })
}
