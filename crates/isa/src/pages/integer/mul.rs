//! `mul`: product of two integers: its low half, its high half, or all of it.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.3", &["mul"], &[line("mul.mode.type d, a, b")], Meaning::Stages(spec))
    .about("multiply two integers",
        "The exact product is twice as wide as the operands. `.lo` gives its low half, `.hi` its high half, `.wide` all \
         of it in a destination of twice the width.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Hi, Lo, Wide])), ("type", Slot::Type, INTEGERS)])
    .operands(&[dst("d", DoubledIfWide(Slot::Type)), src("a b", Of(Slot::Type))])
    .rules(&[Rule {
        text: "`.wide` takes 16- and 32-bit types only",
        slot: Some(Slot::Mode),
        holds: |i| i[Slot::Mode] != Wide || i.ty(Slot::Type).bits < 64,
    }])
    .order(Order::ModeFirst)
    .lower(lower)
    .shown(&[("mul.hi.s32 d, a, b", &[0x1234_5678, 0xffff_f000])])
    .examples(&["mul.wide.s16 fa, fxs, fys;", "mul.lo.s16 fa, fxs, fys;", "mul.wide.s32 z, x, y;"]);

fn spec(i: &Inst, &[a, b, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    let t = product(ty, a, b, trace);
    match i[Slot::Mode] {
        Hi => t >> ty.bits & ty.mask(),
        Wide => t,
        _ => t & ty.mask(),
    }
}

/// `t`, the exact product, in twice the width of the factors.
pub(super) fn product(ty: Ty, a: Bits, b: Bits, trace: &mut Trace) -> Bits {
    let whole = ty.with_bits(ty.bits * 2);
    // The low 128 bits are exact even where u64 × u64 wraps i128.
    let t = ty.value(a).wrapping_mul(ty.value(b)) as Bits & whole.mask();
    trace.pattern("t", t, whole.bits)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let d = lower_product(i, e, a, b);
    e.done(d)
}

/// The part of the product that the mode names.
pub(super) fn lower_product(i: &Inst, e: &mut Emit, a: Val, b: Val) -> Val {
    let ty = i.ty(Slot::Type);
    match (i[Slot::Mode], ty.bits) {
        (Lo, 16) => {
            let product = e.mul(a, b);
            cut(e, ty, product)
        }
        (Hi, 16) => {
            let product = whole_product(e, ty, a, b);
            e.extract(false, product, 16, 16)
        }
        (Lo, _) => e.mul(a, b),
        (Hi, _) => e.mul_high(ty.signed(), a, b),
        _ => whole_product(e, ty, a, b),
    }
}

/// All of the product of numbers of 16 or 32 bits.
fn whole_product(e: &mut Emit, ty: Ty, a: Val, b: Val) -> Val {
    match (ty.bits, ty.signed()) {
        (16, true) => {
            let zero = e.u32(0);
            e.dot(Dot::Halves(true, true), a, b, zero)
        }
        (16, false) => e.mul(a, b),
        (_, signed) => e.mul_wide(signed, a, b),
    }
}
