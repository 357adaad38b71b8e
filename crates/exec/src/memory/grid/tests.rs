//! Grids of elements on every level against their elements one by one.

use super::*;
use crate::batch::Simd;
use crate::memory::Words;

fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// A grid of elements of so many bytes inside so many.
fn random_grid(seed: &mut u64, bytes: u64, width: u64) -> Option<Grid> {
    let extent = [[1, 5, 16, 32, 40][next(seed) as usize % 5], [1, 3, 4][next(seed) as usize % 3], 1, 2];
    let extent = std::array::from_fn(|k| if next(seed).is_multiple_of(4) { 1 } else { extent[k] });
    let mut steps = [0i64; AXES];
    for axis in 0..AXES {
        let joined = if axis == 0 { 1 } else { steps[axis - 1] * i64::from(extent[axis - 1]) / width as i64 };
        let n = [0, 1, 2, 4, 17, -3, joined, 33][next(seed) as usize % 8];
        steps[axis] = n * width as i64;
    }
    let reach = |sign: i64| -> i64 {
        let far = steps.iter().zip(extent).map(|(s, n): (&i64, u32)| s * (i64::from(n) - 1));
        far.filter(|far| far * sign > 0).sum()
    };
    let (below, above) = (reach(-1).unsigned_abs(), reach(1).unsigned_abs() + width);
    let room = bytes.checked_sub(below + above)?;
    // At the ends too.
    let skip = [0, room / width, next(seed) % (room / width + 1)][next(seed) as usize % 3];
    Some(Grid { at: below + skip * width, steps, extent })
}

fn offsets(grid: &Grid) -> Vec<u64> {
    let mut out = Vec::new();
    for [w, z, y, x] in (0..grid.extent[3]).flat_map(|w| {
        (0..grid.extent[2]).flat_map(move |z| {
            (0..grid.extent[1]).flat_map(move |y| (0..grid.extent[0]).map(move |x| [w, z, y, x]))
        })
    }) {
        let place = [x, y, z, w];
        let far: i64 = (0..AXES).map(|k| grid.steps[k] * i64::from(place[k])).sum();
        out.push(grid.at.wrapping_add_signed(far));
    }
    out
}

#[test]
fn grids_are_read_and_written_element_by_element_on_every_level() {
    const BYTES: u64 = 4096;
    let (mut seed, mut judged) = (7, 0);
    for round in 0..4_000u64 {
        let width = 1 << (round % 4);
        let Some(grid) = random_grid(&mut seed, BYTES, width) else { continue };
        judged += 1;
        let words = Words::zeroed(BYTES).unwrap();
        let data: Vec<u8> = (0..BYTES).map(|_| next(&mut seed) as u8).collect();
        let offsets = offsets(&grid);
        let values: Vec<u64> =
            (0..offsets.len().max(GROUP)).map(|_| next(&mut seed) << 31 ^ next(&mut seed)).collect();
        let narrow: Vec<u32> = values.iter().map(|n| *n as u32).collect();
        for simd in Simd::available() {
            let level = Level::of(*simd);
            words.set_bytes(0, &data);
            let bulk = Bulk::of_words(&words);
            let wanted: Vec<u64> = offsets.iter().map(|at| words.load(*at, width as u32)).collect();
            let read: Vec<u64> = if width == 8 {
                let mut out = vec![1; offsets.len()];
                bulk.read_grid_u64(level, grid, &mut out);
                out
            } else {
                let mut out = vec![1; offsets.len()];
                bulk.read_grid(level, grid, width as u32, &mut out);
                out.into_iter().map(u64::from).collect()
            };
            assert_eq!(read, wanted, "{grid:?} of {width} bytes, {simd:?}");
            for same in [false, true] {
                words.set_bytes(0, &data);
                let all = |k: usize| if same { values[0] } else { values[k] };
                offsets.iter().enumerate().for_each(|(k, at)| words.store(*at, width as u32, all(k)));
                let wanted = words.bytes(0, BYTES);
                words.set_bytes(0, &data);
                match (width, same) {
                    (8, false) => bulk.write_grid_u64(level, grid, &values, false),
                    (8, true) => bulk.write_grid_u64(level, grid, &[values[0]; GROUP], true),
                    (_, false) => bulk.write_grid(level, grid, width as u32, &narrow, false),
                    (_, true) => bulk.write_grid(level, grid, width as u32, &[narrow[0]; GROUP], true),
                }
                assert!(words.bytes(0, BYTES) == wanted, "{grid:?} of {width} bytes, {simd:?}, {same}");
            }
        }
    }
    assert!(judged > 1_000, "{judged}");
}

#[test]
fn a_grid_that_reaches_outside_is_refused() {
    let words = Words::zeroed(64).unwrap();
    let grid = |at, step, extent| Grid { at, steps: [step, 0, 0, 0], extent: [extent, 1, 1, 1] };
    let refused = |grid: Grid, threads: usize| {
        let read = std::panic::AssertUnwindSafe(|| {
            let mut out = vec![0; threads];
            Bulk::of_words(&words).read_grid(Level::of(Simd::best()), grid, 4, &mut out);
        });
        std::panic::catch_unwind(read).is_err()
    };
    assert!(!refused(grid(0, 4, 16), 16));
    assert!(!refused(grid(60, -4, 16), 16));
    assert!(refused(grid(4, 4, 16), 16));
    assert!(refused(grid(56, -4, 16), 16));
    assert!(refused(grid(2, 4, 2), 2));
    assert!(refused(grid(0, 2, 2), 2));
    assert!(refused(grid(0, i64::MAX - 3, 3), 3));
    assert!(refused(grid(0, 4, 16), 17));
    assert!(refused(grid(u64::MAX - 3, 4, 1), 1));
}
