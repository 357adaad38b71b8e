//! What a warp holds of matrices: the places of their registers, read and written without a look at each.

use crate::batch::lanes::{GROUP, Line, Place};
use margay_isa::WARP;
use margay_isa::tensor_core::{Product, Workspace};

/// Groups of a warp.
pub(super) const HALVES: usize = WARP / GROUP;

/// Matrices that lie taken apart at the same time, of A and of B each.
pub(super) const SLOTS: usize = 8;

/// A register in all lanes of a warp, by halves.
pub(super) type Register<'l> = [&'l [u32; GROUP]; HALVES];

/// Where a product's registers lie.
pub(super) struct Places {
    /// Those of A, B and C.
    pub(super) from: Vec<Place>,
    /// Those of D; none where nothing needs them.
    pub(super) to: Vec<Option<Place>>,
    /// The end of the first lines of all that differ from warp to warp, and that of those that are the same.
    ends: [usize; 2],
}

impl Places {
    /// # Panics
    /// If a result would be the same in all threads, or memory may lend what is read.
    pub(super) fn new(from: Vec<Place>, to: Vec<Option<Place>>) -> Places {
        assert!(to.iter().flatten().all(|to| to.stride == 1) && from.iter().all(|from| from.stride <= 1));
        let all = || from.iter().chain(to.iter().flatten());
        let ends = [1, 0].map(|stride| {
            let lines = all().filter(|place| place.stride == stride).map(|place| place.line as usize + 1);
            lines.max().unwrap_or(0)
        });
        Places { from, to, ends }
    }

    /// A warp's registers.
    ///
    /// # Panics
    /// If one lies behind the lines.
    #[inline]
    pub(super) fn held<'l>(&'l self, lines: &'l mut [Line], kept: [Kept; 2], warp: usize) -> Held<'l> {
        let [varying, uniform] = self.ends;
        let after = if varying == 0 { 0 } else { varying + HALVES * (warp + 1) - 1 };
        assert!(after.max(uniform) <= lines.len());
        Held { lines, from: &self.from, to: &self.to, kept, warp }
    }
}

/// Where a matrix lies taken apart.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) slot: usize,
    /// Whether it must be taken apart first.
    pub(super) is_new: bool,
}

impl Kept {
    pub(super) const NEW: Kept = Kept { slot: 0, is_new: true };
}

/// What a warp holds for a product, and gets from it: made by [`Places::held`] only, which has looked that all of it lies in the lines.
pub(super) struct Held<'l> {
    lines: &'l mut [Line],
    /// The places of A, B and C, and of D.
    from: &'l [Place],
    to: &'l [Option<Place>],
    pub(super) kept: [Kept; 2],
    warp: usize,
}

impl Held<'_> {
    /// A register of A, B or C, by halves.
    #[inline(always)]
    pub(super) fn get(&self, register: usize) -> Register<'_> {
        let Place { line, stride } = self.from[register];
        let step = usize::from(stride);
        let first = line as usize + step * HALVES * self.warp;
        // SAFETY: steps are 1 at most, so both lie before the end that has been looked at.
        unsafe { [&self.lines.get_unchecked(first).0, &self.lines.get_unchecked(first + step).0] }
    }

    /// Where a register of D goes: only after all of A, B and C have been read, since it may be one of theirs.
    #[inline(always)]
    pub(super) fn result(&mut self, register: usize) -> Option<&mut [Line; HALVES]> {
        let first = self.to[register]?.line as usize + HALVES * self.warp;
        // SAFETY: its lines lie before the end that has been looked at.
        Some(unsafe { &mut *self.lines.as_mut_ptr().add(first).cast() })
    }

    /// Multiplies by the way of all products.
    #[inline(always)]
    pub(super) fn carry_out(&mut self, product: &Product, work: &mut Workspace) {
        for (k, register) in work.registers.iter_mut().enumerate().take(self.from.len()) {
            let [low, high] = self.get(k);
            register[..GROUP].copy_from_slice(low);
            register[GROUP..].copy_from_slice(high);
        }
        product.carry_out(work);
        for (k, result) in work.results.iter().enumerate().take(self.to.len()) {
            if let Some(lines) = self.result(k) {
                *lines = bytemuck::cast(*result);
            }
        }
    }
}
