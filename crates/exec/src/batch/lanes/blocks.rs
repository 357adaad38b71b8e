//! Products of whole matrices, block by block of 16 rows and 8 columns, as warps multiply theirs.

use crate::batch::lanes::{Line, Lines, Place, ProductOp, ProductRoom};
use margay_isa::WARP;
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
            for block in 0..blocks {
                let at = |row: usize| &d[(ROWS * block + row) * n + COLUMNS * number..][..COLUMNS];
                for k in 0..of_d {
                    let word = |g: usize, t: usize| match halves {
                        true => at(g + 8 * k)[2 * t] | at(g + 8 * k)[2 * t + 1] << 16,
                        false => at(g + 8 * (k / 2))[2 * t + k % 2],
                    };
                    spread(&mut lines, OF_B + block * of_block + OF_A + k, word);
                }
            }
            self.multiply_held(&ops, &mut lines, room);
            // The blocks of A stay as they are taken apart.
            if number == 0 {
                ops.iter_mut().for_each(ProductOp::keep_a);
            }
            for block in 0..blocks {
                for k in 0..of_d {
                    let first = HALVES * (OF_B + block * of_block + OF_A + k);
                    let words: &[u32; WARP] =
                        bytemuck::cast_ref(lines[first..].first_chunk::<HALVES>().expect("two lines"));
                    for (lane, word) in words.iter().enumerate() {
                        let (g, t) = (lane / 4, lane % 4);
                        let (row, column) =
                            if halves { (g + 8 * k, 2 * t) } else { (g + 8 * (k / 2), 2 * t + k % 2) };
                        let to = &mut d[(ROWS * block + row) * n + COLUMNS * number + column..];
                        match halves {
                            true => to[..2].copy_from_slice(&[word & 0xffff, word >> 16]),
                            false => to[0] = *word,
                        }
                    }
                }
            }
        }
    }
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
