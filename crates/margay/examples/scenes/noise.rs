//! Smooth noise made of sums, products and one square root, so that every machine draws the same pictures.

/// A number from 0 to 1 that belongs to the lattice point `(x, y)` of pattern `seed`.
pub fn lattice(x: i64, y: i64, seed: u32) -> f64 {
    let mut h = (x as u32).wrapping_mul(0x9e37_79b1)
        ^ (y as u32).wrapping_mul(0x85eb_ca77)
        ^ seed.wrapping_mul(0xc2b2_ae3d);
    for shift in [15, 13, 16] {
        h = (h ^ (h >> shift)).wrapping_mul(0x2c1b_3c6d);
    }
    f64::from(h >> 8) / f64::from(1u32 << 24)
}

/// Lattice values blended smoothly, for lattice cells of one unit.
fn smooth(x: f64, y: f64, seed: u32) -> f64 {
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let blend = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let (cx, cy) = (x.floor(), y.floor());
    let (tx, ty) = (ease(x - cx), ease(y - cy));
    let at = |dx: i64, dy: i64| lattice(cx as i64 + dx, cy as i64 + dy, seed);
    blend(blend(at(0, 0), at(1, 0), tx), blend(at(0, 1), at(1, 1), tx), ty)
}

/// Noise from -1 to 1 with details of `size` pixels, and of half that size at half the strength, `octaves` times.
pub fn fractal(x: f64, y: f64, size: f64, octaves: u32, seed: u32) -> f64 {
    let (mut sum, mut total, mut strength, mut cell) = (0.0, 0.0, 1.0, size);
    for octave in 0..octaves {
        sum += strength * (2.0 * smooth(x / cell, y / cell, seed + octave) - 1.0);
        total += strength;
        strength /= 2.0;
        cell /= 2.0;
    }
    sum / total
}
