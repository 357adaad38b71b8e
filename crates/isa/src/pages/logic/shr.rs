//! `shr`: shift right, filling with zeros or copies of the sign.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.8.9", &["shr"], &[line("shr.type d, a, b")], Meaning::Spec(spec))
    .about("shift right",
        "`a` shifted right by `b` bits; signed types fill with copies of the sign, others with zeros. Amounts above the \
         width count as the width.")
    .sets(&[("type", Slot::Type, Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)), src("b", Is(U32))])
    .lower(lower)
    .examples(&["shr.u16 c, a, 2;", "shr.s32 i, i, 1;", "shr.b16 k, i, j;"]);

fn spec(i: &Inst, &[a, b, ..]: &Args) -> Bits {
    let ty = i.ty(Slot::Type);
    ty.wrap(ty.value(a) >> b.min(ty.bits.into()))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let ty = i.ty(Slot::Type);
    let d = match e.known(b) {
        _ if !ty.signed() || ty.bits > 16 => e.shr(ty.signed(), a, b),
        Some(n) => {
            let from = n.min(15) as u32;
            let field = e.extract(true, a, from, 16 - from);
            cut(e, ty, field)
        }
        None => {
            let number = extended(e, ty, a);
            let shifted = e.shr(true, number, b);
            cut(e, ty, shifted)
        }
    };
    e.done(d)
}
