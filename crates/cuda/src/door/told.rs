//! What calls tell beside their result: lines on standard error, and what kernels print.

use std::io::Write;

/// Writes lines to standard error.
pub fn tell(text: &str) {
    // Nothing is left to be done if standard error is closed.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// What a launch left to be told.
#[derive(Default)]
pub struct Told {
    /// For standard output.
    pub printed: String,
    /// For standard error.
    pub text: String,
}

/// Writes what a launch left: what the kernel printed goes after what the program has printed so far.
pub fn show(told: &Told) {
    tell(&told.text);
    if !told.printed.is_empty() {
        // SAFETY: null stands for all streams of the C library.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        let mut out = std::io::stdout().lock();
        // Nothing is left to be done if standard output is closed.
        let _ = out.write_all(told.printed.as_bytes()).and_then(|()| out.flush());
    }
}
