//! `clmad`: multiply without carries, keep a half, and combine with a third integer.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.5", &["clmad"], &[line("clmad.mode.u64 d, a, b, c")], Meaning::Spec(spec))
    .about("multiply without carries and add",
        "The product of `a` and `b` as polynomials over the field of two elements; its low or high half, exclusive-or `c`.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Hi, Lo]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type))])
    .since(Floor::new(9, 3, 80))
    .order(Order::ModeFirst)
    .examples(&["clmad.lo.u64 d, a, b, c;", "clmad.hi.u64 d, a, b, 0;"])
    .errata(&[Erratum {
        manual: "has this page from 9.4 on; it pushes the numbers of the pages behind it by one",
        margay: "numbers all other pages as 9.1 does",
        ptxas: None,
        concerns: |_| true,
    }]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    let ty = i.ty(Slot::Type);
    let product = (0..u128::from(ty.bits)).filter(|k| bit(b, *k) == 1).fold(0, |sum, k| sum ^ a << k);
    let half = if i[Slot::Mode] == Hi { product >> ty.bits } else { product & ty.mask() };
    half ^ c
}
