//! What whole warps carry out on matrices: registers of all lanes in and out, or memory on one side.

use crate::batch::lanes::{LanesMut, Lines, Place, ProductRoom, Scan};
use crate::batch::plan::{Collective, Products};
use crate::batch::run::found::{Found, Home};
use crate::batch::run::periodic::warp_places;
use crate::batch::run::rooms::Room;
use crate::batch::run::{Bailout, Cta};
use crate::batch::tile_moves::{ROW, ROWS, TileMoves};
use crate::code::Deed;
use crate::memory::{Access, Bulk};
use margay_isa::uop::Type;
use margay_isa::warp::Column;
use margay_isa::{Across, Stretch, Tiles, WARP};

/// A row of a tile that is read row by row.
type Row = [u32; ROW as usize / size_of::<u32>()];

impl Cta<'_> {
    /// Carries an instruction out in every warp of which lanes have come: then all have. Nothing is touched before every
    /// stretch of memory has been allowed; `None` where one is not.
    pub(super) fn whole(&mut self, together: &Collective, members: &[u32]) -> Option<()> {
        let mut room = std::mem::take(&mut self.room);
        let done = self.whole_in(together, members, &mut room);
        self.room = room;
        done
    }

    fn whole_in(&mut self, together: &Collective, members: &[u32], room: &mut Room) -> Option<()> {
        let warps = || members.iter().enumerate().filter(|(_, on)| **on != 0).map(|(warp, _)| warp);
        room.sources.resize(together.sources.len(), [0; WARP]);
        room.results.resize(together.results.len(), [0; WARP]);
        room.places.clear();
        if let Deed::Tiles(tiles) = &together.deed {
            if self.load_periodic_rows(together, tiles, members) {
                return Some(());
            }
            // What follows reads addresses in their lines.
            together.rows_at.iter().for_each(|id| self.materialize(*id));
            let has_rows = together.tile_moves.as_ref().is_some_and(|moves| moves.has_rows);
            if has_rows && self.load_rows(together, tiles, members) {
                return Some(());
            }
            for warp in warps() {
                self.bring(together, warp, tiles.stride_source(), &mut room.sources);
                self.find_stretches(together, tiles, warp, room)?;
            }
        }
        if let Deed::Warpgroup(product) | Deed::Factors(product) = &together.deed {
            self.find_chunks(together, product, members, room)?;
        }
        if let Deed::TensorMemory(step) = &together.deed {
            return self.reach_tensor_memory(together, step, members, room);
        }
        for (k, warp) in warps().enumerate() {
            match &together.deed {
                Deed::Whole(whole) => {
                    self.bring(together, warp, 0, &mut room.sources);
                    whole.carry_out(&room.sources, &mut room.results);
                }
                Deed::Tiles(tiles) => {
                    if tiles.stores {
                        self.bring(together, warp, 0, &mut room.sources);
                    }
                    let from = k * tiles.stretches.len();
                    self.move_tile(tiles, from, room);
                    if tiles.stores {
                        continue;
                    }
                    if let Some(moves) = &together.tile_moves {
                        spread(&mut self.lines, together, warp, moves, bytemuck::cast_slice(&room.tile));
                        continue;
                    }
                    tiles.spread(&bytemuck::cast_slice(&room.tile)[..tiles.bytes()], &mut room.results);
                }
                Deed::Warpgroup(product) => {
                    self.bring(together, warp, 0, &mut room.sources);
                    self.multiply_shared(product, k, room);
                }
                Deed::Factors(product) => {
                    self.bring(together, warp, 0, &mut room.sources);
                    self.load_factors(together, product, (k, warp), room);
                    continue;
                }
                Deed::ByLane(_) | Deed::TensorMemory(_) => {}
            }
            self.take(together, warp, &room.results);
        }
        Some(())
    }

    /// Multiplies matrices in every warp, one product after the other, if in all of them the lanes have come.
    pub(super) fn products(&mut self, products: &Products) -> Result<(), Bailout> {
        let first = &products.each[0];
        let members = self.complete(first).ok_or(Bailout { pc: first.pc })?;
        let warps = self.threads.div_ceil(WARP);
        let room = self.room.products.get_or_insert_with(ProductRoom::new);
        self.lines.multiply(&products.ops, &members[..warps], room);
        Ok(())
    }

    /// What the lanes of a warp bring, from a source on.
    pub(super) fn bring(&self, together: &Collective, warp: usize, from: usize, sources: &mut [Across]) {
        for (k, to) in sources.iter_mut().enumerate().skip(from) {
            match self.column(&together.sources[k], warp) {
                Column::Same(bits) => to.fill(bits),
                Column::Pred(mask) => *to = std::array::from_fn(|lane| u64::from(mask >> lane & 1)),
                Column::U32(lanes) => to.iter_mut().zip(lanes).for_each(|(to, bits)| *to = (*bits).into()),
                Column::U64(lanes) => *to = *lanes,
            }
        }
    }

    /// Gives the lanes of a warp their results.
    pub(super) fn take(&mut self, together: &Collective, warp: usize, results: &[Across]) {
        let range = warp * WARP..(warp + 1) * WARP;
        for (result, target) in results.iter().zip(&together.results) {
            match target.low {
                Some((Type::U32, place)) if place.stride > 0 => {
                    let to = &mut self.lines.u32s_mut(place)[range.clone()];
                    to.iter_mut().zip(result).for_each(|(to, bits)| *to = *bits as u32);
                }
                Some((Type::U64, place)) if place.stride > 0 => {
                    self.lines.u64s_mut(place)[range.clone()].copy_from_slice(result);
                }
                Some((ty, place)) => {
                    range.clone().zip(result).for_each(|(t, bits)| self.lines.set(ty, place, t, *bits));
                }
                None => {}
            }
        }
    }

    /// Loads the tiles of all warps row by row, if all rows lie together in one memory.
    fn load_rows(&mut self, together: &Collective, tiles: &Tiles, members: &[u32]) -> bool {
        let (Some(memory), Some(source), Some(moves)) =
            (together.memory, together.sources.last(), &together.tile_moves)
        else {
            return false;
        };
        let rows = tiles.stretches.len();
        let place = match source.low {
            (Type::U64, place) if place.stride > 0 => place,
            _ => return false,
        };
        let (least, most, low_bits) = if rows == WARP && !members.contains(&0) {
            let Scan { least, most, low_bits, .. } = self.lines.scan(place, members.len() * WARP);
            (least, most, low_bits)
        } else {
            let mut found = (u64::MAX, 0, 0);
            for (addresses, _) in
                self.lines.u64s(place).as_chunks::<WARP>().0.iter().zip(members).filter(|(_, on)| **on != 0)
            {
                for at in &addresses[..rows] {
                    found = (found.0.min(*at), found.1.max(*at), found.2 | at);
                }
            }
            found
        };
        let Some(end) = most.checked_add(ROW.into()) else { return false };
        if most & !memory.mask != 0 || low_bits % u64::from(ROW) != 0 || end < least {
            return false;
        }
        let Some(Found { home, base }) = self.find(Access::Read, (memory.space, 0), least, end - least)
        else {
            return false;
        };
        // A warp's threads are of one block.
        let is_whole = self.job.threads.is_multiple_of(WARP as u32);
        match home {
            Home::Global(_) if !tiles.in_shared => {}
            Home::Shared if is_whole => {}
            Home::Global(_) | Home::Shared | Home::Local | Home::Param => return false,
        }
        if moves.are_in_order && !self.lie_there(together, place) {
            self.load_rows_apart(together, place, Found { home, base }, members);
            return true;
        }
        let from = self.copied_addresses(place, home);
        let level = self.lines.level();
        let bulk = match home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        let addresses = from.as_chunks::<WARP>().0;
        if moves.are_in_order {
            for (k, target) in together.results.iter().enumerate() {
                let Some((_, place)) = target.low else { continue };
                let lanes = self.lines.u32s_mut(place).as_chunks_mut().0;
                bulk.read_all(level, rows_of(k, addresses, lanes, members, |_| base));
            }
        } else {
            let mut tile: [Row; WARP] = [[0; _]; _];
            for (warp, _) in members.iter().enumerate().filter(|(_, members)| **members != 0) {
                for (row, at) in tile.iter_mut().zip(&addresses[warp][..rows]) {
                    *row = bulk.vector(at.wrapping_sub(base));
                }
                let tile = bytemuck::cast_slice(tile.as_flattened());
                spread(&mut self.lines, together, warp, moves, tile);
            }
        }
        self.addresses = from;
        true
    }

    /// Loads the tiles of all warps row by row, if the addresses of their rows are periodic and all lie together.
    fn load_periodic_rows(&mut self, together: &Collective, tiles: &Tiles, members: &[u32]) -> bool {
        let (Some(memory), Some(id), Some(moves)) = (together.memory, together.rows_at, &together.tile_moves)
        else {
            return false;
        };
        let all = tiles.stretches.len() == WARP && !members.contains(&0);
        let (true, Some(value)) = (all && moves.has_rows && moves.are_in_order, self.periodic(id)) else {
            return false;
        };
        let mut to = [self.plan.active; WARP / ROWS];
        if together.results.len() != to.len() || together.results.iter().any(|target| target.low.is_none()) {
            return false;
        }
        let results = together.results.iter().filter_map(|target| target.low);
        to.iter_mut().zip(results).for_each(|(to, (_, place))| *to = place);
        let Some((least, most, low_bits)) = self.ends_of(value) else { return false };
        let Some(end) = most.checked_add(ROW.into()) else { return false };
        if most & !memory.mask != 0 || low_bits % u64::from(ROW) != 0 {
            return false;
        }
        let Some(found) = self.find(Access::Read, (memory.space, 0), least, end - least) else {
            return false;
        };
        match found.home {
            Home::Global(_) if !tiles.in_shared => {}
            Home::Shared => {}
            Home::Global(_) | Home::Local | Home::Param => return false,
        }
        let (level, starts) = (self.lines.level(), self.warp_starts(value, found.home));
        let places = warp_places(&self.patterns, value, found.base, &starts);
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        let Some(lines) = self.lines.many_mut(to, 1) else { return false };
        bulk.read_rows_of_warps(level, &places, lines.map(bytemuck::cast_slice_mut));
        true
    }

    /// Whether some result lies where the addresses of rows do.
    fn lie_there(&self, together: &Collective, addresses: Place) -> bool {
        let groups = self.plan.vector_ops.groups() as u32;
        let meets = |to: Place| to.line < addresses.line + 2 * groups && addresses.line < to.line + groups;
        together.results.iter().filter_map(|target| target.low).any(|(_, to)| meets(to))
    }

    /// Loads rows, registers being the rows one after the other, so that nothing need be put together first. No result lies where the
    /// addresses do.
    fn load_rows_apart(&mut self, together: &Collective, from: Place, found: Found, members: &[u32]) {
        let (level, own) = (self.lines.level(), self.job.threads as usize);
        let step = if found.home == Home::Shared { self.shared_step() } else { 0 };
        // Each block has shared memory of its own.
        let base = |warp: usize| found.base.wrapping_sub((warp * WARP / own) as u64 * step);
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        for (k, target) in together.results.iter().enumerate() {
            let Some((_, to)) = target.low else { continue };
            let (addresses, LanesMut::U32(lanes)) = self.lines.pair_mut(from, to, Type::U32) else {
                continue;
            };
            let (addresses, lanes) = (addresses.as_chunks().0, lanes.as_chunks_mut().0);
            bulk.read_all(level, rows_of(k, addresses, lanes, members, base));
        }
    }

    /// Finds all stretches of a warp's tile: mostly they lie together.
    fn find_stretches(
        &mut self,
        together: &Collective,
        tiles: &Tiles,
        warp: usize,
        room: &mut Room,
    ) -> Option<()> {
        let memory = together.memory?;
        let access = if tiles.stores { Access::Write } else { Access::Read };
        let (addresses, others) = room.sources.split_last()?;
        let strides = others.get(tiles.stride_source());
        let address = |stretch: &Stretch| {
            let lane = usize::from(stretch.lane);
            let offset = tiles.offset(stretch, strides.map(|strides| strides[lane]));
            addresses[lane].wrapping_add(offset) & memory.mask
        };
        let (mut least, mut most) = (u64::MAX, 0);
        for stretch in &tiles.stretches {
            let at = address(stretch);
            debug_assert!(stretch.align.is_power_of_two());
            if at & u64::from(stretch.align - 1) != 0 {
                return None;
            }
            least = least.min(at);
            most = most.max(at.checked_add(stretch.bytes.into())?);
        }
        let together = self.find(access, (memory.space, 0), least, most - least);
        let is_whole = self.job.threads.is_multiple_of(WARP as u32);
        let of_warp = self.shared_offset(warp * WARP);
        for stretch in &tiles.stretches {
            let at = address(stretch);
            let found = match together {
                Some(found) => found,
                None => self.find(access, (memory.space, 0), at, stretch.bytes.into())?,
            };
            let own = match found.home {
                Home::Global(_) if tiles.in_shared => return None,
                Home::Global(_) => 0,
                Home::Shared if is_whole => of_warp,
                Home::Shared => self.shared_offset(warp * WARP + usize::from(stretch.lane)),
                Home::Local | Home::Param => return None,
            };
            room.places.push((found.home, at - found.base + own));
        }
        Some(())
    }

    /// A warp's tile, whose stretches have been found from there on.
    fn move_tile(&mut self, tiles: &Tiles, from: usize, room: &mut Room) {
        let bytes = tiles.bytes();
        room.tile.resize(bytes.div_ceil(8), 0);
        let places = &room.places[from..][..tiles.stretches.len()];
        let mut left = &mut bytemuck::cast_slice_mut(&mut room.tile)[..bytes];
        if tiles.stores {
            tiles.collect(&room.sources, left);
        }
        for (stretch, (home, at)) in tiles.stretches.iter().zip(places) {
            let (own, others) = left.split_at_mut(stretch.bytes as usize);
            left = others;
            let bulk = self.bulk(*home);
            if !tiles.stores {
                bulk.read_bytes(*at, own);
                continue;
            }
            let step = step(stretch);
            for (k, bytes) in own.chunks_exact(step).enumerate() {
                let mut word = [0; 8];
                word[..step].copy_from_slice(bytes);
                bulk.store(at + (k * step) as u64, step as u32, u64::from_le_bytes(word));
            }
        }
    }
}

