//! A texture is read at coordinates (manual, 9.7.10.3).

use super::axis::{Axis, WHOLE, face};
use super::descriptor::{AddressMode, SamplerState, Texels, TextureDescriptor};
use super::texel::{Texel, are_numbers, bits_of, border, decoded};
use super::{Geometry, layer};
use crate::float::{F16, F32, Mode, encode, mufu};
use crate::types::Bits;
use crate::words::Word;

/// How a texture is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// What the coordinates say.
    pub geometry: Geometry,
    /// Whether they are integers: numbers of texels, which are read as they are.
    pub is_integer: bool,
    /// Which level of the mipmap is read.
    pub level: Level,
    /// Whether numbers of texels are added to the place.
    pub has_offsets: bool,
    /// The type of the result's elements.
    pub result: Word,
}

/// Which level of the mipmap is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The first, plus the sampler's bias: the derivatives of neighbouring threads' coordinates are not taken.
    First,
    /// The one that is given.
    Given,
    /// The one at which the gradients have the length of a texel.
    Gradients,
}

impl Default for Sample {
    fn default() -> Sample {
        let geometry = Geometry { rank: 2, is_array: false, is_cube: false };
        Sample { geometry, is_integer: false, level: Level::First, has_offsets: false, result: Word::F32 }
    }
}

/// A place in a texture.
pub(super) struct Placed {
    /// The layer, faces of cubes counted.
    pub(super) layer: u32,
    /// Where along each dimension: from 0 to 1, or in texels.
    pub(super) at: [f64; 3],
    /// Whether it is from 0 to 1.
    pub(super) is_normalized: bool,
}

impl Placed {
    pub(super) fn new(
        geometry: Geometry,
        is_integer: bool,
        texels: &Texels,
        sampler: &SamplerState,
        coordinates: &[u32],
    ) -> Placed {
        let place = &coordinates[usize::from(geometry.is_array)..];
        if geometry.is_cube {
            let (face, [s, t]) = face([0, 1, 2].map(|k| f32::from_bits(place[k])));
            let layer = layer(geometry, coordinates, texels.layers / 6) * 6 + face;
            return Placed {
                layer: layer.min(texels.layers.max(1) - 1),
                at: [s, t, 0.0],
                is_normalized: true,
            };
        }
        let number = |k: usize| {
            place.get(k).filter(|_| k < geometry.rank).map_or(0.0, |bits| match is_integer {
                true => f64::from(*bits as i32),
                false => f64::from(f32::from_bits(*bits)),
            })
        };
        Placed {
            layer: layer(geometry, coordinates, texels.layers),
            at: [0, 1, 2].map(number),
            is_normalized: sampler.is_normalized && !is_integer,
        }
    }

    /// The dimensions of a level, and where in texels the place is along each.
    pub(super) fn axes(&self, texels: &Texels, sampler: &SamplerState, level: u32) -> [(Axis, f64); 3] {
        let size = texels.size(level);
        std::array::from_fn(|k| {
            let mode = match sampler.address_modes[k] {
                _ if texels.is_buffer => AddressMode::Border,
                AddressMode::Wrap | AddressMode::Mirror if !self.is_normalized => AddressMode::Clamp,
                mode => mode,
            };
            // What has no such dimension has one texel along it.
            let mode = if k < texels.rank() { mode } else { AddressMode::Clamp };
            let scale = if self.is_normalized { f64::from(size[k]) } else { 1.0 };
            (Axis { size: size[k], mode }, self.at[k] * scale)
        })
    }
}

impl Sample {
    /// How many numbers it is given: the layer, the coordinates, the level or two gradients, and what is added to the place.
    pub fn sources(&self) -> usize {
        let Geometry { rank, is_cube, .. } = self.geometry;
        let level = match self.level {
            Level::First => 0,
            Level::Given => 1,
            Level::Gradients => 2 * rank,
        };
        self.geometry.coordinates() + level + if self.has_offsets && !is_cube { rank } else { 0 }
    }

    /// How many elements the result has.
    pub fn results(&self) -> usize {
        if self.result == Word::F16x2 { 2 } else { 4 }
    }

    /// The result, from the numbers that the instruction gives, by reading so many bytes of memory at addresses.
    ///
    /// # Errors
    /// What reading memory answers.
    pub fn carry_out<E>(
        &self,
        texture: &TextureDescriptor,
        sampler: &SamplerState,
        given: &[u32],
        mut read: impl FnMut(u64, u32) -> Result<Bits, E>,
    ) -> Result<[u32; 4], E> {
        let texels = &texture.texels;
        let (coordinates, rest) = given.split_at(self.geometry.coordinates());
        let place = Placed::new(self.geometry, self.is_integer, texels, sampler, coordinates);
        let (level, rest) = self.level(texels, sampler, rest);
        let mut offsets = [0; 3];
        if self.has_offsets {
            offsets.iter_mut().zip(rest).for_each(|(offset, given)| *offset = *given as i32);
        }
        let mixes = sampler.is_linear && !self.is_integer && are_numbers(texels, sampler);
        let last = texels.levels.max(1) - 1;
        let mut at_level =
            |level: u32| mixed(texels, sampler, &place, level.min(last), offsets, mixes, &mut read);
        let number = |texel: Texel| {
            if let Texel::Numbers(numbers) = texel { numbers.map(f64::from) } else { [0.0; 4] }
        };
        let texel = if sampler.is_linear_between_levels && last > 0 && are_numbers(texels, sampler) {
            let fixed = (level * WHOLE + 0.5).floor() as u32;
            let (first, share) = (fixed / WHOLE as u32, f64::from(fixed % WHOLE as u32) / WHOLE);
            let near = number(at_level(first)?);
            match share {
                0.0 => Texel::Numbers(near.map(|n| n as f32)),
                _ => {
                    let far = number(at_level(first + 1)?);
                    let mix = |k: usize| (near[k] * (1.0 - share) + far[k] * share) as f32;
                    Texel::Numbers([0, 1, 2, 3].map(mix))
                }
            }
        } else {
            at_level((level + 0.5).floor() as u32)?
        };
        Ok(self.converted(texel))
    }

