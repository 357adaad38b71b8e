//! `mbarrier.arrive`: arrive on a barrier object.
use crate::pages::mbarrier::init::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.13", &["mbarrier"], &[
    line("mbarrier.arrive{.sem.scope}{.space}.b64 _, [a]").since(SINK),
    line("mbarrier.arrive{.sem.scope}{.space}.b64 _, [a], count").since(COUNTED),
    line("mbarrier.arrive{.sem.scope}{.own}.b64 d, [a]"),
    line("mbarrier.arrive{.sem.scope}{.own}.b64 d, [a], count").since(COUNTED),
    line("mbarrier.arrive.expect_tx{.sem.scope}{.space}.b64 _, [a], tx").since(CLUSTERS),
    line("mbarrier.arrive.expect_tx{.sem.scope}{.own}.b64 d, [a], tx").since(CLUSTERS),
    line("mbarrier.arrive.noComplete{.release.cta}{.own}.b64 _, [a], count").since(SINK),
    line("mbarrier.arrive.noComplete{.release.cta}{.own}.b64 d, [a], count"),
    line("mbarrier.arrive{.sem.scope}{.shared::cluster}.multicast::cluster::32b.b64 _, [a], ctas"),
    line("mbarrier.arrive{.sem.scope}{.shared::cluster}.multicast::cluster::32b.b64 _, [a], count, ctas"),
    line("mbarrier.arrive.expect_tx{.sem.scope}{.shared::cluster}.multicast::cluster::32b.b64 _, [a], tx, ctas"),
], Meaning::Effect(Effect::BarrierObject))
    .about("arrive on a barrier object", "Counts `count` arrivals, or one; the result is the state of the phase so far, which can be waited for. `.expect_tx` first adds bytes that are to come; `.noComplete` must not end the phase.")
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
        "mbarrier.arrive.shared.b64 state, [addr];", "mbarrier.arrive.b64 _, [addr], 2;",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [addr];",
        "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 state, [addr], bytes;",
        "mbarrier.arrive.noComplete.b64 state, [addr], count;",
        "mbarrier.arrive.expect_tx.shared::cluster.multicast::cluster::32b.b64 _, [addr], bytes, ctas;",
    ])
    .refused(&[
        ("mbarrier.arrive.shared::cluster.b64 state, [addr];", "another CTA's object has no state here"),
        ("mbarrier.arrive.release.b64 state, [addr];", "an order needs a scope"),
    ]);

const COUNTED: Floor = Floor::new(7, 8, 90);
/// From where on a result may be left out.
const SINK: Floor = Floor::new(7, 1, 80);
