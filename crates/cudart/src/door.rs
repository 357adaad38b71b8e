//! What C sees: the functions of `cuda_runtime_api.h`, one file a family.
//!
//! No function unwinds, and none ends the process. Handles and addresses of the device are numbers, which the driver judges.

#![allow(unsafe_code, non_snake_case, clippy::too_many_arguments)]

pub mod absent;
pub mod array;
pub mod array_copy;
pub mod capture;
pub mod context;
pub mod copy;
pub mod device;
pub mod errors;
pub mod event;
pub mod fat;
pub mod function;
pub mod graph;
pub mod interprocess;
pub mod launch;
pub mod library;
pub mod memory;
pub mod memset;
pub mod name;
pub mod node;
pub mod pass;
pub mod per_thread;
pub mod pool;
pub mod register;
pub mod stream;
pub mod surface;
pub mod symbol;
pub mod texture;
#[cfg(major = "12")]
pub mod version12;
#[cfg(major = "13")]
pub mod version13;

use crate::errors::{Answer, Code};
use crate::runtime::{Runtime, note, runtime};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a call, for C.
pub type Status = u32;

/// The version of CUDA whose functions are here.
const VERSION: i32 = if cfg!(major = "12") { 12090 } else { 13050 };

/// Carries out a call in the thread's context.
fn call(body: impl FnOnce(&'static Runtime) -> Answer) -> Status {
    started(|runtime| {
        runtime.context()?;
        body(runtime)
    })
}

/// Carries out a call that needs the driver and no context.
fn started(body: impl FnOnce(&'static Runtime) -> Answer) -> Status {
    bare(|| body(runtime()?))
}

/// Carries out a call that needs no driver. A panic is a failure too.
fn bare(body: impl FnOnce() -> Answer) -> Status {
    let answered = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        tell("margay: the runtime library itself went wrong\n");
        Err(Code::UNKNOWN)
    });
    let code = answered.err().unwrap_or(Code::SUCCESS);
    // That something is not done yet is no error.
    if ![Code::SUCCESS, Code::NOT_READY].contains(&code) {
        note(code);
    }
    code.0
}

/// Writes lines to standard error.
pub fn tell(text: &str) {
    // Nothing is left to be done if standard error is closed.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// What a function answers that is not here.
fn not_supported(name: &str) -> Status {
    bare(|| {
        tell(&format!("margay: `{name}` is not supported\n"));
        Err(Code::NOT_SUPPORTED)
    })
}
