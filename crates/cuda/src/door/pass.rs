//! From pointers of C to values and back: the one place where they are followed.
//!
//! The types stand for arguments of functions that C calls, as it passes them. Nobody else can make a value of them, so that whoever
//! has one has C's promise: what `cuda.h` says must be behind the pointer is there while the call lasts, or the pointer is null.

use super::layout::{
    Access, Allocate, Array2d, Array3d, Attribute, Config, Copy2d, Copy3d, EdgeData, Fill1, Host1,
    Instantiate, Kernel1, Kernel2, Location, Properties, Resource, Sampling, View,
};
use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_front::module::Function;
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

/// What every pattern of bits is a value of.
///
/// # Safety
/// It must be so.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($ty:ty)*) => {
        // SAFETY: a number, or as C lays a structure of numbers and addresses out.
        $(unsafe impl Plain for $ty {})*
    };
}

plain!(u8 i32 u32 u64 usize Address Host EdgeData);
plain!(Copy2d Copy3d Config Attribute Properties Location Access Kernel1 Kernel2 Fill1 Allocate Instantiate);
plain!(Array2d Array3d Resource Sampling View f32);
// SAFETY: as above; a null function is none.
unsafe impl Plain for Host1 {}

/// Where a value is to be put.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Puts a value there.
    pub fn give(&self, value: T) -> Answer {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        // SAFETY: C's promise: there is room for a value.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Puts a value there if it is wanted.
    pub fn offer(&self, value: T) {
        // Null says that it is not.
        let _ = self.give(value);
    }

    /// No place at all.
    pub fn nowhere() -> Out<T> {
        Out(std::ptr::null_mut())
    }

    /// Whether there is no place.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl<T: Plain> Out<T> {
    /// The value that stands there, where a call changes it.
    pub fn taken(&self) -> Answer<T> {
        In(self.0.cast_const()).read()
    }

    /// Puts some values there, as many as there is room for in `count`, or says how many there are if there is no place.
    pub fn give_some(&self, values: &[T], nothing: T, count: &Out<usize>) -> Answer {
        if self.is_null() {
            return count.give(values.len());
        }
        let room = count.taken()?;
        let given = values.len().min(room);
        let all: Vec<T> =
            values[..given].iter().copied().chain(std::iter::repeat_n(nothing, room - given)).collect();
        self.give_all(&all)?;
        count.give(given)
    }

    /// Puts several values there, one after the other.
    pub fn give_all(&self, values: &[T]) -> Answer {
        if self.0.is_null() {
            return if values.is_empty() { Ok(()) } else { Err(Code::INVALID_VALUE.into()) };
        }
        // SAFETY: C's promise: there is room for as many as it asked for.
        unsafe { self.0.cast::<u8>().copy_from_nonoverlapping(values.as_ptr().cast(), size_of_val(values)) };
        Ok(())
    }
}

/// Where values are.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(*const T);

impl<T: Plain> In<T> {
    /// The value.
    pub fn read(&self) -> Answer<T> {
        self.at(0)
    }

    /// One of several.
    pub fn at(&self, index: usize) -> Answer<T> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        // SAFETY: C's promise: so many values are there, and every pattern of bits is one.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    /// So many of them.
    pub fn all(&self, count: usize) -> Answer<Vec<T>> {
        (0..count).map(|index| self.at(index)).collect()
    }

    /// Whether there are none.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl<T> In<T> {
    /// None at all.
    pub fn nothing() -> In<T> {
        In(std::ptr::null())
    }
}

impl In<Host> {
    /// The values of options, where a call writes some of them.
    pub fn to_write(self) -> Out<usize> {
        Out(self.0.cast_mut().cast())
    }
}

/// A text that a zero byte ends.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

impl Text {
    /// The text; null is an error.
    pub fn get(&self) -> Answer<String> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        // SAFETY: C's promise: a zero byte ends it.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}

/// Memory of the host that a call names.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Host(*mut u8);

// SAFETY: an address; who keeps it has C's promise for as long as it is kept.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}
// SAFETY: as above.
unsafe impl<T> Send for In<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for In<T> {}

impl Host {
    /// No memory at all.
    pub fn nowhere() -> Host {
        Host(std::ptr::null_mut())
    }

