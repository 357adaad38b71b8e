//! `clz`: how many bits are zero above the highest one.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.15", &["clz"], &[line("clz.type d, a")], Meaning::Stages(spec))
    .about("count leading zeros",
        "How many zero bits are above the highest one of `a`: 0 to 32, or 0 to 64 for `.b64`. The result is \
         a 32-bit number for both types.")
    .sets(&[("type", Slot::Type, B32_B64)])
    .operands(&[dst("d", Is(U32)), src("a", Of(Slot::Type))])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .lower(lower)
    .shown(&[("clz.b32 d, a", &[0x00f0_0000])])
    .examples(&["clz.b32 d, a;", "clz.b64 cnt, X;"]);

fn spec(i: &Inst, &[a, ..]: &Args, trace: &mut Trace) -> Bits {
    let max = trace.step("max", i.ty(Slot::Type).bits.into());
    let used = trace.step("bits up to the highest one", (128 - a.leading_zeros()).into());
    (max - used) as Bits
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let d = e.clz(a);
    e.done(d)
}
