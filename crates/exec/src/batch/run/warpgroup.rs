//! Warps' parts of products that warpgroups compute: matrices lie in shared memory, where descriptors find them (manual, 9.7.15).

use crate::batch::plan::Collective;
use crate::batch::run::Cta;
use crate::batch::run::found::{Found, Home};
use crate::batch::run::rooms::Room;
use crate::code::Deed;
use crate::memory::Access;
use margay_front::module::Space;
use margay_isa::uop::Type;
use margay_isa::{Chunk, WARP, Warpgroup};
use std::ops::Range;

/// Warps of a warpgroup.
const QUARTERS: usize = 4;

const BYTES: u64 = size_of::<Chunk>() as u64;

impl Cta<'_> {
    /// Finds the chunks that all warps read of which lanes have come, one warp's after the other's; `None` where a warpgroup is not whole,
    /// lanes name different matrices, or something that is no shared memory.
    pub(super) fn find_chunks(
        &mut self,
        together: &Collective,
        product: &Warpgroup,
        members: &[u32],
        room: &mut Room,
    ) -> Option<()> {
        let own = (self.job.threads as usize).div_ceil(WARP);
        // All warps of a warpgroup come, or none.
        let groups = members.chunks(own).flat_map(|members| members.chunks(QUARTERS));
        let comes = |group: &[u32]| group.len() == QUARTERS && !group.contains(&0);
        if !groups.into_iter().all(|group| group.iter().all(|members| *members == 0) || comes(group)) {
            return None;
        }
        room.chunk_places.clear();
        room.chunk_ranges.clear();
        // B of the warp before, which warps of a warpgroup mostly have, too.
        let mut last = None;
        for warp in (0..members.len()).filter(|warp| members[*warp] != 0) {
            // What is added says nothing of where the matrices lie.
            let sums = if matches!(together.deed, Deed::Warpgroup(_)) { product.sums() } else { 0 };
            self.bring(together, warp, sums, &mut room.sources);
            let (sources, places) = (&room.sources[sums..], &mut room.chunk_places);
            let first = places.len();
            product.find_a(sources, warp % own % QUARTERS, places).ok()?;
            let of_a = first..places.len();
            if !of_a.is_empty() {
                self.allow_chunks(warp, &mut places[of_a.clone()])?;
            }
            let b = (product.b(sources).ok()?, warp / own);
            let of_b = match last.take() {
                Some((known, of_b)) if known == b => of_b,
                _ => {
                    product.find_b(b.0, places);
                    let of_b = of_a.end..places.len();
                    self.allow_chunks(warp, &mut places[of_b.clone()])?;
                    of_b
                }
            };
            room.chunk_ranges.push([of_a, of_b.clone()]);
            last = Some((b, of_b));
        }
        Some(())
    }

    /// Makes addresses of a warp's chunks, if they may be read, places in the shared memory of all blocks.
    fn allow_chunks(&mut self, warp: usize, chunks: &mut [u64]) -> Option<()> {
        let ends = chunks.iter().fold((u64::MAX, 0), |(least, most), at| (least.min(*at), most.max(*at)));
        let bytes = (ends.1 + BYTES).saturating_sub(ends.0);
        let Found { home, base } = self.find(Access::Read, (Some(Space::Shared), 0), ends.0, bytes)?;
        let offset = self.shared_offset(warp * WARP).wrapping_sub(base);
        chunks.iter_mut().for_each(|at| *at = at.wrapping_add(offset));
        (home == Home::Shared).then_some(())
    }

    /// What the `k`-th warp of those that have come gets, from what its lanes bring and from chunks.
    pub(super) fn multiply_shared(&mut self, product: &Warpgroup, k: usize, room: &mut Room) {
        self.read_chunks(k, room);
        let (sums, sources) = room.sources.split_at(product.sums());
        product.carry_out(sums, sources, &room.chunks, &mut room.results);
    }

    /// Gives a warp, the `k`-th of those that have come, its registers of the matrices.
    pub(super) fn load_factors(
        &mut self,
        together: &Collective,
        product: &Warpgroup,
        (k, warp): (usize, usize),
        room: &mut Room,
    ) {
        self.read_chunks(k, room);
        product.load(&room.sources, &room.chunks, |k, lanes| match together.results[k].low {
            Some((Type::U32, place)) if place.stride > 0 => {
                self.lines.u32s_mut(place).as_chunks_mut().0[warp] = *lanes;
            }
            Some((ty, place)) => {
                let threads = warp * WARP..(warp + 1) * WARP;
                threads.zip(lanes).for_each(|(t, bits)| self.lines.set(ty, place, t, (*bits).into()));
            }
            None => {}
        });
    }

    /// The chunks of the `k`-th warp of those that have come; B's stay if they are those of the warp before.
    fn read_chunks(&mut self, k: usize, room: &mut Room) {
        let [of_a, of_b] = &room.chunk_ranges[k];
        let is_known = k > 0 && room.chunk_ranges[k - 1][1] == *of_b;
        room.chunks.resize(of_a.len() + of_b.len(), [0; _]);
        let bulk = self.bulk(Home::Shared);
        let (a, b) = room.chunks.split_at_mut(of_a.len());
        let read = |to: &mut [Chunk], from: &Range<usize>| {
            for (chunk, at) in to.iter_mut().zip(&room.chunk_places[from.clone()]) {
                *chunk = bytemuck::cast::<[u32; 4], _>(bulk.vector(*at));
            }
        };
        read(a, of_a);
        if !is_known {
            read(b, of_b);
        }
    }
}
