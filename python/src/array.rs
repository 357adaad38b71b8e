//! The memory of NumPy arrays: the one place where the package touches memory that Rust does not own.

#![allow(unsafe_code)]

use margay::exec::memory::{Fault, LENT_ALIGNMENT};
use margay::exec::{LaunchError, Memory};
use margay::problem::Problem;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods, npyffi::NPY_ARRAY_WRITEABLE};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

use crate::address::Reached;
use crate::raise;

/// The bytes of a contiguous array, which it keeps alive.
pub struct Bytes {
    start: *mut u8,
    len: usize,
    read_only: bool,
    array: Py<PyAny>,
    /// Whether the array is the caller's, not one made for this call.
    is_given: bool,
}

// SAFETY: the pointer is to memory of an array that stays alive, and NumPy frees no memory of a living array that others
// refer to. What may be done to the bytes meanwhile is told at `Placed`.
unsafe impl Send for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// The bytes of an array of any shape whose elements lie behind each other, in C or Fortran order, as the machine has them.
    pub fn of(array: &Bound<PyUntypedArray>) -> PyResult<Result<Bytes, Problem>> {
        Bytes::with(array, true)
    }

    /// The same of an array that was made for this call, which lends the memory of something else.
    pub fn of_passing(array: &Bound<PyUntypedArray>) -> PyResult<Result<Bytes, Problem>> {
        Bytes::with(array, false)
    }

    fn with(array: &Bound<PyUntypedArray>, is_given: bool) -> PyResult<Result<Bytes, Problem>> {
        let dtype = array.dtype();
        if dtype.has_object() {
            let problem = Problem::new("an array of Python objects has no memory that a kernel could use");
            return Ok(Err(problem.help("choose a number type: `array.astype(np.uint32)`")));
        }
        // Of a record, each field has an order of its own.
        let is_native = match dtype.is_native_byteorder() {
            Some(native) => native,
            None if dtype.has_fields() => dtype.getattr("isnative")?.is_truthy()?,
            None => true,
        };
        if !is_native {
            let problem = Problem::new(format!("the bytes of `{}` are swapped", dtype.getattr("str")?));
            return Ok(Err(
                problem.help("PTX is little-endian: `array.astype(array.dtype.newbyteorder('<'))`")
            ));
        }
        if !array.is_contiguous() {
            let problem = Problem::new("the array is not contiguous");
            return Ok(Err(problem.help("pass `np.ascontiguousarray(array)`, and copy the result back")));
        }
        let len = array.len() * dtype.itemsize();
        // SAFETY: `array` is an array, so its head may be read while the interpreter's lock is held.
        let start = unsafe { (*array.as_array_ptr()).fields.data.cast::<u8>() };
        let read_only = is_read_only(array);
        Ok(Ok(Bytes { start, len, read_only, array: array.clone().into_any().unbind(), is_given }))
    }
}

/// Where the host has the bytes of an array, whatever its strides.
pub fn extent(array: &Bound<PyUntypedArray>) -> Range<usize> {
    // SAFETY: `array` is an array, so its head may be read while the interpreter's lock is held.
    let start = unsafe { (*array.as_array_ptr()).fields.data.addr() };
    if array.len() == 0 {
        return start..start;
    }
    let (mut below, mut above) = (0, array.dtype().itemsize());
    for (count, stride) in array.shape().iter().zip(array.strides()) {
        let far = (count - 1) * stride.unsigned_abs();
        if *stride < 0 { below += far } else { above += far }
    }
    start - below..start + above
}

/// What an array is a view of, if it is one.
pub fn base<'py>(array: &Bound<'py, PyUntypedArray>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: as above; the array refers to its base as long as it lives.
    unsafe { Bound::from_borrowed_ptr_or_opt(array.py(), (*array.as_array_ptr()).fields.base) }
}

/// How many references to an object there are.
pub fn references(object: &Bound<PyAny>) -> usize {
    // SAFETY: the object is alive, and the interpreter's lock is held.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) as usize }
}

/// Whether an array is only read.
pub fn is_read_only(array: &Bound<PyUntypedArray>) -> bool {
    // SAFETY: as above.
    unsafe { (*array.as_array_ptr()).fields.flags & NPY_ARRAY_WRITEABLE == 0 }
}

