//! Which word of tensor memory each register of each lane of a warp holds when it is loaded or stored (manual, 9.7.16.2.3.1).

use super::Cell;
use crate::inst::Inst;
use crate::words::{Slot, Word};

/// Loads or stores of a shape, repeated along the columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Movement {
    shape: Shape,
    /// Registers of each lane.
    registers: usize,
    /// Whether a register holds the lower halves of two words.
    packed: bool,
}

/// Lanes of tensor memory, and columns that registers of the warp's lanes hold once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Lanes32,
    /// Sixteen lanes, of which the second half of the warp holds columns further on.
    Lanes16Twice,
    Lanes16x2,
    Lanes16x4,
    Lanes16x8,
}

impl Movement {
    /// That of an instruction with so many registers.
    pub(crate) fn new(inst: &Inst, registers: usize) -> Movement {
        let shape = match inst[Slot::Shape] {
            Word::Lanes16x64b => Shape::Lanes16x2,
            Word::Lanes16x128b => Shape::Lanes16x4,
            Word::Lanes16x256b => Shape::Lanes16x8,
            Word::Lanes32x32b => Shape::Lanes32,
            _ => Shape::Lanes16Twice,
        };
        Movement { shape, registers, packed: inst.has(Slot::Hint) }
    }

    /// Registers of each lane.
    pub fn registers(&self) -> usize {
        self.registers
    }

    /// Whether the second half of the warp holds columns whose distance an operand says.
    pub fn is_split(&self) -> bool {
        self.shape == Shape::Lanes16Twice
    }

    /// Lanes of tensor memory that it reads or writes.
    pub fn lanes(&self) -> u32 {
        if self.shape == Shape::Lanes32 { 32 } else { 16 }
    }

    /// Words of a register, one or two.
    pub fn words(&self) -> usize {
        if self.packed { 2 } else { 1 }
    }

    /// The word that a register of a lane of the warp holds, or the lower half of which it holds in its lower or upper half; counted from
    /// the first lane and column. The second half of the warp may hold columns that lie `split` on.
    pub fn cell(&self, lane: usize, register: usize, half: usize, split: u32) -> Cell {
        let (t, r) = (lane as u32, register as u32);
        let (lane, column, on) = match self.shape {
            Shape::Lanes32 => (t, r, 0),
            Shape::Lanes16Twice => (t % 16, r, if t < 16 { 0 } else { split }),
            Shape::Lanes16x2 => (t / 4 + 8 * (t & 1), 2 * r + (t >> 1 & 1), 0),
            Shape::Lanes16x4 => (t / 4 + 8 * (r & 1), 4 * (r >> 1) + t % 4, 0),
            Shape::Lanes16x8 => (t / 4 + 8 * (r >> 1 & 1), 8 * (r >> 2) + 2 * (t % 4) + (r & 1), 0),
        };
        let column = column * self.words() as u32 + half as u32;
        Cell { lane, column: column.wrapping_add(on) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn registers_hold_every_word_of_a_shape_once() {
        let shapes = [
            (Shape::Lanes32, 1, 32, 1),
            (Shape::Lanes16Twice, 1, 16, 2),
            (Shape::Lanes16x2, 1, 16, 2),
            (Shape::Lanes16x4, 2, 16, 4),
            (Shape::Lanes16x8, 4, 16, 8),
        ];
        for (shape, once, lanes, columns) in shapes {
            for (times, packed) in [1, 2, 8].into_iter().flat_map(|n| [(n, false), (n, true)]) {
                let movement = Movement { shape, registers: once * times, packed };
                let words = movement.words();
                let split = (times * words) as u32;
                let held: BTreeSet<(u32, u32)> = (0..32)
                    .flat_map(|t| (0..once * times).flat_map(move |r| (0..words).map(move |h| (t, r, h))))
                    .map(|(t, r, h)| movement.cell(t, r, h, split))
                    .map(|cell| (cell.lane, cell.column))
                    .collect();
                let all = (0..lanes).flat_map(|l| (0..columns * split).map(move |c| (l, c)));
                assert!(held.into_iter().eq(all), "{movement:?}");
            }
        }
    }

    #[test]
    fn sixteen_lanes_of_eight_columns_are_what_warps_hold_of_a_product() {
        let movement = Movement { shape: Shape::Lanes16x8, registers: 4, packed: false };
        // Lane 4g + t has columns 2t and 2t + 1 of row g, and of row g + 8.
        let held = [0, 1, 2, 3].map(|r| movement.cell(4 * 5 + 3, r, 0, 0)).map(|c| (c.lane, c.column));
        assert_eq!(held, [(5, 6), (5, 7), (13, 6), (13, 7)]);
    }
}
