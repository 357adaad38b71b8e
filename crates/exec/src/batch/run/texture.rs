//! Textures and surfaces: thread by thread, once all that they touch has been allowed (manual, 9.7.10 and 9.7.11).

use crate::batch::lanes::Place;
use crate::batch::plan::Atomic;
use crate::batch::run::found::{Found, Home};
use crate::batch::run::{Bailout, Cta};
use crate::code::TextureStep;
use crate::memory::{Access, Bulk, wide_step};
use crate::texture::{Begun, Changed, ChangedBy, MOST_RESULTS, describe};
use margay_front::module::Space;
use margay_isa::texture::{TextureDescriptor, TextureOp};
use margay_isa::uop::Type;
use margay_isa::{Bits, WARP};
use std::rc::Rc;

/// What a handle named when it was looked at last.
#[derive(Default)]
struct Named(Option<(u64, Option<Rc<Texture>>)>);

/// What a handle names.
struct Texture {
    descriptor: TextureDescriptor,
    /// Where all texels lie, if they may be read together.
    whole: Option<Whole>,
}

/// Addresses of one allocation: from one on, so many bytes.
#[derive(Clone, Copy)]
struct Whole {
    found: Found,
    start: u64,
    bytes: u64,
}

/// What is left to do to memory.
struct Left {
    change: Changed,
    texture: Rc<Texture>,
    found: Found,
}

impl Cta<'_> {
    /// What all threads read and write; nothing is touched if one may not.
    pub(super) fn reach_texture(
        &mut self,
        atomic: &Atomic,
        step: &TextureStep,
        handles: Place,
    ) -> Result<(), Bailout> {
        let part = self.part(atomic.place.guard);
        let mut results: Vec<(usize, [u64; MOST_RESULTS])> = Vec::with_capacity(self.threads);
        let mut left = Vec::new();
        let [mut textures, mut samplers] = [Named::default(), Named::default()];
        let done = part.try_each(|thread| {
            let handle = self.lines.get(Type::U64, handles, thread);
            let texture = self.described(&mut textures, handle, &step.op)?;
            let mut given = [0; WARP];
            let (sampler, numbers) = atomic.sources.split_at(usize::from(step.sampler.is_some()));
            given
                .iter_mut()
                .zip(numbers)
                .for_each(|(given, source)| *given = self.read(source, thread) as u64);
            let sampler = match sampler {
                [] => None,
                [sampler, ..] => {
                    let handle = self.read(sampler, thread) as u64;
                    self.described(&mut samplers, handle, &step.op)?
                }
            };
            let numbers = &given[..numbers.len()];
            let whole = texture.as_ref().and_then(|texture| texture.whole);
            let begun =
                step.begin(described(&texture), described(&sampler), numbers, |at, bytes| {
                    match whole.and_then(|whole| whole.offset(at, bytes)) {
                        Some((home, at)) => Ok(load(self.bulk(home), at, bytes)),
                        None => self.texel(at, bytes),
                    }
                });
            let Begun { results: own, change } = begun.ok()?;
            if let (Some(change), Some(texture)) = (change, texture) {
                let access =
                    if let ChangedBy::Stored(_) = change.by { Access::Write } else { Access::Atomic };
                let found =
                    self.find(access, (Some(Space::Global), 0), change.address, change.bytes.into())?;
                left.push(Left { change, texture, found });
            }
            results.push((thread, own));
            Some(())
        });
        done.ok_or(Bailout { pc: atomic.place.pc })?;
        self.done_with(part);
        left.into_iter().for_each(|one| self.change_texel(step, one));
        for (thread, own) in results {
            for (target, bits) in atomic.olds.iter().zip(own) {
                self.write(target, thread, bits.into());
            }
        }
        Ok(())
    }

    /// What a handle names: nothing that describes a texture, or nothing at all if it cannot be read.
    fn described(&mut self, last: &mut Named, handle: u64, op: &TextureOp) -> Option<Option<Rc<Texture>>> {
        if let Some((known, named)) = &last.0
            && *known == handle
        {
            return Some(named.clone());
        }
        let named = match handle.is_multiple_of(TextureDescriptor::ALIGN) {
            true => match (describe(handle, |at, bytes| self.texel(at, bytes)), op) {
                (Ok(named), _) => named.map(|descriptor| Rc::new(self.located_texture(descriptor))),
                (Err(()), TextureOp::IsKind(_)) => None,
                (Err(()), _) => return None,
            },
            false => None,
        };
        last.0 = Some((handle, named.clone()));
        Some(named)
    }

    fn texel(&mut self, address: u64, bytes: u32) -> Result<Bits, ()> {
        let found = self.find(Access::Read, (Some(Space::Global), 0), address, bytes.into()).ok_or(())?;
        Ok(load(self.bulk(found.home), address - found.base, bytes))
    }

    /// What a description says, with where all its texels lie.
    fn located_texture(&mut self, descriptor: TextureDescriptor) -> Texture {
        let (start, bytes) = (descriptor.texels.address, descriptor.texels.bytes());
        let found = self.find(Access::Read, (Some(Space::Global), 0), start, bytes);
        Texture { descriptor, whole: found.map(|found| Whole { found, start, bytes }) }
    }

    fn change_texel(&mut self, step: &TextureStep, left: Left) {
        let Left { change: Changed { address, bytes, piece, by }, texture, found } = left;
        let seen = matches!(found.home, Home::Global(_));
        let (memory, at) = (self.bulk(found.home), address - found.base);
        match by {
            ChangedBy::Stored(bits) if piece == 16 => {
                let _step = wide_step();
                memory.store(at, 8, bits as u64);
                memory.store(at + 8, 8, (bits >> 64) as u64);
            }
            ChangedBy::Stored(bits) => (0..bytes)
                .step_by(piece as usize)
                .for_each(|skip| memory.store(at + u64::from(skip), piece, (bits >> (8 * skip)) as u64)),
            // Steps have 8 bytes at most.
            ChangedBy::Combined(given) => {
                memory.update(at, bytes, seen, |old| {
                    step.combined(&texture.descriptor, old.into(), given) as u64
                });
            }
        }
    }
}

impl Whole {
    /// Where texels lie, if they are among all.
    fn offset(&self, address: u64, bytes: u32) -> Option<(Home, u64)> {
        let within = address.checked_sub(self.start)?;
        let end = within.checked_add(bytes.into())?;
        (end <= self.bytes).then_some((self.found.home, address - self.found.base))
    }
}

fn described(texture: &Option<Rc<Texture>>) -> Option<&TextureDescriptor> {
    texture.as_ref().map(|texture| &texture.descriptor)
}

/// So many bytes: up to 16.
fn load(memory: Bulk, at: u64, bytes: u32) -> Bits {
    match bytes {
        16 => Bits::from(memory.load(at, 8)) | Bits::from(memory.load(at + 8, 8)) << 64,
        _ => memory.load(at, bytes).into(),
    }
}
