//! `rem`: remainder of an integer division.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.9", &["rem"], &[line("rem.type d, a, b")], Meaning::Spec(spec))
    .about("remainder of an integer division",
        "What `div` leaves: `a - b * (a / b)`, with the sign of `a`. The remainder by zero has ones in every bit; the \
         least signed number by -1 leaves 0.")
    .sets(&[("type", Slot::Type, INTEGERS)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))])
    .order(Order::Free)
    .lower(lower)
    .examples(&["rem.s32 x, x, 8;"])
    .errata(&[Erratum {
        manual: "leaves remainders of negative numbers to the machine and is silent on division by zero",
        margay: "the remainder has the dividend's sign; x rem 0 has every bit set; MIN rem -1 is 0, as in ptxas 13.5",
        ptxas: None,
        concerns: |_| true,
    }]);

fn spec(i: &Inst, &[a, b, ..]: &Args) -> Bits {
    let ty = i.ty(Slot::Type);
    match ty.value(b) {
        0 => ty.mask(),
        divisor => ty.wrap(ty.value(a) % divisor),
    }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let ty = i.ty(Slot::Type);
    let [a, b] = e.sources().map(|v| extended(e, ty, v));
    let d = match power_of_two(e, ty, b) {
        Some(n) => e.extract(false, a, 0, n),
        None => {
            let remainder = e.rem(ty.signed(), a, b);
            cut(e, ty, remainder)
        }
    };
    e.done(d)
}
