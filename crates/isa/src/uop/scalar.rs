//! What single elements become: the operations that Rust has no name for, written once for every engine.

/// `a << n`, 0 from 32 on.
#[inline(always)]
pub fn shl32(a: u32, n: u32) -> u32 {
    if n > 31 { 0 } else { a << n }
}

/// `a >> n` without sign, 0 from 32 on.
#[inline(always)]
pub fn shr32(a: u32, n: u32) -> u32 {
    if n > 31 { 0 } else { a >> n }
}

/// `a >> n` with sign.
#[inline(always)]
pub fn sar32(a: u32, n: u32) -> u32 {
    (a as i32 >> n.min(31)) as u32
}

/// `a << n`, 0 from 64 on.
#[inline(always)]
pub fn shl64(a: u64, n: u32) -> u64 {
    if n > 63 { 0 } else { a << n }
}

/// `a >> n` without sign, 0 from 64 on.
#[inline(always)]
pub fn shr64(a: u64, n: u32) -> u64 {
    if n > 63 { 0 } else { a >> n }
}

/// `a >> n` with sign.
#[inline(always)]
pub fn sar64(a: u64, n: u32) -> u64 {
    (a as i64 >> n.min(63)) as u64
}

/// The high half of a product without sign.
#[inline(always)]
pub fn mul_high_u32(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// The high half of a product with sign.
#[inline(always)]
pub fn mul_high_s32(a: u32, b: u32) -> u32 {
    ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
}

/// The high half of a product without sign.
#[inline(always)]
pub fn mul_high_u64(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// The high half of a product with sign.
#[inline(always)]
pub fn mul_high_s64(a: u64, b: u64) -> u64 {
    ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
}

/// The product of two numbers without sign.
#[inline(always)]
pub fn mul_wide_u(a: u32, b: u32) -> u64 {
    u64::from(a) * u64::from(b)
}

/// The product of two numbers with sign.
#[inline(always)]
pub fn mul_wide_s(a: u32, b: u32) -> u64 {
    (i64::from(a as i32) * i64::from(b as i32)) as u64
}

/// `a / b` without sign; all ones if `b` is 0.
#[inline(always)]
pub fn div_u32(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or(u32::MAX)
}

/// `a / b` with sign; all ones if `b` is 0.
#[inline(always)]
pub fn div_s32(a: u32, b: u32) -> u32 {
    if b == 0 { u32::MAX } else { (a as i32).wrapping_div(b as i32) as u32 }
}

/// The remainder without sign; all ones if `b` is 0.
#[inline(always)]
pub fn rem_u32(a: u32, b: u32) -> u32 {
    a.checked_rem(b).unwrap_or(u32::MAX)
}

/// The remainder with the sign of `a`; all ones if `b` is 0.
#[inline(always)]
pub fn rem_s32(a: u32, b: u32) -> u32 {
    if b == 0 { u32::MAX } else { (a as i32).wrapping_rem(b as i32) as u32 }
}

/// `a / b` without sign; all ones if `b` is 0.
#[inline(always)]
pub fn div_u64(a: u64, b: u64) -> u64 {
    a.checked_div(b).unwrap_or(u64::MAX)
}

/// `a / b` with sign; all ones if `b` is 0.
#[inline(always)]
pub fn div_s64(a: u64, b: u64) -> u64 {
    if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 }
}

/// The remainder without sign; all ones if `b` is 0.
#[inline(always)]
pub fn rem_u64(a: u64, b: u64) -> u64 {
    a.checked_rem(b).unwrap_or(u64::MAX)
}

/// The remainder with the sign of `a`; all ones if `b` is 0.
#[inline(always)]
pub fn rem_s64(a: u64, b: u64) -> u64 {
    if b == 0 { u64::MAX } else { (a as i64).wrapping_rem(b as i64) as u64 }
}

/// `length` bits from `position` on, the highest of them above.
#[inline(always)]
pub fn extract_s32(a: u32, position: u8, length: u8) -> u32 {
    ((a << (32 - position - length)) as i32 >> (32 - length)) as u32
}

/// `length` bits from `position` on, zeros above.
#[inline(always)]
pub fn extract_u32(a: u32, position: u8, length: u8) -> u32 {
    a << (32 - position - length) >> (32 - length)
}

/// `length` bits from `position` on, the highest of them above.
#[inline(always)]
pub fn extract_s64(a: u64, position: u8, length: u8) -> u64 {
    ((a << (64 - position - length)) as i64 >> (64 - length)) as u64
}

/// `length` bits from `position` on, zeros above.
#[inline(always)]
pub fn extract_u64(a: u64, position: u8, length: u8) -> u64 {
    a << (64 - position - length) >> (64 - length)
}

/// The bitwise function of a table with eight bits.
#[inline(always)]
pub fn lop3(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let term = |row: u8| {
        let pick = |x: u32, at: u8| if row >> at & 1 == 1 { x } else { !x };
        if table >> row & 1 == 1 { pick(a, 2) & pick(b, 1) & pick(c, 0) } else { 0 }
    };
    term(0) | term(1) | term(2) | term(3) | term(4) | term(5) | term(6) | term(7)
}

/// The high half of `high:low` shifted left by `n` modulo 32.
#[inline(always)]
pub fn funnel_left(low: u32, high: u32, n: u32) -> u32 {
    // One bit first, so that no amount is 32.
    high << (n & 31) | low >> 1 >> (31 - (n & 31))
}

/// The low half of `high:low` shifted right by `n` modulo 32.
#[inline(always)]
pub fn funnel_right(low: u32, high: u32, n: u32) -> u32 {
    low >> (n & 31) | high << 1 << (31 - (n & 31))
}

/// Four bytes out of `b:a`, each chosen by a nibble of `selection`, whose bit 3 spreads the byte's sign.
#[inline(always)]
pub fn permute(a: u32, b: u32, selection: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let one = |k: u32| {
        let nibble = selection >> (4 * k);
        let byte = (bytes >> (8 * (nibble & 7))) as u8;
        let byte = if nibble & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 };
        u32::from(byte) << (8 * k)
    };
    one(0) | one(1) | one(2) | one(3)
}

