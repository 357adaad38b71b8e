//! Attributes of textures, samplers and surfaces (manual, 9.7.10.5 and 9.7.11.4).

use super::descriptor::{AddressMode, ChannelFormat, TextureDescriptor};
use crate::handle::Handle;
use crate::words::Word;

/// An attribute, by its word, of a level of the mipmap if one is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// What is asked: a texture or a surface.
    pub kind: Handle,
    /// Which one.
    pub word: Word,
    /// Whether the level is given.
    pub has_level: bool,
}

/// The number of the first address mode, of each of [`AddressMode`]; the numbers follow the order in which the manual lists the modes.
const MODES: [(AddressMode, u32); 4] =
    [(AddressMode::Wrap, 0), (AddressMode::Mirror, 1), (AddressMode::Clamp, 3), (AddressMode::Border, 4)];

impl Attribute {
    /// Its value.
    pub fn of(self, texture: &TextureDescriptor, level: u32) -> u32 {
        let TextureDescriptor { texels, sampler, .. } = texture;
        let size = |k: usize, there: u32| if there == 0 { 0 } else { texels.size(level)[k] };
        let mode = |k: usize| {
            let found = MODES.iter().find(|(mode, _)| *mode == sampler.address_modes[k]);
            found.map_or(0, |(_, number)| *number)
        };
        match self.word {
            Word::Width => size(0, texels.width),
            Word::Height => size(1, texels.height),
            Word::Depth => size(2, texels.depth),
            Word::ArraySize => {
                if texels.is_cube {
                    texels.layers / 6
                } else {
                    texels.layers
                }
            }
            Word::NumMipmapLevels => texels.levels,
            Word::NumSamples => 1,
            Word::ChannelDataType => data_type(texture),
            Word::ChannelOrder => order(texels.channels),
            Word::NormalizedCoords => sampler.is_normalized.into(),
            Word::ForceUnnormalizedCoords => (!sampler.is_normalized).into(),
            Word::FilterMode => sampler.is_linear.into(),
            Word::AddrMode0 => mode(0),
            Word::AddrMode1 => mode(1),
            Word::AddrMode2 => mode(2),
            _ => 0,
        }
    }
}

/// The number of the type of channels, as the manual lists them (5.3.2).
fn data_type(texture: &TextureDescriptor) -> u32 {
    let fractions = texture.sampler.reads_fractions;
    match texture.texels.format {
        ChannelFormat::S8 if fractions => 0x10d0,
        ChannelFormat::S16 if fractions => 0x10d1,
        ChannelFormat::U8 if fractions => 0x10d2,
        ChannelFormat::U16 if fractions => 0x10d3,
        ChannelFormat::S8 => 0x10d7,
        ChannelFormat::S16 => 0x10d8,
        ChannelFormat::S32 => 0x10d9,
        ChannelFormat::U8 => 0x10da,
        ChannelFormat::U16 => 0x10db,
        ChannelFormat::U32 => 0x10dc,
        ChannelFormat::F16 => 0x10dd,
        ChannelFormat::F32 => 0x10de,
    }
}

/// The number of the order of channels, as the manual lists them (5.3.2): red, red and green, all four.
fn order(channels: u32) -> u32 {
    match channels {
        1 => 0x10b0,
        2 => 0x10b2,
        _ => 0x10b5,
    }
}
