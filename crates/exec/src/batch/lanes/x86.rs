//! What is done to masks, addresses and matrices, compiled for AVX2 and AVX-512.

use crate::batch::lanes::held::Held;
use crate::batch::lanes::offsets::in_words;
use crate::batch::lanes::portable::{self, W};
use crate::batch::lanes::products::{ProductOp, ProductRoom};
use crate::batch::lanes::tiles::{self, avx2};
use crate::batch::lanes::{GROUP, Line, Scan};
use margay_isa::WARP;
use margay_isa::tensor_core::{Product, Workspace};
use std::arch::x86_64::*;
use std::ops::Range;

/// Gives lanes values in equal steps, with AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn ramp_avx2(lanes: &mut [u64], first: u64, step: u64) {
    portable::ramp(lanes, first, step)
}

/// Gives lanes values in equal steps, with AVX-512.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn ramp_avx512(lanes: &mut [u64], first: u64, step: u64) {
    portable::ramp(lanes, first, step)
}

/// Gives lanes 32-bit values in equal steps, with AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn ramp_narrow_avx2(lanes: &mut [u32], first: u32, step: u32) {
    portable::ramp_narrow(lanes, first, step)
}

/// Gives lanes 32-bit values in equal steps, with AVX-512.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn ramp_narrow_avx512(lanes: &mut [u32], first: u32, step: u32) {
    portable::ramp_narrow(lanes, first, step)
}

/// Multiplies a warp's matrices with AVX2.
#[target_feature(enable = "avx2,f16c,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn multiply_avx2(products: &[ProductOp], lines: &mut [Line], warp: usize, room: &mut ProductRoom) {
    for op in products {
        let mut held = op.held(lines, warp);
        match op.product.tile() {
            Some(tile) if avx2::multiply(tile, &mut room.factors_avx2, &mut held) => {}
            _ => all_products_avx2(&op.product, &mut held, &mut room.work),
        }
    }
}

/// The way of all products with AVX2: by itself, so that tiles need no room and no registers for it.
#[target_feature(enable = "avx2,f16c,bmi1,bmi2,popcnt,lzcnt")]
#[inline(never)]
fn all_products_avx2(product: &Product, held: &mut Held, work: &mut Workspace) {
    held.carry_out(product, work);
}

/// Multiplies a warp's matrices with AVX-512.
#[target_feature(
    enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vnni,avx512bitalg,avx512vpopcntdq"
)]
pub(super) fn multiply_avx512(
    products: &[ProductOp],
    lines: &mut [Line],
    warp: usize,
    room: &mut ProductRoom,
) {
    for op in products {
        let mut held = op.held(lines, warp);
        match op.product.tile() {
            Some(tile) if tiles::multiply(tile, &mut room.factors, &mut held) => {}
            _ => all_products_avx512(&op.product, &mut held, &mut room.work),
        }
    }
}

/// The way of all products with AVX-512.
#[target_feature(
    enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vnni,avx512bitalg,avx512vpopcntdq"
)]
#[inline(never)]
fn all_products_avx512(product: &Product, held: &mut Held, work: &mut Workspace) {
    held.carry_out(product, work);
}

/// Makes masks of bits with AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn spread_avx2(warps: &mut [[u32; WARP]], bits: &[u32], old: &[u32]) {
    portable::spread(warps, bits, old)
}

/// Makes masks of bits with AVX-512.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn spread_avx512(warps: &mut [[u32; WARP]], bits: &[u32], old: &[u32]) {
    portable::spread(warps, bits, old)
}

/// Looks at addresses with AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn scan_avx2(values: &[u64]) -> Scan {
    portable::scan(values, |values| limits_avx2(values))
}

