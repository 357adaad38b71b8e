//! Elements of all threads that lie in every warp alike.

#![allow(unsafe_code)]

use super::Bulk;
use super::grid::Lane;
use crate::batch::Level;
#[cfg(target_arch = "x86_64")]
use crate::batch::Simd;
use margay_isa::WARP;

/// A row of a matrix, how many make one, and matrices whose rows a warp's lanes name.
type Row = [u32; 4];
const ROWS: usize = 8;
const MATRICES: usize = WARP / ROWS;
const ROW_BYTES: u64 = size_of::<Row>() as u64;

/// How far each lane's element lies behind the lowest of its warp.
pub(crate) struct LaneOffsets {
    each: [u64; WARP],
    most: u64,
    bits: u64,
}

impl LaneOffsets {
    pub(crate) fn new(each: [u64; WARP]) -> LaneOffsets {
        let most = each.iter().fold(0, |most, at| *at.max(&most));
        LaneOffsets { each, most, bits: each.iter().fold(0, |bits, at| bits | at) }
    }

    pub(crate) fn each(&self) -> &[u64; WARP] {
        &self.each
    }

    /// The greatest.
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// The bits that some of them have.
    pub(crate) fn bits(&self) -> u64 {
        self.bits
    }
}

/// Where elements of all threads lie: those of lanes in every warp alike.
pub(crate) struct WarpPlaces<'a> {
    pub(crate) lanes: &'a LaneOffsets,
    /// The lowest element of the first warp, and what is added to that in each warp.
    pub(crate) base: u64,
    pub(crate) starts: &'a [u64],
}

impl WarpPlaces<'_> {
    /// The place of the lowest element of each warp.
    ///
    /// # Panics
    /// If elements of so many bytes do not all lie inside.
    #[inline(always)]
    fn lowest(&self, bulk: Bulk<'_>, bytes: u64) -> impl Iterator<Item = *mut u8> {
        let span = self.lanes.most.checked_add(bytes).expect("elements lie together");
        let limit = bulk.len().checked_sub(span).expect("elements lie inside");
        self.starts.iter().map(move |start| {
            let at = start.wrapping_add(self.base);
            assert!(at <= limit, "all elements of a warp lie inside");
            bulk.start().wrapping_add(at as usize)
        })
    }
}

impl Bulk<'_> {
    /// An element of up to 4 bytes for each lane of each warp, with zeros above.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn gather_warps(self, from: &WarpPlaces, bytes: u32, out: &mut [[u32; WARP]]) {
        match bytes {
            1 => self.read_lanes::<u8, u32>(from, out),
            2 => self.read_lanes::<u16, u32>(from, out),
            _ => self.read_lanes::<u32, u32>(from, out),
        }
    }

    /// One of 8 bytes.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn gather_warps_u64(self, from: &WarpPlaces, out: &mut [[u64; WARP]]) {
        self.read_lanes::<u64, u64>(from, out);
    }

    #[inline(always)]
    fn read_lanes<E: Copy, T: Lane<E>>(self, from: &WarpPlaces, out: &mut [[T; WARP]]) {
        for (place, out) in from.lowest(self, size_of::<E>() as u64).zip(out) {
            for (lane, at) in out.iter_mut().zip(&from.lanes.each) {
                // SAFETY: all of the warp's elements lie inside, and any bits are a number. For races see `bulk.rs`.
                *lane = T::of(unsafe { place.wrapping_add(*at as usize).cast::<E>().read_unaligned() });
            }
        }
    }

    /// Writes an element of up to 4 bytes for each lane of each warp, in this order.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn scatter_warps(self, to: &WarpPlaces, bytes: u32, values: &[[u32; WARP]]) {
        match bytes {
            1 => self.write_lanes::<u8, u32>(to, values),
            2 => self.write_lanes::<u16, u32>(to, values),
            _ => self.write_lanes::<u32, u32>(to, values),
        }
    }

    /// One of 8 bytes.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn scatter_warps_u64(self, to: &WarpPlaces, values: &[[u64; WARP]]) {
        self.write_lanes::<u64, u64>(to, values);
    }

    #[inline(always)]
    fn write_lanes<E: Copy, T: Lane<E>>(self, to: &WarpPlaces, values: &[[T; WARP]]) {
        for (place, values) in to.lowest(self, size_of::<E>() as u64).zip(values) {
            for (value, at) in values.iter().zip(&to.lanes.each) {
                // SAFETY: all of the warp's elements lie inside. For races see `bulk.rs`.
                unsafe { place.wrapping_add(*at as usize).cast::<E>().write_unaligned(value.cut()) };
            }
        }
    }

    /// Sixteen bytes for each lane of each warp: those of eight lanes one after the other are a matrix's rows.
    ///
    /// # Panics
    /// If some lie outside.
    pub(crate) fn read_rows_of_warps(
        self,
        level: Level,
        from: &WarpPlaces,
        mut out: [&mut [[Row; ROWS]]; MATRICES],
    ) {
        // SAFETY: the machine has the level.
        unsafe {
            match level.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::rows_avx512(self, from, &mut out),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::rows_avx2(self, from, &mut out),
                _ => {
                    for (warp, place) in from.lowest(self, ROW_BYTES).enumerate() {
                        for (out, lanes) in out.iter_mut().zip(from.lanes.each.as_chunks::<ROWS>().0) {
                            for (out, at) in out[warp].iter_mut().zip(lanes) {
                                // All of the warp's rows lie inside; for races see `bulk.rs`.
                                *out = place.wrapping_add(*at as usize).cast::<Row>().read_unaligned();
                            }
                        }
                    }
                }
            }
        }
    }

    /// Copies a vector of so many bytes for each lane of each warp from other memory, in this order: those of neighbours together where
    /// they follow each other on both sides.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn copy_warps(self, to: &WarpPlaces, (other, from): (Bulk, &WarpPlaces), bytes: u32) {
        let bytes = u64::from(bytes);
        // Where each run of vectors begins, there and here, and its length.
        let mut runs: Vec<(usize, usize, usize)> = Vec::with_capacity(WARP);
        for (from, to) in from.lanes.each.iter().zip(&to.lanes.each) {
            let (from, to) = (*from as usize, *to as usize);
            match runs.last_mut() {
                Some(last) if (last.0 + last.2, last.1 + last.2) == (from, to) => last.2 += bytes as usize,
                _ => runs.push((from, to, bytes as usize)),
            }
        }
        for (to, from) in to.lowest(self, bytes).zip(from.lowest(other, bytes)) {
            for (there, here, length) in &runs {
                // SAFETY: all of the warp's vectors lie inside, on both sides; kernels' memory and that of a block are apart. For
                // races see `bulk.rs`.
                unsafe { copy(from.wrapping_add(*there), to.wrapping_add(*here), *length) }
            }
        }
    }
}

