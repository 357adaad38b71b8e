//! Elements of memory at any offsets, one for each thread.

#![allow(unsafe_code)]

use super::Bulk;
use super::grid::Lane;
use crate::batch::Level;
#[cfg(target_arch = "x86_64")]
use crate::batch::Simd;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Elements that are moved at once where they follow each other.
pub(crate) const ROW: usize = 16;

impl Bulk<'_> {
    /// An element of up to 4 bytes from each address, `base` taken away from it, with zeros above.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn gather(self, level: Level, addresses: &[u64], base: u64, width: u32, out: &mut [u32]) {
        match level.simd() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx512 => unsafe {
                match width {
                    1 => x86::gather_u8(self, addresses, base, out),
                    2 => x86::gather_u16(self, addresses, base, out),
                    _ => x86::gather_u32(self, addresses, base, out),
                }
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx2 => unsafe {
                match width {
                    1 => x86::gather_avx2::<u8, u32>(self, addresses, base, out),
                    2 => x86::gather_avx2::<u16, u32>(self, addresses, base, out),
                    _ => x86::gather_avx2::<u32, u32>(self, addresses, base, out),
                }
            },
            _ => match width {
                1 => gather_each::<u8, u32>(self, addresses, base, out),
                2 => gather_each::<u16, u32>(self, addresses, base, out),
                _ => gather_each::<u32, u32>(self, addresses, base, out),
            },
        }
    }

    /// An element of 8 bytes from each address, `base` taken away from it.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn gather_u64(self, level: Level, addresses: &[u64], base: u64, out: &mut [u64]) {
        match level.simd() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx512 => unsafe { x86::gather_u64(self, addresses, base, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx2 => unsafe { x86::gather_avx2::<u64, u64>(self, addresses, base, out) },
            _ => gather_each::<u64, u64>(self, addresses, base, out),
        }
    }

    /// Elements of whose addresses those of each [`ROW`] follow each other in memory.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn read_rows<T: Word>(self, addresses: &[u64], base: u64, out: &mut [T]) {
        let (rows, rest) = out.as_chunks_mut::<ROW>();
        for (row, addresses) in rows.iter_mut().zip(addresses.chunks(ROW)) {
            self.read_row(addresses[0].wrapping_sub(base), row);
        }
        if let Some(address) = addresses.get(ROW * rows.len()) {
            self.read_row(address.wrapping_sub(base), rest);
        }
    }

    /// Neighbouring bytes.
    ///
    /// # Panics
    /// If one lies outside.
    #[inline]
    pub(crate) fn read_bytes(self, at: u64, out: &mut [u8]) {
        match out.as_chunks_mut::<ROW>() {
            ([out], []) => self.read_row(at, out),
            _ => self.read_row(at, out),
        }
    }

    #[inline(always)]
    pub(super) fn read_row<T: Word>(self, at: u64, out: &mut [T]) {
        let bytes = size_of_val(out);
        let from = self.stretch(at, bytes as u64).expect("a row lies inside");
        // SAFETY: the bytes lie inside, `out` is no memory of a kernel, and any bits are a number. For races see `bulk.rs`.
        unsafe { std::ptr::copy_nonoverlapping(from, out.as_mut_ptr().cast(), bytes) }
    }

    /// Writes such elements, in this order.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn write_rows<T: Word>(self, addresses: &[u64], base: u64, values: &[T]) {
        let (rows, rest) = values.as_chunks::<ROW>();
        for (row, addresses) in rows.iter().zip(addresses.chunks(ROW)) {
            self.write_row(addresses[0].wrapping_sub(base), row);
        }
        if let Some(address) = addresses.get(ROW * rows.len()) {
            self.write_row(address.wrapping_sub(base), rest);
        }
    }

    #[inline(always)]
    pub(super) fn write_row<T: Word>(self, at: u64, values: &[T]) {
        let bytes = size_of_val(values);
        let to = self.stretch(at, bytes as u64).expect("a row lies inside").cast_mut();
        // SAFETY: the bytes lie inside, and `values` are no memory of a kernel. For races see `bulk.rs`.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr().cast(), to, bytes) }
    }

    /// Neighbouring elements from each of a few addresses, `base` taken away from it.
    ///
    /// # Panics
    /// If one lies outside.
    #[inline(always)]
    pub(super) fn read_each<T: Word, const M: usize, const N: usize>(
        self,
        addresses: &[u64; M],
        base: u64,
        out: &mut [[T; N]; M],
    ) {
        for (from, out) in self.places(addresses, base, size_of_val(&out[0])).into_iter().zip(out) {
            // SAFETY: the bytes lie inside, `out` is no memory of a kernel, and any bits are a number. For races see `bulk.rs`.
            unsafe { std::ptr::copy_nonoverlapping(from, out.as_mut_ptr().cast(), size_of_val(out)) }
        }
    }

    /// Writes such elements, in this order.
    ///
    /// # Panics
    /// If one lies outside.
    #[inline(always)]
    pub(super) fn write_each<T: Word, const M: usize, const N: usize>(
        self,
        addresses: &[u64; M],
        base: u64,
        values: &[[T; N]; M],
    ) {
        for (to, values) in self.places(addresses, base, size_of_val(&values[0])).into_iter().zip(values) {
            // SAFETY: the bytes lie inside, and `values` are no memory of a kernel. For races see `bulk.rs`.
            unsafe { std::ptr::copy_nonoverlapping(values.as_ptr().cast(), to, size_of_val(values)) }
        }
    }

    /// Where so many bytes begin that all lie inside: they do if those at the greatest address do.
    #[inline(always)]
    fn places<const M: usize>(self, addresses: &[u64; M], base: u64, bytes: usize) -> [*mut u8; M] {
        let offsets = addresses.map(|address| address.wrapping_sub(base));
        let most = offsets.iter().fold(0, |most, at| most.max(*at));
        assert!(self.stretch(most, bytes as u64).is_some(), "all rows lie inside");
        offsets.map(|at| self.start().wrapping_add(at as usize))
    }

    /// Writes an element of up to 4 bytes to each address, `base` taken away from it, in this order.
    ///
    /// # Panics
    /// If one lies outside or is not aligned.
    pub(crate) fn scatter(
        self,
        level: Level,
        addresses: &[u64],
        base: u64,
        width: u32,
        values: impl Iterator<Item = u32>,
    ) {
        let each = addresses.iter().map(|address| address.wrapping_sub(base)).zip(values);
        match width {
            1 => each.for_each(|(at, value)| self.store(at, 1, value.into())),
            2 => each.for_each(|(at, value)| self.store(at, 2, value.into())),
            _ => {
                assert!(self.holds(level, addresses, base, 4));
                for (at, value) in each {
                    // SAFETY: all elements lie inside and are aligned, and the addresses, which are not in memory, are still the same.
                    let place = unsafe { AtomicU32::from_ptr(self.start().wrapping_add(at as usize).cast()) };
                    place.store(value, Relaxed);
                }
            }
        }
    }

    /// Writes a word to each address, `base` taken away from it, in this order.
    ///
    /// # Panics
    /// If one lies outside or is not aligned, or there are not as many words.
    pub(crate) fn scatter_words(self, level: Level, addresses: &[u64], base: u64, values: &[u32]) {
        assert_eq!(addresses.len(), values.len());
        assert!(self.holds(level, addresses, base, 4));
        let origin = self.start().wrapping_sub(base as usize);
        let put = |(address, value): (&u64, &u32)| {
            let place = origin.wrapping_add(*address as usize).cast();
            // SAFETY: all elements lie inside and are aligned, and the addresses, which are not in memory, are still the same.
            unsafe { AtomicU32::from_ptr(place) }.store(*value, Relaxed);
        };
        let ((to, to_rest), (from, rest)) = (addresses.as_chunks::<8>(), values.as_chunks::<8>());
        // As many at a time as need no loop.
        to.iter().zip(from).for_each(|(to, from)| to.iter().zip(from).for_each(put));
        to_rest.iter().zip(rest).for_each(put);
    }

    /// Writes an element of 8 bytes to each address, `base` taken away from it, in this order.
    pub(crate) fn scatter_u64(self, addresses: &[u64], base: u64, values: impl Iterator<Item = u64>) {
        addresses
            .iter()
            .zip(values)
            .for_each(|(address, value)| self.store(address.wrapping_sub(base), 8, value));
    }
}

