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
    .sets(&[("state", Slot::Space, Set::Of(&[Shared, SharedCta])), ("global", Slot::Action, Set::Of(&[Global])),
        ("prefetch_size", Slot::Hint, PREFETCH)])
    .operands(&[
        src("d a", Address).symbol(),
        src("size", Is(U32)).constants(Immediate::Only(4, 16)),
        src("sixteen", Is(U32)).constants(Immediate::Only(16, 16)),
        src("src_size", Is(U32)),
        src("n", Is(U32)).constants(Immediate::Only(0, u32::MAX as i128)),
        CACHE_POLICY,
    ])
    .since(Floor::new(7, 0, 80))
    .word_floors(WORD_FLOORS)
    .order(Order::AsPrinted)
    .examples(&[
        "cp.async.ca.shared.global [shrd], [gbl+4], 4;", "cp.async.cg.shared.global [%r2], [%r3], 16, %r4;",
        "cp.async.cg.shared.global.L2::cache_hint [%r2], [%r3], 16, policy;", "cp.async.commit_group;",
        "cp.async.wait_group 2;", "cp.async.wait_all;",
    ])
    .refused(&[("cp.async.ca.global.shared [a], [b], 4;", "copies go to shared memory")]);
