//! Copies. They are done when the call returns.

use super::layout::{Copy2d, Copy3d};
use super::pass::{Address, Host, In};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::transfer::Side;
use crate::work::Work;

/// Where a side of a rectangular copy is: memory of the host, of the device, an array, or either of the first two.
const HOST: u32 = 1;
const DEVICE: u32 = 2;
const UNIFIED: u32 = 4;

/// One side of a copy of rectangles: where it begins, and how far apart rows and layers are.
struct Corner {
    side: Side,
    start: u64,
    row: u64,
    layer: u64,
}

impl Copy3d {
    /// So many bytes one after the other, from and to where the kinds of addresses say.
    fn line(to_kind: u32, to: Address, from_kind: u32, from: Address, bytes: usize) -> Copy3d {
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

    /// How many bytes are copied.
    pub fn bytes(&self) -> u64 {
        [self.width, self.height, self.depth].iter().fold(1, |bytes, n| bytes.saturating_mul(*n as u64))
    }

    fn size(&self) -> [usize; 3] {
        [self.width, self.height, self.depth]
    }

    /// Where it goes, and where it comes from.
    fn corners(&self, driver: &Driver) -> Answer<[Corner; 2]> {
        let from = side(driver, self.from_kind, self.from_host, self.from_device)?;
        let to = side(driver, self.to_kind, self.to_host, self.to_device)?;
        let at = [self.from_x, self.from_y, self.from_z];
        let from = corner(from, at, self.from_pitch, self.from_height, self.size())?;
        let at = [self.to_x, self.to_y, self.to_z];
        Ok([corner(to, at, self.to_pitch, self.to_height, self.size())?, from])
    }

    /// Whether there is such a copy.
    pub fn check(&self, driver: &Driver) -> Answer {
        self.corners(driver).map(|_| ())
    }

    /// Does it.
    pub fn carry_out(&self, driver: &Driver) -> Answer {
        let [to, from] = self.corners(driver)?;
        if self.width == 0 { Ok(()) } else { copy_rows(driver, &to, &from, self.size()) }
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
    copy((DEVICE, Address::of(to)), (HOST, from.into()), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoH_v2(to: Host, from: u64, bytes: usize) -> Status {
    cuMemcpyDtoHAsync_v2(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoHAsync_v2(to: Host, from: u64, bytes: usize, stream: usize) -> Status {
    copy((HOST, to.into()), (DEVICE, Address::of(from)), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) -> Status {
    cuMemcpyDtoDAsync_v2(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) -> Status {
    copy((DEVICE, Address::of(to)), (DEVICE, Address::of(from)), bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy(to: Address, from: Address, bytes: usize) -> Status {
    cuMemcpyAsync(to, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAsync(to: Address, from: Address, bytes: usize, stream: usize) -> Status {
    copy((UNIFIED, to), (UNIFIED, from), bytes, stream)
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
