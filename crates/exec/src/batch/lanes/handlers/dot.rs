//! Sums over packed elements.

#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::{Handler, w3};
use margay_isa::uop::Dot;
use margay_isa::uop::scalar::*;

pub(super) const fn of(dot: Dot) -> Handler {
    let plain = plain(dot);
    #[cfg(target_arch = "x86_64")]
    if let Some(run) = avx512::dot(dot) {
        // SAFETY: it is for AVX-512, and reads and writes values of 32 bits.
        return unsafe { plain.with_avx512(run) };
    }
    plain
}

const fn plain(dot: Dot) -> Handler {
    match dot {
        Dot::Bytes(false, false) => w3(|a, b, c| dot_bytes((false, false), a, b, c)),
        Dot::Bytes(false, true) => w3(|a, b, c| dot_bytes((false, true), a, b, c)),
        Dot::Bytes(true, false) => w3(|a, b, c| dot_bytes((true, false), a, b, c)),
        Dot::Bytes(true, true) => w3(|a, b, c| dot_bytes((true, true), a, b, c)),
        Dot::Halves(false, false) => w3(|a, b, c| dot_halves((false, false), a, b, c)),
        Dot::Halves(false, true) => w3(|a, b, c| dot_halves((false, true), a, b, c)),
        Dot::Halves(true, false) => w3(|a, b, c| dot_halves((true, false), a, b, c)),
        Dot::Halves(true, true) => w3(|a, b, c| dot_halves((true, true), a, b, c)),
        Dot::AbsDiffBytesU => w3(|a, b, c| abs_diff_bytes(false, a, b, c)),
        Dot::AbsDiffBytesS => w3(|a, b, c| abs_diff_bytes(true, a, b, c)),
    }
}
