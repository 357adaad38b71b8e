//! Elements of memory at any offsets, for some threads: a bit each for every warp.
//!
//! Warps of which no thread takes part cost nothing, and what the other threads have as addresses is not looked at.

#![allow(unsafe_code)]

use super::Bulk;
use crate::batch::Level;
#[cfg(target_arch = "x86_64")]
use crate::batch::Simd;
use margay_isa::WARP;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

impl Bulk<'_> {
    /// An element of up to 4 bytes from the address of each of these threads, `base` taken away from it, with zeros above.
    ///
    /// # Panics
    /// If one lies outside, or there are fewer warps of addresses or results.
    pub(crate) fn gather_some(
        self,
        level: Level,
        bits: &[u32],
        addresses: &[u64],
        base: u64,
        width: u32,
        out: &mut [u32],
    ) {
        let addresses = &addresses.as_chunks::<WARP>().0[..bits.len()];
        let out = &mut out.as_chunks_mut::<WARP>().0[..bits.len()];
        match (level.simd(), width) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            (Simd::Avx512, 4) => unsafe { x86::gather_u32(self, bits, addresses, base, out) },
            (_, 1) => each(bits, addresses, base, |warp, lane, at| out[warp][lane] = self.load(at, 1) as u32),
            (_, 2) => each(bits, addresses, base, |warp, lane, at| out[warp][lane] = self.load(at, 2) as u32),
            _ => each(bits, addresses, base, |warp, lane, at| out[warp][lane] = self.load(at, 4) as u32),
        }
    }

    /// The same of elements of 8 bytes.
    ///
    /// # Panics
    /// If one lies outside, or there are fewer warps of addresses or results.
    pub(crate) fn gather_some_u64(
        self,
        level: Level,
        bits: &[u32],
        addresses: &[u64],
        base: u64,
        out: &mut [u64],
    ) {
        let addresses = &addresses.as_chunks::<WARP>().0[..bits.len()];
        let out = &mut out.as_chunks_mut::<WARP>().0[..bits.len()];
        match level.simd() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx512 => unsafe { x86::gather_u64(self, bits, addresses, base, out) },
            _ => each(bits, addresses, base, |warp, lane, at| out[warp][lane] = self.load(at, 8)),
        }
    }

    /// Writes an element of each of these threads, the low bytes of its value (or of the first one, if that is all threads' one), to its
    /// address, `base` taken away from it, in the order of threads.
    ///
    /// # Panics
    /// If one lies outside, or there are fewer warps of addresses or values.
    pub(crate) fn scatter_some<T: Value>(
        self,
        level: Level,
        bits: &[u32],
        addresses: &[u64],
        base: u64,
        width: u32,
        (values, same): (&[T], bool),
    ) {
        let to = Scatter { bulk: self, width, bits, addresses: &addresses.as_chunks().0[..bits.len()], base };
        let (filled, each);
        let values = match same {
            true => {
                filled = [[values[0]; WARP]];
                Values { warps: &filled, step: 0 }
            }
            false => {
                each = &values.as_chunks().0[..bits.len()];
                Values { warps: each, step: 1 }
            }
        };
        match level.simd() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx512 => unsafe { x86::scatter_avx512(to, values) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx2 => unsafe { x86::scatter_avx2(to, values) },
            _ => scatter(to, values),
        }
    }
}

/// Threads of a warp that are written with all others of it, which write where nothing reads: that needs no branch for each.
const MANY: u32 = 6;

/// Where elements of so many bytes are written, of the threads whose bit is set.
#[derive(Clone, Copy)]
struct Scatter<'a> {
    bulk: Bulk<'a>,
    width: u32,
    bits: &'a [u32],
    addresses: &'a [[u64; WARP]],
    base: u64,
}

/// Values of each warp, or one warp's for all.
#[derive(Clone, Copy)]
struct Values<'a, T> {
    warps: &'a [[T; WARP]],
    step: usize,
}

#[inline(always)]
fn scatter<T: Value>(to: Scatter, values: Values<T>) {
    match to.width {
        1 => scatter_elements(to, values, |place, value: T| {
            // SAFETY: the place is inside.
            unsafe { AtomicU8::from_ptr(place) }.store(value.into() as u8, Relaxed);
        }),
        2 => scatter_elements(to, values, |place, value: T| {
            // SAFETY: the place is inside and aligned.
            unsafe { AtomicU16::from_ptr(place.cast()) }.store(value.into() as u16, Relaxed);
        }),
        4 => scatter_elements(to, values, |place, value: T| {
            // SAFETY: the place is inside and aligned.
            unsafe { AtomicU32::from_ptr(place.cast()) }.store(value.into() as u32, Relaxed);
        }),
        _ => scatter_elements(to, values, |place, value: T| {
            // SAFETY: the place is inside and aligned.
            unsafe { AtomicU64::from_ptr(place.cast()) }.store(value.into(), Relaxed);
        }),
    }
}

