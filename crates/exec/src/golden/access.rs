//! Memory as a thread sees it: which bytes an address means, and whether the thread may use them.

use super::lane::{Bytes, Lane};
use crate::code::{Copies, Copy, Source, Transfer};
use crate::memory::{Access, Fault, FaultKind, Layout, Private, Region, Window, holds, wide_step};
use crate::sanitize::touched::Made;
use crate::trap::TrapKind;
use margay_front::module::{FunctionId, Space};
use margay_isa::Bits;

/// What a copy of a few bytes writes.
const COPIED: Made = Made::Copy { line: Copies::Small, second: true };

impl Bytes<'_> {
    /// A guard of what is one step of 16 bytes, if other launches may see it.
    fn wide_step(&self) -> Option<impl Drop> {
        matches!(self, Bytes::Global(..)).then(wide_step)
    }

    pub(super) fn is_global(&self) -> bool {
        matches!(self, Bytes::Global(..))
    }

    /// Where element `k` of so many bytes lies.
    pub(super) fn element(self, k: usize, bytes: u32) -> Self {
        let skip = k as u64 * u64::from(bytes);
        match self {
            Bytes::Global(words, at) => Bytes::Global(words, at + skip),
            Bytes::Shared(at) => Bytes::Shared(at + skip),
            Bytes::Local(at) => Bytes::Local(at + skip),
            Bytes::Param(at) => Bytes::Param(at + skip),
        }
    }
}

