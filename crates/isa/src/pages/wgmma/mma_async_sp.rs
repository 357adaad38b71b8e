//! `wgmma.mma_async.sp`: multiply a sparse matrix by another, by a warpgroup while its threads go on.
use super::mma_async::*;
use crate::pages::matrix::mma::{SUMS, fidelity};
use crate::pages::matrix::mma_sp::stored;
use crate::pages::warpgroup::multiply;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.15.6", &["wgmma"], &[
    line("wgmma.mma_async.sp.sync{.aligned}.k32.dtype.half.half d, a_desc, b_desc, sp_meta, sp_sel, {!}scale_d, imm_scale_a, imm_scale_b, imm_trans_a, imm_trans_b"),
    line("wgmma.mma_async.sp.sync{.aligned}.k32.dtype.half.half d, a, b_desc, sp_meta, sp_sel, {!}scale_d, imm_scale_a, imm_scale_b, imm_trans_b"),
    line("wgmma.mma_async.sp.sync{.aligned}.k16.f32.tf32.tf32 d, a_desc, b_desc, sp_meta, sp_sel, {!}scale_d, imm_scale_a, imm_scale_b"),
    line("wgmma.mma_async.sp.sync{.aligned}.k16.f32.tf32.tf32 d, a, b_desc, sp_meta, sp_sel, {!}scale_d, imm_scale_a, imm_scale_b"),
    line("wgmma.mma_async.sp.sync{.aligned}.k64.dtype.f8type.f8type d, a_desc, b_desc, sp_meta, sp_sel, {!}scale_d, imm_scale_a, imm_scale_b"),
    line("wgmma.mma_async.sp.sync{.aligned}.k64.dtype.f8type.f8type d, a, b_desc, sp_meta, sp_sel, {!}scale_d, imm_scale_a, imm_scale_b"),
    line("wgmma.mma_async.sp.sync{.aligned}.k64i{.satfinite}.s32.byte.byte d, a_desc, b_desc, sp_meta, sp_sel, {!}scale_d"),
    line("wgmma.mma_async.sp.sync{.aligned}.k64i{.satfinite}.s32.byte.byte d, a, b_desc, sp_meta, sp_sel, {!}scale_d"),
], Meaning::Warpgroup(|i, device| multiply(i, device, Some(stored(i)))))
    .about("multiply a sparse matrix by a warpgroup asynchronously",
        "Like `wgmma.mma_async`, with twice the depth: only half of A's elements are stored, and the \
         metadata in `sp_meta` of the threads that `sp_sel` picks say where they belong.")
    .sets(&[
        ("mma_async", Slot::Mode, Set::Of(&[MmaAsync])),
        ("dtype", Slot::DType, Set::Of(&[F16, F32])),
        ("half", Slot::Type, Set::Of(&[F16, Bf16])),
        ("f8type", Slot::Type, Set::Of(&[E4m3, E5m2])),
        ("byte", Slot::Type, Set::Of(&[S8, U8])),
        ("k16", Slot::Shape, Set::Of(K16)),
        ("k32", Slot::Shape, Set::Of(K32)),
        ("k64", Slot::Shape, Set::Of(&shapes::<32>(64, false))),
        ("k64i", Slot::Shape, Set::Of(&shapes::<18>(64, true))),
    ])
    .operands(&[
        D,
        A,
        DESCRIPTORS,
        src("sp_meta", Is(B32)).constants(Immediate::No),
        src("sp_sel", Is(U32)).constants_of(|i| match i[Slot::AType] {
            F16 | Bf16 | Tf32 => Immediate::Only(0, 1),
            _ => Immediate::Only(0, 0),
        }),
        SCALE_D,
        IMM_SCALE,
        src("imm_trans_a imm_trans_b", Is(S32)).constants(Immediate::Only(0, 1)),
    ])
    .rules(&[TYPES])
    .since(Floor::architectures(8, 2, &[90]))
    .form_floors(&[MIXED])
    .order(NAME)
    .examples(&[
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {f0, f1, f2, f3}, descA, descB, meta, 0, p, -1, -1, 0, 0;",
        "wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8.satfinite {r0, r1, r2, r3}, {a0, a1, a2, a3}, descB, meta, 0, p;",
    ])
    .refused(&[
        ("wgmma.mma_async.sp.sync.aligned.m64n8k512.s32.b1.b1.and.popc {r0, r1, r2, r3}, descA, descB, meta, 0, p;",
            "no bits: A is sparse in elements of at least 8"),
    ])
    .errata(&[SUMS, erratum(
        "leaves open how many products of stored elements are added at once",
        "adds as many as of full matrices, those that are stored following each other; not verified on hardware",
    )
    .concerns(|i| fidelity(i) == Fidelity::Model)])
    .fidelity(fidelity);