/// Whole vectors are stored: what loads them next finds each in one store.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Bulk, MATRICES, ROW_BYTES, ROWS, Row, WarpPlaces};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f")]
    pub(super) fn rows_avx512(bulk: Bulk, from: &WarpPlaces, out: &mut [&mut [[Row; ROWS]]; MATRICES]) {
        let at = from.lanes.each();
        for (warp, place) in from.lowest(bulk, ROW_BYTES).enumerate() {
            for k in 0..MATRICES {
                let out = &mut out[k][warp];
                for half in 0..2 {
                    let first = ROWS * k + 4 * half;
                    // SAFETY: all of the warp's rows lie inside; four of them are 64 bytes, half of a matrix. For races see `bulk.rs`.
                    unsafe {
                        let row = |lane: usize| _mm_loadu_si128(place.wrapping_add(at[lane] as usize).cast());
                        let low = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(row(first)), row(first + 1));
                        let three = _mm512_inserti32x4::<2>(low, row(first + 2));
                        let all = _mm512_inserti32x4::<3>(three, row(first + 3));
                        _mm512_storeu_si512(out.as_mut_ptr().add(4 * half).cast(), all);
                    }
                }
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn rows_avx2(bulk: Bulk, from: &WarpPlaces, out: &mut [&mut [[Row; ROWS]]; MATRICES]) {
        let at = from.lanes.each();
        for (warp, place) in from.lowest(bulk, ROW_BYTES).enumerate() {
            for k in 0..MATRICES {
                let out = &mut out[k][warp];
                for pair in 0..4 {
                    let first = ROWS * k + 2 * pair;
                    // SAFETY: all of the warp's rows lie inside; two of them are 32 bytes, a quarter of a matrix. For races see `bulk.rs`.
                    unsafe {
                        let row = |lane: usize| _mm_loadu_si128(place.wrapping_add(at[lane] as usize).cast());
                        let both = _mm256_set_m128i(row(first + 1), row(first));
                        _mm256_storeu_si256(out.as_mut_ptr().add(2 * pair).cast(), both);
                    }
                }
            }
        }
    }
}

/// Copies so many bytes, by pieces of a constant length: most runs are a few vectors.
///
/// # Safety
/// They must lie in memory on both sides, and not in each other.
#[inline(always)]
unsafe fn copy(mut from: *const u8, mut to: *mut u8, length: usize) {
    let end = from.wrapping_add(length);
    macro_rules! pieces {
        ($size:literal) => {
            while end.addr() - from.addr() >= $size {
                // SAFETY: the caller's promise.
                unsafe { std::ptr::copy_nonoverlapping(from, to, $size) };
                (from, to) = (from.wrapping_add($size), to.wrapping_add($size));
            }
        };
    }
    pieces!(64);
    pieces!(16);
    pieces!(8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Words;

    #[test]
    fn elements_of_warps_are_those_of_threads_one_by_one() {
        for bytes in [1, 2, 4, 8] {
            let words = [(); 2].map(|()| Words::zeroed(4096).unwrap());
            let [fast, plain] = words.each_ref().map(Bulk::of_words);
            // Some lanes write to the same place: the last of them stays.
            let lanes: [u64; WARP] = std::array::from_fn(|lane| (lane as u64 * 7 % 16) * 8);
            let starts = [64, 0, 576, 1088, 584];
            let offsets = LaneOffsets::new(lanes);
            let places = WarpPlaces { lanes: &offsets, base: 8, starts: &starts };
            let value =
                |warp: u64, lane: usize| (warp << 8 | lane as u64 | 1).wrapping_mul(0x0101_0101_0301_0701);
            let values: Vec<[u64; WARP]> =
                (0..5).map(|warp| std::array::from_fn(|lane| value(warp, lane))).collect();
            let narrow: Vec<[u32; WARP]> = values.iter().map(|warp| warp.map(|value| value as u32)).collect();
            match bytes {
                8 => fast.scatter_warps_u64(&places, &values),
                _ => fast.scatter_warps(&places, bytes, &narrow),
            }
            let (mut read, mut read_narrow) = ([[7u64; WARP]; 5], [[7u32; WARP]; 5]);
            match bytes {
                8 => fast.gather_warps_u64(&places, &mut read),
                _ => fast.gather_warps(&places, bytes, &mut read_narrow),
            }
            for (start, values) in starts.iter().zip(&values) {
                for (lane, value) in lanes.iter().zip(values) {
                    plain.store(lane + start + 8, bytes, *value);
                }
            }
            assert_eq!(words[0].bytes(0, 4096), words[1].bytes(0, 4096), "{bytes}");
            for (warp, start) in starts.iter().enumerate() {
                for (lane, at) in lanes.iter().enumerate() {
                    let found = if bytes == 8 { read[warp][lane] } else { read_narrow[warp][lane].into() };
                    assert_eq!(found, plain.load(at + start + 8, bytes), "{bytes}: {warp}, {lane}");
                }
            }
        }
    }

    #[test]
    fn vectors_of_warps_are_copied_as_those_of_threads() {
        let from = Words::zeroed(8192).unwrap();
        from.set_bytes(0, &(0..8192).map(|n| ((n * 37) >> 2) as u8).collect::<Vec<u8>>());
        for (bytes, four) in [(16, 4), (8, 4), (16, 1), (8, 32)] {
            let copies = [(); 2].map(|()| Words::zeroed(8192).unwrap());
            let [fast, plain] = copies.each_ref().map(Bulk::of_words);
            let at = |pitch: u64| std::array::from_fn(|l| l as u64 / four * pitch + l as u64 % four * bytes);
            let (lanes_from, lanes_to): ([u64; WARP], [u64; WARP]) = (at(72), at(80));
            let starts = [[0u64, 2600, 8], [0, 4000, 16]];
            let [from_places, to_places] = [
                WarpPlaces { lanes: &LaneOffsets::new(lanes_from), base: 0, starts: &starts[0] },
                WarpPlaces { lanes: &LaneOffsets::new(lanes_to), base: 0, starts: &starts[1] },
            ];
            fast.copy_warps(&to_places, (Bulk::of_words(&from), &from_places), bytes as u32);
            for (from_start, to_start) in starts[0].iter().zip(starts[1]) {
                for lane in 0..WARP {
                    let there = lanes_from[lane] + from_start;
                    let here = lanes_to[lane] + to_start;
                    for k in 0..bytes {
                        plain.store(here + k, 1, Bulk::of_words(&from).load(there + k, 1));
                    }
                }
            }
            assert_eq!(copies[0].bytes(0, 8192), copies[1].bytes(0, 8192), "{bytes}, {four} in a row");
        }
    }

    #[test]
    fn a_warp_outside_is_refused() {
        let words = Words::zeroed(256).unwrap();
        let bulk = Bulk::of_words(&words);
        let lanes: [u64; WARP] = std::array::from_fn(|lane| 4 * lane as u64);
        for starts in [[132u64], [u64::MAX - 3]] {
            let places = WarpPlaces { lanes: &LaneOffsets::new(lanes), base: 0, starts: &starts };
            let write = std::panic::AssertUnwindSafe(|| bulk.scatter_warps(&places, 4, &[[7; WARP]]));
            assert!(std::panic::catch_unwind(write).is_err(), "{starts:?}");
        }
        assert_eq!(words.bytes(0, 256), vec![0; 256], "something was written");
    }
}
