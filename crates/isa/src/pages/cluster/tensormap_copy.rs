//! `tensormap.cp_fenceproxy`: copy the description of a tensor and publish it.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.16", &["tensormap"], &[
    line("tensormap.cp_fenceproxy.global.cta.tensormap::generic.release.scope.sync.aligned [d], [a], size"),
], Meaning::Effect(Effect::CopyTensorMap))
    .about("copy a tensor map and publish it", "Copies the 128 bytes from shared to global memory, where copies of tensors then see them.")
    .sets(&[
        ("cta", Slot::From, Set::Of(&[SharedCta])),
        ("scope", Slot::Scope, Set::Of(&[Cta, Cluster, Gpu, Sys])),
        ("tensormap::generic", Slot::Mode, Set::Of(&[TensormapGeneric])),
        ("sync", Slot::Part, Set::Of(&[Sync])),
    ])
    .operands(&[
        src("d", Address).symbol(),
        src("a", Address).symbol().within(Within::Named(Slot::From)),
        src("size", Is(U32)).constants(Immediate::OneOf(&[128])),
    ])
    .since(Floor::new(8, 3, 90))
    .order(Order::NameFirst(&[CpFenceproxy]))
    .examples(&["tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [d], [a], 128;"]);
