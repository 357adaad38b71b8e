//! Elements of memory whose offsets are affine along the axes of a block: read for its threads, and written by them.
//!
//! One check for all of them, then loops over rows of threads, compiled for each level of vector instructions.

#![allow(unsafe_code)]

use super::Bulk;
use crate::batch::Level;
#[cfg(target_arch = "x86_64")]
use crate::batch::Simd;

/// Axes of a grid.
const AXES: usize = 4;
/// Threads that are moved at once.
const GROUP: usize = 16;

/// Offsets of elements, in bytes: the first one's, and how far each lies behind the one before along each axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) at: u64,
    pub(crate) steps: [i64; AXES],
    pub(crate) extent: [u32; AXES],
}

impl Grid {
    /// The same with axes joined along which elements go on as they do along those before.
    fn joined(self) -> Grid {
        let [grid] = joined([self]);
        grid
    }

    /// # Panics
    /// If an element lies outside so many bytes or is not aligned, or there is not one for each of so many threads.
    pub(super) fn check(&self, bytes: u64, width: u64, threads: usize) {
        let (mut below, mut above, mut low_bits) = (0i64, 0i64, self.at);
        let mut count = 1u64;
        for (step, extent) in self.steps.iter().zip(self.extent) {
            if extent == 1 {
                continue;
            }
            // What leaves 64 bits stays at their end, far outside.
            let far = step.saturating_mul(i64::from(extent) - 1);
            if far < 0 {
                below = below.saturating_add(far)
            } else {
                above = above.saturating_add(far)
            }
            low_bits |= *step as u64;
            count = count.saturating_mul(extent.into());
        }
        let first = self.at.checked_add_signed(below);
        let end = self.at.checked_add_signed(above).and_then(|last| last.checked_add(width));
        assert!(first.is_some() && end.is_some_and(|end| end <= bytes) && low_bits & (width - 1) == 0);
        assert!(count == threads as u64 && count <= u32::MAX.into() && count > 0);
    }
}

/// Grids of the same extent with axes joined along which the elements of all of them go on as they do along those before.
pub(super) fn joined<const GRIDS: usize>(mut grids: [Grid; GRIDS]) -> [Grid; GRIDS] {
    let (mut last, mut joined) = (0, grids[0].extent);
    for axis in 1..AXES {
        let extent = joined[axis];
        if extent == 1 {
            continue;
        }
        let goes_on = |grid: &Grid| grid.steps[axis] == grid.steps[last].wrapping_mul(joined[last].into());
        if joined[last] != 1 && !grids.iter().all(goes_on) {
            last += 1;
            joined[last] = 1;
        }
        if joined[last] == 1 {
            grids.iter_mut().for_each(|grid| grid.steps[last] = grid.steps[axis]);
        }
        joined[last] *= extent;
    }
    joined[last + 1..].fill(1);
    grids.iter_mut().for_each(|grid| grid.extent = joined);
    grids
}

/// What a lane holds of an element of memory.
pub(super) trait Lane<E>: Copy {
    fn of(element: E) -> Self;
    fn cut(self) -> E;
}

impl Lane<u8> for u32 {
    #[inline(always)]
    fn of(element: u8) -> u32 {
        element.into()
    }
    #[inline(always)]
    fn cut(self) -> u8 {
        self as u8
    }
}

impl Lane<u16> for u32 {
    #[inline(always)]
    fn of(element: u16) -> u32 {
        element.into()
    }
    #[inline(always)]
    fn cut(self) -> u16 {
        self as u16
    }
}

impl Lane<u32> for u32 {
    #[inline(always)]
    fn of(element: u32) -> u32 {
        element
    }
    #[inline(always)]
    fn cut(self) -> u32 {
        self
    }
}

impl Lane<u64> for u64 {
    #[inline(always)]
    fn of(element: u64) -> u64 {
        element
    }
    #[inline(always)]
    fn cut(self) -> u64 {
        self
    }
}

