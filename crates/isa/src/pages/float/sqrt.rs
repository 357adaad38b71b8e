//! `sqrt`: square root.
use super::rcp::{NAMED, is_approximate, page};
use crate::float::{approximate, rounded};
use crate::pages::approximation::{Approximation, DEVICE, FOLDED, ROUNDED};
use crate::pages::arithmetic::*;
use crate::pages::silent::*;
use crate::pages::lower_approximations::lower_approximation;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;
use crate::uop::float::Approx;

pub static PAGE: Page = page("9.7.3.15", &["sqrt"], &[
    line("sqrt.approx{.ftz}.f32 d, a"),
    line("sqrt.rnd{.ftz}.f32 d, a").since(Floor::new(1, 4, 20)),
    line("sqrt.rnd.f64 d, a").since(Floor::ZERO),
    line("sqrt.f32 d, a").since(Floor::ZERO).until(NAMED),
    line("sqrt.f64 d, a").since(Floor::ZERO).until(NAMED),
], Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<FOLDED>))
    .about("square root", "Correctly rounded if a rounding is given, else approximate.")
    .shown(&[("sqrt.rn.f32 d, a", &[0x4000_0000])])
    .examples(&["sqrt.approx.ftz.f32 r, x;", "sqrt.rn.f64 r, x;"])
    .errata(&[FLUSHED, NOT_A_NUMBER]);

const ROOT: Approximation = Approximation { name: "sqrt(a)", function: &rounded::ROOT, steps: approximate::sqrt };

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    if is_approximate(i) {
        return ROOT.single::<BY>(i, args, trace);
    }
    arithmetic(i, args, trace, "sqrt(a)", |[a]| a.square_root())
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    if is_approximate(i) {
        return lower_approximation(i, e, Approx::Root);
    }
    lower_arithmetic(i, e, Operation::Root)
}
