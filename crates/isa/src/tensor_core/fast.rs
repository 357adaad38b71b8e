//! Whole products, fast: what the specification gives, element by element, with every factor decoded once.

use super::architecture::{Method, Narrow, Sum, arithmetic};
use super::decoded::{Fields, LANES, Lanes, Numbers, power};
use super::form::Form;
use super::fused::GROUP;
use super::groups;
use super::lanes::{add, narrow};
use super::multiply_add;
use crate::float::{F16, F32, Format};
use crate::floor::Target;
use crate::types::Bits;
use crate::words::Word;

/// The deepest product whose factors are decoded once.
const DEEPEST: usize = 32;
/// That of integers.
const DEEPEST_OF_INTEGERS: usize = 128;

/// A product as a device computes it, ready to be carried out on many matrices.
///
/// ```
/// use margay_isa::{MatrixShape, Word, tensor_core::{Form, Multiplier}};
/// let form = Form::plain(MatrixShape { m: 16, n: 8, k: 16 }, [Word::F32, Word::F16, Word::F16, Word::F32]);
/// let multiplier = Multiplier::new(&form, "sm_80".parse().unwrap());
/// let mut d = [0; 16 * 8];
/// multiplier.multiply_add(&[0x3c00; 16 * 16], &[0x4000; 8 * 16], [&[], &[]], &mut d);
/// assert_eq!(d, [0x4200_0000; 16 * 8]);
/// ```
#[derive(Clone, Copy)]
pub struct Multiplier {
    form: Form,
    device: Target,
    way: Way,
}

/// How it is computed.
#[derive(Clone, Copy)]
enum Way {
    /// Element by element, by the specification.
    Elements,
    Integers,
    Sums(Sums),
    Groups(Sum),
}

/// Sums of products of numbers.
#[derive(Clone, Copy)]
struct Sums {
    sum: Sum,
    a: Fields,
    b: Fields,
    c: Fields,
    /// Whether factors of 8 bits are multiplied as `.f16`, half of them first, and C is added last.
    halves: bool,
    /// Whether factors have scales that are powers of two.
    scaled: bool,
}

impl Multiplier {
    /// That of a form on a device.
    pub fn new(form: &Form, device: Target) -> Multiplier {
        let format = |word| Format::named(word).unwrap_or(&F32);
        let sums = |sum: Sum, halves, scaled| {
            let [a, b] = [form.a, form.b].map(|word| {
                let format: &Format = format(word);
                Fields::of(format, if halves { F16.least_exponent() } else { format.least_exponent() })
            });
            let c = if sum.result == Narrow::Half { &F16 } else { &F32 };
            let c = Fields::of(c, c.least_exponent());
            Way::Sums(Sums { sum, a, b, c, halves, scaled })
        };
        let way = match arithmetic(form, device).method {
            Method::Integers => Way::Integers,
            Method::Sums(sum) if form.c == form.d && !form.clamped => sums(sum, false, false),
            Method::Halves(sum) => sums(sum, true, false),
            Method::Scaled(sum) if form.scales == Word::Ue8m0 => sums(sum, false, true),
            Method::ScaledGroups(sum) => Way::Groups(sum),
            _ => Way::Elements,
        };
        Multiplier { form: *form, device, way }
    }

