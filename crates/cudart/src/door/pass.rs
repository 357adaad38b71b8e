//! From pointers of C to values and back: the one place where they are followed.
//!
//! The types stand for arguments of functions that C calls, as it passes them. Nobody else can make a value of them, so that whoever
//! has one has C's promise: what `cuda_runtime_api.h` says must be behind the pointer is there while the call lasts, or the pointer is
//! null. What compiled programs register is there until they take it back.

use crate::errors::{Answer, Code};
use std::ffi::{CStr, CString, c_char};

/// An address of either kind, which is handed on to the driver as it came.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pointer(*mut u8);

// SAFETY: it is followed by the driver alone, and C's promise does not depend on a thread.
unsafe impl Send for Pointer {}
// SAFETY: as above.
unsafe impl Sync for Pointer {}

impl Pointer {
    pub const NULL: Pointer = Pointer(std::ptr::null_mut());

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// An address of the device.
    pub fn at(address: u64) -> Pointer {
        Pointer(address as *mut u8)
    }

    /// Where bytes of the library's own are.
    pub fn of(bytes: &'static [u8]) -> Pointer {
        Pointer(bytes.as_ptr().cast_mut())
    }

    /// So many bytes there, which stay.
    pub fn bytes(self, count: usize) -> &'static [u8] {
        if self.0.is_null() || count > isize::MAX as usize {
            return &[];
        }
        // SAFETY: C's promise: what a program has registered is as long as it says, and nobody writes to it.
        unsafe { std::slice::from_raw_parts(self.0, count) }
    }

    /// Where values are.
    pub fn values<T>(self) -> In<T> {
        In(self.0.cast())
    }

    /// As the device knows it.
    pub fn address(self) -> u64 {
        self.0 as u64
    }
}

/// Where a value is to be put.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Place<T>(*mut T);

// SAFETY: what is put there is put by the thread that calls, and C's promise does not depend on which.
unsafe impl<T> Send for Place<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Place<T> {}

impl<T: Copy> Place<T> {
    /// Where nothing is asked for.
    #[cfg(major = "12")]
    pub const NOWHERE: Place<T> = Place(std::ptr::null_mut());

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Puts a value there.
    pub fn give(self, value: T) -> Answer {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: C's promise: there is room for a value.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Puts a value there, if it is asked for.
    pub fn offer(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: as above.
            unsafe { self.0.write_unaligned(value) };
        }
    }
}

/// Where a value is, of a type of which every pattern of bits is one.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The same, to be handed on.
    pub fn pointer(self) -> Pointer {
        Pointer(self.0.cast_mut().cast())
    }

    /// The value.
    pub fn read(self) -> Answer<T> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: C's promise: a value is there.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The value at a place behind it.
    pub fn at(self, index: usize) -> Answer<T> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: C's promise: as many are there as their end or number says, and callers stop at that.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }
}

impl<T: Copy> In<In<T>> {
    /// The pointers that are there, up to one that is null.
    pub fn until_null(self) -> Answer<Vec<In<T>>> {
        let mut found = Vec::new();
        loop {
            let pointer = self.at(found.len())?;
            if pointer.is_null() {
                return Ok(found);
            }
            found.push(pointer);
        }
    }
}

/// A text that a zero byte ends.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

impl Text {
    /// A copy of it.
    pub fn get(self) -> Answer<CString> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: C's promise: a zero byte ends it.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_owned())
    }

    /// A text of the library's own, as C passes texts.
    pub fn of(text: &CStr) -> Text {
        Text(text.as_ptr())
    }
}

/// Bytes for the device's properties, as many as a layout says.
#[repr(transparent)]
pub struct Room(*mut u8);

impl Room {
    /// Puts bytes there.
    pub fn give(&self, bytes: &[u8]) -> Answer {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: C's promise: there is room for as many as the structure has.
        unsafe { self.0.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Extent3 {
    pub const NOTHING: Extent3 = Extent3 { x: 0, y: 0, z: 0 };
}
