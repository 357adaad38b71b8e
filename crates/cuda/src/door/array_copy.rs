//! Copies of bytes from and to arrays, one row after the other, and of boxes between devices.

use super::layout::Copy3d;
use super::pass::{Address, Host, In};
use super::{Status, call};
use crate::array::Array;
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::work::Work;

/// Where a line of bytes is: a kind of address, and the address.
type Place = (u32, Address);

/// Where some of an array's bytes are.
fn part(driver: &Driver, array: usize, offset: usize, bytes: usize) -> Answer<Place> {
    let texels = driver.handles.find::<Array>(array)?.texels;
    let end = (offset as u64).checked_add(bytes as u64);
    if end.is_none_or(|end| end > texels.bytes()) {
        let text = format!("{bytes} bytes at {offset} of an array of {} bytes", texels.bytes());
        return Err(Failed::because(Code::INVALID_VALUE, text));
    }
    Ok((Copy3d::DEVICE, Address::of(texels.address + offset as u64)))
}

/// Copies bytes from one place to another.
fn copy(stream: usize, bytes: usize, places: impl FnOnce(&Driver) -> Answer<[Place; 2]>) -> Status {
    call(|driver| {
        driver.give(stream, || {
            let [to, from] = places(driver)?;
            Ok(Work::Copy(Copy3d::line(to.0, to.1, from.0, from.1, bytes)))
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoA_v2(array: usize, offset: usize, from: Host, bytes: usize) -> Status {
    cuMemcpyHtoAAsync_v2(array, offset, from, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoAAsync_v2(
    array: usize,
    offset: usize,
    from: Host,
    bytes: usize,
    stream: usize,
) -> Status {
    let from = (Copy3d::HOST, from.into());
    copy(stream, bytes, |driver| Ok([part(driver, array, offset, bytes)?, from]))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAtoH_v2(to: Host, array: usize, offset: usize, bytes: usize) -> Status {
    cuMemcpyAtoHAsync_v2(to, array, offset, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAtoHAsync_v2(
    to: Host,
    array: usize,
    offset: usize,
    bytes: usize,
    stream: usize,
) -> Status {
    let to = (Copy3d::HOST, to.into());
    copy(stream, bytes, |driver| Ok([to, part(driver, array, offset, bytes)?]))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoA_v2(array: usize, offset: usize, from: u64, bytes: usize) -> Status {
    let from = (Copy3d::DEVICE, Address::of(from));
    copy(0, bytes, |driver| Ok([part(driver, array, offset, bytes)?, from]))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAtoD_v2(to: u64, array: usize, offset: usize, bytes: usize) -> Status {
    let to = (Copy3d::DEVICE, Address::of(to));
    copy(0, bytes, |driver| Ok([to, part(driver, array, offset, bytes)?]))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAtoA_v2(
    to: usize,
    to_offset: usize,
    from: usize,
    from_offset: usize,
    bytes: usize,
) -> Status {
    copy(0, bytes, |driver| {
        let texel = |array| driver.handles.find::<Array>(array).map(|array| array.texels.texel_bytes());
        let (own, other) = (texel(to)?, texel(from)?);
        if own != other || !bytes.is_multiple_of(own as usize) {
            let text = format!("{bytes} bytes of texels of {other} bytes copied to texels of {own}");
            return Err(Failed::because(Code::INVALID_VALUE, text));
        }
        Ok([part(driver, to, to_offset, bytes)?, part(driver, from, from_offset, bytes)?])
    })
}

/// The structure is that of other copies of boxes, with a context where those have nothing: there is one device.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy3DPeer(what: In<Copy3d>) -> Status {
    cuMemcpy3DPeerAsync(what, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy3DPeerAsync(what: In<Copy3d>, stream: usize) -> Status {
    super::copy::cuMemcpy3DAsync_v2(what, stream)
}
