//! Copies. They are done when the call returns.

use super::pass::{Address, Host, In};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::transfer::Side;

/// Where a side of a rectangular copy is: memory of the host, of the device, an array, or either of the first two.
const HOST: u32 = 1;
const DEVICE: u32 = 2;
const UNIFIED: u32 = 4;

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy2d {
    from_x: usize,
    from_y: usize,
    from_kind: u32,
    from_host: Host,
    from_device: Address,
    from_array: usize,
    from_pitch: usize,
    to_x: usize,
    to_y: usize,
    to_kind: u32,
    to_host: Host,
    to_device: Address,
    to_array: usize,
    to_pitch: usize,
    width: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy3d {
    from_x: usize,
    from_y: usize,
    from_z: usize,
    from_lod: usize,
    from_kind: u32,
    from_host: Host,
    from_device: Address,
    from_array: usize,
    from_nothing: usize,
    from_pitch: usize,
    from_height: usize,
    to_x: usize,
    to_y: usize,
    to_z: usize,
    to_lod: usize,
    to_kind: u32,
    to_host: Host,
    to_device: Address,
    to_array: usize,
    to_nothing: usize,
    to_pitch: usize,
    to_height: usize,
    width: usize,
    height: usize,
    depth: usize,
}

/// One side of a copy of rectangles: where it begins, and how far apart rows and layers are.
struct Corner {
    side: Side,
    start: u64,
    row: u64,
    layer: u64,
}

fn copy(
    to: impl FnOnce(&Driver) -> Side,
    from: impl FnOnce(&Driver) -> Side,
    bytes: usize,
    stream: usize,
) -> Status {
    call(|driver| {
        driver.enqueue(stream)?;
        if bytes == 0 { Ok(()) } else { driver.copy(to(driver), from(driver), bytes as u64) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoD_v2(to: u64, from: Host, bytes: usize) -> Status {
    cuMemcpyHtoDAsync_v2(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoDAsync_v2(to: u64, from: Host, bytes: usize, stream: usize) -> Status {
    copy(|_| Side::Device(to), |driver| driver.side_of(from), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoH_v2(to: Host, from: u64, bytes: usize) -> Status {
    cuMemcpyDtoHAsync_v2(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoHAsync_v2(to: Host, from: u64, bytes: usize, stream: usize) -> Status {
    copy(|driver| driver.side_of(to), |_| Side::Device(from), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) -> Status {
    cuMemcpyDtoDAsync_v2(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) -> Status {
    copy(|_| Side::Device(to), |_| Side::Device(from), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy(to: Address, from: Address, bytes: usize) -> Status {
    cuMemcpyAsync(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAsync(to: Address, from: Address, bytes: usize, stream: usize) -> Status {
    copy(|driver| driver.side(to), |driver| driver.side(from), bytes, stream)
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

fn side(driver: &Driver, kind: u32, host: Host, device: Address) -> Answer<Side> {
    match kind {
        HOST => Ok(driver.side_of(host)),
        DEVICE => Ok(Side::Device(device.number())),
        UNIFIED => Ok(driver.side(device)),
        _ => Err(Failed::because(Code::NOT_SUPPORTED, "copies from and to arrays are not supported")),
    }
}

/// Copies rows of so many bytes.
fn copy_rows(driver: &Driver, to: &Corner, from: &Corner, [width, height, depth]: [usize; 3]) -> Answer {
    let skip = |corner: &Corner, row: u64, layer: u64| {
        let skip = corner.row.checked_mul(row)?.checked_add(corner.layer.checked_mul(layer)?)?;
        let at = corner.start.checked_add(skip)?;
        match corner.side {
            Side::Device(address) => address.checked_add(at).map(Side::Device),
            Side::Host(host) => Some(Side::Host(host.further(at))),
        }
    };
    for (layer, row) in (0..depth as u64).flat_map(|layer| (0..height as u64).map(move |row| (layer, row))) {
        let sides = skip(to, row, layer).zip(skip(from, row, layer));
        let (to, from) = sides.ok_or(Failed::from(Code::INVALID_VALUE))?;
        driver.copy(to, from, width as u64)?;
    }
    Ok(())
}

/// The corner of a side; rows may not overlap.
fn corner(side: Side, [x, y, z]: [usize; 3], pitch: usize, rows: usize, size: [usize; 3]) -> Answer<Corner> {
    let [width, height, depth] = size;
    let row = if pitch == 0 { width } else { pitch };
    let layer = row.checked_mul(if rows == 0 { height } else { rows });
    let layer = layer.ok_or(Failed::from(Code::INVALID_VALUE))?;
    if height > 1 && row < width.saturating_add(x) || depth > 1 && layer < row.saturating_mul(height) {
        return Err(Code::INVALID_VALUE.into());
    }
    let rows = y.checked_mul(row).zip(z.checked_mul(layer));
    let start = rows.and_then(|(rows, layers)| rows.checked_add(layers)?.checked_add(x));
    let start = start.ok_or(Failed::from(Code::INVALID_VALUE))? as u64;
    Ok(Corner { side, start, row: row as u64, layer: layer as u64 })
}

fn copy_2d(what: In<Copy2d>, stream: usize) -> Status {
    call(|driver| {
        driver.enqueue(stream)?;
        let c = what.read()?;
        let size = [c.width, c.height, 1];
        let from = side(driver, c.from_kind, c.from_host, c.from_device)?;
        let to = side(driver, c.to_kind, c.to_host, c.to_device)?;
        let from = corner(from, [c.from_x, c.from_y, 0], c.from_pitch, 0, size)?;
        let to = corner(to, [c.to_x, c.to_y, 0], c.to_pitch, 0, size)?;
        if c.width == 0 { Ok(()) } else { copy_rows(driver, &to, &from, size) }
    })
}

fn copy_3d(what: In<Copy3d>, stream: usize) -> Status {
    call(|driver| {
        driver.enqueue(stream)?;
        let c = what.read()?;
        let size = [c.width, c.height, c.depth];
        let from = side(driver, c.from_kind, c.from_host, c.from_device)?;
        let to = side(driver, c.to_kind, c.to_host, c.to_device)?;
        let from = corner(from, [c.from_x, c.from_y, c.from_z], c.from_pitch, c.from_height, size)?;
        let to = corner(to, [c.to_x, c.to_y, c.to_z], c.to_pitch, c.to_height, size)?;
        if c.width == 0 { Ok(()) } else { copy_rows(driver, &to, &from, size) }
    })
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
