//! Products of matrices that warps hold in registers: where these lie, and the way of each level through all warps.

#[cfg(target_arch = "x86_64")]
use crate::batch::lanes::tiles::{Factors, avx2};
#[cfg(target_arch = "x86_64")]
use crate::batch::lanes::x86;
use crate::batch::lanes::{GROUP, Line, Lines, Place, Simd};
use margay_isa::WARP;
use margay_isa::tensor_core::{Product, Tile, Workspace};
use std::sync::Arc;

/// Groups of a warp.
pub(super) const HALVES: usize = WARP / GROUP;

/// A product, with the places of its registers, which are 32 bits wide.
pub(crate) struct ProductOp {
    pub(super) product: Arc<Product>,
    pub(super) places: Places,
    /// Where A and B lie taken apart.
    kept: [Kept; 2],
}

/// Where a product's registers lie.
pub(super) struct Places {
    /// Those of A, B and C.
    from: Vec<Place>,
    /// Those of D; none where nothing needs them.
    to: Vec<Option<Place>>,
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

/// Matrices that lie taken apart at the same time, of A and of B each.
pub(super) const SLOTS: usize = 8;

/// A matrix of a kind of tile, in registers.
type Matrix<'p> = Option<(Tile, &'p [Place])>;

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

impl ProductOp {
    /// One that reads these places, and gives others or some of them, once it has read all.
    ///
    /// # Panics
    /// If a result would be the same in all threads, or memory may lend what is read.
    pub(crate) fn new(product: Arc<Product>, from: Vec<Place>, to: Vec<Option<Place>>) -> ProductOp {
        ProductOp { product, places: Places::new(from, to), kept: [Kept::NEW; 2] }
    }

    /// Looks in products that are carried out one after the other for matrices that need not be taken apart again.
    pub(crate) fn keep(products: &mut [ProductOp]) {
        let mut slots: [[Matrix; SLOTS]; 2] = [[None; SLOTS]; 2];
        let mut next = [0; 2];
        for ProductOp { product, places: Places { from, to, .. }, kept } in products {
            if let Some(tile) = product.tile() {
                let (a, others) = from.split_at(2 * tile.quads);
                let matrices = [a, &others[..tile.quads]];
                for (m, slots) in slots.iter_mut().enumerate() {
                    let matrix = Some((*tile, matrices[m]));
                    let found = slots.iter().position(|slot| *slot == matrix);
                    let slot = found.unwrap_or(next[m]);
                    if found.is_none() {
                        slots[slot] = matrix;
                        next[m] = (slot + 1) % SLOTS;
                    }
                    kept[m] = Kept { slot, is_new: found.is_none() };
                }
            }
            for slot in slots.as_flattened_mut() {
                let is_overwritten = |(_, matrix): &(Tile, &[Place])| {
                    matrix.iter().any(|place| to.iter().flatten().any(|to| to.line == place.line))
                };
                *slot = slot.filter(|kept| !is_overwritten(kept));
            }
        }
    }

    /// A warp's registers.
    #[inline]
    pub(super) fn held<'l>(&'l self, lines: &'l mut [Line], warp: usize) -> Held<'l> {
        self.places.held(lines, self.kept, warp)
    }
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
    pub(super) fn get(&self, register: usize) -> [&[u32; GROUP]; HALVES] {
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

/// Room in which products are computed, one after the other.
pub(crate) struct ProductRoom {
    pub(super) work: Box<Workspace>,
    #[cfg(target_arch = "x86_64")]
    pub(super) factors: Box<Factors>,
    #[cfg(target_arch = "x86_64")]
    pub(super) factors_avx2: Box<avx2::Factors>,
}

impl ProductRoom {
    pub(crate) fn new() -> ProductRoom {
        ProductRoom {
            work: Workspace::new(),
            #[cfg(target_arch = "x86_64")]
            factors: Box::new(Factors::NONE),
            #[cfg(target_arch = "x86_64")]
            factors_avx2: Box::new(avx2::Factors::NONE),
        }
    }
}

impl Lines<'_> {
    /// Multiplies matrices in every warp of which lanes have come, one product after the other.
    pub(crate) fn multiply(&mut self, products: &[ProductOp], members: &[u32], room: &mut ProductRoom) {
        let warps = members.iter().enumerate().filter(|(_, members)| **members != 0).map(|(warp, _)| warp);
        for warp in warps {
            // SAFETY: the machine has the level.
            unsafe {
                match self.level.simd() {
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx512 => x86::multiply_avx512(products, &mut self.lines, warp, room),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx2 => x86::multiply_avx2(products, &mut self.lines, warp, room),
                    _ => {
                        for op in products {
                            op.held(&mut self.lines, warp).carry_out(&op.product, &mut room.work);
                        }
                    }
                }
            }
        }
    }
}
