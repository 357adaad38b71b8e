//! Exact numbers, and what of an endless one matters for rounding.

/// The number ±(m + δ)·2^e with 0 ≤ δ < 1, where δ is 0 unless there is `more`.
///
/// What sums, quotients and roots leave out is less than 2^-60 of the number, so that rounding to any format can tell its side of
/// every number and every tie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exact {
    /// Whether the number is below 0.
    pub negative: bool,
    /// The whole number of units.
    pub m: u128,
    /// The unit is 2^e.
    pub e: i32,
    /// Whether something is left out below the last unit.
    pub more: bool,
}

/// Significant bits that an operand of a sum has at most, so that there is room for a carry.
const KEPT: i32 = 124;

impl Exact {
    /// A whole number.
    pub fn integer(value: i128) -> Exact {
        Exact { negative: value < 0, m: value.unsigned_abs(), e: 0, more: false }
    }

    /// Whether the number is 0.
    pub fn is_zero(&self) -> bool {
        self.m == 0 && !self.more
    }

    /// The exponent of the highest bit: 2^top ≤ number < 2^(top+1). Of a number other than 0.
    pub fn top(&self) -> i32 {
        self.e + 127 - self.m.leading_zeros() as i32
    }

    /// The number with the other sign.
    pub fn negated(self) -> Exact {
        Exact { negative: !self.negative, ..self }
    }

    /// The product of numbers of up to 64 bits, of which nothing is left out.
    pub fn product(self, other: Exact) -> Exact {
        debug_assert!(!self.more && !other.more);
        Exact {
            negative: self.negative != other.negative,
            m: self.m * other.m,
            e: self.e + other.e,
            more: false,
        }
    }

    /// The sum of numbers other than 0 of up to 124 bits, of which nothing is left out.
    ///
    /// All bits are kept down to 124 places below the highest. What lies lower can only be of an operand that is smaller by
    /// 2^(124 - its bits) and more, so that a difference loses at most one place at the top.
    pub fn sum(self, other: Exact) -> Exact {
        debug_assert!(!self.more && !other.more && self.m != 0 && other.m != 0);
        let (high, low) = if self.top() >= other.top() { (self, other) } else { (other, self) };
        let e = high.e.min(low.e.max(high.top() - (KEPT - 1)));
        let units = high.m << (high.e - e);
        let (part, more) = match low.e - e {
            shift @ 0.. => (low.m << shift, false),
            shift => cut(low.m, shift.unsigned_abs()),
        };
        if high.negative == low.negative {
            return Exact { negative: high.negative, m: units + part, e, more };
        }
        // units - (part + δ) = (units - part - 1) + (1 - δ)
        match units.checked_sub(part) {
            Some(m) => Exact { negative: high.negative, m: m - u128::from(more), e, more },
            None => Exact { negative: low.negative, m: part - units, e, more },
        }
    }

    /// The quotient of numbers of up to 64 bits other than 0.
    pub fn quotient(self, other: Exact) -> Exact {
        let shift = self.m.leading_zeros();
        let scaled = self.m << shift;
        Exact {
            negative: self.negative != other.negative,
            m: scaled / other.m,
            e: self.e - shift as i32 - other.e,
            more: !scaled.is_multiple_of(other.m),
        }
    }

    /// The square root of a number other than 0; the sign is ignored.
    pub fn square_root(self) -> Exact {
        // An even exponent, and a radicand of 127 or 128 bits: the root has 64.
        let most = self.m.leading_zeros();
        let shift = if (self.e - most as i32) % 2 == 0 { most } else { most - 1 };
        let scaled = self.m << shift;
        let m = scaled.isqrt();
        Exact { negative: false, m, e: (self.e - shift as i32) / 2, more: m * m != scaled }
    }

    /// The same number in units of 2^e: how many whole ones (`u128::MAX` if there are more), and what is left of one more.
    /// What was left out before counts as little, so a number that has some must have more than one bit below the unit.
    pub fn in_units(&self, e: i32) -> (u128, Rest) {
        let shift = e - self.e;
        if shift <= 0 {
            let rest = if self.more { Rest::BelowHalf } else { Rest::None };
            let fits = self.m.leading_zeros() >= shift.unsigned_abs();
            return (if fits { self.m.unbounded_shl(shift.unsigned_abs()) } else { u128::MAX }, rest);
        }
        if shift > 128 {
            return (0, if self.is_zero() { Rest::None } else { Rest::BelowHalf });
        }
        let units = self.m.checked_shr(shift as u32).unwrap_or(0);
        let half = self.m >> (shift - 1) & 1 == 1;
        let below = self.more || self.m << (128 - shift) << 1 != 0;
        let rest = match (half, below) {
            (false, false) => Rest::None,
            (false, true) => Rest::BelowHalf,
            (true, false) => Rest::Half,
            (true, true) => Rest::AboveHalf,
        };
        (units, rest)
    }
}

/// What is left of a number beside whole units, against half a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// Nothing.
    None,
    /// Less than half a unit.
    BelowHalf,
    /// Half a unit.
    Half,
    /// More than half a unit.
    AboveHalf,
}

/// The number without its low bits, and whether there was something in them.
fn cut(m: u128, bits: u32) -> (u128, bool) {
    match bits {
        0 => (m, false),
        1..128 => (m >> bits, m << (128 - bits) != 0),
        _ => (0, m != 0),
    }
}
