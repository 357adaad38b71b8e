//! `tcgen05.commit`: let a barrier object know when the operations so far are done.
use super::alloc::{BLACKWELL, CTA_GROUPS};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.12.1", &["tcgen05"], &[
    line("tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}.b64 [mbar]"),
    line("tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}.multicast::cluster.b64 [mbar], cta_mask"),
], Meaning::Effect(Effect::CommitToObject))
    .about("make a barrier object track tensor operations",
        "Signals the barrier object when everything that the thread has started is complete; with \
         `.multicast::cluster`, those of all CTAs in the mask.")
    .sets(&[("commit", Slot::Mode, Set::Of(&[Commit])), ("cta_group", Slot::CtaGroup, CTA_GROUPS)])
    .operands(&[src("mbar", Address).symbol().wide(|_| true), src("cta_mask", Is(U16)).constants(Immediate::Range(0, 0xffff))])
    .since(BLACKWELL)
    .order(Order::NameFirst(&[Commit]))
    .examples(&[
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [mbar_obj];",
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [mbar_obj], cta_mask;",
    ])
    .refused(&[("tcgen05.commit.cta_group::1.b64 [mbar_obj];", "what happens to the barrier object is missing")]);
