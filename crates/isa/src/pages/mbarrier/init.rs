//! `mbarrier.init`: make a barrier object.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.9", &["mbarrier"], &[
    line("mbarrier.init{.layout}{.own}.b64 [a], count"),
], Meaning::Effect(Effect::BarrierObject))
    .about("make a barrier object", "The object at `a` in shared memory waits for `count` arrivals in each phase.")
    .sets(&[("layout", Slot::Mode, LAYOUTS), ("own", Slot::Space, OWN)])
    .operands(&[OBJECT, src("count", Is(U32)).constants(Immediate::Range(1, 0xfffff))])
    .since(SINCE)
    .word_floors(&[(SharedCta, SPACES), (LayoutV0, LAYOUT), (LayoutV1, LAYOUT)])
    .open(|i| i[Slot::Mode] == LayoutV1)
    .order(NAME)
    .examples(&["mbarrier.init.shared.b64 [addr], count;", "mbarrier.init.b64 [addr], 32;", "mbarrier.init.layout::v1.shared::cta.b64 [addr], 1;"])
    .refused(&[("mbarrier.init.shared::cluster.b64 [addr], 1;", "a CTA makes its own objects")]);

/// The barrier object.
pub(super) const OBJECT: Operand = src("a", Address).symbol().within(Within::Always(Shared)).long();
/// A bit for every CTA that is told.
pub(super) const MASK: Operand = src("ctas", Is(U32)).constants(Immediate::Range(0, u32::MAX as i128));
/// Shared memory of the thread's own CTA.
pub(super) const OWN: Set = Set::Of(&[Shared, SharedCta]);
/// How an object lies in memory.
pub(super) const LAYOUTS: Set = Set::Of(&[LayoutV0, LayoutV1]);
pub(super) const SINCE: Floor = Floor::new(7, 0, 80);
/// From where on spaces name whose shared memory is meant.
pub(super) const SPACES: Floor = Floor::new(7, 8, 80);
/// From where on objects have layouts, and phases kinds.
pub(super) const LAYOUT: Floor = Floor::new(9, 3, 90);
/// From where on barrier objects count bytes, and work in clusters.
pub(super) const CLUSTERS: Floor = Floor::new(8, 0, 90);
/// From where on arrivals and waits may be relaxed.
pub(super) const RELAXED: Floor = Floor::new(8, 6, 90);
/// From where on several CTAs are told at once.
pub(super) const MULTICAST: Floor = Floor::family(9, 4, 107);
/// The words that belong to the names of these instructions.
pub(super) const NAME: Order = Order::NameFirst(&[
    Init, Inval, ExpectTx, Complete, Arrive, ArriveDrop, TestWait, TryWait, Parity, PendingCount, CheckLayout,
]);
