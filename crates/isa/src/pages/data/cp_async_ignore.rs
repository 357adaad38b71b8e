//! `cp.async` with a predicate that says whether to write zeros instead of what is at the source.
use crate::pages::access::CACHE_POLICY;
use crate::pages::data::cp_async::{FLOORS, NAME, SETS, SINCE, SIXTEEN, SIZE};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.3", &["cp"], &[
    line("cp.async.ca.state.global{.L2::cache_hint}{.prefetch_size} [d], [a], size, {!}ignore_src{, cache_policy}"),
    line("cp.async.cg.state.global{.L2::cache_hint}{.prefetch_size} [d], [a], sixteen, {!}ignore_src{, cache_policy}"),
], Meaning::NotYet)
    .about("copy to shared memory asynchronously, or write zeros",
        "Copies like `cp.async`; if the predicate holds, the source is not read and zeros are written.")
    .sets(SETS)
    .operands(&[
        src("d", Address).symbol(),
        src("a", Address).symbol().within(Within::Named(Slot::Action)),
        SIZE,
        SIXTEEN,
        src("ignore_src", Is(Pred)).constants(Immediate::No),
        CACHE_POLICY,
    ])
    .since(SINCE)
    .word_floors(FLOORS)
    .form_floors(&[FormFloor {
        text: "a predicate to ignore the source",
        when: |_| true,
        floor: Floor::new(7, 5, 80),
    }])
    .order(NAME)
    .examples(&[
        "cp.async.ca.shared.global [shrd], [gbl], 4, p;",
        "cp.async.cg.shared.global.L2::cache_hint [shrd], [gbl], 16, !p, policy;",
    ]);
