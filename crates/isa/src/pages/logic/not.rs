//! `not`: bit by bit.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.8.4", &["not"], &[line("not.type d, a"), line("not.pred d, p")], Meaning::Spec(spec))
    .about("the other bit", "A bit of the result is 1 where the bit of `a` is 0.")
    .sets(&[("type", Slot::Type, Set::Of(&[B16, B32, B64]))])
    .operands(&[
        dst("d", Of(Slot::Type)),
        src("a", Of(Slot::Type)),
        src("p", Is(Pred)),
    ])
    .lower(lower)
    .examples(&["not.b32 mask, mask;", "not.pred p, q;"]);

fn spec(i: &Inst, &[a, ..]: &Args) -> Bits {
    !a & i.ty(Slot::Type).mask()
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let ones = e.constant(e.ty(a), i.ty(Slot::Type).mask() as u64);
    let d = e.xor(a, ones);
    e.done(d)
}
