//! `setmaxnreg`: change the number of registers of a warp.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.19.5", &["setmaxnreg"], &[line("setmaxnreg.op.sync.aligned.type n")], Meaning::Effect(Effect::Nothing))
    .about("change the number of registers of a warp", "How many registers each thread of the warp may use from here on; margay has registers enough for all, and nothing changes.")
    .sets(&[("op", Slot::Op2, Set::Of(&[Inc, Dec])), ("type", Slot::Type, Set::Of(&[U32, S32]))])
    .operands(&[src("n", Is(U32)).constants(Immediate::OneOf(COUNTS))])
    .since(Floor::families(8, 0, &[90, 100, 110, 120]))
    .order(Order::NameFirst(&[Inc, Dec]))
    .examples(&["setmaxnreg.dec.sync.aligned.u32 64;", "setmaxnreg.inc.sync.aligned.u32 192;"])
    .refused(&[("setmaxnreg.sync.aligned.inc.u32 64;", "the operation is part of the name")])
    .errata(&[Erratum {
        manual: "has `.u32` only",
        margay: "takes `.s32`, too, as the assembler does",
        ptxas: None,
        arises: None,
        concerns: |i| i[Slot::Type] == S32,
    }]);

/// Multiples of 8 from 24 to 256.
const COUNTS: &[i128] = &[
    24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224,
    232, 240, 248, 256,
];
