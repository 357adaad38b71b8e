//! Many elements of memory at once: as runs, at even distances, or anywhere.
//!
//! Threads of a kernel may race as they like. Runs are copied without atomic operations, since no machine copies a vector
//! with one: every bit pattern is a value, nothing is decided by what is read, and the bounds are checked before; what
//! a race then leaves is what it leaves on a device, some of the bytes written.

#![allow(unsafe_code)]

use super::words::Words;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Bytes that are read and written by many threads of a kernel at once. All offsets are in bytes and aligned to the
/// elements; one outside is refused with a panic, as the callers have checked them.
#[derive(Clone, Copy)]
pub(crate) struct Bulk<'m> {
    start: *mut u8,
    bytes: u64,
    memory: std::marker::PhantomData<&'m AtomicU64>,
}

impl<'m> Bulk<'m> {
    /// The bytes of an allocation.
    pub(crate) fn of_words(words: &'m Words) -> Bulk<'m> {
        let words = words.all();
        // Atomic words may be written through shared references.
        let start = words.as_ptr().cast_mut().cast();
        Bulk { start, bytes: 8 * words.len() as u64, memory: std::marker::PhantomData }
    }

    /// Bytes that belong to one host thread.
    pub(crate) fn of_slice(words: &'m mut [u64]) -> Bulk<'m> {
        Bulk {
            start: words.as_mut_ptr().cast(),
            bytes: 8 * words.len() as u64,
            memory: std::marker::PhantomData,
        }
    }

    /// Where a stretch of bytes begins, if it lies inside.
    pub(crate) fn stretch(self, at: u64, bytes: u64) -> Option<*const u8> {
        // SAFETY: the offset lies inside the bytes.
        at.checked_add(bytes)
            .filter(|end| *end <= self.bytes)
            .map(|_| unsafe { self.start.add(at as usize) }.cast_const())
    }

    /// The place of an element, which must lie inside.
    #[inline(always)]
    fn place(self, at: u64, width: u64) -> *mut u8 {
        assert!(at.checked_add(width).is_some_and(|end| end <= self.bytes) && at.is_multiple_of(width));
        // SAFETY: the offset lies inside the bytes.
        unsafe { self.start.add(at as usize) }
    }

    /// One element of 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(crate) fn load(self, at: u64, width: u32) -> u64 {
        let place = self.place(at, width.into());
        // SAFETY: the place is inside and aligned.
        unsafe {
            match width {
                1 => AtomicU8::from_ptr(place).load(Relaxed).into(),
                2 => AtomicU16::from_ptr(place.cast()).load(Relaxed).into(),
                4 => AtomicU32::from_ptr(place.cast()).load(Relaxed).into(),
                _ => AtomicU64::from_ptr(place.cast()).load(Relaxed),
            }
        }
    }

    /// Writes one element.
    #[inline(always)]
    pub(crate) fn store(self, at: u64, width: u32, value: u64) {
        let place = self.place(at, width.into());
        // SAFETY: the place is inside and aligned.
        unsafe {
            match width {
                1 => AtomicU8::from_ptr(place).store(value as u8, Relaxed),
                2 => AtomicU16::from_ptr(place.cast()).store(value as u16, Relaxed),
                4 => AtomicU32::from_ptr(place.cast()).store(value as u32, Relaxed),
                _ => AtomicU64::from_ptr(place.cast()).store(value, Relaxed),
            }
        }
    }

    /// Puts what `change` makes of 4 or 8 bytes in their place, in one step where other host threads see them. Gives what
    /// they were.
    #[inline(always)]
    pub(crate) fn update(self, at: u64, width: u32, shared: bool, change: impl Fn(u64) -> u64) -> u64 {
        if !shared {
            let old = self.load(at, width);
            self.store(at, width, change(old));
            return old;
        }
        let place = self.place(at, width.into());
        // SAFETY: the place is inside and aligned.
        unsafe {
            if width == 4 {
                let word = AtomicU32::from_ptr(place.cast());
                let change = |old| Some(change(u64::from(old)) as u32);
                return word.fetch_update(Relaxed, Relaxed, change).unwrap_or_else(|old| old).into();
            }
            let word = AtomicU64::from_ptr(place.cast());
            word.fetch_update(Relaxed, Relaxed, |old| Some(change(old))).unwrap_or_else(|old| old)
        }
    }

    /// The start of a run of elements, which must lie inside.
    fn run(self, at: u64, width: u64, count: usize) -> *mut u8 {
        let bytes = width * count as u64;
        assert!(at.checked_add(bytes).is_some_and(|end| end <= self.bytes) && at.is_multiple_of(width));
        // SAFETY: the offset lies inside the bytes, or right behind them for an empty run.
        unsafe { self.start.add(at as usize) }
    }

    /// A run of 4-byte elements.
    pub(crate) fn read_u32s(self, at: u64, out: &mut [u32]) {
        let from = self.run(at, 4, out.len());
        // SAFETY: the run lies inside; registers are never in memory.
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<u32>(), out.as_mut_ptr(), out.len()) }
    }

    /// A run of 8-byte elements.
    pub(crate) fn read_u64s(self, at: u64, out: &mut [u64]) {
        let from = self.run(at, 8, out.len());
        // SAFETY: as in `read_u32s`.
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<u64>(), out.as_mut_ptr(), out.len()) }
    }

    /// Writes a run of 4-byte elements.
    pub(crate) fn write_u32s(self, at: u64, from: &[u32]) {
        let to = self.run(at, 4, from.len());
        // SAFETY: as in `read_u32s`.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.cast::<u32>(), from.len()) }
    }

    /// Writes a run of 8-byte elements.
    pub(crate) fn write_u64s(self, at: u64, from: &[u64]) {
        let to = self.run(at, 8, from.len());
        // SAFETY: as in `read_u32s`.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.cast::<u64>(), from.len()) }
    }

    /// Elements of up to 4 bytes at even distances, each with zeros above.
    pub(crate) fn read_stride(self, at: u64, stride: i64, width: u32, out: &mut [u32]) {
        let Some(start) = self.strided(at, stride, width, out.len()) else { return };
        // SAFETY: the first and the last element lie inside, so all do; they are aligned like the first, since the
        // distance is a multiple of their width.
        unsafe {
            match width {
                1 => each(out, start, stride, |p| u32::from(AtomicU8::from_ptr(p).load(Relaxed))),
                2 => each(out, start, stride, |p| u32::from(AtomicU16::from_ptr(p.cast()).load(Relaxed))),
                _ => each(out, start, stride, |p| AtomicU32::from_ptr(p.cast()).load(Relaxed)),
            }
        }
    }

    /// Elements of 8 bytes at even distances.
    pub(crate) fn read_stride_u64(self, at: u64, stride: i64, out: &mut [u64]) {
        let Some(start) = self.strided(at, stride, 8, out.len()) else { return };
        // SAFETY: as in `read_stride`.
        unsafe { each(out, start, stride, |p| AtomicU64::from_ptr(p.cast()).load(Relaxed)) }
    }

    /// An element of up to 4 bytes from each address, `offset` added to it, with zeros above.
    pub(crate) fn gather(self, addresses: &[u64], offset: u64, width: u32, out: &mut [u32]) {
        for (value, address) in out.iter_mut().zip(addresses) {
            *value = self.load(address.wrapping_add(offset), width) as u32;
        }
    }

    /// An element of 8 bytes from each address, `offset` added to it.
    pub(crate) fn gather_u64(self, addresses: &[u64], offset: u64, out: &mut [u64]) {
        for (value, address) in out.iter_mut().zip(addresses) {
            *value = self.load(address.wrapping_add(offset), 8);
        }
    }

    /// The first of some elements at even distances, all of which lie inside; none if there are none.
    fn strided(self, at: u64, stride: i64, width: u32, count: usize) -> Option<*mut u8> {
        let last = i128::from(at) + i128::from(stride) * (count.checked_sub(1)? as i128);
        let (least, most) = (i128::from(at).min(last), i128::from(at).max(last) + i128::from(width));
        let aligned = at.is_multiple_of(width.into()) && stride % i64::from(width) == 0;
        assert!(least >= 0 && most <= i128::from(self.bytes) && aligned);
        // SAFETY: the offset lies inside the bytes.
        Some(unsafe { self.start.add(at as usize) })
    }
}

