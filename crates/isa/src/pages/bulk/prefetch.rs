//! `cp.async.bulk.prefetch`: ask for a range of global memory in advance.
use crate::pages::access::CACHE_POLICY;
use crate::pages::bulk::groups::{BYTES, LASTING, NAME, SINCE};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.4.3", &["cp"], &[
    line("cp.async.bulk.prefetch.L2.src{.L2::cache_hint} [a], size{, cache_policy}"),
    line("cp.async.bulk.prefetch.L2.src.L2::evict_last [a], size").since(LASTING),
], Meaning::Effect(Effect::Nothing))
    .about("ask for a range of memory in advance",
        "A hint that changes no result: `size` bytes at `a` are brought into the second-level cache.")
    .sets(&[("src", Slot::Space, Set::Of(&[Global]))])
    .operands(&[src("a", Address).symbol(), BYTES, CACHE_POLICY])
    .since(SINCE)
    .order(NAME)
    .examples(&[
        "cp.async.bulk.prefetch.L2.global [a], size;", "cp.async.bulk.prefetch.L2.global.L2::evict_last [a], size;", "cp.async.bulk.prefetch.L2.global.L2::cache_hint [a+64], 256, policy;",
    ])
    .refused(&[("cp.async.bulk.prefetch.L2 [a], 16;", "only global memory is cached there")]);
