//! Second-degree interpolation in a table, as the hardware's unit for approximate functions does it, on integers.

/// One row of a table: what is multiplied with 1, with the low bits of the argument, and with their square.
pub type Row = [u32; 3];

/// Bits of an argument: the upper ones choose a row.
pub const ARGUMENT: u32 = 23;

/// How the sum of one function is made.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Upper bits of the argument that choose a row.
    pub index: u32,
    /// Whether the product with the low bits is subtracted.
    pub falls: bool,
    /// Whether the product with their square is subtracted.
    pub bends_down: bool,
    /// Places by which the first coefficient and the first product stand above the second product.
    pub places: [u32; 2],
    /// The place of 1 in the sum.
    pub one: u32,
    /// What is added to every sum, in 2^-20 of the last place of a result from 1 on.
    pub bias: u32,
}

pub const RCP: Shape =
    Shape { index: 7, falls: true, bends_down: false, places: [30, 17], one: 56, bias: 0x67e70 };
pub const SQRT: Shape =
    Shape { index: 6, falls: false, bends_down: true, places: [33, 18], one: 58, bias: 0x7fff8 };
pub const RSQ: Shape =
    Shape { index: 6, falls: true, bends_down: false, places: [31, 17], one: 57, bias: 0x7fff8 };
pub const LG2: Shape =
    Shape { index: 6, falls: false, bends_down: true, places: [30, 18], one: 56, bias: 0x868b0 };
pub const EX2: Shape =
    Shape { index: 6, falls: false, bends_down: false, places: [32, 19], one: 57, bias: 0x6fc40 };
/// Of what is left of a fraction below the bits that choose a row, as many as there are low bits are looked at.
pub const TANH: Shape =
    Shape { index: 6, falls: false, bends_down: true, places: [34, 17], one: 60, bias: 0 };
/// The exponent from which on rows of [`TANH`] begin, 127 above its value: smaller numbers are their own hyperbolic tangent.
pub const TANH_LEAST: u32 = 127 - 8;
pub const SIN: Shape = Shape { index: 6, falls: false, bends_down: true, places: [31, 19], one: 56, bias: 0 };

impl Shape {
    /// Bits of an argument that the row does not know.
    pub fn low_bits(&self) -> u32 {
        ARGUMENT - self.index
    }

    /// The row that an argument chooses, and its low bits.
    pub fn split(&self, argument: u32) -> (usize, u32) {
        ((argument >> self.low_bits()) as usize, argument & ((1 << self.low_bits()) - 1))
    }

    /// What is added to every sum.
    pub fn bias(&self) -> i64 {
        i64::from(self.bias) << (self.one - ARGUMENT - 20)
    }

    /// The square of the low bits, as far as the hardware computes it: the triangle of products of two bits is cut at
    /// a column. Fewer low bits stand further up in the squarer, so that it cuts less of their square.
    pub fn square(&self, low: u32) -> i64 {
        const CUT: u32 = 19;
        let up = 17 - self.low_bits();
        let x = u64::from(low) << up;
        let mut dropped = 0;
        for i in 0..CUT.div_ceil(2) {
            // Bit i by itself stands in column 2i, its products with bits j above it in columns i + j + 1.
            let others = x & low_mask(CUT - 1 - i) & !low_mask(i + 1);
            let row = (1 << (2 * i)) + (others << (i + 1));
            dropped += (x >> i & 1) * row;
        }
        ((x * x - dropped) >> (2 * up)) as i64
    }

    /// The sum for the low bits of an argument.
    pub fn interpolate(&self, row: Row, low: u32) -> i64 {
        let [constant, slope, bend] = row.map(i64::from);
        let [p0, p1] = self.places;
        let first = (slope * i64::from(low)) << p1;
        let second = bend * self.square(low);
        let signed = |value: i64, minus: bool| if minus { -value } else { value };
        (constant << p0) + signed(first, self.falls) + signed(second, self.bends_down) + self.bias()
    }
}

fn low_mask(bits: u32) -> u64 {
    (1 << bits) - 1
}