impl Bytes {
    /// All of them, to be read.
    pub fn shared(&self) -> &[u8] {
        // SAFETY: the array is alive, and its elements lie behind each other; see `Placed`. NumPy's pointers are never null.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }

    /// Where the host has them.
    pub fn span(&self) -> Range<usize> {
        let start = self.start.addr();
        start..start + self.len
    }

    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// The caller's array.
    pub fn array<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyUntypedArray>> {
        self.array.bind(py).cast::<PyUntypedArray>().ok().filter(|_| self.is_given).cloned()
    }

    /// Whether they are the bytes of this array.
    pub fn is_of(&self, array: &Bound<PyAny>) -> bool {
        self.array.is(array)
    }

    fn overlaps(&self, other: &Bytes) -> bool {
        let ends = |bytes: &Bytes| (bytes.start as usize, bytes.start as usize + bytes.len);
        let ((start, end), (other_start, other_end)) = (ends(self), ends(other));
        start < other_end && other_start < end
    }
}

/// The device's address of an array, which lasts as long as its memory.
#[pyfunction]
pub fn address(array: &Bound<PyUntypedArray>) -> PyResult<u64> {
    let py = array.py();
    let bytes = Bytes::of(array)?.map_err(|problem| raise::launch_error(py, &problem))?;
    let address = crate::address::lasting(py, &bytes)?;
    address.ok_or_else(|| raise::launch_error(py, &Problem::new("no address is left for the array")))
}

/// The bytes of arrays that are written: none may overlap another, or one that is read.
pub fn apart<'a>(read: &[&Bytes], written: &'a mut [Bytes]) -> Result<Vec<&'a mut [u8]>, LaunchError> {
    for (at, bytes) in written.iter().enumerate() {
        if bytes.read_only {
            return Err(LaunchError::new("the array for the result is only read"));
        }
        let others = read.iter().copied().chain(&written[..at]);
        if others.into_iter().any(|other| bytes.overlaps(other)) {
            let error = LaunchError::new("the array for the result shares its memory with another operand");
            return Err(error.help("give it memory of its own: `np.empty_like(array)`"));
        }
    }
    // SAFETY: they are alive, may be written, and share no byte with each other or with what is read; see `Placed`.
    let all = |bytes: &'a mut Bytes| unsafe { std::slice::from_raw_parts_mut(bytes.start, bytes.len) };
    Ok(written.iter_mut().map(all).collect())
}

/// Where the bytes of arrays lie in a device's memory during a launch.
///
/// While the launch runs, without the interpreter's lock, other Python threads could change an array. NumPy asks its users not
/// to do so while it computes, and so does margay: it is said where launches are documented. Other launches may do so: all use
/// the bytes as [`Memory`] does.
pub struct Placed {
    /// Stretches of host memory that lie apart, each with its place in the device's memory.
    regions: Vec<Region>,
    /// Copies that may be written: which region, and what it held.
    copies: Vec<(usize, Vec<u8>)>,
}

/// What errors call memory that a kernel can reach only by its address.
const OTHER: &str = "an array that is not an argument";

struct Region {
    span: Range<usize>,
    read_only: bool,
    name: Cow<'static, str>,
    address: u64,
}

impl Placed {
    /// Puts all that kernels may reach into a device's memory: in place where it is aligned as the device's addresses are, else
    /// as copies. Arrays that overlap do so there too. Arguments have names for errors. After an error the memory is of no use: it
    /// may have some of them.
    pub fn new(
        arguments: &[(String, &Bytes)],
        reached: &[Reached],
        memory: &mut Memory,
    ) -> Result<Placed, LaunchError> {
        let mut regions: Vec<Region> = Vec::with_capacity(reached.len());
        let mut sorted: Vec<_> = reached.iter().collect();
        sorted.sort_by_key(|reached| reached.span.start);
        for Reached { span, read_only, address } in sorted {
            let shares = |last: &&mut Region| span.start < last.span.end || *span == last.span;
            match regions.last_mut().filter(shares) {
                Some(last) => {
                    last.span.end = last.span.end.max(span.end);
                    last.read_only &= read_only;
                }
                None => {
                    let (span, read_only, address) = (span.clone(), *read_only, *address);
                    regions.push(Region { span, read_only, name: OTHER.into(), address });
                }
            }
        }
        for region in &mut regions {
            let names =
                arguments.iter().filter(|(_, bytes)| region.holds(bytes)).map(|(name, _)| name.as_str());
            let names: Vec<_> = names.collect();
            if !names.is_empty() {
                region.name = names.join(" and ").into();
            }
        }
        regions.sort_by_key(|region| region.address);
        let mut placed = Placed { regions: Vec::with_capacity(regions.len()), copies: Vec::new() };
        for region in regions {
            if let Some(held) = region.put(memory)? {
                placed.copies.push((placed.regions.len(), held));
            }
            placed.regions.push(region);
        }
        Ok(placed)
    }

