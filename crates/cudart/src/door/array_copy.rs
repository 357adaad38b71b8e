//! Copies from and to arrays: of rows, and of bytes one row after the other.

use super::array::Array3d;
use super::copy::{ARRAY, Copy2d, DEVICE, sides};
use super::pass::Pointer;
use super::{Status, call};
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DToArray(
    to: usize,
    x: usize,
    y: usize,
    from: Pointer,
    pitch: usize,
    width: usize,
    height: usize,
    kind: u32,
) -> Status {
    cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DToArrayAsync(
    to: usize,
    x: usize,
    y: usize,
    from: Pointer,
    pitch: usize,
    width: usize,
    height: usize,
    kind: u32,
    stream: usize,
) -> Status {
    call(|runtime| {
        // Whatever the kind says of the array, it is on the device.
        let (_, from_kind) = sides(kind)?;
        if width > pitch {
            return Err(Code::INVALID_PITCH);
        }
        let what = Copy2d {
            from_kind,
            from_host: from,
            from_device: from,
            from_pitch: pitch,
            to_x: x,
            to_y: y,
            to_kind: ARRAY,
            to_array: to,
            width,
            height,
            ..Copy2d::NOTHING
        };
        runtime.driver.cuMemcpy2DAsync_v2(&what, stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DFromArray(
    to: Pointer,
    pitch: usize,
    from: usize,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    kind: u32,
) -> Status {
    cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DFromArrayAsync(
    to: Pointer,
    pitch: usize,
    from: usize,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    kind: u32,
    stream: usize,
) -> Status {
    call(|runtime| {
        let (to_kind, _) = sides(kind)?;
        if width > pitch {
            return Err(Code::INVALID_PITCH);
        }
        let what = Copy2d {
            from_x: x,
            from_y: y,
            from_kind: ARRAY,
            from_array: from,
            to_kind,
            to_host: to,
            to_device: to,
            to_pitch: pitch,
            width,
            height,
            ..Copy2d::NOTHING
        };
        runtime.driver.cuMemcpy2DAsync_v2(&what, stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DArrayToArray(
    to: usize,
    to_x: usize,
    to_y: usize,
    from: usize,
    from_x: usize,
    from_y: usize,
    width: usize,
    height: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        sides(kind)?;
        let what = Copy2d {
            from_x,
            from_y,
            from_kind: ARRAY,
            from_array: from,
            to_x,
            to_y,
            to_kind: ARRAY,
            to_array: to,
            width,
            height,
            ..Copy2d::NOTHING
        };
        runtime.driver.cuMemcpy2DAsync_v2(&what, 0)
    })
}

/// How far a row's byte lies behind the first byte of an array.
fn offset(runtime: &Runtime, array: usize, x: usize, y: usize) -> Answer<usize> {
    let told = Array3d::of(runtime, array)?;
    let row = told.width * told.texel()?;
    y.checked_mul(row).and_then(|rows| rows.checked_add(x)).ok_or(Code::INVALID_VALUE)
}

/// The driver takes memory of both as the host's: what is to be the device's must be.
fn check(runtime: &Runtime, kind: u32, address: Pointer) -> Answer {
    const ORDINAL: u32 = 9;
    if kind != DEVICE {
        return Ok(());
    }
    runtime.driver.cuPointerGetAttribute(&mut 0, ORDINAL, address.address())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToArray(
    to: usize,
    x: usize,
    y: usize,
    from: Pointer,
    bytes: usize,
    kind: u32,
) -> Status {
    cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToArrayAsync(
    to: usize,
    x: usize,
    y: usize,
    from: Pointer,
    bytes: usize,
    kind: u32,
    stream: usize,
) -> Status {
    call(|runtime| {
        let (_, from_kind) = sides(kind)?;
        check(runtime, from_kind, from)?;
        runtime.driver.cuMemcpyHtoAAsync_v2(to, offset(runtime, to, x, y)?, from, bytes, stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromArray(
    to: Pointer,
    from: usize,
    x: usize,
    y: usize,
    bytes: usize,
    kind: u32,
) -> Status {
    cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromArrayAsync(
    to: Pointer,
    from: usize,
    x: usize,
    y: usize,
    bytes: usize,
    kind: u32,
    stream: usize,
) -> Status {
    call(|runtime| {
        let (to_kind, _) = sides(kind)?;
        check(runtime, to_kind, to)?;
        runtime.driver.cuMemcpyAtoHAsync_v2(to, from, offset(runtime, from, x, y)?, bytes, stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyArrayToArray(
    to: usize,
    to_x: usize,
    to_y: usize,
    from: usize,
    from_x: usize,
    from_y: usize,
    bytes: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        sides(kind)?;
        let (at, behind) = (offset(runtime, to, to_x, to_y)?, offset(runtime, from, from_x, from_y)?);
        runtime.driver.cuMemcpyAtoA_v2(to, at, from, behind, bytes)
    })
}
