//! Products of whole matrices, block by block of 16 rows and 8 columns, as warps multiply theirs.

use crate::batch::lanes::{Line, Lines, Place, ProductOp, ProductRoom};
use margay_isa::tensor_core::Product;
use margay_isa::tensor_memory::Packed;
use std::sync::Arc;

/// Rows and columns of a block.
const ROWS: usize = 16;
const COLUMNS: usize = 8;

/// Registers of a block of A and of B.
const OF_A: usize = 4;
const OF_B: usize = 2;

/// Lines of a register.
const HALVES: usize = 2;

/// Blocks of A that lie taken apart at the same time.
const MOST: usize = 8;

impl Lines<'_> {
    /// Adds the product of A's rows and B's columns to D, row by row; elements of half precision have a word each.
    ///
    /// # Panics
    /// If there are not whole blocks of rows and columns, at most eight of rows, or the product is none of a block.
    pub(crate) fn multiply_blocks(
        &self,
        product: &Arc<Product>,
        (a, b): (&[Packed], &[Packed]),
        d: &mut [u32],
        room: &mut ProductRoom,
    ) {
        let (blocks, n) = (a.len() / ROWS, b.len());
        assert!(
            a.len().is_multiple_of(ROWS)
                && n.is_multiple_of(COLUMNS)
                && blocks <= MOST
                && d.len() == a.len() * n
        );
        let halves = product.tile().is_some_and(|tile| tile.halves);
        let of_d = if halves { 2 } else { 4 };
        let of_block = OF_A + of_d;
        let place = |register: usize| Place { line: (HALVES * register) as u32, stride: 1 };
        let op = |block: usize| {
            let first = OF_B + block * of_block;
            let sums: Vec<Place> = (0..of_d).map(|k| place(first + OF_A + k)).collect();
            let from =
                (0..OF_A).map(|k| place(first + k)).chain((0..OF_B).map(place)).chain(sums.iter().copied());
            ProductOp::new(product.clone(), from.collect(), sums.iter().copied().map(Some).collect())
        };
        let mut ops: Vec<ProductOp> = (0..blocks).map(op).collect();
        ProductOp::keep(&mut ops);
        let mut lines = vec![Line([0; _]); HALVES * (OF_B + blocks * of_block)];
        for (block, rows) in a.as_chunks::<ROWS>().0.iter().enumerate() {
            for k in 0..OF_A {
                let word = |g: usize, t: usize| rows[g + 8 * (k % 2)][4 * (k / 2) + t];
                spread(&mut lines, OF_B + block * of_block + k, word);
            }
        }
        for (number, columns) in b.as_chunks::<COLUMNS>().0.iter().enumerate() {
            for k in 0..OF_B {
                spread(&mut lines, k, |g, t| columns[g][4 * k + t]);
            }
            let columns = COLUMNS * number..COLUMNS * (number + 1);
            for block in 0..blocks {
                let rows = d[ROWS * block * n..].chunks_exact(n);
                let mut sums = [[0; COLUMNS]; ROWS];
                sums.iter_mut().zip(rows).for_each(|(to, row)| to.copy_from_slice(&row[columns.clone()]));
                let lines = &mut lines[HALVES * (OF_B + block * of_block + OF_A)..];
                if halves { hold_halves(&sums, lines) } else { hold(&sums, lines) }
            }
            self.multiply_held(&ops, &mut lines, room);
            // The blocks of A stay as they are taken apart.
            if number == 0 {
                ops.iter_mut().for_each(ProductOp::keep_a);
            }
            for block in 0..blocks {
                let lines = &lines[HALVES * (OF_B + block * of_block + OF_A)..];
                let sums = if halves { held_halves(lines) } else { held(lines) };
                let rows = d[ROWS * block * n..].chunks_exact_mut(n);
                rows.zip(&sums).for_each(|(row, from)| row[columns.clone()].copy_from_slice(from));
            }
        }
    }
}

/// A block of D.
type Sums = [[u32; COLUMNS]; ROWS];

/// Where lanes hold a block of D, one after the other in its lines: for each pair of rows and columns that registers have, a line's half of
/// the warp, its rows of four, and its lanes.
fn hold(sums: &Sums, lines: &mut [Line]) {
    let lines: &mut [Line; 8] = lines.first_chunk_mut().expect("a block's lines");
    for (k, line) in lines.iter_mut().enumerate() {
        let (h, j, p) = (k / 4, k / 2 % 2, k % 2);
        for (lane, to) in line.0.iter_mut().enumerate() {
            *to = sums[8 * h + 4 * p + lane / 4][2 * (lane % 4) + j];
        }
    }
}

/// The same back.
fn held(lines: &[Line]) -> Sums {
    let lines: &[Line; 8] = lines.first_chunk().expect("a block's lines");
    let mut sums = [[0; COLUMNS]; ROWS];
    for (k, line) in lines.iter().enumerate() {
        let (h, j, p) = (k / 4, k / 2 % 2, k % 2);
        for (lane, word) in line.0.iter().enumerate() {
            sums[8 * h + 4 * p + lane / 4][2 * (lane % 4) + j] = *word;
        }
    }
    sums
}

/// The same of numbers of 16 bits, of which a register has two neighbours.
fn hold_halves(sums: &Sums, lines: &mut [Line]) {
    let lines: &mut [Line; 4] = lines.first_chunk_mut().expect("a block's lines");
    for (k, line) in lines.iter_mut().enumerate() {
        for (lane, to) in line.0.iter_mut().enumerate() {
            let [low, high] = [0, 1].map(|j| sums[4 * k + lane / 4][2 * (lane % 4) + j]);
            *to = low | high << 16;
        }
    }
}

fn held_halves(lines: &[Line]) -> Sums {
    let lines: &[Line; 4] = lines.first_chunk().expect("a block's lines");
    let mut sums = [[0; COLUMNS]; ROWS];
    for (k, line) in lines.iter().enumerate() {
        for (lane, word) in line.0.iter().enumerate() {
            let row = &mut sums[4 * k + lane / 4];
            (row[2 * (lane % 4)], row[2 * (lane % 4) + 1]) = (word & 0xffff, word >> 16);
        }
    }
    sums
}

/// Gives lane 4g + t of a register a word.
fn spread(lines: &mut [Line], register: usize, word: impl Fn(usize, usize) -> u32) {
    let lines: &mut [Line] = &mut lines[HALVES * register..][..HALVES];
    for (half, line) in lines.iter_mut().enumerate() {
        for (k, to) in line.0.iter_mut().enumerate() {
            *to = word(4 * half + k / 4, k % 4);
        }
    }
}
