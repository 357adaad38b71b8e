//! Filling memory of the device.

use super::{Status, call};
use crate::failed::Failed;
use crate::results::Code;

/// Fills so many rows, `pitch` bytes apart, of so many elements each, at once.
fn fill(address: u64, pitch: usize, pattern: &[u8], width: usize, height: usize, stream: usize) -> Status {
    call(|driver| {
        driver.enqueue(stream)?;
        if !address.is_multiple_of(pattern.len() as u64) {
            return Err(Code::INVALID_VALUE.into());
        }
        if height == 1 {
            return if width == 0 { Ok(()) } else { driver.fill(address, pattern, width as u64) };
        }
        if width.saturating_mul(pattern.len()) > pitch {
            return Err(Code::INVALID_VALUE.into());
        }
        (0..height as u64).try_for_each(|row| {
            let at = row.checked_mul(pitch as u64).and_then(|skip| address.checked_add(skip));
            driver.fill(at.ok_or(Failed::from(Code::INVALID_VALUE))?, pattern, width as u64)
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD8_v2(address: u64, value: u8, count: usize) -> Status {
    fill(address, 0, &[value], count, 1, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD16_v2(address: u64, value: u16, count: usize) -> Status {
    fill(address, 0, &value.to_le_bytes(), count, 1, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD32_v2(address: u64, value: u32, count: usize) -> Status {
    fill(address, 0, &value.to_le_bytes(), count, 1, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD8Async(address: u64, value: u8, count: usize, stream: usize) -> Status {
    fill(address, 0, &[value], count, 1, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD16Async(address: u64, value: u16, count: usize, stream: usize) -> Status {
    fill(address, 0, &value.to_le_bytes(), count, 1, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: usize) -> Status {
    fill(address, 0, &value.to_le_bytes(), count, 1, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D8_v2(
    address: u64,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
) -> Status {
    fill(address, pitch, &[value], width, height, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D16_v2(
    address: u64,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
) -> Status {
    fill(address, pitch, &value.to_le_bytes(), width, height, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D32_v2(
    address: u64,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
) -> Status {
    fill(address, pitch, &value.to_le_bytes(), width, height, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D8Async(
    address: u64,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
    stream: usize,
) -> Status {
    fill(address, pitch, &[value], width, height, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D16Async(
    address: u64,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
    stream: usize,
) -> Status {
    fill(address, pitch, &value.to_le_bytes(), width, height, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D32Async(
    address: u64,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
    stream: usize,
) -> Status {
    fill(address, pitch, &value.to_le_bytes(), width, height, stream)
}