impl Bulk<'_> {
    /// Elements of up to 4 bytes, each with zeros above.
    pub(crate) fn read_grid(self, level: Level, grid: Grid, width: u32, out: &mut [u32]) {
        match width {
            1 => self.read::<u8, u32>(level, grid, out),
            2 => self.read::<u16, u32>(level, grid, out),
            _ => self.read::<u32, u32>(level, grid, out),
        }
    }

    /// Elements of 8 bytes.
    pub(crate) fn read_grid_u64(self, level: Level, grid: Grid, out: &mut [u64]) {
        self.read::<u64, u64>(level, grid, out);
    }

    /// Writes elements of up to 4 bytes: the low bytes of each value, or of the first one for all. Of several to one place
    /// the last one's stays.
    pub(crate) fn write_grid(self, level: Level, grid: Grid, width: u32, from: &[u32], same: bool) {
        match width {
            1 => self.write::<u8, u32>(level, grid, from, same),
            2 => self.write::<u16, u32>(level, grid, from, same),
            _ => self.write::<u32, u32>(level, grid, from, same),
        }
    }

    /// Writes elements of 8 bytes.
    pub(crate) fn write_grid_u64(self, level: Level, grid: Grid, from: &[u64], same: bool) {
        self.write::<u64, u64>(level, grid, from, same);
    }

    #[inline(always)]
    fn read<E: Copy, T: Lane<E>>(self, level: Level, grid: Grid, out: &mut [T]) {
        grid.check(self.len(), size_of::<E>() as u64, out.len());
        let (start, grid) = (self.start().wrapping_add(grid.at as usize).cast_const(), grid.joined());
        // SAFETY: all elements lie inside and are aligned, there is one for each of `out`, and registers are never in
        // memory; the machine has the level.
        unsafe {
            match level.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::read_avx512::<E, T>(start, &grid, out),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::read_avx2::<E, T>(start, &grid, out),
                _ => read_rows::<E, T, false>(start, &grid, out),
            }
        }
    }

    #[inline(always)]
    fn write<E: Copy, T: Lane<E>>(self, level: Level, grid: Grid, from: &[T], same: bool) {
        let threads = grid.extent.iter().map(|n| *n as usize).product();
        grid.check(self.len(), size_of::<E>() as u64, threads);
        assert!(from.len() >= if same { GROUP } else { threads });
        let (start, grid) = (self.start().wrapping_add(grid.at as usize), grid.joined());
        // SAFETY: as in `read`; there is a value for each element, or a group's for all.
        unsafe {
            match level.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::write_avx512::<E, T>(start, &grid, from, same),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::write_avx2::<E, T>(start, &grid, from, same),
                _ => write_rows(start, &grid, from, same),
            }
        }
    }
}

/// Reads row after row; one that repeats an earlier one is copied from there.
///
/// # Safety
/// The grid's elements must lie behind `start` in memory, with one for each of `out`. `GATHERS` needs AVX-512.
#[inline(always)]
unsafe fn read_rows<E: Copy, T: Lane<E>, const GATHERS: bool>(start: *const u8, grid: &Grid, out: &mut [T]) {
    let (size, step) = (size_of::<E>() as isize, grid.steps[0] as isize);
    // SAFETY: the caller's promise; each way of reading a row is for its step.
    unsafe {
        if step == size {
            each_row(start, grid, out, |from, row| read_packed::<E, T, 1>(from, row));
        } else if step == 0 {
            each_row(start, grid, out, |from: *const E, row| fill(row, T::of(from.read())));
        } else if step == 2 * size {
            each_row(start, grid, out, |from, row| read_packed::<E, T, 2>(from, row));
        } else if step == 4 * size {
            each_row(start, grid, out, |from, row| read_packed::<E, T, 4>(from, row));
        } else if GATHERS && size >= 4 && step.unsigned_abs() < 1 << 26 {
            #[cfg(target_arch = "x86_64")]
            each_row(start, grid, out, |from: *const E, row| x86::gather(from.cast(), step as i32, row));
        } else {
            each_row(start, grid, out, |from, row| read_strided(from, step, row));
        }
    }
}

/// Calls `read` for each row, or copies it from an earlier one that it repeats.
#[inline(always)]
fn each_row<E, T: Copy>(start: *const u8, grid: &Grid, out: &mut [T], read: impl Fn(*const E, &mut [T])) {
    match grid.extent[0] as usize {
        x if x == out.len() => read(start.cast(), out),
        // Most rows are one group: then their loops are none.
        GROUP => each_row_of(GROUP, start, grid, out, read),
        x => each_row_of(x, start, grid, out, read),
    }
}

/// The same for rows of so many threads.
#[inline(always)]
fn each_row_of<E, T: Copy>(
    x: usize,
    start: *const u8,
    grid: &Grid,
    out: &mut [T],
    read: impl Fn(*const E, &mut [T]),
) {
    let [_, y, z, w] = grid.extent.map(|n| n as usize);
    let [_, sy, sz, sw] = grid.steps.map(|n| n as isize);
    let mut row = 0;
    for k in 0..w {
        for j in 0..z {
            // How many rows back the rows lie that this plane repeats.
            let back = if j > 0 && sz == 0 {
                j * y
            } else if k > 0 && sw == 0 {
                k * z * y
            } else {
                0
            };
            let (before, rest) = out.split_at_mut(row * x);
            let plane = &mut rest[..y * x];
            row += y;
            if back > 0 {
                copy(&before[before.len() - back * x..], plane);
                continue;
            }
            let mut from = start.wrapping_offset(k as isize * sw).wrapping_offset(j as isize * sz);
            if sy == 0 && y > 1 {
                let (first, others) = plane.split_at_mut(x);
                read(from.cast(), first);
                others.chunks_exact_mut(x).for_each(|row| copy(first, row));
                continue;
            }
            for lanes in plane.chunks_exact_mut(x) {
                read(from.cast(), lanes);
                from = from.wrapping_offset(sy);
            }
        }
    }
}

