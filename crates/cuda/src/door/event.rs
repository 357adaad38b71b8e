//! Events.

use super::pass::Out;
use super::{Status, call, synchronised};
use crate::event::Event;
use crate::results::Code;

/// Flags of events: to wait asleep, to keep no time, to be another process's.
const FLAGS: u32 = 7;
/// The flag of a record that a graph makes in each launch.
const EXTERNAL: u32 = 1;

#[unsafe(no_mangle)]
pub extern "C" fn cuEventCreate(event: Out<usize>, flags: u32) -> Status {
    call(|driver| {
        let context = driver.current()?.handle;
        if flags & !FLAGS != 0 || event.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        Event::check_flags(flags)?;
        event.give(driver.handles.make(|handle| Event::new(handle, context, flags)).handle)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventDestroy_v2(event: usize) -> Status {
    call(|driver| driver.handles.take::<Event>(event).map(|_| ()))
}

fn record(event: usize, stream: usize, flags: u32) -> Status {
    call(|driver| {
        let event = driver.handles.find::<Event>(event)?;
        driver.record(&*driver.stream(stream)?, event, flags & EXTERNAL != 0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecord(event: usize, stream: usize) -> Status {
    record(event, stream, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecordWithFlags(event: usize, stream: usize, flags: u32) -> Status {
    record(event, stream, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventSynchronize(event: usize) -> Status {
    call(|driver| {
        let event = driver.handles.find::<Event>(event)?;
        event.forbid_captured()?;
        event.follow();
        synchronised(driver);
        driver.settled().map(|_| ())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventQuery(event: usize) -> Status {
    cuEventSynchronize(event)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventElapsedTime(milliseconds: Out<f32>, start: usize, end: usize) -> Status {
    call(|driver| {
        let [start, end] = [start, end].map(|event| driver.handles.find::<Event>(event));
        milliseconds.give(end?.since(&*start?)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: usize, end: usize) -> Status {
    cuEventElapsedTime(milliseconds, start, end)
}
