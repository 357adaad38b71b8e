//! Inputs by their numbers: every combination of values, or corners and random ones.

use margay_isa::Bits;

use super::report::Sampled;
use super::values::ones;
use super::{Axis, Values};
use crate::random::generator_at;

/// Where the values of each input come from.
pub struct Inputs<'a> {
    axes: &'a [Axis],
    random: Option<Drawn>,
}

/// How values are drawn.
struct Drawn {
    seed: u64,
    /// The corners of each axis.
    corners: Vec<Vec<Bits>>,
    /// So many inputs are all combinations of corners; 0 if that would be too many.
    combinations: u64,
}

impl<'a> Inputs<'a> {
    pub fn new(axes: &'a [Axis], random: Option<Sampled>) -> Inputs<'a> {
        let random = random.map(|Sampled { count, seed }| {
            let corners: Vec<_> =
                axes.iter().map(|axis| corners(&axis.values, axis.column.ty.width())).collect();
            let combinations =
                corners.iter().try_fold(1u64, |product, all| product.checked_mul(all.len() as u64));
            let combinations = combinations.filter(|n| *n <= count / 2).unwrap_or(0);
            Drawn { seed, corners, combinations }
        });
        Inputs { axes, random }
    }

    /// Fills a column for each axis with the values of `count` inputs from number `start` on.
    pub fn fill(&self, start: u64, count: usize, columns: &mut [Vec<u8>]) {
        let mut stride = 1u64;
        for (k, axis) in self.axes.iter().enumerate().rev() {
            let (bytes, mask) = (axis.column.bytes(), ones(axis.column.ty.width()));
            let column = &mut columns[k];
            column.resize(count * bytes, 0);
            match &self.random {
                None => {
                    let values = axis.values.more as u64 + 1;
                    let numbers =
                        Cycle { at: start / stride % values, values, left: stride - start % stride, stride };
                    put(column, bytes, numbers.map(|number| axis.values.at(number.into(), mask)));
                    stride = stride.wrapping_mul(values);
                }
                Some(drawn) => {
                    let inputs = start..start + count as u64;
                    put(column, bytes, inputs.map(|input| drawn.value(self.axes, k, input, mask)));
                }
            }
        }
    }

    /// The values of one input.
    pub fn values(&self, number: u64) -> Vec<Bits> {
        let mut columns = vec![Vec::new(); self.axes.len()];
        self.fill(number, 1, &mut columns);
        let value =
            |bytes: &Vec<u8>| bytes.iter().rev().fold(0, |value, byte| value << 8 | Bits::from(*byte));
        columns.iter().map(value).collect()
    }
}

/// Numbers from 0 on, each `stride` times, and again.
struct Cycle {
    at: u64,
    values: u64,
    left: u64,
    stride: u64,
}

impl Iterator for Cycle {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let at = self.at;
        self.left -= 1;
        if self.left == 0 {
            self.left = self.stride;
            self.at = if at + 1 == self.values { 0 } else { at + 1 };
        }
        Some(at)
    }
}

/// Writes values of so many bytes behind each other.
fn put(column: &mut [u8], bytes: usize, values: impl Iterator<Item = Bits>) {
    fn of<const N: usize>(column: &mut [u8], values: impl Iterator<Item = Bits>) {
        for (place, value) in column.chunks_exact_mut(N).zip(values) {
            place.copy_from_slice(&value.to_le_bytes()[..N]);
        }
    }
    match bytes {
        1 => of::<1>(column, values),
        2 => of::<2>(column, values),
        4 => of::<4>(column, values),
        8 => of::<8>(column, values),
        _ => of::<16>(column, values),
    }
}

/// Numbers that are drawn for each axis of each input.
const DRAWS: u64 = 3;

impl Drawn {
    fn value(&self, axes: &[Axis], axis: usize, input: u64, mask: Bits) -> Bits {
        let corners = &self.corners[axis];
        if input < self.combinations {
            let faster: u64 = self.corners[axis + 1..].iter().map(|all| all.len() as u64).product();
            return corners[(input / faster % corners.len() as u64) as usize];
        }
        let place = input.wrapping_mul(axes.len() as u64).wrapping_add(axis as u64);
        let mut next = generator_at(self.seed, place.wrapping_mul(DRAWS));
        let (choice, low, high) = (next(), next(), next());
        if choice & 1 == 0 {
            return corners[below(choice >> 1, corners.len() as u64 * 2) as usize / 2 % corners.len()];
        }
        let values = &axes[axis].values;
        let number = match u64::try_from(values.more).ok().and_then(|more| more.checked_add(1)) {
            Some(count) => below(low, count).into(),
            None => {
                let wide = Bits::from(high) << 64 | Bits::from(low);
                values.more.checked_add(1).map_or(wide, |count| wide % count)
            }
        };
        values.at(number, mask)
    }
}

/// A number below `limit` from one of 64 random bits.
fn below(random: u64, limit: u64) -> u64 {
    ((u128::from(random) * u128::from(limit)) >> 64) as u64
}

/// Values at which something is likely to change, those of them that are there: the ends and the middle, their neighbours,
/// ends of signed numbers, ends of bytes and halves.
fn corners(values: &Values, width: u32) -> Vec<Bits> {
    let mask = ones(width);
    let more = values.more;
    let ends = [0, 1, more / 2, more / 2 + 1, more.saturating_sub(1), more];
    let mut corners: Vec<Bits> =
        ends.into_iter().filter(|number| *number <= more).map(|number| values.at(number, mask)).collect();
    const BITS: [Bits; 9] = [
        0,
        1,
        Bits::MAX,
        0x8000_0000_0000_0000_8000_0000_8000_8080,
        0x7fff_ffff_ffff_ffff_7fff_ffff_7fff_7f7f,
        0x0101_0101_0101_0101_0101_0101_0101_0101,
        0x8080_8080_8080_8080_8080_8080_8080_8080,
        0x7f7f_7f7f_7f7f_7f7f_7f7f_7f7f_7f7f_7f7f,
        0xff00_ff00_ff00_ff00_ff00_ff00_ff00_ff00,
    ];
    let signs = [1 << (width - 1), (1 << (width - 1)) - 1];
    for bits in BITS.into_iter().chain(signs).map(|bits| bits & mask) {
        let apart = bits.wrapping_sub(values.first) & mask;
        if apart.is_multiple_of(values.step) && apart / values.step <= more {
            corners.push(bits);
        }
    }
    corners.sort();
    corners.dedup();
    corners
}
