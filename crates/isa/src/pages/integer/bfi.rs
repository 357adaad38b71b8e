//! `bfi`: put a bit field into an integer.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.20", &["bfi"], &[line("bfi.type f, a, b, c, d")], Meaning::Spec(spec))
    .about("insert a bit field",
        "`b`, with its `d` bits from bit `c` upwards replaced by the low bits of `a`; what would lie above the highest \
         bit is dropped. Of `c` and `d` only the low 8 bits count.")
    .sets(&[("type", Slot::Type, B32_B64)])
    .operands(&[
        dst("f", Of(Slot::Type)),
        src("a b", Of(Slot::Type)),
        src("c d", Is(U32)).constants(Immediate::Range(0, 255)),
    ])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .ptxas(Meaning::Spec(spec_ptxas))
    .lower(lower)
    .examples(&["bfi.b32 d, a, b, start, len;"])
    .errata(&[Erratum {
        manual: "restricts position and length to 0..255 in its text, and masks them to 8 bits in its pseudo-code",
        margay: "masks them to 8 bits",
        ptxas: Some("does not mask them in `.b64`: values above 255 lie outside the number"),
        concerns: |i| i.ty(Slot::Type).bits == 64,
    }]);

fn spec(i: &Inst, &[a, b, c, d, ..]: &Args) -> Bits {
    insert(i.ty(Slot::Type), a, b, c & 0xff, d & 0xff)
}

fn spec_ptxas(i: &Inst, &[a, b, c, d, ..]: &Args) -> Bits {
    let ty = i.ty(Slot::Type);
    let mask = if ty.bits == 64 { Bits::MAX } else { 0xff };
    insert(ty, a, b, c & mask, d & mask)
}

fn insert(ty: Ty, a: Bits, b: Bits, pos: Bits, len: Bits) -> Bits {
    let width = Bits::from(ty.bits);
    (pos..(pos + len).min(width)).fold(b, |f, n| f & !(1 << n) | bit(a, n - pos) << n)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c, d] = e.sources();
    let [pos, len] = [c, d].map(|n| masked(e, n, 0xff));
    let field = ones(e, e.ty(a), len);
    let mask = e.shl(field, pos);
    let moved = e.shl(a, pos);
    let f = if i.ty(Slot::Type).bits == 32 {
        e.lop3(0xca, mask, moved, b)
    } else {
        let inside = e.and(moved, mask);
        let outside = e.and_not(b, mask);
        e.or(inside, outside)
    };
    e.done(f)
}
