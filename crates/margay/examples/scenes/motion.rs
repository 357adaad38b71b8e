//! Two frames of a landscape in which every layer moves in its own known way.

use crate::noise::{fractal, lattice};

/// Width of a frame in pixels: 48 blocks and a margin on both sides.
pub const WIDTH: usize = BLOCKS_X * BLOCK + 2 * MARGIN;
/// Height of a frame in pixels: 32 blocks and a margin on both sides.
pub const HEIGHT: usize = BLOCKS_Y * BLOCK + 2 * MARGIN;
/// Blocks side by side.
pub const BLOCKS_X: usize = 48;
/// Blocks one above the other.
pub const BLOCKS_Y: usize = 32;
/// Side of a block in pixels.
pub const BLOCK: usize = 8;
/// Pixels around the blocks that only the search looks at.
pub const MARGIN: usize = 8;

/// How a layer moves from the first frame to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Every point by the same whole number of pixels.
    Shift(i32, i32),
    /// A turn about a centre by the angle whose half has the tangent 1/20 (5.7 degrees).
    Turn(f64, f64),
}

/// Cosine and sine of the angle of [`Motion::Turn`].
const TURN: (f64, f64) = (399.0 / 401.0, 40.0 / 401.0);

impl Motion {
    /// Where a point of the first frame is in the second.
    pub fn forth(self, x: f64, y: f64) -> (f64, f64) {
        self.turned(x, y, 1.0)
    }

    /// Where a point of the second frame was in the first.
    fn back(self, x: f64, y: f64) -> (f64, f64) {
        self.turned(x, y, -1.0)
    }

    fn turned(self, x: f64, y: f64, way: f64) -> (f64, f64) {
        match self {
            Motion::Shift(dx, dy) => (x + way * f64::from(dx), y + way * f64::from(dy)),
            Motion::Turn(cx, cy) => {
                let ((cos, sin), (u, v)) = (TURN, (x - cx, y - cy));
                (cx + cos * u - way * sin * v, cy + way * sin * u + cos * v)
            }
        }
    }
}

struct Layer {
    motion: Motion,
    covers: fn(f64, f64) -> bool,
    shade: fn(f64, f64) -> f64,
}

fn within(x: f64, y: f64, (cx, cy): (f64, f64), (rx, ry): (f64, f64)) -> bool {
    let (u, v) = ((x - cx) / rx, (y - cy) / ry);
    u * u + v * v <= 1.0
}

/// Height of a ridge at `x`: the layer lies below it.
fn ridge(x: f64, level: f64, rise: f64, size: f64, seed: u32) -> f64 {
    level - rise * fractal(x, 0.5, size, 5, seed)
}

fn grain(x: f64, y: f64, seed: u32) -> f64 {
    fractal(x, y, 4.5, 2, seed)
}

const MOON: (f64, f64) = (296.0, 82.0);

