//! `applypriority`: change the eviction priority of a line in the cache.
use super::discard::LINE;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.16", &["applypriority"], &[
    line("applypriority{.global}.L2::evict_normal [a], size"),
], Meaning::Effect(Effect::Nothing))
    .about("set the eviction priority of a cache line",
        "Lets the 128 bytes at the address be evicted from the second-level cache in their turn again. A hint that changes \
         no result.")
    .operands(&[src("a", Address).symbol(), LINE])
    .since(Floor::new(7, 4, 80))
    .examples(&["applypriority.global.L2::evict_normal [ptr], 128;", "applypriority.L2::evict_normal [ptr], 128;"])
    .refused(&[("applypriority.L2::evict_last [ptr], 128;", "a higher priority comes with an access")]);
