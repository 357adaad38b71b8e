//! `bmsk`: a mask of so many ones from a bit upwards.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.22", &["bmsk"], &[line("bmsk.mode.b32 d, a, b")], Meaning::Stages(spec))
    .about("make a bit-field mask",
        "`b` ones from bit `a` upwards, cut to 32 bits. `.clamp` takes values above 32 as 32, `.wrap` takes both modulo \
         32.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Clamp, Wrap]))])
    .operands(&[dst("d", Is(U32)), src("a b", Is(U32))])
    .since(Floor::new(7, 6, 70))
    .order(Order::Free)
    .lower(lower)
    .shown(&[("bmsk.clamp.b32 d, a, b", &[4, 8])])
    .examples(&["bmsk.clamp.b32 rd, ra, rb;", "bmsk.wrap.b32 rd, 1, 2;"]);

fn spec(i: &Inst, &[a, b, ..]: &Args, trace: &mut Trace) -> Bits {
    let clamp = i[Slot::Mode] == Clamp;
    let (a1, b1) = (a & 0x1f, b & 0x1f);
    trace.step("a1", a1 as i128);
    trace.step("b1", b1 as i128);
    let sum = trace.step("sum", (a1 + b1) as i128);
    let (beyond, overlong) = (clamp && a >= 32, clamp && b >= 32);
    let mask0 = trace.pattern("mask0", if beyond { 0 } else { 0xffff_ffff << a1 & 0xffff_ffff }, 32);
    let mask1 = match sum >= 32 || beyond || overlong {
        true => 0,
        false => 0xffff_ffff << sum & 0xffff_ffff,
    };
    mask0 & !trace.pattern("mask1", mask1, 32)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources().map(|n| if i[Slot::Mode] == Wrap { masked(e, n, 31) } else { n });
    let field = ones(e, Type::U32, b);
    let d = e.shl(field, a);
    e.done(d)
}