impl<'a> Lane<'a> {
    /// The bytes that an access means. The access is as wide as its alignment.
    #[inline]
    pub(super) fn find(
        &mut self,
        access: Access,
        space: Option<Space>,
        far: bool,
        address: u64,
        bytes: u64,
    ) -> Result<Bytes<'a>, Fault> {
        self.stack.deeds += 1;
        match space {
            Some(Space::Global | Space::Const) => self.global(access, space, address, bytes),
            Some(Space::Shared) => self.shared(access, far, address, bytes),
            Some(Space::Local) => self.local(access, address, bytes),
            Some(Space::Param) => self.param(access, address, bytes),
            None => {
                let layout = self.job.memory.layout();
                if layout.is_global(address) {
                    self.global(access, space, address, bytes)
                } else if let Some(offset) = layout.shared.offset(address) {
                    self.shared(access, true, offset, bytes)
                } else if let Some(offset) = layout.local.offset(address) {
                    self.local(access, offset, bytes)
                } else if let Some(offset) = layout.param.offset(address) {
                    self.param(access, offset, bytes)
                } else if let Some(offset) = self.job.far_offset(address) {
                    self.shared(access, true, offset, bytes)
                } else {
                    self.global(access, space, address, bytes)
                }
            }
        }
    }

    /// The bytes that an access means to an address like that of a transfer.
    #[inline]
    pub(super) fn find_of<T>(
        &mut self,
        access: Access,
        transfer: &Transfer<T>,
        address: u64,
        bytes: u64,
    ) -> Result<Bytes<'a>, Fault> {
        self.find(access, transfer.space, transfer.far, address, bytes)
    }

    #[inline]
    fn global(
        &mut self,
        access: Access,
        space: Option<Space>,
        address: u64,
        bytes: u64,
    ) -> Result<Bytes<'a>, Fault> {
        let memory = self.job.memory;
        let found = memory.check(access, address, bytes, bytes, &mut self.hint);
        let index = found.map_err(|fault| elsewhere(fault, space, memory.layout()))?;
        memory.check_heap(index, access, address, bytes)?;
        let allocation = memory.allocation(index);
        if space == Some(Space::Const) && !allocation.is_constant() {
            let fault = Fault::at(Space::Const, access, address, bytes).near(&allocation.region);
            return Err(fault.because(FaultKind::OtherSpace));
        }
        Ok(Bytes::Global(&allocation.words, address - allocation.origin))
    }

    #[inline]
    fn shared(&self, access: Access, far: bool, address: u64, bytes: u64) -> Result<Bytes<'a>, Fault> {
        let frame = &self.job.ready.frame;
        if address >= Window::BYTES {
            return self.shared_of_cta(access, far, address, bytes);
        }
        window(Space::Shared, frame.shared_bytes, || frame.shared.clone(), access, address, bytes)?;
        if frame.apart && !holds(&frame.shared, address, bytes) {
            return Err(between(Space::Shared, &frame.shared, access, address, bytes));
        }
        Ok(Bytes::Shared(u64::from(self.rank) * self.job.shared_step() + address))
    }

    #[inline]
    fn local(&self, access: Access, address: u64, bytes: u64) -> Result<Bytes<'a>, Fault> {
        if access == Access::Atomic {
            let fault = Fault::at(Space::Local, access, address, bytes);
            return Err(fault.because(FaultKind::OtherSpace));
        }
        let regions = || self.stack.regions(self.job);
        window(Space::Local, self.stack.top, regions, access, address, bytes)?;
        if self.job.ready.frame.apart && !self.stack.holds(self.job, address, bytes) {
            return Err(between(Space::Local, &regions(), access, address, bytes));
        }
        Ok(Bytes::Local(address))
    }

    #[inline]
    fn param(&self, access: Access, address: u64, bytes: u64) -> Result<Bytes<'a>, Fault> {
        let (frame, size) = (&self.job.ready.frame, self.job.parameter_bytes);
        window(Space::Param, size, || frame.params.clone(), access, address, bytes)?;
        if frame.apart && !holds(&frame.params, address, bytes) {
            return Err(between(Space::Param, &frame.params, access, address, bytes));
        }
        if access != Access::Read {
            let fault = Fault::at(Space::Param, access, address, bytes);
            return Err(fault.because(FaultKind::ReadOnly));
        }
        Ok(Bytes::Param(address))
    }

    /// Whether a generic address lies in a space (manual, section 9.7.9.19).
    pub(super) fn lies_in(&self, address: u64, space: Space, far: bool) -> bool {
        let layout = self.job.memory.layout();
        match space {
            Space::Shared => self.lies_in_shared(address, far),
            Space::Local => layout.local.offset(address).is_some(),
            Space::Param => layout.param.offset(address).is_some(),
            Space::Const => self.job.memory.is_constant(address),
            Space::Global => self.job.lies_in_global(address),
        }
    }

    /// Copies some bytes; those that are not read become zero.
    pub(super) fn copy(&mut self, copy: &Copy) -> Result<(), Fault> {
        let bytes = u64::from(copy.bytes);
        let read = copy.read.as_ref().map_or(bytes, |read| (self.read(read) as u64).min(bytes));
        let from = self.address(&copy.from);
        let to = self.address(&copy.to);
        let mut values = [0; 16];
        if read > 0 {
            // The whole place must be aligned; only what is read must be there.
            if from & (bytes - 1) != 0 {
                self.find_of(Access::Read, &copy.from, from, bytes)?;
            }
            for k in 0..read {
                let at = self.find_of(Access::Read, &copy.from, from + k, 1)?;
                values[k as usize] = self.load(at, 0, 1);
            }
            if self.watch.is_some() {
                let at = self.find_of(Access::Read, &copy.from, from, 1)?;
                self.watched(Access::Read, at, read, copy.from.strength, Made::ByThread);
            }
        }
        let at = self.find_of(Access::Write, &copy.to, to, bytes)?;
        (0..bytes).for_each(|k| self.store(at, k, 1, values[k as usize]));
        if self.watch.is_some() {
            self.watched(Access::Write, at, bytes, copy.to.strength, COPIED);
        }
        Ok(())
    }

    /// Gives back what was taken of the stack; not what functions have of it.
    pub(super) fn restore_stack(&mut self, source: &Source) -> Result<(), TrapKind> {
        let (wanted, top) = (self.read(source) as u64, self.stack.top);
        let own = self.job.ready.frame.stack(FunctionId(self.stack.function)).map_or(0, |stack| stack.bytes);
        let least = self.stack.frame.local + own;
        if !(least..=top).contains(&wanted) {
            let text =
                format!("the stack cannot be set to {wanted:#x}: it reaches from {least:#x} to {top:#x}");
            return Err(TrapKind::Target(text));
        }
        self.stack.set_top(wanted);
        Ok(())
    }

    /// Element `k` of `width` bytes.
    #[inline]
    pub(super) fn load(&self, from: Bytes, k: u64, width: u32) -> Bits {
        if width == 16 {
            let _step = from.wide_step();
            return self.load(from, 2 * k, 8) | self.load(from, 2 * k + 1, 8) << 64;
        }
        let skip = k * u64::from(width);
        Bits::from(match from {
            Bytes::Global(words, at) => words.load(at + skip, width),
            Bytes::Shared(at) => self.shared.words.load(at + skip, width),
            Bytes::Local(at) => self.stack.local.load(at + skip, width),
            Bytes::Param(at) => self.job.parameters.load(at + skip, width),
        })
    }

    /// Writes element `k` of `width` bytes.
    #[inline]
    pub(super) fn store(&mut self, to: Bytes, k: u64, width: u32, value: Bits) {
        if width == 16 {
            let _step = to.wide_step();
            self.store(to, 2 * k, 8, value);
            return self.store(to, 2 * k + 1, 8, value >> 64);
        }
        let (skip, value) = (k * u64::from(width), value as u64);
        match to {
            Bytes::Global(words, at) => words.store(at + skip, width, value),
            Bytes::Shared(at) => self.shared.words.store(at + skip, width, value),
            Bytes::Local(at) => self.stack.local.store(at + skip, width, value),
            // Writes to parameters have been refused.
            Bytes::Param(_) => {}
        }
    }
}

