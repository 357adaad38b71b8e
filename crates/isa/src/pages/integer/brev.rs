//! `brev`: bits in reverse order.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.18", &["brev"], &[line("brev.type d, a")], Meaning::Stages(spec))
    .about("reverse the bits", "Bit n of the result is bit (width - 1 - n) of `a`.")
    .sets(&[("type", Slot::Type, B32_B64)])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type))])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .lower(lower)
    .shown(&[("brev.b32 d, a", &[0xd])])
    .examples(&["brev.b32 d, a;"]);

fn spec(i: &Inst, &[a, ..]: &Args, trace: &mut Trace) -> Bits {
    let msb = u128::from(i.ty(Slot::Type).bits - 1);
    trace.noted("msb", None, msb as i128, || "d[i] = a[msb - i]".into());
    (0..=msb).fold(0, |d, n| {
        if bit(a, msb - n) == 1 {
            trace.noted("d", Some(n as u32), 1, || format!("bit {} of a", msb - n));
        }
        d | bit(a, msb - n) << n
    })
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let d = e.brev(a);
    e.done(d)
}
