//! What a texture, a surface or a sampler is, and the bytes that describe it (manual, 5.3).

use crate::handle::Handle;

/// A texture with its sampler, a surface, or a sampler alone, of which only `sampler` counts. Handles of them are addresses of
/// global memory where its 128 bytes lie; the manual leaves them opaque, margay's are in [`TextureDescriptor::to_bytes`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TextureDescriptor {
    /// What it describes.
    pub kind: Handle,
    /// Where its texels lie.
    pub texels: Texels,
    /// How it is read.
    pub sampler: SamplerState,
}

/// Texels in global memory: rows from the first on, after them those of the next plane or layer, after the last one those of the
/// next level of the mipmap, with nothing between. A level has half of the width, height and depth of the one before it, but one at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texels {
    /// Where the first texel lies.
    pub address: u64,
    /// Texels of a row.
    pub width: u32,
    /// Rows; 0 for a line.
    pub height: u32,
    /// Planes; 0 for a line or a plane.
    pub depth: u32,
    /// Layers of an array, faces of a cube among them; 0 if it is no array.
    pub layers: u32,
    /// Whether six layers each are the faces of a cube.
    pub is_cube: bool,
    /// Whether it is memory that was given as a line: texels beside it are zero, however it is read.
    pub is_buffer: bool,
    /// Levels of the mipmap: 1 at least.
    pub levels: u32,
    /// Bytes from a row to the next; 0 if nothing lies between rows. With several levels it is 0.
    pub pitch: u64,
    /// What a channel holds.
    pub format: ChannelFormat,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
}

/// What a channel holds, numbered as `CUarray_format` in `cuda.h`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ChannelFormat {
    /// 8 bits without a sign.
    U8 = 0x01,
    /// 16 bits without a sign.
    U16 = 0x02,
    /// 32 bits without a sign.
    U32 = 0x03,
    /// 8 bits with a sign.
    S8 = 0x08,
    /// 16 bits with a sign.
    S16 = 0x09,
    /// 32 bits with a sign.
    S32 = 0x0a,
    /// A half.
    F16 = 0x10,
    /// A single.
    F32 = 0x20,
}

/// How a texture is read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerState {
    /// What becomes of coordinates beside the texture, along each dimension.
    pub address_modes: [AddressMode; 3],
    /// Whether neighbours are mixed by how near they are.
    pub is_linear: bool,
    /// Whether levels of the mipmap are.
    pub is_linear_between_levels: bool,
    /// Whether coordinates from 0 to 1 span the texture.
    pub is_normalized: bool,
    /// Whether integers of 8 and 16 bits are read as numbers from 0 or -1 to 1.
    pub reads_fractions: bool,
    /// Whether the colours of channels of 8 bits, read as numbers, are those of sRGB.
    pub is_srgb: bool,
    /// The texel beside the texture for [`AddressMode::Border`].
    pub border: [f32; 4],
    /// What is added to the level.
    pub level_bias: f32,
    /// The least and the greatest level.
    pub level_range: [f32; 2],
}

/// What becomes of a coordinate beside the texture, numbered as `CUaddress_mode` in `cuda.h`. The first two are for normalized
/// coordinates; others are clamped instead.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(u8)]
pub enum AddressMode {
    /// The texture is repeated.
    Wrap = 0,
    /// The nearest texel of the edge.
    #[default]
    Clamp = 1,
    /// The texture is repeated, every other time backwards.
    Mirror = 2,
    /// The border's colour.
    Border = 3,
}

impl Default for SamplerState {
    fn default() -> SamplerState {
        SamplerState {
            address_modes: [AddressMode::Clamp; 3],
            is_linear: false,
            is_linear_between_levels: false,
            is_normalized: false,
            reads_fractions: false,
            is_srgb: false,
            border: [0.0; 4],
            level_bias: 0.0,
            level_range: [0.0, f32::MAX],
        }
    }
}

impl ChannelFormat {
    /// All of them.
    pub const ALL: [ChannelFormat; 8] = [
        ChannelFormat::U8,
        ChannelFormat::U16,
        ChannelFormat::U32,
        ChannelFormat::S8,
        ChannelFormat::S16,
        ChannelFormat::S32,
        ChannelFormat::F16,
        ChannelFormat::F32,
    ];

