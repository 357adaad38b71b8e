//! `shf`: shift a pair of registers and keep one of them.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.8.7", &["shf"], &[line("shf.dir.mode.b32 d, a, b, c")], Meaning::Spec(spec))
    .about("shift two registers as one",
        "Joins `b` (high) and `a` (low) to 64 bits. `.l` shifts them left and keeps the high half, `.r` right and keeps \
         the low half. Amounts are limited to 32 with `.clamp`, taken modulo 32 with `.wrap`.")
    .sets(&[("dir", Slot::Action, Set::Of(&[L, R])), ("mode", Slot::Mode, Set::Of(&[Clamp, Wrap]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type)), src("c", Is(U32))])
    .since(Floor::new(3, 1, 32))
    .order(Order::NameFirst(&[L, R]))
    .lower(lower)
    .examples(&["shf.l.clamp.b32 r1, r0, r0, 16;", "shf.r.wrap.b32 r4, r5, r6, r7;", "shf.l.b32.wrap r1, r0, r0, 16;"])
    .refused(&[("shf.l.b32 d, a, b, c;", "`.clamp` or `.wrap` must be named")]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    let n = if i[Slot::Mode] == Clamp { c.min(32) } else { c & 31 };
    let both = b << 32 | a;
    let shifted = if i[Slot::Action] == L { both << n >> 32 } else { both >> n };
    shifted & 0xffff_ffff
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let left = i[Slot::Action] == L;
    let shifted = if left { e.funnel_left(a, b, c) } else { e.funnel_right(a, b, c) };
    let d = if i[Slot::Mode] == Clamp {
        let greatest = e.u32(31);
        let within = e.le(false, c, greatest);
        e.select(within, shifted, if left { a } else { b })
    } else {
        shifted
    };
    e.done(d)
}
