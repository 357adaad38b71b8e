//! The memory of NumPy arrays: the one place where the package touches memory that Rust does not own.

#![allow(unsafe_code)]

use margay::exec::memory::LENT_ALIGNMENT;
use margay::exec::{LaunchError, Memory};
use margay::problem::Problem;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods, npyffi::NPY_ARRAY_WRITEABLE};
use pyo3::prelude::*;

/// The bytes of a contiguous array, which it keeps alive.
pub struct Bytes {
    start: *mut u8,
    len: usize,
    read_only: bool,
    _array: Py<PyAny>,
}

// SAFETY: the pointer is to memory of an array that stays alive, and NumPy frees no memory of a living array that others
// refer to. What may be done to the bytes meanwhile is told at `Placed`.
unsafe impl Send for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// The bytes of an array of any shape whose elements lie behind each other, in C or Fortran order, as the machine has them.
    pub fn of(array: &Bound<PyUntypedArray>) -> PyResult<Result<Bytes, Problem>> {
        let dtype = array.dtype();
        if dtype.has_object() {
            let problem = Problem::new("an array of Python objects has no memory that a kernel could use");
            return Ok(Err(problem.help("choose a number type: `array.astype(np.uint32)`")));
        }
        if !dtype.getattr("isnative")?.is_truthy()? {
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
        let (start, flags) = unsafe {
            let head = array.as_array_ptr();
            ((*head).fields.data.cast::<u8>(), (*head).fields.flags)
        };
        let read_only = flags & NPY_ARRAY_WRITEABLE == 0;
        Ok(Ok(Bytes { start, len, read_only, _array: array.clone().into_any().unbind() }))
    }
}

impl Bytes {
    /// All of them, to be read.
    pub fn shared(&self) -> &[u8] {
        // SAFETY: the array is alive, and its elements lie behind each other; see `Placed`. NumPy's pointers are never null.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }

    fn overlaps(&self, other: &Bytes) -> bool {
        let ends = |bytes: &Bytes| (bytes.start as usize, bytes.start as usize + bytes.len);
        let ((start, end), (other_start, other_end)) = (ends(self), ends(other));
        start < other_end && other_start < end
    }
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
/// to do so while it computes, and so does margay: it is said where launches are documented.
pub struct Placed {
    /// Stretches of host memory that lie apart, each with its place in the device's memory.
    regions: Vec<Region>,
}

struct Region {
    start: usize,
    end: usize,
    read_only: bool,
    name: String,
    address: u64,
}

impl Placed {
    /// Puts arrays, each with its name for errors, into a device's memory: in place where they are aligned enough, else as
    /// copies. Arrays that overlap do so there too.
    pub fn new(arrays: &[(String, &Bytes)], memory: &mut Memory) -> Result<Placed, LaunchError> {
        let mut regions: Vec<Region> = Vec::new();
        let mut sorted: Vec<_> = arrays.iter().collect();
        sorted.sort_by_key(|(_, bytes)| bytes.start);
        for (_, bytes) in sorted {
            let start = bytes.start as usize;
            let end = start + bytes.len;
            let shares = |last: &&mut Region| start < last.end || (start, end) == (last.start, last.end);
            match regions.last_mut().filter(shares) {
                Some(last) => {
                    last.end = last.end.max(end);
                    last.read_only &= bytes.read_only;
                }
                None => {
                    let name = String::new();
                    regions.push(Region { start, end, read_only: bytes.read_only, name, address: 0 });
                }
            }
        }
        // In the order of the arguments, not of the host's addresses, so that the device's are the same in every run.
        let first = |region: &Region| arrays.iter().position(|(_, bytes)| region.holds(bytes));
        regions.sort_by_cached_key(first);
        for region in &mut regions {
            let names = arrays.iter().filter(|(_, bytes)| region.holds(bytes)).map(|(name, _)| name.as_str());
            region.name = names.collect::<Vec<_>>().join(" and ");
        }
        let mut placed = Placed { regions: Vec::with_capacity(regions.len()) };
        for mut region in regions {
            match region.put(memory) {
                Ok(address) => region.address = address,
                Err(error) => {
                    placed.take_back(memory);
                    return Err(error);
                }
            }
            placed.regions.push(region);
        }
        Ok(placed)
    }

    /// The device's address of an array that was placed.
    pub fn address(&self, bytes: &Bytes) -> u64 {
        let found = self.regions.iter().find(|region| region.holds(bytes));
        found.map_or(0, |region| region.address + (bytes.start as usize - region.start) as u64)
    }

    /// Copies what the device's copies hold back into the arrays that may be written, and gives the device's memory back.
    pub fn take_back(self, memory: &mut Memory) {
        for region in self.regions.iter().filter(|region| !region.read_only && !region.is_lent()) {
            let len = region.end - region.start;
            if let Ok(bytes) = memory.read(region.address, len as u64) {
                // SAFETY: the region is that of arrays that may be written, which `Bytes` keep alive; see `Placed`.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), region.start as *mut u8, len) };
            }
        }
        if let Some(first) = self.regions.first() {
            // They were allocated here, and nothing behind them, so they can be given back.
            let _ = memory.rewind(first.address);
        }
    }
}

impl Region {
    fn holds(&self, bytes: &Bytes) -> bool {
        let start = bytes.start as usize;
        self.start <= start && start + bytes.len <= self.end
    }

    /// Whether kernels use the host's bytes, not copies.
    fn is_lent(&self) -> bool {
        (self.start as u64).is_multiple_of(LENT_ALIGNMENT)
    }

    fn put(&self, memory: &mut Memory) -> Result<u64, LaunchError> {
        let len = (self.end - self.start) as u64;
        if self.is_lent() {
            // SAFETY: the region is that of arrays that `Bytes` keep alive until they are taken back; see `Placed`.
            return unsafe { memory.lend(self.start as *mut u8, len, &self.name, self.read_only) };
        }
        let address = match self.read_only {
            true => memory.alloc_read_only(len, format!("{}, an array that is only read", self.name)),
            false => memory.alloc(len, &self.name),
        }?;
        // SAFETY: as above. NumPy's pointers are never null.
        let bytes = unsafe { std::slice::from_raw_parts(self.start as *const u8, self.end - self.start) };
        memory.write(address, bytes).map_err(|fault| LaunchError::new(fault.to_string()))?;
        Ok(address)
    }
}
