//! What C sees: functions, structures and constants. `include/margay.h` is made from this folder and `failure.rs`.
//!
//! No function unwinds, whatever it is given; what pointers must point at is said at each. A failed call gives a status and
//! leaves a text for its thread; it ends the process only if the environment variable `MARGAY_ON_ERROR` is `abort`.

#![allow(unsafe_code)]

pub mod check;
pub mod device;
pub mod launch;
pub mod module;
pub mod ocelot;
mod pass;
pub mod report;

use crate::failure::{Failure, MARGAY_BUG, MARGAY_OK};
use crate::launch::c_text;
use crate::setting;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Counts incompatible changes of functions and structures.
pub const MARGAY_ABI: u32 = 1;

thread_local! {
    /// The text of the thread's last failed call.
    static LAST: RefCell<CString> = RefCell::default();
}

/// What `MARGAY_ABI` was when the library was built: a program that was compiled with another one must not go on.
#[unsafe(no_mangle)]
pub extern "C" fn margay_abi() -> u32 {
    MARGAY_ABI
}

/// The library's version, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn margay_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// Why the thread's last failed call failed, in whole lines, as the command `margay` says it. Empty if none has failed. It
/// stays until another call of the thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn margay_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Frees a string that a function returned; null is no text.
///
/// # Safety
/// It must come from a function that says so, and not have been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: the caller's promise: it was made by `CString::into_raw`.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Carries out a call: its status, with the text of a failure kept for the thread.
fn call(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    let Err(failure) = guarded(body) else { return MARGAY_OK };
    // A thread that is ending keeps no text any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = c_text(&failure.text));
    setting::abort_if_asked(&failure, false);
    failure.status
}

/// A panic is a failure too.
fn guarded<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    setting::look();
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is known");
        Err(Failure { status: MARGAY_BUG, text: format!("error: margay itself went wrong: {text}\n") })
    })
}
