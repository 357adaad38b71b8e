//! `fence` and `membar`: order memory accesses.
use crate::pages::access::SCOPES;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.4", &["fence", "membar"], &[
    line("fence{.sem}.scope").only(&["fence"]),
    line("fence.mbarrier_init.release.cluster").only(&["fence"]).since(Floor::new(8, 0, 90)),
    line("fence.acquire.sync_restrict::shared::cluster.cluster").only(&["fence"]).since(RESTRICTED),
    line("fence.release.sync_restrict::shared::cta.cluster").only(&["fence"]).since(RESTRICTED),
    line("fence.alias.sync_restrict::read.release.sys").only(&["fence"]).since(Floor::new(9, 5, 90)),
    line("fence.proxy.alias").only(&["fence"]).since(Floor::new(7, 5, 70)),
    line("fence.proxy.alias.one_way.sys").only(&["fence"]).since(Floor::new(9, 4, 90)),
    line("fence.proxy.fabric.alias.any_way.sys").only(&["fence"]).since(Floor::new(9, 3, 100)),
    line("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster").only(&["fence"]).since(RESTRICTED),
    line("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster").only(&["fence"]).since(RESTRICTED),
    line("fence.proxy.async{.space}").only(&["fence"]).since(Floor::new(8, 0, 90)),
    line("fence.proxy.tensormap::generic.leaving.scope").only(&["fence"]).since(Floor::new(8, 3, 90)),
    line("fence.proxy.tensormap::generic.acquire.scope [a], size").only(&["fence"]).since(Floor::new(8, 3, 90)),
    line("membar.level").only(&["membar"]),
    line("membar.proxy.alias").only(&["membar"]).since(Floor::new(7, 5, 60)),
    line("membar.proxy.async").only(&["membar"]).since(Floor::new(8, 0, 90)),
], Meaning::Effect(Effect::Fence))
    .about("order memory accesses",
        "Other threads in the scope see what the thread wrote before the fence before they see what it writes after. margay \
         makes every fence one for all threads and all accesses.")
    .sets(&[
        ("sem", Slot::Sem, Set::Of(&[Sc, AcqRel, Acquire, Release])),
        ("scope", Slot::Scope, SCOPES),
        ("space", Slot::Space, Set::Of(&[Global, SharedCta, SharedCluster])),
        ("fabric", Slot::Mode, Set::Of(&[FabricFabric, FabricGeneric, GenericFabric])),
        ("one_way", Slot::Sem, Set::Of(&[Acquire, Release])),
        ("any_way", Slot::Sem, Set::Of(&[Acquire, Release, AcqRel])),
        ("leaving", Slot::Sem, Set::Of(&[Release, AcqRel])),
        ("level", Slot::Scope, Set::Of(&[Cta, Gl, Sys])),
    ])
    .operands(&[src("a", Address).symbol(), src("size", Is(U32)).constants(Immediate::Only(128, 128))])
    .word_floors(&[(Cluster, Floor::new(7, 8, 90))])
    .form_floors(&[
        FormFloor { text: "`fence`", when: |i| i.opcode() == "fence", floor: Floor::new(6, 0, 70) },
        FormFloor { text: "`membar`", when: |i| i.opcode() == "membar", floor: Floor::new(1, 4, 10) },
        FormFloor {
            text: "`membar.sys`",
            when: |i| i.opcode() == "membar" && i[Slot::Scope] == Sys,
            floor: Floor::new(2, 0, 20),
        },
        FormFloor {
            text: "fences that only acquire or release",
            when: |i| matches!(i[Slot::Sem], Acquire | Release) && !i.has(Slot::Action) && !i.has(Slot::Action2),
            floor: RESTRICTED,
        },
    ])
    .order(Order::NameFirst(&[Proxy]))
    .examples(&["membar.gl;", "fence.sc.cluster;", "fence.acq_rel.gpu;", "fence.proxy.async.shared::cta;", "fence.proxy.alias;",
        "fence.gpu.acq_rel;", "membar.proxy.async;", "fence.proxy.alias.acquire.sys;", "fence.alias.sync_restrict::read.release.sys;",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", "fence.proxy.fabric::fabric.alias.acquire.sys;"])
    .refused(&[("fence;", "a scope is required"), ("membar.gpu;", "the level is called `.gl`")]);

const RESTRICTED: Floor = Floor::new(8, 6, 90);
