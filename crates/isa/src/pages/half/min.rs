//! `min` on `.f16`, `.bf16` and pairs of them; and the grammar that `max` shares.
use super::add::{BRAIN_HALVES, HALVES};
use crate::pages::float::min::{lower, spec};
use crate::pages::silent::gives_nan;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.4.7", &["min"], Meaning::Stages(spec))
    .lower(lower)
    .about("lesser of half-precision numbers", "Like `min` on `.f32`; pairs element by element.")
    .shown(&[("min.NaN.f16x2 d, a, b", &[0x7e00_8000, 0x3c00_0000])])
    .examples(&["min.ftz.f16 h0, h1, h2;", "min.NaN.f16x2 b0, b1, b2;", "min.NaN.xorsign.abs.bf16 d, a, b;"])
    .refused(&[("min.relu.f16 d, a, b;", "`.relu` is for integers")]);

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str], meaning: Meaning) -> Page {
    const SYNTAX: &[Syntax] = &[
        line("op{.ftz}{.NaN}{.xorsign.abs}.f16type d, a, b"),
        line("op{.NaN}{.xorsign.abs}.bf16type d, a, b"),
    ];
    const SETS: &[(&str, Slot, Set)] = &[("f16type", Slot::Type, HALVES), ("bf16type", Slot::Type, BRAIN_HALVES)];
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type)).constants(Immediate::No)];
    const WORD_FLOORS: &[(Word, Floor)] = &[(XorSign, Floor::new(7, 2, 86))];
    const ERRATA: &[Erratum] = &[erratum(
        "says that two NaNs give the canonical NaN; its pseudo-code goes on, without `else`, and gives `b`",
        "gives the canonical NaN, 0x7fff",
    )
    .arises(gives_nan)];
    Page::new(section, opcodes, SYNTAX, meaning)
        .sets(SETS)
        .operands(OPERANDS)
        .since(Floor::new(7, 0, 80))
        .word_floors(WORD_FLOORS)
        .order(Order::Free)
        .errata(ERRATA)
}
