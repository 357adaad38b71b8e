//! `shr`: shift right, filling with zeros or copies of the sign.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.8.9", &["shr"], &[line("shr.type d, a, b")], Meaning::Spec(spec))
    .about("shift right",
        "`a` shifted right by `b` bits; signed types fill with copies of the sign, others with zeros. Amounts above the \
         width count as the width.")
    .sets(&[("type", Slot::Type, Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)), src("b", Is(U32))])
    .examples(&["shr.u16 c, a, 2;", "shr.s32 i, i, 1;", "shr.b16 k, i, j;"]);

fn spec(i: &Inst, &[a, b, ..]: &Args) -> Bits {
    let ty = i.ty(Slot::Type);
    ty.wrap(ty.value(a) >> b.min(ty.bits.into()))
}
