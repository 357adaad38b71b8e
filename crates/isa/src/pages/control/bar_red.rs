//! `bar.red` and `barrier.red`: wait for the CTA's other threads and reduce a predicate.
use crate::pages::control::bar::{NAME, THREADS};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.1", &["bar", "barrier"], &[
    line("bar{.cta}.red.popc.u32 d, a, {!}c").only(&["bar"]).since(FERMI),
    line("bar{.cta}.red.popc.u32 d, a, b, {!}c").only(&["bar"]).since(FERMI),
    line("bar{.cta}.red.op.pred p, a, {!}c").only(&["bar"]).since(FERMI),
    line("bar{.cta}.red.op.pred p, a, b, {!}c").only(&["bar"]).since(FERMI),
    line("barrier{.cta}.red.popc{.aligned}.u32 d, a, {!}c").only(&["barrier"]),
    line("barrier{.cta}.red.popc{.aligned}.u32 d, a, b, {!}c").only(&["barrier"]),
    line("barrier{.cta}.red.op{.aligned}.pred p, a, {!}c").only(&["barrier"]),
    line("barrier{.cta}.red.op{.aligned}.pred p, a, b, {!}c").only(&["barrier"]),
], Meaning::Effect(Effect::Barrier))
    .about("wait for the CTA's other threads, and combine a predicate",
        "Waits as `bar.sync` does, and counts the threads in which `c` holds, or tells whether it holds in all or in any.")
    .sets(&[("op", Slot::Op2, Set::Of(&[And, Or]))])
    .operands(&[
        dst("d", Is(U32)),
        dst("p", Is(Pred)),
        src("a", Is(U32)).constants(Immediate::Range(0, 15)),
        THREADS,
        src("c", Is(Pred)),
    ])
    .since(Floor::new(6, 0, 30))
    .word_floors(&[(Cta, Floor::new(7, 8, 10))])
    .order(NAME)
    .examples(&[
        "bar.red.popc.u32 d, 0, !p;", "bar.cta.red.and.pred r2, 1, 64, p;",
        "barrier.red.or.aligned.pred p, 0, q;", "barrier.red.aligned.pred.or p, 0, q;",
    ])
    .refused(&[("bar.red.popc.s32 d, 0, p;", "the count is unsigned")]);

pub(super) const FERMI: Floor = Floor::new(2, 0, 20);
