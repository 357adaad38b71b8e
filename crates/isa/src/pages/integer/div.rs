//! `div`: quotient of two integers.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.8", &["div"], &[line("div.type d, a, b")], Meaning::Stages(spec))
    .about("divide one integer by another",
        "`a / b`, rounded towards zero. A division by zero gives ones in every bit; the least signed number divided by \
         -1 gives itself.")
    .sets(&[("type", Slot::Type, INTEGERS)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))])
    .order(Order::Free)
    .lower(lower)
    .shown(&[("div.s32 d, a, b", &[0xffff_fff9, 2])])
    .examples(&["div.s32 b, n, i;"])
    .errata(&[erratum(
        "leaves division by zero to the machine, and is silent on the least signed number divided by -1",
        "x / 0 has every bit set, in every type; MIN / -1 is MIN, as in ptxas 13.5",
    )
    .arises(without_quotient)]);

fn spec(i: &Inst, &[a, b, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    match ty.value(b) {
        0 => trace.pattern("division by zero", ty.mask(), ty.bits),
        divisor => ty.wrap(trace.exact("a / b", None, ty, ty.value(a) / divisor)),
    }
}

/// Whether there is no quotient that the type can hold.
fn without_quotient(i: &Inst, &[a, b, ..]: &Args) -> bool {
    let ty = i.ty(Slot::Type);
    ty.value(b) == 0 || ty.value(a) == ty.min() && ty.value(b) == -1
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let ty = i.ty(Slot::Type);
    let [a, b] = e.sources().map(|v| extended(e, ty, v));
    let d = match power_of_two(e, ty, b) {
        Some(n) => e.shr_by(false, a, n),
        None => {
            let quotient = e.div(ty.signed(), a, b);
            cut(e, ty, quotient)
        }
    };
    e.done(d)
}
