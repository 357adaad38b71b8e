//! Sine, cosine, logarithm, power of two and hyperbolic tangent to some 120 significant bits, on integers.
//!
//! What is rounded from them is the true value's rounding unless that lies within 2^-115 of its size of a tie. Operands of 32 bits
//! and results of 53 come no nearer than about 2^-95.

use super::exact::Exact;
use super::wide::Wide;

const LN_2: Wide = Wide { negative: false, m: 0xb172_17f7_d1cf_79ab_c9e3_b398_03f2_f6af, e: -128 };
const HALF_PI: Wide = Wide { negative: false, m: 0xc90f_daa2_2168_c234_c4c6_628b_80dc_1cd1, e: -127 };
/// 2 / pi in units of 2^-384, highest bits first.
pub(super) const TWO_OVER_PI: [u64; 6] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
];

/// first + first·r(1) + first·r(1)·r(2) + …, until a term is below 2^-128 of the first.
fn sum(first: Wide, ratio: impl Fn(u64) -> Wide) -> Wide {
    let (mut sum, mut term) = (first, first);
    for k in 1.. {
        term = term * ratio(k);
        if term.m == 0 || term.e < first.e - 128 {
            break;
        }
        sum = sum + term;
    }
    sum
}

/// 2^y - 1 for y of at most 1/2 in size, other than 0.
fn power_less_1(y: Wide) -> Wide {
    let x = y * LN_2;
    sum(x, |k| x.over_small(k + 1))
}

/// A number without its whole part, the nearest, and that.
fn split(x: Exact) -> (Wide, i32) {
    let whole = x.rounded(0, super::Mode::Nearest) as i32;
    let whole = if x.negative { -whole } else { whole };
    (Wide::of(x) - Wide::of(Exact::integer(whole.into())), whole)
}

/// 2^x for x other than 0 of less than 2^15 in size and at most 64 bits.
pub(super) fn power(x: Exact) -> Exact {
    let (y, whole) = split(x);
    if y.m == 0 {
        return Exact { negative: false, m: 1, e: whole, more: false };
    }
    (Wide::ONE + power_less_1(y)).scaled(whole).endless()
}

/// log2(x) for x above 0 other than 1.
pub(super) fn logarithm(x: Exact) -> Exact {
    let top = x.top();
    if x.m.is_power_of_two() {
        return Exact::integer(top.into());
    }
    // From 3/4 to 3/2, so that whole part and logarithm do not cancel.
    let m = Wide::of(x).scaled(-top);
    let up = i32::from(m.m >> 126 == 3);
    let (m, whole) = (m.scaled(-up), top + up);
    let s = (m - Wide::ONE).over(m + Wide::ONE);
    let square = s * s;
    // ln(m) = 2 (s + s^3 / 3 + s^5 / 5 + …)
    let mut power = s;
    let mut ln = s;
    for k in 1.. {
        power = power * square;
        if power.e < s.e - 128 {
            break;
        }
        ln = ln + power.over_small(2 * k + 1);
    }
    (Wide::of(Exact::integer(whole.into())) + ln.scaled(1).over(LN_2)).endless()
}

/// tanh(x) for x other than 0.
pub(super) fn hyperbolic_tangent(x: Exact) -> Exact {
    if x.top() >= 7 {
        // Less than 2^-120 from 1.
        return Exact { negative: x.negative, m: u128::MAX, e: -128, more: true };
    }
    // With p = e^(2|x|) - 1: p / (p + 2).
    let x = Wide::of(x);
    let y = x.size().scaled(1).over(LN_2);
    let p = if y.e < -128 {
        power_less_1(y)
    } else {
        let (y, whole) = split(y.endless());
        (Wide::ONE + power_less_1(y)).scaled(whole) - Wide::ONE
    };
    Wide { negative: x.negative, ..p.over(p + Wide::ONE.scaled(1)) }.endless()
}

/// sin(x + quarters·pi/2) for x other than 0 of at most 24 bits and below 2^128.
pub(super) fn sine(x: Exact, quarters: u32) -> Exact {
    let (r, quarter) = if x.top() < -1 { (Wide::of(x), 0) } else { reduced(x) };
    let quarter = quarter.wrapping_add(quarters);
    let square = -(r * r);
    let value = if quarter & 1 == 0 {
        sum(r, |k| square.over_small(2 * k * (2 * k + 1)))
    } else {
        sum(Wide::ONE, |k| square.over_small(2 * k * (2 * k - 1)))
    };
    Wide { negative: value.negative != (quarter & 2 != 0), ..value }.endless()
}

/// What is left of a number beside quarter turns, at most half of one, and how many those are.
///
/// The number times 2 / pi has its point `below` places from the low end of the product. At least 280 of them are known, of which
/// a number of 24 bits can make some 60 zero.
fn reduced(x: Exact) -> (Wide, u32) {
    let mut product = [0_u64; 7];
    let mut carry = 0;
    for (place, limb) in product.iter_mut().zip(TWO_OVER_PI.iter().rev().chain(&[0])) {
        let sum = u128::from(*limb) * x.m + carry;
        *place = sum as u64;
        carry = sum >> 64;
    }
    let below = 384 - x.e;
    let quarters = bits_below(&product, below + 32) >> 96;
    let (high, low) = (bits_below(&product, below), bits_below(&product, below - 128));
    let past_half = high >> 127 == 1;
    let (high, low) = if past_half { (!high, !low) } else { (high, low) };
    let zeros = high.leading_zeros().min(127);
    let m = high << zeros | low.checked_shr(128 - zeros).unwrap_or(0);
    let fraction = Wide::new(x.negative != past_half, m, -128 - zeros as i32);
    let quarters = (quarters as u32).wrapping_add(u32::from(past_half));
    (fraction * HALF_PI, if x.negative { quarters.wrapping_neg() } else { quarters })
}

/// The 128 bits of a number below a place; zeros where it has none.
fn bits_below(limbs: &[u64], place: i32) -> u128 {
    (1..=128).fold(0, |bits, k| {
        let at = place - k;
        let bit =
            if at < 0 { 0 } else { limbs.get(at as usize / 64).map_or(0, |limb| limb >> (at % 64) & 1) };
        bits << 1 | u128::from(bit)
    })
}