    /// The level, as a number from 0 on, and what is given after it.
    fn level<'g>(&self, texels: &Texels, sampler: &SamplerState, given: &'g [u32]) -> (f64, &'g [u32]) {
        let (level, rest) = match self.level {
            Level::First => (0.0, given),
            Level::Given if self.is_integer => (f64::from(given[0] as i32), &given[1..]),
            Level::Given => (f64::from(f32::from_bits(given[0])), &given[1..]),
            Level::Gradients => {
                let (gradients, rest) = given.split_at(2 * self.geometry.rank);
                (self.level_of_gradients(texels, sampler, gradients), rest)
            }
        };
        let [least, most] = sampler.level_range.map(f64::from);
        let level = level + f64::from(sampler.level_bias);
        (level.max(least).min(most).max(0.0).min(f64::from(u16::MAX)), rest)
    }

    /// The logarithm of the longer of two gradients, in texels.
    fn level_of_gradients(&self, texels: &Texels, sampler: &SamplerState, gradients: &[u32]) -> f64 {
        let size = texels.size(0);
        let square = |gradient: &[u32]| -> f64 {
            let along = gradient.iter().zip(size).map(|(bits, size)| {
                let scale =
                    if sampler.is_normalized || self.geometry.is_cube { f64::from(size) } else { 1.0 };
                f64::from(f32::from_bits(*bits)) * scale
            });
            along.map(|n| n * n).sum()
        };
        let (x, y) = gradients.split_at(self.geometry.rank);
        let longer = square(x).max(square(y)) as f32;
        f64::from(f32::from_bits(mufu::lg2(longer.to_bits()))) / 2.0
    }

    /// What registers get of a texel.
    fn converted(&self, texel: Texel) -> [u32; 4] {
        let half = |bits: u32| encode(&F16, Mode::Nearest, false, F32.decode(bits.into()), &[]) as u32;
        let bits = texel.bits();
        let bits = match (self.result, texel) {
            (Word::F16 | Word::F16x2, Texel::Numbers(_)) => bits.map(half),
            (Word::F16 | Word::F16x2, Texel::Integers(_)) => bits.map(|n| n & 0xffff),
            _ => return bits,
        };
        match self.result {
            Word::F16x2 => [bits[0] | bits[1] << 16, bits[2] | bits[3] << 16, 0, 0],
            _ => bits,
        }
    }
}

/// One texel, or what neighbours are mixed to.
fn mixed<E>(
    texels: &Texels,
    sampler: &SamplerState,
    place: &Placed,
    level: u32,
    offsets: [i32; 3],
    mixes: bool,
    read: &mut impl FnMut(u64, u32) -> Result<Bits, E>,
) -> Result<Texel, E> {
    let axes = place.axes(texels, sampler, level);
    let at = Reader { texels, sampler, level, layer: place.layer };
    if !mixes {
        let indices = std::array::from_fn(|k| axes[k].0.nearest(axes[k].1, offsets[k]));
        return at.texel(indices, read);
    }
    let rank = if place.at_face(texels) { 2 } else { texels.rank() };
    let pairs: [_; 3] = std::array::from_fn(|k| match k < rank {
        true => axes[k].0.between(axes[k].1, offsets[k]),
        false => [(Some(0), WHOLE), (Some(0), 0.0)],
    });
    let mut sums = [0.0; 4];
    for (z, y, x) in corners() {
        let weight = pairs[0][x].1 * pairs[1][y].1 * pairs[2][z].1 / (WHOLE * WHOLE * WHOLE);
        if weight == 0.0 {
            continue;
        }
        if let Texel::Numbers(numbers) = at.texel([pairs[0][x].0, pairs[1][y].0, pairs[2][z].0], read)? {
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += weight * f64::from(number));
        }
    }
    Ok(Texel::Numbers(sums.map(|sum| f32::from_bits(bits_of(sum as f32)))))
}

/// The corners of a cell, those along the first dimension next to each other.
fn corners() -> impl Iterator<Item = (usize, usize, usize)> {
    (0..8).map(|corner| (corner >> 2, corner >> 1 & 1, corner & 1))
}

impl Placed {
    /// Whether it is on a face of a cube.
    fn at_face(&self, texels: &Texels) -> bool {
        texels.is_cube
    }
}

/// Reads texels of a level and a layer.
pub(super) struct Reader<'t> {
    pub(super) texels: &'t Texels,
    pub(super) sampler: &'t SamplerState,
    pub(super) level: u32,
    pub(super) layer: u32,
}

impl Reader<'_> {
    /// The texel with these numbers; where there is one missing, that of the border.
    pub(super) fn texel<E>(
        &self,
        indices: [Option<u32>; 3],
        read: &mut impl FnMut(u64, u32) -> Result<Bits, E>,
    ) -> Result<Texel, E> {
        let [Some(x), Some(y), Some(z)] = indices else { return Ok(border(self.texels, self.sampler)) };
        let address = self.texels.texel_at(self.level, self.layer, [x, y, z]);
        Ok(decoded(self.texels, self.sampler, read(address, self.texels.texel_bytes())?))
    }
}
