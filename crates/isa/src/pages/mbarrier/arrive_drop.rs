//! `mbarrier.arrive_drop`: arrive on a barrier object and leave it.
use crate::pages::mbarrier::init::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.14", &["mbarrier"], &[
    line("mbarrier.arrive_drop{.sem.scope}{.space}.b64 _, [a]"),
    line("mbarrier.arrive_drop{.sem.scope}{.space}.b64 _, [a], count").since(COUNTED),
    line("mbarrier.arrive_drop{.sem.scope}{.own}.b64 d, [a]"),
    line("mbarrier.arrive_drop{.sem.scope}{.own}.b64 d, [a], count").since(COUNTED),
    line("mbarrier.arrive_drop.expect_tx{.sem.scope}{.space}.b64 _, [a], tx").since(CLUSTERS),
    line("mbarrier.arrive_drop.expect_tx{.sem.scope}{.own}.b64 d, [a], tx").since(CLUSTERS),
    line("mbarrier.arrive_drop.noComplete{.release.cta}{.own}.b64 _, [a], count"),
    line("mbarrier.arrive_drop.noComplete{.release.cta}{.own}.b64 d, [a], count"),
    line("mbarrier.arrive_drop{.sem.scope}{.shared::cluster}.multicast::cluster::32b.b64 _, [a], ctas"),
    line("mbarrier.arrive_drop{.sem.scope}{.shared::cluster}.multicast::cluster::32b.b64 _, [a], count, ctas"),
    line("mbarrier.arrive_drop.expect_tx{.sem.scope}{.shared::cluster}.multicast::cluster::32b.b64 _, [a], tx, ctas"),
], Meaning::Effect(Effect::BarrierObject))
    .about("arrive on a barrier object and leave it", "As `mbarrier.arrive`, and later phases wait for that many arrivals less.")
    .sets(&[
        ("sem", Slot::Sem, Set::Of(&[Release, Relaxed])),
        ("scope", Slot::Scope, Set::Of(&[Cta, Cluster])),
        ("space", Slot::Space, Set::Of(&[Shared, SharedCta, SharedCluster])),
        ("own", Slot::Space, OWN),
    ])
    .operands(&[
        dst("_ d", Is(U64)).sink(),
        OBJECT,
        src("count", Is(U32)).constants(Immediate::Range(1, u64::MAX as i128)),
        src("tx", Is(U32)),
        MASK,
    ])
    .since(SINCE)
    .word_floors(&[
        (SharedCta, SPACES), (SharedCluster, CLUSTERS), (Release, Floor::new(8, 0, 80)), (Relaxed, RELAXED),
        (Cluster, CLUSTERS), (MulticastCluster32, MULTICAST),
    ])
    .open(|i| i.has(Slot::Multicast))
    .order(NAME)
    .examples(&[
        "mbarrier.arrive_drop.shared.b64 state, [addr];", "mbarrier.arrive_drop.b64 _, [addr], 2;",
        "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [addr];",
        "mbarrier.arrive_drop.expect_tx.relaxed.cta.shared::cta.b64 state, [addr], bytes;",
        "mbarrier.arrive_drop.noComplete.b64 state, [addr], count;",
        "mbarrier.arrive_drop.expect_tx.shared::cluster.multicast::cluster::32b.b64 _, [addr], bytes, ctas;",
    ])
    .refused(&[
        ("mbarrier.arrive_drop.shared::cluster.b64 state, [addr];", "another CTA's object has no state here"),
        ("mbarrier.arrive_drop.release.b64 state, [addr];", "an order needs a scope"),
    ]);

const COUNTED: Floor = Floor::new(7, 8, 90);