    /// D = A·B + C in place of C. `a` holds row after row, `b` column after column, `c` row after row again, each element as
    /// [`multiply_add`](super::multiply_add) takes it; `scales` are those of row after row and of column after column.
    ///
    /// There are as many rows and columns as the form's shape has, and all are equally deep.
    ///
    /// # Panics
    /// If the lengths do not fit each other and the shape.
    pub fn multiply_add(&self, a: &[u64], b: &[u64], scales: [&[u64]; 2], c: &mut [u64]) {
        let (m, n) = (usize::from(self.form.shape.m), usize::from(self.form.shape.n));
        let depth = a.len() / m;
        assert!(
            a.len() == m * depth && b.len() == n * depth && c.len() == m * n,
            "matrices of other sizes than the shape's"
        );
        let whole = depth <= DEEPEST && n.is_multiple_of(LANES);
        match &self.way {
            Way::Sums(sums) if whole => self.sums(sums, depth, a, b, scales, c),
            Way::Integers if depth <= DEEPEST_OF_INTEGERS && n.is_multiple_of(LANES) => {
                self.integers(depth, a, b, c)
            }
            Way::Groups(sum) if depth <= groups::DEEPEST && depth.is_multiple_of(GROUP) => (0..m * n)
                .for_each(|at| {
                    let row = groups::Blocks::of(&self.form, a, scales[0], m, at / n);
                    let column = groups::Blocks::of(&self.form, b, scales[1], n, at % n);
                    c[at] = match groups::add(sum, row, column, c[at] as u32) {
                        Some(d) => d.into(),
                        None => self.element(a, b, scales, at, c[at]),
                    };
                }),
            _ => (0..m * n).for_each(|at| c[at] = self.element(a, b, scales, at, c[at])),
        }
    }

    /// One element, by the specification.
    #[cold]
    fn element(&self, a: &[u64], b: &[u64], scales: [&[u64]; 2], at: usize, c: u64) -> u64 {
        let (m, n) = (usize::from(self.form.shape.m), usize::from(self.form.shape.n));
        let wide = |all: &[u64], of: usize, k: usize| -> Vec<Bits> {
            all[k * (all.len() / of)..][..all.len() / of].iter().map(|bits| Bits::from(*bits)).collect()
        };
        let (row, column) = (at / n, at % n);
        let scales = [wide(scales[0], m, row), wide(scales[1], n, column)];
        let scales = [&scales[0][..], &scales[1][..]];
        multiply_add(&self.form, self.device, &wide(a, m, row), &wide(b, n, column), scales, c.into()) as u64
    }

    fn integers(&self, depth: usize, a: &[u64], b: &[u64], c: &mut [u64]) {
        let n = usize::from(self.form.shape.n);
        // Sums of so many products are below 2^24: single precision holds them, and all vector units multiply it.
        let number = |word: Word| {
            let (unused, signed) = word.ty().map_or((0, true), |ty| (32 - ty.bits, ty.signed()));
            move |bits: u64| {
                let top = (bits as u32) << unused;
                (if signed { top as i32 >> unused } else { (top >> unused) as i32 }) as f32
            }
        };
        let (of_a, of_b) = (number(self.form.a), number(self.form.b));
        for first in (0..n).step_by(LANES) {
            let mut columns = [[0.0; LANES]; DEEPEST_OF_INTEGERS];
            for (k, at) in columns[..depth].iter_mut().enumerate() {
                (0..LANES).for_each(|column| at[column] = of_b(b[(first + column) * depth + k]));
            }
            for (row, d) in a.chunks(depth).zip(c.chunks_mut(n)) {
                let mut products = [0.0; LANES];
                for (bits, column) in row.iter().zip(&columns) {
                    let factor = of_a(*bits);
                    for n in 0..LANES {
                        products[n] += factor * column[n];
                    }
                }
                for (d, products) in d[first..].iter_mut().zip(products) {
                    let (c, products) = (*d as u32 as i32, products as i32);
                    let sum =
                        if self.form.clamped { c.saturating_add(products) } else { c.wrapping_add(products) };
                    *d = u64::from(sum as u32);
                }
            }
        }
    }

