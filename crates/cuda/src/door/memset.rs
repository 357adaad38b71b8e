//! Filling memory of the device.

use super::{Status, call};
use crate::work::{Fill, Work};

/// Fills so many rows, `pitch` bytes apart, of so many elements each.
fn fill(address: u64, pitch: usize, pattern: &[u8], width: usize, height: usize, stream: usize) -> Status {
    let mut value = [0; 4];
    value[..pattern.len()].copy_from_slice(pattern);
    let value = u32::from_le_bytes(value);
    let fill = Fill { address, pitch, value, element: pattern.len() as u32, width, height };
    call(|driver| driver.give(stream, || fill.check().map(|()| Work::Fill(fill))))
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
