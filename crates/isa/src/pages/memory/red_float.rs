//! `red` on floating-point numbers and vectors of them.
use crate::pages::access::{CACHE_POLICY, POLICY_SPACE};
use crate::pages::atomic::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.6", &["red"], &[
    line("red{.sem}{.scope}{.space}.add{.L2::cache_hint}.type [a], b{, cache_policy}"),
    line("red{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}.type3 [a], b{, cache_policy}"),
    line("red{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}.f32 [a], b{, cache_policy}").since(UNFLUSHED),
    line("red{.sem}{.scope}{.global}.add{.L2::cache_hint}.vec_32.f32 [a], b{, cache_policy}").since(VECTOR),
    line("red{.sem}{.scope}{.global}.add.noftz{.L2::cache_hint}.vec_32.f32 [a], b{, cache_policy}").since(UNFLUSHED),
    line("red{.sem}{.scope}{.global}.vop.noftz{.L2::cache_hint}.vec_16.half_word [a], b{, cache_policy}").since(VECTOR),
    line("red{.sem}{.scope}{.global}.vop.noftz{.L2::cache_hint}.vec_32.packed [a], b{, cache_policy}").since(VECTOR),
], Meaning::Atomic(changed_number))
    .about("change floating-point numbers in memory in one step without a result", "Like `atom`, but the \
                                                                                    values read are not \
                                                                                    kept.")
    .sets(FLOAT_RED_SETS)
    .operands(&[
        src("a", Address).symbol(),
        src("b", Of(Slot::Type)).constants(Immediate::Number).vector().elements(components),
        CACHE_POLICY,
    ])
    .rules(&[POLICY_SPACE])
    .since(Floor::new(1, 2, 11))
    .word_floors(FLOAT_WORD_FLOORS)
    .form_floors(FLOAT_FORM_FLOORS)
    .shown(&[("red.global.add.f32 [a], b", &[0x3fc0_0000, 0x4010_0000])])
    .examples(&["red.global.add.f32 [a], b;", "red.global.v2.f32.add [a], {b, c};"])
    .errata(FLOAT_ERRATA);