impl Bulk<'_> {
    /// Puts what `change` makes of an element's number and of itself in the place of each element, in this order: in memory
    /// that no other host thread sees.
    ///
    /// # Panics
    /// If an element lies outside or is not aligned.
    #[inline(always)]
    pub(crate) fn change<T: Word>(
        self,
        level: Level,
        addresses: &[u64],
        base: u64,
        mut change: impl FnMut(usize, T) -> T,
    ) {
        assert!(self.holds(level, addresses, base, size_of::<T>() as u64));
        for (k, address) in addresses.iter().enumerate() {
            // SAFETY: all elements lie inside and are aligned, and the addresses, which are not in memory, are still the same.
            unsafe {
                let place = self.start().wrapping_add(address.wrapping_sub(base) as usize).cast::<T>();
                place.write(change(k, place.read()));
            }
        }
    }

    /// Whether elements of so many bytes all lie inside and are aligned.
    fn holds(self, level: Level, addresses: &[u64], base: u64, width: u64) -> bool {
        let Some(limit) = self.len().checked_sub(width) else { return addresses.is_empty() };
        match level.simd() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx512 => unsafe { x86::all_inside_avx512(addresses, base, limit, width) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx2 => unsafe { x86::all_inside_avx2(addresses, base, limit, width) },
            _ => all_inside(addresses, base, limit, width),
        }
    }
}

