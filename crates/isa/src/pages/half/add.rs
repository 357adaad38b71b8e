//! `add` on `.f16`, `.bf16` and pairs of them; and the grammar that `sub` and `mul` share.
use crate::pages::float::add::{lower, spec};
use crate::pages::silent::*;
use crate::pages::contraction::sum;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.4.1", &["add"], Meaning::Stages(spec))
    .lower(lower)
    .about("add half-precision numbers", "The sum, rounded to nearest even; pairs add element by element.")
    .part(sum)
    .shown(&[("add.sat.f16x2 d, a, b", &[0x3800_1001, 0x3c00_3800])])
    .examples(&["add.f16 d, a, b;", "add.rn.ftz.sat.f16x2 d, a, b;", "add.bf16x2 d, a, b;"])
    .refused(&[("add.sat.bf16 d, a, b;", "`.sat` is for `.f16` and `.f16x2`")]);

pub(super) const BRAIN: Floor = Floor::new(7, 8, 90);

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str], meaning: Meaning) -> Page {
    const SYNTAX: &[Syntax] = &[
        line("op{.rn}{.ftz}{.sat}.f16type d, a, b"),
        line("op{.rn}.bf16type d, a, b").since(BRAIN),
    ];
    const SETS: &[(&str, Slot, Set)] = &[("f16type", Slot::Type, HALVES), ("bf16type", Slot::Type, BRAIN_HALVES)];
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type)).constants(Immediate::No)];
    Page::new(section, opcodes, SYNTAX, meaning)
        .sets(SETS)
        .operands(OPERANDS)
        .since(Floor::new(4, 2, 53))
        .order(Order::Free)
        .errata(&[FLUSHED, NEGATIVE_ZERO, NOT_A_NUMBER])
}

pub(super) const HALVES: Set = Set::Of(&[F16, F16x2]);
pub(super) const BRAIN_HALVES: Set = Set::Of(&[Bf16, Bf16x2]);
