//! Arrays, with one level and with several.

use super::memory::Extent;
use super::pass::{In, Place, Pointer};
use super::{Status, call, tell};
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;

/// `cudaChannelFormatDesc`: the bits of each channel, and what they hold.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channels {
    pub bits: [i32; 4],
    pub kind: u32,
}

/// What channels hold.
const SIGNED: u32 = 0;
const UNSIGNED: u32 = 1;
const FLOAT: u32 = 2;
/// Other kinds are those of compressed blocks, of fractions and of frames of a video.
const OTHERS: std::ops::RangeInclusive<u32> = 4..=45;

/// For each format of the driver the kind and the bits of a channel.
const FORMATS: &[(u32, u32, i32)] = &[
    (0x01, UNSIGNED, 8),
    (0x02, UNSIGNED, 16),
    (0x03, UNSIGNED, 32),
    (0x08, SIGNED, 8),
    (0x09, SIGNED, 16),
    (0x0a, SIGNED, 32),
    (0x10, FLOAT, 16),
    (0x20, FLOAT, 32),
];

impl Channels {
    /// The driver's format, and how many channels there are.
    pub fn format(&self) -> Answer<(u32, u32)> {
        if OTHERS.contains(&self.kind) {
            tell("margay: arrays of fractions, compressed blocks or frames of a video are not supported\n");
            return Err(Code::NOT_SUPPORTED);
        }
        let first = self.bits[0];
        let count = self.bits.iter().take_while(|bits| **bits == first).count();
        let is_good = [1, 2, 4].contains(&count) && self.bits[count..].iter().all(|bits| *bits == 0);
        let format = FORMATS.iter().find(|(_, kind, bits)| (*kind, *bits) == (self.kind, first));
        let (format, ..) = format.filter(|_| is_good).ok_or(Code::INVALID_CHANNEL_DESCRIPTOR)?;
        Ok((*format, count as u32))
    }

    /// What the driver tells of channels.
    pub fn of(format: u32, count: u32) -> Answer<Channels> {
        let found = FORMATS.iter().find(|(number, ..)| *number == format);
        let (_, kind, bits) = *found.ok_or(Code::INVALID_CHANNEL_DESCRIPTOR)?;
        let bits = std::array::from_fn(|k| if k < count as usize { bits } else { 0 });
        Ok(Channels { bits, kind })
    }

    /// Whether each holds a floating-point number.
    pub fn is_float(&self) -> bool {
        self.kind == FLOAT
    }

    /// Bits of a channel.
    pub fn width(&self) -> i32 {
        self.bits[0]
    }
}

/// `CUDA_ARRAY3D_DESCRIPTOR`. The flags are the same numbers for both interfaces.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Array3d {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
}

impl Array3d {
    /// What the driver tells of an array.
    pub fn of(runtime: &Runtime, array: usize) -> Answer<Array3d> {
        let mut told = Array3d::default();
        runtime.driver.cuArray3DGetDescriptor_v2(&mut told, array).map(|()| told)
    }

    fn wanted(channels: In<Channels>, extent: Extent, flags: u32) -> Answer<Array3d> {
        let (format, channels) = channels.read()?.format()?;
        let Extent { width, height, depth } = extent;
        Ok(Array3d { width, height, depth, format, channels, flags })
    }

    /// Bytes of a texel.
    pub fn texel(&self) -> Answer<usize> {
        let channels = Channels::of(self.format, self.channels)?;
        Ok(self.channels as usize * channels.width() as usize / 8)
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: u32) -> Channels {
    Channels { bits: [x, y, z, w], kind }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocArray(
    array: Place<usize>,
    channels: In<Channels>,
    width: usize,
    height: usize,
    flags: u32,
) -> Status {
    cudaMalloc3DArray(array, channels, Extent { width, height, depth: 0 }, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMalloc3DArray(
    array: Place<usize>,
    channels: In<Channels>,
    extent: Extent,
    flags: u32,
) -> Status {
    call(|runtime| runtime.driver.cuArray3DCreate_v2(array, &Array3d::wanted(channels, extent, flags)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeArray(array: usize) -> Status {
    call(|runtime| if array == 0 { Ok(()) } else { runtime.driver.cuArrayDestroy(array) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocMipmappedArray(
    array: Place<usize>,
    channels: In<Channels>,
    extent: Extent,
    levels: u32,
    flags: u32,
) -> Status {
    call(|runtime| {
        runtime.driver.cuMipmappedArrayCreate(array, &Array3d::wanted(channels, extent, flags)?, levels)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetMipmappedArrayLevel(array: Place<usize>, mipmapped: usize, level: u32) -> Status {
    call(|runtime| {
        let mut found = 0;
        runtime.driver.cuMipmappedArrayGetLevel(&mut found, mipmapped, level)?;
        array.give(found)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeMipmappedArray(array: usize) -> Status {
    call(|runtime| if array == 0 { Ok(()) } else { runtime.driver.cuMipmappedArrayDestroy(array) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaArrayGetInfo(
    channels: Place<Channels>,
    extent: Place<Extent>,
    flags: Place<u32>,
    array: usize,
) -> Status {
    call(|runtime| {
        let told = Array3d::of(runtime, array)?;
        channels.offer(Channels::of(told.format, told.channels)?);
        extent.offer(Extent { width: told.width, height: told.height, depth: told.depth });
        flags.offer(told.flags);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetChannelDesc(channels: Place<Channels>, array: usize) -> Status {
    call(|runtime| {
        let told = Array3d::of(runtime, array)?;
        channels.give(Channels::of(told.format, told.channels)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaArrayGetMemoryRequirements(to: Pointer, array: usize, device: i32) -> Status {
    call(|runtime| runtime.driver.cuArrayGetMemoryRequirements(to, array, device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMipmappedArrayGetMemoryRequirements(to: Pointer, array: usize, device: i32) -> Status {
    call(|runtime| runtime.driver.cuMipmappedArrayGetMemoryRequirements(to, array, device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetTexture1DLinearMaxWidth(
    width: Place<usize>,
    channels: In<Channels>,
    device: i32,
) -> Status {
    call(|runtime| {
        let (format, count) = channels.read()?.format()?;
        runtime.driver.cuDeviceGetTexture1DLinearMaxWidth(width, format, count, device)
    })
}
