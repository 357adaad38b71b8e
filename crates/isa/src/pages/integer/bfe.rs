//! `bfe`: take a bit field out of an integer.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.19", &["bfe"], &[line("bfe.type d, a, b, c")], Meaning::Stages(spec))
    .about("extract a bit field",
        "The field of `c` bits that starts at bit `b` of `a`, moved down to bit 0 and extended to the type's \
         width: with zeros for unsigned types, with its own highest bit for signed ones (with the highest \
         bit of `a` if the field extends beyond it). A field of no bits is 0. Only the low 8 bits of `b` and \
         `c` are used.")
    .sets(&[("type", Slot::Type, Set::Of(&[U32, U64, S32, S64]))])
    .operands(&[
        dst("d", Of(Slot::Type)),
        src("a", Of(Slot::Type)),
        src("b c", Is(U32)).constants(Immediate::Range(0, 255)),
    ])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .ptxas(Meaning::Stages(spec_ptxas))
    .lower(|i, e| lower(i, e, 0xff))
    .ptxas_lower(|i, e| lower(i, e, u32::MAX))
    .shown(&[("bfe.s32 d, a, b, c", &[0xf50, 4, 8])])
    .examples(&["bfe.u32 d, a, start, len;", "bfe.s64 d, a, start, len;"])
    .refused(&[("bfe.b32 d, a, start, len;", "the manual's example has a type that its own syntax does not list")])
    .errata(&[
        erratum("its example is `bfe.b32`, a type that its syntax does not list", "refuses it, as ptxas does")
            .concerns(|_| false),
        erratum(
            "restricts position and length to 0..255 in its text, and masks them to 8 bits in its pseudo-code",
            "masks them to 8 bits",
        )
        .ptxas("does not mask them in the 64-bit types: values above 255 lie outside the number")
        .concerns(|i| i.ty(Slot::Type).bits == 64)
        .arises(|_, &[_, b, c, ..]| b > 255 || c > 255),
    ]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    field(i.ty(Slot::Type), a, b & 0xff, c & 0xff, trace)
}

fn spec_ptxas(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    let mask = if ty.bits == 64 { Bits::MAX } else { 0xff };
    field(ty, a, b & mask, c & mask, trace)
}

fn field(ty: Ty, a: Bits, pos: Bits, len: Bits, trace: &mut Trace) -> Bits {
    let msb = Bits::from(ty.bits - 1);
    let sbit = if !ty.signed() || len == 0 { 0 } else { bit(a, (pos + len - 1).min(msb)) };
    for (name, value) in [("msb", msb), ("pos", pos), ("len", len), ("sbit", sbit)] {
        trace.step(name, value as i128);
    }
    (0..=msb).fold(0, |d, n| d | if n < len && pos + n <= msb { bit(a, pos + n) } else { sbit } << n)
}

fn lower(i: &Inst, e: &mut Emit, mask: u32) -> Option<()> {
    let ty = i.ty(Slot::Type);
    let [a, b, c] = e.sources();
    let [pos, len] = [b, c].map(|n| masked(e, n, mask));
    let d = match (e.known(pos), e.known(len)) {
        (Some(pos), Some(len)) => lower_constant(e, ty, a, pos as u32, len as u32),
        _ => {
            let moved = e.shr(ty.signed(), a, pos);
            if ty.signed() { signed_low_bits(e, ty.bits, moved, len) } else { low_bits(e, moved, len) }
        }
    };
    e.done(d)
}

/// A field that begins beyond the number is full of copies of the sign.
fn lower_constant(e: &mut Emit, ty: Ty, a: Val, pos: u32, len: u32) -> Val {
    if pos >= ty.bits && !ty.signed() {
        return e.constant(e.ty(a), 0);
    }
    let pos = pos.min(ty.bits - 1);
    e.extract(ty.signed(), a, pos, len.min(ty.bits - pos))
}
