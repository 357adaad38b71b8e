//! Operations for which a compiler does not find the instructions of AVX-512.

use super::{At, Run, W, Whole};
use crate::batch::lanes::scope::Scope;
use crate::batch::lanes::{Line, VectorOp};
use margay_isa::uop::Dot;
use std::arch::x86_64::*;

/// Sums over packed elements by VNNI, which multiplies bytes without sign by bytes with sign.
pub(super) const fn dot(dot: Dot) -> Option<Run> {
    Some(match dot {
        Dot::Bytes(false, false) => bytes_uu,
        Dot::Bytes(false, true) => bytes_us,
        Dot::Bytes(true, false) => bytes_su,
        Dot::Bytes(true, true) => bytes_ss,
        Dot::Halves(true, true) => halves_ss,
        Dot::Halves(..) => return None,
        Dot::AbsDiffBytesU => abs_diff_u,
        Dot::AbsDiffBytesS => abs_diff_s,
    })
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn bytes_us(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
    let at = At::new(lines, scope, vector_op, numbers);
    // SAFETY: the caller's promise: all three operands and the result have 32 bits.
    unsafe {
        at.each(Whole(|a: W, b: W, c: W| -> W { line(_mm512_dpbusd_epi32(vector(c), vector(a), vector(b))) }))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn bytes_su(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
    let at = At::new(lines, scope, vector_op, numbers);
    // SAFETY: the caller's promise: all three operands and the result have 32 bits.
    unsafe {
        at.each(Whole(|a: W, b: W, c: W| -> W { line(_mm512_dpbusd_epi32(vector(c), vector(b), vector(a))) }))
    }
}

/// b = (b - 128) + 128, and 128 times the sum of a is added apart.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn bytes_uu(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
    let at = At::new(lines, scope, vector_op, numbers);
    // SAFETY: the caller's promise: all three operands and the result have 32 bits.
    unsafe {
        at.each(Whole(|a: W, b: W, c: W| -> W {
            let (a, b) = (vector(a), vector(b));
            let rest = _mm512_dpbusd_epi32(_mm512_setzero_si512(), a, _mm512_set1_epi8(1));
            let b = _mm512_xor_si512(b, _mm512_set1_epi8(i8::MIN));
            let sum = _mm512_dpbusd_epi32(vector(c), a, b);
            line(_mm512_add_epi32(sum, _mm512_slli_epi32(rest, 7)))
        }))
    }
}

/// a = (a + 128) - 128, and 128 times the sum of b is taken away apart.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn bytes_ss(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
    let at = At::new(lines, scope, vector_op, numbers);
    // SAFETY: the caller's promise: all three operands and the result have 32 bits.
    unsafe {
        at.each(Whole(|a: W, b: W, c: W| -> W {
            let (a, b) = (vector(a), vector(b));
            let rest = _mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_set1_epi8(1), b);
            let a = _mm512_xor_si512(a, _mm512_set1_epi8(i8::MIN));
            let sum = _mm512_dpbusd_epi32(vector(c), a, b);
            line(_mm512_sub_epi32(sum, _mm512_slli_epi32(rest, 7)))
        }))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn halves_ss(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
    let at = At::new(lines, scope, vector_op, numbers);
    // SAFETY: the caller's promise: all three operands and the result have 32 bits.
    unsafe {
        at.each(Whole(|a: W, b: W, c: W| -> W { line(_mm512_dpwssd_epi32(vector(c), vector(a), vector(b))) }))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn abs_diff_u(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
    let at = At::new(lines, scope, vector_op, numbers);
    // SAFETY: the caller's promise: all three operands and the result have 32 bits.
    unsafe {
        at.each(Whole(|a: W, b: W, c: W| -> W {
            let (a, b) = (vector(a), vector(b));
            let difference = _mm512_sub_epi8(_mm512_max_epu8(a, b), _mm512_min_epu8(a, b));
            line(_mm512_dpbusd_epi32(vector(c), difference, _mm512_set1_epi8(1)))
        }))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn abs_diff_s(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
    let at = At::new(lines, scope, vector_op, numbers);
    // SAFETY: the caller's promise: all three operands and the result have 32 bits.
    unsafe {
        at.each(Whole(|a: W, b: W, c: W| -> W {
            let (a, b) = (vector(a), vector(b));
            let difference = _mm512_sub_epi8(_mm512_max_epi8(a, b), _mm512_min_epi8(a, b));
            line(_mm512_dpbusd_epi32(vector(c), difference, _mm512_set1_epi8(1)))
        }))
    }
}

/// Byte permutation: places of bytes in two registers, then signs spread where the selection says so.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn permute(lines: *mut Line, scope: &Scope, vector_op: &VectorOp, numbers: [u8; 2]) {
    let at = At::new(lines, scope, vector_op, numbers);
    let nibble = _mm512_set1_epi32(0x0000_000f);
    // The place of thread k's first byte, in every byte of thread k.
    let base: W = std::array::from_fn(|k| 0x0404_0404 * k as u32);
    let base = vector(base);
    // SAFETY: the caller's promise: all three operands and the result have 32 bits.
    unsafe {
        at.each(Whole(|a: W, b: W, c: W| -> W {
            let c = vector(c);
            let one = |k: u32, places: __m512i| {
                let n = _mm512_and_si512(_mm512_srlv_epi32(c, _mm512_set1_epi32(4 * k as i32)), nibble);
                _mm512_or_si512(places, _mm512_sllv_epi32(n, _mm512_set1_epi32(8 * k as i32)))
            };
            let nibbles = one(3, one(2, one(1, one(0, _mm512_setzero_si512()))));
            // Bits 0 and 1 choose the byte, bit 2 the register, which is bit 6 of a place.
            let byte = _mm512_and_si512(nibbles, _mm512_set1_epi8(3));
            let register = _mm512_slli_epi32(_mm512_and_si512(nibbles, _mm512_set1_epi8(4)), 4);
            let places = _mm512_or_si512(_mm512_or_si512(byte, register), base);
            let bytes = _mm512_permutex2var_epi8(vector(a), places, vector(b));
            let signs = _mm512_test_epi8_mask(nibbles, _mm512_set1_epi8(8));
            let spread = _mm512_movm_epi8(_mm512_movepi8_mask(bytes));
            line(_mm512_mask_blend_epi8(signs, bytes, spread))
        }));
    }
}

#[target_feature(enable = "avx512f")]
fn vector(line: W) -> __m512i {
    // SAFETY: both are 64 bytes without padding.
    unsafe { std::mem::transmute::<W, __m512i>(line) }
}

#[target_feature(enable = "avx512f")]
fn line(vector: __m512i) -> W {
    // SAFETY: both are 64 bytes without padding.
    unsafe { std::mem::transmute::<__m512i, W>(vector) }
}
