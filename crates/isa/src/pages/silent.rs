//! Where the manual is silent on floating-point results: errata that pages share.

use crate::float::{Format, Real};
use crate::prelude::*;
use crate::trace::{Staged, Step};

/// When a result is flushed.
pub const FLUSHED: Erratum = erratum(
    "flushes subnormal results with `.ftz` without saying whether that is decided before or after rounding",
    "rounds as if exponents had no lower end, and flushes what is then below the least normal number, as ptxas does with literals",
)
.concerns(|i| i.has(Slot::Ftz) && i.ty(Slot::Type).bits < 64 && i.fidelity() == Fidelity::Exact)
.arises(|i, args| rounded(i, args).any(|(format, exact, _)| exact.finite().is_some_and(|exact| {
    // The last step of subnormal numbers before the least normal one.
    let stored = format.precision as i32 - 1;
    let below = exact.top() == format.least_exponent() - 1;
    below && exact.in_units(format.least_exponent() - stored).0 == (1 << stored) - 1
})));

/// Which NaN a result is.
pub const NOT_A_NUMBER: Erratum = erratum(
    "leaves open which NaN a result is, but for the payload of `.f64`, of which it does not say whose it is",
    "gives 0x7fffffff (`.f16`, `.bf16`: 0x7fff) as devices are documented to; for `.f64` the operand's, made quiet (of several that \
     which an H200 keeps: of `b`, then `c`, then `a`, of a quotient that of `a`), and 0xfff8000000000000 where no operand is NaN",
)
.concerns(|i| i.fidelity() != Fidelity::Model)
.arises(gives_nan);

/// What becomes of -0.0 with `.sat` and `.relu`.
pub const NEGATIVE_ZERO: Erratum = erratum(
    "does not say what `.sat` and `.relu` make of -0.0",
    "gives +0.0, as ptxas does with `.sat` and literals",
)
.concerns(|i| i.has(Slot::Sat) || i.has(Slot::Relu))
.arises(|i, args| {
    rounded(i, args).any(|(format, real, bits)| {
        matches!(real, Real::Zero { negative: true }) || bits == format.sign_bit()
    })
});

/// Which NaN `abs` and `neg` give.
pub const SIGN_OF_NAN: Erratum = erratum(
    "says of NaN that `abs` leaves it, or that its payload is unspecified, and nothing of a sign that `neg` gives it",
    "gives 0x7fffffff (`.f16`, `.bf16`: 0x7fff), as the additions do that ptxas makes of it, and for `.f64` the operand's, made quiet; with \
     literals ptxas gives the operand's with another sign",
)
.arises(gives_nan);

pub fn gives_nan(i: &Inst, args: &Args) -> bool {
    let ty = i.ty(Slot::Type);
    let mut d = [0];
    let computed = i.compute(crate::Semantics::Manual, args, &mut d);
    let lane = |format: &Format, k: u32| format.is_nan(d[0] >> (k * ty.bits) & ty.mask());
    computed && Format::of(ty).is_some_and(|format| (0..ty.lanes).any(|k| lane(format, k)))
}

/// What was rounded, and to what.
pub fn rounded(i: &Inst, args: &Args) -> impl Iterator<Item = (&'static Format, Real, Bits)> {
    let steps = i.stages(crate::Semantics::Manual, args);
    let pair = |steps: &[Step]| match (steps[0].value, steps[1].value) {
        (Staged::Real(real), Staged::Float(bits, format)) => Some((format, real, bits)),
        _ => None,
    };
    steps.windows(2).filter_map(pair).collect::<Vec<_>>().into_iter()
}
