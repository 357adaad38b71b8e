//! What pages with approximate forms share: the same function as the device computes it, correctly rounded, and as ptxas folds it.

use crate::float::approximate::{DEVICE as HARDWARE, FOLDED as LITERALS, Unit, half};
use crate::float::rounded::{Function, UPPER, nearest, operand, rounded, single};
use crate::float::{F32, F64, Format, Mode, Real, encode, rounding};
use crate::prelude::*;

/// Whose results a meaning gives: the device's, …
pub const DEVICE: usize = 0;
/// … correctly rounded ones, …
pub const ROUNDED: usize = 1;
/// … or those that ptxas computes where operands are literals.
pub const FOLDED: usize = 2;

/// A function of one number.
pub struct Approximation {
    /// How it is written.
    pub name: &'static str,
    /// Its value.
    pub function: &'static Function,
    /// How it is made of a unit's functions on `.f32`.
    pub steps: fn(&Unit, bool, u32) -> u32,
}

impl Approximation {
    /// The result on `.f32`.
    pub fn single<const BY: usize>(&self, i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
        let (a, flush) = (args[0] as u32, flushes(i));
        let d = match unit::<BY>() {
            Some(unit) => (self.steps)(unit, flush, a),
            None => single(self.function, flush, a),
        };
        show(trace, None, &F32, self.name, [Some(args[0]), None], d.into(), || {
            (self.function.exact)(real(i, args[0]))
        })
    }

    /// The results on `.f16`, `.bf16` and pairs of them, element by element.
    pub fn halves<const BY: usize>(&self, i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
        let ty = i.ty(Slot::Type);
        let Some(format) = Format::of(ty) else { return 0 };
        let flush = i.has(Slot::Ftz);
        (0..ty.lanes).fold(0, |d, lane| {
            let element = (ty.lanes > 1).then_some(lane);
            let a = args[0] >> (lane * ty.bits) & ty.mask();
            let here = match unit::<BY>() {
                Some(unit) => half(format, a, |x| (self.steps)(unit, true, x)),
                None => rounded(self.function, format, flush, a),
            };
            let exact = || (self.function.exact)(operand(format, flush, a));
            d | show(trace, element, format, self.name, [Some(a), None], here, exact) << (lane * ty.bits)
        })
    }

    /// The result on the upper half of `.f64`; the lower one is of no matter, and 0 in the result.
    pub fn upper<const BY: usize>(&self, steps: fn(u64) -> u64, args: &Args, trace: &mut Trace) -> Bits {
        let upper = args[0] >> 32 << 32;
        let exact = || (self.function.exact)(operand(&F64, true, upper));
        let d =
            if BY == ROUNDED { nearest(&UPPER, true, exact()) << 32 } else { steps(args[0] as u64).into() };
        show(trace, None, &F64, self.name, [Some(upper), None], d, exact)
    }

    /// The result on `.f64`.
    pub fn double<const BY: usize>(&self, steps: fn(u64) -> u64, args: &Args, trace: &mut Trace) -> Bits {
        let exact = || (self.function.exact)(operand(&F64, false, args[0]));
        let d = match BY {
            ROUNDED => encode(&F64, Mode::Nearest, false, exact(), &args[..1]),
            _ => steps(args[0] as u64).into(),
        };
        show(trace, None, &F64, self.name, [Some(args[0]), None], d, exact)
    }
}

/// The unit whose functions a meaning uses, if it uses one.
pub fn unit<const BY: usize>() -> Option<&'static Unit> {
    match BY {
        DEVICE => Some(&HARDWARE),
        FOLDED => Some(&LITERALS),
        _ => None,
    }
}

/// Whether a form on `.f32` flushes: it says so, or is one of those of PTX 1.3 that say nothing.
pub fn flushes(i: &Inst) -> bool {
    i.has(Slot::Ftz) || !i.has(Slot::Rnd) && i[Slot::Mode] != Full
}

/// What an operand on `.f32` stands for.
pub fn real(i: &Inst, bits: Bits) -> Real {
    operand(&F32, flushes(i), bits)
}

/// Records operands, exact value and result, and passes the result on.
pub fn show(
    trace: &mut Trace,
    element: Option<u32>,
    format: &'static Format,
    name: &'static str,
    operands: [Option<Bits>; 2],
    d: Bits,
    exact: impl FnOnce() -> Real,
) -> Bits {
    if !trace.is_on() {
        return d;
    }
    for (name, bits) in ["a", "b"].into_iter().zip(operands.into_iter().flatten()) {
        trace.float(name, element, format, bits, String::new);
    }
    let exact = exact();
    trace.real(name, element, exact, String::new);
    let note = || match exact.finite() {
        Some(exact) if d & !format.sign_bit() != 0 => rounding(format, d, &exact),
        _ => String::new(),
    };
    trace.float("result", element, format, d, note)
}
