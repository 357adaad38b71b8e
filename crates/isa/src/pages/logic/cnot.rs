//! `cnot`: logical negation as in C.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.8.5", &["cnot"], &[line("cnot.type d, a")], Meaning::Spec(spec))
    .about("whether a value is zero", "1 if `a` is 0, else 0.")
    .sets(&[("type", Slot::Type, Set::Of(&[B16, B32, B64]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type))])
    .lower(lower)
    .examples(&["cnot.b32 d, a;"])
    .refused(&[("cnot.pred p, q;", "predicates have `not`")]);

fn spec(_: &Inst, &[a, ..]: &Args) -> Bits {
    (a == 0).into()
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let [zero, one] = [0, 1].map(|bits| e.constant(e.ty(a), bits));
    let none = e.eq(a, zero);
    let d = e.select(none, one, zero);
    e.done(d)
}
