//! `shl`: shift left, filling with zeros.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.8.8", &["shl"], &[line("shl.type d, a, b")], Meaning::Spec(spec))
    .about("shift left", "`a` shifted left by `b` bits, zeros coming in; amounts above the width count as the width.")
    .sets(&[("type", Slot::Type, Set::Of(&[B16, B32, B64]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)), src("b", Is(U32))])
    .lower(lower)
    .examples(&["shl.b32 q, a, 2;", "shl.b64 d, a, n;"])
    .refused(&[("shl.u32 d, a, b;", "shifting left is on untyped bits")]);

fn spec(i: &Inst, &[a, b, ..]: &Args) -> Bits {
    let ty = i.ty(Slot::Type);
    a << b.min(ty.bits.into()) & ty.mask()
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let shifted = e.shl(a, b);
    let d = cut(e, i.ty(Slot::Type), shifted);
    e.done(d)
}
