//! `multimem.cp.async.bulk`: copy a range of memory to several devices while the thread goes on.
use crate::pages::bulk::groups::{BYTES, SOURCE};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.4.4", &["multimem"], &[
    line("multimem.cp.async.bulk.global.cta.bulk_group [d], [a], size"),
    line("multimem.cp.async.bulk.global.cta.bulk_group.cp_mask [d], [a], size, bytes").since(Floor::new(9, 1, 100)),
], Meaning::NotYet)
    .about("bulk copy to several devices", "As `cp.async.bulk` from shared memory, to every device that shares the address.")
    .sets(&[("cta", Slot::From, Set::Of(&[SharedCta]))])
    .operands(&[
        src("d", Address).symbol(), SOURCE, BYTES, src("bytes", Is(U16)),
    ])
    .since(SINCE)
    .order(NAME)
    .examples(&[
        "multimem.cp.async.bulk.global.shared::cta.bulk_group [d], [a], size;",
        "multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [d], [a], 512, bytes;",
    ]);

pub(super) const SINCE: Floor = Floor::new(9, 1, 90);
/// The words that belong to the names of these instructions.
pub(super) const NAME: Order = Order::NameFirst(&[Cp, Reduce, Async, Bulk]);
