//! Textures and surfaces: what a thread does with one, on whichever engine (manual, 9.7.10 and 9.7.11).

use crate::code::TextureStep;
use margay_isa::texture::{TextureDescriptor, TextureOp};
use margay_isa::{Bits, Handle, WARP};

/// What an instruction gives at most: four elements, and whether the memory was there.
pub(crate) const MOST_RESULTS: usize = 5;

/// What a thread has begun: its results, and the change of memory that is left to do.
pub(crate) struct Begun {
    pub(crate) results: [u64; MOST_RESULTS],
    pub(crate) change: Option<Changed>,
}

/// A change of so many bytes at an address, in pieces that are aligned there.
pub(crate) struct Changed {
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) piece: u32,
    pub(crate) by: ChangedBy,
}

/// How memory changes.
pub(crate) enum ChangedBy {
    /// It becomes these bits.
    Stored(Bits),
    /// It is combined with this number.
    Combined(u64),
}

/// Why a thread cannot go on.
pub(crate) enum Refused<E> {
    /// In the user's words.
    Told(String),
    /// Memory could not be read.
    Unread(E),
}

/// The description at an address, in pieces of 16 bytes.
///
/// # Errors
/// What reading answers.
pub(crate) fn describe<E>(
    address: u64,
    mut read: impl FnMut(u64, u32) -> Result<Bits, E>,
) -> Result<Option<TextureDescriptor>, E> {
    let mut bytes = [0; TextureDescriptor::BYTES];
    for (chunk, at) in bytes.as_chunks_mut::<16>().0.iter_mut().zip(0..) {
        *chunk = read(address.wrapping_add(16 * at), 16)?.to_le_bytes();
    }
    Ok(TextureDescriptor::from_bytes(&bytes))
}

fn misaligned(address: u64, bytes: u32) -> String {
    format!("{bytes} bytes at {address:#x}, which is not a multiple of {bytes}")
}

impl TextureStep {
    /// What a handle must name.
    pub(crate) fn kind(&self) -> Handle {
        match &self.op {
            TextureOp::Sample(_) | TextureOp::Gather(_) => Handle::Texture,
            TextureOp::Query(attribute) => attribute.kind,
            TextureOp::IsKind(kind) => *kind,
            TextureOp::Load(_) | TextureOp::Store(_) | TextureOp::Change(..) => Handle::Surface,
        }
    }

    /// What is wrong with a handle, if something is.
    fn misnamed<E>(&self, described: Option<&TextureDescriptor>, wanted: Handle) -> Refused<E> {
        let is = match described {
            None => return Refused::Told(format!("nothing at this handle describes a `.{}`", wanted.name())),
            Some(other) => other.kind.name(),
        };
        Refused::Told(format!("the handle of a `.{is}`, where one of a `.{}` is expected", wanted.name()))
    }

    /// What a thread reads, and what is to be changed, from its operands and what its handles name.
    ///
    /// # Errors
    /// The operands ask for what is not there, or memory cannot be read.
    pub(crate) fn begin<E>(
        &self,
        texture: Option<&TextureDescriptor>,
        sampler: Option<&TextureDescriptor>,
        given: &[u64],
        mut read: impl FnMut(u64, u32) -> Result<Bits, E>,
    ) -> Result<Begun, Refused<E>> {
        let mut results = [0; MOST_RESULTS];
        let wanted = self.kind();
        if let TextureOp::IsKind(_) = self.op {
            results[0] = u64::from(texture.is_some_and(|texture| texture.kind == wanted));
            return Ok(Begun { results, change: None });
        }
        // A query may be about a sampler.
        let is_query = matches!(self.op, TextureOp::Query(_)) && wanted == Handle::Texture;
        let fits = |texture: &&TextureDescriptor| {
            texture.kind == wanted || is_query && texture.kind == Handle::Sampler
        };
        let Some(texture) = texture.filter(fits) else { return Err(self.misnamed(texture, wanted)) };
        let sampler = match (&self.sampler, sampler) {
            (None, _) => texture,
            (Some(_), Some(sampler)) if sampler.kind != Handle::Surface => sampler,
            (Some(_), other) => return Err(self.misnamed(other, Handle::Sampler)),
        };
        let mut words = [0u32; WARP];
        words.iter_mut().zip(given).for_each(|(word, given)| *word = *given as u32);
        let numbers = &words[..given.len().min(WARP)];
        let mut aligned = |address: u64, bytes: u32| match address.is_multiple_of(bytes.into()) {
            true => read(address, bytes).map_err(Refused::Unread),
            false => Err(Refused::Told(misaligned(address, bytes))),
        };
        let mut change = None;
        match &self.op {
            TextureOp::Sample(sample) => {
                let texel = sample.carry_out(texture, &sampler.sampler, numbers, aligned)?;
                results.iter_mut().zip(texel).for_each(|(result, bits)| *result = bits.into());
                results[sample.results()] = 1;
            }
            TextureOp::Gather(gather) => {
                let texels = gather.carry_out(texture, &sampler.sampler, numbers, aligned)?;
                results.iter_mut().zip(texels).for_each(|(result, bits)| *result = bits.into());
                results[texels.len()] = 1;
            }
            TextureOp::Query(attribute) => {
                let level = if attribute.has_level { numbers[0] } else { 0 };
                results[0] = attribute.of(texture, level).into();
            }
            TextureOp::IsKind(_) => {}
            TextureOp::Load(access) => {
                let coordinates = &numbers[..access.geometry.coordinates()];
                if let Some(address) = access.address(&texture.texels, coordinates).map_err(Refused::Told)? {
                    let bytes = access.size(&texture.texels);
                    let piece = bytes.min(texture.texels.texel_bytes());
                    let mut bits = 0;
                    for at in (0..bytes).step_by(piece as usize) {
                        bits |= aligned(address.wrapping_add(at.into()), piece)? << (8 * at);
                    }
                    (0..access.elements).for_each(|k| results[k as usize] = access.element(bits, k));
                }
            }
            TextureOp::Store(access) | TextureOp::Change(access, ..) => {
                let count = access.geometry.coordinates();
                let (coordinates, values) = (&numbers[..count], &given[count..]);
                let bytes = access.size(&texture.texels);
                if let Some(address) = access.address(&texture.texels, coordinates).map_err(Refused::Told)? {
                    let by = match self.op {
                        TextureOp::Change(..) if bytes != access.bytes => {
                            return Err(Refused::Told(format!(
                                "a step on {} bytes of texels of {bytes}",
                                access.bytes
                            )));
                        }
                        TextureOp::Change(..) => ChangedBy::Combined(values[0]),
                        _ => ChangedBy::Stored(access.stored(&texture.texels, values)),
                    };
                    let texel = texture.texels.texel_bytes();
                    let piece = if let TextureOp::Change(..) = self.op { bytes } else { bytes.min(texel) };
                    if !address.is_multiple_of(piece.into()) {
                        return Err(Refused::Told(misaligned(address, piece)));
                    }
                    change = Some(Changed { address, bytes, piece, by });
                }
            }
        }
        Ok(Begun { results, change })
    }

    /// What bits in memory become that are combined with a number.
    pub(crate) fn combined(&self, texture: &TextureDescriptor, old: Bits, given: u64) -> Bits {
        match self.op {
            TextureOp::Change(access, op, ty) => access.combined(&texture.texels, op, ty, old, given),
            _ => old,
        }
    }
}
