//! Products of matrices that warps hold in registers, and the way of each level through all warps.

use crate::batch::lanes::held::{Held, Kept, Places, SLOTS};
#[cfg(target_arch = "x86_64")]
use crate::batch::lanes::tiles::{Factors, avx2};
use crate::batch::lanes::{Level, Line, Lines, Place};
#[cfg(target_arch = "x86_64")]
use crate::batch::lanes::{Simd, x86};
use margay_isa::tensor_core::{Product, Tile, Workspace};
use std::sync::Arc;

/// A product, with the places of its registers, which are 32 bits wide.
pub(crate) struct ProductOp {
    pub(super) product: Arc<Product>,
    pub(super) places: Places,
    /// Where A and B lie taken apart.
    kept: [Kept; 2],
}

/// A matrix of a kind of tile, in registers.
type Matrix<'p> = Option<(Tile, &'p [Place])>;

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

    /// Says that A lies taken apart as it was before.
    pub(crate) fn keep_a(&mut self) {
        self.kept[0].is_new = false;
    }

    /// A warp's registers.
    #[inline]
    pub(super) fn held<'l>(&'l self, lines: &'l mut [Line], warp: usize) -> Held<'l> {
        self.places.held(lines, self.kept, warp)
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
            multiply(self.level, products, &mut self.lines, warp, room);
        }
    }

    /// Multiplies matrices that lie in lines of their own as those of a warp do.
    pub(super) fn multiply_held(&self, products: &[ProductOp], lines: &mut [Line], room: &mut ProductRoom) {
        multiply(self.level, products, lines, 0, room);
    }
}

/// Multiplies a warp's matrices, one product after the other.
fn multiply(level: Level, products: &[ProductOp], lines: &mut [Line], warp: usize, room: &mut ProductRoom) {
    // SAFETY: the machine has the level.
    unsafe {
        match level.simd() {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => x86::multiply_avx512(products, lines, warp, room),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => x86::multiply_avx2(products, lines, warp, room),
            _ => {
                for op in products {
                    op.held(lines, warp).carry_out(&op.product, &mut room.work);
                }
            }
        }
    }
}
