//! A texel: its channels in memory, and as they are read.

use super::descriptor::{ChannelFormat, SamplerState, Texels};
use crate::float::{F16, F32, Mode, encode};
use crate::types::Bits;

/// What four channels are read as: numbers of `.f32`, or integers of 32 bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Texel {
    Numbers([f32; 4]),
    Integers([u32; 4]),
}

impl Texel {
    pub(super) fn bits(self) -> [u32; 4] {
        match self {
            Texel::Numbers(numbers) => numbers.map(bits_of),
            Texel::Integers(integers) => integers,
        }
    }
}

/// The bits of a number; there is one NaN.
pub(super) fn bits_of(number: f32) -> u32 {
    const NAN: u32 = 0x7fff_ffff;
    if number.is_nan() { NAN } else { number.to_bits() }
}

/// The number that a half is.
fn half(bits: u32) -> f32 {
    // Its exponent counts from 112 less.
    const SCALE: f32 = f32::from_bits((127 + 112) << 23);
    let magnitude = match bits & 0x7c00 {
        0x7c00 => f32::from_bits((bits & 0x3ff) << 13 | 0x7f80_0000),
        _ => f32::from_bits((bits & 0x7fff) << 13) * SCALE,
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

/// A colour of sRGB by its light.
fn light(colour: f32) -> f32 {
    let colour = f64::from(colour);
    (if colour <= 0.04045 { colour / 12.92 } else { ((colour + 0.055) / 1.055).powf(2.4) }) as f32
}

/// Whether texels are read as numbers.
pub(super) fn are_numbers(texels: &Texels, sampler: &SamplerState) -> bool {
    texels.format.is_float() || sampler.reads_fractions && texels.format.bytes() < 4
}

/// The texel in memory's bytes. A channel that it lacks is 0, the last one 1.
pub(super) fn decoded(texels: &Texels, sampler: &SamplerState, memory: Bits) -> Texel {
    let bits = 8 * texels.format.bytes();
    let channel = |k: u32| (memory >> (k * bits)) as u32 & u32::MAX >> (32 - bits);
    let signed = |n: u32| (n << (32 - bits)) as i32 >> (32 - bits);
    if !are_numbers(texels, sampler) {
        return Texel::Integers([0, 1, 2, 3].map(|k| match k {
            _ if k >= texels.channels => u32::from(k == 3),
            _ if texels.format.is_signed() => signed(channel(k)) as u32,
            _ => channel(k),
        }));
    }
    let greatest = ((1u64 << bits) - 1) as f32;
    Texel::Numbers([0, 1, 2, 3].map(|k| match texels.format {
        _ if k >= texels.channels => f32::from(u8::from(k == 3)),
        ChannelFormat::F32 => f32::from_bits(channel(k)),
        ChannelFormat::F16 => half(channel(k)),
        format if format.is_signed() => {
            (signed(channel(k)) as f32 / ((1u32 << (bits - 1)) - 1) as f32).max(-1.0)
        }
        ChannelFormat::U8 if sampler.is_srgb && k < 3 => light(channel(k) as f32 / greatest),
        _ => channel(k) as f32 / greatest,
    }))
}

/// The texel beside a texture.
pub(super) fn border(texels: &Texels, sampler: &SamplerState) -> Texel {
    let colour = if texels.is_buffer { [0.0; 4] } else { sampler.border };
    match are_numbers(texels, sampler) {
        true => Texel::Numbers(colour),
        false if texels.format.is_signed() => Texel::Integers(colour.map(|n| n as i32 as u32)),
        false => Texel::Integers(colour.map(|n| n as u32)),
    }
}

/// Channels as a surface holds them: integers end at its format's bounds, numbers are rounded to nearest.
pub(super) fn encoded(texels: &Texels, channels: &[u32]) -> Bits {
    let bits = 8 * texels.format.bytes();
    let one = |n: u32| -> u32 {
        match texels.format {
            ChannelFormat::F16 => encode(&F16, Mode::Nearest, false, F32.decode(n.into()), &[]) as u32,
            ChannelFormat::F32 => n,
            format if format.is_signed() => {
                let most = i32::MAX >> (32 - bits);
                (n as i32).clamp(-most - 1, most) as u32 & u32::MAX >> (32 - bits)
            }
            _ => n.min(u32::MAX >> (32 - bits)),
        }
    };
    let own = channels.iter().take(texels.channels as usize);
    own.zip(0..).fold(0, |all, (n, k)| all | Bits::from(one(*n)) << (k * bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_those_of_the_formats() {
        for bits in 0..=0xffffu32 {
            let wanted = encode(&F32, Mode::Nearest, false, F16.decode(bits.into()), &[]) as u32;
            assert_eq!(bits_of(half(bits)), wanted, "{bits:#x}");
        }
    }

    #[test]
    fn channels_are_read_and_written() {
        let texels = |format, channels| Texels::plane(0, 1, 1, format, channels);
        let fractions = SamplerState { reads_fractions: true, ..SamplerState::default() };
        let read = |format, channels, sampler, memory| decoded(&texels(format, channels), sampler, memory);
        let plain = &SamplerState::default();
        assert_eq!(read(ChannelFormat::U8, 4, plain, 0x80ff_0102), Texel::Integers([2, 1, 255, 128]));
        assert_eq!(
            read(ChannelFormat::S8, 2, plain, 0x80ff),
            Texel::Integers([u32::MAX, -128i32 as u32, 0, 1])
        );
        assert_eq!(read(ChannelFormat::U8, 1, &fractions, 51), Texel::Numbers([0.2, 0.0, 0.0, 1.0]));
        assert_eq!(read(ChannelFormat::S8, 2, &fractions, 0x7f80), Texel::Numbers([-1.0, 1.0, 0.0, 1.0]));
        assert_eq!(read(ChannelFormat::S16, 1, &fractions, 0x8000), Texel::Numbers([-1.0, 0.0, 0.0, 1.0]));
        assert_eq!(read(ChannelFormat::U32, 1, &fractions, 7), Texel::Integers([7, 0, 0, 1]));
        let srgb = SamplerState { is_srgb: true, ..fractions };
        assert_eq!(read(ChannelFormat::U8, 4, &srgb, 0xff00_00ff), Texel::Numbers([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(encoded(&texels(ChannelFormat::S8, 2), &[300, -300i32 as u32]), 0x807f);
        assert_eq!(encoded(&texels(ChannelFormat::U16, 1), &[70_000]), 0xffff);
        assert_eq!(
            encoded(&texels(ChannelFormat::F16, 2), &[1f32.to_bits(), (-2f32).to_bits()]),
            0xc000_3c00
        );
    }
}
