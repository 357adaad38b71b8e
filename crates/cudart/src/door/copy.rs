//! Copies: of bytes, of rows, of boxes.

use super::memory::Extent;
use super::pass::{In, Pointer};
use super::{Status, call};
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;

/// `cudaMemcpyKind`.
pub const HOST_TO_HOST: u32 = 0;
pub const HOST_TO_DEVICE: u32 = 1;
pub const DEVICE_TO_HOST: u32 = 2;
pub const DEVICE_TO_DEVICE: u32 = 3;
pub const BY_ADDRESS: u32 = 4;

/// Copies bytes.
pub fn linear(
    runtime: &Runtime,
    to: Pointer,
    from: Pointer,
    bytes: usize,
    kind: u32,
    stream: usize,
) -> Answer {
    let driver = &runtime.driver;
    match kind {
        HOST_TO_HOST | BY_ADDRESS => driver.cuMemcpyAsync(to, from, bytes, stream),
        HOST_TO_DEVICE => driver.cuMemcpyHtoDAsync_v2(to, from, bytes, stream),
        DEVICE_TO_HOST => driver.cuMemcpyDtoHAsync_v2(to, from, bytes, stream),
        DEVICE_TO_DEVICE => driver.cuMemcpyDtoDAsync_v2(to, from, bytes, stream),
        _ => Err(Code::INVALID_DIRECTION),
    }
}

/// The driver's kinds of memory.
const HOST: u32 = 1;
const DEVICE: u32 = 2;
const UNIFIED: u32 = 4;

