//! Vectors of AVX-512.

use super::vector::Vector;
use std::arch::x86_64::*;

/// Lanes within a slice, as a mask.
#[inline(always)]
fn within(words: usize, at: usize) -> __mmask16 {
    ((1u32 << words.saturating_sub(at).min(16)) - 1) as __mmask16
}

// SAFETY (all blocks): there is a vector only where the machine has the level; addresses lie within the slices.
impl Vector for __m512 {
    const COUNT: usize = 16;
    type Mask = __mmask16;

    #[inline(always)]
    fn splat(self, value: f32) -> Self {
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    fn load(self, words: &[u32], at: usize) -> Self {
        unsafe {
            if at + 16 <= words.len() {
                _mm512_loadu_ps(words.as_ptr().add(at).cast())
            } else {
                let first = words.as_ptr().wrapping_add(at).cast();
                _mm512_maskz_loadu_ps(within(words.len(), at), first)
            }
        }
    }

    #[inline(always)]
    fn store(self, words: &mut [u32], at: usize) {
        unsafe {
            if at + 16 <= words.len() {
                _mm512_storeu_ps(words.as_mut_ptr().add(at).cast(), self)
            } else {
                let first = words.as_mut_ptr().wrapping_add(at).cast();
                _mm512_mask_storeu_ps(first, within(words.len(), at), self)
            }
        }
    }

    #[inline(always)]
    fn stream(self, words: &mut [u32], at: usize) {
        unsafe { _mm512_stream_ps(words[at..][..16].as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn load_halves(self, words: &[u32], at: usize) -> Self {
        assert!(at + 16 <= 2 * words.len());
        unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(words.as_ptr().cast::<u16>().add(at).cast())) }
    }

    #[inline(always)]
    fn store_halves(self, words: &mut [u32], at: usize) {
        let place = words[at..][..8].as_mut_ptr();
        unsafe { _mm256_storeu_si256(place.cast(), _mm512_cvtps_ph::<0>(self)) }
    }

    #[inline(always)]
    fn round_to_half(self) -> Self {
        unsafe { _mm512_cvtph_ps(_mm512_cvtps_ph::<0>(self)) }
    }

    #[inline(always)]
    fn store_integers(self, words: &mut [u32], at: usize) {
        unsafe { _mm512_castsi512_ps(_mm512_cvtps_epi32(self)).store(words, at) }
    }

    #[inline(always)]
    fn ramp(self) -> Self {
        unsafe { _mm512_setr_ps(0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { _mm512_sub_ps(self, other) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        unsafe { _mm512_mul_ps(self, other) }
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        unsafe { _mm512_div_ps(self, other) }
    }

    #[inline(always)]
    fn fma(self, factor: Self, term: Self) -> Self {
        unsafe { _mm512_fmadd_ps(self, factor, term) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        unsafe { _mm512_max_ps(self, other) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        unsafe { _mm512_abs_ps(self) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { _mm512_sqrt_ps(self) }
    }

    #[inline(always)]
    fn round(self) -> Self {
        unsafe { _mm512_roundscale_ps::<8>(self) }
    }

    #[inline(always)]
    fn less_equal(self, other: Self) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self, other) }
    }

    #[inline(always)]
    fn and(a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }

    #[inline(always)]
    fn any(mask: __mmask16) -> bool {
        mask != 0
    }

    #[inline(always)]
    fn or_else(self, mask: __mmask16, other: Self) -> Self {
        unsafe { _mm512_mask_mov_ps(other, mask, self) }
    }

    #[inline(always)]
    fn rsqrt_estimate(self) -> Self {
        unsafe { _mm512_rsqrt14_ps(self) }
    }

    #[inline(always)]
    fn scale(self, exponent: Self) -> Self {
        unsafe { _mm512_scalef_ps(self, exponent) }
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        unsafe {
            let bits = _mm512_castps_si512(self);
            let from_root =
                _mm512_sub_epi32(bits, _mm512_set1_epi32(std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32));
            let exponent = _mm512_srai_epi32::<23>(from_root);
            let fraction = _mm512_sub_epi32(bits, _mm512_slli_epi32::<23>(exponent));
            (_mm512_cvtepi32_ps(exponent), _mm512_castsi512_ps(fraction))
        }
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        unsafe { _mm512_reduce_add_ps(self) }
    }

    #[inline(always)]
    fn greatest(self) -> f32 {
        unsafe { _mm512_reduce_max_ps(self) }
    }
}
