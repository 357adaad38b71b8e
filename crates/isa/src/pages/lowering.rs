//! What lowerings to micro-ops share: numbers narrower than 32 bits, packed elements, ranges.

use crate::prelude::*;

/// A number of a type with its sign in all of its 32 or 64 bits, so that it can be compared, shifted and widened.
pub fn extended(e: &mut Emit, ty: Ty, v: Val) -> Val {
    if ty.signed() && ty.bits < 32 { e.extract(true, v, 0, ty.bits) } else { v }
}

/// The low bits of a result, as many as the type has.
pub fn cut(e: &mut Emit, ty: Ty, v: Val) -> Val {
    if ty.bits < 32 { e.extract(false, v, 0, ty.bits) } else { v }
}

/// An operation on packed elements of 8 or 16 bits; of the two, the first is for types without sign.
///
/// A number of 16 bits is one element beside zeros, which operations other than equality leave zero.
pub fn packed(e: &mut Emit, ty: Ty, (unsigned, signed): (Packed, Packed), a: Val, b: Val) -> Val {
    let op = if ty.signed() { signed } else { unsigned };
    if ty.bits == 8 { e.bytes(op, a, b) } else { e.halves(op, a, b) }
}

/// The number of type `to` that is nearest to one of type `from`, in the width of `from`.
pub fn clamped(e: &mut Emit, v: Val, from: Ty, to: Ty) -> Val {
    let ty = e.ty(v);
    let mut nearest = v;
    if from.min() < to.min() {
        let least = e.constant(ty, to.min() as u64);
        nearest = e.max(true, nearest, least);
    }
    if from.max() > to.max() {
        let greatest = e.constant(ty, to.max() as u64);
        nearest = e.min(from.signed(), nearest, greatest);
    }
    nearest
}

/// The sum of two 32-bit numbers with or without sign, clamped.
pub fn clamped_sum(e: &mut Emit, signed: bool, a: Val, b: Val) -> Val {
    if !signed {
        let room = e.not(a);
        let addend = e.min(false, b, room);
        return e.add(a, addend);
    }
    let sum = e.add(a, b);
    // The sign is wrong if it differs from both signs: a == b, a != sum.
    let wrong = e.lop3(0x42, a, b, sum);
    nearest_limit(e, wrong, a, sum)
}

/// The difference of two 32-bit numbers with sign, clamped.
pub fn clamped_difference(e: &mut Emit, a: Val, b: Val) -> Val {
    let difference = e.sub(a, b);
    // The sign is wrong if that of `a` differs from both: a != b, a != difference.
    let wrong = e.lop3(0x18, a, b, difference);
    nearest_limit(e, wrong, a, difference)
}

/// `result`; where the highest bit of `wrong` is set, the limit that `a`'s sign names.
fn nearest_limit(e: &mut Emit, wrong: Val, a: Val, result: Val) -> Val {
    let zero = e.u32(0);
    let wrong = e.lt(true, wrong, zero);
    let sign = e.shr_by(true, a, 31);
    let greatest = e.u32(i32::MAX as u32);
    let limit = e.xor(sign, greatest);
    e.select(wrong, limit, result)
}

/// The exponent of a known power of two without sign.
pub fn power_of_two(e: &Emit, ty: Ty, v: Val) -> Option<u32> {
    e.known(v).filter(|n| !ty.signed() && n.is_power_of_two()).map(u64::trailing_zeros)
}

/// The low bits of a value, as many as the amount says; all of them from the width on.
pub fn low_bits(e: &mut Emit, v: Val, n: Val) -> Val {
    let ones = e.constant(e.ty(v), u64::MAX);
    let above = e.shl(ones, n);
    e.and_not(v, above)
}

/// The same, with copies of the highest of those bits above them.
pub fn signed_low_bits(e: &mut Emit, width: u32, v: Val, n: Val) -> Val {
    let width = e.u32(width);
    let within = e.min(false, n, width);
    let unused = e.sub(width, within);
    let top = e.shl(v, unused);
    e.shr(true, top, unused)
}

/// So many low ones; all of them from the width on.
pub fn ones(e: &mut Emit, ty: Type, n: Val) -> Val {
    let (one, all) = (e.constant(ty, 1), e.constant(ty, u64::MAX));
    let power = e.shl(one, n);
    e.add(power, all)
}

/// The low bits of an amount: as many as the mask has.
pub fn masked(e: &mut Emit, n: Val, mask: u32) -> Val {
    let mask = e.u32(mask);
    e.and(n, mask)
}
