//! Where words lie: lane 4g + t of a warp holds word t of row g, a vector the words t of all rows.

use super::Register;
use std::arch::x86_64::*;

/// What a warp holds in a register.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn load(register: &Register) -> [__m512i; 2] {
    let start = register.as_ptr();
    // SAFETY: each half is 64 bytes of the array.
    unsafe { [_mm512_loadu_si512(start.cast()), _mm512_loadu_si512(start.add(16).cast())] }
}

/// Gives a warp a register.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn store(register: &mut Register, halves: [__m512i; 2]) {
    let start = register.as_mut_ptr();
    // SAFETY: each half is 64 bytes of the array.
    unsafe {
        _mm512_storeu_si512(start.cast(), halves[0]);
        _mm512_storeu_si512(start.add(16).cast(), halves[1]);
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

/// C of 32 bits, a vector for each of its columns.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn columns(c: &[&Register]) -> [__m512i; 8] {
    let even = transpose([load(c[0]), load(c[2])]);
    let odd = transpose([load(c[1]), load(c[3])]);
    [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
}

/// The registers of D's columns.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn spread(columns: &[__m512i; 8], d: &mut [Register]) {
    for j in 0..2 {
        let rows = transpose([[columns[j], columns[2 + j]], [columns[4 + j], columns[6 + j]]]);
        store(&mut d[j], [rows[0], rows[1]]);
        store(&mut d[2 + j], [rows[2], rows[3]]);
    }
}
