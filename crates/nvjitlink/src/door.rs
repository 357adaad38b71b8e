//! What C sees: the functions of `nvJitLink.h`, under the names of `door/names.rs`.
//!
//! No function unwinds, and none ends the process. A handle is a number that a table knows, so that a wrong one is an error.

#![allow(unsafe_code)]

mod names;
mod pass;

use crate::failed::{Answer, Code, Failed};
use crate::link::Link;
use pass::{Bytes, Place, Room, Text, Texts};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The result of a call, for C.
type Status = u32;

/// The version that this library says it is. To any later one numba-cuda hands LTO-IR unless it is told not to, and PTX to this one;
/// cuda.core asks only whether it can be told.
const VERSION: (u32, u32) = (12, 2);

/// The first handle, and how far they are apart: no address of anything.
const FIRST: usize = 0x4d4c_0000;
const STEP: usize = 16;

/// The links that are going on, and the next handle.
struct Table {
    links: HashMap<usize, Arc<Mutex<Link>>>,
    next: usize,
}

fn table() -> MutexGuard<'static, Table> {
    static TABLE: OnceLock<Mutex<Table>> = OnceLock::new();
    let table = TABLE.get_or_init(|| Mutex::new(Table { links: HashMap::new(), next: FIRST }));
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Carries out a call. A panic is a failure too.
fn call(body: impl FnOnce() -> Answer) -> Status {
    let answer = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(Code::INTERNAL.into()));
    answer.map_or_else(|failed| failed.code, |()| Code::SUCCESS).0
}

/// Carries out a call on a link.
fn on(handle: usize, body: impl FnOnce(&mut Link) -> Answer) -> Status {
    call(|| {
        let found = table().links.get(&handle).cloned();
        let unknown = if handle == 0 { Code::NULL_INPUT } else { Code::INVALID_INPUT };
        let link = found.ok_or(Failed::from(unknown))?;
        let mut link = link.lock().unwrap_or_else(PoisonError::into_inner);
        body(&mut link)
    })
}

fn create(handle: Place<usize>, count: u32, options: Texts) -> Status {
    call(|| {
        handle.give(0)?;
        let (link, read) = Link::new(&options.all(count)?);
        let mut table = table();
        let number = table.next;
        table.next += STEP;
        table.links.insert(number, Arc::new(Mutex::new(link)));
        // Also where the options are wrong: the log says why.
        handle.give(number)?;
        read
    })
}

fn destroy(handle: Place<usize>) -> Status {
    call(|| {
        let number = handle.handle()?;
        let unknown = if number == 0 { Code::NULL_INPUT } else { Code::INVALID_INPUT };
        table().links.remove(&number).ok_or(Failed::from(unknown))?;
        handle.give(0)
    })
}

fn add_data(handle: usize, kind: u32, data: Bytes, bytes: usize, name: Text) -> Status {
    on(handle, |link| link.add(kind, &name.get().unwrap_or("<input>".into()), &data.get(bytes)?))
}

fn add_file(handle: usize, kind: u32, path: Text) -> Status {
    on(handle, |link| link.add_file(kind, &path.get().ok_or(Failed::from(Code::NULL_INPUT))?))
}

fn complete(handle: usize) -> Status {
    on(handle, Link::complete)
}

fn cubin_size(handle: usize, bytes: Place<usize>) -> Status {
    on(handle, |link| bytes.give(link.output(false)?.len()))
}

fn cubin(handle: usize, cubin: Room) -> Status {
    on(handle, |link| cubin.give(link.output(false)?))
}

fn ptx_size(handle: usize, bytes: Place<usize>) -> Status {
    on(handle, |link| bytes.give(link.output(true)?.len()))
}

fn ptx(handle: usize, ptx: Room) -> Status {
    on(handle, |link| ptx.give(link.output(true)?))
}

fn error_log_size(handle: usize, bytes: Place<usize>) -> Status {
    on(handle, |link| bytes.give(link.errors().len()))
}

fn error_log(handle: usize, log: Room) -> Status {
    on(handle, |link| log.give(&link.errors()))
}

/// There is nothing to tell beside errors.
fn info_log_size(handle: usize, bytes: Place<usize>) -> Status {
    on(handle, |_| bytes.give(0))
}

fn info_log(handle: usize, _: Room) -> Status {
    on(handle, |_| Ok(()))
}

/// There is no LTO-IR.
#[cfg(major = "13")]
fn lto_ir_size(handle: usize, _: Place<usize>) -> Status {
    on(handle, |_| Err(Code::INVALID_INPUT.into()))
}

#[cfg(major = "13")]
fn lto_ir(handle: usize, _: Room) -> Status {
    on(handle, |_| Err(Code::INVALID_INPUT.into()))
}

fn version(major: Place<u32>, minor: Place<u32>) -> Status {
    call(|| {
        major.give(VERSION.0)?;
        minor.give(VERSION.1)
    })
}