#[inline(always)]
fn fill<T: Copy>(out: &mut [T], value: T) {
    let (groups, rest) = out.as_chunks_mut::<GROUP>();
    groups.iter_mut().for_each(|group| *group = [value; GROUP]);
    rest.iter_mut().for_each(|lane| *lane = value);
}

/// Group by group: a call for a few bytes costs more than the bytes.
#[inline(always)]
fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    let from = &from[..to.len()];
    let (groups, rest) = to.as_chunks_mut::<GROUP>();
    let (from_groups, from_rest) = from.as_chunks::<GROUP>();
    groups.iter_mut().zip(from_groups).for_each(|(to, from)| *to = *from);
    rest.iter_mut().zip(from_rest).for_each(|(to, from)| *to = *from);
}

/// Reads a row of elements at some distance.
///
/// # Safety
/// They must lie in memory, aligned.
#[inline(always)]
unsafe fn read_strided<E: Copy, T: Lane<E>>(from: *const E, step: isize, out: &mut [T]) {
    let mut place = from;
    for lane in out {
        // SAFETY: the caller's promise.
        *lane = T::of(unsafe { place.read() });
        place = place.wrapping_byte_offset(step);
    }
}

/// Reads every first, second or fourth element.
///
/// # Safety
/// They must lie in memory, aligned.
#[inline(always)]
unsafe fn read_packed<E: Copy, T: Lane<E>, const STEP: usize>(from: *const E, out: &mut [T]) {
    let (groups, rest) = out.as_chunks_mut::<GROUP>();
    let mut place = from;
    // Lanes of a group that one vector of elements holds.
    let share = GROUP / STEP;
    for group in groups {
        // SAFETY: vectors between the group's first and its last element; the last vector ends with that.
        let vector = |at: usize| unsafe { place.wrapping_add(at).cast::<[E; GROUP]>().read_unaligned() };
        let mut parts = [vector(0); STEP];
        for (part, to) in parts.iter_mut().enumerate().skip(1) {
            let last = part + 1 == STEP;
            *to = vector(part * GROUP - if last { STEP - 1 } else { 0 });
        }
        for (k, lane) in group.iter_mut().enumerate() {
            let (part, n) = (k / share, k % share * STEP);
            *lane = T::of(parts[part][if part + 1 == STEP { n + STEP - 1 } else { n }]);
        }
        place = place.wrapping_add(GROUP * STEP);
    }
    for lane in rest {
        // SAFETY: the caller's promise.
        *lane = T::of(unsafe { place.read() });
        place = place.wrapping_add(STEP);
    }
}

/// Writes row after row.
///
/// # Safety
/// The grid's elements must lie behind `start` in memory, with a value for each of them, or a group's for all.
#[inline(always)]
unsafe fn write_rows<E: Copy, T: Lane<E>>(start: *mut u8, grid: &Grid, from: &[T], same: bool) {
    let (step, x) = (grid.steps[0] as isize, grid.extent[0] as usize);
    // SAFETY: the caller's promise; each way of writing a row is for its step.
    unsafe {
        if same {
            let value = from[0];
            each_row_written(x, start, grid, |place, _| write_same::<E, T>(place, step, x, value));
        } else if step != size_of::<E>() as isize {
            each_row_written(x, start, grid, |place, first| {
                write_strided::<E, T>(place, step, &from[first..][..x])
            });
        } else if x == GROUP {
            // Most rows are one group: then their loops are none.
            each_row_written(x, start, grid, |place, first| {
                write_packed::<E, T>(place, &from[first..][..GROUP])
            });
        } else {
            each_row_written(x, start, grid, |place, first| write_packed::<E, T>(place, &from[first..][..x]));
        }
    }
}

/// Calls `write` for the place of each row, and the number of its first thread.
#[inline(always)]
fn each_row_written(x: usize, start: *mut u8, grid: &Grid, write: impl Fn(*mut u8, usize)) {
    let [_, y, z, w] = grid.extent.map(|n| n as usize);
    let [_, sy, sz, sw] = grid.steps.map(|n| n as isize);
    let mut first = 0;
    for k in 0..w {
        for j in 0..z {
            let mut place = start.wrapping_offset(k as isize * sw).wrapping_offset(j as isize * sz);
            for _ in 0..y {
                write(place, first);
                place = place.wrapping_offset(sy);
                first += x;
            }
        }
    }
}

