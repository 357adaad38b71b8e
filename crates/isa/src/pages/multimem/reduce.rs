//! `multimem.cp.reduce.async.bulk`: combine a range of memory of several devices with another while the thread goes on.
use crate::pages::bulk::groups::{BYTES, SOURCE};
use crate::pages::bulk::reduce::{GLOBAL, OPERATIONS, SUBNORMALS, TYPES};
use crate::pages::multimem::copy::{NAME, SINCE};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.4.5", &["multimem"], &[
    line("multimem.cp.reduce.async.bulk.global.cta.bulk_group.op{.noftz}.type [d], [a], size"),
], Meaning::NotYet)
    .about("bulk reduction on several devices", "As `cp.reduce.async.bulk`, on every device that shares the address.")
    .sets(&[("reduce", Slot::Action, Set::Of(&[Reduce])), ("cta", Slot::From, Set::Of(&[SharedCta])), ("op", Slot::Op2, OPERATIONS), ("type", Slot::Type, TYPES)])
    .operands(&[src("d", Address).symbol(), SOURCE, BYTES])
    .rules(&[GLOBAL, SUBNORMALS])
    .since(SINCE)
    .order(NAME)
    .examples(&[
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u64 [d], [a], size;",
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [d], [a], 64;",
    ]);
