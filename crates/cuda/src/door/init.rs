//! Starting, versions, addresses of functions by name, names of results, the profiler's switches.

use super::name::Name;
use super::names::NAMES;
use super::pass::{In, Out, Text};
use super::told::tell;
use super::{Status, bare, call};
use crate::driver::{VERSION, driver, initialise};
use crate::failed::Failed;
use crate::results::Code;
use margay_exec::Memory;
use std::ffi::{c_char, c_void};

/// The flag of `cuGetProcAddress` for streams of each thread's own: they are the same here.
const KNOWN_FLAGS: u64 = 3;
/// What `cuGetProcAddress` says of a name.
const FOUND: u32 = 0;
const NO_SUCH_NAME: u32 = 1;
const VERSION_TOO_LOW: u32 = 2;

/// Memory in which kernels may use all that the process has.
fn open_memory() -> Memory {
    // SAFETY: whoever sets `MARGAY_CUDA_MEMORY=open` promises that kernels use only what is there.
    unsafe { Memory::open_host() }
}

/// When the process ends what was noted of launches is written.
fn watch_exit() {
    // SAFETY: the function is there as long as the library is, with which the C library calls it at the latest.
    unsafe { libc::atexit(at_exit) };
}

extern "C" fn at_exit() {
    bare(|| {
        // A process that was forked off has no driver, and notes nothing.
        if let Ok(driver) = driver() {
            tell(&driver.account.end());
        }
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn cuInit(flags: u32) -> Status {
    bare(|| if flags == 0 { initialise(open_memory, watch_exit) } else { Err(Code::INVALID_VALUE.into()) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDriverGetVersion(version: Out<i32>) -> Status {
    bare(|| version.give(VERSION))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorName(code: u32, name: Out<*const c_char>) -> Status {
    bare(|| described(name, Code(code).name().map(|name| name.as_ptr())))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorString(code: u32, text: Out<*const c_char>) -> Status {
    bare(|| described(text, Code(code).text().map(|text| text.as_ptr())))
}

fn described(to: Out<*const c_char>, text: Option<*const c_char>) -> Result<(), Failed> {
    to.give(text.unwrap_or_default())?;
    text.map(|_| ()).ok_or(Failed::from(Code::INVALID_VALUE))
}

/// The function that stands behind a plain name in a version: of those that begin with it, the last one that is no younger.
fn address(name: &str, version: i32) -> Result<*const c_void, u32> {
    let family = || NAMES.iter().filter(|known| known.plain() == name || known.symbol == name);
    let fitting = family().filter(|known| i64::from(known.since) <= i64::from(version));
    match fitting.max_by_key(|known| known.since) {
        Some(Name { address, .. }) => Ok(*address),
        None if family().next().is_some() => Err(VERSION_TOO_LOW),
        None => Err(NO_SUCH_NAME),
    }
}

fn look_up(
    name: Text,
    function: Out<*const c_void>,
    version: i32,
    flags: u64,
    status: Option<Out<u32>>,
) -> Result<(), Failed> {
    if flags & !KNOWN_FLAGS != 0 {
        return Err(Code::INVALID_VALUE.into());
    }
    let found = address(&name.get()?, version);
    if let Some(status) = status {
        status.offer(found.err().unwrap_or(FOUND));
    }
    function.give(found.unwrap_or(std::ptr::null()))?;
    found.map(|_| ()).map_err(|_| Code::NOT_FOUND.into())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGetProcAddress(
    name: Text,
    function: Out<*const c_void>,
    version: i32,
    flags: u64,
) -> Status {
    bare(|| look_up(name, function, version, flags, None))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGetProcAddress_v2(
    name: Text,
    function: Out<*const c_void>,
    version: i32,
    flags: u64,
    status: Out<u32>,
) -> Status {
    bare(|| look_up(name, function, version, flags, Some(status)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGetExportTable(table: Out<*const c_void>, _id: In<u8>) -> Status {
    bare(|| {
        table.offer(std::ptr::null());
        Err(Code::NOT_FOUND.into())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuProfilerStart() -> Status {
    call(|driver| driver.current().map(|_| ()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuProfilerStop() -> Status {
    call(|driver| driver.current().map(|_| ()))
}
