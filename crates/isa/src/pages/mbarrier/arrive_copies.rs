//! `cp.async.mbarrier.arrive`: arrive on a barrier object when the thread's copies are done.
use crate::pages::mbarrier::init::{OWN, SINCE, SPACES};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.15", &["cp"], &[line("cp.async.mbarrier.arrive{.noinc}{.own}.b64 [a]")], Meaning::Effect(Effect::BarrierObject))
    .about("arrive on a barrier object when copies are done",
        "The object at `a` counts an arrival when all copies that the thread has begun with `cp.async` are done; without \
         `.noinc` it first waits for one arrival more.")
    .sets(&[("own", Slot::Space, OWN)])
    .operands(&[src("a", Address).symbol().within(Within::Always(Shared))])
    .since(SINCE)
    .word_floors(&[(SharedCta, SPACES)])
    .order(Order::NameFirst(&[Async, Mbarrier, Arrive]))
    .examples(&["cp.async.mbarrier.arrive.shared.b64 [addr];", "cp.async.mbarrier.arrive.noinc.b64 [addr];"]);