/// From the front to the back.
const LAYERS: [Layer; 8] = [
    // A boat that sails with the wind.
    Layer {
        motion: Motion::Shift(5, 1),
        covers: |x, y| {
            let sail = (176.0..=222.0).contains(&y) && x >= 120.0 && x - 120.0 <= (y - 176.0) * 0.9;
            let hull = (224.0..=238.0).contains(&y) && x >= 104.0 + (y - 224.0) && x <= 178.0 - (y - 224.0);
            sail || hull || ((176.0..=224.0).contains(&y) && (116.0..=119.0).contains(&x))
        },
        shade: |x, y| if y < 223.0 { 215.0 + 34.0 * grain(x, y, 11) } else { 60.0 + 50.0 * grain(x, y, 12) },
    },
    // The river.
    Layer {
        motion: Motion::Shift(-6, 0),
        covers: |x, y| y > ridge(x, 218.0, 5.0, 120.0, 21),
        shade: |x, y| 96.0 + 50.0 * fractal(x * 0.35, y, 7.0, 3, 22) + 26.0 * grain(x, y, 23),
    },
    // A balloon that rises.
    Layer {
        motion: Motion::Shift(-2, -7),
        covers: |x, y| {
            let basket = (100.0..=116.0).contains(&x) && (146.0..=158.0).contains(&y);
            let ropes = (134.0..=146.0).contains(&y) && (x - 108.0).abs() <= 14.0 - (y - 134.0) * 0.5;
            within(x, y, (108.0, 96.0), (38.0, 42.0)) || basket || ropes
        },
        shade: |x, y| {
            let band = if ((x - 60.0) / 16.0).floor() as i64 % 2 == 0 { 205.0 } else { 120.0 };
            if y > 138.0 { 70.0 + 50.0 * grain(x, y, 31) } else { band + 40.0 * grain(x, y, 32) }
        },
    },
    // An airship that crosses the sky.
    Layer {
        motion: Motion::Shift(7, 3),
        covers: |x, y| {
            within(x, y, (200.0, 46.0), (34.0, 13.0))
                || ((160.0..=172.0).contains(&x) && (32.0..=60.0).contains(&y))
        },
        shade: |x, y| 150.0 - 3.0 * (y - 46.0) + 40.0 * grain(x, y, 41),
    },
    // Near hills.
    Layer {
        motion: Motion::Shift(3, 0),
        covers: |x, y| y > ridge(x, 188.0, 34.0, 150.0, 51),
        shade: |x, y| 58.0 + 26.0 * fractal(x, y, 24.0, 2, 52) + 34.0 * grain(x, y, 53),
    },
    // Mountains far away.
    Layer {
        motion: Motion::Shift(1, 0),
        covers: |x, y| y > ridge(x, 150.0, 60.0, 110.0, 61),
        shade: |x, y| 128.0 + 40.0 * fractal(x + y, y, 22.0, 3, 62) + 28.0 * grain(x, y, 63),
    },
    // A moon that turns.
    Layer {
        motion: Motion::Turn(MOON.0, MOON.1),
        covers: |x, y| within(x, y, MOON, (62.0, 62.0)),
        shade: |x, y| 182.0 + 56.0 * fractal(x, y, 26.0, 3, 71) + 24.0 * grain(x, y, 72),
    },
    // The sky with its clouds.
    Layer {
        motion: Motion::Shift(-2, 1),
        covers: |_, _| true,
        shade: |x, y| 44.0 + y * 0.22 + 44.0 * fractal(x * 0.6, y, 40.0, 4, 81) + 32.0 * grain(x, y, 82),
    },
];

/// The front layer at a point of frame 0 or 1, and the point of frame 0 that it shows there.
fn seen(frame: u8, x: f64, y: f64) -> (usize, f64, f64) {
    let place = |layer: &Layer| if frame == 0 { (x, y) } else { layer.motion.back(x, y) };
    let front = LAYERS.iter().position(|layer| {
        let (u, v) = place(layer);
        (layer.covers)(u, v)
    });
    let front = front.unwrap_or(LAYERS.len() - 1);
    let (u, v) = place(&LAYERS[front]);
    (front, u, v)
}

/// The pixels of frame 0 or 1, row by row, with a little noise that is new in each.
pub fn frame(frame: u8) -> Vec<u8> {
    let pixel = |x: usize, y: usize| {
        let (layer, u, v) = seen(frame, x as f64, y as f64);
        let noise = 3.0 * lattice(x as i64, y as i64, 900 + u32::from(frame)) - 1.5;
        ((LAYERS[layer].shade)(u, v) + noise + 0.5).clamp(0.0, 255.0) as u8
    };
    (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| pixel(x, y))).collect()
}

/// The motion of the block in column `bx` and row `by` of the first frame, if it has one: all its pixels belong to one
/// layer, and none of them is hidden in the second frame.
pub fn truth(bx: usize, by: usize) -> Option<Motion> {
    let (left, top) = (MARGIN + bx * BLOCK, MARGIN + by * BLOCK);
    let points = || (0..BLOCK * BLOCK).map(|i| ((left + i % BLOCK) as f64, (top + i / BLOCK) as f64));
    let layer = seen(0, left as f64, top as f64).0;
    let motion = LAYERS[layer].motion;
    let stays = |(x, y): (f64, f64)| {
        let (u, v) = motion.forth(x, y);
        seen(0, x, y).0 == layer && seen(1, (u + 0.5).floor(), (v + 0.5).floor()).0 == layer
    };
    points().all(stays).then_some(motion)
}
