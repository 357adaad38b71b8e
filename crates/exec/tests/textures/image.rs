//! Textures of random shapes, and what their texels are.

use crate::random::Random;
use margay_isa::Handle;
use margay_isa::texture::{AddressMode, ChannelFormat, SamplerState, Texels, TextureDescriptor};

/// The geometries that PTX has, each with how many numbers say where, the layer left out.
pub const GEOMETRIES: [(&str, usize); 7] =
    [("1d", 1), ("2d", 2), ("3d", 3), ("a1d", 1), ("a2d", 2), ("cube", 3), ("acube", 3)];

/// A texture and its bytes.
pub struct Image {
    pub texels: Texels,
    pub bytes: Vec<u8>,
}

/// What a texel is read as.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    Numbers([f64; 4]),
    Integers([i64; 4]),
}

impl Image {
    /// One that fits a geometry, of texels of any format.
    pub fn draw(random: &mut Random, geometry: &str, with_levels: bool) -> Image {
        let mut side = || 1 + random.below(7) as u32;
        let [width, height, depth, layers] = [side(), side(), side(), side()];
        let is_cube = geometry.ends_with("cube");
        let mut texels = Texels {
            height: if geometry.ends_with("1d") {
                0
            } else if is_cube {
                width
            } else {
                height
            },
            depth: if geometry == "3d" { depth } else { 0 },
            layers: match geometry {
                "cube" => 6,
                "acube" => 6 * layers,
                "a1d" | "a2d" => layers,
                _ => 0,
            },
            is_cube,
            levels: if with_levels { 1 + random.below(3) as u32 } else { 1 },
            ..Texels::plane(0, width, 0, *random.pick(&ChannelFormat::ALL), [1, 2, 4][random.below(3)])
        };
        if geometry == "2d" && texels.levels == 1 && random.once_in(4) {
            texels.pitch = u64::from(width * texels.texel_bytes()).next_multiple_of(16) + 16;
        }
        texels.is_buffer = geometry == "1d" && texels.levels == 1 && random.once_in(4);
        let mut bytes = random.bytes(texels.bytes() as usize);
        // Numbers that are neither infinite nor NaN, and alike enough for sums to be of interest.
        match texels.format {
            ChannelFormat::F32 => bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|chunk| {
                let bits = u32::from_le_bytes(*chunk);
                let exponent = 120 + bits % 12;
                *chunk = (bits & 0x807f_ffff | exponent << 23).to_le_bytes();
            }),
            ChannelFormat::F16 => bytes.as_chunks_mut::<2>().0.iter_mut().for_each(|chunk| {
                let bits = u16::from_le_bytes(*chunk);
                *chunk = (if bits & 0x7c00 == 0x7c00 { bits & 0xbfff } else { bits }).to_le_bytes();
            }),
            _ => {}
        }
        Image { texels, bytes }
    }

    /// How large a level is.
    pub fn size(&self, level: u32) -> [i64; 3] {
        let Texels { width, height, depth, .. } = self.texels;
        [width, height, depth].map(|n| i64::from(n >> level).max(1))
    }

    fn row(&self, level: u32) -> usize {
        match self.texels.pitch {
            0 => self.size(level)[0] as usize * self.texels.texel_bytes() as usize,
            pitch => pitch as usize,
        }
    }

    /// Where a texel begins: after all levels, layers, planes, rows and texels before it.
    pub fn offset(&self, level: u32, layer: usize, [x, y, z]: [i64; 3]) -> usize {
        let layers = self.texels.layers.max(1) as usize;
        let mut at = 0;
        for before in 0..level {
            let [_, height, depth] = self.size(before);
            at += layers * (height * depth) as usize * self.row(before);
        }
        let [_, height, depth] = self.size(level);
        at += ((layer as i64 * depth + z) * height + y) as usize * self.row(level);
        at + x as usize * self.texels.texel_bytes() as usize
    }

    /// What a texel is read as; channels that are missing are 0, the last one 1.
    pub fn value(&self, sampler: &SamplerState, level: u32, layer: usize, at: [i64; 3]) -> Value {
        let start = self.offset(level, layer, at);
        let bytes = self.texels.format.bytes() as usize;
        let channel = |k: usize| {
            let mut word = [0; 8];
            word[..bytes].copy_from_slice(&self.bytes[start + k * bytes..][..bytes]);
            let bits = i64::from_le_bytes(word);
            let is_negative = self.texels.format.is_signed() && bits >> (8 * bytes - 1) == 1;
            if is_negative { bits - (1 << (8 * bytes)) } else { bits }
        };
        let own = |k: usize| k < self.texels.channels as usize;
        let missing = |k: usize| i64::from(k == 3);
        let number = |k: usize| match (self.texels.format, channel(k)) {
            (ChannelFormat::F32, bits) => f64::from(f32::from_bits(bits as u32)),
            (ChannelFormat::F16, bits) => {
                let (fraction, exponent) = ((bits & 0x3ff) as f64, (bits >> 10 & 31) as i32);
                let magnitude = match exponent {
                    0 => fraction * 2f64.powi(-24),
                    _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
                };
                if bits >> 15 == 1 { -magnitude } else { magnitude }
            }
            (format, n) => {
                let most = (1i64 << (8 * format.bytes() - u32::from(format.is_signed()))) - 1;
                f64::from((n as f64 / most as f64).max(-1.0) as f32)
            }
        };
        match self.reads_numbers(sampler) {
            true => Value::Numbers([0, 1, 2, 3].map(|k| if own(k) { number(k) } else { missing(k) as f64 })),
            false => Value::Integers([0, 1, 2, 3].map(|k| if own(k) { channel(k) } else { missing(k) })),
        }
    }

    /// Whether texels are numbers, which can be mixed.
    pub fn reads_numbers(&self, sampler: &SamplerState) -> bool {
        match self.texels.format {
            ChannelFormat::F16 | ChannelFormat::F32 => true,
            ChannelFormat::U32 | ChannelFormat::S32 => false,
            _ => sampler.reads_fractions,
        }
    }

    /// What describes it, with a sampler.
    pub fn described(&self, sampler: SamplerState) -> TextureDescriptor {
        TextureDescriptor { kind: Handle::Texture, texels: self.texels, sampler }
    }
}

/// A sampler of any kind but for sRGB.
pub fn draw_sampler(random: &mut Random) -> SamplerState {
    let modes = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
    SamplerState {
        address_modes: [0; 3].map(|_| *random.pick(&modes)),
        is_linear: random.once_in(2),
        is_linear_between_levels: random.once_in(2),
        is_normalized: random.once_in(2),
        reads_fractions: random.once_in(2),
        border: [0; 4].map(|_| random.below(100) as f32 / 8.0),
        level_bias: if random.once_in(4) { 0.5 } else { 0.0 },
        level_range: if random.once_in(4) { [0.25, 1.5] } else { [0.0, 100.0] },
        is_srgb: false,
    }
}
