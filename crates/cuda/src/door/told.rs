//! What calls tell beside their result: lines on standard error, and what kernels print.

use crate::log::{Level, keep};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes lines to standard error.
pub fn tell(text: &str) {
    // Nothing is left to be done if standard error is closed.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes lines to standard error, and keeps them in the log.
pub fn report(level: Level, text: &str) {
    if !text.is_empty() {
        tell(text);
        keep(level, &stamp(), text);
    }
}

/// The time of day and the thread, as messages of the log begin with them.
fn stamp() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs() as libc::time_t;
    // SAFETY: numbers, and a pointer that may be null.
    let mut local: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: one is read, the other one written, and both are there meanwhile.
    unsafe { libc::localtime_r(&seconds, &mut local) };
    // SAFETY: it only gives a number.
    let thread = unsafe { libc::gettid() };
    let libc::tm { tm_hour: hour, tm_min: minute, tm_sec: second, .. } = local;
    format!("[{hour:02}:{minute:02}:{second:02}.{:03}][{thread}]", since.subsec_millis())
}

/// What a launch left to be told.
#[derive(Default)]
pub struct Told {
    /// For standard output.
    pub printed: String,
    /// For standard error: what is wrong.
    pub text: String,
    /// The same before it: what may be.
    pub warnings: String,
}

/// Writes what a launch left: what the kernel printed goes after what the program has printed so far.
pub fn show(told: &Told) {
    report(Level::Warning, &told.warnings);
    report(Level::Error, &told.text);
    if !told.printed.is_empty() {
        // SAFETY: null stands for all streams of the C library.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        let mut out = std::io::stdout().lock();
        // Nothing is left to be done if standard output is closed.
        let _ = out.write_all(told.printed.as_bytes()).and_then(|()| out.flush());
    }
}
