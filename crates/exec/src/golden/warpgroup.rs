//! A warp's part of a product that a warpgroup computes: matrices are read from shared memory when it is begun (manual, 9.7.15).

use super::Cta;
use super::thread::Failure;
use crate::code::{Copies, Strength, Together};
use crate::grid::Dim;
use crate::memory::Access;
use crate::sanitize::touched::Made;
use crate::trap::TrapKind;
use margay_front::module::Space;
use margay_isa::{Across, Chunk, WARP, Warpgroup};

/// Warps of a warpgroup.
const QUARTERS: usize = 4;

/// What is read goes on being read until its group has been waited for.
const MULTIPLIED: Made = Made::Copy { line: Copies::Products, second: false };

impl Cta<'_> {
    /// Reads the matrices as the first thread of the warp, and multiplies them.
    pub(super) fn multiply_shared(
        &mut self,
        (warp, block): (usize, Dim),
        together: &Together,
        product: &Warpgroup,
        (sums, sources): (&[Across], &[Across]),
        results: &mut [Across],
    ) -> Result<(), Failure> {
        let first = warp * WARP;
        let mut addresses = Vec::new();
        product.chunks(sources, warp % QUARTERS, &mut addresses).map_err(|matrix| {
            let text =
                format!("the lanes of a warp give `{}` different descriptors of {matrix}", together.inst);
            Failure::new(first, TrapKind::Warp(text))
        })?;
        let chunks = self.with_lane(first, block, |lane| {
            let read = |address: &u64| {
                const BYTES: u32 = size_of::<Chunk>() as u32;
                let from = lane.find(Access::Read, Some(Space::Shared), false, *address, BYTES.into())?;
                if lane.watch.is_some() {
                    lane.watched(Access::Read, from, BYTES.into(), Strength::default(), MULTIPLIED);
                }
                Ok(lane.load(from, 0, BYTES).to_le_bytes())
            };
            addresses.iter().map(read).collect::<Result<Vec<Chunk>, _>>()
        });
        let chunks = chunks.map_err(|fault| Failure::new(first, TrapKind::Memory(fault)))?;
        product.carry_out(sums, sources, &chunks, results);
        Ok(())
    }
}