    fn sums(&self, sums: &Sums, depth: usize, a: &[u64], b: &[u64], scales: [&[u64]; 2], c: &mut [u64]) {
        let (m, n) = (usize::from(self.form.shape.m), usize::from(self.form.shape.n));
        for first in (0..n).step_by(LANES) {
            let mut columns = [Numbers::NONE; DEEPEST];
            let mut odd_columns = [0; LANES];
            for (k, at) in columns[..depth].iter_mut().enumerate() {
                let place = |column: usize| (first + column) * depth + sums.place(k, depth);
                let factors = Factors { all: b, scales: scales[1] };
                *at = sums.factors(&sums.b, &factors, place);
                (0..LANES).for_each(|column| odd_columns[column] |= at.special[column]);
            }
            for row in 0..m {
                let mut numbers = [(0.0, 0.0); DEEPEST];
                let mut odd_row = 0;
                for (from, numbers) in numbers.chunks_mut(LANES).enumerate().take(depth.div_ceil(LANES)) {
                    let place = |k: usize| row * depth + sums.place((from * LANES + k).min(depth - 1), depth);
                    let factors = Factors { all: a, scales: scales[0] };
                    let some = sums.factors(&sums.a, &factors, place);
                    for (k, number) in numbers.iter_mut().enumerate() {
                        *number = (some.values[k], some.exponents[k]);
                        odd_row |= some.special[k];
                    }
                }
                let d = &mut c[row * n + first..][..LANES];
                let mut before = [0; LANES];
                (0..LANES).for_each(|column| before[column] = d[column] as u32);
                let (after, mut odd) = sums.row(&numbers[..depth], &columns[..depth], &before);
                for column in 0..LANES {
                    d[column] = u64::from(after[column]);
                    odd[column] |= odd_row | odd_columns[column];
                }
                if odd != [0; LANES] {
                    for column in (0..LANES).filter(|column| odd[*column] != 0) {
                        let at = row * n + first + column;
                        c[at] = self.element(a, b, scales, at, before[column].into());
                    }
                }
            }
        }
    }
}

/// The factors of all rows or of all columns.
struct Factors<'a> {
    all: &'a [u64],
    scales: &'a [u64],
}

impl Sums {
    /// Where in a row or column the factor stands that is added at k.
    #[inline(always)]
    fn place(&self, k: usize, depth: usize) -> usize {
        if !self.halves {
            return k;
        }
        // By twos from a register's lower half, then by twos from its upper half.
        let half = depth / 2;
        k % half / 2 * 4 + k % 2 + if k < half { 0 } else { 2 }
    }

    /// Eight factors, scaled.
    #[inline(always)]
    fn factors(&self, fields: &Fields, factors: &Factors, place: impl Fn(usize) -> usize) -> Numbers {
        let mut patterns = [0; LANES];
        (0..LANES).for_each(|n| patterns[n] = factors.all[place(n)] as u32);
        let mut numbers = fields.decode(patterns);
        if self.scaled {
            for n in 0..LANES {
                // As many elements as stand for a scale follow each other.
                let scale = factors.scales[place(n) * factors.scales.len() / factors.all.len()] as u32 & 0xff;
                numbers.values[n] *= power(scale as i32 - 127);
                numbers.exponents[n] += scale as f32 - 127.0;
                numbers.special[n] |= u32::from(scale == 0xff);
            }
        }
        numbers
    }

    /// What a row makes of eight elements of C, and ones where infinities or NaNs came in on the way, so that it means nothing.
    #[inline(always)]
    fn row(&self, row: &[(f64, f32)], columns: &[Numbers], c: &Lanes<u32>) -> (Lanes<u32>, Lanes<u32>) {
        let mut odd = [0; LANES];
        let mut d = if self.halves { [0; LANES] } else { *c };
        let length = if self.halves { self.sum.length.min(row.len() / 2) } else { self.sum.length };
        for (row, columns) in row.chunks(length).zip(columns.chunks(length)) {
            let before = self.c.decode(d);
            (0..LANES).for_each(|n| odd[n] |= before.special[n]);
            d = add(&self.sum, row, columns, &before);
        }
        if self.halves {
            let (last, sums) = (self.c.decode(*c), self.c.decode(d));
            let mut totals = [0.0; LANES];
            for n in 0..LANES {
                odd[n] |= last.special[n] | sums.special[n];
                totals[n] = last.values[n] + sums.values[n];
                d[n] = (f32::from_bits(c[n]) + f32::from_bits(d[n])).to_bits();
            }
            if self.sum.result == Narrow::Half {
                d = narrow(Narrow::Half, &totals);
            }
        }
        (d, odd)
    }
}
