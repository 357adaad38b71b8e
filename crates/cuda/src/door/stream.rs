//! Streams. What is given to one is done at once, in order.

use super::pass::Out;
use super::{Status, call, synchronised};
use crate::driver::Driver;
use crate::event::Event;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::stream::{DEFAULT, PRIORITIES, Stream};
use crate::work::Work;

/// The flag of a wait for an event outside of the capture that a stream is in.
const EXTERNAL: u32 = 1;

fn create(driver: &Driver, stream: &Out<usize>, flags: u32, priority: i32) -> Answer {
    let context = driver.current()?.handle;
    if flags > 1 || stream.is_null() {
        return Err(Code::INVALID_VALUE.into());
    }
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    stream.give(driver.handles.make(|handle| Stream::new(handle, context, flags, priority)).handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamCreate(stream: Out<usize>, flags: u32) -> Status {
    call(|driver| create(driver, &stream, flags, 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamCreateWithPriority(stream: Out<usize>, flags: u32, priority: i32) -> Status {
    call(|driver| create(driver, &stream, flags, priority))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamDestroy_v2(stream: usize) -> Status {
    call(|driver| driver.handles.take::<Stream>(stream).map(|_| ()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamSynchronize(stream: usize) -> Status {
    call(|driver| {
        driver.forbid_waiting(&*driver.stream(stream)?)?;
        synchronised(driver);
        driver.settled().map(|_| ())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamQuery(stream: usize) -> Status {
    cuStreamSynchronize(stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamWaitEvent(stream: usize, event: usize, flags: u32) -> Status {
    call(|driver| {
        let event = driver.handles.find::<Event>(event)?;
        let to = driver.stream(stream)?;
        match flags & EXTERNAL != 0 && to.is_capturing() {
            true => driver.give(stream, || Ok(Work::Wait(event))),
            false => driver.wait(&to, &event),
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetPriority(stream: usize, priority: Out<i32>) -> Status {
    call(|driver| priority.give(driver.stream(stream)?.priority))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetFlags(stream: usize, flags: Out<u32>) -> Status {
    call(|driver| flags.give(driver.stream(stream)?.flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetId(stream: usize, id: Out<u64>) -> Status {
    call(|driver| id.give(driver.stream(stream)?.handle as u64))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCtx(stream: usize, context: Out<usize>) -> Status {
    call(|driver| context.give(driver.stream(stream)?.context))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCtx_v2(stream: usize, context: Out<usize>, green: Out<usize>) -> Status {
    call(|driver| {
        context.give(driver.stream(stream)?.context)?;
        green.offer(0);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetDevice(stream: usize, device: Out<i32>) -> Status {
    call(|driver| driver.stream(stream).and_then(|_| device.give(0)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamAttachMemAsync(stream: usize, address: u64, _bytes: usize, _flags: u32) -> Status {
    call(|driver| {
        driver.forbid_waiting(&*driver.stream(stream)?)?;
        driver.settled()?;
        driver.places().around(address).map(|_| ()).ok_or(Failed::from(Code::INVALID_VALUE))
    })
}

/// A function of the host that a stream calls with its own handle and how it is.
pub type Callback = extern "C" fn(usize, Status, usize);

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamAddCallback(
    stream: usize,
    callback: Option<Callback>,
    data: usize,
    _flags: u32,
) -> Status {
    call(|driver| {
        let stream = driver.stream(stream)?;
        let callback = callback.ok_or(Failed::from(Code::INVALID_VALUE))?;
        driver.forbid_waiting(&stream)?;
        let settled = driver.settled().map(|_| ());
        let told = if DEFAULT.contains(&stream.handle) { 0 } else { stream.handle };
        callback(told, settled.as_ref().err().map_or(Code::SUCCESS, |failed| failed.code).0, data);
        settled
    })
}
