//! Vectors of AVX2.

use super::vector::Vector;
use std::arch::x86_64::*;

/// Lanes within a slice, as a mask.
#[inline(always)]
fn within(words: usize, at: usize) -> __m256i {
    let lanes = words.saturating_sub(at).min(8) as i32;
    // SAFETY: only called by what follows.
    unsafe { _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)) }
}

// SAFETY (all blocks): there is a vector only where the machine has the level; addresses lie within the slices.
impl Vector for __m256 {
    const COUNT: usize = 8;
    type Mask = __m256;

    #[inline(always)]
    fn splat(self, value: f32) -> Self {
        unsafe { _mm256_set1_ps(value) }
    }

    #[inline(always)]
    fn load(self, words: &[u32], at: usize) -> Self {
        unsafe {
            if at + 8 <= words.len() {
                _mm256_loadu_ps(words.as_ptr().add(at).cast())
            } else {
                let first = words.as_ptr().wrapping_add(at).cast();
                _mm256_maskload_ps(first, within(words.len(), at))
            }
        }
    }

    #[inline(always)]
    fn store(self, words: &mut [u32], at: usize) {
        unsafe {
            if at + 8 <= words.len() {
                _mm256_storeu_ps(words.as_mut_ptr().add(at).cast(), self)
            } else {
                let first = words.as_mut_ptr().wrapping_add(at).cast();
                _mm256_maskstore_ps(first, within(words.len(), at), self)
            }
        }
    }

    #[inline(always)]
    fn stream(self, words: &mut [u32], at: usize) {
        unsafe { _mm256_stream_ps(words[at..][..8].as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn load_halves(self, words: &[u32], at: usize) -> Self {
        assert!(at + 8 <= 2 * words.len());
        unsafe { _mm256_cvtph_ps(_mm_loadu_si128(words.as_ptr().cast::<u16>().add(at).cast())) }
    }

    #[inline(always)]
    fn store_halves(self, words: &mut [u32], at: usize) {
        let place = words[at..][..4].as_mut_ptr();
        unsafe { _mm_storeu_si128(place.cast(), _mm256_cvtps_ph::<0>(self)) }
    }

    #[inline(always)]
    fn round_to_half(self) -> Self {
        unsafe { _mm256_cvtph_ps(_mm256_cvtps_ph::<0>(self)) }
    }

    #[inline(always)]
    fn store_integers(self, words: &mut [u32], at: usize) {
        unsafe { _mm256_castsi256_ps(_mm256_cvtps_epi32(self)).store(words, at) }
    }

    #[inline(always)]
    fn ramp(self) -> Self {
        unsafe { _mm256_setr_ps(0., 1., 2., 3., 4., 5., 6., 7.) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { _mm256_add_ps(self, other) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { _mm256_sub_ps(self, other) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        unsafe { _mm256_mul_ps(self, other) }
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        unsafe { _mm256_div_ps(self, other) }
    }

    #[inline(always)]
    fn fma(self, factor: Self, term: Self) -> Self {
        unsafe { _mm256_fmadd_ps(self, factor, term) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        unsafe { _mm256_max_ps(self, other) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { _mm256_sqrt_ps(self) }
    }

    #[inline(always)]
    fn round(self) -> Self {
        unsafe { _mm256_round_ps::<8>(self) }
    }

    #[inline(always)]
    fn less_equal(self, other: Self) -> __m256 {
        unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self, other) }
    }

    #[inline(always)]
    fn and(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_and_ps(a, b) }
    }

    #[inline(always)]
    fn any(mask: __m256) -> bool {
        unsafe { _mm256_movemask_ps(mask) != 0 }
    }

    #[inline(always)]
    fn or_else(self, mask: __m256, other: Self) -> Self {
        unsafe { _mm256_blendv_ps(other, self, mask) }
    }

    #[inline(always)]
    fn rsqrt_estimate(self) -> Self {
        unsafe { _mm256_rsqrt_ps(self) }
    }

    #[inline(always)]
    fn scale(self, exponent: Self) -> Self {
        unsafe {
            let biased = _mm256_add_epi32(_mm256_cvtps_epi32(exponent), _mm256_set1_epi32(127));
            self.mul(_mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased)))
        }
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        unsafe {
            let bits = _mm256_castps_si256(self);
            let from_root =
                _mm256_sub_epi32(bits, _mm256_set1_epi32(std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32));
            let exponent = _mm256_srai_epi32::<23>(from_root);
            let fraction = _mm256_sub_epi32(bits, _mm256_slli_epi32::<23>(exponent));
            (_mm256_cvtepi32_ps(exponent), _mm256_castsi256_ps(fraction))
        }
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        lanes(self).into_iter().sum()
    }

    #[inline(always)]
    fn greatest(self) -> f32 {
        lanes(self).into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
}

#[inline(always)]
fn lanes(vector: __m256) -> [f32; 8] {
    let mut lanes = [0.0; 8];
    // SAFETY: the array has as many lanes.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), vector) };
    lanes
}
