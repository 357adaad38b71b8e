//! What is known of the addresses of some threads.

use crate::batch::lanes::{Lines, Place, Scan};
use margay_isa::WARP;
use margay_isa::warp::ballot;

#[cfg(target_arch = "x86_64")]
use crate::batch::lanes::{Simd, x86};

impl Lines<'_> {
    /// What is known of the 64-bit values of some threads, a bit each for every warp.
    ///
    /// # Panics
    /// If the value is the same in all threads, or there are more warps than lines are for.
    pub(crate) fn scan_some(&self, place: Place, bits: &[u32]) -> Scan {
        assert!(place.stride > 0);
        let warps = &self.u64s(place).as_chunks().0[..bits.len()];
        // SAFETY: the machine has the level.
        let (least, most, low_bits) = unsafe {
            match self.level.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::limits_of_some_avx512(warps, bits),
                _ => limits_of_some(warps, bits),
            }
        };
        Scan { least, most, low_bits, step: None, step_of_groups: None }
    }
}

impl Lines<'_> {
    /// Which of some threads, a bit each for every warp, have a 64-bit value from `first` on, of so many.
    ///
    /// # Panics
    /// If the value is the same in all threads, or there are more warps than lines are for.
    pub(crate) fn within(&self, place: Place, bits: &[u32], first: u64, count: u64) -> Vec<u32> {
        assert!(place.stride > 0);
        let warps = &self.u64s(place).as_chunks::<WARP>().0[..bits.len()];
        // SAFETY: the machine has the level.
        unsafe {
            match self.level.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::within_avx512(warps, bits, first, count),
                _ => within(warps, bits, first, count),
            }
        }
    }
}

fn within(warps: &[[u64; WARP]], bits: &[u32], first: u64, count: u64) -> Vec<u32> {
    let of =
        |(warp, bits): (&[u64; WARP], &u32)| bits & ballot(warp, |value| value.wrapping_sub(first) < count);
    warps.iter().zip(bits).map(of).collect()
}

/// The least and the greatest value of those threads, and what bits there are.
fn limits_of_some(warps: &[[u64; WARP]], bits: &[u32]) -> (u64, u64, u64) {
    let (mut least, mut most, mut low_bits) = (u64::MAX, 0, 0);
    for (warp, bits) in warps.iter().zip(bits) {
        let mut bits = *bits;
        while bits != 0 {
            let value = warp[bits.trailing_zeros() as usize];
            least = least.min(value);
            most = most.max(value);
            low_bits |= value;
            bits &= bits - 1;
        }
    }
    (least, most, low_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_threads_whose_bit_is_set() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        for round in 0..500 {
            let warps: [[u64; WARP]; 5] =
                std::array::from_fn(|_| std::array::from_fn(|_| next() >> (round % 60)));
            let bits: [u32; 5] = std::array::from_fn(|_| match next() % 4 {
                0 => 0,
                1 => 1 << (next() % 32),
                _ => (next() & next()) as u32,
            });
            let each = warps.as_flattened().iter().enumerate();
            let some: Vec<u64> =
                each.filter(|(t, _)| bits[t / WARP] >> (t % WARP) & 1 == 1).map(|(_, v)| *v).collect();
            let least = some.iter().copied().min().unwrap_or(u64::MAX);
            let wanted =
                (least, some.iter().copied().max().unwrap_or(0), some.iter().fold(0, |all, v| all | v));
            assert_eq!(limits_of_some(&warps, &bits), wanted);
            #[cfg(target_arch = "x86_64")]
            if Simd::available().contains(&Simd::Avx512) {
                // SAFETY: the machine has the level.
                assert_eq!(unsafe { x86::limits_of_some_avx512(&warps, &bits) }, wanted);
            }
            let (first, count) = (next() >> (round % 60), next() >> (round % 64));
            let wanted: Vec<u32> = (0..5)
                .map(|warp| {
                    let is_in = |lane: &usize| {
                        bits[warp] >> lane & 1 == 1 && {
                            let value = i128::from(warps[warp][*lane]) - i128::from(first);
                            (0..i128::from(count)).contains(&value)
                        }
                    };
                    (0..WARP).filter(is_in).fold(0, |bits, lane| bits | 1 << lane)
                })
                .collect();
            // None that end beyond what 64 bits hold.
            if first.checked_add(count).is_some() {
                assert_eq!(within(&warps, &bits, first, count), wanted);
                #[cfg(target_arch = "x86_64")]
                if Simd::available().contains(&Simd::Avx512) {
                    // SAFETY: the machine has the level.
                    assert_eq!(unsafe { x86::within_avx512(&warps, &bits, first, count) }, wanted);
                }
            }
        }
    }
}