/// Puts each value in its place, which is inside and aligned, or nowhere.
#[inline(always)]
fn scatter_elements<T: Value>(
    Scatter { bulk, width, bits, addresses, base }: Scatter,
    values: Values<T>,
    put: impl Fn(*mut u8, T),
) {
    let (width, nowhere) = (u64::from(width), AtomicU64::new(0));
    for (warp, (bits, addresses)) in
        bits.iter().zip(addresses).enumerate().filter(|(_, (bits, _))| **bits != 0)
    {
        let values = &values.warps[warp * values.step];
        if bits.count_ones() < MANY {
            each_of(*bits, |lane| put(bulk.place(addresses[lane].wrapping_sub(base), width), values[lane]));
            continue;
        }
        let places = places(bulk, *bits, addresses, (base, width), nowhere.as_ptr().cast());
        for lane in 0..WARP {
            put(places[lane], values[lane]);
        }
    }
}

/// Where elements of so many bytes lie, of the threads whose bit is set; nowhere for the others.
///
/// # Panics
/// If one lies outside or is not aligned.
#[inline(always)]
fn places(
    bulk: Bulk<'_>,
    bits: u32,
    addresses: &[u64; WARP],
    (base, width): (u64, u64),
    nowhere: *mut u8,
) -> [*mut u8; WARP] {
    let limit = bulk.len().checked_sub(width).expect("there is an element");
    let (mut beyond, mut places) = (limit, [nowhere; WARP]);
    for lane in 0..WARP {
        let at = addresses[lane].wrapping_sub(base);
        let is_on = bits >> lane & 1 == 1;
        // What lies beyond has its highest bit set, or leaves it in the difference.
        beyond |= if is_on { at | limit.wrapping_sub(at) | (at & (width - 1)) << 60 } else { 0 };
        places[lane] = if is_on { bulk.start().wrapping_add(at as usize) } else { nowhere };
    }
    assert!(beyond >> 60 == 0, "an element lies outside");
    places
}

/// What a thread may store.
pub(crate) trait Value: Copy + Into<u64> {}
impl Value for u32 {}
impl Value for u64 {}

/// Calls `f` for each thread whose bit is set, in order, with its warp, its lane and its offset.
#[inline(always)]
fn each(bits: &[u32], addresses: &[[u64; WARP]], base: u64, mut f: impl FnMut(usize, usize, u64)) {
    for (warp, (bits, addresses)) in bits.iter().zip(addresses).enumerate() {
        each_of(*bits, |lane| f(warp, lane, addresses[lane].wrapping_sub(base)));
    }
}