    /// The device's address of an array that was placed.
    pub fn address(&self, bytes: &Bytes) -> u64 {
        let found = self.regions.iter().find(|region| region.holds(bytes));
        found.map_or(0, |region| region.address + (bytes.start.addr() - region.span.start) as u64)
    }

    /// Copies what the launch has changed in the device's copies back into the arrays, and takes all out of the device's memory.
    /// What it has left alone may have been changed by another.
    pub fn take_back(self, mut memory: Memory) -> Option<Memory> {
        for (region, held) in &self.copies {
            let region = &self.regions[*region];
            // Neither fails: the copy is there, and so are the bytes that were read for it.
            let (Ok(bytes), Ok(mut host)) = (memory.read(region.address, held.len() as u64), region.host())
            else {
                continue;
            };
            for changed in differences(&bytes, held) {
                let _ = host.write((region.span.start + changed.start) as u64, &bytes[changed]);
            }
        }
        if let Some(first) = self.regions.first() {
            // They lie above all that the memory has itself, so they can be given back.
            memory.rewind(first.address).ok()?;
        }
        Some(memory)
    }
}

/// Where two pieces of memory of one length differ.
fn differences(new: &[u8], old: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    std::iter::from_fn(move || {
        let next = |from: usize, differ: bool| {
            let mut pairs = new[from..].iter().zip(&old[from..]);
            pairs.position(|(new, old)| (new != old) == differ).map(|skip| from + skip)
        };
        let start = next(end, true)?;
        end = next(start, false).unwrap_or(new.len());
        Some(start..end)
    })
}

impl Region {
    fn holds(&self, bytes: &Bytes) -> bool {
        let span = bytes.span();
        self.span.start <= span.start && span.end <= self.span.end
    }

    /// Whether kernels use the host's bytes, not copies.
    fn is_lent(&self) -> bool {
        (self.span.start as u64 ^ self.address).is_multiple_of(LENT_ALIGNMENT)
    }

    /// The host's bytes, at their own addresses.
    fn host(&self) -> Result<Memory, LaunchError> {
        let mut host = Memory::host();
        let (start, len) = (self.span.start, self.span.len() as u64);
        // SAFETY: the region is that of arrays that the launch keeps alive longer than this is used; see `Placed`.
        unsafe { host.lend(start as *mut u8, len, &*self.name, self.read_only) }?;
        Ok(host)
    }

    /// Puts it into a device's memory. Gives what it held if it is a copy that may be written.
    fn put(&self, memory: &mut Memory) -> Result<Option<Vec<u8>>, LaunchError> {
        let (start, len) = (self.span.start, self.span.len() as u64);
        if self.is_lent() {
            // SAFETY: the region is that of arrays that the launch keeps alive until they are taken back; see `Placed`.
            unsafe { memory.lend_at(self.address, start as *mut u8, len, &*self.name, self.read_only) }?;
            return Ok(None);
        }
        let name = match self.read_only {
            true => format!("{}, an array that is only read", self.name),
            false => self.name.to_string(),
        };
        memory.alloc_at(self.address, len, name, self.read_only)?;
        if len == 0 {
            return Ok(None);
        }
        let wrong = |fault: Fault| LaunchError::new(fault.to_string());
        let held = self.host()?.read(start as u64, len).map_err(wrong)?;
        memory.write(self.address, &held).map_err(wrong)?;
        Ok((!self.read_only).then_some(held))
    }
}
