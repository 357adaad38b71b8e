//! From pointers of C to values and back. A null pointer is a failure that names the argument.

use crate::failure::Failure;
use std::ffi::{CStr, c_char, c_void};

fn null(what: &str) -> Failure {
    Failure::wrong_call(format!("`{what}` is null"))
}

/// # Safety
/// Unless null, it must point at a value that nobody changes while the reference is used.
pub unsafe fn handle<'a, T>(what: &str, pointer: *const T) -> Result<&'a T, Failure> {
    // SAFETY: `pointer` is null or points at a value that nobody changes.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// Puts a value where C wants it.
///
/// # Safety
/// Unless null, there must be room for it.
pub unsafe fn give<T>(what: &str, to: *mut T, value: T) -> Result<(), Failure> {
    if to.is_null() {
        return Err(null(what));
    }
    // SAFETY: `to` has room for it.
    unsafe { to.write(value) };
    Ok(())
}

/// # Safety
/// Unless null, so many bytes must be there, that nobody writes while the slice is used.
pub unsafe fn bytes<'a>(what: &str, from: *const c_void, count: u64) -> Result<&'a [u8], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if from.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller's promise, and the length is one that memory can have.
    Ok(unsafe { std::slice::from_raw_parts(from.cast(), length(what, count)?) })
}

/// # Safety
/// As for [`bytes`], and nobody else uses them.
pub unsafe fn bytes_mut<'a>(what: &str, to: *mut c_void, count: u64) -> Result<&'a mut [u8], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    if to.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller's promise, and the length is one that memory can have.
    Ok(unsafe { std::slice::from_raw_parts_mut(to.cast(), length(what, count)?) })
}

fn length(what: &str, count: u64) -> Result<usize, Failure> {
    let most = |count: &usize| *count <= isize::MAX as usize;
    let count = usize::try_from(count).ok().filter(most);
    count.ok_or_else(|| Failure::wrong_call(format!("`{what}` is longer than any memory")))
}

/// A name in UTF-8, or none for null.
///
/// # Safety
/// Unless null, a zero byte must end it, and nobody writes it while it is used.
pub unsafe fn name<'a>(what: &str, text: *const c_char) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: a zero byte ends `text`.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| Failure::wrong_call(format!("`{what}` is not UTF-8")))
}

/// A structure that may grow in later versions: it begins with its size as the program was compiled.
///
/// # Safety
/// The type must be `repr(C)`, begin with a `usize` for the size, and have a value for every pattern of bits.
pub unsafe trait Growing: Copy {
    /// What it holds where nothing is said.
    const NOTHING: Self;
}

/// A structure from C; fields that the program does not know are nothing.
///
/// # Safety
/// Unless null, there must be as many bytes as it says itself.
pub unsafe fn read_sized<T: Growing>(what: &str, from: *const T) -> Result<T, Failure> {
    // SAFETY: `from` has as many bytes as it says, of which the first are that number.
    let size = unsafe { size_of_sized(what, from) }?;
    // SAFETY: `from` has as many bytes as it says.
    let given = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), size) };
    let known = size.min(size_of::<T>());
    if given[known..].iter().any(|byte| *byte != 0) {
        return Err(Failure::wrong_call(format!(
            "`{what}` asks for what this version of margay does not know"
        )));
    }
    let mut value = T::NOTHING;
    // SAFETY: both have so many bytes, and every pattern of bits is a value.
    unsafe { std::ptr::copy_nonoverlapping(given.as_ptr(), (&raw mut value).cast(), known) };
    Ok(value)
}

/// Fills a structure of C, as far as the program knows it; its size stays.
///
/// # Safety
/// Unless null, there must be as many bytes as it says itself.
pub unsafe fn give_sized<T: Growing>(what: &str, to: *mut T, value: T) -> Result<(), Failure> {
    // SAFETY: `to` has as many bytes as it says, of which the first are that number.
    let size = unsafe { size_of_sized(what, to) }?;
    let (skip, end) = (size_of::<usize>(), size.min(size_of::<T>()));
    // SAFETY: both have so many bytes.
    unsafe {
        let (from, to) = ((&raw const value).cast::<u8>(), to.cast::<u8>());
        std::ptr::copy_nonoverlapping(from.add(skip), to.add(skip), end - skip);
    }
    Ok(())
}

/// The size that a structure says it has: no more than can be meant, and room for the size itself.
///
/// # Safety
/// Unless null, a size must be there.
unsafe fn size_of_sized<T: Growing>(what: &str, from: *const T) -> Result<usize, Failure> {
    if from.is_null() {
        return Err(null(what));
    }
    // SAFETY: a size is at `from`.
    let size = unsafe { from.cast::<usize>().read() };
    if !(size_of::<usize>()..=1 << 12).contains(&size) {
        let message = format!("`struct_bytes` of `{what}` is `{size}`: write `sizeof` the structure there");
        return Err(Failure::wrong_call(message));
    }
    Ok(size)
}
