//! Copies. They are done when the call returns.

use super::layout::{Copy2d, Copy3d};
use super::pass::{Address, Host, In};
use super::{Status, call};
use crate::work::Work;

impl Copy3d {
    /// So many bytes one after the other, from and to where the kinds of addresses say.
    pub(super) fn line(to_kind: u32, to: Address, from_kind: u32, from: Address, bytes: usize) -> Copy3d {
        let [to_host, from_host] = [to, from].map(Address::host);
        Copy3d {
            from_x: 0,
            from_y: 0,
            from_z: 0,
            from_lod: 0,
            from_kind,
            from_host,
            from_device: from,
            from_array: 0,
            from_nothing: 0,
            from_pitch: 0,
            from_height: 0,
            to_x: 0,
            to_y: 0,
            to_z: 0,
            to_lod: 0,
            to_kind,
            to_host,
            to_device: to,
            to_array: 0,
            to_nothing: 0,
            to_pitch: 0,
            to_height: 0,
            width: bytes,
            height: 1,
            depth: 1,
        }
    }

    /// The same as a copy of one layer.
    fn flat(c: &Copy2d) -> Copy3d {
        Copy3d {
            from_x: c.from_x,
            from_y: c.from_y,
            from_z: 0,
            from_lod: 0,
            from_kind: c.from_kind,
            from_host: c.from_host,
            from_device: c.from_device,
            from_array: c.from_array,
            from_nothing: 0,
            from_pitch: c.from_pitch,
            from_height: 0,
            to_x: c.to_x,
            to_y: c.to_y,
            to_z: 0,
            to_lod: 0,
            to_kind: c.to_kind,
            to_host: c.to_host,
            to_device: c.to_device,
            to_array: c.to_array,
            to_nothing: 0,
            to_pitch: c.to_pitch,
            to_height: 0,
            width: c.width,
            height: c.height,
            depth: 1,
        }
    }
}

fn copy(to: (u32, Address), from: (u32, Address), bytes: usize, stream: usize) -> Status {
    call(|driver| driver.give(stream, || Ok(Work::Copy(Copy3d::line(to.0, to.1, from.0, from.1, bytes)))))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoD_v2(to: u64, from: Host, bytes: usize) -> Status {
    cuMemcpyHtoDAsync_v2(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoDAsync_v2(to: u64, from: Host, bytes: usize, stream: usize) -> Status {
    copy((Copy3d::DEVICE, Address::of(to)), (Copy3d::HOST, from.into()), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoH_v2(to: Host, from: u64, bytes: usize) -> Status {
    cuMemcpyDtoHAsync_v2(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoHAsync_v2(to: Host, from: u64, bytes: usize, stream: usize) -> Status {
    copy((Copy3d::HOST, to.into()), (Copy3d::DEVICE, Address::of(from)), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) -> Status {
    cuMemcpyDtoDAsync_v2(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) -> Status {
    copy((Copy3d::DEVICE, Address::of(to)), (Copy3d::DEVICE, Address::of(from)), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy(to: Address, from: Address, bytes: usize) -> Status {
    cuMemcpyAsync(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAsync(to: Address, from: Address, bytes: usize, stream: usize) -> Status {
    copy((Copy3d::UNIFIED, to), (Copy3d::UNIFIED, from), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyPeer(
    to: u64,
    _to_context: usize,
    from: u64,
    _from_context: usize,
    bytes: usize,
) -> Status {
    cuMemcpyDtoD_v2(to, from, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyPeerAsync(
    to: u64,
    _to_context: usize,
    from: u64,
    _from_context: usize,
    bytes: usize,
    stream: usize,
) -> Status {
    cuMemcpyDtoDAsync_v2(to, from, bytes, stream)
}

fn copy_2d(what: In<Copy2d>, stream: usize) -> Status {
    call(|driver| driver.give(stream, || Ok(Work::Copy(Copy3d::flat(&what.read()?)))))
}

fn copy_3d(what: In<Copy3d>, stream: usize) -> Status {
    call(|driver| driver.give(stream, || Ok(Work::Copy(what.read()?))))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy2D_v2(what: In<Copy2d>) -> Status {
    copy_2d(what, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy2DUnaligned_v2(what: In<Copy2d>) -> Status {
    copy_2d(what, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy2DAsync_v2(what: In<Copy2d>, stream: usize) -> Status {
    copy_2d(what, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy3D_v2(what: In<Copy3d>) -> Status {
    copy_3d(what, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy3DAsync_v2(what: In<Copy3d>, stream: usize) -> Status {
    copy_3d(what, stream)
}
