//! Copies: of bytes, of rows, of boxes.

use super::array::Array3d;
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
pub(super) const DEVICE: u32 = 2;
pub(super) const ARRAY: u32 = 3;
const UNIFIED: u32 = 4;

/// The kinds of memory that a copy goes to and comes from.
pub(super) fn sides(kind: u32) -> Answer<(u32, u32)> {
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
    pub(super) from_x: usize,
    pub(super) from_y: usize,
    pub(super) from_kind: u32,
    pub(super) from_host: Pointer,
    pub(super) from_device: Pointer,
    pub(super) from_array: usize,
    pub(super) from_pitch: usize,
    pub(super) to_x: usize,
    pub(super) to_y: usize,
    pub(super) to_kind: u32,
    pub(super) to_host: Pointer,
    pub(super) to_device: Pointer,
    pub(super) to_array: usize,
    pub(super) to_pitch: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Copy2d {
    pub(super) const NOTHING: Copy2d = Copy2d {
        from_x: 0,
        from_y: 0,
        from_kind: 0,
        from_host: Pointer::NULL,
        from_device: Pointer::NULL,
        from_array: 0,
        from_pitch: 0,
        to_x: 0,
        to_y: 0,
        to_kind: 0,
        to_host: Pointer::NULL,
        to_device: Pointer::NULL,
        to_array: 0,
        to_pitch: 0,
        width: 0,
        height: 0,
    };
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

/// `cudaMemcpy3DPeerParms`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PeerParameters3d {
    from_array: usize,
    from_at: [usize; 3],
    from: Pitched,
    from_device: i32,
    to_array: usize,
    to_at: [usize; 3],
    to: Pitched,
    to_device: i32,
    extent: Extent,
}

impl PeerParameters3d {
    /// The same as a copy within the one device.
    fn within(self, runtime: &Runtime) -> Answer<Parameters3d> {
        let PeerParameters3d { from_array, from_at, from, to_array, to_at, to, extent, .. } = self;
        runtime.check(self.from_device)?;
        runtime.check(self.to_device)?;
        Ok(Parameters3d { from_array, from_at, from, to_array, to_at, to, extent, kind: DEVICE_TO_DEVICE })
    }
}

/// Bytes of what a side counts along a row: texels of an array, bytes of memory.
fn element(runtime: &Runtime, array: usize) -> Answer<usize> {
    if array == 0 { Ok(1) } else { Array3d::of(runtime, array)?.texel() }
}

impl Parameters3d {
    pub(super) fn for_driver(self, runtime: &Runtime) -> Answer<Copy3d> {
        let Parameters3d { from_array, from_at, from, to_array, to_at, to, extent, kind } = self;
        let (to_kind, from_kind) = sides(kind)?;
        let is_twice = |array: usize, memory: Pointer| array != 0 && !memory.is_null();
        let [from_element, to_element] = [element(runtime, from_array)?, element(runtime, to_array)?];
        let is_mixed = from_array != 0 && to_array != 0 && from_element != to_element;
        if is_twice(from_array, from.address) || is_twice(to_array, to.address) || is_mixed {
            return Err(Code::INVALID_VALUE);
        }
        let times = |count: usize, bytes: usize| count.checked_mul(bytes).ok_or(Code::INVALID_VALUE);
        // Whatever the kind says of an array, it is on the device.
        let kind_of = |array: usize, kind: u32| if array == 0 { kind } else { ARRAY };
        Ok(Copy3d {
            from_x: times(from_at[0], from_element)?,
            from_y: from_at[1],
            from_z: from_at[2],
            from_kind: kind_of(from_array, from_kind),
            from_array,
            from_host: from.address,
            from_device: from.address,
            from_pitch: from.pitch,
            from_height: from.height,
            to_x: times(to_at[0], to_element)?,
            to_y: to_at[1],
            to_z: to_at[2],
            to_kind: kind_of(to_array, to_kind),
            to_array,
            to_host: to.address,
            to_device: to.address,
            to_pitch: to.pitch,
            to_height: to.height,
            width: times(extent.width, from_element.max(to_element))?,
            height: extent.height,
            depth: extent.depth,
            ..Copy3d::NOTHING
        })
    }

    /// What the driver tells of a copy.
    pub(super) fn of(runtime: &Runtime, copy: &Copy3d) -> Answer<Parameters3d> {
        let side = |kind: u32, host: Pointer, device: Pointer| match kind {
            HOST => host,
            ARRAY => Pointer::NULL,
            _ => device,
        };
        let array = |kind: u32, array: usize| if kind == ARRAY { array } else { 0 };
        let from_array = array(copy.from_kind, copy.from_array);
        let to_array = array(copy.to_kind, copy.to_array);
        let [from_element, to_element] = [element(runtime, from_array)?, element(runtime, to_array)?];
        let place = |kind: u32| if kind == ARRAY { DEVICE } else { kind };
        let kind = match (place(copy.from_kind), place(copy.to_kind)) {
            (HOST, HOST) => HOST_TO_HOST,
            (HOST, DEVICE) => HOST_TO_DEVICE,
            (DEVICE, HOST) => DEVICE_TO_HOST,
            (DEVICE, DEVICE) => DEVICE_TO_DEVICE,
            _ => BY_ADDRESS,
        };
        Ok(Parameters3d {
            from_array,
            from_at: [copy.from_x / from_element, copy.from_y, copy.from_z],
            from: Pitched {
                address: side(copy.from_kind, copy.from_host, copy.from_device),
                pitch: copy.from_pitch,
                _width: copy.width,
                height: copy.from_height,
            },
            to_array,
            to_at: [copy.to_x / to_element, copy.to_y, copy.to_z],
            to: Pitched {
                address: side(copy.to_kind, copy.to_host, copy.to_device),
                pitch: copy.to_pitch,
                _width: copy.width,
                height: copy.to_height,
            },
            extent: Extent {
                width: copy.width / from_element.max(to_element),
                height: copy.height,
                depth: copy.depth,
            },
            kind,
        })
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
            from_kind,
            from_host: from,
            from_device: from,
            from_pitch,
            to_kind,
            to_host: to,
            to_device: to,
            to_pitch,
            width,
            height,
            ..Copy2d::NOTHING
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
    call(|runtime| runtime.driver.cuMemcpy3DAsync_v2(&parameters.read()?.for_driver(runtime)?, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3DPeer(parameters: In<PeerParameters3d>) -> Status {
    cudaMemcpy3DPeerAsync(parameters, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3DPeerAsync(parameters: In<PeerParameters3d>, stream: usize) -> Status {
    call(|runtime| {
        let within = parameters.read()?.within(runtime)?;
        runtime.driver.cuMemcpy3DAsync_v2(&within.for_driver(runtime)?, stream)
    })
}
