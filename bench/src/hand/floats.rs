//! The floating-point kernels by hand: written once over vectors of a level, compiled for each.
//!
//! What a kernel computes exactly (`fma`, `/`, `sqrt`) is computed so here, in the kernel's order where threads have one. Approximate
//! functions are the fastest that are about as precise as the device's: polynomials, and the machine's reciprocal root made better once.

mod elementwise;
mod matrices;
mod rows;
mod vector;
mod vector256;
mod vector512;

use crate::case::Case;
use std::arch::x86_64::*;
use vector::Vector;

/// Numbers of A1 to A3 among these.
pub const POWER: u8 = 11;
pub const LOGARITHM: u8 = 12;
pub const ROOT: u8 = 13;

/// F1 to F8, F10, and A1 to A3 for AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
pub fn avx512<const NUMBER: u8>(case: &Case, out: &mut [u32]) {
    kernel::<_, NUMBER>(_mm512_setzero_ps(), case, out)
}

/// The same for AVX2.
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
pub fn avx2<const NUMBER: u8>(case: &Case, out: &mut [u32]) {
    kernel::<_, NUMBER>(_mm256_setzero_ps(), case, out)
}

/// The zeros are what a kernel makes all its vectors from. Kernels are known by numbers, not by functions that are handed over: those
/// would not be inlined, and so not compiled for the level.
#[inline(always)]
fn kernel<V: Vector, const NUMBER: u8>(zero: V, case: &Case, out: &mut [u32]) {
    match NUMBER {
        1 => elementwise::saxpy(zero, case, out),
        2 => matrices::product(zero, case, out),
        3 => rows::softmax(zero, case, out),
        4 => rows::layer_norm(zero, case, out),
        5 => elementwise::bodies(zero, case, out),
        6 => elementwise::options(zero, case, out),
        7 => elementwise::mandelbrot(zero, case, out),
        8 => elementwise::convolution(zero, case, out),
        10 => matrices::halves(zero, case, out),
        POWER | LOGARITHM | ROOT => elementwise::each::<V, NUMBER>(zero, case, out),
        _ => unreachable!("number {NUMBER} is not one of these"),
    }
}
