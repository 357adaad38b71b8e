//! `wgmma.wait_group`: wait for groups of matrix operations.
use super::mma_async::SINCE;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.15.7.3", &["wgmma"], &[
    line("wgmma.wait_group.sync{.aligned} n"),
], Meaning::Effect(Effect::GroupProducts))
    .about("wait for groups of matrix operations",
        "Waits until at most the last `n` groups of matrix operations are unfinished.")
    .sets(&[("wait_group", Slot::Mode, Set::Of(&[WaitGroup]))])
    .operands(&[src("n", Is(U64)).constants(Immediate::Only(0, u64::MAX as i128))])
    .since(SINCE)
    .order(Order::NameFirst(&[WaitGroup]))
    .examples(&["wgmma.wait_group.sync.aligned 0;"])
    .refused(&[("wgmma.wait_group.aligned 0;", "all threads of the warp wait for each other")]);
