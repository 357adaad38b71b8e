//! Where elements of threads lie in memory of which each word of all threads comes after the one before.

use crate::batch::lanes::Level;
use margay_isa::WARP;

#[cfg(target_arch = "x86_64")]
use crate::batch::lanes::{Simd, x86};

impl Level {
    /// The offsets of some threads' elements, a bit each for every warp, by their addresses, `base` taken away from these: a word of
    /// 8 bytes of each of so many threads after the other. What is found for the other threads is of no meaning.
    ///
    /// # Panics
    /// If there are fewer warps of addresses or offsets.
    pub(crate) fn offsets_in_words(
        self,
        bits: &[u32],
        addresses: &[u64],
        (base, threads): (u64, u64),
        out: &mut [u64],
    ) {
        let (addresses, out) =
            (&addresses.as_chunks().0[..bits.len()], &mut out.as_chunks_mut().0[..bits.len()]);
        // SAFETY: the machine has the level.
        unsafe {
            match self.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::in_words_avx512(bits, addresses, (base, threads), out),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::in_words_avx2(bits, addresses, (base, threads), out),
                _ => in_words(bits, addresses, (base, threads), out),
            }
        }
    }
}

#[inline(always)]
pub(super) fn in_words(
    bits: &[u32],
    addresses: &[[u64; WARP]],
    (base, threads): (u64, u64),
    out: &mut [[u64; WARP]],
) {
    for (warp, ((_, addresses), out)) in
        bits.iter().zip(addresses).zip(out).enumerate().filter(|(_, ((bits, _), _))| **bits != 0)
    {
        for lane in 0..WARP {
            let at = addresses[lane].wrapping_sub(base);
            let own = 8 * (warp * WARP + lane) as u64 + (at & 7);
            // What threads have that take no part may be anything.
            out[lane] = (at & !7).wrapping_mul(threads).wrapping_add(own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::lanes::Simd;

    #[test]
    fn each_thread_has_words_of_its_own() {
        let mut addresses: Vec<u64> = (0..96).map(|t| 1000 + (t * 37) % 64).collect();
        // One that takes no part, and whose words would lie beyond all numbers.
        addresses[95] = 1000 + u64::MAX / (8 * 96) * 8;
        let (bits, threads) = ([0xf0f0, 0, u32::MAX >> 1], 96);
        for level in Simd::available().iter().map(|simd| Level::of(*simd)) {
            let mut found = [7; 96];
            level.offsets_in_words(&bits, &addresses, (1000, threads), &mut found);
            for t in (0..96).filter(|t| bits[t / WARP] >> (t % WARP) & 1 == 1) {
                let at = addresses[t] - 1000;
                assert_eq!(found[t], (at / 8 * threads + t as u64) * 8 + at % 8);
            }
            assert_eq!(found[32..64], [7; 32], "nobody asked");
        }
    }
}
