//! `prefetch`: ask for a cache line in advance.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.15", &["prefetch"], &[
    line("prefetch{.space}.level [a]"),
    line("prefetch{.global}.evict [a]").since(Floor::new(7, 4, 80)),
    line("prefetch{.global}.L1::32B.valid_addr [a]").since(Floor::new(9, 4, 90)),
    line("prefetch{.tensormap_space}.tensormap [a]").since(Floor::new(8, 0, 90)),
], Meaning::Effect(Effect::Nothing))
    .about("ask for a cache line in advance", "A hint that changes no result.")
    .sets(&[
        ("space", Slot::Space, Set::Of(&[Global, Local])),
        ("tensormap_space", Slot::Space, Set::Of(&[Const, Param])),
        ("level", Slot::Cache, Set::Of(&[Level1, Level2])),
        ("evict", Slot::Eviction, Set::Of(&[L2EvictLast, L2EvictNormal])),
    ])
    .operands(&[src("a", Address).symbol()])
    .since(Floor::new(2, 0, 20))
    .examples(&["prefetch.global.L1 [ptr];", "prefetch.L2 [a];", "prefetch.global.L2::evict_last [ptr];", "prefetch.L2::evict_normal [ptr];",
        "prefetch.param.tensormap [a];", "prefetch.global.L1::32B.valid_addr [ptr];"])
    .refused(&[("prefetch.global.tensormap [a];", "descriptions of tensors are constants or parameters")]);
