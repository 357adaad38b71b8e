//! `lg2`: binary logarithm.
use super::rcp::NAMED;
use super::sin::page;
use crate::float::{approximate, rounded};
use crate::pages::approximation::{Approximation, DEVICE, FOLDED, ROUNDED};
use crate::pages::lower_approximations::lower_approximation;
use crate::prelude::*;
use crate::uop::float::Approx;

pub static PAGE: Page = page("9.7.3.20", &["lg2"], &[
    line("lg2.approx{.ftz}.f32 d, a"),
    line("lg2.f32 d, a").since(Floor::ZERO).until(NAMED),
], Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<FOLDED>))
    .fidelity(|_| Fidelity::Device)
    .about("binary logarithm", "An approximation.")
    .shown(&[("lg2.approx.f32 d, a", &[0x4120_0000])])
    .examples(&["lg2.approx.ftz.f32 ca, a;"]);

const LOGARITHM: Approximation = Approximation { name: "log2(a)", function: &rounded::LOGARITHM, steps: approximate::lg2 };

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    LOGARITHM.single::<BY>(i, args, trace)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_approximation(i, e, Approx::Logarithm)
}
