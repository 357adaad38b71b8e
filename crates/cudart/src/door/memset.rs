//! Memory that is filled with a byte.

use super::memory::{Extent, Pitched};
use super::pass::Pointer;
use super::{Status, call};

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset(address: Pointer, value: i32, bytes: usize) -> Status {
    cudaMemsetAsync(address, value, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemsetAsync(address: Pointer, value: i32, bytes: usize, stream: usize) -> Status {
    call(|runtime| match bytes {
        0 => Ok(()),
        _ => runtime.driver.cuMemsetD8Async(address.address(), value as u8, bytes, stream),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2D(
    address: Pointer,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
) -> Status {
    cudaMemset2DAsync(address, pitch, value, width, height, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2DAsync(
    address: Pointer,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
    stream: usize,
) -> Status {
    call(|runtime| match width == 0 || height == 0 {
        true => Ok(()),
        false => {
            runtime.driver.cuMemsetD2D8Async(address.address(), pitch, value as u8, width, height, stream)
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3D(to: Pitched, value: i32, extent: Extent) -> Status {
    cudaMemset3DAsync(to, value, extent, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3DAsync(to: Pitched, value: i32, extent: Extent, stream: usize) -> Status {
    call(|runtime| {
        let Extent { width, height, depth } = extent;
        if width == 0 || height == 0 {
            return Ok(());
        }
        let layer = (to.pitch as u64).wrapping_mul(to.height as u64);
        (0..depth as u64).try_for_each(|k| {
            let address = to.address.wrapping_add(k.wrapping_mul(layer));
            runtime.driver.cuMemsetD2D8Async(address, to.pitch, value as u8, width, height, stream)
        })
    })
}
