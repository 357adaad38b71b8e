//! `cos`: cosine.
use super::rcp::NAMED;
use super::sin::page;
use crate::float::{F32 as SINGLE, F64 as DOUBLE, approximate, rounded};
use crate::pages::approximation::{Approximation, DEVICE, FOLDED, ROUNDED};
use crate::pages::lower_approximations::lower_approximation;
use crate::prelude::*;
use crate::uop::float::Approx;

pub static PAGE: Page = page("9.7.3.19", &["cos"], &[
    line("cos.approx{.ftz}.f32 d, a"),
    line("cos.f32 d, a").since(Floor::ZERO).until(NAMED),
], Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<FOLDED>))
    .fidelity(|_| Fidelity::Device)
    .about("cosine of an angle in radians", "An approximation: the angle becomes turns, rounded towards 0, of which 23 places below a quarter are looked at.")
    .shown(&[("cos.approx.f32 d, a", &[0x3f80_0000])])
    .examples(&["cos.approx.ftz.f32 ca, a;"])
    .errata(&[erratum(
            "bounds the error by 2^-20.5 from -2 pi to 2 pi",
            "gives the device's results by its model, whose error is up to 2^-20.43 where the size of the angle is between 4.7 and 5.1",
        ).arises(|_, args| breaks_the_bound(args[0]))]);

const COSINE: Approximation = Approximation { name: "cos(a)", function: &rounded::COSINE, steps: approximate::cos };

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    COSINE.single::<BY>(i, args, trace)
}

/// Whether the device's result is further from the exact one than the manual allows.
fn breaks_the_bound(a: Bits) -> bool {
    /// 4.7 and 5.1
    const SIZES: std::ops::Range<Bits> = 0x4096_6666..0x40a3_3333;
    /// 2^-20.5
    const BOUND: Bits = 0x3ea6_a09e_667f_3bcd;
    if !SIZES.contains(&(a & !SINGLE.sign_bit())) {
        return false;
    }
    let device = SINGLE.decode(approximate::cos(&approximate::DEVICE, false, a as u32).into());
    let exact = DOUBLE.decode(rounded::nearest(&DOUBLE, false, rounded::cosine(SINGLE.decode(a))));
    device.minus(exact).magnitude().compare(DOUBLE.decode(BOUND)).is_some_and(std::cmp::Ordering::is_gt)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_approximation(i, e, Approx::Cosine)
}
