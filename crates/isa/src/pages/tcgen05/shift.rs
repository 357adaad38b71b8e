//! `tcgen05.shift`: move the rows of tensor memory.
use super::alloc::{ARCHITECTURES, CTA_GROUPS};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.9.3", &["tcgen05"], &[
    line("tcgen05.shift.cta_group.down [taddr]"),
], Meaning::NotYet)
    .about("shift the rows of tensor memory", "Asynchronously moves every row but the first to the place of \
                                               the one before it.")
    .sets(&[("shift", Slot::Mode, Set::Of(&[Shift])), ("cta_group", Slot::CtaGroup, CTA_GROUPS), ("down", Slot::Action, Set::Of(&[Down]))])
    .operands(&[src("taddr", TensorAddress(U32))])
    .since(Floor::architectures(8, 6, ARCHITECTURES))
    .order(Order::NameFirst(&[Shift]))
    .examples(&["tcgen05.shift.cta_group::1.down [taddr0];"])
    .refused(&[("tcgen05.shift.cta_group::1 [taddr0];", "rows move down, and `.down` is missing")]);