/// A number without sign that memory holds.
pub(crate) trait Word: bytemuck::Pod {}
impl Word for u8 {}
impl Word for u32 {}
impl Word for u64 {}

/// Whether all offsets are within a limit and aligned.
#[inline(always)]
fn all_inside(addresses: &[u64], base: u64, limit: u64, width: u64) -> bool {
    // What lies beyond has its highest bit set, or leaves it in the difference.
    let (mut beyond, mut low_bits) = (0, 0);
    for address in addresses {
        let at = address.wrapping_sub(base);
        beyond |= limit.wrapping_sub(at);
        low_bits |= at;
    }
    (limit | beyond | low_bits) >> 63 == 0 && low_bits & (width - 1) == 0
}

/// An element of so many bytes for each address: those of [`ROW`] threads by `row` where they follow each other, which gets where they
/// begin, else by `apart`.
#[inline(always)]
fn gather_rows<T>(
    (bulk, width): (Bulk<'_>, u64),
    addresses: &[u64],
    base: u64,
    out: &mut [T],
    row: impl Fn(*const u8, &mut [T; ROW]),
    apart: impl Fn(&[u64; ROW], &mut [T; ROW]),
    one: impl Fn(u64) -> T,
) {
    let (rows, rest) = addresses[..out.len()].as_chunks::<ROW>();
    let (to, to_rest) = out.as_chunks_mut::<ROW>();
    for (addresses, lanes) in rows.iter().zip(to) {
        if follow(addresses, width) {
            let from = bulk.stretch(addresses[0].wrapping_sub(base), ROW as u64 * width);
            row(from.expect("a row lies inside"), lanes);
        } else {
            apart(addresses, lanes);
        }
    }
    for (address, lane) in rest.iter().zip(to_rest) {
        *lane = one(*address);
    }
}

/// The same in plain Rust.
#[inline(always)]
fn gather_each<E: Copy, T: Lane<E>>(bulk: Bulk<'_>, addresses: &[u64], base: u64, out: &mut [T]) {
    let row = |from: *const u8, lanes: &mut [T; ROW]| {
        for (k, lane) in lanes.iter_mut().enumerate() {
            // SAFETY: the row's bytes lie inside, and any bits are a number. For races see `bulk.rs`.
            *lane = T::of(unsafe { from.cast::<E>().wrapping_add(k).read_unaligned() });
        }
    };
    let apart =
        |addresses: &[u64; ROW], lanes: &mut [T; ROW]| *lanes = read_each::<E, T, ROW>(bulk, addresses, base);
    let one = |address| read_each::<E, T, 1>(bulk, &[address], base)[0];
    gather_rows((bulk, size_of::<E>() as u64), addresses, base, out, row, apart, one);
}

/// An element from each of a few addresses.
#[inline(always)]
fn read_each<E: Copy, T: Lane<E>, const N: usize>(bulk: Bulk<'_>, addresses: &[u64; N], base: u64) -> [T; N] {
    let width = size_of::<E>() as u64;
    let limit = bulk.len().checked_sub(width).expect("there is an element");
    assert!(all_inside(addresses, base, limit, width), "all elements lie inside");
    addresses.map(|address| {
        let place = bulk.start().wrapping_add(address.wrapping_sub(base) as usize);
        // SAFETY: all elements lie inside, and any bits are a number. For races see `bulk.rs`.
        T::of(unsafe { place.cast::<E>().read_unaligned() })
    })
}

/// Whether elements of so many bytes follow each other. Mostly the ends tell that they do not.
#[inline(always)]
fn follow(addresses: &[u64; ROW], width: u64) -> bool {
    addresses[ROW - 1].wrapping_sub(addresses[0]) == (ROW as u64 - 1) * width && {
        let differ = |k: usize| addresses[k] ^ addresses[0].wrapping_add(k as u64 * width);
        (0..ROW).fold(0, |bits, k| bits | differ(k)) == 0
    }
}

/// Four rows of four words as columns: by instructions, since the compiler left to itself moves word by word.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn turned_words(words: [u32; 16]) -> [u32; 16] {
    use std::arch::x86_64::*;
    let [a, b, c, d]: [__m128i; 4] = bytemuck::cast(words);
    // SAFETY: every such machine has these instructions.
    unsafe {
        let (low, other_low) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
        let (high, other_high) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
        bytemuck::cast([
            _mm_unpacklo_epi64(low, other_low),
            _mm_unpackhi_epi64(low, other_low),
            _mm_unpacklo_epi64(high, other_high),
            _mm_unpackhi_epi64(high, other_high),
        ])
    }
}

