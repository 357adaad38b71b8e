//! `bmsk`: a mask of so many ones from a bit upwards.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.22", &["bmsk"], &[line("bmsk.mode.b32 d, a, b")], Meaning::Spec(spec))
    .about("make a bit-field mask",
        "`b` ones from bit `a` upwards, cut to 32 bits. `.clamp` takes values above 32 as 32, `.wrap` takes both modulo \
         32.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Clamp, Wrap]))])
    .operands(&[dst("d", Is(U32)), src("a b", Is(U32))])
    .since(Floor::new(7, 6, 70))
    .order(Order::Free)
    .lower(lower)
    .examples(&["bmsk.clamp.b32 rd, ra, rb;", "bmsk.wrap.b32 rd, 1, 2;"]);

fn spec(i: &Inst, &[a, b, ..]: &Args) -> Bits {
    let cut = |n: Bits| if i[Slot::Mode] == Wrap { n & 31 } else { n.min(32) };
    ((1 << cut(b)) - 1) << cut(a) & 0xffff_ffff
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources().map(|n| if i[Slot::Mode] == Wrap { masked(e, n, 31) } else { n });
    let field = ones(e, Type::U32, b);
    let d = e.shl(field, a);
    e.done(d)
}