/// For every warp of which lanes have come: what is taken away from the addresses of the rows of register `k`, these addresses, and the
/// register.
fn rows_of<'a>(
    k: usize,
    addresses: &'a [[u64; WARP]],
    lanes: &'a mut [[u32; WARP]],
    members: &'a [u32],
    base: impl Fn(usize) -> u64 + 'a,
) -> impl Iterator<Item = (u64, &'a [u64; ROWS], &'a mut [Row; ROWS])> {
    let all = addresses.iter().zip(lanes).zip(members).enumerate().filter(|(_, (_, members))| **members != 0);
    all.map(move |(warp, ((addresses, lanes), _))| {
        (base(warp), &addresses.as_chunks().0[k], bytemuck::cast_mut::<_, [Row; ROWS]>(lanes))
    })
}

/// Gives the lanes of a warp what a tile holds.
fn spread(lines: &mut Lines, together: &Collective, warp: usize, moves: &TileMoves, tile: &[u16]) {
    for (k, target) in together.results.iter().enumerate() {
        if let Some((_, place)) = target.low {
            moves.spread(tile, k, &mut lines.u32s_mut(place).as_chunks_mut().0[warp]);
        }
    }
}

/// How many bytes of a stretch are written at once.
fn step(stretch: &Stretch) -> usize {
    1 << stretch.bytes.trailing_zeros().min(stretch.align.trailing_zeros()).min(3)
}
