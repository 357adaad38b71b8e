//! Errors: the last one of the thread, names and words.

use super::Status;
use crate::errors::Code;
use crate::runtime::{last, note};
use std::ffi::c_char;

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> Status {
    let code = last();
    note(Code::SUCCESS);
    code.0
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> Status {
    last().0
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(code: u32) -> *const c_char {
    Code(code).name().as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(code: u32) -> *const c_char {
    Code(code).text().as_ptr()
}
