//! `rem`: remainder of an integer division.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.9", &["rem"], &[line("rem.type d, a, b")], Meaning::Stages(spec))
    .about("remainder of an integer division",
        "What `div` leaves: `a - b * (a / b)`, with the sign of `a`. The remainder by zero has ones in every bit; the \
         least signed number by -1 leaves 0.")
    .sets(&[("type", Slot::Type, INTEGERS)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))])
    .order(Order::Free)
    .lower(lower)
    .shown(&[("rem.s32 d, a, b", &[0xffff_fff9, 2])])
    .examples(&["rem.s32 x, x, 8;"])
    .errata(&[erratum(
        "leaves remainders of negative numbers to the machine and is silent on division by zero",
        "the remainder has the dividend's sign; x rem 0 has every bit set; MIN rem -1 is 0, as in ptxas 13.5",
    )
    .arises(|i, &[a, b, ..]| i.ty(Slot::Type).value(a) < 0 || i.ty(Slot::Type).value(b) <= 0)]);

fn spec(i: &Inst, &[a, b, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    let (a, b) = (ty.value(a), ty.value(b));
    if b == 0 {
        return trace.pattern("division by zero", ty.mask(), ty.bits);
    }
    let quotient = trace.step("a / b", a / b);
    ty.wrap(trace.step("a - b * (a / b)", a - b * quotient))
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