/// The kinds of memory that a copy goes to and comes from.
fn sides(kind: u32) -> Answer<(u32, u32)> {
    match kind {
        HOST_TO_HOST => Ok((HOST, HOST)),
        HOST_TO_DEVICE => Ok((DEVICE, HOST)),
        DEVICE_TO_HOST => Ok((HOST, DEVICE)),
        DEVICE_TO_DEVICE => Ok((DEVICE, DEVICE)),
        BY_ADDRESS => Ok((UNIFIED, UNIFIED)),
        _ => Err(Code::INVALID_DIRECTION),
    }
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
pub struct Copy2d {
    from_x: usize,
    from_y: usize,
    from_kind: u32,
    from_host: Pointer,
    from_device: Pointer,
    from_array: usize,
    from_pitch: usize,
    to_x: usize,
    to_y: usize,
    to_kind: u32,
    to_host: Pointer,
    to_device: Pointer,
    to_array: usize,
    to_pitch: usize,
    width: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
pub struct Copy3d {
    from_x: usize,
    from_y: usize,
    from_z: usize,
    from_lod: usize,
    from_kind: u32,
    from_host: Pointer,
    from_device: Pointer,
    from_array: usize,
    from_nothing: usize,
    from_pitch: usize,
    from_height: usize,
    to_x: usize,
    to_y: usize,
    to_z: usize,
    to_lod: usize,
    to_kind: u32,
    to_host: Pointer,
    to_device: Pointer,
    to_array: usize,
    to_nothing: usize,
    to_pitch: usize,
    to_height: usize,
    width: usize,
    height: usize,
    depth: usize,
}

/// `cudaPitchedPtr`, of either side.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pitched {
    address: Pointer,
    pitch: usize,
    _width: usize,
    height: usize,
}

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Parameters3d {
    from_array: usize,
    from_at: [usize; 3],
    from: Pitched,
    to_array: usize,
    to_at: [usize; 3],
    to: Pitched,
    extent: Extent,
    kind: u32,
}

impl Parameters3d {
    pub(super) fn for_driver(self) -> Answer<Copy3d> {
        let Parameters3d { from_array, from_at, from, to_array, to_at, to, extent, kind } = self;
        let (to_kind, from_kind) = sides(kind)?;
        if from_array != 0 || to_array != 0 {
            super::tell("margay: copies of arrays are not supported\n");
            return Err(Code::NOT_SUPPORTED);
        }
        Ok(Copy3d {
            from_x: from_at[0],
            from_y: from_at[1],
            from_z: from_at[2],
            from_kind,
            from_host: from.address,
            from_device: from.address,
            from_pitch: from.pitch,
            from_height: from.height,
            to_x: to_at[0],
            to_y: to_at[1],
            to_z: to_at[2],
            to_kind,
            to_host: to.address,
            to_device: to.address,
            to_pitch: to.pitch,
            to_height: to.height,
            width: extent.width,
            height: extent.height,
            depth: extent.depth,
            ..Copy3d::NOTHING
        })
    }

    /// What the driver tells of a copy.
    pub(super) fn of(copy: &Copy3d) -> Parameters3d {
        let side = |kind: u32, host: Pointer, device: Pointer| if kind == HOST { host } else { device };
        let kind = match (copy.from_kind, copy.to_kind) {
            (HOST, HOST) => HOST_TO_HOST,
            (HOST, DEVICE) => HOST_TO_DEVICE,
            (DEVICE, HOST) => DEVICE_TO_HOST,
            (DEVICE, DEVICE) => DEVICE_TO_DEVICE,
            _ => BY_ADDRESS,
        };
        Parameters3d {
            from_array: copy.from_array,
            from_at: [copy.from_x, copy.from_y, copy.from_z],
            from: Pitched {
                address: side(copy.from_kind, copy.from_host, copy.from_device),
                pitch: copy.from_pitch,
                _width: copy.width,
                height: copy.from_height,
            },
            to_array: copy.to_array,
            to_at: [copy.to_x, copy.to_y, copy.to_z],
            to: Pitched {
                address: side(copy.to_kind, copy.to_host, copy.to_device),
                pitch: copy.to_pitch,
                _width: copy.width,
                height: copy.to_height,
            },
            extent: Extent { width: copy.width, height: copy.height, depth: copy.depth },
            kind,
        }
    }
}

impl Copy3d {
    pub(super) const NOTHING: Copy3d = Copy3d {
        from_x: 0,
        from_y: 0,
        from_z: 0,
        from_lod: 0,
        from_kind: 0,
        from_host: Pointer::NULL,
        from_device: Pointer::NULL,
        from_array: 0,
        from_nothing: 0,
        from_pitch: 0,
        from_height: 0,
        to_x: 0,
        to_y: 0,
        to_z: 0,
        to_lod: 0,
        to_kind: 0,
        to_host: Pointer::NULL,
        to_device: Pointer::NULL,
        to_array: 0,
        to_nothing: 0,
        to_pitch: 0,
        to_height: 0,
        width: 0,
        height: 0,
        depth: 0,
    };

    /// Bytes one after the other.
    pub(super) fn row(to: Pointer, from: Pointer, bytes: usize, kind: u32) -> Answer<Copy3d> {
        let (to_kind, from_kind) = sides(kind)?;
        Ok(Copy3d {
            from_kind,
            from_host: from,
            from_device: from,
            to_kind,
            to_host: to,
            to_device: to,
            width: bytes,
            height: 1,
            depth: 1,
            ..Copy3d::NOTHING
        })
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy(to: Pointer, from: Pointer, bytes: usize, kind: u32) -> Status {
    cudaMemcpyAsync(to, from, bytes, kind, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyAsync(
    to: Pointer,
    from: Pointer,
    bytes: usize,
    kind: u32,
    stream: usize,
) -> Status {
    call(|runtime| linear(runtime, to, from, bytes, kind, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyPeer(
    to: Pointer,
    to_device: i32,
    from: Pointer,
    from_device: i32,
    bytes: usize,
) -> Status {
    cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyPeerAsync(
    to: Pointer,
    to_device: i32,
    from: Pointer,
    from_device: i32,
    bytes: usize,
    stream: usize,
) -> Status {
    call(|runtime| {
        runtime.check(to_device)?;
        runtime.check(from_device)?;
        linear(runtime, to, from, bytes, DEVICE_TO_DEVICE, stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2D(
    to: Pointer,
    to_pitch: usize,
    from: Pointer,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: u32,
) -> Status {
    cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DAsync(
    to: Pointer,
    to_pitch: usize,
    from: Pointer,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: u32,
    stream: usize,
) -> Status {
    call(|runtime| {
        let (to_kind, from_kind) = sides(kind)?;
        if width > to_pitch || width > from_pitch {
            return Err(Code::INVALID_PITCH);
        }
        let what = Copy2d {
            from_x: 0,
            from_y: 0,
            from_kind,
            from_host: from,
            from_device: from,
            from_array: 0,
            from_pitch,
            to_x: 0,
            to_y: 0,
            to_kind,
            to_host: to,
            to_device: to,
            to_array: 0,
            to_pitch,
            width,
            height,
        };
        runtime.driver.cuMemcpy2DAsync_v2(&what, stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3D(parameters: In<Parameters3d>) -> Status {
    cudaMemcpy3DAsync(parameters, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3DAsync(parameters: In<Parameters3d>, stream: usize) -> Status {
    call(|runtime| runtime.driver.cuMemcpy3DAsync_v2(&parameters.read()?.for_driver()?, stream))
}