/// Reads an element for each of `out`.
///
/// # Safety
/// `read` must be allowed at the start and at every distance from it.
#[inline(always)]
unsafe fn each<T>(out: &mut [T], start: *mut u8, stride: i64, read: impl Fn(*mut u8) -> T) {
    let mut place = start;
    for value in out {
        *value = read(place);
        place = place.wrapping_offset(stride as isize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_strides_and_single_elements_agree() {
        let words = Words::zeroed(256).unwrap();
        words.set_bytes(0, &(0..=255).collect::<Vec<u8>>());
        let bulk = Bulk::of_words(&words);
        let (mut run, mut stride) = ([0; 8], [0; 8]);
        bulk.read_u32s(16, &mut run);
        bulk.read_stride(16, 4, 4, &mut stride);
        assert_eq!(run, stride);
        assert_eq!(run.map(u64::from), std::array::from_fn(|k| bulk.load(16 + 4 * k as u64, 4)));
        bulk.read_stride(255, -3, 1, &mut stride);
        assert_eq!(stride, [255, 252, 249, 246, 243, 240, 237, 234]);
        let mut wide = [0; 3];
        bulk.read_stride_u64(8, 24, &mut wide);
        assert_eq!(wide, [8, 32, 56].map(|at| words.load(at, 8)));
        bulk.write_u32s(100, &[1, 2]);
        bulk.store(108, 2, 0x1234);
        assert_eq!((words.load(100, 4), words.load(104, 4), words.load(108, 2)), (1, 2, 0x1234));
        assert_eq!(bulk.update(100, 4, true, |old| old + 4), 1);
        assert_eq!(bulk.update(100, 4, false, |old| old + 4), 5);
        assert_eq!(bulk.load(100, 4), 9);
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let words = Words::zeroed(32).unwrap();
        let outside = |f: &dyn Fn(Bulk)| {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(Bulk::of_words(&words))));
            assert!(caught.is_err());
        };
        outside(&|bulk| {
            bulk.load(32, 1);
        });
        outside(&|bulk| {
            bulk.load(u64::MAX - 3, 4);
        });
        outside(&|bulk| {
            bulk.load(2, 4);
        });
        outside(&|bulk| bulk.write_u32s(24, &[0; 3]));
        outside(&|bulk| bulk.read_stride(0, 16, 4, &mut [0; 3]));
        outside(&|bulk| bulk.read_stride(8, -8, 4, &mut [0; 3]));
        outside(&|bulk| bulk.read_stride_u64(0, i64::MIN, &mut [0; 3]));
    }
}
