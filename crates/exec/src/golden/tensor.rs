//! Copies of parts of tensors, piece by piece, when they are begun; and changes of the maps that describe tensors (manual, 9.7.9.25.5).

use super::lane::{Bytes, Lane};
use super::thread::Done;
use crate::code::{Combine, Copies, CopyKind, Direction, TensorCopy, TensorOp, TensorStep, Transfer};
use crate::memory::Access;
use crate::sanitize::touched::Made;
use crate::trap::TrapKind;
use margay_front::module::Space;
use margay_isa::tensor_map::{Piece, Place, Request, TensorMap};
use margay_isa::{Bits, Inst, typed_by_tensor};

/// Bytes of a map that are read or written at once.
const CHUNK: u32 = 16;
/// What the address of a map is a multiple of.
const MAP_ALIGN: u64 = 64;
/// What an address in shared memory is a multiple of where parts of tensors lie.
const SHARED_ALIGN: u64 = 128;

impl<'a> Lane<'a> {
    pub(super) fn tensor(&mut self, op: &TensorOp) -> Result<Done, TrapKind> {
        match &op.step {
            TensorStep::Copy(copy) => return self.copy_tensor(&op.inst, copy),
            TensorStep::Replace { map, field, dimension, value } => {
                let dimension = dimension.as_ref().map_or(0, |dimension| self.read(dimension) as usize);
                let value = self.read(value) as u64;
                let mut changed = self.read_map(map)?;
                changed.replace(*field, dimension, value);
                self.write_map(map, &changed.to_bytes())?;
            }
            TensorStep::CopyMap { to, from } => {
                let map = self.read_map(from)?;
                self.write_map(to, &map.to_bytes())?;
            }
        }
        Ok(Done::GoOn)
    }

    fn copy_tensor(&mut self, inst: &Inst, copy: &TensorCopy) -> Result<Done, TrapKind> {
        let map = self.read_map(&copy.map)?;
        map.check().map_err(|wrong| TrapKind::Copy(format!("the tensor map has {wrong}")))?;
        let coordinates: Vec<i32> = copy.coordinates.iter().map(|source| self.read(source) as i32).collect();
        let offsets: Vec<u16> = copy.offsets.iter().map(|source| self.read(source) as u16).collect();
        let request = match copy.kind {
            CopyKind::Box => Request::Box(&coordinates),
            CopyKind::Rows => Request::Rows(coordinates[0], &coordinates[1..]),
            CopyKind::Pixels => Request::Pixels(&coordinates, &offsets),
        };
        let pieces = map.pieces(request).map_err(TrapKind::Copy)?;
        match &copy.direction {
            Direction::Load { object, blocks } => {
                let ends = self.ends(&copy.shared, Some(object), blocks.as_ref())?;
                let mut objects = Vec::new();
                for (to, at) in &ends {
                    self.aligned_to(SHARED_ALIGN, Access::Write, &copy.shared, *to)?;
                    if let Some(at) = at {
                        objects.push(self.object_at(object, *at)?);
                    }
                }
                for piece in &pieces {
                    let value = self.piece_from(&map, piece)?;
                    for (to, _) in &ends {
                        self.piece_to_shared(copy, map.swizzled(to + piece.at), piece.bytes, value)?;
                    }
                }
                let bytes = pieces.iter().map(|piece| piece.bytes).sum();
                let mut over = false;
                for at in objects {
                    over |= matches!(self.bytes_have_come(at, bytes)?, Done::PhaseOver);
                }
                return Ok(if over { Done::PhaseOver } else { Done::GoOn });
            }
            Direction::Store => self.store_pieces(copy, &map, &pieces, None)?,
            Direction::Combine(function) => {
                let element =
                    map.element().and_then(|(word, bytes)| Some((typed_by_tensor(inst, word)?, bytes)));
                let (inst, bytes) = element.ok_or_else(|| {
                    TrapKind::Copy(format!("`{inst}` does not combine elements of the tensor map's type"))
                })?;
                let combine = Combine { inst, function: *function, bytes };
                self.store_pieces(copy, &map, &pieces, Some(&combine))?;
            }
        }
        Ok(Done::GoOn)
    }

