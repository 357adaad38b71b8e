//! What conversions share: from a pattern to the number that counts, and from a number to a pattern of the destination.

use super::arithmetic::{clipped, saturated};
use crate::float::{BF16, Exact, F16, F32, F64, Format, Mode, Real, encode, rounding};
use crate::prelude::*;

/// A conversion of one element.
#[derive(Clone, Copy)]
pub struct Conversion<'a> {
    /// The instruction.
    pub inst: &'a Inst,
    /// What is converted from; `None` for integers.
    pub from: Option<&'static Format>,
    /// What is converted to.
    pub to: &'static Format,
    /// Whether subnormal numbers of `.f32` count as zeros.
    pub ftz: bool,
    /// Which element of the result it is, if there are several.
    pub element: Option<u32>,
}

/// The number that a pattern is. `.ftz` concerns `.f32` alone, whatever else is converted.
pub fn source(
    format: &'static Format,
    ftz: bool,
    name: &'static str,
    element: Option<u32>,
    bits: Bits,
    trace: &mut Trace,
) -> Real {
    let flushed = ftz && *format == F32 && format.is_subnormal(bits);
    let given = format.decode(bits);
    let number = if flushed { Real::Zero { negative: given.negative() } } else { given };
    trace.real(name, element, number, || if flushed { "subnormal, flushed".into() } else { String::new() });
    number
}

impl Conversion<'_> {
    /// The number as a pattern of the destination: rounded, then as the form says of what lies beyond an end. `bits` is the
    /// pattern that it comes from, of which a NaN may keep some.
    pub fn fitted(&self, number: Real, bits: Bits, trace: &mut Trace) -> Bits {
        let (to, mode) = (self.to, Mode::of(self.inst[Slot::Rnd]));
        let flush = self.ftz && *to == F32;
        let d = match number {
            Real::Nan { .. } => self.nan(bits),
            _ => encode(to, mode, flush, number, &[]),
        };
        if let Some(exact) = number.finite() {
            trace.float("round", self.element, to, d, || match d & !to.sign_bit() {
                0 if flush => "below the least normal number, flushed".into(),
                _ => rounding(to, d, &exact),
            });
        }
        self.within(number, d, trace)
    }

    /// What the form says of numbers beyond the greatest, below 0, and of -0; `d` is what rounding has made of the number.
    pub fn within(&self, number: Real, d: Bits, trace: &mut Trace) -> Bits {
        let (i, to, element) = (self.inst, self.to, self.element);
        let mut d = d;
        match i[Slot::Sat] {
            Sat => d = trace.float("sat", element, to, saturated(to, d), String::new),
            SatFinite if !number.is_nan() => {
                let sign = d & to.sign_bit();
                let size = (d ^ sign).min(to.greatest());
                d = trace.float("satfinite", element, to, sign | size, String::new);
            }
            _ => {}
        }
        if i.has(Slot::Relu) {
            d = trace.float("relu", element, to, clipped(to, d), String::new);
        }
        if i[Slot::Po] == Pzo && d == to.sign_bit() {
            d = trace.float("pzo", element, to, 0, String::new);
        }
        d
    }

    /// The NaN that a NaN becomes. To and from `.f64` it keeps its sign and the bits of its payload that there is room for, made quiet;
    /// `.bf16` is the upper half of `.f32`; elsewhere it is the one of the destination, by way of that of `.f32` with `.ftz`.
    fn nan(&self, bits: Bits) -> Bits {
        let (to, from) = (self.to, self.from.unwrap_or(self.to));
        let wide = |single: Bits| to.nan(&[(single >> 31) << 63 | 0x7ff << 52 | (single & 0x7f_ffff) << 29]);
        match () {
            _ if *to == F64 && *from == F64 => to.nan(&[bits]),
            _ if *to == F64 && self.ftz => wide(F32.nan(&[])),
            _ if *to == F64 && *from == F16 => wide((bits >> 15) << 31 | (bits & 0x3ff) << 13),
            _ if *to == F64 && *from == BF16 => wide(bits << 16),
            _ if *to == F64 => wide(bits),
            _ if *to == F32 && *from == BF16 && !self.ftz => bits << 16,
            _ if *to == F32 && *from == F64 => (bits >> 63) << 31 | 0x7fc0_0000 | bits >> 29 & 0x7f_ffff,
            _ if *from == F64 && *to == F16 => (bits >> 63) << 15 | 0x7e00 | bits >> 42 & 0x3ff,
            _ if *from == F64 && *to == BF16 => (bits >> 63) << 15 | 0x7fc0 | bits >> 45 & 0x7f,
            _ => to.nan(&[]),
        }
    }
}

/// The whole number that a number is rounded to, in units of 2^e; `None` of NaN. What is too great is cut to 126 bits.
pub fn whole(number: Real, e: i32, mode: Mode) -> Option<i128> {
    const MOST: i128 = i128::MAX >> 1;
    let size = match number {
        Real::Nan { .. } => return None,
        Real::Infinite { .. } => MOST,
        Real::Finite(exact) => i128::try_from(exact.rounded(e, mode)).map_or(MOST, |size| size.min(MOST)),
        _ => 0,
    };
    Some(if number.negative() { -size } else { size })
}

/// The number rounded to a whole one, which keeps its sign where it is 0.
pub fn integral(number: Real, mode: Mode) -> Real {
    let Real::Finite(exact) = number else { return number };
    match exact.rounded(0, mode) {
        // What has no fraction may be greater than any count of units.
        _ if exact.e >= 0 => number,
        0 => Real::Zero { negative: exact.negative },
        m => Real::Finite(Exact { m, e: 0, ..exact }),
    }
}
