//! `atom` on floating-point numbers and vectors of them.
use crate::pages::access::{CACHE_POLICY, POLICY_SPACE};
use crate::pages::atomic::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.5", &["atom"], &[
    line("atom{.sem}{.scope}{.space}.add{.L2::cache_hint}.type d, [a], b{, cache_policy}"),
    line("atom{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}.type3 d, [a], b{, cache_policy}"),
    line("atom{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}.f32 d, [a], b{, cache_policy}").since(UNFLUSHED),
    line("atom{.sem}{.scope}{.global}.add{.L2::cache_hint}.vec_32.f32 d, [a], b{, cache_policy}").since(VECTOR),
    line("atom{.sem}{.scope}{.global}.add.noftz{.L2::cache_hint}.vec_32.f32 d, [a], b{, cache_policy}").since(UNFLUSHED),
    line("atom{.sem}{.scope}{.global}.vop.noftz{.L2::cache_hint}.vec_16.half_word d, [a], b{, cache_policy}").since(VECTOR),
    line("atom{.sem}{.scope}{.global}.vop.noftz{.L2::cache_hint}.vec_32.packed d, [a], b{, cache_policy}").since(VECTOR),
], Meaning::Atomic(changed_number))
    .about("change floating-point numbers in memory in one step",
        "Reads the values at the address into `d` and writes their sum with `b`, or the lesser or greater of both; no other \
         access comes between.")
    .sets(FLOAT_SETS)
    .operands(&[
        dst("d", Of(Slot::Type)).sink().vector().elements(components),
        src("a", Address).symbol(),
        src("b", Of(Slot::Type)).constants(Immediate::Number).vector().elements(components),
        CACHE_POLICY,
    ])
    .rules(&[POLICY_SPACE])
    .since(Floor::new(1, 1, 11))
    .word_floors(FLOAT_WORD_FLOORS)
    .form_floors(FLOAT_FORM_FLOORS)
    .shown(&[("atom.shared.add.f32 d, [a], b", &[0x3fc0_0000, 0x4010_0000])])
    .examples(&[
        "atom.global.add.f32 d, [a], b;", "atom.add.noftz.f16x2 d, [a], b;",
        "atom.global.v2.f32.add {d, e}, [a], {b, c};",
    ])
    .refused(&[("atom.and.f32 d, [a], b;", "numbers have no bits to combine")])
    .errata(FLOAT_ERRATA);
