//! `szext`: extend an N-bit number to 32 bits.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.21", &["szext"], &[line("szext.mode.type d, a, b")], Meaning::Spec(spec))
    .about("sign- or zero-extend an N-bit number",
        "The low `b` bits of `a`, extended to 32: with zeros for `.u32`, with their highest bit for `.s32`. No bits give \
         0. If `b` is 32 or more, `.clamp` gives `a` itself and `.wrap` takes `b` modulo 32.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Clamp, Wrap])), ("type", Slot::Type, U32_S32)])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)), src("b", Is(U32))])
    .since(Floor::new(7, 6, 70))
    .order(Order::Free)
    .lower(lower)
    .examples(&["szext.clamp.s32 rd, ra, rb;", "szext.wrap.u32 rd, 0xffffffff, 0;"])
    .errata(&[Erratum {
        manual: "ends its pseudo-code with `sign_bit ? mask | 0`, a choice without its second half",
        margay: "reads `sign_bit ? mask : 0`",
        ptxas: None,
        concerns: |_| false,
    }]);

fn spec(i: &Inst, &[a, b, ..]: &Args) -> Bits {
    let n = if i[Slot::Mode] == Wrap { b & 31 } else { b };
    match n {
        0 => 0,
        32.. => a,
        n => {
            let ty = i.ty(Slot::Type);
            ty.wrap(ty.with_bits(n as u32).value(a))
        }
    }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let n = if i[Slot::Mode] == Wrap { masked(e, b, 31) } else { b };
    let signed = i.ty(Slot::Type).signed();
    let d = match e.known(n) {
        Some(n) => e.extract(signed, a, 0, n.min(32) as u32),
        None if signed => signed_low_bits(e, 32, a, n),
        None => low_bits(e, a, n),
    };
    e.done(d)
}
