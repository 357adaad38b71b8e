//! Bulk copies and copies of parts of tensors: thread by thread, when they are begun, once all that they touch has been allowed (manual,
//! 9.7.9.25).

use crate::batch::plan::Atomic;
use crate::batch::run::found::{Found, Home};
use crate::batch::run::{Bailout, Cta};
use crate::code::{Bulk, Copied, CopyKind, Direction, TensorCopy, TensorStep, Transfer};
use crate::memory::Access;
use foldhash::HashMap;
use margay_front::module::Space;
use margay_isa::tensor_map::{Piece, Place, Request, TensorMap};
use margay_isa::{BarrierObject, Bits};

/// Bytes that are copied at once, at most.
const CHUNK: u64 = Bulk::CHUNK as u64;
/// What addresses of maps, and of parts of tensors in shared memory, are multiples of.
const MAP_ALIGN: u64 = 64;
const SHARED_ALIGN: u64 = 128;

/// Bytes in memory that may be used, by their offset there.
type Located = (Home, u64);

/// Bytes on their way: so many whole chunks, or fewer bytes than one.
struct Move {
    from: Origin,
    to: Located,
    bytes: u64,
}

enum Origin {
    Memory(Located),
    Bits(Bits),
}

/// What a thread copies, and the barrier object that counts the bytes.
struct Begun {
    moves: Vec<Move>,
    object: Option<(u64, u32)>,
}

/// A thread's operands, in the order of what is read.
struct Values(Vec<u64>);

impl Values {
    fn address(&self, k: usize, place: &Transfer<()>) -> u64 {
        self.0[k].wrapping_add(place.offset) & place.mask
    }
}

