//! `div` on `.f32` and `.f64`.
use super::add::ROUNDINGS;
use super::rcp::{NAMED, fidelity, is_approximate};
use crate::float::approximate::{self, Unit};
use crate::float::{Exact, F32 as SINGLE, Real, rounded};
use crate::pages::approximation::{DEVICE, FOLDED, ROUNDED, flushes, real, show, unit};
use crate::pages::arithmetic::*;
use crate::pages::silent::*;
use crate::pages::lower_approximations::lower_quotient;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.3.8", &["div"], &[
    line("div.approx{.ftz}.f32 d, a, b"),
    line("div.full{.ftz}.f32 d, a, b"),
    line("div.rnd{.ftz}.f32 d, a, b").since(Floor::new(1, 4, 20)),
    line("div.rnd.f64 d, a, b").since(Floor::ZERO),
    line("div.f32 d, a, b").since(Floor::ZERO).until(NAMED),
    line("div.f64 d, a, b").since(Floor::ZERO).until(NAMED),
], Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<FOLDED>))
    .fidelity(fidelity)
    .about("divide floating-point numbers",
        "The quotient: correctly rounded if a rounding is given, else approximate, over the full range with \
         `.full`.")
    .sets(&[("rnd", Slot::Rnd, ROUNDINGS), ("full", Slot::Mode, Set::Of(&[Full]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type)).constants(Immediate::Number)])
    .since(Floor::new(1, 4, 10))
    .form_floors(&[FormFloor {
        text: "rounding of `.f64` quotients other than `.rn`",
        when: |i| i[Slot::Type] == F64 && matches!(i[Slot::Rnd], Rz | Rm | Rp),
        floor: Floor::new(1, 4, 20),
    }])
    .order(Order::ModeFirst)
    .errata(&[FLUSHED, NOT_A_NUMBER])
    .shown(&[("div.rn.f64 d, a, b", &[0x3ff0_0000_0000_0000, 0x4008_0000_0000_0000])])
    .examples(&["div.approx.ftz.f32 diam, circum, 0f40490FDB;", "div.full.ftz.f32 x, diam, k;", "div.rn.f64 xd, yd, zd;"])
    .refused(&[("div.ftz.full.f32 d, a, b;", "`.full` comes first, as ptxas has it")]);

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    if !is_approximate(i) {
        return division(i, args, trace, "a / b", |[a, b]| a.over(b));
    }
    let steps: fn(&Unit, bool, u32, u32) -> u32 =
        if i[Slot::Mode] == Full { approximate::div_full } else { approximate::div };
    let (flush, [a, b]) = (flushes(i), [args[0], args[1]]);
    let exact = || quotient(i, real(i, a), real(i, b));
    let d = match unit::<BY>() {
        Some(unit) => steps(unit, flush, a as u32, b as u32).into(),
        None => rounded::nearest(&SINGLE, flush, exact()),
    };
    show(trace, None, &SINGLE, "a / b", [Some(a), Some(b)], d, exact)
}

/// The exact quotient; `.approx` gives 0 for divisors beyond 2^126, of which the reciprocal is below the least normal number.
fn quotient(i: &Inst, a: Real, b: Real) -> Real {
    let beyond = |b: Exact| b.top() > 126 || b.top() == 126 && !b.m.is_power_of_two();
    match b.finite() {
        Some(divisor) if i[Slot::Mode] != Full && beyond(divisor) => a.times(Real::Zero { negative: b.negative() }),
        _ => a.over(b),
    }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    if is_approximate(i) {
        return lower_quotient(i, e, i[Slot::Mode] == Full);
    }
    lower_arithmetic(i, e, Operation::Div)
}
