//! `sqrt`: square root.
use super::rcp::{NAMED, page};
use crate::pages::arithmetic::*;
use crate::pages::silent::*;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.15", &["sqrt"], &[
    line("sqrt.approx{.ftz}.f32 d, a"),
    line("sqrt.rnd{.ftz}.f32 d, a").since(Floor::new(1, 4, 20)),
    line("sqrt.rnd.f64 d, a").since(Floor::ZERO),
    line("sqrt.f32 d, a").since(Floor::ZERO).until(NAMED),
    line("sqrt.f64 d, a").since(Floor::ZERO).until(NAMED),
], Meaning::Stages(spec))
    .about("square root", "Correctly rounded if a rounding is given, else approximate.")
    .shown(&[("sqrt.rn.f32 d, a", &[0x4000_0000])])
    .examples(&["sqrt.approx.ftz.f32 r, x;", "sqrt.rn.f64 r, x;"])
    .errata(&[FLUSHED, NOT_A_NUMBER]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    arithmetic(i, args, trace, "sqrt(a)", |[a]| a.square_root())
}
