//! `barrier.cluster`: arrive at the barrier of a cluster, or wait at it.
use crate::pages::control::bar::NAME;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.3", &["barrier"], &[
    line("barrier.cluster.arrive{.sem}{.aligned}"),
    line("barrier.cluster.wait{.acquire}{.aligned}"),
], Meaning::Effect(Effect::BarrierCluster))
    .about("arrive at the barrier of a cluster, or wait at it",
        "`.arrive` counts the thread without waiting; `.wait` waits until all threads of the cluster have arrived.")
    .sets(&[("sem", Slot::Sem, Set::Of(&[Release, Relaxed]))])
    .since(Floor::new(7, 8, 90))
    .order(NAME)
    .word_floors(&[
        (Release, Floor::new(8, 0, 90)), (Relaxed, Floor::new(8, 0, 90)), (Acquire, Floor::new(8, 0, 90)),
    ])
    .examples(&["barrier.cluster.arrive.release;", "barrier.cluster.wait.aligned;",
        "barrier.cluster.wait.aligned.acquire;"]);
