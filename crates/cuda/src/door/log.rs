//! The driver's log: functions of the program that get what is told, and texts of it.

use super::pass::{Host, LogFunction, Out, Text};
use super::{Status, bare};
use crate::failed::{Answer, Failed};
use crate::log::{Dump, current, register, since, unregister};
use crate::results::Code;

/// The most bytes that the log is as a text, with the zero that ends it.
const MOST_BYTES: usize = 25600;

fn no_flags(flags: u32) -> Answer {
    if flags == 0 { Ok(()) } else { Err(Code::INVALID_VALUE.into()) }
}

/// What is kept from an iterator on, or all if there is none.
fn asked(iterator: &Out<u32>) -> Answer<Dump> {
    since(if iterator.is_null() { None } else { Some(iterator.taken()?) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLogsRegisterCallback(
    function: Option<LogFunction>,
    data: usize,
    handle: Out<usize>,
) -> Status {
    bare(|| {
        handle.offer(register(function.ok_or(Failed::from(Code::INVALID_VALUE))?, data));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLogsUnregisterCallback(handle: usize) -> Status {
    bare(|| unregister(handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLogsCurrent(iterator: Out<u32>, flags: u32) -> Status {
    bare(|| no_flags(flags).and_then(|()| iterator.give(current())))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLogsDumpToFile(iterator: Out<u32>, path: Text, flags: u32) -> Status {
    bare(|| {
        no_flags(flags)?;
        let (path, dump) = (path.get()?, asked(&iterator)?);
        std::fs::write(&path, dump.text()).map_err(|error| {
            Failed::because(Code::INVALID_VALUE, format!("cannot write the log to `{path}`: {error}"))
        })?;
        iterator.offer(dump.end);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLogsDumpToMemory(
    iterator: Out<u32>,
    mut buffer: Host,
    size: Out<usize>,
    flags: u32,
) -> Status {
    bare(|| {
        no_flags(flags)?;
        let room = size.taken()?.min(MOST_BYTES);
        if buffer.address() == 0 {
            let text = "`cuLogsDumpToMemory` is given no buffer for the log";
            return Err(Failed::because(Code::INVALID_VALUE, text));
        }
        let dump = asked(&iterator)?;
        let text = dump.text_within(room.saturating_sub(1));
        buffer.give_text(text.as_deref().unwrap_or_default(), room as u64)?;
        size.give(text.as_ref().map_or(0, String::len))?;
        text.ok_or(Failed::from(Code::INVALID_VALUE))?;
        iterator.offer(dump.end);
        Ok(())
    })
}
