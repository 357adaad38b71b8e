//! `bfi`: put a bit field into an integer.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.20", &["bfi"], &[line("bfi.type f, a, b, c, d")], Meaning::Stages(spec))
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
    .ptxas(Meaning::Stages(spec_ptxas))
    .lower(|i, e| lower(i, e, 0xff))
    .ptxas_lower(|i, e| lower(i, e, u32::MAX))
    .shown(&[("bfi.b32 f, a, b, c, d", &[0xab, 0xffff_ffff, 8, 12])])
    .examples(&["bfi.b32 d, a, b, start, len;"])
    .errata(&[erratum(
        "restricts position and length to 0..255 in its text, and masks them to 8 bits in its pseudo-code",
        "masks them to 8 bits",
    )
    .ptxas("does not mask them in `.b64`: values above 255 lie outside the number")
    .concerns(|i| i.ty(Slot::Type).bits == 64)
    .arises(|_, &[_, _, b, c, ..]| b > 255 || c > 255)]);

fn spec(i: &Inst, &[a, b, c, d, ..]: &Args, trace: &mut Trace) -> Bits {
    insert(i.ty(Slot::Type), a, b, c & 0xff, d & 0xff, trace)
}

fn spec_ptxas(i: &Inst, &[a, b, c, d, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    let mask = if ty.bits == 64 { Bits::MAX } else { 0xff };
    insert(ty, a, b, c & mask, d & mask, trace)
}

fn insert(ty: Ty, a: Bits, b: Bits, pos: Bits, len: Bits, trace: &mut Trace) -> Bits {
    let msb = Bits::from(ty.bits - 1);
    for (name, value) in [("msb", msb), ("pos", pos), ("len", len)] {
        trace.step(name, value as i128);
    }
    let places = pos..(pos + len).min(msb + 1);
    let replaced = trace.pattern("replaced", places.clone().fold(0, |mask, n| mask | 1 << n), ty.bits);
    let moved = trace.pattern("a in place", places.fold(0, |moved, n| moved | bit(a, n - pos) << n), ty.bits);
    b & !replaced | moved
}

fn lower(i: &Inst, e: &mut Emit, mask: u32) -> Option<()> {
    let [a, b, c, d] = e.sources();
    let [pos, len] = [c, d].map(|n| masked(e, n, mask));
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
