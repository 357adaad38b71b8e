//! What lies at an address.

use super::pass::{Host, In};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::places::{Kind, Place};
use crate::results::Code;

/// Memory of the host and of the device, as `cuda.h` numbers them.
const HOST: u32 = 1;
const DEVICE: u32 = 2;
/// Reading and writing.
const ACCESS: u32 = 3;
/// The number after the last attribute.
const ATTRIBUTES: u32 = 22;

/// An attribute as bytes of its type; none if the address has no such attribute.
fn attribute(driver: &Driver, number: u32, address: u64, found: Option<(u64, Place)>) -> Option<Vec<u8>> {
    let (start, place) = found?;
    let is_device = !place.kind.is_host();
    let word = |value: u32| Some(value.to_le_bytes().to_vec());
    let long = |value: u64| Some(value.to_le_bytes().to_vec());
    let flag = |value: bool| Some(vec![u8::from(value), 0, 0, 0]);
    match number {
        1 => long(if place.context == 0 { driver.primary().handle } else { place.context } as u64),
        2 => word(if is_device { DEVICE } else { HOST }),
        3 => long(address),
        4 => (!is_device || place.kind.is_managed()).then(|| address.to_le_bytes().to_vec()),
        6 | 15 => flag(false),
        // Whether other processes can have it by `cuIpcGetMemHandle`.
        10 => flag(place.kind == Kind::Device),
        7 | 20 => long(place.id),
        8 => flag(place.kind.is_managed()),
        9 => word(0),
        11 | 19 => long(start),
        12 | 18 => long(place.bytes),
        13 => flag(true),
        14 => long(0),
        16 => word(ACCESS),
        17 => match place.kind {
            Kind::Pooled(pool) => long(pool as u64),
            _ => long(0),
        },
        21 => flag(false),
        _ => None,
    }
}

/// How many bytes an attribute has.
fn width(number: u32) -> usize {
    match number {
        1 | 3 | 4 | 7 | 11 | 12 | 14 | 17..=20 => 8,
        _ => 4,
    }
}

/// Puts an attribute where the program wants it; flags are one byte there or four, as their type is.
fn give(mut to: Host, bytes: &[u8]) -> Answer {
    to.bytes_mut(0, bytes.len() as u64)?.copy_from_slice(bytes);
    Ok(())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuPointerGetAttribute(to: Host, number: u32, address: u64) -> Status {
    call(|driver| {
        if !(1..ATTRIBUTES).contains(&number) {
            return Err(Code::INVALID_VALUE.into());
        }
        let found = driver.places().around(address);
        let value = attribute(driver, number, address, found).ok_or(Failed::from(Code::INVALID_VALUE))?;
        give(to, &value)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuPointerGetAttributes(count: u32, numbers: In<u32>, to: In<Host>, address: u64) -> Status {
    call(|driver| {
        let found = driver.places().around(address);
        for at in 0..count as usize {
            let number = numbers.at(at)?;
            if !(1..ATTRIBUTES).contains(&number) {
                return Err(Code::INVALID_VALUE.into());
            }
            // What an address does not have is zero; a device ordinal that is none is -2.
            let nothing = if number == 9 { (-2i32).to_le_bytes().to_vec() } else { vec![0; width(number)] };
            give(to.at(at)?, &attribute(driver, number, address, found).unwrap_or(nothing))?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuPointerSetAttribute(_value: Host, number: u32, address: u64) -> Status {
    /// The only one that programs set: that operations on the memory wait for their end, as all do.
    const SYNCHRONOUS: u32 = 6;
    call(|driver| {
        let known = driver.places().around(address).is_some();
        if number == SYNCHRONOUS && known { Ok(()) } else { Err(Code::INVALID_VALUE.into()) }
    })
}