/// A mask: all ones or 0.
#[inline(always)]
pub fn ones8(condition: bool) -> u8 {
    if condition { u8::MAX } else { 0 }
}

/// A mask: all ones or 0.
#[inline(always)]
pub fn ones16(condition: bool) -> u16 {
    if condition { u16::MAX } else { 0 }
}

/// Half of a sum, rounded up.
#[inline(always)]
pub fn avg_u8(a: u8, b: u8) -> u8 {
    ((u16::from(a) + u16::from(b) + 1) >> 1) as u8
}

/// Half of a sum with sign, rounded away from zero.
#[inline(always)]
pub fn avg_s8(a: u8, b: u8) -> u8 {
    let sum = i16::from(a as i8) + i16::from(b as i8);
    ((sum + i16::from(sum >= 0)) >> 1) as u8
}

/// Half of a sum, rounded up.
#[inline(always)]
pub fn avg_u16(a: u16, b: u16) -> u16 {
    ((u32::from(a) + u32::from(b) + 1) >> 1) as u16
}

/// Half of a sum with sign, rounded away from zero.
#[inline(always)]
pub fn avg_s16(a: u16, b: u16) -> u16 {
    let sum = i32::from(a as i16) + i32::from(b as i16);
    ((sum + i32::from(sum >= 0)) >> 1) as u16
}

/// A byte with or without sign.
#[inline(always)]
fn byte(x: u32, k: u32, signed: bool) -> u32 {
    let byte = (x >> (8 * k)) as u8;
    if signed { byte as i8 as u32 } else { u32::from(byte) }
}

/// A half-word with or without sign.
#[inline(always)]
fn half(x: u32, k: u32, signed: bool) -> u32 {
    let half = (x >> (16 * k)) as u16;
    if signed { half as i16 as u32 } else { u32::from(half) }
}

/// The products of bytes, summed, plus `c`; whether the bytes of `a` and of `b` have signs.
#[inline(always)]
pub fn dot_bytes(signed: (bool, bool), a: u32, b: u32, c: u32) -> u32 {
    let product = |k| byte(a, k, signed.0).wrapping_mul(byte(b, k, signed.1));
    c.wrapping_add(product(0)).wrapping_add(product(1)).wrapping_add(product(2)).wrapping_add(product(3))
}

/// The products of half-words, summed, plus `c`; whether the half-words of `a` and of `b` have signs.
#[inline(always)]
pub fn dot_halves(signed: (bool, bool), a: u32, b: u32, c: u32) -> u32 {
    let product = |k| half(a, k, signed.0).wrapping_mul(half(b, k, signed.1));
    c.wrapping_add(product(0)).wrapping_add(product(1))
}

/// The absolute differences of bytes, summed, plus `c`.
#[inline(always)]
pub fn abs_diff_bytes(signed: bool, a: u32, b: u32, c: u32) -> u32 {
    let difference = |k| (byte(a, k, signed) as i32).abs_diff(byte(b, k, signed) as i32);
    c.wrapping_add(difference(0))
        .wrapping_add(difference(1))
        .wrapping_add(difference(2))
        .wrapping_add(difference(3))
}
