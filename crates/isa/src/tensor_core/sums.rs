//! Sums of products of floating-point numbers, fast: many rows at a time, with every factor taken apart once.

use super::architecture::{Narrow, Sum};
use super::decoded::{Fields, Numbers, power, singles};
use super::form::Form;
use super::lanes::{Terms, add, half_of, narrow};
use super::workspace::{DEEPEST, Decoded, LANES, Lined, MOST, Workspace};
use crate::float::{F16, F32, Format};
use crate::words::Word;

/// Sums of products of numbers.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    sum: Sum,
    a: Fields,
    b: Fields,
    half: Fields,
    /// The least exponent that terms are aligned to.
    least: f32,
    /// Whether factors of 8 bits are multiplied as `.f16`, half of them first, and C is added last.
    halves: bool,
    /// Whether factors have scales that are powers of two.
    scaled: bool,
    /// Whether C, and whether D, is of half precision where sums are of single precision.
    converted: (bool, bool),
    clamped: bool,
}

impl Sums {
    pub fn new(form: &Form, sum: Sum, halves: bool, scaled: bool) -> Sums {
        let fields = |word: Word| {
            let format: &Format = Format::named(word).unwrap_or(&F32);
            Fields::of(format, if halves { F16.least_exponent() } else { format.least_exponent() })
        };
        let single = sum.result != Narrow::Half && !halves;
        let converted = (single && form.c == Word::F16, single && form.d == Word::F16);
        let half = Fields::of(&F16, F16.least_exponent());
        let clamped = form.clamped && !halves && !scaled;
        let least = sum.least_exponent() as f32;
        Sums { sum, least, a: fields(form.a), b: fields(form.b), half, halves, scaled, converted, clamped }
    }

    /// Whether products may be so deep.
    pub fn takes(&self, depth: usize) -> bool {
        depth <= DEEPEST && (!self.halves || depth.is_multiple_of(4))
    }

    /// D in place of C, except where infinities or NaNs are among what is added; whether there are such.
    #[inline(always)]
    pub fn multiply(&self, lined: &Lined, scales: [&[u64]; 2], work: &mut Workspace) -> bool {
        if self.sum.result == Narrow::Half {
            self.multiply_as::<true>(lined, scales, work)
        } else {
            self.multiply_as::<false>(lined, scales, work)
        }
    }

    #[inline(always)]
    fn multiply_as<const HALF: bool>(
        &self,
        lined: &Lined,
        scales: [&[u64]; 2],
        work: &mut Workspace,
    ) -> bool {
        let Lined { depth, columns, .. } = *lined;
        let (of_along, of_across) = if lined.swapped { (&self.b, &self.a) } else { (&self.a, &self.b) };
        let scales = if lined.swapped { [scales[1], scales[0]] } else { scales };
        let [lines, places] = lined.lines();
        let (lines, place) = (self.order(lines, depth), |n: usize| usize::from(places[n % DEEPEST]));
        self.decode(of_across, &lines[..depth], &work.across, columns, &mut work.across_numbers);
        if self.scaled {
            scale(scales[1], |at| (at % columns, at / columns), (columns, depth), &mut work.across_numbers);
        }
        let mut special = 0;
        work.across_numbers.special[..depth * columns].iter().for_each(|bits| special |= bits);
        let length = if self.halves { self.sum.length.min(depth / 2) } else { self.sum.length };
        for block in 0..lined.blocks {
            let patterns = &work.along[block * depth * LANES..];
            self.decode(of_along, &lines[..depth], patterns, LANES, &mut work.along_numbers);
            if self.scaled {
                let row = |at: usize| (block * LANES + at % LANES, at / LANES);
                scale(scales[0], row, (lined.blocks * LANES, depth), &mut work.along_numbers);
            }
            let along = &work.along_numbers;
            let mut odd_rows = [0; LANES];
            for line in &along.special.as_chunks::<LANES>().0[..depth] {
                (0..LANES).for_each(|l| odd_rows[l] |= line[l]);
            }
            let c = &mut work.sums.as_chunks_mut::<LANES>().0[block * columns..][..columns];
            let running = &mut work.running.as_chunks_mut::<LANES>().0[..columns];
            let odd = &mut work.odd.as_chunks_mut::<LANES>().0[block * columns..][..columns];
            let across = &work.across_numbers;
            for n in 0..columns {
                let at = place(n);
                odd[at] = odd_rows;
                if special != 0 && (0..depth).any(|k| across.special[k * columns + n] != 0) {
                    odd[at] = [1; LANES];
                }
                running[at] = self.begin(&c[at], &mut odd[at]);
            }
            let values = &along.values.as_chunks().0[..depth];
            let exponents = &along.exponents.as_chunks().0[..depth];
            for first in (0..depth).step_by(length) {
                let range = first..(first + length).min(depth);
                let others = range.start * columns..range.end * columns;
                let terms = Terms {
                    along: (&values[range.clone()], &exponents[range]),
                    across: (&across.values[others.clone()], &across.exponents[others]),
                    columns,
                };
                for n in 0..columns {
                    let at = place(n);
                    let before = self.accumulated::<HALF>(&running[at]);
                    (0..LANES).for_each(|l| odd[at][l] |= before.special[l]);
                    running[at] = add(&self.sum, self.least, &terms, n, &before);
                }
            }
            for n in 0..columns {
                let d = self.end::<HALF>(&c[n], &running[n], &mut odd[n]);
                for l in 0..LANES {
                    c[n][l] = if odd[n][l] == 0 { d[l] } else { c[n][l] };
                    special |= odd[n][l];
                }
            }
        }
        special != 0
    }

