//! What C sees: the functions of `cuda.h`, one file a family.
//!
//! No function unwinds, and none ends the process. Handles are numbers that a table knows, so that a wrong one is an error; what
//! is behind pointers is touched in `pass.rs` alone, by types that only C can make values of.

#![allow(unsafe_code, non_snake_case, clippy::too_many_arguments)]

pub mod absent;
pub mod any_node;
pub mod array;
pub mod array_copy;
pub mod capture;
pub mod context;
pub mod copy;
pub mod device;
pub mod event;
pub mod executable;
pub mod graph;
pub mod init;
pub mod interprocess;
pub mod kernel;
pub mod kernel_node;
pub mod launch;
pub mod layout;
pub mod library;
pub mod link;
pub mod log;
pub mod memory;
pub mod memset;
pub mod mipmapped;
pub mod module;
pub mod name;
pub mod names;
pub mod node;
pub mod occupancy;
pub mod options;
pub mod pass;
pub mod per_thread;
pub mod pointer;
pub mod pool;
pub mod primary;
pub mod reference;
pub mod reference_sampling;
pub mod stream;
pub mod surface;
pub mod tensor_map;
pub mod texture;
pub mod told;
pub mod user_object;

use crate::driver::{Driver, driver};
use crate::failed::{Answer, Failed};
use crate::log::{Level, within};
use crate::results::Code;
use std::panic::{AssertUnwindSafe, catch_unwind};
use told::{report, tell};

/// The result of a call, for C.
pub type Status = u32;

/// Carries out a call of the driver, which must have been initialised in this process.
fn call(body: impl FnOnce(&'static Driver) -> Answer) -> Status {
    bare(|| body(driver()?))
}

/// Carries out a call that needs no driver. A panic is a failure too.
fn bare(body: impl FnOnce() -> Answer) -> Status {
    within(|| answered(body))
}

/// Its result: a failure is told, and kept in the log.
fn answered(body: impl FnOnce() -> Answer) -> Status {
    let answered = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is known");
        Err(Failed::because(Code::UNKNOWN, format!("margay itself went wrong: {text}")))
    });
    match answered {
        Ok(()) => Code::SUCCESS.0,
        Err(failed) => {
            report(Level::Error, &failed.text);
            failed.code.0
        }
    }
}

/// Begins a call by which the program waits for the device: what was noted of launches so far may be written.
fn synchronised(driver: &Driver) {
    tell(&driver.account.synchronised());
}

/// What a function of `cuda.h` answers that is not here.
fn not_supported(name: &str) -> Status {
    bare(|| Err(Failed { code: Code::NOT_SUPPORTED, text: format!("margay: `{name}` is not supported\n") }))
}
