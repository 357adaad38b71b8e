//! Bulk copies: chunk by chunk, when they are begun.

use super::lane::{Bytes, Lane};
use super::thread::Done;
use crate::code::{Bulk, Combine, Copies, Source, Transfer};
use crate::memory::Access;
use crate::sanitize::touched::Made;
use crate::trap::TrapKind;
use margay_isa::{AtomicSpace, Bits, MAX_SOURCES};

const CHUNK: u64 = Bulk::CHUNK as u64;

impl Lane<'_> {
    /// Copies, or combines, a range of memory.
    pub(super) fn bulk(&mut self, bulk: &Bulk) -> Result<Done, TrapKind> {
        let size = self.read(&bulk.size) as u64;
        if !size.is_multiple_of(CHUNK) {
            let text = format!("a bulk copy of {size} bytes, which is not a multiple of {CHUNK}");
            return Err(TrapKind::Copy(text));
        }
        let ends = self.ends(&bulk.to, bulk.object.as_ref(), bulk.blocks.as_ref())?;
        let from = self.address(&bulk.from);
        self.aligned_to(CHUNK, Access::Read, &bulk.from, from)?;
        let mut objects = Vec::new();
        for (to, object) in &ends {
            self.aligned_to(CHUNK, Access::Write, &bulk.to, *to)?;
            if let (Some(place), Some(address)) = (&bulk.object, object) {
                objects.push(self.object_at(place, *address)?);
            }
        }
        let mask = bulk.mask.as_ref().map_or(0xffff, |mask| self.read(mask) as u16);
        let line = if bulk.object.is_some() { Copies::Counted } else { Copies::Bulk };
        for skip in (0..size).step_by(CHUNK as usize) {
            let value = self.chunk_from(&bulk.from, from.wrapping_add(skip), line)?;
            for (to, _) in &ends {
                self.chunk_to(bulk, to.wrapping_add(skip), value, mask, line)?;
            }
        }
        let mut over = false;
        for at in objects {
            over |= matches!(self.bytes_have_come(at, size as u32)?, Done::PhaseOver);
        }
        Ok(if over { Done::PhaseOver } else { Done::GoOn })
    }

    /// Where it copies to, and where the objects lie that count it: for each of several blocks the same place in its own memory.
    pub(super) fn ends(
        &self,
        to: &Transfer<()>,
        object: Option<&Transfer<()>>,
        blocks: Option<&Source>,
    ) -> Result<Vec<(u64, Option<u64>)>, TrapKind> {
        let to = self.address(to);
        let object = object.map(|object| self.address(object));
        let Some(blocks) = blocks else { return Ok(vec![(to, object)]) };
        let blocks = self.read(blocks) as u32;
        let ranks = (0..u32::BITS).filter(|rank| blocks >> rank & 1 == 1);
        let end = |rank| {
            let object = object.map(|object| self.map_to_cta(object, rank, false)).transpose()?;
            Ok((self.map_to_cta(to, rank, false)?, object))
        };
        ranks.map(end).collect::<Result<_, String>>().map_err(TrapKind::Copy)
    }

    /// Refuses an address that is not a multiple of `align`.
    pub(super) fn aligned_to(
        &mut self,
        align: u64,
        access: Access,
        place: &Transfer<()>,
        address: u64,
    ) -> Result<(), TrapKind> {
        match address.is_multiple_of(align) {
            true => Ok(()),
            false => self.find_of(access, place, address, align).map(drop).map_err(TrapKind::Memory),
        }
    }

    fn chunk_from(&mut self, place: &Transfer<()>, address: u64, line: Copies) -> Result<Bits, TrapKind> {
        let from = self.find_of(Access::Read, place, address, CHUNK).map_err(TrapKind::Memory)?;
        if self.watch.is_some() {
            self.watched(Access::Read, from, CHUNK, place.strength, Made::Copy { line, second: false });
        }
        Ok(self.load(from, 0, Bulk::CHUNK))
    }

    fn chunk_to(
        &mut self,
        bulk: &Bulk,
        address: u64,
        value: Bits,
        mask: u16,
        line: Copies,
    ) -> Result<(), TrapKind> {
        let access = if bulk.combine.is_some() { Access::Atomic } else { Access::Write };
        let made = Made::Copy { line, second: true };
        let to = self.find_of(access, &bulk.to, address, CHUNK).map_err(TrapKind::Memory)?;
        match &bulk.combine {
            Some(combine) => self.combine(combine, to, value, Bulk::CHUNK),
            None if mask == 0xffff => self.store(to, 0, Bulk::CHUNK, value),
            None => {
                for k in (0..CHUNK).filter(|k| mask >> k & 1 == 1) {
                    self.store(to, k, 1, value >> (8 * k));
                    if self.watch.is_some() {
                        self.watched(access, to.element(k as usize, 1), 1, bulk.to.strength, made);
                    }
                }
                return Ok(());
            }
        }
        if self.watch.is_some() {
            self.watched(access, to, CHUNK, bulk.to.strength, made);
        }
        Ok(())
    }

    /// Combines the elements of so many bytes with those that are there, each in one step.
    pub(super) fn combine(&mut self, combine: &Combine, to: Bytes, value: Bits, bytes: u32) {
        let bits = 8 * combine.bytes;
        let space = if to.is_global() { AtomicSpace::Global } else { AtomicSpace::Shared };
        for k in 0..bytes / combine.bytes {
            let mut args = [0; MAX_SOURCES];
            args[1] = value >> (k * bits) & (Bits::MAX >> (Bits::BITS - bits));
            self.update(to.element(k as usize, combine.bytes), combine.bytes, |old| {
                args[0] = old;
                (combine.function)(&combine.inst, space, &args)
            });
        }
    }
}