impl Cta<'_> {
    /// The copies of all threads; nothing is touched if one may not.
    pub(super) fn begin_copies(&mut self, atomic: &Atomic, copied: &Copied) -> Result<(), Bailout> {
        let part = self.part(atomic.place.guard);
        let mut begun = Vec::new();
        let mut words: HashMap<u64, u64> = HashMap::default();
        let done = part.try_each(|thread| {
            let values = atomic.sources.iter().map(|source| self.read(source, thread) as u64);
            let values = Values(values.collect());
            let one = match copied {
                Copied::Bulk(bulk) => self.bulk_copy(bulk, &values, thread)?,
                Copied::Tensor(op) => self.tensor_step(&op.step, &values, thread)?,
            };
            if let Some((at, bytes)) = one.object {
                let word = words.entry(at).or_insert(self.shared[at as usize / 8]);
                let mut object = BarrierObject::of(*word);
                object.complete(bytes).ok()?;
                *word = object.bits();
            }
            begun.push(one);
            Some(())
        });
        done.ok_or(Bailout { pc: atomic.place.pc })?;
        self.done_with(part);
        for Begun { moves, object } in begun {
            moves.into_iter().for_each(|one| self.carry(one));
            let Some((at, bytes)) = object else { continue };
            let mut object = BarrierObject::of(self.shared[at as usize / 8]);
            let phase = object.phase;
            // It was counted before, with the same result.
            let _ = object.complete(bytes);
            self.shared[at as usize / 8] = object.bits();
            if object.phase != phase {
                self.wake(at);
            }
        }
        Ok(())
    }

    fn carry(&mut self, Move { from, to: (home, to), bytes }: Move) {
        for at in (0..bytes).step_by(CHUNK as usize) {
            let count = CHUNK.min(bytes - at);
            let bits = match from {
                Origin::Bits(bits) => bits,
                Origin::Memory((home, from)) => {
                    let mut chunk = [0; CHUNK as usize];
                    self.bulk(home).read_bytes(from + at, &mut chunk[..count as usize]);
                    Bits::from_le_bytes(chunk)
                }
            };
            let memory = self.bulk(home);
            if count <= 8 {
                memory.store(to + at, count as u32, bits as u64);
            } else {
                memory.store(to + at, 8, bits as u64);
                memory.store(to + at + 8, 8, (bits >> 64) as u64);
            }
        }
    }

    /// Where bytes lie that an access means, in memory that all threads of a block have.
    fn located(
        &mut self,
        access: Access,
        space: Option<Space>,
        address: u64,
        bytes: u64,
        thread: usize,
    ) -> Option<Located> {
        let Found { home, base } = self.find(access, (space, 0), address, bytes)?;
        let at = address.wrapping_sub(base);
        match home {
            Home::Global(_) => Some((home, at)),
            Home::Shared => Some((home, at + self.shared_offset(thread))),
            Home::Local | Home::Param => None,
        }
    }

    /// Where the object lies that counts bytes.
    fn counting(&mut self, place: &Transfer<()>, address: u64, thread: usize) -> Option<u64> {
        let (home, at) = self.located(Access::Atomic, place.space, address, 8, thread)?;
        (home == Home::Shared && at.is_multiple_of(8) && self.barriers.objects.contains(&at)).then_some(at)
    }

    fn bulk_copy(&mut self, bulk: &Bulk, values: &Values, thread: usize) -> Option<Begun> {
        let (to, from, size) = (values.address(0, &bulk.to), values.address(1, &bulk.from), values.0[2]);
        if (to | from | size) % CHUNK != 0 {
            return None;
        }
        let object = match &bulk.object {
            Some(place) => Some((self.counting(place, values.address(3, place), thread)?, size as u32)),
            None => None,
        };
        if size == 0 {
            return Some(Begun { moves: Vec::new(), object });
        }
        let from = self.located(Access::Read, bulk.from.space, from, size, thread)?;
        let to = self.located(Access::Write, bulk.to.space, to, size, thread)?;
        Some(Begun { moves: vec![Move { from: Origin::Memory(from), to, bytes: size }], object })
    }

    fn tensor_step(&mut self, step: &TensorStep, values: &Values, thread: usize) -> Option<Begun> {
        let moves = match step {
            TensorStep::Copy(copy) => return self.tensor_copy(copy, values, thread),
            TensorStep::Replace { map: place, field, dimension, .. } => {
                let mut map = self.map_at(place, values.address(0, place), thread)?;
                let dimension = dimension.as_ref().map_or(0, |_| values.0[2] as usize);
                map.replace(*field, dimension, values.0[1]);
                self.moves_of(&map, place, values.address(0, place), thread)?
            }
            TensorStep::CopyMap { to, from } => {
                let map = self.map_at(from, values.address(1, from), thread)?;
                self.moves_of(&map, to, values.address(0, to), thread)?
            }
        };
        Some(Begun { moves, object: None })
    }

    fn map_at(&mut self, place: &Transfer<()>, address: u64, thread: usize) -> Option<TensorMap> {
        if !address.is_multiple_of(MAP_ALIGN) {
            return None;
        }
        let found = self.find(Access::Read, (place.space, 0), address, TensorMap::BYTES as u64)?;
        let mut bytes = [0; TensorMap::BYTES];
        for (k, word) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
            *word = self.element(found, address + 8 * k as u64, 8, thread).to_le_bytes();
        }
        Some(TensorMap::from_bytes(&bytes))
    }

    fn moves_of(
        &mut self,
        map: &TensorMap,
        place: &Transfer<()>,
        address: u64,
        thread: usize,
    ) -> Option<Vec<Move>> {
        if !address.is_multiple_of(MAP_ALIGN) {
            return None;
        }
        let (home, at) =
            self.located(Access::Write, place.space, address, TensorMap::BYTES as u64, thread)?;
        let bytes = map.to_bytes();
        let moves = bytes.as_chunks().0.iter().zip(0..).map(|(chunk, k)| Move {
            from: Origin::Bits(Bits::from_le_bytes(*chunk)),
            to: (home, at + k * CHUNK),
            bytes: CHUNK,
        });
        Some(moves.collect())
    }

    fn tensor_copy(&mut self, copy: &TensorCopy, values: &Values, thread: usize) -> Option<Begun> {
        let map = self.map_at(&copy.map, values.address(0, &copy.map), thread)?;
        map.check().ok()?;
        let shared = values.address(1, &copy.shared);
        if !shared.is_multiple_of(SHARED_ALIGN) {
            return None;
        }
        let (listed, rest) = values.0[2..].split_at(copy.coordinates.len());
        let (offsets, _) = rest.split_at(copy.offsets.len());
        let coordinates: Vec<i32> = listed.iter().map(|c| *c as i32).collect();
        let offsets: Vec<u16> = offsets.iter().map(|o| *o as u16).collect();
        let pieces = map.pieces(match copy.kind {
            CopyKind::Box => Request::Box(&coordinates),
            CopyKind::Rows => Request::Rows(coordinates[0], &coordinates[1..]),
            CopyKind::Pixels => Request::Pixels(&coordinates, &offsets),
        });
        let pieces = pieces.ok()?;
        let object = match &copy.direction {
            Direction::Load { object, .. } => {
                let k = 2 + copy.coordinates.len() + copy.offsets.len();
                let bytes = pieces.iter().map(|piece| piece.bytes).sum();
                Some((self.counting(object, values.address(k, object), thread)?, bytes))
            }
            Direction::Store => None,
            Direction::Combine(_) => return None,
        };
        let loads = object.is_some();
        let [in_shared, in_tensor] =
            if loads { [Access::Write, Access::Read] } else { [Access::Read, Access::Write] };
        let all = self.all_of(in_tensor, &pieces);
        let mut moves = Vec::with_capacity(pieces.len());
        for Piece { at, bytes, place } in &pieces {
            let bytes = u64::from(*bytes);
            let own =
                self.located(in_shared, Some(Space::Shared), map.swizzled(shared + at), bytes, thread)?;
            let other = match (place, all) {
                (Place::Outside, _) => None,
                (Place::Inside(address), Some(Found { home, base })) => Some((home, address - base)),
                (Place::Inside(address), None) => {
                    Some(self.located(in_tensor, Some(Space::Global), *address, bytes, thread)?)
                }
            };
            let one = match (loads, other) {
                (true, None) => Move { from: Origin::Bits(map.outside().into()), to: own, bytes },
                (true, Some(from)) if map.converts() => {
                    let bits = self.bits_at(from, bytes);
                    Move { from: Origin::Bits(map.brought(bits, bytes as u32)), to: own, bytes }
                }
                (true, Some(from)) => Move { from: Origin::Memory(from), to: own, bytes },
                (false, Some(to)) => Move { from: Origin::Memory(own), to, bytes },
                (false, None) => continue,
            };
            moves.push(one);
        }
        Some(Begun { moves, object })
    }

    fn bits_at(&mut self, (home, at): Located, bytes: u64) -> Bits {
        let mut chunk = [0; CHUNK as usize];
        self.bulk(home).read_bytes(at, &mut chunk[..bytes as usize]);
        Bits::from_le_bytes(chunk)
    }

    /// Where all pieces of a tensor lie, if that is one allocation.
    fn all_of(&mut self, access: Access, pieces: &[Piece]) -> Option<Found> {
        let ends = pieces.iter().filter_map(|piece| match piece.place {
            Place::Inside(address) => Some((address, address.checked_add(piece.bytes.into())?)),
            Place::Outside => None,
        });
        let (least, most) = ends.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))?;
        self.find(access, (Some(Space::Global), 0), least, most - least)
    }
}
