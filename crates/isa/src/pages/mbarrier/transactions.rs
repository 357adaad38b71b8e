//! `mbarrier.expect_tx` and `mbarrier.complete_tx`: bytes that a barrier object waits for, and that have come.
use crate::pages::mbarrier::init::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.11", &["mbarrier"], &[
    line("mbarrier.expect_tx{.relaxed.scope}{.space}.b64 [a], tx"),
    line("mbarrier.complete_tx{.relaxed.scope}{.space}.b64 [a], tx"),
    line("mbarrier.expect_tx{.relaxed.scope}{.shared::cluster}.multicast::cluster::32b.b64 [a], tx, ctas"),
    line("mbarrier.complete_tx{.relaxed.scope}{.shared::cluster}.multicast::cluster::32b.b64 [a], tx, ctas"),
], Meaning::Effect(Effect::BarrierObject))
    .about("count the bytes that a barrier object waits for",
        "`.expect_tx` adds to what the current phase still waits for, `.complete_tx` says that so many have come.")
    .sets(&[("scope", Slot::Scope, Set::Of(&[Cta, Cluster])), ("space", Slot::Space, Set::Of(&[Shared, SharedCta, SharedCluster]))])
    .operands(&[OBJECT, src("tx", Is(U32)), MASK])
    .since(CLUSTERS)
    .word_floors(&[(MulticastCluster32, MULTICAST)])
    .open(|i| i.has(Slot::Multicast))
    .order(NAME)
    .examples(&[
        "mbarrier.expect_tx.b64 [addr], bytes;", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [addr], 512;",
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [addr], bytes;",
        "mbarrier.complete_tx.shared::cluster.multicast::cluster::32b.b64 [addr], bytes, ctas;",
    ])
    .refused(&[("mbarrier.expect_tx.relaxed.b64 [addr], 4;", "an order needs a scope")]);
