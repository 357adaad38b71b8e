//! Rows of memory copied to other memory: for threads whose elements lie one after the other on both sides.

#![allow(unsafe_code)]

use super::Bulk;
use super::grid::{Grid, joined};
use crate::batch::Level;
#[cfg(target_arch = "x86_64")]
use crate::batch::Simd;

/// Bytes that are copied at once.
const PIECE: usize = 64;
/// The axis of the blocks.
const BLOCKS: usize = 3;
/// The axis of turns, where there are some.
const TURNS: usize = 2;

/// Rows of one memory and where they go in another, found and checked for all threads of some blocks (CTAs).
pub(crate) struct RowCopies {
    level: Level,
    /// The first block's first row.
    starts: Starts,
    rows: Rows,
    blocks: u32,
    /// From one block's first row to the next one's, here and there.
    apart: [isize; 2],
    /// How many turns copy rows, and how far these lie from one turn to the next.
    turns: u32,
    between_turns: [isize; 2],
}

/// Where rows go, and where they are found.
type Starts = (*mut u8, *const u8);

/// How a block's rows lie.
struct Rows {
    bytes: usize,
    /// How many there are along each of two axes.
    counts: [usize; 2],
    /// How far they lie from each other along these, here and there.
    steps: [[isize; 2]; 2],
}

impl Bulk<'_> {
    /// Writes elements of so many bytes, one for each of a grid's threads, that another one says where to find in other memory; the
    /// elements of neighbours along the first axis must follow each other in both.
    ///
    /// # Panics
    /// If an element lies outside or is not aligned, or the grids have other extents or other distances along the first axis.
    pub(crate) fn copy_rows(self, level: Level, to: Grid, from: (Bulk, Grid), size: u32) {
        let copies = self.row_copies(level, to, from, size);
        // SAFETY: both memories are still there.
        unsafe { copies.carry_out() }
    }

    /// The same, to be carried out later, block by block or for all at once.
    ///
    /// # Panics
    /// As above.
    pub(crate) fn row_copies(
        self,
        level: Level,
        to: Grid,
        (other, from): (Bulk, Grid),
        size: u32,
    ) -> RowCopies {
        let threads = to.extent.iter().map(|n| *n as usize).product();
        to.check(self.len(), size.into(), threads);
        from.check(other.len(), size.into(), threads);
        assert!(to.extent == from.extent && [to, from].iter().all(|grid| grid.steps[0] == i64::from(size)));
        let starts = (
            self.start().wrapping_add(to.at as usize),
            other.start().wrapping_add(from.at as usize).cast_const(),
        );
        RowCopies {
            level,
            starts,
            rows: Rows::of_block([to, from], size),
            blocks: to.extent[BLOCKS],
            apart: [to, from].map(|grid| grid.steps[BLOCKS] as isize),
            turns: 1,
            between_turns: [0; 2],
        }
    }

    /// The same where the grids' third axis is that of turns, each of which copies rows.
    ///
    /// # Panics
    /// As above.
    pub(crate) fn row_copies_of_turns(
        self,
        level: Level,
        to: Grid,
        (other, from): (Bulk, Grid),
        size: u32,
    ) -> RowCopies {
        let all = self.row_copies(level, to, (other, from), size);
        let of_turn = |grid: Grid| {
            let [x, y, _, blocks] = grid.extent;
            Grid { extent: [x, y, 1, blocks], ..grid }
        };
        RowCopies {
            rows: Rows::of_block([to, from].map(of_turn), size),
            turns: to.extent[TURNS],
            between_turns: [to, from].map(|grid| grid.steps[TURNS] as isize),
            ..all
        }
    }
}

impl Rows {
    /// How the rows of one block lie, of elements of so many bytes.
    fn of_block(grids: [Grid; 2], size: u32) -> Rows {
        let of_block = |grid: Grid| {
            let [x, y, z, _] = grid.extent;
            Grid { extent: [x, y, z, 1], ..grid }
        };
        let grids = joined(grids.map(of_block));
        let [x, y, z, _] = grids[0].extent.map(|n| n as usize);
        let steps = grids.map(|grid| [grid.steps[1] as isize, grid.steps[2] as isize]);
        Rows { bytes: x * size as usize, counts: [y, z], steps }
    }
}

