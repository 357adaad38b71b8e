//! `bar.arrive` and `barrier.arrive`: count as arrived at a barrier without waiting.
use crate::pages::control::bar::NAME;
use crate::pages::control::bar_red::FERMI;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.1", &["bar", "barrier"], &[
    line("bar{.cta}.arrive a, b").only(&["bar"]).since(FERMI),
    line("barrier{.cta}.arrive{.aligned} a, b").only(&["barrier"]),
], Meaning::Effect(Effect::Barrier))
    .about("arrive at a barrier without waiting",
        "Counts the thread among the `b` that barrier `a` waits for, and goes on.")
    .operands(&[
        src("a", Is(U32)).constants(Immediate::Range(0, 15)),
        src("b", Is(U32)).constants(Immediate::Multiple(32, Zero::Refused)),
    ])
    .since(Floor::new(6, 0, 30))
    .word_floors(&[(Cta, Floor::new(7, 8, 10))])
    .order(NAME)
    .examples(&["bar.arrive 0, 64;", "barrier.cta.arrive.aligned 1, n;"])
    .refused(&[("bar.arrive 0;", "the number of threads is missing")]);
