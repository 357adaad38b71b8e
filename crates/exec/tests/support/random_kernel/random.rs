//! Random numbers that repeat (SplitMix64).

use margay_isa::{Immediate, Kind, Ty};

#[derive(Clone)]
pub struct Random(u64);

impl Random {
    /// Sequence number `of` of a seed.
    pub fn new(seed: u64, of: u64) -> Random {
        Random(mix(seed ^ mix(of ^ 0x6a09_e667_f3bc_c908)))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// Once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = (0..count.div_ceil(8)).flat_map(|_| match self.below(6) {
            // Values near zero and near the limits meet more often than chance has them.
            0 => (self.next() & 0x0101_0101_0303_0f0f).to_le_bytes(),
            1 => (self.next() | 0xff7f_ff00_80ff_ff00).to_le_bytes(),
            2 => self.floats().to_le_bytes(),
            _ => self.next().to_le_bytes(),
        });
        let mut bytes: Vec<u8> = words.collect();
        bytes.truncate(count);
        bytes
    }
}

impl Random {
    /// A floating-point constant, where the operand takes one.
    pub fn real(&mut self, immediate: Immediate, want: Ty) -> Option<String> {
        match (immediate, want.kind, want.bits, want.lanes) {
            (Immediate::Number, Kind::Float, 32, 1) => Some(format!("0f{:08x}", self.float(8, 23))),
            (Immediate::Number, Kind::Float, 64, 1) => Some(format!("0d{:016x}", self.float(11, 52))),
            _ => None,
        }
    }

    /// Patterns of one double, two single or four half-precision numbers.
    pub fn floats(&mut self) -> u64 {
        match self.below(4) {
            0 => self.float(11, 52),
            1 => {
                self.float(5, 10) << 48
                    | self.float(5, 10) << 32
                    | self.float(5, 10) << 16
                    | self.float(5, 10)
            }
            _ => self.float(8, 23) << 32 | self.float(8, 23),
        }
    }

    /// A pattern with so many bits of exponent and of fraction: zeros, subnormal numbers, infinities, NaNs, numbers near the ends,
    /// near 1, and halfway between others.
    pub fn float(&mut self, exponent: u32, fraction: u32) -> u64 {
        let (most, top) = ((1u64 << exponent) - 1, 1u64 << (fraction - 1));
        let one = most / 2;
        let field = match self.below(3) {
            0 => *self.pick(&[0, 0, 1, one - 1, one, one + 1, most - 1, most]),
            1 => one - u64::from(fraction) / 2 + self.below(fraction as usize + 2) as u64,
            _ => self.next() & most,
        };
        let ones = 2 * top - 1;
        let digits = match self.below(4) {
            0 => *self.pick(&[0, 0, 1, 2, top, top - 1, top + 1, ones, ones - 1]),
            1 => ones >> self.below(fraction as usize),
            2 => 1 << self.below(fraction as usize),
            _ => self.next() & ones,
        };
        (self.next() & 1) << (exponent + fraction) | field.min(most) << fraction | digits
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
