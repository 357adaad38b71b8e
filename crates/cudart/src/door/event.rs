//! Events.

use super::pass::Place;
use super::{Status, call};

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventCreate(event: Place<usize>) -> Status {
    cudaEventCreateWithFlags(event, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventCreateWithFlags(event: Place<usize>, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuEventCreate(event, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventDestroy(event: usize) -> Status {
    call(|runtime| runtime.driver.cuEventDestroy_v2(event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecord(event: usize, stream: usize) -> Status {
    cudaEventRecordWithFlags(event, stream, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecordWithFlags(event: usize, stream: usize, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuEventRecordWithFlags(event, stream, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventQuery(event: usize) -> Status {
    call(|runtime| runtime.driver.cuEventQuery(event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventSynchronize(event: usize) -> Status {
    call(|runtime| runtime.driver.cuEventSynchronize(event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventElapsedTime(milliseconds: Place<f32>, start: usize, end: usize) -> Status {
    call(|runtime| runtime.driver.cuEventElapsedTime(milliseconds, start, end))
}