impl Lane<'_> {
    /// Puts what `change` makes of `width` bytes in their place, in one step. Gives what they were.
    pub(super) fn update(&mut self, at: Bytes, width: u32, mut change: impl FnMut(Bits) -> Bits) -> Bits {
        match at {
            Bytes::Global(words, at) if width <= 8 => {
                words.update(at, width, |old| change(Bits::from(old)) as u64).into()
            }
            // Shared memory belongs to one block, which runs on one worker.
            _ => {
                let _step = if width == 16 { at.wide_step() } else { None };
                let (halves, each) = if width == 16 { (2, 8) } else { (1, width) };
                let old = (0..halves).map(|k| self.load(at, k, each) << (64 * k)).sum();
                let new = change(old);
                (0..halves).for_each(|k| self.store(at, k, each, new >> (64 * k)));
                old
            }
        }
    }
}

/// Checks an access to a space that begins at 0 and is `size` bytes long; `regions` lie in it.
#[inline]
pub(super) fn window(
    space: Space,
    size: u64,
    regions: impl Fn() -> Vec<Region>,
    access: Access,
    address: u64,
    bytes: u64,
) -> Result<(), Fault> {
    if address <= size && bytes <= size - address && address & (bytes - 1) == 0 {
        return Ok(());
    }
    Err(outside(space, size, &regions(), access, address, bytes))
}

/// An access to bytes of a space that belong to no variable, or to more than one.
#[cold]
pub(super) fn between(space: Space, regions: &[Region], access: Access, address: u64, bytes: u64) -> Fault {
    let fault = Fault::at(space, access, address, bytes).because(FaultKind::OutOfBounds);
    match regions.iter().rev().min_by_key(|region| region.distance(address)) {
        Some(nearest) => fault.near(nearest),
        None => fault,
    }
}

#[cold]
fn outside(space: Space, size: u64, regions: &[Region], access: Access, address: u64, bytes: u64) -> Fault {
    let fault = Fault::at(space, access, address, bytes);
    let whole = Region { name: String::new(), base: 0, bytes: size };
    let kind = whole.refusal(address, bytes, bytes).unwrap_or(FaultKind::Unallocated);
    let kind = if size == 0 { FaultKind::Unallocated } else { kind };
    match regions.iter().rev().min_by_key(|r| r.distance(address)) {
        Some(nearest) => fault.near(nearest).because(kind),
        None => fault.because(kind),
    }
}

/// Says so where a global address is one of a window.
#[cold]
fn elsewhere(fault: Fault, space: Option<Space>, layout: &Layout) -> Fault {
    let windows = [("shared", layout.shared), ("local", layout.local), ("parameter", layout.param)];
    let found = windows.iter().find(|(_, window)| window.offset(fault.address).is_some());
    match (space, found) {
        (Some(_), Some((name, window))) => {
            let region = Region {
                name: format!("the window of {name} memory"),
                base: window.base,
                bytes: Window::BYTES,
            };
            fault.near(&region).because(FaultKind::OtherSpace)
        }
        _ => fault,
    }
}