impl RowCopies {
    /// Copies the rows of all blocks.
    ///
    /// # Safety
    /// The memories that they were found in must still be there.
    pub(crate) unsafe fn carry_out(&self) {
        for block in 0..self.blocks {
            // SAFETY: the caller's promise.
            unsafe { self.carry_out_for(block, 0) }
        }
    }

    /// Copies the rows of one block, in one turn.
    ///
    /// # Safety
    /// As above.
    ///
    /// # Panics
    /// If there are not so many blocks or turns.
    pub(crate) unsafe fn carry_out_for(&self, block: u32, turn: u32) {
        assert!(block < self.blocks && turn < self.turns);
        let starts = self.starts_for(block, turn);
        // SAFETY: all elements lie inside, and rows are nothing but elements; the machine has the level. What one memory has is not in
        // the other: for races see `bulk.rs`.
        unsafe {
            match self.level.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::copy_avx512(starts, &self.rows),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::copy_avx2(starts, &self.rows),
                _ => copy(starts, &self.rows),
            }
        }
    }

    /// Where the rows of a block's turn go, and where they are found.
    fn starts_for(&self, block: u32, turn: u32) -> Starts {
        let [to, from] = [0, 1].map(|side| {
            let of_block = self.apart[side].wrapping_mul(block as isize);
            self.between_turns[side].wrapping_mul(turn as isize).wrapping_add(of_block)
        });
        (self.starts.0.wrapping_offset(to), self.starts.1.wrapping_offset(from))
    }
}

/// Copies row after row.
///
/// # Safety
/// The rows must lie behind the starts in memory.
#[inline(always)]
unsafe fn copy(starts: Starts, rows: &Rows) {
    // SAFETY: the caller's promise.
    unsafe {
        match rows.bytes {
            // Most rows are of 16 threads: then their loops are none.
            PIECE => each_row(starts, rows, |to, from| copy_row(to, from, PIECE)),
            bytes => each_row(starts, rows, |to, from| copy_row(to, from, bytes)),
        }
    }
}

/// Calls `copy` for the places of each row.
#[inline(always)]
fn each_row(starts: Starts, rows: &Rows, copy: impl Fn(*mut u8, *const u8)) {
    let [[to_y, to_z], [from_y, from_z]] = rows.steps;
    let (mut to_plane, mut from_plane) = starts;
    for _ in 0..rows.counts[1] {
        let (mut to, mut from) = (to_plane, from_plane);
        for _ in 0..rows.counts[0] {
            copy(to, from);
            (to, from) = (to.wrapping_offset(to_y), from.wrapping_offset(from_y));
        }
        (to_plane, from_plane) = (to_plane.wrapping_offset(to_z), from_plane.wrapping_offset(from_z));
    }
}

/// Copies so many bytes.
///
/// # Safety
/// They must lie in memory, on both sides, apart from each other.
#[inline(always)]
unsafe fn copy_row(to: *mut u8, from: *const u8, bytes: usize) {
    let pieces = bytes / PIECE * PIECE;
    // SAFETY: the caller's promise.
    unsafe {
        for at in (0..pieces).step_by(PIECE) {
            let piece = from.wrapping_add(at).cast::<[u8; PIECE]>().read_unaligned();
            to.wrapping_add(at).cast::<[u8; PIECE]>().write_unaligned(piece);
        }
        if pieces < bytes {
            std::ptr::copy_nonoverlapping(from.wrapping_add(pieces), to.wrapping_add(pieces), bytes - pieces);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;

    /// # Safety
    /// As for `copy`.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn copy_avx2(starts: Starts, rows: &Rows) {
        // SAFETY: the caller's promise.
        unsafe { copy(starts, rows) }
    }

    /// # Safety
    /// As for `copy`.
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    pub(super) unsafe fn copy_avx512(starts: Starts, rows: &Rows) {
        // SAFETY: the caller's promise.
        unsafe { copy(starts, rows) }
    }
}
