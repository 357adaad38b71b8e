//! `abs` on `.f16`, `.bf16` and pairs of them; and the grammar that `neg` shares.
use super::add::{BRAIN_HALVES, HALVES};
use crate::pages::float::abs::{lower, spec};
use crate::pages::silent::*;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.4.6", &["abs"], Meaning::Stages(spec))
    .lower(lower)
    .about("absolute value of half-precision numbers", "The number without its sign; pairs element by element.")
    .since(Floor::new(6, 5, 53))
    .shown(&[("abs.f16x2 d, a", &[0xc200_8001])])
    .examples(&["abs.ftz.f16 x, f0;", "abs.bf16x2 x, f0;"]);

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str], meaning: Meaning) -> Page {
    const SYNTAX: &[Syntax] = &[
        line("op{.ftz}.f16type d, a"),
        line("op.bf16type d, a").since(Floor::new(7, 0, 80)),
    ];
    const SETS: &[(&str, Slot, Set)] = &[("f16type", Slot::Type, HALVES), ("bf16type", Slot::Type, BRAIN_HALVES)];
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)).constants(Immediate::No)];
    Page::new(section, opcodes, SYNTAX, meaning).sets(SETS).operands(OPERANDS).order(Order::Free).errata(&[SIGN_OF_NAN])
}