/// The least and the greatest value, and what bits there are: by halves, which AVX2 compares without sign, where all have the same upper one.
#[target_feature(enable = "avx2")]
fn limits_avx2(values: &[u64]) -> (u64, u64, u64) {
    let (fours, rest) = values.as_chunks::<4>();
    let first = values.first().copied().unwrap_or(0);
    let same = _mm256_set1_epi64x(first as i64);
    let (mut least, mut most) = (same, same);
    let (mut any, mut differ) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    for four in fours {
        let four = bytemuck::cast::<[u64; 4], __m256i>(*four);
        least = _mm256_min_epu32(least, four);
        most = _mm256_max_epu32(most, four);
        any = _mm256_or_si256(any, four);
        differ = _mm256_or_si256(differ, _mm256_xor_si256(four, same));
    }
    let each = |four: __m256i| bytemuck::cast::<__m256i, [u64; 4]>(four);
    if each(differ).into_iter().any(|bits| bits >> 32 != 0) {
        return portable::limits(values);
    }
    let (rest_least, rest_most, rest_any) = portable::limits(rest);
    let least = each(least).into_iter().fold(rest_least, u64::min);
    let most = each(most).into_iter().fold(rest_most, u64::max);
    (least, most, each(any).into_iter().fold(rest_any, |any, bits| any | bits))
}

/// Looks at addresses with AVX-512.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn scan_avx512(values: &[u64]) -> Scan {
    portable::scan(values, portable::limits)
}

/// Offsets in words of threads with AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn in_words_avx2(
    bits: &[u32],
    addresses: &[[u64; WARP]],
    of: (u64, u64),
    out: &mut [[u64; WARP]],
) {
    in_words(bits, addresses, of, out);
}

/// Offsets in words of threads with AVX-512.
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
pub(super) fn in_words_avx512(
    bits: &[u32],
    addresses: &[[u64; WARP]],
    of: (u64, u64),
    out: &mut [[u64; WARP]],
) {
    in_words(bits, addresses, of, out);
}

/// Which of some threads, a bit each for every warp, have a value from `first` on, of so many.
#[target_feature(enable = "avx512f")]
pub(super) fn within_avx512(warps: &[[u64; WARP]], bits: &[u32], first: u64, count: u64) -> Vec<u32> {
    let (first, count) = (_mm512_set1_epi64(first as i64), _mm512_set1_epi64(count as i64));
    let mut found = Vec::with_capacity(bits.len());
    for (warp, bits) in warps.iter().zip(bits) {
        let mut within = 0;
        for (k, values) in warp.as_chunks::<8>().0.iter().enumerate() {
            // SAFETY: both are 64 bytes without padding.
            let values = unsafe { std::mem::transmute::<[u64; 8], __m512i>(*values) };
            let is_in = _mm512_cmplt_epu64_mask(_mm512_sub_epi64(values, first), count);
            within |= u32::from(is_in) << (8 * k);
        }
        found.push(within & bits);
    }
    found
}

/// The least and the greatest value of some threads, a bit each for every warp, and what bits there are.
#[target_feature(enable = "avx512f")]
pub(super) fn limits_of_some_avx512(warps: &[[u64; WARP]], bits: &[u32]) -> (u64, u64, u64) {
    let (mut least, mut most) = (_mm512_set1_epi64(-1), _mm512_setzero_si512());
    let mut any = most;
    for (warp, bits) in warps.iter().zip(bits).filter(|(_, bits)| **bits != 0) {
        for (k, values) in warp.as_chunks::<8>().0.iter().enumerate() {
            let some = (bits >> (8 * k)) as u8;
            // SAFETY: both are 64 bytes without padding.
            let values = unsafe { std::mem::transmute::<[u64; 8], __m512i>(*values) };
            least = _mm512_mask_min_epu64(least, some, least, values);
            most = _mm512_mask_max_epu64(most, some, most, values);
            any = _mm512_mask_or_epi64(any, some, any, values);
        }
    }
    let any = _mm512_reduce_or_epi64(any).cast_unsigned();
    (_mm512_reduce_min_epu64(least), _mm512_reduce_max_epu64(most), any)
}