    /// The address.
    pub fn address(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// Some of the bytes, for as long as they are looked at in the call.
    pub fn bytes(&self, at: u64, count: u64) -> Answer<&[u8]> {
        let (start, count) = self.part(at, count)?;
        // SAFETY: C's promise: the call names so many bytes, and nobody writes them meanwhile.
        Ok(if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start, count) } })
    }

    /// Some of the bytes, to be written.
    pub fn bytes_mut(&mut self, at: u64, count: u64) -> Answer<&mut [u8]> {
        let (start, count) = self.part(at, count)?;
        // SAFETY: C's promise: the call names so many bytes, and nobody uses them meanwhile.
        Ok(if count == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(start, count) } })
    }

    fn part(&self, at: u64, count: u64) -> Answer<(*mut u8, usize)> {
        let most = |end: &u64| *end <= isize::MAX as u64;
        at.checked_add(count).filter(most).ok_or(Failed::from(Code::INVALID_VALUE))?;
        if self.0.is_null() && count > 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        Ok((self.0.wrapping_add(at as usize), count as usize))
    }

    /// What lies there, as a structure begins with it.
    pub fn field<const N: usize>(&self, at: u64) -> Answer<[u8; N]> {
        let mut field = [0; N];
        field.copy_from_slice(self.bytes(at, N as u64)?);
        Ok(field)
    }

    /// A pointer that stands there.
    pub fn follow(&self, at: u64) -> Answer<Host> {
        let address = usize::from_le_bytes(self.field(at)?);
        Ok(Host(std::ptr::with_exposed_provenance_mut(address)))
    }

    /// The bytes before the zero that ends a text.
    pub fn text(&self) -> Answer<&[u8]> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        // SAFETY: C's promise: a zero byte ends it.
        Ok(unsafe { CStr::from_ptr(self.0.cast()) }.to_bytes())
    }

    /// Writes a text and the zero that ends it, cut to the room that there is.
    pub fn give_text(&mut self, text: &str, room: u64) -> Answer<u64> {
        let Some(most) = room.checked_sub(1) else { return Ok(0) };
        let cut = text.floor_char_boundary(text.len().min(most as usize));
        let to = self.bytes_mut(0, cut as u64 + 1)?;
        to[..cut].copy_from_slice(&text.as_bytes()[..cut]);
        to[cut] = 0;
        Ok(cut as u64 + 1)
    }

    /// The memory so many bytes further.
    pub fn further(self, bytes: u64) -> Host {
        Host(self.0.wrapping_add(bytes as usize))
    }

    /// The values that lie there.
    pub fn values<T: Plain>(self) -> In<T> {
        In(self.0.cast_const().cast())
    }

    /// Room for a value that is there.
    pub fn room<T: Plain>(self) -> Out<T> {
        Out(self.0.cast())
    }

    /// Memory to be lent to the device from here on.
    pub fn start(self) -> *mut u8 {
        self.0
    }
}

/// An address of the device or of the host, where a call takes both.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Address(u64);

impl From<Host> for Address {
    fn from(host: Host) -> Address {
        Address(host.address())
    }
}

impl Address {
    /// An address of the device.
    pub fn of(number: u64) -> Address {
        Address(number)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }

    /// The memory, if it is the host's.
    pub fn host(self) -> Host {
        Host(std::ptr::with_exposed_provenance_mut(self.0 as usize))
    }
}

/// A function of the program, called with what was given beside it.
pub type HostFunction = extern "C" fn(usize);

/// A function of the program that gets what was given beside it, how serious a message is, the message, and its bytes.
pub type LogFunction = extern "C" fn(usize, u32, *mut c_char, usize);

/// A kernel's parameter block, with a pointer to each value of it for programs that ask.
pub struct Parameters {
    bytes: Vec<u8>,
    pointers: OnceLock<Vec<Host>>,
}

impl Parameters {
    pub fn new(bytes: Vec<u8>) -> Parameters {
        Parameters { bytes, pointers: OnceLock::new() }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A pointer to each value, good as long as the block is there. Programs only read them.
    pub fn pointers(&self, function: &Function) -> In<Host> {
        let to = |offset: u64| Host(self.bytes.as_ptr().wrapping_add(offset as usize).cast_mut());
        let pointers =
            self.pointers.get_or_init(|| function.parameters.iter().map(|p| to(p.offset)).collect());
        In(pointers.as_ptr())
    }
}

/// The parameter block of a kernel for one pointer to each value.
pub fn parameters(pointers: In<Host>, function: &Function) -> Answer<Vec<u8>> {
    let mut block = vec![0; function.parameter_bytes as usize];
    for (k, parameter) in function.parameters.iter().enumerate() {
        let value = pointers.at(k)?;
        block[parameter.offset as usize..][..parameter.size as usize]
            .copy_from_slice(value.bytes(0, parameter.size)?);
    }
    Ok(block)
}

/// Ends the list that `extra` is, and names what comes next in it.
const END: u64 = 0;
const BUFFER: u64 = 1;
const BUFFER_BYTES: u64 = 2;

/// The parameter block of a kernel that is passed as a whole.
pub fn packed(list: In<Host>, function: &Function) -> Answer<Vec<u8>> {
    let (mut buffer, mut bytes) = (None, None);
    let mut at = 0;
    loop {
        match list.at(at)?.address() {
            END => break,
            BUFFER => buffer = Some(list.at(at + 1)?),
            BUFFER_BYTES => bytes = Some(u64::from_le_bytes(list.at(at + 1)?.field(0)?)),
            _ => return Err(Code::INVALID_VALUE.into()),
        }
        at += 2;
    }
    let wanted = function.parameters.last().map_or(0, |last| last.offset + last.size);
    let bytes = bytes.unwrap_or(0);
    if bytes < wanted {
        let text =
            format!("kernel `{}` takes {wanted} bytes of parameters, but {bytes} are given", function.name);
        return Err(Failed::because(Code::INVALID_VALUE, text));
    }
    let mut block = vec![0; function.parameter_bytes as usize];
    if let Some(buffer) = buffer {
        let given = bytes.min(function.parameter_bytes);
        block[..given as usize].copy_from_slice(buffer.bytes(0, given)?);
    }
    Ok(block)
}
