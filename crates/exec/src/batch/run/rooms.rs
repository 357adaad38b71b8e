//! What a batch keeps from step to step, and room that steps use again.

use crate::batch::affine::{AXES, AffineValue, PatternId, PeriodicValue, ZEROS};
use crate::batch::lanes::{Place, ProductRoom, Source};
use crate::batch::run::found::{Found, Home};
use crate::memory::{Grid, RowCopies};
use margay_isa::uop::Type;
use margay_isa::{Across, Chunk};
use std::ops::Range;

/// A value that is affine, or turned out not to be.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct AffineRegister {
    pub(super) affine: AffineValue,
    /// Whether that is its value; else it is periodic, or its lines are its value.
    pub(super) is_affine: bool,
    /// What lanes have above that, if it is periodic: else none.
    pub(super) pattern: Option<PatternId>,
    /// Whether its lines hold it.
    pub(super) is_materialized: bool,
}

impl AffineRegister {
    /// Its value, if that is periodic or affine.
    #[inline]
    pub(super) fn periodic(&self) -> Option<PeriodicValue> {
        let (affine, pattern) = self.parts()?;
        Some(PeriodicValue { affine: *affine, pattern })
    }

    /// The two parts of that.
    #[inline]
    pub(super) fn parts(&self) -> Option<(&AffineValue, PatternId)> {
        Some((&self.affine, if self.is_affine { ZEROS } else { self.pattern? }))
    }
}

/// Rows on their way to shared memory.
pub(super) struct RowCopy {
    pub(super) to: Grid,
    /// The allocation, and the elements' offsets there.
    pub(super) from: (usize, Grid),
    pub(super) size: u32,
}

/// Elements that a load has found and left where they lie.
pub(super) struct Left {
    /// The load's.
    pub(super) site: u32,
    /// The allocation, and where the elements lie in it.
    pub(super) index: usize,
    pub(super) at: LeftAt,
}

/// Where elements lie that a load has left.
pub(super) enum LeftAt {
    /// At these offsets: those of neighbours follow each other.
    Rows(Grid),
    /// At each thread's address, of which the base is taken away: vectors.
    Vectors { addresses: Vec<u64>, base: u64 },
    /// The same at addresses that are periodic.
    Periodic { addresses: PeriodicValue, base: u64 },
}

/// What is found once for many turns of a counted loop.
#[derive(Default)]
pub(super) struct Turns {
    /// What registers held before the first turn.
    pub(super) before: Vec<AffineRegister>,
    /// Where each address group's elements lie in the first turn, and how far they move on from turn to turn.
    pub(super) sources: Vec<Source>,
    pub(super) moves: Vec<i64>,
    /// Where each store's elements lie, by steps of the block.
    pub(super) stores: Vec<(usize, Found, u64, [i64; AXES])>,
    /// What is the same in all threads after the last turn.
    pub(super) scalars: Vec<(Type, Place, u64)>,
    /// By block of the plan, how many turns it took last.
    pub(super) last: Vec<u32>,
}

/// Where a step of a pass stores.
#[derive(Clone, Copy)]
pub(super) struct FoundStore {
    pub(super) step: usize,
    pub(super) found: Found,
    /// The offset of the first thread's element, and how far others lie.
    pub(super) at: u64,
    pub(super) steps: [i64; AXES],
}

/// What is found once for many turns of a turn loop, and room for it.
#[derive(Default)]
pub(super) struct TurnLoops {
    /// What registers held before the first turn.
    pub(super) before: Vec<AffineRegister>,
    /// Where each address group's elements lie in the first turn, how far they move on from turn to turn, and about how many bytes a turn
    /// touches that move on.
    pub(super) sources: Vec<Source>,
    pub(super) moves: Vec<i64>,
    pub(super) bytes: u64,
    /// The rows that turns copy.
    pub(super) copies: Vec<RowCopies>,
    pub(super) scalars: Vec<(Type, Place, u64)>,
    /// By block of the plan, how many turns it took last.
    pub(super) last: Vec<u32>,
    /// Whether the next turn is the last one.
    pub(super) is_last: bool,
    /// Whether threads go round after each of the turns that are looked at, if that is told by values that are the same in all threads.
    pub(super) goes_round: Option<bool>,
}

impl TurnLoops {
    /// Forgets what is known of the turn at hand: other blocks begin.
    pub(super) fn begin(&mut self) {
        self.is_last = false;
    }
}

/// Room for what warps bring and get, and for what lies in memory.
#[derive(Default)]
pub(super) struct Room {
    pub(super) sources: Vec<Across>,
    pub(super) results: Vec<Across>,
    /// A tile's bytes.
    pub(super) tile: Vec<u64>,
    /// Where each stretch lies: in what, from where on.
    pub(super) places: Vec<(Home, u64)>,
    /// Where in shared memory the chunks lie that warps' parts of a product read; which of them each warp reads, in the order of those that
    /// have come, of A and of B; and the chunks of one warp.
    pub(super) chunk_places: Vec<u64>,
    pub(super) chunk_ranges: Vec<[Range<usize>; 2]>,
    pub(super) chunks: Vec<Chunk>,
    /// Where products are computed, if there are such.
    pub(super) products: Option<ProductRoom>,
}
