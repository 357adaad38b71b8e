//! Arrays of one level.

use super::device::check;
use super::layout::{Array2d, Array3d, Requirements};
use super::pass::{In, Out};
use super::{Status, call};
use crate::array::Array;
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::texture::texel;
use margay_isa::texture::Texels;

/// The attribute that says how many texels memory given as a line may have.
pub(super) const LINEAR_WIDTH: u32 = 69;
/// What textures in memory begin at multiples of.
const ALIGNMENT: usize = 512;

fn create(driver: &Driver, array: &Out<usize>, described: &Array3d) -> Answer {
    if array.is_null() {
        return Err(Code::INVALID_VALUE.into());
    }
    array.give(driver.create_array(described)?)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuArrayCreate_v2(array: Out<usize>, described: In<Array2d>) -> Status {
    call(|driver| {
        let Array2d { width, height, format, channels } = described.read()?;
        create(driver, &array, &Array3d { width, height, depth: 0, format, channels, flags: 0 })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuArray3DCreate_v2(array: Out<usize>, described: In<Array3d>) -> Status {
    call(|driver| create(driver, &array, &described.read()?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuArrayGetDescriptor_v2(to: Out<Array2d>, array: usize) -> Status {
    call(|driver| {
        let array = driver.handles.find::<Array>(array)?;
        let Array3d { width, height, format, channels, .. } = Array3d::of(&array.texels, array.flags);
        to.give(Array2d { width, height, format, channels })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuArray3DGetDescriptor_v2(to: Out<Array3d>, array: usize) -> Status {
    call(|driver| {
        let array = driver.handles.find::<Array>(array)?;
        to.give(Array3d::of(&array.texels, array.flags))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuArrayDestroy(array: usize) -> Status {
    call(|driver| driver.destroy_array(array))
}

impl Requirements {
    /// What memory texels need.
    pub(super) fn of(texels: &Texels) -> Requirements {
        Requirements { bytes: texels.bytes() as usize, alignment: ALIGNMENT, _reserved: [0; 4] }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuArrayGetMemoryRequirements(to: Out<Requirements>, array: usize, device: i32) -> Status {
    call(|driver| {
        check(device)?;
        to.give(Requirements::of(&driver.handles.find::<Array>(array)?.texels))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetTexture1DLinearMaxWidth(
    width: Out<usize>,
    format: u32,
    channels: u32,
    device: i32,
) -> Status {
    call(|driver| {
        check(device)?;
        texel::format(format)?;
        texel::channels(channels)?;
        let most = driver.device.attribute(LINEAR_WIDTH).ok_or(Failed::from(Code::INVALID_VALUE))?;
        width.give(most as usize)
    })
}
