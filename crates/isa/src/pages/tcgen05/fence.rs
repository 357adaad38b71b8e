//! `tcgen05.fence`: order tensor memory operations and what makes threads wait for each other.
use super::alloc::BLACKWELL;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.11.1", &["tcgen05"], &[
    line("tcgen05.fence"),
], Meaning::Effect(Effect::Nothing))
    .about("order tensor memory operations and synchronization",
        "before threads synchronise with each other: what was begun before it comes first. After they did: what is begun after it comes \
         later.")
    .sets(&[("fence", Slot::Mode, Set::Of(&[FenceBefore, FenceAfter]))])
    .since(BLACKWELL)
    .order(Order::NameFirst(&[FenceBefore, FenceAfter]))
    .examples(&["tcgen05.fence::before_thread_sync;", "tcgen05.fence::after_thread_sync;"])
    .refused(&[("tcgen05.fence::after_thread_sync.aligned;", "each thread orders its own")]);
