//! Bytes of memory for the threads of a kernel at work; see [`super::grid`] and [`super::gather`] for many elements at once.
//!
//! Threads of a kernel may race as they like. Runs are copied without atomic operations, since no machine copies a vector
//! with one. By the letter of Rust a copy that races with another worker's write is undefined behaviour. What is relied on is
//! less: LLVM gives a racing load an undefined value, and machines leave some of the bytes written. Every bit pattern is a value
//! here, bounds are checked before and not by what is read, so a race shows in the kernel's results and nowhere else. Kernels
//! without races race here, too, where a vector reads neighbours' bytes along (`grid.rs`, the last words of lent memory): what
//! these lanes hold is dropped.

#![allow(unsafe_code)]

use super::words::Words;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, Ordering::Relaxed};

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
        Bulk { start: words.start(), bytes: words.len(), memory: std::marker::PhantomData }
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
        let inside = at.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        inside.then(|| self.start.wrapping_add(at as usize).cast_const())
    }

    /// Where the bytes begin.
    pub(super) fn start(self) -> *mut u8 {
        self.start
    }

    /// How many there are.
    pub(super) fn len(self) -> u64 {
        self.bytes
    }

    /// The place of an element, which must lie inside.
    #[inline(always)]
    pub(super) fn place(self, at: u64, width: u64) -> *mut u8 {
        assert!(at.checked_add(width).is_some_and(|end| end <= self.bytes) && at & (width - 1) == 0);
        self.start.wrapping_add(at as usize)
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

    /// Puts what `change` makes of 1, 2, 4 or 8 bytes in their place, in one step where other host threads see them. Gives
    /// what they were.
    #[inline(always)]
    pub(crate) fn update(self, at: u64, width: u32, shared: bool, change: impl Fn(u64) -> u64) -> u64 {
        if !shared {
            let old = self.load(at, width);
            self.store(at, width, change(old));
            return old;
        }
        self.update_in_order(at, width, Relaxed, change)
    }

    /// The same, always in one step, which other accesses are ordered by.
    #[inline(always)]
    pub(super) fn update_in_order(
        self,
        at: u64,
        width: u32,
        order: Ordering,
        mut change: impl FnMut(u64) -> u64,
    ) -> u64 {
        let place = self.place(at, width.into());
        // SAFETY: the place is inside and aligned.
        unsafe {
            match width {
                1 => {
                    let change = |old: u8| Some(change(old.into()) as u8);
                    let cell = AtomicU8::from_ptr(place);
                    cell.fetch_update(order, Relaxed, change).unwrap_or_else(|old| old).into()
                }
                2 => {
                    let change = |old: u16| Some(change(old.into()) as u16);
                    let cell = AtomicU16::from_ptr(place.cast());
                    cell.fetch_update(order, Relaxed, change).unwrap_or_else(|old| old).into()
                }
                4 => {
                    let change = |old: u32| Some(change(old.into()) as u32);
                    let cell = AtomicU32::from_ptr(place.cast());
                    cell.fetch_update(order, Relaxed, change).unwrap_or_else(|old| old).into()
                }
                _ => {
                    let cell = AtomicU64::from_ptr(place.cast());
                    cell.fetch_update(order, Relaxed, |old| Some(change(old))).unwrap_or_else(|old| old)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_written_and_updated() {
        let words = Words::zeroed(256).unwrap();
        let bulk = Bulk::of_words(&words);
        bulk.store(100, 4, 1);
        bulk.store(104, 2, 0x1_1234);
        bulk.store(107, 1, 0x0156);
        assert_eq!((words.load(100, 4), bulk.load(104, 4), words.load(107, 1)), (1, 0x5600_1234, 0x56));
        assert_eq!(bulk.update(100, 4, true, |old| old + 4), 1);
        assert_eq!(bulk.update(100, 4, false, |old| old + 4), 5);
        assert_eq!(bulk.load(100, 4), 9);
        assert_eq!(bulk.update(8, 8, true, |old| old + (1 << 40)), 0);
        assert_eq!(bulk.load(8, 8), 1 << 40);
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
    }
}