/// A bit for every lane of each warp whose mask is set, with AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn bits_avx2(warps: &[[u32; WARP]], bits: &mut [u32]) {
    for (bits, warp) in bits.iter_mut().zip(warps) {
        *bits = 0;
        for (k, quarter) in warp.as_chunks::<8>().0.iter().enumerate() {
            let signs = _mm256_movemask_ps(bytemuck::cast::<[u32; 8], __m256>(*quarter));
            *bits |= signs.cast_unsigned() << (8 * k);
        }
    }
}

/// A bit for every lane of each warp whose mask is set.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn bits_avx512(warps: &[[u32; WARP]], bits: &mut [u32]) {
    for (bits, warp) in bits.iter_mut().zip(warps) {
        let [low, high] = halves(warp);
        *bits = u32::from(_mm512_movepi32_mask(low)) | u32::from(_mm512_movepi32_mask(high)) << GROUP;
    }
}

/// Gives lanes of warps the values of others.
#[target_feature(enable = "avx512f")]
pub(super) fn exchange_avx512(
    lines: &mut [Line],
    groups: Range<usize>,
    [from, to]: [usize; 2],
    choices: &[u32; WARP],
) {
    let choices = halves(choices);
    for group in groups.step_by(2) {
        let low = vector(lines[from + group].0);
        let high = vector(lines[from + group + 1].0);
        for (half, choices) in choices.into_iter().enumerate() {
            lines[to + group + half].0 = line(_mm512_permutex2var_epi32(low, choices, high));
        }
    }
}

/// Gives lanes of warps the values of others, with AVX2: each eight of them out of the eights that they choose from.
#[target_feature(enable = "avx2")]
pub(super) fn exchange_avx2(
    lines: &mut [Line],
    groups: Range<usize>,
    [from, to]: [usize; 2],
    choices: &[u32; WARP],
) {
    const QUARTERS: usize = 4;
    let vector = |words: [u32; 8]| bytemuck::cast::<[u32; 8], __m256i>(words);
    let chosen = bytemuck::cast::<[u32; WARP], [[u32; 8]; QUARTERS]>(*choices).map(vector);
    // For each eight lanes, what each eight gives them, and where: the first ones of so many.
    let mut gives = [([(0, _mm256_setzero_si256()); QUARTERS], 0); QUARTERS];
    for (lanes, (gives, count)) in chosen.into_iter().zip(&mut gives) {
        let quarters = _mm256_srli_epi32::<3>(lanes);
        for quarter in 0..QUARTERS {
            let mask = _mm256_cmpeq_epi32(quarters, _mm256_set1_epi32(quarter as i32));
            if _mm256_movemask_epi8(mask) != 0 {
                gives[*count] = (quarter, mask);
                *count += 1;
            }
        }
    }
    for group in groups.step_by(2) {
        let warp: [[u32; 8]; QUARTERS] = bytemuck::cast([lines[from + group], lines[from + group + 1]]);
        let warp = warp.map(vector);
        let mut results = warp;
        for ((result, lanes), (gives, count)) in results.iter_mut().zip(chosen).zip(&gives) {
            for (k, (quarter, mask)) in gives[..*count].iter().enumerate() {
                let given = _mm256_permutevar8x32_epi32(warp[*quarter], lanes);
                *result = if k == 0 { given } else { _mm256_blendv_epi8(*result, given, *mask) };
            }
        }
        let results: [Line; 2] = bytemuck::cast(results);
        [lines[to + group], lines[to + group + 1]] = results;
    }
}

/// A warp's values as two vectors.
#[target_feature(enable = "avx512f")]
fn halves(warp: &[u32; WARP]) -> [__m512i; 2] {
    let start = warp.as_ptr();
    // SAFETY: each half is 64 bytes of the array.
    unsafe { [_mm512_loadu_si512(start.cast()), _mm512_loadu_si512(start.add(GROUP).cast())] }
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
