//! `wgmma.fence`: order accesses to registers and shared memory before matrix operations.
use super::mma_async::SINCE;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.15.7.1", &["wgmma"], &[
    line("wgmma.fence.sync{.aligned}"),
], Meaning::Effect(Effect::Nothing))
    .about("order register accesses before matrix operations",
        "What the warp's threads did to registers and shared memory before it is done when matrix operations of the warpgroup \
         after it read them.")
    .sets(&[("fence", Slot::Mode, Set::Of(&[FenceWord]))])
    .since(SINCE)
    .order(Order::NameFirst(&[FenceWord]))
    .examples(&["wgmma.fence.sync.aligned;"])
    .refused(&[("wgmma.fence.aligned;", "all threads of the warp wait for each other")]);
