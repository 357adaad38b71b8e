//! `isspacep`: whether a generic address lies in a state space.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.19", &["isspacep"], &[line("isspacep.space p, a")], Meaning::Effect(Effect::TestSpace))
    .about("test the state space of a generic address", "Whether the address is in the window of the named \
                                                         state space.")
    .sets(&[("space", Slot::Space, Set::Of(&[
        Const, Global, Local, Shared, SharedCta, SharedCluster, Param, ParamEntry,
    ]))])
    .operands(&[dst("p", Is(Pred)), src("a", Pointer).constants(Immediate::Number)])
    .since(Floor::new(2, 0, 20))
    .word_floors(&[
        (Const, Floor::new(3, 1, 20)), (Param, Floor::new(7, 7, 70)), (ParamEntry, Floor::new(8, 3, 70)),
        (SharedCta, Floor::new(7, 8, 30)), (SharedCluster, Floor::new(7, 8, 90)),
    ])
    .examples(&["isspacep.const iscnst, cptr;", "isspacep.shared::cta isshrd, sptr;",
        "isspacep.global p, 0x1000;"])
    .errata(&[erratum(
        "prints 32-bit and 64-bit registers and says nothing of constants",
        "takes both, whatever the size of addresses, and constants",
    )]);