    /// A piece as it comes to shared memory.
    fn piece_from(&mut self, map: &TensorMap, piece: &Piece) -> Result<Bits, TrapKind> {
        let Piece { bytes, place, .. } = *piece;
        let Place::Inside(address) = place else { return Ok(map.outside().into()) };
        let found = self.find(Access::Read, Some(Space::Global), false, address, bytes.into());
        let from = found.map_err(TrapKind::Memory)?;
        if self.watch.is_some() {
            let made = Made::Copy { line: Copies::Counted, second: false };
            self.watched(Access::Read, from, bytes.into(), Default::default(), made);
        }
        Ok(map.brought(self.load(from, 0, bytes), bytes))
    }

    fn piece_to_shared(
        &mut self,
        copy: &TensorCopy,
        address: u64,
        bytes: u32,
        value: Bits,
    ) -> Result<(), TrapKind> {
        let found = self.find_of(Access::Write, &copy.shared, address, bytes.into());
        let to = found.map_err(TrapKind::Memory)?;
        self.store(to, 0, bytes, value);
        if self.watch.is_some() {
            let made = Made::Copy { line: Copies::Counted, second: true };
            self.watched(Access::Write, to, bytes.into(), copy.shared.strength, made);
        }
        Ok(())
    }

    /// Copies pieces that lie in the tensor there, or combines them with what is there.
    fn store_pieces(
        &mut self,
        copy: &TensorCopy,
        map: &TensorMap,
        pieces: &[Piece],
        combine: Option<&Combine>,
    ) -> Result<(), TrapKind> {
        let shared = self.address(&copy.shared);
        self.aligned_to(SHARED_ALIGN, Access::Read, &copy.shared, shared)?;
        for Piece { at, bytes, place } in pieces {
            let from = self.find_of(Access::Read, &copy.shared, map.swizzled(shared + at), (*bytes).into());
            let from = from.map_err(TrapKind::Memory)?;
            let made = |second| Made::Copy { line: Copies::Bulk, second };
            if self.watch.is_some() {
                self.watched(Access::Read, from, (*bytes).into(), copy.shared.strength, made(false));
            }
            let value = self.load(from, 0, *bytes);
            let Place::Inside(address) = *place else { continue };
            let access = if combine.is_some() { Access::Atomic } else { Access::Write };
            let to = self.find(access, Some(Space::Global), false, address, (*bytes).into());
            let to = to.map_err(TrapKind::Memory)?;
            match combine {
                Some(combine) => self.combine(combine, to, value, *bytes),
                None => self.store(to, 0, *bytes, value),
            }
            if self.watch.is_some() {
                self.watched(access, to, (*bytes).into(), Default::default(), made(true));
            }
        }
        Ok(())
    }

    /// The places of a map's chunks.
    fn map_at(&mut self, access: Access, place: &Transfer<()>) -> Result<Vec<Bytes<'a>>, TrapKind> {
        let address = self.address(place);
        self.aligned_to(MAP_ALIGN, access, place, address)?;
        let chunks = (0..TensorMap::BYTES as u64).step_by(CHUNK as usize);
        let mut found = Vec::new();
        for skip in chunks {
            let at = self.find_of(access, place, address.wrapping_add(skip), CHUNK.into());
            found.push(at.map_err(TrapKind::Memory)?);
        }
        Ok(found)
    }

    /// A map, which copies read by a way of their own: that another thread has written it is no race.
    fn read_map(&mut self, place: &Transfer<()>) -> Result<TensorMap, TrapKind> {
        let mut bytes = [0; TensorMap::BYTES];
        for (at, chunk) in
            self.map_at(Access::Read, place)?.into_iter().zip(bytes.chunks_exact_mut(CHUNK as usize))
        {
            chunk.copy_from_slice(&self.load(at, 0, CHUNK).to_le_bytes());
        }
        Ok(TensorMap::from_bytes(&bytes))
    }

    fn write_map(&mut self, place: &Transfer<()>, bytes: &[u8; TensorMap::BYTES]) -> Result<(), TrapKind> {
        for (at, chunk) in self.map_at(Access::Write, place)?.into_iter().zip(bytes.as_chunks().0) {
            self.store(at, 0, CHUNK, Bits::from_le_bytes(*chunk));
            if self.watch.is_some() {
                self.watched(Access::Write, at, CHUNK.into(), place.strength, Made::ByThread);
            }
        }
        Ok(())
    }
}
