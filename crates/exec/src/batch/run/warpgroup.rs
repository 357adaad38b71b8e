//! Warps' parts of products that warpgroups compute: matrices lie in shared memory, where descriptors find them (manual, 9.7.15).

use crate::batch::plan::Collective;
use crate::batch::run::Cta;
use crate::batch::run::found::{Found, Home};
use crate::batch::run::rooms::Room;
use crate::code::Deed;
use crate::memory::Access;
use margay_front::module::Space;
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
        for warp in (0..members.len()).filter(|warp| members[*warp] != 0) {
            // What is added says nothing of where the matrices lie.
            let sums = if matches!(together.deed, Deed::Warpgroup(_)) { product.sums() } else { 0 };
            self.bring(together, warp, sums, &mut room.sources);
            let first = room.chunk_places.len();
            product.chunks(&room.sources[sums..], warp % own % QUARTERS, &mut room.chunk_places).ok()?;
            let chunks = &mut room.chunk_places[first..];
            let ends = chunks.iter().fold((u64::MAX, 0), |(least, most), at| (least.min(*at), most.max(*at)));
            let bytes = ends.1 + BYTES - ends.0;
            let Found { home, base } = self.find(Access::Read, (Some(Space::Shared), 0), ends.0, bytes)?;
            let offset = self.shared_offset(warp * WARP).wrapping_sub(base);
            chunks.iter_mut().for_each(|at| *at = at.wrapping_add(offset));
            if home != Home::Shared {
                return None;
            }
        }
        Some(())
    }

    /// What a warp gets, from what its lanes bring and as many chunks as there are places.
    pub(super) fn multiply_shared(&mut self, product: &Warpgroup, places: Range<usize>, room: &mut Room) {
        self.read_chunks(places, room);
        let (sums, sources) = room.sources.split_at(product.sums());
        product.carry_out(sums, sources, &room.chunks, &mut room.results);
    }

    /// What the `k`-th warp of those that have come gets of the matrices, from the sources after D's. B is mostly that of the warp before.
    pub(super) fn load_factors(&mut self, product: &Warpgroup, (k, each): (usize, usize), room: &mut Room) {
        let (own, of_a) = (k * each..(k + 1) * each, product.chunks_of_a());
        let of_b = |start: usize| &room.chunk_places[start + of_a..start + each];
        let is_known = k > 0 && of_b(own.start) == of_b(own.start - each);
        self.read_chunks(own.start..if is_known { own.start + of_a } else { own.end }, room);
        product.load(&room.sources, &room.chunks, &mut room.results);
    }

    fn read_chunks(&mut self, places: Range<usize>, room: &mut Room) {
        room.chunks.resize(places.len(), [0; _]);
        let bulk = self.bulk(Home::Shared);
        for (chunk, at) in room.chunks.iter_mut().zip(&room.chunk_places[places]) {
            bulk.read_bytes(*at, chunk);
        }
    }
}
