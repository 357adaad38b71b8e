//! A picture as a camera takes it in the dark: the first frame of the landscape, with grain.

use crate::motion;
use crate::noise::lattice;

/// Width of the picture in pixels.
pub const WIDTH: usize = motion::WIDTH;

/// The picture, row by row. Grain makes a pixel at most 27 brighter or darker: the sum of three even ones.
pub fn grainy() -> Vec<u8> {
    let even = |at: usize, seed: u32| lattice((at % WIDTH) as i64, (at / WIDTH) as i64, seed) * 2.0 - 1.0;
    let grain = |at: usize| (9.0 * (even(at, 71) + even(at, 72) + even(at, 73))).round();
    let frame = motion::frame(0);
    frame.iter().enumerate().map(|(at, pixel)| (f64::from(*pixel) + grain(at)) as u8).collect()
}
