//! `set` on `.f16`, `.bf16` and pairs of them.
use super::add::{BRAIN_HALVES, HALVES};
use crate::pages::comparison::*;
use crate::pages::lower_floats::{element, lower_reals};
use crate::prelude::*;

const BRAIN: Floor = Floor::new(7, 8, 90);
const INTEGERS: Floor = Floor::new(6, 5, 53);
const COMPARISONS: Set =
    Set::Of(&[Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan]);

pub static PAGE: Page = Page::new("9.7.7.1", &["set"], &[
    line("set.CmpOp{.ftz}.f16.stype d, a, b"),
    line("set.CmpOp.BoolOp{.ftz}.f16.stype d, a, b, {!}c"),
    line("set.CmpOp.bf16.btype d, a, b").since(BRAIN),
    line("set.CmpOp.BoolOp.bf16.btype d, a, b, {!}c").since(BRAIN),
    line("set.CmpOp{.ftz}.dtype.halves d, a, b").since(INTEGERS),
    line("set.CmpOp.BoolOp{.ftz}.dtype.halves d, a, b, {!}c").since(INTEGERS),
    line("set.CmpOp.dtype.bhalves d, a, b").since(BRAIN),
    line("set.CmpOp.BoolOp.dtype.bhalves d, a, b, {!}c").since(BRAIN),
    line("set.CmpOp{.ftz}.f16x2.pair d, a, b"),
    line("set.CmpOp.BoolOp{.ftz}.f16x2.pair d, a, b, {!}c"),
    line("set.CmpOp.bf16x2.bpair d, a, b").since(BRAIN),
    line("set.CmpOp.BoolOp.bf16x2.bpair d, a, b, {!}c").since(BRAIN),
], Meaning::Spec(spec))
    .lower(lower)
    .about("compare into, or from, half-precision numbers",
        "As on `.f32`; a half-precision result is 1.0 or 0.0, and pairs are compared element by element.")
    .sets(&[
        ("CmpOp", Slot::Cmp, COMPARISONS), ("BoolOp", Slot::Bool, BOOLEAN),
        ("f16", Slot::DType, Set::Of(&[F16])), ("bf16", Slot::DType, Set::Of(&[Bf16])),
        ("f16x2", Slot::DType, Set::Of(&[F16x2])), ("bf16x2", Slot::DType, Set::Of(&[Bf16x2])),
        ("stype", Slot::Type, Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64, F16, F32, F64])),
        ("btype", Slot::Type, Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64, F16, Bf16, F32, F64])),
        ("dtype", Slot::DType, Set::Of(&[U16, S16, U32, S32])),
        ("halves", Slot::Type, HALVES), ("bhalves", Slot::Type, BRAIN_HALVES),
        ("pair", Slot::Type, Set::Of(&[F16x2])), ("bpair", Slot::Type, Set::Of(&[Bf16x2])),
    ])
    .operands(&[
        dst("d", Of(Slot::DType)),
        src("a b", Of(Slot::Type)).constants(Immediate::Number),
        src("c", Is(Pred)),
    ])
    .rules(&[
        UNTYPED_EQUALITY,
        UNSIGNED_ORDER,
        Rule {
            text: "integers are never unordered: `.equ .neu .ltu .leu .gtu .geu .num .nan` compare floating-point numbers",
            slot: Some(Slot::Cmp),
            holds: |i| {
                !i.ty(Slot::Type).is_integer()
                    || !matches!(i[Slot::Cmp], Equ | Neu | Ltu | Leu | Gtu | Geu | Num | Nan)
            },
        },
        Rule {
            text: "`.ftz` is for comparing `.f16`, `.f16x2` and `.f32`",
            slot: Some(Slot::Ftz),
            holds: |i| !i.has(Slot::Ftz) || matches!(i[Slot::Type], F16 | F16x2 | F32),
        },
        Rule {
            text: "results of comparing pairs have 32 bits",
            slot: Some(Slot::DType),
            holds: |i| i.ty(Slot::Type).lanes == 1 || i.ty(Slot::DType).width() == 32,
        },
    ])
    .since(Floor::new(4, 2, 53))
    .examples(&["set.lt.and.f16.f16 d, a, b, r;", "set.eq.f16x2.f16x2 d, a, b;", "set.gt.u32.f16 d, a, b;"])
    .errata(&[erratum(
        "gives 1.0 for every comparison of `.bf16x2` in its pseudo-code, into integers too",
        "gives 0xffff for each half of an integer, and 1.0 in results of half precision",
    )
    .concerns(|i| i[Slot::Type] == Bf16x2 && i.ty(Slot::DType).is_integer())]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    let (from, to) = (i.ty(Slot::Type), i.ty(Slot::DType));
    // Of a pair, each comparison has its half of the result, one of integers too.
    let to = if from.lanes > 1 { to.with_bits(to.width() / from.lanes) } else { to };
    (0..from.lanes).fold(0, |d, lane| {
        let [a, b] = [a, b].map(|bits| bits >> (lane * from.bits));
        let holds = if from.is_integer() { compare(i, from, a, b) } else { compare_reals(i, from, a, b) };
        let part = if combine(i, holds, c) { yes(to) } else { 0 };
        d | part << (lane * from.bits)
    })
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let (from, to) = (i.ty(Slot::Type), i.ty(Slot::DType));
    let to = if from.lanes > 1 { to.with_bits(to.width() / from.lanes) } else { to };
    let mut d = e.u32(0);
    for lane in 0..from.lanes {
        let [a, b] = [a, b].map(|v| element(e, from, lane, v));
        let holds = match from.is_integer() {
            true => lower_comparison(i, e, from, a, b),
            false => lower_reals(i, e, from, a, b)?,
        };
        let t = lower_combination(i, e, holds);
        let [yes, no] = [(yes(to) as u32) << (lane * from.bits % 32), 0].map(|bits| e.u32(bits));
        let part = e.select(t, yes, no);
        d = e.or(d, part);
    }
    e.done(d)
}
