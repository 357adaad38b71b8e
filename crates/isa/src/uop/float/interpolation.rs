//! The interpolation of approximate functions in 32 bits a lane: what of a sum of 60 bits reaches a result, exactly.
//!
//! Three things make it fit. The squarer drops all columns below the 19th, so its square is a number of 15 bits times 2^19. All
//! that stands below the constant coefficient's last place is the two products and the bias alone, of which only the carry matters.
//! And a multiple of the low bits may be taken out of the first product and added above, so that what is left has 32 bits.

use super::Approx;
use crate::float::mufu::shape::{EX2, LG2, RCP, RSQ, Row, SIN, SQRT, Shape};
use crate::float::mufu::tables;

/// How a function's sum is made of 32-bit numbers.
///
/// With `low` the low bits of the argument, `C`, `S` and `B` a row's numbers and `Q` the square's 15 bits: what is below is
/// `added` plus or minus `S low`, plus or minus `B Q`, in 32 bits; the sum is `C`, a multiple of `low`, and that
/// moved down by `places`.
pub struct Interpolation {
    /// `C`; and `S` in the upper half of a word, `B` in its lower one.
    pub rows: Vec<[u32; 2]>,
    /// Bits of the argument below those that choose a row.
    pub low_bits: u32,
    /// Whether `S low` is subtracted.
    pub falls: bool,
    /// Whether `B Q` is subtracted.
    pub bends_down: bool,
    /// Whether `S`, and what is below, have signs. Then nothing that is below is lost yet.
    pub signed: bool,
    /// The multiple of the low bits that is added to `C`, and that for rows of the second half, where exponents are odd.
    pub multiples: [u32; 2],
    /// What is added to the products.
    pub added: u32,
    /// Places by which `C` stands above the products.
    pub places: u32,
    /// Whether the first product would need a bit more: what is below is half of what it is elsewhere, rounded down. The
    /// product is that with half of `low`, and if `low` is odd, half of what is left of 0xffff without `S` is added, else
    /// 0x7fff.
    pub halved: bool,
}

impl Approx {
    /// How its sum is made; none of the functions of `.f64`.
    pub fn interpolation(self) -> Option<Interpolation> {
        Some(match self {
            Approx::Reciprocal => interpolation(&RCP, &tables::RCP, [0; 2], 1 << 24, false),
            Approx::Root | Approx::RootWithSubnormals => {
                interpolation(&SQRT, &tables::SQRT, [1, 2], 0u32.wrapping_sub(1 << 23), false)
            }
            Approx::ReciprocalRoot | Approx::ReciprocalRootWithSubnormals => {
                interpolation(&RSQ, &tables::RSQ, [0; 2], 1 << 20, false)
            }
            Approx::Power => interpolation(&EX2, &tables::EX2, [2; 2], 0, false),
            Approx::Logarithm => interpolation(&LG2, &tables::LG2, [8; 2], 0, true),
            Approx::Sine | Approx::Cosine => interpolation(&SIN, &tables::SIN, [3; 2], 0, true),
            // Its rows are chosen in another way.
            Approx::Tangent => return None,
            Approx::ReciprocalUpper | Approx::ReciprocalRootUpper => return None,
        })
    }
}

/// Of a shape and its rows. What is below goes from less than 0 to 2^32, or 2^32 less; so much is taken away from it.
fn interpolation(shape: &Shape, rows: &[Row], multiples: [u32; 2], less: u32, signed: bool) -> Interpolation {
    let [first, second] = shape.places;
    // 2^32 and more than that need half of the first product.
    let halved = shape.falls && shape.low_bits() == 17;
    let places = first - second - u32::from(halved);
    // The square's 15 bits stand at the 19th place of that of 17 bits.
    let square = 19 - 2 * (17 - shape.low_bits()) - second - u32::from(halved);
    let wrapped = if shape.falls { 1 << (32 - places) } else { 0 };
    let offset = wrapped - i64::from(less as i32) / (1 << places);
    let half = rows.len() / 2;
    let rows = rows.iter().enumerate().map(|(row, [constant, slope, bend])| {
        let constant = i64::from(*constant) - offset;
        let slope = slope.wrapping_sub(multiples[row / half] << places);
        [constant as u32, slope << 16 | bend << square]
    });
    let bias = if halved { 0 } else { (shape.bias() >> second) as u32 };
    Interpolation {
        rows: rows.collect(),
        low_bits: shape.low_bits(),
        falls: shape.falls,
        bends_down: shape.bends_down,
        signed,
        multiples,
        added: bias.wrapping_sub(less),
        places,
        halved,
    }
}

/// The square's bits from the 19th on, of low bits that reach up to the 17th: of the bits from the 9th on all products but that of
/// the 9th with itself, and of each bit below with those that together stand high enough.
#[cfg(test)]
fn square(x: u32) -> u32 {
    let high = x >> 9;
    ((high * high) >> 1) + (1..=7).map(|k| (x >> (9 - k) & 1) * (high >> k)).sum::<u32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum at the places that matter, by 32-bit arithmetic; with a sign, all of it.
    fn sum(f: &Interpolation, argument: u32) -> i64 {
        let low = argument & ((1 << f.low_bits) - 1);
        let [constant, factors] = f.rows[(argument >> f.low_bits) as usize];
        let slope = if f.signed { (factors as i32 >> 16) as u32 } else { factors >> 16 };
        let first = slope.wrapping_mul(if f.halved { low >> 1 } else { low });
        let second = (factors & 0xffff) * square(low << (17 - f.low_bits));
        let signed = |v: u32, minus: bool| if minus { v.wrapping_neg() } else { v };
        let below = f.added.wrapping_add(signed(first, f.falls)).wrapping_add(signed(second, f.bends_down));
        let half = || if low & 1 == 1 { (0xffff - slope) >> 1 } else { 0x7fff };
        let below = if f.halved { below.wrapping_add(half()) } else { below };
        let second = (argument >> f.low_bits) as usize / (f.rows.len() / 2);
        let above = constant.wrapping_add(f.multiples[second] * low);
        match f.signed {
            true => (i64::from(above) << f.places) + i64::from(below as i32),
            false => above.wrapping_add(below >> f.places).into(),
        }
    }

    #[test]
    fn the_sums_are_those_of_the_unit_for_every_argument() {
        let functions = [
            (Approx::Reciprocal, &RCP, &tables::RCP[..]),
            (Approx::Root, &SQRT, &tables::SQRT[..]),
            (Approx::ReciprocalRoot, &RSQ, &tables::RSQ[..]),
            (Approx::Power, &EX2, &tables::EX2[..]),
            (Approx::Logarithm, &LG2, &tables::LG2[..]),
            (Approx::Sine, &SIN, &tables::SIN[..]),
        ];
        // Next to each other in optimised code; else few of each row, and its ends.
        let step = if cfg!(debug_assertions) { 251 } else { 1 };
        for (function, shape, rows) in functions {
            let f = function.interpolation().expect("one of .f32");
            for row in 0..f.rows.len() as u32 {
                let last = (1u32 << f.low_bits) - 1;
                for low in (0..=last).step_by(step).chain([1, 2, last - 1, last]) {
                    let exact = shape.interpolate(rows[row as usize], low);
                    let want = exact >> shape.places[usize::from(f.signed)];
                    let got = sum(&f, row << f.low_bits | low);
                    assert_eq!(got, want, "{function:?}: row {row}, low bits {low:#x}");
                }
            }
        }
    }
}
