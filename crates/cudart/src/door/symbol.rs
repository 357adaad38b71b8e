//! Variables of the device, by the host's variables that stand for them.

use super::copy::{self, DEVICE_TO_HOST, HOST_TO_DEVICE};
use super::pass::{Place, Pointer};
use super::{Status, call};
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetSymbolAddress(address: Place<u64>, symbol: usize) -> Status {
    call(|runtime| address.give(runtime.variable(symbol)?.0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetSymbolSize(bytes: Place<usize>, symbol: usize) -> Status {
    call(|runtime| bytes.give(runtime.variable(symbol)?.1))
}

/// Where a part of a variable is.
pub fn part(runtime: &Runtime, symbol: usize, bytes: usize, offset: usize) -> Answer<Pointer> {
    let (address, all) = runtime.variable(symbol)?;
    let fits = offset.checked_add(bytes).is_some_and(|end| end <= all);
    if fits { Ok(Pointer::at(address + offset as u64)) } else { Err(Code::INVALID_VALUE) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToSymbol(
    symbol: usize,
    from: Pointer,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Status {
    cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToSymbolAsync(
    symbol: usize,
    from: Pointer,
    bytes: usize,
    offset: usize,
    kind: u32,
    stream: usize,
) -> Status {
    call(|runtime| match kind {
        DEVICE_TO_HOST | copy::HOST_TO_HOST => Err(Code::INVALID_DIRECTION),
        _ => copy::linear(runtime, part(runtime, symbol, bytes, offset)?, from, bytes, kind, stream),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromSymbol(
    to: Pointer,
    symbol: usize,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Status {
    cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromSymbolAsync(
    to: Pointer,
    symbol: usize,
    bytes: usize,
    offset: usize,
    kind: u32,
    stream: usize,
) -> Status {
    call(|runtime| match kind {
        HOST_TO_DEVICE | copy::HOST_TO_HOST => Err(Code::INVALID_DIRECTION),
        _ => copy::linear(runtime, to, part(runtime, symbol, bytes, offset)?, bytes, kind, stream),
    })
}
