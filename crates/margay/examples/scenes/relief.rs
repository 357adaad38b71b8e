//! A height map of mountains with valleys and a lake.

use crate::noise::fractal;

/// Width of the map in pixels.
pub const WIDTH: usize = 512;
/// Height of the map in pixels.
pub const HEIGHT: usize = 320;
/// Nothing lies lower than the lake.
const LAKE: f64 = 46.0;

/// Heights from 0 to 255, row by row.
pub fn heights() -> Vec<u8> {
    (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| height(x as f64, y as f64) as u8)).collect()
}

fn height(x: f64, y: f64) -> f64 {
    // Lines are bent by a little noise, so that ridges wander.
    let (u, v) = (x + 26.0 * fractal(x, y, 90.0, 2, 7), y + 26.0 * fractal(x, y, 90.0, 2, 17));
    let (mut sum, mut strength, mut cell, mut above) = (0.0, 1.0, 128.0, 1.0);
    for octave in 0..6 {
        // Sharp where noise crosses zero: a ridge. Details grow on ridges and leave valleys smooth.
        let ridge = 1.0 - fractal(u, v, cell, 1, 100 + octave).abs();
        let ridge = ridge * ridge * above;
        sum += strength * ridge;
        above = (ridge * 2.2).clamp(0.25, 1.0);
        strength *= 0.5;
        cell *= 0.5;
    }
    let tilt = 1.0 + 0.35 * fractal(x, y, 240.0, 2, 301);
    (sum * tilt * 138.0 - 20.0 + 0.5).clamp(LAKE, 255.0)
}
