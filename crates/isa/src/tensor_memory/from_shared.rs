//! Copies of shared memory to tensor memory: which bytes become which words (manual, 9.7.16.9).

use super::Cell;
use crate::inst::Inst;
use crate::shared_matrix::{CORE, Chunk, Descriptor};
use crate::words::{Slot, Word};

/// Words of a chunk.
const WORDS: usize = size_of::<Chunk>() / size_of::<u32>();

/// A copy of rows of one or two chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FromShared {
    rows: usize,
    /// Chunks of a row.
    chunks: usize,
    lanes: Lanes,
    /// Bits of the numbers that are spread to bytes, if they are, and how far these are moved to the left in theirs.
    spread: Option<(u32, u32)>,
}

/// Which lanes get a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lanes {
    /// The one with its number.
    Own,
    /// The first one of the quarter with its number.
    Quarters,
    /// One of 64, and the one that lies 64 on.
    Halves,
    /// One of 32 in the first pair of quarters or in the second, and the one beside it there.
    Pairs,
    /// One in each quarter.
    All,
}

/// A chunk's words, and the first cell of each place that they go to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Where the chunk lies in shared memory.
    pub from: u64,
    /// Where its words go.
    pub to: Vec<Cell>,
}

impl FromShared {
    pub(crate) fn new(inst: &Inst) -> FromShared {
        let (rows, chunks, lanes) = match (inst[Slot::Shape], inst[Slot::Multicast]) {
            (Word::Copy128x256b, _) => (128, 2, Lanes::Own),
            (Word::Copy128x128b, _) => (128, 1, Lanes::Own),
            (Word::Copy4x256b, _) => (4, 2, Lanes::Quarters),
            (_, Word::WarpX2Even) => (64, 1, Lanes::Halves),
            (_, Word::WarpX2Halves) => (64, 1, Lanes::Pairs),
            _ => (32, 1, Lanes::All),
        };
        let spread = match inst[Slot::AType] {
            Word::B6x16P32 => Some((6, 0)),
            Word::B4x16P64 => Some((4, 2)),
            _ => None,
        };
        FromShared { rows, chunks, lanes, spread }
    }

    /// What is read, and where it goes, by the sources: an address of tensor memory and a descriptor.
    ///
    /// # Errors
    /// What is wrong with the descriptor.
    pub fn moves(&self, sources: &[u64]) -> Result<Vec<Placed>, String> {
        let to = Cell::of(sources[0] as u32);
        let matrix = Descriptor::of_tensor_memory(sources[1], false)?;
        let each = (0..self.rows).flat_map(|row| (0..self.chunks).map(move |chunk| (row, chunk)));
        Ok(each
            .map(|(row, chunk)| Placed {
                from: matrix.chunk(row / CORE, chunk, row % CORE),
                to: self.lanes(row as u32).map(|lane| to.plus(lane, (chunk * WORDS) as u32)).collect(),
            })
            .collect())
    }

    fn lanes(&self, row: u32) -> impl Iterator<Item = u32> {
        let (first, step, count) = match self.lanes {
            Lanes::Own => (row, 0, 1),
            Lanes::Quarters => (32 * row, 0, 1),
            Lanes::Halves => (row, 64, 2),
            Lanes::Pairs => (row % 32 + 64 * (row / 32), 32, 2),
            Lanes::All => (row, 32, 4),
        };
        (0..count).map(move |k| first + k * step)
    }

    /// The words that a chunk becomes.
    pub fn words(&self, chunk: Chunk) -> [u32; WORDS] {
        let bits = u128::from_le_bytes(chunk);
        match self.spread {
            None => std::array::from_fn(|k| (bits >> (32 * k)) as u32),
            Some((width, left)) => std::array::from_fn(|k| {
                (0..4).fold(0, |word, j| {
                    let number = bits >> ((4 * k as u32 + j) * width) & ((1 << width) - 1);
                    word | (number as u32) << left << (8 * j)
                })
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(lanes: Lanes, row: u32) -> Vec<u32> {
        FromShared { rows: 64, chunks: 1, lanes, spread: None }.lanes(row).collect()
    }

    #[test]
    fn rows_go_to_the_lanes_that_the_shapes_name() {
        assert_eq!([lanes(Lanes::Own, 70), lanes(Lanes::Quarters, 3)], [[70], [96]]);
        assert_eq!(
            [
                lanes(Lanes::Halves, 5),
                lanes(Lanes::Halves, 37),
                lanes(Lanes::Pairs, 5),
                lanes(Lanes::Pairs, 37)
            ],
            [[5, 69], [37, 101], [5, 37], [69, 101]]
        );
        assert_eq!(lanes(Lanes::All, 7), [7, 39, 71, 103]);
    }

    #[test]
    fn small_numbers_are_spread_to_bytes() {
        let spread = |spread| FromShared { rows: 32, chunks: 1, lanes: Lanes::All, spread: Some(spread) };
        let mut chunk = [0; 16];
        chunk[..3].copy_from_slice(&[0x21, 0x43, 0x65]);
        assert_eq!(spread((4, 2)).words(chunk)[..2], [0x100c_0804, 0x0000_1814]);
        // 0x654321 in sixes of bits: 0x21, 0x0c, 0x14, 0x19... of 0b011001_010100_001100_100001.
        assert_eq!(spread((6, 0)).words(chunk)[0], 0x1914_0c21);
    }

    #[test]
    fn rows_are_found_by_a_descriptor() {
        let copy = FromShared { rows: 128, chunks: 2, lanes: Lanes::Own, spread: None };
        // Neither swizzled nor apart: rows of 16 bytes after each other, the second chunks 4096 bytes on.
        let moves = copy.moves(&[0x40, 64 | 256 << 16 | 8 << 32]).expect("a mode");
        assert_eq!(moves[0], Placed { from: 1024, to: vec![Cell { lane: 0, column: 64 }] });
        assert_eq!(moves[19], Placed { from: 1024 + 4096 + 144, to: vec![Cell { lane: 9, column: 68 }] });
    }
}
