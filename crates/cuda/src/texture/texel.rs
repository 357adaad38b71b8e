//! Formats of texels: those that margay reads, and the names of the others that `cuda.h` numbers.

use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_isa::texture::{ChannelFormat, Texels};

/// The format of channels with a number of `CUarray_format`.
pub fn format(number: u32) -> Answer<ChannelFormat> {
    if let Some(format) = ChannelFormat::numbered(number) {
        return Ok(format);
    }
    let name = OTHERS.iter().find(|(other, _)| *other == number).map(|(_, name)| name);
    Err(match name {
        Some(name) => {
            Failed::because(Code::NOT_SUPPORTED, format!("texels of the format {name} are not supported"))
        }
        None => {
            Failed::because(Code::INVALID_VALUE, format!("no format of texels has the number {number:#x}"))
        }
    })
}

/// The number of channels of a texel, if it is one.
pub fn channels(number: u32) -> Answer<u32> {
    match number {
        1 | 2 | 4 => Ok(number),
        _ => {
            Err(Failed::because(Code::INVALID_VALUE, format!("texels have 1, 2 or 4 channels, not {number}")))
        }
    }
}

/// Texels as another format of as many bytes, with a number of `CUresourceViewFormat`.
pub fn viewed(number: u32, texels: Texels) -> Answer<Texels> {
    if number == 0 {
        return Ok(texels);
    }
    if (FIRST_COMPRESSED..=LAST_COMPRESSED).contains(&number) {
        return Err(Failed::because(Code::NOT_SUPPORTED, "views of compressed blocks are not supported"));
    }
    let at = number as usize - 1;
    let format = *VIEWED.get(at / 3).ok_or(Failed::from(Code::INVALID_VALUE))?;
    let seen = Texels { format, channels: 1 << (at % 3), ..texels };
    if seen.texel_bytes() != texels.texel_bytes() {
        let text =
            format!("texels of {} bytes viewed as texels of {}", texels.texel_bytes(), seen.texel_bytes());
        return Err(Failed::because(Code::INVALID_VALUE, text));
    }
    Ok(seen)
}

/// The formats of views: three each, of 1, 2 and 4 channels.
const VIEWED: &[ChannelFormat] = &[
    ChannelFormat::U8,
    ChannelFormat::S8,
    ChannelFormat::U16,
    ChannelFormat::S16,
    ChannelFormat::U32,
    ChannelFormat::S32,
    ChannelFormat::F16,
    ChannelFormat::F32,
];
const FIRST_COMPRESSED: u32 = 0x19;
const LAST_COMPRESSED: u32 = 0x22;

#[rustfmt::skip]
const OTHERS: &[(u32, &str)] = &[
    (0x50, "UNORM_INT_101010_2"), (0x51, "UINT8_PACKED_422"), (0x52, "UINT8_PACKED_444"), (0x53, "UINT8_SEMIPLANAR_420"),
    (0x54, "UINT16_SEMIPLANAR_420"), (0x55, "UINT8_SEMIPLANAR_422"), (0x56, "UINT16_SEMIPLANAR_422"),
    (0x57, "UINT8_SEMIPLANAR_444"), (0x58, "UINT16_SEMIPLANAR_444"), (0x59, "UINT8_PLANAR_420"), (0x5a, "UINT16_PLANAR_420"),
    (0x5b, "UINT8_PLANAR_422"), (0x5c, "UINT16_PLANAR_422"), (0x5d, "UINT8_PLANAR_444"), (0x5e, "UINT16_PLANAR_444"),
    (0x91, "BC1_UNORM"), (0x92, "BC1_UNORM_SRGB"), (0x93, "BC2_UNORM"), (0x94, "BC2_UNORM_SRGB"), (0x95, "BC3_UNORM"),
    (0x96, "BC3_UNORM_SRGB"), (0x97, "BC4_UNORM"), (0x98, "BC4_SNORM"), (0x99, "BC5_UNORM"), (0x9a, "BC5_SNORM"),
    (0x9b, "BC6H_UF16"), (0x9c, "BC6H_SF16"), (0x9d, "BC7_UNORM"), (0x9e, "BC7_UNORM_SRGB"), (0x9f, "P010"), (0xa1, "P016"),
    (0xa2, "NV16"), (0xa3, "P210"), (0xa4, "P216"), (0xa5, "YUY2"), (0xa6, "Y210"), (0xa7, "Y216"), (0xa8, "AYUV"), (0xa9, "Y410"),
    (0xb0, "NV12"), (0xb1, "Y416"), (0xb2, "Y444_PLANAR8"), (0xb3, "Y444_PLANAR10"), (0xb4, "YUV444_8bit_SemiPlanar"),
    (0xb5, "YUV444_16bit_SemiPlanar"), (0xc0, "UNORM_INT8X1"), (0xc1, "UNORM_INT8X2"), (0xc2, "UNORM_INT8X4"),
    (0xc3, "UNORM_INT16X1"), (0xc4, "UNORM_INT16X2"), (0xc5, "UNORM_INT16X4"), (0xc6, "SNORM_INT8X1"), (0xc7, "SNORM_INT8X2"),
    (0xc8, "SNORM_INT8X4"), (0xc9, "SNORM_INT16X1"), (0xca, "SNORM_INT16X2"), (0xcb, "SNORM_INT16X4"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_read_or_named() {
        assert_eq!(format(0x20).unwrap(), ChannelFormat::F32);
        let failed = format(0xc2).unwrap_err();
        assert!(
            failed.code == Code::NOT_SUPPORTED && failed.text.contains("UNORM_INT8X4"),
            "{}",
            failed.text
        );
        assert_eq!(format(0x77).unwrap_err().code, Code::INVALID_VALUE);
    }

    #[test]
    fn a_view_has_as_many_bytes() {
        let texels = Texels::plane(0, 4, 4, ChannelFormat::U8, 4);
        let seen = viewed(0x16, texels).unwrap();
        assert_eq!((seen.format, seen.channels), (ChannelFormat::F32, 1));
        assert_eq!(viewed(0, texels).unwrap(), texels);
        let codes = [0x17, 0x19, 0x22, 0x23].map(|number| viewed(number, texels).unwrap_err().code.0);
        assert_eq!(codes, [1, 801, 801, 1]);
    }
}
