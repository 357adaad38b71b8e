//! `szext`: extend an N-bit number to 32 bits.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.21", &["szext"], &[line("szext.mode.type d, a, b")], Meaning::Stages(spec))
    .about("sign- or zero-extend an N-bit number",
        "The low `b` bits of `a`, extended to 32: with zeros for `.u32`, with their highest bit for `.s32`. No bits give \
         0. If `b` is 32 or more, `.clamp` gives `a` itself and `.wrap` takes `b` modulo 32.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Clamp, Wrap])), ("type", Slot::Type, U32_S32)])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)), src("b", Is(U32))])
    .since(Floor::new(7, 6, 70))
    .order(Order::Free)
    .lower(lower)
    .shown(&[("szext.clamp.s32 d, a, b", &[0x9c, 8])])
    .examples(&["szext.clamp.s32 rd, ra, rb;", "szext.wrap.u32 rd, 0xffffffff, 0;"])
    .errata(&[erratum(
        "ends its pseudo-code with `sign_bit ? mask | 0`, a choice without its second half",
        "reads `sign_bit ? mask : 0`",
    )
    .concerns(|_| false)]);

fn spec(i: &Inst, &[a, b, ..]: &Args, trace: &mut Trace) -> Bits {
    let b1 = trace.step("b1", (b & 0x1f) as i128);
    let too_large = b >= 32 && i[Slot::Mode] == Clamp;
    trace.step("too_large", too_large.into());
    let mask = trace.pattern("mask", if too_large { 0 } else { 0xffff_ffff << b1 & 0xffff_ffff }, 32);
    let sign_pos = trace.step("sign_pos", (b1 - 1) & 0x1f);
    let extends = b1 != 0 && !too_large && i[Slot::Type] == S32;
    let sign_bit = trace.step("sign_bit", (extends && bit(a, sign_pos as u128) == 1).into());
    a & !mask | if sign_bit == 1 { mask } else { 0 }
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
