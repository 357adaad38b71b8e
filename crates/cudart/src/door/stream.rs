//! Streams, and functions of the host that they call.

use super::pass::{Place, Pointer};
use super::{Status, call};

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamCreate(stream: Place<usize>) -> Status {
    cudaStreamCreateWithPriority(stream, 0, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamCreateWithFlags(stream: Place<usize>, flags: u32) -> Status {
    cudaStreamCreateWithPriority(stream, flags, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamCreateWithPriority(stream: Place<usize>, flags: u32, priority: i32) -> Status {
    call(|runtime| runtime.driver.cuStreamCreateWithPriority(stream, flags, priority))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamDestroy(stream: usize) -> Status {
    call(|runtime| runtime.driver.cuStreamDestroy_v2(stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamSynchronize(stream: usize) -> Status {
    call(|runtime| runtime.driver.cuStreamSynchronize(stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamQuery(stream: usize) -> Status {
    call(|runtime| runtime.driver.cuStreamQuery(stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamWaitEvent(stream: usize, event: usize, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuStreamWaitEvent(stream, event, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAddCallback(
    stream: usize,
    function: Pointer,
    data: Pointer,
    flags: u32,
) -> Status {
    call(|runtime| runtime.driver.cuStreamAddCallback(stream, function, data, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAttachMemAsync(
    stream: usize,
    address: Pointer,
    bytes: usize,
    flags: u32,
) -> Status {
    call(|runtime| runtime.driver.cuStreamAttachMemAsync(stream, address.address(), bytes, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetPriority(stream: usize, priority: Place<i32>) -> Status {
    call(|runtime| runtime.driver.cuStreamGetPriority(stream, priority))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetFlags(stream: usize, flags: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuStreamGetFlags(stream, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetId(stream: usize, id: Place<u64>) -> Status {
    call(|runtime| runtime.driver.cuStreamGetId(stream, id))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetDevice(stream: usize, device: Place<i32>) -> Status {
    call(|runtime| runtime.driver.cuStreamGetDevice(stream, device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamIsCapturing(stream: usize, status: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuStreamIsCapturing(stream, status))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc(stream: usize, function: Pointer, data: Pointer) -> Status {
    call(|runtime| runtime.driver.cuLaunchHostFunc(stream, function, data))
}
