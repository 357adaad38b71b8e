//! Where words lie: lane 4g + t of a warp holds word t of row g, a vector the words t of all rows.

use crate::batch::lanes::Line;
use crate::batch::lanes::held::{Held, Register};
use std::arch::x86_64::*;

/// What a warp holds in a register.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn load([low, high]: Register) -> [__m512i; 2] {
    // SAFETY: each half is 64 bytes.
    unsafe { [_mm512_loadu_si512(low.as_ptr().cast()), _mm512_loadu_si512(high.as_ptr().cast())] }
}

/// Gives a warp a register.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn give(held: &mut Held, register: usize, halves: [__m512i; 2]) {
    if let Some(lines) = held.result(register) {
        let start: *mut Line = lines.as_mut_ptr();
        // SAFETY: each half is a line of 64 bytes.
        unsafe {
            _mm512_storeu_si512(start.cast(), halves[0]);
            _mm512_storeu_si512(start.add(1).cast(), halves[1]);
        }
    }
}

/// From two registers, of rows 0 to 7 and 8 to 15, to a vector for each t, and back. Rows come in the order 0, 4, 8, 12, 1, 5 and so on.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn transpose([upper, lower]: [[__m512i; 2]; 2]) -> [__m512i; 4] {
    let [a, b] = [_mm512_unpacklo_epi32(upper[0], upper[1]), _mm512_unpacklo_epi32(lower[0], lower[1])];
    let [c, d] = [_mm512_unpackhi_epi32(upper[0], upper[1]), _mm512_unpackhi_epi32(lower[0], lower[1])];
    [
        _mm512_unpacklo_epi64(a, b),
        _mm512_unpackhi_epi64(a, b),
        _mm512_unpacklo_epi64(c, d),
        _mm512_unpackhi_epi64(c, d),
    ]
}

/// C of 32 bits in registers from `first` on, a vector for each of its columns.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn columns(held: &Held, first: usize) -> [__m512i; 8] {
    let even = transpose([load(held.get(first)), load(held.get(first + 2))]);
    let odd = transpose([load(held.get(first + 1)), load(held.get(first + 3))]);
    [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
}

/// Gives a warp D's columns.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn spread(columns: &[__m512i; 8], held: &mut Held) {
    for j in 0..2 {
        let rows = transpose([[columns[j], columns[2 + j]], [columns[4 + j], columns[6 + j]]]);
        give(held, j, [rows[0], rows[1]]);
        give(held, 2 + j, [rows[2], rows[3]]);
    }
}
