//! Arrays of several levels.

use super::device::check;
use super::layout::{Array3d, Requirements};
use super::pass::{In, Out};
use super::{Status, call};
use crate::array::Mipmapped;
use crate::results::Code;

#[unsafe(no_mangle)]
pub extern "C" fn cuMipmappedArrayCreate(array: Out<usize>, described: In<Array3d>, levels: u32) -> Status {
    call(|driver| {
        let described = described.read()?;
        if array.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        array.give(driver.create_mipmapped(&described, levels)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMipmappedArrayGetLevel(array: Out<usize>, mipmapped: usize, level: u32) -> Status {
    call(|driver| {
        let mipmapped = driver.handles.find::<Mipmapped>(mipmapped)?;
        array.give(driver.level_of(&mipmapped, level)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMipmappedArrayDestroy(array: usize) -> Status {
    call(|driver| driver.destroy_mipmapped(array))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMipmappedArrayGetMemoryRequirements(
    to: Out<Requirements>,
    array: usize,
    device: i32,
) -> Status {
    call(|driver| {
        check(device)?;
        to.give(Requirements::of(&driver.handles.find::<Mipmapped>(array)?.texels))
    })
}
