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
pub(super) const QUARTERS: usize = 4;

/// What is read goes on being read until its group has been waited for.
const MULTIPLIED: Made = Made::Copy { line: Copies::Products, second: false };

impl Cta<'_> {
    /// Carries the instruction of thread `t` out in all four warps of its warpgroup, if these have come.
    pub(super) fn try_warpgroup(&mut self, warp: usize, t: usize) -> Result<(), Failure> {
        let Some(here) = self.together(t) else { return Ok(()) };
        let warps = warp / QUARTERS * QUARTERS..warp / QUARTERS * QUARTERS + QUARTERS;
        let missing = |text: &str| {
            let text = format!("`{}` needs the four warps of a warpgroup, but {text}", here.inst);
            Err(Failure::new(t, TrapKind::Warp(text)))
        };
        if warps.end > self.alive.len() {
            return missing("the block does not have them all");
        }
        let mut companies = [0; QUARTERS];
        for (company, other) in companies.iter_mut().zip(warps.clone()) {
            if self.alive[other] == 0 {
                return missing(&format!("all lanes of warp {other} ended before"));
            }
            let first = other * WARP + self.alive[other].trailing_zeros() as usize;
            *company = self.company(other, first);
            let same = |own: &Together| std::ptr::eq(own, here) || own.inst == here.inst;
            if *company != self.alive[other] || !self.together(first).is_some_and(same) {
                return Ok(());
            }
        }
        if let Some(watch) = &mut self.watch {
            watch.meet_warps(warps.clone());
        }
        for (company, warp) in companies.into_iter().zip(warps) {
            let first = warp * WARP + company.trailing_zeros() as usize;
            let Some(together) = self.together(first) else { continue };
            self.carry_out_whole(warp, company, together)?;
        }
        Ok(())
    }

    /// Reads the matrices as the first thread of the warpgroup, and multiplies them.
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
        let several = |matrix| {
            let text =
                format!("the lanes of a warp give `{}` different descriptors of {matrix}", together.inst);
            Failure::new(first, TrapKind::Warp(text))
        };
        product.find_a(sources, warp % QUARTERS, &mut addresses).map_err(several)?;
        product.find_b(product.b(sources).map_err(several)?, &mut addresses);
        let reader = warp / QUARTERS * QUARTERS * WARP;
        let chunks = self.with_lane(reader, block, |lane| {
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
