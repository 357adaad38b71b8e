//! `brev`: bits in reverse order.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.18", &["brev"], &[line("brev.type d, a")], Meaning::Spec(spec))
    .about("reverse the bits", "Bit n of the result is bit (width - 1 - n) of `a`.")
    .sets(&[("type", Slot::Type, B32_B64)])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type))])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .lower(lower)
    .examples(&["brev.b32 d, a;"]);

fn spec(i: &Inst, &[a, ..]: &Args) -> Bits {
    a.reverse_bits() >> (128 - i.ty(Slot::Type).bits)
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let d = e.brev(a);
    e.done(d)
}
