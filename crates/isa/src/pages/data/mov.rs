//! `mov`: copy a value, pack several into one, or take one apart.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.3", &["mov"], &[
    line("mov.type d, a"),
    line("mov.halved d, {a.x, a.y}"),
    line("mov.quartered d, {a.x, a.y, a.z, a.w}"),
    line("mov.halved {d.x, d.y}, a"),
    line("mov.quartered {d.x, d.y, d.z, d.w}, a"),
], Meaning::Many(spec))
    .about("copy, pack or unpack a value",
        "Copies a register, a special register, a constant or the address of a variable or function. With a vector as \
         source its elements are joined, the first in the low bits; with one as destination the value is cut into as \
         many equal parts.")
    .sets(&[
        ("type", Slot::Type, Set::Of(&[Pred, B16, B32, B64, B128, U16, U32, U64, S16, S32, S64, F32, F64])),
        ("halved", Slot::Type, Set::Of(&[B16, B32, B64, B128])),
        ("quartered", Slot::Type, Set::Of(&[B32, B64, B128])),
    ])
    .operands(&[
        dst("d", Of(Slot::Type)),
        src("a", Of(Slot::Type)).constants(Immediate::Number).special().symbol(),
        dst("d.x", By(part)).sink(),
        src("a.x", By(part)).constants(Immediate::Number).special().symbol(),
    ])
    .word_floors(&[(B128, Floor::new(8, 3, 70))])
    .part(|i| (parts(i) == 1).then_some(Part::Copy))
    .lower(lower)
    .examples(&[
        "mov.f32 d, a;", "mov.u16 u, v;", "mov.u32 ptr, A;", "mov.u32 r, %tid.x;", "mov.pred p, 1;", "mov.b32 r, 0;",
        "mov.b64 {lo, hi}, r;", "mov.b32 r, {a, b};", "mov.b32 {r, g, b, a}, x;", "mov.b64 {_, hi}, r;",
    ])
    .refused(&[
        ("mov.b16 {r, g, b, a}, x;", "elements of four bits"),
        ("mov.u32 {a, b}, r;", "only untyped values are taken apart"),
        ("mov.b64 {a, b}, {c, d};", "one side is a vector"),
    ]);

/// How many parts the vector of the syntax line has; 1 if it has none.
fn parts(i: &Inst) -> u32 {
    i.line().operands.iter().map(|t| t.elements as u32).max().unwrap_or(0).max(1)
}

fn part(i: &Inst) -> Ty {
    let ty = i.ty(Slot::Type);
    ty.with_bits(ty.bits / parts(i))
}

fn spec(i: &Inst, args: &Args, results: &mut [Bits]) {
    let part = part(i);
    let unpacked = i.line().operands[0].elements > 0;
    if unpacked {
        for (k, result) in (0..).zip(results) {
            *result = args[0] >> (k * part.bits) & part.mask();
        }
    } else {
        let shares = (0..parts(i)).zip(args);
        results[0] = shares.fold(0, |d, (k, a)| d | (a & part.mask()) << (k * part.bits));
    }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let ty = i.ty(Slot::Type);
    if ty.bits > 64 {
        return None;
    }
    let bits = part(i).bits;
    if i.line().operands[0].elements > 0 {
        let whole = e.source(0);
        for k in 0..parts(i) {
            let element = lower_part(e, whole, k * bits, bits);
            e.result(element);
        }
        return Some(());
    }
    let shares: Vec<Val> = (0..e.source_count()).map(|k| e.source(k)).collect();
    let d = match *shares.as_slice() {
        [low, high] => joined(e, bits, low, high),
        [x, y, z, w] => {
            let (low, high) = (joined(e, bits, x, y), joined(e, bits, z, w));
            joined(e, 2 * bits, low, high)
        }
        _ => shares[0],
    };
    e.done(d)
}

fn lower_part(e: &mut Emit, whole: Val, at: u32, bits: u32) -> Val {
    if e.ty(whole) != Type::U64 {
        return e.extract(false, whole, at, bits);
    }
    let word = if at < 32 { e.low(whole) } else { e.high(whole) };
    e.extract(false, word, at % 32, bits)
}

/// Two values of so many bits as one, the first in the low bits.
fn joined(e: &mut Emit, bits: u32, low: Val, high: Val) -> Val {
    match bits {
        32 => e.pack(low, high),
        16 => e.permute_by(low, high, 0x5410),
        _ => e.permute_by(low, high, 0x1140),
    }
}
