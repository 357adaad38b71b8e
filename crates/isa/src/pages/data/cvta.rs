//! `cvta`: change an address between a state space and the generic one.
use crate::prelude::*;

/// Generic addresses have 64 bits only from here on; the manual does not say so, ptxas does.
const LONG_ADDRESSES: Floor = Floor::new(1, 0, 90);

pub static PAGE: Page = Page::new("9.7.9.20", &["cvta"], &[
    line("cvta.space.u64 p, a"),
    line("cvta.to.space.u64 p, b"),
    line("cvta.space.u32 p, a").until(LONG_ADDRESSES),
    line("cvta.to.space.u32 p, b").until(LONG_ADDRESSES),
], Meaning::Effect(Effect::ConvertAddress))
    .about("convert an address to generic or from it",
        "Without `.to`, turns an address in a state space into the generic address of the same place; with \
         `.to`, turns a generic address that is in the state space's window back.")
    .sets(&[
        ("space", Slot::Space, Set::Of(&[Const, Global, Local, Shared, SharedCta, SharedCluster, Param, ParamEntry])),
    ])
    .operands(&[dst("p", Of(Slot::Type)), src("a", Of(Slot::Type)).symbol(), src("b", Of(Slot::Type))])
    .since(Floor::new(2, 0, 20))
    .word_floors(&[
        (Const, Floor::new(3, 1, 20)), (Param, Floor::new(7, 7, 70)), (ParamEntry, Floor::new(8, 3, 70)),
        (SharedCta, Floor::new(7, 8, 30)), (SharedCluster, Floor::new(7, 8, 90)),
    ])
    .order(Order::NameFirst(&[To]))
    .examples(&["cvta.const.u32 ptr, cvar;", "cvta.to.global.u64 ptr, gptr;", "cvta.shared::cta.u64 ptr, svar;",
        "cvta.to.u64.global ptr, gptr;"])
    .refused(&[("cvta.global.to.u64 p, a;", "`.to` comes before the space")]);