/// Four rows of four words as columns.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn turned_words(words: [u32; 16]) -> [u32; 16] {
    std::array::from_fn(|k| words[k % 4 * 4 + k / 4])
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{Bulk, Lane, ROW, gather_rows, read_each};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    pub(super) fn all_inside_avx2(addresses: &[u64], base: u64, limit: u64, width: u64) -> bool {
        super::all_inside(addresses, base, limit, width)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn all_inside_avx512(addresses: &[u64], base: u64, limit: u64, width: u64) -> bool {
        super::all_inside(addresses, base, limit, width)
    }

    /// The offsets of eight elements, all of which lie inside.
    ///
    /// # Panics
    /// If one does not, or is not aligned to so many bytes.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(in crate::memory) fn offsets(
        bulk: Bulk<'_>,
        addresses: &[u64; 8],
        base: __m512i,
        (width, align): (u64, u64),
    ) -> __m512i {
        assert!(bulk.len() >= width);
        // SAFETY: both are 64 bytes without padding.
        let addresses = unsafe { std::mem::transmute::<[u64; 8], __m512i>(*addresses) };
        let offsets = _mm512_sub_epi64(addresses, base);
        let outside = _mm512_cmpgt_epu64_mask(offsets, _mm512_set1_epi64((bulk.len() - width) as i64));
        let slant = _mm512_test_epi64_mask(offsets, _mm512_set1_epi64(align as i64 - 1));
        assert!(outside | slant == 0, "an element lies outside");
        offsets
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn gather_avx2<E: Copy, T: Lane<E>>(
        bulk: Bulk<'_>,
        addresses: &[u64],
        base: u64,
        out: &mut [T],
    ) {
        super::gather_each::<E, T>(bulk, addresses, base, out);
    }

    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq")]
    pub(super) fn gather_u8(bulk: Bulk<'_>, addresses: &[u64], base: u64, out: &mut [u32]) {
        let apart = |addresses: &[u64; ROW], lanes: &mut [u32; ROW]| {
            *lanes = read_each::<u8, u32, ROW>(bulk, addresses, base)
        };
        let row = |from: *const u8, lanes: &mut [u32; ROW]| {
            // SAFETY: the row's bytes lie inside, and lanes are 64 bytes. For races see `bulk.rs`.
            unsafe {
                let words = _mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast()));
                _mm512_storeu_si512(lanes.as_mut_ptr().cast(), words);
            }
        };
        let one = |address| read_each::<u8, u32, 1>(bulk, &[address], base)[0];
        gather_rows((bulk, 1), addresses, base, out, row, apart, one);
    }

    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq")]
    pub(super) fn gather_u16(bulk: Bulk<'_>, addresses: &[u64], base: u64, out: &mut [u32]) {
        let apart = |addresses: &[u64; ROW], lanes: &mut [u32; ROW]| {
            *lanes = read_each::<u16, u32, ROW>(bulk, addresses, base)
        };
        let row = |from: *const u8, lanes: &mut [u32; ROW]| {
            // SAFETY: the row's bytes lie inside, and lanes are 64 bytes. For races see `bulk.rs`.
            unsafe {
                let words = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast()));
                _mm512_storeu_si512(lanes.as_mut_ptr().cast(), words);
            }
        };
        let one = |address| read_each::<u16, u32, 1>(bulk, &[address], base)[0];
        gather_rows((bulk, 2), addresses, base, out, row, apart, one);
    }

    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq")]
    pub(super) fn gather_u32(bulk: Bulk<'_>, addresses: &[u64], base: u64, out: &mut [u32]) {
        let from = _mm512_set1_epi64(base as i64);
        let apart = |addresses: &[u64; ROW], lanes: &mut [u32; ROW]| {
            for k in 0..2 {
                let offsets = offsets(bulk, &addresses.as_chunks().0[k], from, (4, 4));
                // SAFETY: the offsets lie inside; both types are 32 bytes without padding.
                lanes.as_chunks_mut().0[k] = unsafe {
                    let words = _mm512_i64gather_epi32::<1>(offsets, bulk.start().cast());
                    std::mem::transmute::<__m256i, [u32; 8]>(words)
                };
            }
        };
        let row = |from: *const u8, lanes: &mut [u32; ROW]| {
            // SAFETY: the row's bytes lie inside, and lanes are as many. For races see `bulk.rs`.
            unsafe { std::ptr::copy_nonoverlapping(from, lanes.as_mut_ptr().cast(), size_of_val(lanes)) }
        };
        let one = |address| read_each::<u32, u32, 1>(bulk, &[address], base)[0];
        gather_rows((bulk, 4), addresses, base, out, row, apart, one);
    }

    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq")]
    pub(super) fn gather_u64(bulk: Bulk<'_>, addresses: &[u64], base: u64, out: &mut [u64]) {
        let from = _mm512_set1_epi64(base as i64);
        let apart = |addresses: &[u64; ROW], lanes: &mut [u64; ROW]| {
            for k in 0..2 {
                let offsets = offsets(bulk, &addresses.as_chunks().0[k], from, (8, 8));
                // SAFETY: the offsets lie inside; both types are 64 bytes without padding.
                lanes.as_chunks_mut().0[k] = unsafe {
                    let words = _mm512_i64gather_epi64::<1>(offsets, bulk.start().cast());
                    std::mem::transmute::<__m512i, [u64; 8]>(words)
                };
            }
        };
        let row = |from: *const u8, lanes: &mut [u64; ROW]| {
            // SAFETY: the row's bytes lie inside, and lanes are as many. For races see `bulk.rs`.
            unsafe { std::ptr::copy_nonoverlapping(from, lanes.as_mut_ptr().cast(), size_of_val(lanes)) }
        };
        let one = |address| read_each::<u64, u64, 1>(bulk, &[address], base)[0];
        gather_rows((bulk, 8), addresses, base, out, row, apart, one);
    }
}

#[cfg(test)]
mod tests;