    /// The format with a number, if margay reads it.
    ///
    /// ```
    /// use margay_isa::texture::ChannelFormat;
    /// assert_eq!(ChannelFormat::numbered(0x20), Some(ChannelFormat::F32));
    /// ```
    pub fn numbered(number: u32) -> Option<ChannelFormat> {
        ChannelFormat::ALL.into_iter().find(|format| *format as u32 == number)
    }

    /// Bytes of a channel.
    pub fn bytes(self) -> u32 {
        match self {
            ChannelFormat::U8 | ChannelFormat::S8 => 1,
            ChannelFormat::U16 | ChannelFormat::S16 | ChannelFormat::F16 => 2,
            ChannelFormat::U32 | ChannelFormat::S32 | ChannelFormat::F32 => 4,
        }
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, ChannelFormat::F16 | ChannelFormat::F32)
    }

    /// Whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, ChannelFormat::S8 | ChannelFormat::S16 | ChannelFormat::S32)
    }
}

impl AddressMode {
    /// The mode with a number.
    pub fn numbered(number: u32) -> Option<AddressMode> {
        [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border]
            .get(number as usize)
            .copied()
    }
}

impl Texels {
    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u32 {
        self.format.bytes() * self.channels
    }

    /// The dimensions: 1, 2 or 3.
    pub fn rank(&self) -> usize {
        match (self.height, self.depth) {
            (0, _) => 1,
            (_, 0) => 2,
            _ => 3,
        }
    }

