//! `st.async`: store to another CTA's shared memory, or to global memory, while the thread goes on.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.12", &["st"], &[
    line("st.async{.weak}{.space}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbar]"),
    line("st.async{.weak}{.space}{.mbarrier::complete_tx::bytes}.type [a], v"),
    line("st.async{.mmio}.release.scope{.global}.far [a], v").since(Floor::new(8, 7, 100)),
], Meaning::NotYet)
    .about("store asynchronously",
        "Stores `b` at some later time: in shared memory of the cluster, whose barrier object at `mbar` counts the bytes, or in \
         global memory, after all that the thread wrote before.")
    .sets(&[
        ("space", Slot::Space, Set::Of(&[Shared, SharedCta, SharedCluster])),
        ("scope", Slot::Scope, Set::Of(&[Gpu, Sys])),
        ("vec", Slot::Vec, Set::Of(&[V2, V4])),
        ("type", Slot::Type, Set::Of(&[B32, B64, U32, U64, S32, S64, F32, F64])),
        ("far", Slot::Type, Set::Of(&[B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64])),
    ])
    .operands(&[src("a mbar", Address).symbol(), src("b", Of(Slot::Type)).constants(Immediate::Number).vector(),
        src("v", Of(Slot::Type)).constants(Immediate::Number),
    ])
    .rules(&[
        Rule {
            text: "a vector has 128 bits at most",
            slot: Some(Slot::Vec),
            holds: |i| i[Slot::Vec] != V4 || i.ty(Slot::Type).bits == 32,
        },
        Rule {
            text: "`.mmio` is of `.sys`",
            slot: Some(Slot::Scope),
            holds: |i| i[Slot::Action] != Mmio || i[Slot::Scope] == Sys,
        },
    ])
    .since(Floor::new(8, 1, 90))
    .errata(&[Erratum {
        manual: "has a barrier object where `.weak` is allowed",
        margay: "takes the form without one, too, as the assembler does",
        ptxas: None,
        arises: None,
        concerns: |i| i[Slot::Sem] != Release,
    }])
    .order(Order::NameFirst(&[Async]))
    .examples(&[
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [addr], b, [mbar];",
        "st.async.mbarrier::complete_tx::bytes.v4.f32 [addr], {a, b, c, d}, [mbar];",
        "st.async.release.sys.global.u16 [addr], b;", "st.async.mmio.release.sys.b32 [addr], b;",
    ])
    .refused(&[("st.async.release.cluster.b32 [addr], b;", "what is released is for the whole device at least")]);
