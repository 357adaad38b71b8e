//! `fabric.try_pullred`: read memory of several devices, reduced, through the fabric.
use crate::pages::endpoint::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.11.5.4", &["fabric"], &[
    line("fabric.try_pullred.async.multimem.own.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.relaxed}{.sys}.op{.acc::f32}.type.sync [m], [le, off], size, [mbar], membermask"),
], Meaning::NotYet)
    .about("reduction of remote data through the fabric", "Reads `size` bytes at `off` of several devices, combined by `.op`, into shared memory.")
    .sets(&[
        OWN,
        ("op", Slot::Op2, Set::Of(&[Add, Min, Max, And, Or, Xor])),
        ("type", Slot::Type, Set::Of(&[B32, B64, U32, U64, S32, S64, F16, Bf16, F32])),
        ("sync", Slot::Part, Set::Of(&[Sync])),
    ])
    .operands(&[
        MEMORY, src("mbar", Address).symbol(), ENDPOINT, OFFSET, SIZE,
        src("membermask", Is(U32)).constants(Immediate::Only(i64::MIN as i128, u64::MAX as i128)),
    ])
    .rules(&[ORDER, OPERATION, Rule {
        text: "`.acc::f32` is for `.add` of `.f16` and `.bf16`",
        slot: Some(Slot::Sat),
        holds: |i| !i.has(Slot::Sat) || (i[Slot::Op2] == Add && matches!(i[Slot::Type], F16 | Bf16)),
    }])
    .since(SINCE)
    .order(NAME)
    .examples(&["fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.add.acc::f32.f16.sync [m], [le, off], size, [mbar], 0xffffffff;"]);