    /// Width, height and depth of a level, each 1 at least.
    ///
    /// ```
    /// use margay_isa::texture::{ChannelFormat, Texels};
    /// let texels = Texels { levels: 3, ..Texels::plane(0, 40, 10, ChannelFormat::U8, 4) };
    /// assert_eq!(texels.size(2), [10, 2, 1]);
    /// assert_eq!(texels.bytes(), 4 * (400 + 100 + 20));
    /// ```
    pub fn size(&self, level: u32) -> [u32; 3] {
        [self.width, self.height, self.depth].map(|n| n.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Bytes from a row to the next.
    pub fn row_bytes(&self, level: u32) -> u64 {
        match self.pitch {
            0 => u64::from(self.size(level)[0]) * u64::from(self.texel_bytes()),
            pitch => pitch,
        }
    }

    /// Bytes of a level with all its layers.
    pub fn level_bytes(&self, level: u32) -> u64 {
        let [_, height, depth] = self.size(level);
        let rows = u64::from(height) * u64::from(depth);
        self.row_bytes(level).saturating_mul(rows).saturating_mul(self.layers.max(1).into())
    }

    /// How far a level lies from the first one.
    pub fn level_start(&self, level: u32) -> u64 {
        (0..level.min(self.levels)).fold(0, |bytes: u64, level| bytes.saturating_add(self.level_bytes(level)))
    }

    /// Bytes of all levels.
    pub fn bytes(&self) -> u64 {
        self.level_start(self.levels)
    }

    /// The address of a texel of a level and a layer, by its numbers along the dimensions.
    pub fn texel_at(&self, level: u32, layer: u32, [x, y, z]: [u32; 3]) -> u64 {
        let [_, height, depth] = self.size(level).map(u64::from);
        let planes = u64::from(layer).wrapping_mul(depth).wrapping_add(z.into());
        let rows = planes.wrapping_mul(height).wrapping_add(y.into());
        let texel = u64::from(x) * u64::from(self.texel_bytes());
        let at = self.level_start(level).wrapping_add(rows.wrapping_mul(self.row_bytes(level)));
        self.address.wrapping_add(at).wrapping_add(texel)
    }

    /// One level of them by itself.
    pub fn level(&self, level: u32) -> Texels {
        let [width, height, depth] = self.size(level);
        Texels {
            address: self.address.wrapping_add(self.level_start(level)),
            width,
            height: if self.height == 0 { 0 } else { height },
            depth: if self.depth == 0 { 0 } else { depth },
            levels: 1,
            ..*self
        }
    }

    /// A plane without levels and layers, with nothing between rows.
    pub fn plane(address: u64, width: u32, height: u32, format: ChannelFormat, channels: u32) -> Texels {
        Texels {
            address,
            width,
            height,
            depth: 0,
            layers: 0,
            is_cube: false,
            is_buffer: false,
            levels: 1,
            pitch: 0,
            format,
            channels,
        }
    }
}

/// What each description begins with, so that other memory is not taken for one.
const MAGIC: u64 = u64::from_le_bytes(*b"opaque\0\0");

/// Levels of a mipmap at most: those of the longest row.
const MOST_LEVELS: u32 = 32;

/// The bits of a description's flags.
const FLAGS: usize = 8;

impl TextureDescriptor {
    /// Bytes of a description.
    pub const BYTES: usize = 128;
    /// What its address is a multiple of.
    pub const ALIGN: u64 = 16;

    /// Its bytes: eight that say what it is, then address and pitch, then numbers of four bytes.
    ///
    /// ```
    /// use margay_isa::Handle;
    /// use margay_isa::texture::{ChannelFormat, SamplerState, Texels, TextureDescriptor};
    /// let texels = Texels::plane(0x1000, 64, 32, ChannelFormat::U8, 4);
    /// let texture = TextureDescriptor { kind: Handle::Texture, texels, sampler: SamplerState::default() };
    /// assert_eq!(TextureDescriptor::from_bytes(&texture.to_bytes()), Some(texture));
    /// assert_eq!(TextureDescriptor::from_bytes(&[0; 128]), None);
    /// ```
    pub fn to_bytes(&self) -> [u8; TextureDescriptor::BYTES] {
        let TextureDescriptor { kind, texels, sampler } = self;
        let flags: [bool; FLAGS] = [
            texels.is_cube,
            texels.is_buffer,
            sampler.is_linear,
            sampler.is_linear_between_levels,
            sampler.is_normalized,
            sampler.reads_fractions,
            sampler.is_srgb,
            false,
        ];
        let flags = (0..).zip(flags).fold(0, |bits, (k, flag)| bits | u32::from(flag) << k);
        let modes = sampler.address_modes.map(|mode| mode as u8);
        let mut words = vec![
            *kind as u32,
            texels.width,
            texels.height,
            texels.depth,
            texels.layers,
            texels.levels,
            texels.format as u32,
            texels.channels,
            flags,
            u32::from_le_bytes([modes[0], modes[1], modes[2], 0]),
            sampler.level_bias.to_bits(),
        ];
        words.extend(sampler.level_range.iter().chain(&sampler.border).map(|number| number.to_bits()));
        let wide = [MAGIC, texels.address, texels.pitch];
        let bytes =
            wide.iter().flat_map(|n| n.to_le_bytes()).chain(words.iter().flat_map(|n| n.to_le_bytes()));
        let mut all = [0; TextureDescriptor::BYTES];
        all.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        all
    }

    /// What so many bytes describe, if they are a description that [`TextureDescriptor::to_bytes`] gives.
    pub fn from_bytes(bytes: &[u8; TextureDescriptor::BYTES]) -> Option<TextureDescriptor> {
        let wide = |k: usize| bytes.as_chunks::<8>().0[k];
        let word = |k: usize| u32::from_le_bytes(bytes[24..].as_chunks::<4>().0[k]);
        if u64::from_le_bytes(wide(0)) != MAGIC {
            return None;
        }
        let kinds = [Handle::Texture, Handle::Sampler, Handle::Surface];
        let flag = |k: u32| word(8) >> k & 1 == 1;
        let number = |k: usize| f32::from_bits(word(k));
        let [first, second, third, _] = word(9).to_le_bytes().map(|mode| AddressMode::numbered(mode.into()));
        Some(TextureDescriptor {
            kind: kinds.into_iter().find(|kind| *kind as u32 == word(0))?,
            texels: Texels {
                address: u64::from_le_bytes(wide(1)),
                pitch: u64::from_le_bytes(wide(2)),
                width: word(1),
                height: word(2),
                depth: word(3),
                layers: word(4),
                levels: Some(word(5)).filter(|levels| (1..=MOST_LEVELS).contains(levels))?,
                format: ChannelFormat::numbered(word(6))?,
                channels: Some(word(7)).filter(|channels| [1, 2, 4].contains(channels))?,
                is_cube: flag(0),
                is_buffer: flag(1),
            },
            sampler: SamplerState {
                address_modes: [first?, second?, third?],
                is_linear: flag(2),
                is_linear_between_levels: flag(3),
                is_normalized: flag(4),
                reads_fractions: flag(5),
                is_srgb: flag(6),
                level_bias: number(10),
                level_range: [number(11), number(12)],
                border: [number(13), number(14), number(15), number(16)],
            },
        })
    }
}
