//! `prmt`: choose four bytes out of eight.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.7", &["prmt"], &[line("prmt.b32{.mode} d, a, b, c")], Meaning::Spec(spec))
    .about("choose four bytes out of eight",
        "Numbers the bytes of `a` 0 to 3 and those of `b` 4 to 7. Without a mode, each of the low four hexadecimal digits \
         of `c` chooses a byte of the result by its low three bits; its top bit asks for eight copies of that byte's sign \
         instead. With a mode, the low two bits of `c` choose one of four fixed patterns.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[F4e, B4e, Rc8, Ecl, Ecr, Rc16]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type))])
    .since(Floor::new(2, 0, 20))
    .lower(lower)
    .examples(&["prmt.b32 r1, r2, r3, r4;", "prmt.b32.f4e r1, r2, r3, r4;", "prmt.b32 d, a, 0, 0x5410;"])
    .refused(&[("prmt.b32.f4e.rc8 d, a, b, c;", "one mode at a time")]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    let bytes = b << 32 | a;
    let n = (c & 3) as u32;
    let byte = |k: u32| {
        let (from, copy_sign) = match pattern(i[Slot::Mode], n, k) {
            Some(from) => (from, false),
            None => ((c >> (4 * k) & 7) as u32, bit(c, u128::from(4 * k + 3)) == 1),
        };
        let byte = bytes >> (8 * from) & 0xff;
        if copy_sign { bit(byte, 7) * 0xff } else { byte }
    };
    (0..4).fold(0, |d, k| d | byte(k) << (8 * k))
}

/// The byte that becomes byte `k` in pattern `n` of a mode; `None` without a mode.
fn pattern(mode: Word, n: u32, k: u32) -> Option<u32> {
    Some(match mode {
        F4e => n + k,
        B4e => n.wrapping_sub(k) & 7,
        Rc8 => n,
        Ecl => n.max(k),
        Ecr => n.min(k),
        Rc16 => (n & 1) * 2 + (k & 1),
        _ => return None,
    })
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let selection = if i.has(Slot::Mode) { lower_selection(i[Slot::Mode], e, c) } else { c };
    let d = e.permute(a, b, selection);
    e.done(d)
}

/// The digits that choose what a mode's pattern does: the four patterns are a table of half-words in two registers.
fn lower_selection(mode: Word, e: &mut Emit, c: Val) -> Val {
    let digits = |n| (0..4).fold(0, |all, k| all | pattern(mode, n, k).unwrap_or(k) << (4 * k));
    let [low, high] = [0, 2].map(|n| e.u32(digits(n) | digits(n + 1) << 16));
    let [three, step, first] = [3, 0x22, 0x10].map(|bits| e.u32(bits));
    let n = e.and(c, three);
    let place = e.mul_add(n, step, first);
    e.permute(low, high, place)
}
