//! From pointers of C to values and back: the one place where they are followed.
//!
//! The types stand for arguments of functions that C calls, as it passes them. Nobody else can make a value of them, so that whoever
//! has one has C's promise: what `nvJitLink.h` says must be behind the pointer is there while the call lasts, or the pointer is null.

use crate::failed::{Answer, Code};
use std::ffi::{CStr, c_char};

/// Where a value is, or is to be put.
#[repr(transparent)]
pub struct Place<T>(*mut T);

impl<T: Copy> Place<T> {
    /// Puts a value there.
    pub fn give(&self, value: T) -> Answer {
        if self.0.is_null() {
            return Err(Code::NULL_INPUT.into());
        }
        // SAFETY: C's promise: there is room for a value.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }
}

impl Place<usize> {
    /// The handle that is there.
    pub fn handle(&self) -> Answer<usize> {
        if self.0.is_null() {
            return Err(Code::NULL_INPUT.into());
        }
        // SAFETY: C's promise: a handle is there, and every pattern of bits is a number.
        Ok(unsafe { self.0.read_unaligned() })
    }
}

/// Where bytes are to be put, as many as a function of the library has said before.
#[repr(transparent)]
pub struct Room(*mut u8);

impl Room {
    /// Puts bytes there.
    pub fn give(&self, bytes: &[u8]) -> Answer {
        if self.0.is_null() {
            return if bytes.is_empty() { Ok(()) } else { Err(Code::NULL_INPUT.into()) };
        }
        // SAFETY: C's promise: there is room for as many as it was told.
        unsafe { self.0.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

/// Where bytes are.
#[repr(transparent)]
pub struct Bytes(*const u8);

impl Bytes {
    /// So many of them.
    pub fn get(&self, count: usize) -> Answer<Vec<u8>> {
        if self.0.is_null() || count > isize::MAX as usize {
            return Err(Code::NULL_INPUT.into());
        }
        // SAFETY: C's promise: so many are there.
        Ok(unsafe { std::slice::from_raw_parts(self.0, count) }.to_vec())
    }
}

/// A text that a zero byte ends.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

impl Text {
    /// The text, if there is one.
    pub fn get(&self) -> Option<String> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: C's promise: a zero byte ends it.
        Some(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}

/// Where texts are.
#[repr(transparent)]
pub struct Texts(*const Text);

impl Texts {
    /// So many of them.
    pub fn all(&self, count: u32) -> Answer<Vec<String>> {
        if self.0.is_null() && count > 0 {
            return Err(Code::NULL_INPUT.into());
        }
        // SAFETY: C's promise: so many are there.
        let text = |k: u32| unsafe { self.0.add(k as usize).read_unaligned() };
        (0..count).map(|k| text(k).get().ok_or(Code::NULL_INPUT.into())).collect()
    }
}
