//! Numbers with 128 significant bits: what series are summed in.

use super::exact::Exact;
use std::ops::{Add, Mul, Neg, Sub};

/// The number ±m·2^e. Of a number other than 0 the highest bit of `m` is set.
///
/// Every operation cuts off less than 2^-126 of its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide {
    pub negative: bool,
    pub m: u128,
    pub e: i32,
}

impl Wide {
    pub const ZERO: Wide = Wide { negative: false, m: 0, e: 0 };
    pub const ONE: Wide = Wide { negative: false, m: 1 << 127, e: -127 };

    /// The number ±m·2^e of any `m`.
    pub fn new(negative: bool, m: u128, e: i32) -> Wide {
        match m.leading_zeros() {
            128 => Wide::ZERO,
            zeros => Wide { negative, m: m << zeros, e: e - zeros as i32 },
        }
    }

    /// A number of which nothing is left out.
    pub fn of(exact: Exact) -> Wide {
        Wide::new(exact.negative, exact.m, exact.e)
    }

    /// The number, not 0 and known not to be one with few bits, for rounding.
    pub fn endless(self) -> Exact {
        Exact { negative: self.negative, m: self.m, e: self.e, more: true }
    }

    /// The same size without the sign.
    pub fn size(self) -> Wide {
        Wide { negative: false, ..self }
    }

    /// The number times 2^k.
    pub fn scaled(self, k: i32) -> Wide {
        Wide { e: self.e + k, ..self }
    }

    /// The quotient by a small number.
    pub fn over_small(self, n: u64) -> Wide {
        let n = u128::from(n);
        let (m, rest) = (self.m / n, self.m % n);
        let zeros = m.leading_zeros();
        Wide::new(self.negative, (m << zeros) + (rest << zeros) / n, self.e - zeros as i32)
    }

    /// The quotient by a number other than 0.
    pub fn over(self, other: Wide) -> Wide {
        let (mut rest, mut m) = (self.m, 0_u128);
        let first = rest >= other.m;
        if first {
            rest -= other.m;
        }
        for _ in 0..127 {
            let carry = rest >> 127 == 1;
            rest <<= 1;
            m <<= 1;
            if carry || rest >= other.m {
                rest = rest.wrapping_sub(other.m);
                m |= 1;
            }
        }
        Wide::new(self.negative != other.negative, m | u128::from(first) << 127, self.e - other.e - 127)
    }
}

/// The upper and the lower half of a product.
pub(super) fn product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (low, middle, other) = (a0 * b0, a1 * b0, a0 * b1);
    let carry = (low >> 64) + (middle & LOW) + (other & LOW);
    (a1 * b1 + (middle >> 64) + (other >> 64) + (carry >> 64), carry << 64 | low & LOW)
}

impl Mul for Wide {
    type Output = Wide;

    fn mul(self, other: Wide) -> Wide {
        let (high, low) = product(self.m, other.m);
        let zeros = high.leading_zeros();
        let m = if zeros == 1 { high << 1 | low >> 127 } else { high };
        Wide::new(self.negative != other.negative, m, self.e + other.e + 128 - i32::from(zeros == 1))
    }
}

impl Neg for Wide {
    type Output = Wide;

    fn neg(self) -> Wide {
        Wide { negative: !self.negative, ..self }
    }
}

impl Add for Wide {
    type Output = Wide;

    fn add(self, other: Wide) -> Wide {
        if self.m == 0 || other.m == 0 {
            return if self.m == 0 { other } else { self };
        }
        let (high, low) = if (self.e, self.m) >= (other.e, other.m) { (self, other) } else { (other, self) };
        let part = low.m.checked_shr((high.e - low.e) as u32).unwrap_or(0);
        if high.negative != low.negative {
            return Wide::new(high.negative, high.m - part, high.e);
        }
        match high.m.checked_add(part) {
            Some(m) => Wide { m, ..high },
            None => Wide { m: high.m.wrapping_add(part) >> 1 | 1 << 127, e: high.e + 1, ..high },
        }
    }
}

impl Sub for Wide {
    type Output = Wide;

    fn sub(self, other: Wide) -> Wide {
        self + -other
    }
}
