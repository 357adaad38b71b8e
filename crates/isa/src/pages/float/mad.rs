//! `mad` on `.f32` and `.f64`: the same as `fma` on today's targets.
use super::add::{DIRECTED, ROUNDINGS};
use super::rcp::NAMED;
use crate::pages::silent::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.3.7", &["mad"], &[
    line("mad.rnd{.ftz}{.sat}.f32 d, a, b, c"),
    line("mad.rnd.f64 d, a, b, c").since(Floor::ZERO),
    line("mad{.ftz}{.sat}.f32 d, a, b, c").since(Floor::ZERO).until(Floor::new(3, 2, 10)),
    line("mad.f64 d, a, b, c").since(Floor::ZERO).until(NAMED),
], Meaning::Stages(super::fma::spec))
    .lower(super::fma::lower)
    .about("multiply and add floating-point numbers", "The exact product of `a` and `b` plus `c`, rounded once.")
    .sets(&[("rnd", Slot::Rnd, ROUNDINGS)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type)).constants(Immediate::Number)])
    .since(Floor::new(2, 0, 20))
    .form_floors(&[DIRECTED])
    .order(Order::Free)
    .shown(&[("mad.rz.sat.f32 d, a, b, c", &[0x3f80_0001, 0x3f80_0001, 0xbf80_0002])])
    .examples(&["@p mad.rn.f32 d, a, b, c;", "mad.rz.ftz.sat.f32 d, a, b, c;"])
    .refused(&[("mad.lo.f32 d, a, b, c;", "floating-point products are not halved")])
    .errata(&[erratum(
        "lets sm_1x targets, and old versions, leave out the rounding",
        "lets it be left out before version 3.2 (`.f64`: 1.4), on every target, as ptxas does",
    ),
    erratum(
        "cuts the product to 24 bits on sm_1x targets (`.f32`)",
        "keeps all of it on every target",
    ).concerns(|i| i[Slot::Type] == F32 && i.until().is_some()),
    FLUSHED, NEGATIVE_ZERO, NOT_A_NUMBER]);
