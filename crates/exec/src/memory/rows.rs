//! Rows of memory copied to other memory: for threads whose elements lie one after the other on both sides.

#![allow(unsafe_code)]

use super::Bulk;
use super::grid::{Grid, joined};
use crate::batch::Level;
#[cfg(target_arch = "x86_64")]
use crate::batch::Simd;

/// Bytes that are copied at once.
const PIECE: usize = 64;

impl Bulk<'_> {
    /// Writes elements of so many bytes, one for each of a grid's threads, that another one says where to find in other memory; the
    /// elements of neighbours along the first axis must follow each other in both.
    ///
    /// # Panics
    /// If an element lies outside or is not aligned, or the grids have other extents or other distances along the first axis.
    pub(crate) fn copy_rows(self, level: Level, to: Grid, (other, from): (Bulk, Grid), size: u32) {
        let threads = to.extent.iter().map(|n| *n as usize).product();
        to.check(self.len(), size.into(), threads);
        from.check(other.len(), size.into(), threads);
        assert!(to.extent == from.extent && [to, from].iter().all(|grid| grid.steps[0] == i64::from(size)));
        let starts = (
            self.start().wrapping_add(to.at as usize),
            other.start().wrapping_add(from.at as usize).cast_const(),
        );
        let grids = joined([to, from]);
        // SAFETY: all elements lie inside, and rows are nothing but elements; the machine has the level. What one memory has is not in
        // the other: for races see `bulk.rs`.
        unsafe {
            match level.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::copy_avx512(starts, &grids, size as usize),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::copy_avx2(starts, &grids, size as usize),
                _ => copy(starts, &grids, size as usize),
            }
        }
    }
}

/// Copies row after row.
///
/// # Safety
/// The grids' elements must lie behind the starts in memory, each row's one after the other.
#[inline(always)]
unsafe fn copy(starts: (*mut u8, *const u8), grids: &[Grid; 2], size: usize) {
    let row = grids[0].extent[0] as usize * size;
    // SAFETY: the caller's promise.
    unsafe {
        match row {
            // Most rows are of 16 threads: then their loops are none.
            PIECE => each_row(starts, grids, |to, from| copy_row(to, from, PIECE)),
            _ => each_row(starts, grids, |to, from| copy_row(to, from, row)),
        }
    }
}

/// Calls `copy` for the places of each row.
#[inline(always)]
fn each_row((to, from): (*mut u8, *const u8), grids: &[Grid; 2], copy: impl Fn(*mut u8, *const u8)) {
    let [_, y, z, w] = grids[0].extent.map(|n| n as isize);
    let [to_steps, from_steps] = grids.map(|grid| grid.steps.map(|step| step as isize));
    for k in 0..w {
        for j in 0..z {
            let far = |steps: [isize; 4]| k * steps[3] + j * steps[2];
            let (mut to, mut from) =
                (to.wrapping_offset(far(to_steps)), from.wrapping_offset(far(from_steps)));
            for _ in 0..y {
                copy(to, from);
                (to, from) = (to.wrapping_offset(to_steps[1]), from.wrapping_offset(from_steps[1]));
            }
        }
    }
}

/// Copies so many bytes.
///
/// # Safety
/// They must lie in memory, on both sides, apart from each other.
#[inline(always)]
unsafe fn copy_row(to: *mut u8, from: *const u8, bytes: usize) {
    let pieces = bytes / PIECE * PIECE;
    // SAFETY: the caller's promise.
    unsafe {
        for at in (0..pieces).step_by(PIECE) {
            let piece = from.wrapping_add(at).cast::<[u8; PIECE]>().read_unaligned();
            to.wrapping_add(at).cast::<[u8; PIECE]>().write_unaligned(piece);
        }
        if pieces < bytes {
            std::ptr::copy_nonoverlapping(from.wrapping_add(pieces), to.wrapping_add(pieces), bytes - pieces);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;

    /// # Safety
    /// As for `copy`.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn copy_avx2(starts: (*mut u8, *const u8), grids: &[Grid; 2], size: usize) {
        // SAFETY: the caller's promise.
        unsafe { copy(starts, grids, size) }
    }

    /// # Safety
    /// As for `copy`.
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    pub(super) unsafe fn copy_avx512(starts: (*mut u8, *const u8), grids: &[Grid; 2], size: usize) {
        // SAFETY: the caller's promise.
        unsafe { copy(starts, grids, size) }
    }
}
