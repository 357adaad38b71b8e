//! Vectors of neighbouring elements, many at a time with AVX-512.

#![allow(unsafe_code)]

use super::Bulk;
use super::gather::Word;
use crate::batch::Level;
#[cfg(target_arch = "x86_64")]
use crate::batch::Simd;

impl Bulk<'_> {
    /// Neighbouring elements from each of a few addresses after the other, a base taken away from it.
    ///
    /// # Panics
    /// If one lies outside.
    pub(crate) fn read_all<'a, T: Word, const N: usize>(
        self,
        level: Level,
        all: impl Iterator<Item = (u64, &'a [u64; 8], &'a mut [[T; N]; 8])>,
    ) {
        match level.simd() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            Simd::Avx512 => unsafe { x86::read_all(self, all) },
            _ => all.for_each(|(base, addresses, out)| self.read_each(addresses, base, out)),
        }
    }

    /// Reads a vector from each of the first addresses, if vectors are of four words and the level has a way for many; gives how many
    /// have been read.
    ///
    /// # Panics
    /// If one lies outside, or there is no room for all.
    pub(super) fn read_fours<T: Word, const N: usize>(
        self,
        level: Level,
        addresses: &[u64],
        base: u64,
        out: &mut [&mut [T]; N],
    ) -> usize {
        match (level.simd(), N, size_of::<T>()) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the level.
            (Simd::Avx512, 4, 4) => unsafe { x86::read(self, addresses, base, out) },
            _ => {
                _ = (addresses, base, out);
                0
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::gather::x86::offsets;
    use super::{Bulk, Word};
    use std::arch::x86_64::*;

    /// Threads whose vectors are turned into rows of words at once.
    const CHUNK: usize = 16;

    /// Reads a vector from each address as far as there are chunks of them; gives how many.
    ///
    /// # Panics
    /// If one lies outside, there is no room for all, or elements are no words or vectors no fours.
    #[target_feature(enable = "avx512f")]
    pub(super) fn read<T: Word, const N: usize>(
        bulk: Bulk<'_>,
        addresses: &[u64],
        base: u64,
        out: &mut [&mut [T]; N],
    ) -> usize {
        assert_eq!((N, size_of::<T>()), (4, 4));
        let chunks = addresses.as_chunks::<CHUNK>().0;
        for (k, chunk) in chunks.iter().enumerate() {
            let [low, high] = halves(chunk).map(|half| places(bulk, half, base, 16));
            // Rows of threads 0, 4, 8, 12 of a chunk, of 1, 5, 9, 13, and so on: turned they come in order.
            let mut rows = [_mm512_setzero_si512(); 4];
            for (t, row) in rows.iter_mut().enumerate() {
                // SAFETY: sixteen bytes from each place on lie inside. For races see `bulk.rs`.
                let [a, b, c, d] = [low[t], low[4 + t], high[t], high[4 + t]]
                    .map(|at| unsafe { _mm_loadu_si128(at.cast()) });
                let all = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
                *row = _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(all, c), d);
            }
            for (out, row) in out.iter_mut().zip(turned(rows)) {
                let out = &mut out.as_chunks_mut::<CHUNK>().0[k];
                // SAFETY: sixteen words are 64 bytes.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), row) }
            }
        }
        CHUNK * chunks.len()
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn read_all<'a, T: Word, const N: usize>(
        bulk: Bulk<'_>,
        all: impl Iterator<Item = (u64, &'a [u64; 8], &'a mut [[T; N]; 8])>,
    ) {
        for (base, addresses, out) in all {
            for (from, out) in places(bulk, addresses, base, size_of::<[T; N]>()).into_iter().zip(out) {
                // SAFETY: the bytes lie inside, `out` is no memory of a kernel, and any bits are a number. For races see `bulk.rs`.
                unsafe { std::ptr::copy_nonoverlapping(from, out.as_mut_ptr().cast(), size_of_val(out)) }
            }
        }
    }

    /// Where eight stretches of so many bytes begin, all of which lie inside.
    ///
    /// # Panics
    /// If one does not.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn places(bulk: Bulk<'_>, addresses: &[u64; 8], base: u64, bytes: usize) -> [*mut u8; 8] {
        offsets(bulk, addresses, _mm512_set1_epi64(base as i64), (bytes as u64, 1));
        // From the addresses once more: to move offsets out of a vector takes longer.
        let origin = bulk.start().wrapping_sub(base as usize);
        addresses.map(|address| origin.wrapping_add(address as usize))
    }

    /// Of sixteen addresses the first eight and the others.
    fn halves(chunk: &[u64; CHUNK]) -> [&[u64; 8]; 2] {
        let (low, high) = chunk.split_at(8);
        [low, high].map(|half| half.try_into().expect("eight addresses"))
    }

    /// Words of four rows as those of columns, in each four lanes by themselves.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn turned([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let (low, other_low) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
        let (high, other_high) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
        [
            _mm512_unpacklo_epi64(low, other_low),
            _mm512_unpackhi_epi64(low, other_low),
            _mm512_unpacklo_epi64(high, other_high),
            _mm512_unpackhi_epi64(high, other_high),
        ]
    }
}
