//! `popc`: how many bits are set.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.14", &["popc"], &[line("popc.type d, a")], Meaning::Stages(spec))
    .about("count the bits that are set", "How many bits of `a` are one. The result is a 32-bit number for both types.")
    .sets(&[("type", Slot::Type, B32_B64)])
    .operands(&[dst("d", Is(U32)), src("a", Of(Slot::Type))])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .lower(lower)
    .shown(&[("popc.b32 d, a", &[0x1003])])
    .examples(&["popc.b32 d, a;", "popc.b64 cnt, X;"]);

fn spec(i: &Inst, &[a, ..]: &Args, trace: &mut Trace) -> Bits {
    let set = (0..i.ty(Slot::Type).bits).filter(|n| bit(a, (*n).into()) == 1);
    set.fold(0, |d, n| {
        trace.noted("d", None, d as i128 + 1, || format!("bit {n} is set"));
        d + 1
    })
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let d = e.popc(a);
    e.done(d)
}