/// Calls `f` for each lane whose bit is set, in order.
#[inline(always)]
fn each_of(mut bits: u32, mut f: impl FnMut(usize)) {
    while bits != 0 {
        f(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Bulk, Scatter, Value, Values, WARP};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn vector(values: &[u64; 8]) -> __m512i {
        // SAFETY: both are 64 bytes without padding.
        unsafe { std::mem::transmute::<[u64; 8], __m512i>(*values) }
    }

    /// The offsets of eight elements, of which those that are chosen lie inside and are aligned.
    ///
    /// # Panics
    /// If one of these is not.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn offsets(bulk: Bulk<'_>, some: u8, addresses: &[u64; 8], base: __m512i, width: u64) -> __m512i {
        assert!(bulk.len() >= width);
        let offsets = _mm512_sub_epi64(vector(addresses), base);
        let last = _mm512_set1_epi64((bulk.len() - width) as i64);
        let outside = _mm512_mask_cmpgt_epu64_mask(some, offsets, last);
        let slant = _mm512_mask_test_epi64_mask(some, offsets, _mm512_set1_epi64(width as i64 - 1));
        assert!(outside | slant == 0, "an element lies outside");
        offsets
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn scatter_avx2<T: Value>(to: Scatter, values: Values<T>) {
        super::scatter(to, values);
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    pub(super) fn scatter_avx512<T: Value>(to: Scatter, values: Values<T>) {
        super::scatter(to, values);
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn gather_u32(
        bulk: Bulk<'_>,
        bits: &[u32],
        addresses: &[[u64; WARP]],
        base: u64,
        out: &mut [[u32; WARP]],
    ) {
        let base = _mm512_set1_epi64(base as i64);
        for ((bits, addresses), out) in
            bits.iter().zip(addresses).zip(out).filter(|((bits, _), _)| **bits != 0)
        {
            let parts = addresses.as_chunks::<8>().0.iter().zip(out.as_chunks_mut::<8>().0);
            for (k, (addresses, lanes)) in parts.enumerate() {
                let some = (bits >> (8 * k)) as u8;
                if some == 0 {
                    continue;
                }
                let offsets = offsets(bulk, some, addresses, base, 4);
                // SAFETY: the offsets of those that are chosen lie inside, and nothing is read for the others; both types are
                // 32 bytes without padding.
                *lanes = unsafe {
                    let old = std::mem::transmute::<[u32; 8], __m256i>(*lanes);
                    let new = _mm512_mask_i64gather_epi32::<1>(old, some, offsets, bulk.start().cast());
                    std::mem::transmute::<__m256i, [u32; 8]>(new)
                };
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn gather_u64(
        bulk: Bulk<'_>,
        bits: &[u32],
        addresses: &[[u64; WARP]],
        base: u64,
        out: &mut [[u64; WARP]],
    ) {
        let base = _mm512_set1_epi64(base as i64);
        for ((bits, addresses), out) in
            bits.iter().zip(addresses).zip(out).filter(|((bits, _), _)| **bits != 0)
        {
            let parts = addresses.as_chunks::<8>().0.iter().zip(out.as_chunks_mut::<8>().0);
            for (k, (addresses, lanes)) in parts.enumerate() {
                let some = (bits >> (8 * k)) as u8;
                if some == 0 {
                    continue;
                }
                let offsets = offsets(bulk, some, addresses, base, 8);
                let old = vector(lanes);
                // SAFETY: the offsets of those that are chosen lie inside, and nothing is read for the others; both types are
                // 64 bytes without padding.
                *lanes = unsafe {
                    let new = _mm512_mask_i64gather_epi64::<1>(old, some, offsets, bulk.start().cast());
                    std::mem::transmute::<__m512i, [u64; 8]>(new)
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Simd;
    use crate::memory::Words;

    const WARPS: usize = 3;
    const BASE: u64 = 1 << 20;

    /// Numbers, one after the other.
    fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
        move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 24
        }
    }

    #[test]
    fn only_threads_whose_bit_is_set_read_and_write_on_every_level() {
        let mut next = numbers(5);
        let words = Words::zeroed(512).unwrap();
        words.set_bytes(0, &(0..512).map(|n| ((n * 37) >> 2) as u8).collect::<Vec<u8>>());
        let bulk = Bulk::of_words(&words);
        for round in 0..500 {
            let width = 1u32 << (round % 4);
            let bits: Vec<u32> =
                (0..WARPS).map(|_| [0, 1 << (next() % 32), next() as u32][next() as usize % 3]).collect();
            let is_on = |t: usize| bits[t / WARP] >> (t % WARP) & 1 == 1;
            let room = 512 / u64::from(width);
            // The others' addresses lie anywhere.
            let addresses: Vec<u64> = (0..WARPS * WARP)
                .map(|t| if is_on(t) { BASE + next() % room * u64::from(width) } else { next() << 20 | 1 })
                .collect();
            let wanted: Vec<u64> = (0..WARPS * WARP)
                .map(|t| if is_on(t) { words.load(addresses[t] - BASE, width) } else { 77 })
                .collect();
            for level in Simd::available().iter().map(|simd| Level::of(*simd)) {
                let (mut wide, mut narrow) = ([77; WARPS * WARP], [77; WARPS * WARP]);
                match width {
                    8 => bulk.gather_some_u64(level, &bits, &addresses, BASE, &mut wide),
                    _ => {
                        bulk.gather_some(level, &bits, &addresses, BASE, width, &mut narrow);
                        wide = narrow.map(u64::from);
                    }
                }
                assert_eq!(wide[..], wanted, "{width} bytes");
            }
            let values: Vec<u64> =
                (0..WARPS * WARP).map(|t| (t as u64 + 1) * 0x0101_0101_0101_0101).collect();
            let narrow: Vec<u32> = values.iter().map(|value| *value as u32).collect();
            let same = round % 3 == 0;
            let value = |t: usize| values[if same { 0 } else { t }];
            for level in Simd::available().iter().map(|simd| Level::of(*simd)) {
                let [written, plain] = [(); 2].map(|()| Words::zeroed(512).unwrap());
                let bulk = Bulk::of_words(&written);
                match width {
                    8 => bulk.scatter_some(level, &bits, &addresses, BASE, width, (&values, same)),
                    _ => bulk.scatter_some(level, &bits, &addresses, BASE, width, (&narrow, same)),
                }
                (0..WARPS * WARP)
                    .filter(|t| is_on(*t))
                    .for_each(|t| plain.store(addresses[t] - BASE, width, value(t)));
                assert_eq!(written.bytes(0, 512), plain.bytes(0, 512), "{width} bytes");
            }
        }
    }

    #[test]
    fn an_element_outside_is_refused_where_its_thread_takes_part() {
        let words = Words::zeroed(64).unwrap();
        let bulk = Bulk::of_words(&words);
        for (level, wrong) in
            Simd::available().iter().flat_map(|simd| [2, 64, u64::MAX - 3].map(|at| (Level::of(*simd), at)))
        {
            let mut addresses = [0; WARP];
            addresses[21] = wrong;
            for bits in [1 << 21, 1 << 20, u32::MAX, u32::MAX ^ 1 << 21] {
                let gather = || {
                    bulk.gather_some(level, &[bits], &addresses, 0, 4, &mut [0; WARP]);
                };
                let wide = || bulk.gather_some_u64(level, &[bits], &addresses, 0, &mut [0; WARP]);
                let scatter = || bulk.scatter_some(level, &[bits], &addresses, 0, 4, (&[7u32], true));
                let fails = |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
                let wanted = bits >> 21 & 1 == 1;
                assert_eq!([fails(&gather), fails(&wide), fails(&scatter)], [wanted; 3], "{wrong}");
            }
        }
        assert_eq!(words.load(8, 8), 0, "something was written");
    }
}
