//! The specification of floating-point products: exact sums of many terms, cut off below a common unit and rounded once.

use super::architecture::{Narrow, Sum};
use super::form::Form;
use crate::float::{E4M3, Exact, F16, F32, Format, Mode, Real, encode, round};
use crate::types::Bits;
use crate::words::Word;

/// A term of a sum: its value, and the exponent by which the device aligns it. That is the sum of the exponents of its factors,
/// though the product of their significands may be 2 or more, or below 1 where one is subnormal. Terms that are 0 have none.
#[derive(Clone, Copy)]
struct Term {
    value: Real,
    exponent: Option<i32>,
}

impl Term {
    fn read(format: &Format, bits: Bits) -> Term {
        let value = format.decode(bits);
        Term { value, exponent: value.finite().map(|exact| exact.e + format.precision as i32 - 1) }
    }

    fn times(self, other: Term) -> Term {
        let exponent = self.exponent.zip(other.exponent).map(|(a, b)| a + b);
        Term { value: self.value.times(other.value), exponent }
    }
}

/// The format of a type; of a type that is no floating-point number, that of single precision.
fn format(word: Word) -> &'static Format {
    Format::named(word).unwrap_or(&F32)
}

/// Sums of as many products as the device takes at once, each with the result of the one before.
pub(super) fn sums(form: &Form, sum: &Sum, a: &[Bits], b: &[Bits], c: Bits) -> Bits {
    let single = sum.result != Narrow::Half;
    let mut d = if single && form.c == Word::F16 { converted(&F16, &F32, c) } else { c };
    for (a, b) in a.chunks(sum.length).zip(b.chunks(sum.length)) {
        let (a, b) = (
            a.iter().map(|a| Term::read(format(form.a), *a)),
            b.iter().map(|b| Term::read(format(form.b), *b)),
        );
        d = add(sum, a.zip(b).map(|(a, b)| a.times(b)), d);
    }
    finite(form, if single && form.d == Word::F16 { converted(&F32, &F16, d) } else { d })
}

/// `.e4m3` and `.e5m2` where devices have no instruction for them: the code that ptxas makes of it multiplies elements of `.f16`, first
/// those that a register holds in its lower half, then the others, and adds C to that with one more rounding.
pub(super) fn halves(form: &Form, sum: &Sum, a: &[Bits], b: &[Bits], c: Bits) -> Bits {
    let half = |word: Word, bits: Bits| converted(format(word), &F16, bits);
    let mut d = 0;
    for upper in [false, true] {
        let mine = |k: &usize| (k % 4 >= 2) == upper;
        let product =
            |k: usize| Term::read(&F16, half(form.a, a[k])).times(Term::read(&F16, half(form.b, b[k])));
        let products: Vec<Term> = (0..a.len()).filter(mine).map(product).collect();
        for products in products.chunks(sum.length) {
            d = add(sum, products.iter().copied(), d);
        }
    }
    let format = format(form.d);
    encode(format, Mode::Nearest, false, format.decode(c).plus(format.decode(d)), &[])
}

/// The scale at k of a row or column so long.
fn scale(form: &Form, scales: &[Bits], k: usize, length: usize) -> Term {
    let bits = scales[k * scales.len() / length];
    // The sign of `.ue4m3` is not looked at.
    if form.scales == Word::Ue4m3 {
        Term::read(&E4M3, bits & 0x7f)
    } else {
        Term::read(format(form.scales), bits)
    }
}

/// Products that are scaled before they are added.
pub(super) fn scaled(form: &Form, sum: &Sum, a: &[Bits], b: &[Bits], scales: [&[Bits]; 2], c: Bits) -> Bits {
    let factor = |word: Word, elements: &[Bits], scales: &[Bits], k: usize| {
        Term::read(format(word), elements[k]).times(scale(form, scales, k, elements.len()))
    };
    let products: Vec<Term> = (0..a.len())
        .map(|k| factor(form.a, a, scales[0], k).times(factor(form.b, b, scales[1], k)))
        .collect();
    products.chunks(sum.length).fold(c, |d, products| add(sum, products.iter().copied(), d))
}

/// How many products of numbers of 4 bits are added before they are scaled.
pub(super) const GROUP: usize = 16;

/// Products that are added by sixteens without error, and then scaled: the scales alone align the sums.
pub(super) fn scaled_groups(
    form: &Form,
    sum: &Sum,
    a: &[Bits],
    b: &[Bits],
    scales: [&[Bits]; 2],
    c: Bits,
) -> Bits {
    let group = |k: usize| {
        let scale = scale(form, scales[0], k, a.len()).times(scale(form, scales[1], k, b.len()));
        let products = a[k..].iter().zip(&b[k..]).take(GROUP);
        let products = products.map(|(a, b)| format(form.a).decode(*a).times(format(form.b).decode(*b)));
        let (any, total) = products.fold((false, Real::Zero { negative: false }), |(any, total), product| {
            (any || product.finite().is_some(), total.plus(product))
        });
        Term { value: total.times(scale.value), exponent: scale.exponent.filter(|_| any) }
    };
    let groups: Vec<Term> = (0..a.len()).step_by(GROUP).map(group).collect();
    groups.chunks(sum.length / GROUP).fold(c, |d, groups| add(sum, groups.iter().copied(), d))
}

/// The sum of the terms and C, which has the type of the result.
fn add(sum: &Sum, terms: impl Iterator<Item = Term> + Clone, c: Bits) -> Bits {
    let format = sum.result.format();
    let terms = terms.chain([Term::read(sum.result.accumulator(), c)]);
    // Infinities and NaN are added by themselves: numbers change nothing beside them.
    let special = terms
        .clone()
        .map(|term| term.value)
        .filter(|value| matches!(value, Real::Nan { .. } | Real::Infinite { .. }));
    if let Some(special) = special.reduce(Real::plus) {
        return encode(format, Mode::Nearest, false, special, &[]);
    }
    let top = terms.clone().filter_map(|term| term.exponent).fold(sum.least_exponent(), i32::max);
    let unit = top - sum.fraction;
    let units = |exact: Exact| {
        let cut = exact.in_units(unit).0 as i128;
        if exact.negative { -cut } else { cut }
    };
    let total: i128 = terms.filter_map(|term| term.value.finite()).map(units).sum();
    let exact = Exact { e: unit, ..Exact::integer(total) };
    match total {
        0 => 0,
        _ if exact.top() > format.bias => {
            encode(format, Mode::Nearest, false, Real::Infinite { negative: total < 0 }, &[])
        }
        _ => {
            let d = round(format, sum.result.rounding(), false, exact);
            // A sum too small for the format is 0 without a sign.
            if d == format.sign_bit() { 0 } else { d }
        }
    }
}

/// A pattern in another format, rounded to nearest.
fn converted(from: &Format, to: &Format, bits: Bits) -> Bits {
    encode(to, Mode::Nearest, false, from.decode(bits), &[])
}

/// What `.satfinite` makes of a result: the greatest number of infinity, and 0 of NaN.
fn finite(form: &Form, d: Bits) -> Bits {
    let format = format(form.d);
    match format.decode(d) {
        Real::Nan { .. } if form.clamped => 0,
        Real::Infinite { negative } if form.clamped => {
            format.greatest() | if negative { format.sign_bit() } else { 0 }
        }
        _ => d,
    }
}
