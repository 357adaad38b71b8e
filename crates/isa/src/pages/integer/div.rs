//! `div`: quotient of two integers.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.8", &["div"], &[line("div.type d, a, b")], Meaning::Spec(spec))
    .about("divide one integer by another",
        "`a / b`, rounded towards zero. A division by zero gives ones in every bit; the least signed number divided by \
         -1 gives itself.")
    .sets(&[("type", Slot::Type, INTEGERS)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))])
    .order(Order::Free)
    .lower(lower)
    .examples(&["div.s32 b, n, i;"])
    .errata(&[Erratum {
        manual: "leaves division by zero to the machine, and is silent on the least signed number divided by -1",
        margay: "x / 0 has every bit set, in every type; MIN / -1 is MIN, as in ptxas 13.5",
        ptxas: None,
        concerns: |_| true,
    }]);

fn spec(i: &Inst, &[a, b, ..]: &Args) -> Bits {
    let ty = i.ty(Slot::Type);
    match ty.value(b) {
        0 => ty.mask(),
        divisor => ty.wrap(ty.value(a) / divisor),
    }
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