/// Writes a row of elements that follow each other.
///
/// # Safety
/// They must lie in memory, aligned.
#[inline(always)]
unsafe fn write_packed<E: Copy, T: Lane<E>>(mut place: *mut u8, from: &[T]) {
    let (groups, rest) = from.as_chunks::<GROUP>();
    for group in groups {
        let mut cut = [group[0].cut(); GROUP];
        cut.iter_mut().zip(group).for_each(|(to, lane)| *to = lane.cut());
        // SAFETY: the caller's promise.
        unsafe { place.cast::<[E; GROUP]>().write_unaligned(cut) };
        place = place.wrapping_add(size_of::<[E; GROUP]>());
    }
    // SAFETY: the caller's promise.
    unsafe { write_strided(place, size_of::<E>() as isize, rest) }
}

/// Writes a row of elements at some distance.
///
/// # Safety
/// They must lie in memory, aligned.
#[inline(always)]
unsafe fn write_strided<E: Copy, T: Lane<E>>(mut place: *mut u8, step: isize, from: &[T]) {
    for lane in from {
        // SAFETY: the caller's promise.
        unsafe { place.cast::<E>().write(lane.cut()) };
        place = place.wrapping_offset(step);
    }
}

/// Writes one value to a row of so many elements.
///
/// # Safety
/// They must lie in memory, aligned.
#[inline(always)]
unsafe fn write_same<E: Copy, T: Lane<E>>(mut place: *mut u8, step: isize, x: usize, value: T) {
    for _ in 0..x {
        // SAFETY: the caller's promise.
        unsafe { place.cast::<E>().write(value.cut()) };
        place = place.wrapping_offset(step);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    /// # Safety
    /// As for `read_rows`.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) unsafe fn read_avx2<E: Copy, T: Lane<E>>(start: *const u8, grid: &Grid, out: &mut [T]) {
        // SAFETY: the caller's promise.
        unsafe { read_rows::<E, T, false>(start, grid, out) }
    }

    /// # Safety
    /// As for `read_rows`.
    #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    pub(super) unsafe fn read_avx512<E: Copy, T: Lane<E>>(start: *const u8, grid: &Grid, out: &mut [T]) {
        // SAFETY: the caller's promise; this function has the features that gathering needs.
        unsafe { read_rows::<E, T, true>(start, grid, out) }
    }

    /// Gathers a row of elements of 4 or 8 bytes, as large as a lane, less than 2^26 bytes from each other.
    ///
    /// # Safety
    /// As for `read_strided`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn gather<E: Copy, T: Lane<E>>(start: *const u8, step: i32, out: &mut [T]) {
        let count = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let far = _mm512_mullo_epi32(count, _mm512_set1_epi32(step));
        let mut place = start;
        for lanes in out.chunks_mut(GROUP) {
            let mask = (1u32 << lanes.len()) - 1;
            let to: *mut u8 = lanes.as_mut_ptr().cast();
            // SAFETY: only lanes that are there are read and written, each from where its element lies.
            unsafe {
                if size_of::<E>() == 4 {
                    let none = _mm512_setzero_si512();
                    let read = _mm512_mask_i32gather_epi32::<1>(none, mask as u16, far, place.cast());
                    _mm512_mask_storeu_epi32(to.cast(), mask as u16, read);
                } else {
                    let none = _mm512_setzero_si512();
                    let (low, high) = (_mm512_castsi512_si256(far), _mm512_extracti64x4_epi64::<1>(far));
                    let read = _mm512_mask_i32gather_epi64::<1>(none, mask as u8, low, place.cast());
                    _mm512_mask_storeu_epi64(to.cast(), mask as u8, read);
                    let read = _mm512_mask_i32gather_epi64::<1>(none, (mask >> 8) as u8, high, place.cast());
                    _mm512_mask_storeu_epi64(to.cast::<i64>().wrapping_add(8), (mask >> 8) as u8, read);
                }
            }
            place = place.wrapping_offset(GROUP as isize * step as isize);
        }
    }

    /// # Safety
    /// As for `write_rows`.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) unsafe fn write_avx2<E: Copy, T: Lane<E>>(
        start: *mut u8,
        grid: &Grid,
        from: &[T],
        same: bool,
    ) {
        // SAFETY: the caller's promise.
        unsafe { write_rows(start, grid, from, same) }
    }

    /// # Safety
    /// As for `write_rows`.
    #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    pub(super) unsafe fn write_avx512<E: Copy, T: Lane<E>>(
        start: *mut u8,
        grid: &Grid,
        from: &[T],
        same: bool,
    ) {
        // SAFETY: the caller's promise.
        unsafe { write_rows(start, grid, from, same) }
    }
}

#[cfg(test)]
mod tests;
