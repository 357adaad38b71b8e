//! `cp.async`: copy from global to shared memory while the thread goes on.
use crate::pages::access::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.3", &["cp"], &[
    line("cp.async.ca.state.global{.L2::cache_hint}{.prefetch_size} [d], [a], size{, cache_policy}"),
    line("cp.async.ca.state.global{.L2::cache_hint}{.prefetch_size} [d], [a], size, src_size{, cache_policy}"),
    line("cp.async.cg.state.global{.L2::cache_hint}{.prefetch_size} [d], [a], sixteen{, cache_policy}"),
    line("cp.async.cg.state.global{.L2::cache_hint}{.prefetch_size} [d], [a], sixteen, src_size{, cache_policy}"),
    line("cp.async.commit_group"),
    line("cp.async.wait_group n"),
    line("cp.async.wait_all"),
], Meaning::Effect(Effect::CopyAsync))
    .about("copy to shared memory asynchronously",
        "Copies 4, 8 or 16 bytes; with a source size fewer are read and the rest filled with zeros. Copies since the last \
         `commit_group` form a group; `wait_group` waits until at most `n` groups are under way, `wait_all` for all.")
    .sets(SETS)
    .operands(&[
        src("d", Address).symbol(),
        src("a", Address).symbol().within(Within::Named(Slot::Action)),
        SIZE,
        SIXTEEN,
        src("src_size", Is(U32)).constants(Immediate::UpTo("size sixteen")),
        src("n", Is(U32)).constants(Immediate::Only(i64::MIN as i128, u64::MAX as i128)),
        CACHE_POLICY,
    ])
    .since(SINCE)
    .word_floors(FLOORS)
    .order(NAME)
    .examples(&[
        "cp.async.ca.shared.global [shrd], [gbl+4], 4;", "cp.async.cg.shared.global [%r2], [%r3], 16, %r4;",
        "cp.async.cg.shared.global.L2::cache_hint [%r2], [%r3], 16, policy;", "cp.async.commit_group;",
        "cp.async.wait_group 2;", "cp.async.wait_all;", "cp.async.shared.global.L2::128B.ca [%r2], [%r3], 8, 0;",
    ])
    .refused(&[("cp.async.ca.global.shared [a], [b], 4;", "copies go to shared memory")])
    .errata(&[
        erratum("asks for a number of groups", "takes negative numbers, too, of which the low 32 bits count: it waits for nothing")
            .concerns(|i| i[Slot::Action] == WaitGroup),
        erratum(
            "prints its modifiers in one order, and `.shared::cta` from PTX 7.8 on",
            "takes them in any order after `cp.async`, `.shared` before `.global`, and `.shared::cta` in every \
             version",
    )
    .concerns(|i| i.has(Slot::Space)),
    ]);

pub(super) const SETS: &[(&str, Slot, Set)] = &[
    ("state", Slot::Space, Set::Of(&[Shared, SharedCta])),
    ("global", Slot::Action, Set::Of(&[Global])),
    ("prefetch_size", Slot::Hint, PREFETCH),
];
/// How many bytes are written.
pub(super) const SIZE: Operand = src("size", Is(U32)).constants(Immediate::OneOf(&[4, 8, 16]));
/// The same past the first-level cache.
pub(super) const SIXTEEN: Operand = src("sixteen", Is(U32)).constants(Immediate::OneOf(&[16]));
pub(super) const SINCE: Floor = Floor::new(7, 0, 80);
const HINTS: Floor = Floor::new(7, 4, 80);
pub(super) const FLOORS: &[(Word, Floor)] =
    &[(L2CacheHint, HINTS), (L2Prefetch64, HINTS), (L2Prefetch128, HINTS), (L2Prefetch256, HINTS)];
/// The words that belong to the names of these instructions.
pub(super) const NAME: Order = Order::NameFirst(&[Async, CommitGroup, WaitGroup, WaitAll]);
