//! `tcgen05.wait`: wait until loads or stores of tensor memory are done.
use super::alloc::BLACKWELL;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.8.5", &["tcgen05"], &[
    line("tcgen05.wait_operation.sync.aligned"),
], Meaning::Effect(Effect::Nothing))
    .about("wait for loads or stores of tensor memory", "Waits until what the thread loaded from tensor memory, or stored there, is done.")
    .sets(&[("wait_operation", Slot::Mode, Set::Of(&[WaitLd, WaitSt]))])
    .since(BLACKWELL)
    .order(Order::NameFirst(&[WaitLd, WaitSt]))
    .examples(&["tcgen05.wait::ld.sync.aligned;", "tcgen05.wait::st.sync.aligned;"])
    .refused(&[("tcgen05.wait::ld.sync;", "the warp's threads must be together")]);
