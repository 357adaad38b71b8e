//! `cvt.pack`: convert two integers and pack them.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.22", &["cvt"], &[
    line("cvt.pack.sat.half.s32 d, a, b"),
    line("cvt.pack.sat.part.s32.b32 d, a, b, c"),
], Meaning::Spec(spec))
    .about("convert two integers and pack them",
        "Clamps `a` and `b` to the range of the destination type and packs them, `a` above `b`; if `c` is \
         given, it is shifted up to make room for them.")
    .sets(&[
        ("half", Slot::DType, Set::Of(&[U16, S16])),
        ("part", Slot::DType, Set::Of(&[U2, S2, U4, S4, U8, S8])),
        ("s32", Slot::AType, Set::Of(&[S32])),
        ("b32", Slot::BType, Set::Of(&[B32])),
    ])
    .operands(&[dst("d", Is(U32)), src("a b", AtLeast(Slot::AType)), src("c", AtLeast(Slot::BType))])
    .since(Floor::new(6, 5, 72))
    .word_floors(&[
        (U2, Floor::new(6, 5, 75)), (S2, Floor::new(6, 5, 75)), (U4, Floor::new(6, 5, 75)), (S4, Floor::new(6, 5, 75)),
    ])
    .order(Order::AsPrinted)
    .lower(lower)
    .examples(&["cvt.pack.sat.s16.s32 d, a, b;", "cvt.pack.sat.u4.s32.b32 d, a, b, c;"])
    .refused(&[("cvt.pack.s16.s32 d, a, b;", "`.sat` is always written")]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    let (to, from) = (i.ty(Slot::DType), i.ty(Slot::AType));
    let [a, b] = [a, b].map(|value| to.wrap(to.clamp(from.value(value))));
    (c << (2 * to.bits) | a << to.bits | b) & 0xffff_ffff
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let (to, from) = (i.ty(Slot::DType), i.ty(Slot::AType));
    let [a, b] = e.sources().map(|v| clamped(e, v, from, to));
    let both = joined(e, to.bits, b, a);
    let d = if e.source_count() > 2 {
        let c = e.source(2);
        joined(e, 2 * to.bits, both, c)
    } else {
        both
    };
    e.done(d)
}

/// The lowest `bits` bits of `low`, those of `high` above them.
fn joined(e: &mut Emit, bits: u32, low: Val, high: Val) -> Val {
    match bits {
        8 => e.permute_by(low, high, 0x6540),
        16 => e.permute_by(low, high, 0x5410),
        _ => {
            let moved = e.shl_by(high, bits);
            let mask = e.u32((1 << bits) - 1);
            e.lop3(0xca, mask, low, moved)
        }
    }
}
