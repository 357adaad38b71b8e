//! Loads and stores of many threads: found at once where all addresses are known to lie together, thread by thread
//! otherwise.
//!
//! Nothing is touched before every thread's address has been allowed. Where one is not, the golden engine goes on, finds
//! the same fault and says what it is.

use super::even::{AXES, Even};
use super::lanes::{Place, Scan, width};
use super::plan::{Address, EvenId, Move};
use super::run::{Cta, HandOver};
use crate::memory::{Access, Bulk};
use margay_front::module::Space;
use margay_isa::uop::Type;

/// Where some bytes lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// In the allocation with this number.
    Global(usize),
    Shared,
    Local,
    Param,
}

/// A stretch of addresses in one home, and what to take from an address for the offset there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) home: Home,
    pub(super) base: u64,
}

/// The type in which elements of so many bytes are moved.
fn element_type(bytes: u32) -> Type {
    if bytes == 8 { Type::U64 } else { Type::U32 }
}

impl Cta<'_> {
    /// Where the bytes from an address on lie, if they all lie together and may be used so.
    pub(super) fn find(
        &mut self,
        access: Access,
        space: Option<Space>,
        address: u64,
        bytes: u64,
    ) -> Option<Found> {
        let layout = self.job.memory.layout();
        let global = |cta: &mut Self| {
            let memory = cta.job.memory;
            let index = memory.check(access, address, bytes, 1, &mut cta.hint).ok()?;
            let allocation = memory.allocation(index);
            let allowed = space != Some(Space::Const) || allocation.read_only;
            let taken = !memory.is_heap(index) || memory.check_heap(index, access, address, bytes).is_ok();
            (allowed && taken).then_some(Found { home: Home::Global(index), base: allocation.region.base })
        };
        let window = |home: Home, size: u64, at: u64, base: u64| {
            (at <= size && bytes <= size - at).then_some(Found { home, base })
        };
        let local_bytes = self.job.ready.frame.stack(self.job.entry).map_or(0, |stack| stack.bytes);
        let shared = |at: u64, base: u64| window(Home::Shared, self.job.ready.frame.shared_bytes, at, base);
        let local = |at: u64, base: u64| {
            if access == Access::Atomic { None } else { window(Home::Local, local_bytes, at, base) }
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
            None if address < layout.global.end => global(self),
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

    /// One element of a thread's memory.
    #[inline]
    fn element(&mut self, found: Found, address: u64, bytes: u32, thread: usize) -> u64 {
        let at = address.wrapping_sub(found.base);
        match found.home {
            Home::Global(_) | Home::Shared => self.bulk(found.home).load(at, bytes),
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
            Home::Global(_) | Home::Shared => self.bulk(found.home).store(at, bytes, value),
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

    /// The first and the last thread that take part.
    fn first_and_last(&self, guard: Option<Place>) -> Option<(usize, usize)> {
        let threads = self.threads;
        if guard.is_none() && self.is_full() {
            return Some((0, threads - 1));
        }
        let first = (0..threads).find(|t| self.takes_part(guard, *t))?;
        let last = (0..threads).rev().find(|t| self.takes_part(guard, *t)).unwrap_or(first);
        Some((first, last))
    }

    pub(super) fn load(&mut self, load: &Move<Option<Place>>) -> Result<(), HandOver> {
        if load.lends && self.lend(load) {
            return Ok(());
        }
        let done = match load.address {
            Address::Uniform(place) => self.load_uniform(load, self.lines.get(Type::U64, place, 0)),
            Address::Even(id) => {
                let grown = self.grown(id);
                if grown.is_even && self.load_even(load, grown.even) {
                    return Ok(());
                }
                let addresses = self.addresses(id);
                self.load_each(load, addresses)
            }
            Address::Varying(place) => self.load_each(load, place),
        };
        done.ok_or(HandOver { pc: load.pc })
    }

    /// Leaves the value of a load in memory, if its elements follow each other there. `false` if it must be copied.
    fn lend(&mut self, load: &Move<Option<Place>>) -> bool {
        let (Address::Even(id), [Some(to)]) = (load.address, &load.elements[..]) else { return false };
        let grown = self.grown(id);
        let even = grown.even;
        let run = grown.is_even && even.steps[0] == i64::from(load.bytes) && self.is_joined(even);
        let found = if run { self.find_even(Access::Read, load.space, load.size, even) } else { None };
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

    /// The lines of addresses that may grow evenly.
    pub(super) fn addresses(&mut self, id: EvenId) -> Place {
        self.spread(id);
        self.plan.evens[id as usize].place
    }

    /// A load by all threads from one address.
    fn load_uniform(&mut self, load: &Move<Option<Place>>, address: u64) -> Option<()> {
        if self.first_and_last(load.guard).is_none() {
            return Some(());
        }
        if !address.is_multiple_of(load.size.into()) {
            return None;
        }
        let found = self.find(Access::Read, load.space, address, load.size.into())?;
        let ty = element_type(load.bytes);
        for (k, to) in load.elements.iter().enumerate() {
            let Some(to) = to else { continue };
            let at = address + k as u64 * u64::from(load.bytes);
            if found.home == Home::Local {
                self.load_local_row(at - found.base, load.bytes, *to);
            } else {
                let value = self.element(found, at, load.bytes, 0);
                self.set_all(ty, *to, value);
            }
        }
        Some(())
    }

    /// The same place of every thread's local memory.
    fn load_local_row(&mut self, at: u64, bytes: u32, to: Place) {
        let threads = self.threads;
        let row = &self.local[(at / 8) as usize * self.local_row()..][..threads];
        let (shift, mask) = (at % 8 * 8, low_bytes(bytes));
        match bytes {
            8 => self.lines.u64s_mut(to)[..threads].copy_from_slice(row),
            _ => {
                let lanes = &mut self.lines.u32s_mut(to)[..threads];
                lanes.iter_mut().zip(row).for_each(|(lane, word)| *lane = (word >> shift & mask) as u32);
            }
        }
    }

    /// A load from evenly growing addresses, by all threads, whether they take part or not. `false` if they do not all lie
    /// together in one allocation or in shared memory; then nothing is done.
    fn load_even(&mut self, load: &Move<Option<Place>>, even: Even) -> bool {
        let Some((found, start)) = self.find_even(Access::Read, load.space, load.size, even) else {
            return false;
        };
        let (x, y, z) = self.dimensions();
        let threads = self.threads;
        let joined = self.is_joined(even);
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            Home::Shared => Bulk::of_slice(&mut self.shared),
            Home::Local | Home::Param => return false,
        };
        for (k, to) in load.elements.iter().enumerate() {
            let Some(to) = to else { continue };
            let start = start + k as u64 * u64::from(load.bytes);
            let row_at = |row: usize| {
                let place = [0, (row % y) as u32, (row / y % z) as u32, (row / y / z) as u32];
                start.wrapping_add(even.at(Type::U64, place).wrapping_sub(even.base))
            };
            let step = even.steps[0];
            let rows = if joined { threads } else { x };
            if load.bytes == 8 {
                let lanes = &mut self.lines.u64s_mut(*to)[..threads];
                for (row, lanes) in lanes.chunks_mut(rows).enumerate() {
                    match step {
                        8 => bulk.read_u64s(row_at(row), lanes),
                        0 => lanes.fill(bulk.load(row_at(row), 8)),
                        _ => bulk.read_stride_u64(row_at(row), step, lanes),
                    }
                }
                continue;
            }
            let lanes = &mut self.lines.u32s_mut(*to)[..threads];
            for (row, lanes) in lanes.chunks_mut(rows).enumerate() {
                match (step, load.bytes) {
                    (4, 4) => bulk.read_u32s(row_at(row), lanes),
                    (0, bytes) => lanes.fill(bulk.load(row_at(row), bytes) as u32),
                    (_, bytes) => bulk.read_stride(row_at(row), step, bytes, lanes),
                }
            }
        }
        true
    }

    /// Whether the rows of threads follow each other without a gap, at the distance of threads in a row.
    fn is_joined(&self, even: Even) -> bool {
        let extent = self.extent();
        let mut step = even.steps[0];
        (1..AXES).all(|axis| {
            step = step.wrapping_mul(i64::from(extent[axis - 1]));
            extent[axis] == 1 || even.steps[axis] == step
        })
    }

    /// Words of local memory with the same address.
    fn local_row(&self) -> usize {
        self.job.threads as usize * self.plan.members as usize
    }

    fn dimensions(&self) -> (usize, usize, usize) {
        let block = self.job.block;
        (block.x as usize, block.y as usize, block.z as usize)
    }

    /// Where evenly growing addresses of all threads lie, and the offset of the first thread's.
    fn find_even(
        &mut self,
        access: Access,
        space: Option<Space>,
        size: u32,
        even: Even,
    ) -> Option<(Found, u64)> {
        let mut low_bits = even.base;
        even.steps.iter().for_each(|step| low_bits |= *step as u64);
        if low_bits & u64::from(size - 1) != 0 {
            return None;
        }
        let (below, above) = even.reach(self.extent())?;
        let (least, most) = (even.base.checked_add_signed(below)?, even.base.checked_add_signed(above)?);
        let bytes = (most - least).checked_add(size.into())?;
        let found = self.find(access, space, least, bytes)?;
        Some((found, even.base - found.base))
    }

    /// A load from any addresses.
    fn load_each(&mut self, load: &Move<Option<Place>>, addresses: Place) -> Option<()> {
        let Some((first, last)) = self.first_and_last(load.guard) else { return Some(()) };
        let threads = self.threads;
        let all = load.guard.is_none() && self.is_full();
        let ty = element_type(load.bytes);
        if all
            && let Some((found, scan)) = self.find_all(Access::Read, load, addresses)
            && found.home != Home::Local
            && found.home != Home::Param
        {
            for (k, to) in load.elements.iter().enumerate() {
                let Some(to) = to else { continue };
                let skip = k as u64 * u64::from(load.bytes);
                let offset = skip.wrapping_sub(found.base);
                let bulk = match found.home {
                    Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
                    _ => Bulk::of_slice(&mut self.shared),
                };
                let one_run = scan.step == Some(u64::from(load.bytes)) && load.bytes >= 4;
                let (from, to) = self.lines.pair_mut(addresses, *to, ty);
                match to {
                    LanesMut::U32(lanes) if one_run => {
                        bulk.read_u32s(from[0].wrapping_add(offset), &mut lanes[..threads]);
                    }
                    LanesMut::U64(lanes) if one_run => {
                        bulk.read_u64s(from[0].wrapping_add(offset), &mut lanes[..threads]);
                    }
                    LanesMut::U32(lanes) => {
                        bulk.gather(&from[..threads], offset, load.bytes, &mut lanes[..threads])
                    }
                    LanesMut::U64(lanes) => bulk.gather_u64(&from[..threads], offset, &mut lanes[..threads]),
                }
            }
            return Some(());
        }
        for t in first..=last {
            if self.takes_part(load.guard, t) {
                self.find_one(Access::Read, load, addresses, t)?;
            }
        }
        for t in (first..=last).filter(|t| all || self.takes_part(load.guard, *t)).collect::<Vec<_>>() {
            let address = self.lines.get(Type::U64, addresses, t);
            let found = self.find_one(Access::Read, load, addresses, t)?;
            for (k, to) in load.elements.iter().enumerate() {
                let Some(to) = to else { continue };
                let value = self.element(found, address + k as u64 * u64::from(load.bytes), load.bytes, t);
                self.lines.set(ty, *to, t, value);
            }
        }
        Some(())
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
        self.find(access, moved.space, address, moved.size.into())
    }

    /// Where all threads' addresses lie, if it is one place.
    fn find_all<T>(&mut self, access: Access, moved: &Move<T>, addresses: Place) -> Option<(Found, Scan)> {
        if addresses.stride == 0 {
            return None;
        }
        let scan = self.lines.scan(addresses, self.threads);
        if scan.low_bits & u64::from(moved.size - 1) != 0 {
            return None;
        }
        let bytes = (scan.most - scan.least).checked_add(moved.size.into())?;
        let found = self.find(access, moved.space, scan.least, bytes)?;
        // The heap's blocks are allowed one by one.
        let heap = matches!(found.home, Home::Global(index) if self.job.memory.is_heap(index));
        (!heap).then_some((found, scan))
    }

    pub(super) fn store(&mut self, store: &Move<Place>) -> Result<(), HandOver> {
        let done = match store.address {
            Address::Uniform(place) => self.store_uniform(store, self.lines.get(Type::U64, place, 0)),
            Address::Even(id) => {
                let grown = self.grown(id);
                if grown.is_even
                    && store.guard.is_none()
                    && self.is_full()
                    && self.store_even(store, grown.even)
                {
                    return Ok(());
                }
                let addresses = self.addresses(id);
                self.store_each(store, addresses)
            }
            Address::Varying(place) => self.store_each(store, place),
        };
        done.ok_or(HandOver { pc: store.pc })
    }

    /// A store by all threads to one address: the last one's value stays. In local memory each has its own.
    fn store_uniform(&mut self, store: &Move<Place>, address: u64) -> Option<()> {
        let Some((first, last)) = self.first_and_last(store.guard) else { return Some(()) };
        if !address.is_multiple_of(store.size.into()) {
            return None;
        }
        let found = self.find(Access::Write, store.space, address, store.size.into())?;
        let ty = element_type(store.bytes);
        for (k, from) in store.elements.iter().enumerate() {
            let at = address + k as u64 * u64::from(store.bytes);
            if found.home != Home::Local {
                let value = self.lines.get(ty, *from, last);
                self.set_element(found, at, store.bytes, last, value);
                continue;
            }
            for t in first..=last {
                if self.takes_part(store.guard, t) {
                    let value = self.lines.get(ty, *from, t);
                    self.set_element(found, at, store.bytes, t, value);
                }
            }
        }
        Some(())
    }

    /// A store by all threads to evenly growing addresses. `false` if nothing was done.
    fn store_even(&mut self, store: &Move<Place>, even: Even) -> bool {
        let step = i64::from(store.bytes);
        let (x, ..) = self.dimensions();
        // Elements of one run; anything else goes thread by thread.
        let plain = store.bytes >= 4 && store.elements.len() == 1 && even.steps[0] == step;
        let from = store.elements[0];
        if !plain || from.stride == 0 {
            return false;
        }
        let Some((found, start)) = self.find_even(Access::Write, store.space, store.size, even) else {
            return false;
        };
        let threads = self.threads;
        let rows = if self.is_joined(even) { threads } else { x };
        let starts: Vec<u64> = (0..threads / rows)
            .map(|row| self.row_place(row))
            .map(|place| start.wrapping_add(even.at(Type::U64, place).wrapping_sub(even.base)))
            .collect();
        let bulk = match found.home {
            Home::Global(index) if !self.job.memory.is_heap(index) => {
                Bulk::of_words(&self.job.memory.allocation(index).words)
            }
            Home::Shared => Bulk::of_slice(&mut self.shared),
            Home::Global(_) | Home::Local | Home::Param => return false,
        };
        for (row, at) in starts.into_iter().enumerate() {
            let lanes = row * rows..(row + 1) * rows;
            match store.bytes {
                8 => bulk.write_u64s(at, &self.lines.u64s(from)[lanes]),
                _ => bulk.write_u32s(at, &self.lines.u32s(from)[lanes]),
            }
        }
        true
    }

    /// A store to any addresses, thread by thread.
    fn store_each(&mut self, store: &Move<Place>, addresses: Place) -> Option<()> {
        let Some((first, last)) = self.first_and_last(store.guard) else { return Some(()) };
        let ty = element_type(store.bytes);
        let all = store.guard.is_none() && self.is_full();
        let together = if all { self.find_all(Access::Write, store, addresses) } else { None };
        if together.is_none() {
            for t in first..=last {
                if self.takes_part(store.guard, t) {
                    self.find_one(Access::Write, store, addresses, t)?;
                }
            }
        }
        for t in first..=last {
            if !all && !self.takes_part(store.guard, t) {
                continue;
            }
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
        }
        Some(())
    }
}

/// The low `8 * bytes` bits.
#[inline]
pub(super) fn low_bytes(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes.min(8))
}

/// The lanes of a place that is written, by its type.
pub(super) enum LanesMut<'l> {
    U32(&'l mut [u32]),
    U64(&'l mut [u64]),
}

impl super::lanes::Lines<'_> {
    /// Addresses to be read and a place to be written, which must lie apart.
    fn pair_mut(&mut self, from: Place, to: Place, ty: Type) -> (&[u64], LanesMut<'_>) {
        let (from, to) = self.apart(from, 2, to, usize::from(width(ty)));
        let from = bytemuck::cast_slice(from);
        match ty {
            Type::U64 => (from, LanesMut::U64(bytemuck::cast_slice_mut(to))),
            Type::U32 | Type::Pred => (from, LanesMut::U32(bytemuck::cast_slice_mut(to))),
        }
    }
}
