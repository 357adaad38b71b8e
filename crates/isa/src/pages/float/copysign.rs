//! `copysign`: the sign of one number on the magnitude of another.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.3.2", &["copysign"], &[line("copysign.type d, a, b")], Meaning::Spec(spec))
    .lower(lower)
    .about("copy a sign", "The magnitude of `b` with the sign of `a`.")
    .sets(&[("type", Slot::Type, Set::Of(&[F32, F64]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type)).constants(Immediate::Number)])
    .since(Floor::new(2, 0, 20))
    .shown(&[("copysign.f32 d, a, b", &[0xbf80_0000, 0x4040_0000])])
    .examples(&["copysign.f32 x, y, z;", "copysign.f64 A, B, C;"]);

fn spec(i: &Inst, &[a, b, ..]: &Args) -> Bits {
    let sign = 1 << (i.ty(Slot::Type).bits - 1);
    a & sign | b & !sign
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let ty = e.ty(a);
    let sign = e.constant(ty, (ty.mask() >> 1) + 1);
    let sign_of_a = e.and(a, sign);
    let size = e.and_not(b, sign);
    let d = e.or(sign_of_a, size);
    e.done(d)
}
