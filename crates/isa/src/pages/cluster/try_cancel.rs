//! `clusterlaunchcontrol.try_cancel`: ask to cancel the launch of a cluster that has not begun.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.17", &["clusterlaunchcontrol"], &[
    line("clusterlaunchcontrol.try_cancel.async{.space}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128 [a], [mbar]"),
], Meaning::NotYet)
    .about("ask to cancel the launch of a cluster",
        "The answer, 16 bytes, is written to `a`; the barrier object at `mbar` counts them.")
    .sets(&[("space", Slot::Space, Set::Of(&[SharedCta]))])
    .operands(&[src("a mbar", Address).symbol().within(Within::Always(Shared))])
    .since(Floor::new(8, 6, 100))
    .word_floors(&[(MulticastAll, Floor::families(8, 6, &[100, 110, 120]))])
    .order(Order::NameFirst(&[TryCancel, Async]))
    .examples(&[
        "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [addr], [mbar];",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [addr], [mbar];",
    ]);
