//! Copies of shared memory: which bytes become which words of tensor memory (manual, 9.7.16.9).

use crate::kernel::{Block, COLUMNS, LANES, SHARED, WORDS, at, judge_cells, kernel, once, run};
use crate::layout::{Layout, MODES, bits_of};
use crate::random::Random;

/// Shapes: rows and chunks of a row.
const SHAPES: [(&str, usize, usize); 6] = [
    ("128x256b", 128, 2),
    ("128x128b", 128, 1),
    ("4x256b", 4, 2),
    ("64x128b.warpx2::02_13", 64, 1),
    ("64x128b.warpx2::01_23", 64, 1),
    ("32x128b.warpx4", 32, 1),
];
/// How numbers are spread to bytes: their bits, and how far to the left they lie in theirs.
const SPREADS: [(&str, usize, usize); 3] =
    [("", 8, 0), (".b8x16.b6x16_p32", 6, 0), (".b8x16.b4x16_p64", 4, 2)];

/// The lanes that a row goes to.
fn lanes(shape: &str, row: usize) -> Vec<usize> {
    match shape {
        "4x256b" => vec![32 * row],
        "64x128b.warpx2::02_13" => vec![row, row + 64],
        "64x128b.warpx2::01_23" if row < 32 => vec![row, row + 32],
        "64x128b.warpx2::01_23" => vec![row + 32, row + 64],
        "32x128b.warpx4" => vec![row, row + 32, row + 64, row + 96],
        _ => vec![row],
    }
}

/// Every shape and way to spread numbers with every swizzling mode.
pub fn judge() {
    let mut random = Random::new(4, 4);
    for (shape, spread) in SHAPES.into_iter().flat_map(|shape| SPREADS.map(|spread| (shape, spread))) {
        for mode in 0..MODES.len() {
            judge_one(&mut random, shape, spread, mode);
        }
    }
}

fn judge_one(
    random: &mut Random,
    (shape, rows, chunks): (&str, usize, usize),
    (spread, width, left): (&str, usize, usize),
    mode: usize,
) {
    let layout = Layout::draw(random, (0, SHARED), (rows, chunks), (mode, false));
    let lane = if rows == 4 { random.below(32) } else { 0 };
    let column = random.below(COLUMNS - 4 * chunks + 1);
    let what = format!(
        "mov.u64 %descA, {}; add.u32 %x, %base, {};\ntcgen05.cp.cta_group::1.{shape}{spread} [%x], %descA;",
        layout.descriptor(),
        lane << 16 | column,
    );
    let text = kernel(&once(random.below(LANES), &what));
    let blocks = if random.once_in(4) { 2 } else { 1 };
    let blocks: Vec<Block> = (0..blocks)
        .map(|_| Block {
            picture: random.bytes(SHARED),
            cells: (0..LANES * COLUMNS).map(|_| random.next() as u32).collect(),
            words: vec![0; LANES * WORDS],
        })
        .collect();
    for (left_over, Block { picture, cells, .. }) in run(&text, &blocks).iter().zip(&blocks) {
        let mut expected = cells.clone();
        // Byte by byte; `byte` counts those of a row in tensor memory.
        for (row, byte) in (0..rows).flat_map(|row| (0..16 * chunks).map(move |byte| (row, byte))) {
            let bits = bits_of(picture, layout.chunk(row, byte / 16), byte % 16 * width, width);
            for to in lanes(shape, row) {
                let word = &mut expected[at(lane + to, column + byte / 4)];
                let shift = byte % 4 * 8;
                *word = *word & !(0xff << shift) | (bits as u32) << left << shift;
            }
        }
        judge_cells(&left_over.cells, &expected, &format!("{what}\n{layout:?}"));
    }
}