    /// The lines in the order in which they are added.
    #[inline(always)]
    fn order(&self, lines: [u16; DEEPEST], depth: usize) -> [u16; DEEPEST] {
        if !self.halves {
            return lines;
        }
        // By twos from a register's lower half, then by twos from its upper half.
        let half = depth / 2;
        std::array::from_fn(|k| {
            let (k, upper) = if k < half { (k, 0) } else { (k - half, 2) };
            lines[(k / 2 * 4 + k % 2 + upper) % DEEPEST]
        })
    }

    /// Takes the patterns of some lines apart, in this order.
    #[inline(always)]
    fn decode(&self, fields: &Fields, lines: &[u16], patterns: &[u32], columns: usize, to: &mut Decoded) {
        if !columns.is_multiple_of(LANES) {
            let mut ordered = [0; DEEPEST * LANES];
            for (line, to) in lines.iter().zip(ordered.chunks_exact_mut(columns)) {
                to.copy_from_slice(&patterns[usize::from(*line) * columns..][..columns]);
            }
            return decode(fields, &ordered, lines.len() * columns, to);
        }
        let (patterns, each) = (patterns.as_chunks::<LANES>().0, columns / LANES);
        let (values, exponents, special) =
            (to.values.as_chunks_mut().0, to.exponents.as_chunks_mut().0, to.special.as_chunks_mut().0);
        for (k, line) in lines.iter().enumerate() {
            for part in 0..each {
                let numbers = fields.decode(&patterns[usize::from(*line) * each + part]);
                let at = k * each + part;
                (values[at], exponents[at], special[at]) =
                    (numbers.values, numbers.exponents, numbers.special);
            }
        }
    }

    /// What sums begin with.
    #[inline(always)]
    fn begin(&self, c: &[u32; LANES], odd: &mut [u32; LANES]) -> [u32; LANES] {
        if self.halves {
            return [0; LANES];
        }
        if !self.converted.0 {
            return *c;
        }
        let c = self.half.decode(c);
        let mut sums = [0; LANES];
        for l in 0..LANES {
            odd[l] |= c.special[l];
            sums[l] = (c.values[l] as f32).to_bits();
        }
        sums
    }

    #[inline(always)]
    fn accumulated<const HALF: bool>(&self, c: &[u32; LANES]) -> Numbers<LANES> {
        if HALF { self.half.decode(c) } else { singles(c) }
    }

    /// What becomes of sums.
    #[inline(always)]
    fn end<const HALF: bool>(
        &self,
        c: &[u32; LANES],
        sums: &[u32; LANES],
        odd: &mut [u32; LANES],
    ) -> [u32; LANES] {
        let mut d = *sums;
        if self.halves {
            let (last, sums) = (self.accumulated::<HALF>(c), self.accumulated::<HALF>(sums));
            let mut totals = [0.0; LANES];
            for l in 0..LANES {
                odd[l] |= last.special[l] | sums.special[l];
                totals[l] = last.values[l] + sums.values[l];
                d[l] = (f32::from_bits(c[l]) + f32::from_bits(d[l])).to_bits();
            }
            if HALF {
                d = narrow(Narrow::Half, &totals);
            }
        }
        if self.converted.1 {
            (0..LANES).for_each(|l| d[l] = half_of(d[l]));
        }
        if self.clamped {
            let infinity = if HALF || self.converted.1 { 0x7c00 } else { 0x7f80_0000 };
            (0..LANES).for_each(|l| d[l] -= u32::from(d[l] & infinity == infinity));
        }
        d
    }
}

/// Takes so many patterns apart.
#[inline(always)]
fn decode(fields: &Fields, patterns: &[u32], count: usize, to: &mut Decoded) {
    let lines = count.div_ceil(LANES).min(MOST / LANES);
    let (values, exponents, special) = (
        &mut to.values.as_chunks_mut::<LANES>().0[..lines],
        &mut to.exponents.as_chunks_mut::<LANES>().0[..lines],
        &mut to.special.as_chunks_mut::<LANES>().0[..lines],
    );
    let places = values.iter_mut().zip(exponents).zip(special);
    for (((values, exponents), special), patterns) in places.zip(patterns.as_chunks::<LANES>().0) {
        let numbers = fields.decode(patterns);
        (*values, *exponents, *special) = (numbers.values, numbers.exponents, numbers.special);
    }
}

/// Scales numbers, of which row or column and k are known from where they lie.
#[inline(always)]
fn scale(
    scales: &[u64],
    place: impl Fn(usize) -> (usize, usize),
    (rows, depth): (usize, usize),
    numbers: &mut Decoded,
) {
    let per = scales.len() / rows;
    let last = (0..MOST).take_while(|at| place(*at).1 < depth && place(*at).0 < rows);
    for at in last {
        let (row, k) = place(at);
        // As many elements as stand for a scale follow each other.
        let scale = scales[row * per + k * per / depth] as u32 & 0xff;
        numbers.values[at] *= power(scale as i32 - 127);
        numbers.exponents[at] += scale as f32 - 127.0;
        numbers.special[at] |= u32::from(scale == 0xff);
    }
}
