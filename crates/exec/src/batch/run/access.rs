//! Loads and stores of many threads: found at once where all addresses are known to lie together, thread by thread
//! otherwise.
//!
//! Nothing is touched before every thread's address has been allowed. Where one is not, the golden engine goes on, finds
//! the same fault and says what it is.

use crate::batch::lanes::{GROUP, LanesMut, Place, Scan};
use crate::batch::plan::{Address, AffineId, Move};
use crate::batch::run::found::{Found, Home};
use crate::batch::run::part::Part;
use crate::batch::run::{Bailout, Cta};
use crate::memory::{Access, Bulk, Grid, ROW};
use margay_front::module::Space;
use margay_isa::uop::Type;
use std::ops::Range;

// What a scan knows of groups holds for rows.
const _: () = assert!(ROW == GROUP);

/// The type in which elements of so many bytes are moved.
pub(super) fn element_type(bytes: u32) -> Type {
    if bytes == 8 { Type::U64 } else { Type::U32 }
}

impl Cta<'_> {
    /// Where the bytes from an address on lie, if they all lie together and may be used so: in a space if one is named, and in
    /// local memory as far as a node reaches.
    pub(super) fn find(
        &mut self,
        access: Access,
        (space, reach): (Option<Space>, u32),
        address: u64,
        bytes: u64,
    ) -> Option<Found> {
        let layout = self.job.memory.layout();
        let global = |cta: &mut Self| {
            let memory = cta.job.memory;
            let index = memory.check(access, address, bytes, 1, &mut cta.hint).ok()?;
            let allocation = memory.allocation(index);
            let allowed = space != Some(Space::Const) || allocation.is_constant();
            let taken = !memory.is_heap(index) || memory.check_heap(index, access, address, bytes).is_ok();
            (allowed && taken).then_some(Found { home: Home::Global(index), base: allocation.origin })
        };
        let window = |home: Home, size: u64, at: u64, base: u64| {
            (at <= size && bytes <= size - at).then_some(Found { home, base })
        };
        let shared = |at: u64, base: u64| window(Home::Shared, self.job.ready.frame.shared_bytes, at, base);
        let local = |at: u64, base: u64| {
            let ranges = self.plan.origins.in_memory(reach);
            let lies = |range: &Range<u64>| range.start <= at && at <= range.end && bytes <= range.end - at;
            let allowed = access != Access::Atomic && ranges.iter().any(lies);
            allowed.then_some(Found { home: Home::Local, base })
        };
        let param = |at: u64, base: u64| {
            if access == Access::Read {
                window(Home::Param, self.job.parameter_bytes, at, base)
            } else {
                None
            }
        };
        match space {
            Some(Space::Global | Space::Const) => global(self),
            Some(Space::Shared) => shared(address, 0),
            Some(Space::Local) => local(address, 0),
            Some(Space::Param) => param(address, 0),
            None if layout.is_global(address) => global(self),
            None => {
                if let Some(at) = layout.shared.offset(address) {
                    shared(at, layout.shared.base)
                } else if let Some(at) = layout.local.offset(address) {
                    local(at, layout.local.base)
                } else if let Some(at) = layout.param.offset(address) {
                    param(at, layout.param.base)
                } else {
                    global(self)
                }
            }
        }
    }

    /// The memory of a home that is not local.
    pub(super) fn bulk(&mut self, home: Home) -> Bulk<'_> {
        match home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            Home::Shared | Home::Local | Home::Param => Bulk::of_slice(&mut self.shared),
        }
    }

    /// Bytes from one block's shared memory to the next one's.
    pub(super) fn shared_step(&self) -> u64 {
        8 * (self.shared.len() / self.plan.batch_size as usize) as u64
    }

    /// What a thread's block adds to an offset in shared memory.
    pub(super) fn shared_offset(&self, thread: usize) -> u64 {
        if self.count == 1 {
            return 0;
        }
        u64::from(thread as u32 / self.job.threads) * self.shared_step()
    }

    /// The addresses of all threads, with what each one's block adds.
    pub(super) fn shared_addresses(&mut self, addresses: Place) -> Vec<u64> {
        let mut found = std::mem::take(&mut self.addresses);
        found.clear();
        let all = self.lines.u64s(addresses);
        let (own, step) = (self.job.threads as usize, self.shared_step());
        for member in 0..self.count as usize {
            let offset = member as u64 * step;
            match addresses.stride {
                0 => found.resize(found.len() + own, all[0].wrapping_add(offset)),
                _ => found.extend(all[member * own..][..own].iter().map(|at| at.wrapping_add(offset))),
            }
        }
        found
    }

    /// One element of a thread's memory.
    #[inline]
    pub(super) fn element(&mut self, found: Found, address: u64, bytes: u32, thread: usize) -> u64 {
        let at = address.wrapping_sub(found.base);
        match found.home {
            Home::Global(_) => self.bulk(found.home).load(at, bytes),
            Home::Shared => {
                let at = at + self.shared_offset(thread);
                self.bulk(found.home).load(at, bytes)
            }
            Home::Local => {
                let word = self.local[(at / 8) as usize * self.local_row() + thread];
                word >> (at % 8 * 8) & low_bytes(bytes)
            }
            Home::Param => self.job.parameters[(at / 8) as usize] >> (at % 8 * 8) & low_bytes(bytes),
        }
    }

    /// Writes one element of a thread's memory.
    #[inline]
    fn set_element(&mut self, found: Found, address: u64, bytes: u32, thread: usize, value: u64) {
        let at = address.wrapping_sub(found.base);
        match found.home {
            Home::Global(_) => self.bulk(found.home).store(at, bytes, value),
            Home::Shared => {
                let at = at + self.shared_offset(thread);
                self.bulk(found.home).store(at, bytes, value);
            }
            Home::Local => {
                let place = (at / 8) as usize * self.local_row() + thread;
                let word = &mut self.local[place];
                let (shift, mask) = (at % 8 * 8, low_bytes(bytes));
                *word = *word & !(mask << shift) | (value & mask) << shift;
            }
            // Writes there are refused.
            Home::Param => {}
        }
    }

    /// Whether a thread takes part.
    #[inline]
    pub(super) fn takes_part(&self, guard: Option<Place>, thread: usize) -> bool {
        self.is_running(thread) && guard.is_none_or(|guard| self.lines.get(Type::Pred, guard, thread) == 1)
    }

    pub(super) fn load(&mut self, load: &Move<Option<Place>>) -> Result<(), Bailout> {
        if load.lends && self.lend(load) || load.copied.is_some() && self.leave(load) {
            return Ok(());
        }
        let done = match load.address {
            Address::Uniform(place) => self.load_uniform(load, self.lines.get(Type::U64, place, 0)),
            Address::Affine(id) => {
                let register = self.affine_register(id);
                let part = self.part(load.guard);
                if register.is_affine
                    && (self.load_few(load, register.affine, &part)
                        || self.load_affine(load, register.affine))
                {
                    self.done_with(part);
                    return Ok(());
                }
                let addresses = self.addresses(id);
                self.load_each(load, addresses, part)
            }
            Address::Periodic(id) => {
                let part = self.part(load.guard);
                if matches!(part, Part::All(_)) && self.load_periodic(load, id) {
                    return Ok(());
                }
                let addresses = self.addresses(id);
                self.load_each(load, addresses, part)
            }
            Address::Varying(place) => {
                let part = self.part(load.guard);
                self.load_each(load, place, part)
            }
        };
        done.ok_or(Bailout { pc: load.pc })
    }

    /// Leaves the value of a load in memory, if its elements follow each other there. `false` if it must be copied.
    fn lend(&mut self, load: &Move<Option<Place>>) -> bool {
        let (Address::Affine(id), [Some(to)]) = (load.address, &load.elements[..]) else { return false };
        let register = self.affine_register(id);
        let affine = register.affine;
        let run = register.is_affine && affine.steps[0] == i64::from(load.bytes) && self.is_joined(affine);
        let found = if run { self.find_affine(Access::Read, load, affine, 0) } else { None };
        if let Some((Found { home: Home::Global(index), .. }, at)) = found {
            let memory: &'_ crate::Memory = self.job.memory;
            if self.lines.lend(
                *to,
                Bulk::of_words(&memory.allocation(index).words),
                at,
                element_type(load.bytes),
            ) {
                return true;
            }
        }
        self.lines.take_back(*to);
        false
    }

    /// The lines of addresses that may be affine.
    pub(super) fn addresses(&mut self, id: AffineId) -> Place {
        self.materialize(id);
        self.plan.affine_values[id as usize].place
    }

    /// A load by all threads from one address.
    fn load_uniform(&mut self, load: &Move<Option<Place>>, address: u64) -> Option<()> {
        let part = self.part(load.guard);
        let nobody = part.is_empty();
        self.done_with(part);
        if nobody {
            return Some(());
        }
        if !address.is_multiple_of(load.size.into()) {
            return None;
        }
        let found = self.find(Access::Read, load.area(), address, load.size.into())?;
        let ty = element_type(load.bytes);
        for (k, to) in load.elements.iter().enumerate() {
            let Some(to) = to else { continue };
            let at = address + k as u64 * u64::from(load.bytes);
            if found.home == Home::Local {
                self.load_local_row(at - found.base, load.bytes, *to);
            } else if found.home == Home::Shared && self.count > 1 {
                // Each block has its own.
                let own = self.job.threads as usize;
                for first in (0..self.threads).step_by(own) {
                    let value = self.element(found, at, load.bytes, first);
                    match ty {
                        Type::U64 => self.lines.u64s_mut(*to)[first..][..own].fill(value),
                        _ => self.lines.u32s_mut(*to)[first..][..own].fill(value as u32),
                    }
                }
            } else {
                let value = self.element(found, at, load.bytes, 0);
                self.set_all(ty, *to, value);
            }
        }
        Some(())
    }

    /// A load from any addresses by a part of the threads.
    fn load_each(&mut self, load: &Move<Option<Place>>, addresses: Place, part: Part) -> Option<()> {
        if part.is_empty() {
            self.done_with(part);
            return Some(());
        }
        let together = self.find_together(Access::Read, load, addresses, &part);
        if together.is_none()
            && addresses.stride != 0
            && let Some(apart) = self.find_apart(Access::Read, load, addresses, &part)
        {
            apart.iter().for_each(|(found, part)| self.load_some(load, addresses, *found, part));
            self.done_with(part);
            return Some(());
        }
        if together.is_none() {
            part.try_each(|t| self.find_one(Access::Read, load, addresses, t).map(drop))?;
        }
        let ty = element_type(load.bytes);
        match (together, &part) {
            (Some((found, scan)), Part::All(_))
                if matches!(found.home, Home::Global(_) | Home::Shared) && addresses.stride != 0 =>
            {
                self.load_all(load, addresses, found, scan);
            }
            (Some((found, _)), _) if found.home != Home::Param && addresses.stride != 0 => {
                self.load_some(load, addresses, found, &part);
            }
            _ => part.try_each(|t| {
                let address = self.lines.get(Type::U64, addresses, t);
                let found = match together {
                    Some((found, _)) => found,
                    None => self.find_one(Access::Read, load, addresses, t)?,
                };
                for (k, to) in load.elements.iter().enumerate() {
                    let Some(to) = to else { continue };
                    let at = address + k as u64 * u64::from(load.bytes);
                    let value = self.element(found, at, load.bytes, t);
                    self.lines.set(ty, *to, t, value);
                }
                Some(())
            })?,
        }
        self.done_with(part);
        Some(())
    }

    /// A load by all threads from addresses that lie together.
    fn load_all(&mut self, load: &Move<Option<Place>>, addresses: Place, found: Found, scan: Scan) {
        let (threads, level) = (self.threads, self.lines.level());
        if self.load_vectors(load, addresses, found) {
            return;
        }
        if found.home == Home::Shared && self.count > 1 {
            return self.load_shared(load, addresses, found);
        }
        let in_rows = scan.step_of_groups == Some(load.bytes.into());
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        for (k, to) in load.elements.iter().enumerate() {
            let Some(to) = to else { continue };
            let base = found.base.wrapping_sub(k as u64 * u64::from(load.bytes));
            let (from, to) = self.lines.pair_mut(addresses, *to, element_type(load.bytes));
            let from = &from[..threads];
            let row = scan.step.map(|step| Grid {
                at: from[0].wrapping_sub(base),
                steps: [step as i64, 0, 0, 0],
                extent: [threads as u32, 1, 1, 1],
            });
            match (to, row) {
                (LanesMut::U32(lanes), Some(row)) => {
                    bulk.read_grid(level, row, load.bytes, &mut lanes[..threads]);
                }
                (LanesMut::U64(lanes), Some(row)) => bulk.read_grid_u64(level, row, &mut lanes[..threads]),
                (LanesMut::U32(lanes), None) if in_rows && load.bytes == 4 => {
                    bulk.read_rows(from, base, &mut lanes[..threads]);
                }
                (LanesMut::U64(lanes), None) if in_rows => bulk.read_rows(from, base, &mut lanes[..threads]),
                (LanesMut::U32(lanes), None) => {
                    bulk.gather(level, from, base, load.bytes, &mut lanes[..threads]);
                }
                (LanesMut::U64(lanes), None) => bulk.gather_u64(level, from, base, &mut lanes[..threads]),
            }
        }
    }

    /// The same from the shared memory of several blocks, one after the other.
    fn load_shared(&mut self, load: &Move<Option<Place>>, addresses: Place, found: Found) {
        let (own, level, step) = (self.job.threads as usize, self.lines.level(), self.shared_step());
        let bulk = Bulk::of_slice(&mut self.shared);
        for (k, to) in load.elements.iter().enumerate() {
            let Some(to) = to else { continue };
            let (from, mut to) = self.lines.pair_mut(addresses, *to, element_type(load.bytes));
            for (member, from) in from[..self.threads].chunks(own).enumerate() {
                let skip = (k as u64 * u64::from(load.bytes)).wrapping_add(member as u64 * step);
                let (base, range) = (found.base.wrapping_sub(skip), member * own..(member + 1) * own);
                match &mut to {
                    LanesMut::U32(lanes) => bulk.gather(level, from, base, load.bytes, &mut lanes[range]),
                    LanesMut::U64(lanes) => bulk.gather_u64(level, from, base, &mut lanes[range]),
                }
            }
        }
    }

    /// Where one thread's address lies.
    pub(super) fn find_one<T>(
        &mut self,
        access: Access,
        moved: &Move<T>,
        addresses: Place,
        thread: usize,
    ) -> Option<Found> {
        let address = self.lines.get(Type::U64, addresses, thread);
        if !address.is_multiple_of(moved.size.into()) {
            return None;
        }
        self.find(access, moved.area(), address, moved.size.into())
    }

    pub(super) fn store(&mut self, store: &Move<Place>) -> Result<(), Bailout> {
        if store.copied.is_some() && self.copy_left(store) {
            return Ok(());
        }
        // What is copied before this store may lie where it writes.
        self.copy_sunk();
        let done = match store.address {
            Address::Uniform(place) => self.store_uniform(store, self.lines.get(Type::U64, place, 0)),
            Address::Affine(id) => {
                let register = self.affine_register(id);
                let part = self.part(store.guard);
                let done = register.is_affine
                    && match part {
                        Part::All(_) => self.store_affine(store, register.affine),
                        Part::Some(_) => self.store_few(store, register.affine, &part),
                    };
                if done {
                    self.done_with(part);
                    return Ok(());
                }
                let addresses = self.addresses(id);
                self.store_each(store, addresses, part)
            }
            Address::Periodic(id) => {
                let part = self.part(store.guard);
                if matches!(part, Part::All(_)) && self.store_periodic(store, id) {
                    return Ok(());
                }
                let addresses = self.addresses(id);
                self.store_each(store, addresses, part)
            }
            Address::Varying(place) => {
                let part = self.part(store.guard);
                self.store_each(store, place, part)
            }
        };
        done.ok_or(Bailout { pc: store.pc })
    }

    /// A store by all threads to one address: the last one's value stays. In local memory each has its own.
    fn store_uniform(&mut self, store: &Move<Place>, address: u64) -> Option<()> {
        let part = self.part(store.guard);
        let Some(last) = part.last() else {
            self.done_with(part);
            return Some(());
        };
        if !address.is_multiple_of(store.size.into()) {
            return None;
        }
        let found = self.find(Access::Write, store.area(), address, store.size.into())?;
        let ty = element_type(store.bytes);
        for (k, from) in store.elements.iter().enumerate() {
            let at = address + k as u64 * u64::from(store.bytes);
            if found.home == Home::Local {
                self.store_local_row(at - found.base, store.bytes, *from, &part);
                continue;
            }
            if found.home != Home::Shared || self.count == 1 {
                let value = self.lines.get(ty, *from, last);
                self.set_element(found, at, store.bytes, last, value);
                continue;
            }
            part.each(|t| {
                let value = self.lines.get(ty, *from, t);
                self.set_element(found, at, store.bytes, t, value);
            });
        }
        self.done_with(part);
        Some(())
    }

    /// A store to any addresses by a part of the threads.
    fn store_each(&mut self, store: &Move<Place>, addresses: Place, part: Part) -> Option<()> {
        if part.is_empty() {
            self.done_with(part);
            return Some(());
        }
        let together = self.find_together(Access::Write, store, addresses, &part);
        if together.is_none()
            && addresses.stride != 0
            && let Some(apart) = self.find_apart(Access::Write, store, addresses, &part)
        {
            apart.iter().for_each(|(found, part)| self.store_some(store, addresses, *found, part));
            self.done_with(part);
            return Some(());
        }
        if together.is_none() {
            part.try_each(|t| self.find_one(Access::Write, store, addresses, t).map(drop))?;
        }
        let ty = element_type(store.bytes);
        match (together, &part) {
            (Some((found, scan)), Part::All(_))
                if matches!(found.home, Home::Global(_) | Home::Shared) && addresses.stride != 0 =>
            {
                self.store_all(store, addresses, found, scan);
            }
            (Some((found, _)), _) if found.home != Home::Param && addresses.stride != 0 => {
                self.store_some(store, addresses, found, &part);
            }
            _ => part.try_each(|t| {
                let address = self.lines.get(Type::U64, addresses, t);
                let found = match together {
                    Some((found, _)) => found,
                    None => self.find_one(Access::Write, store, addresses, t)?,
                };
                for (k, from) in store.elements.iter().enumerate() {
                    let value = self.lines.get(ty, *from, t);
                    let at = address + k as u64 * u64::from(store.bytes);
                    self.set_element(found, at, store.bytes, t, value);
                }
                Some(())
            })?,
        }
        self.done_with(part);
        Some(())
    }

    /// A store by all threads to addresses that lie together.
    fn store_all(&mut self, store: &Move<Place>, addresses: Place, found: Found, scan: Scan) {
        if self.store_vectors(store, addresses, found) {
            return;
        }
        let (threads, level) = (self.threads, self.lines.level());
        let several = found.home == Home::Shared && self.count > 1;
        let shared = if several { self.shared_addresses(addresses) } else { Vec::new() };
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        let in_rows = scan.step_of_groups.filter(|_| !several) == Some(store.bytes.into());
        let to = if several { &shared[..] } else { &self.lines.u64s(addresses)[..threads] };
        for (k, from) in store.elements.iter().enumerate() {
            let base = found.base.wrapping_sub(k as u64 * u64::from(store.bytes));
            let same = from.stride == 0;
            // Which bits of a thread's number say where its value is.
            let lanes = if same { 0 } else { usize::MAX };
            let row = scan.step.filter(|_| !several).map(|step| Grid {
                at: to[0].wrapping_sub(base),
                steps: [step as i64, 0, 0, 0],
                extent: [threads as u32, 1, 1, 1],
            });
            match (store.bytes, row) {
                (8, Some(row)) => bulk.write_grid_u64(level, row, self.lines.u64s(*from), same),
                (bytes, Some(row)) => bulk.write_grid(level, row, bytes, self.lines.u32s(*from), same),
                (8, None) if in_rows && !same => {
                    bulk.write_rows(to, base, &self.lines.u64s(*from)[..threads]);
                }
                (4, None) if in_rows && !same => {
                    bulk.write_rows(to, base, &self.lines.u32s(*from)[..threads]);
                }
                (4, None) if !same => {
                    bulk.scatter_words(level, to, base, &self.lines.u32s(*from)[..threads]);
                }
                (8, None) => {
                    let values = self.lines.u64s(*from);
                    bulk.scatter_u64(to, base, (0..threads).map(|t| values[t & lanes]));
                }
                (bytes, None) => {
                    let values = self.lines.u32s(*from);
                    bulk.scatter(level, to, base, bytes, (0..threads).map(|t| values[t & lanes]));
                }
            }
        }
        if several {
            self.addresses = shared;
        }
    }
}

/// The low `8 * bytes` bits.
#[inline]
pub(super) fn low_bytes(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes.min(8))
}
