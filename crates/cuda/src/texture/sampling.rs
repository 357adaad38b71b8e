//! How textures are read, from what programs say to the state of a sampler.

use crate::door::layout::Sampling;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_isa::texture::{AddressMode, SamplerState, Texels};

/// Flags of `CUDA_TEXTURE_DESC`.
const READ_AS_INTEGER: u32 = 0x01;
const NORMALIZED_COORDINATES: u32 = 0x02;
const SRGB: u32 = 0x10;
/// It has no meaning here: levels are always mixed as they should be.
const DISABLE_TRILINEAR_OPTIMIZATION: u32 = 0x20;
const SEAMLESS_CUBEMAP: u32 = 0x40;
pub const FLAGS: u32 =
    READ_AS_INTEGER | NORMALIZED_COORDINATES | SRGB | DISABLE_TRILINEAR_OPTIMIZATION | SEAMLESS_CUBEMAP;

impl Sampling {
    /// What a texture reference is read by until a program says otherwise.
    pub const USUAL: Sampling = Sampling {
        address_modes: [AddressMode::Clamp as u32; 3],
        filter: 0,
        flags: 0,
        anisotropy: 0,
        level_filter: 0,
        level_bias: 0.0,
        level_range: [0.0; 2],
        border: [0.0; 4],
        _reserved: [0; 12],
    };

    /// The state of a sampler that reads texels so.
    pub fn sampler(&self, texels: &Texels) -> Answer<SamplerState> {
        let wrong = |text: &str| Failed::because(Code::INVALID_VALUE, text);
        let has = |flag: u32| self.flags & flag != 0;
        if self.flags & !FLAGS != 0 {
            return Err(wrong("a texture with flags that there are not"));
        }
        let [is_linear, is_linear_between_levels] = [filter(self.filter)?, filter(self.level_filter)?];
        // Memory that was given as a line is read by whole coordinates alone: modes and filters are of no account.
        let is_linear = is_linear && !texels.is_buffer;
        let is_linear_between_levels = is_linear_between_levels && texels.levels > 1;
        let is_short = !texels.format.is_float() && texels.format.bytes() < 4;
        let reads_fractions = is_short && !has(READ_AS_INTEGER);
        let reads_numbers = texels.format.is_float() || reads_fractions;
        if (is_linear || is_linear_between_levels) && !reads_numbers {
            return Err(wrong("a texture that is read as integers cannot be filtered linearly"));
        }
        // Without filtering there is nothing that more samples along a line would change.
        if self.anisotropy > 1 && is_linear {
            return Err(Failed::because(Code::NOT_SUPPORTED, "anisotropic filtering is not supported"));
        }
        let mut address_modes = self.address_modes;
        if has(SEAMLESS_CUBEMAP) {
            if !texels.is_cube {
                return Err(wrong("a texture that is seamless, but no cubemap"));
            }
            if is_linear {
                let text = "linear filtering across the edges of a cubemap's faces is not supported";
                return Err(Failed::because(Code::NOT_SUPPORTED, text));
            }
            address_modes = [AddressMode::Clamp as u32; 3];
        }
        let mode = |number| {
            AddressMode::numbered(number)
                .ok_or_else(|| wrong("a texture with an address mode that there is not"))
        };
        let [x, y, z] = match texels.is_buffer {
            true => [AddressMode::Clamp as u32; 3],
            false => address_modes,
        };
        Ok(SamplerState {
            address_modes: [mode(x)?, mode(y)?, mode(z)?],
            is_linear,
            is_linear_between_levels,
            is_normalized: has(NORMALIZED_COORDINATES),
            reads_fractions,
            is_srgb: has(SRGB),
            border: self.border,
            level_bias: self.level_bias,
            level_range: self.level_range,
        })
    }
}

/// Whether a filter is linear.
pub fn filter(number: u32) -> Answer<bool> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Failed::because(Code::INVALID_VALUE, "a texture with a filter that there is not")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::texture::ChannelFormat::{self, F32, S16, U8, U32};

    fn state(sampling: Sampling, format: ChannelFormat) -> Result<SamplerState, u32> {
        sampling.sampler(&Texels::plane(0, 8, 8, format, 4)).map_err(|failed| failed.code.0)
    }

    #[test]
    fn integers_are_fractions_unless_the_program_wants_them() {
        let with = |flags| Sampling { flags, ..Sampling::USUAL };
        let fractions = |flags, format| state(with(flags), format).unwrap().reads_fractions;
        assert_eq!([U8, S16, U32, F32].map(|format| fractions(0, format)), [true, true, false, false]);
        assert_eq!([U8, S16, U32, F32].map(|format| fractions(1, format)), [false; 4]);
        let linear = |flags| Sampling { filter: 1, ..with(flags) };
        assert_eq!(
            [(0, U8), (1, U8), (0, U32), (1, F32)].map(|(flags, format)| state(linear(flags), format).err()),
            [None, Some(1), Some(1), None]
        );
        // The filter between levels is of no account where there is one level.
        assert_eq!(state(Sampling { level_filter: 1, ..with(1) }, U8), state(with(1), U8));
    }

    #[test]
    fn what_there_is_not_is_refused() {
        let refused = |sampling| state(sampling, F32).err();
        let usual = Sampling::USUAL;
        assert_eq!(refused(Sampling { address_modes: [0, 3, 4], ..usual }), Some(1));
        assert_eq!(refused(Sampling { filter: 2, ..usual }), Some(1));
        assert_eq!(refused(Sampling { flags: 4, ..usual }), Some(1));
        assert_eq!(refused(Sampling { flags: SEAMLESS_CUBEMAP, ..usual }), Some(1));
        assert_eq!(refused(Sampling { anisotropy: 16, ..usual }), None);
        assert_eq!(refused(Sampling { anisotropy: 16, filter: 1, ..usual }), Some(801));
        assert_eq!(refused(Sampling { anisotropy: 1, filter: 1, ..usual }), None);
        let cube = Texels { layers: 6, is_cube: true, ..Texels::plane(0, 8, 8, F32, 1) };
        let seamless = Sampling { flags: SEAMLESS_CUBEMAP, address_modes: [0; 3], ..usual };
        assert_eq!(seamless.sampler(&cube).unwrap().address_modes, [AddressMode::Clamp; 3]);
        assert_eq!(Sampling { filter: 1, ..seamless }.sampler(&cube).unwrap_err().code.0, 801);
    }
}
