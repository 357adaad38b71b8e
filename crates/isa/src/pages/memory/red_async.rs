//! `red.async`: change memory of another CTA, or of the device, while the thread goes on.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.7", &["red"], &[
    line("red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type [a], b{, [mbar]}"),
    line("red.async.sem.scope{.global}.op.type [a], b").since(FAR),
    line("red.async.mmio.release.sys{.global}.op.type [a], b").since(FAR),
], Meaning::NotYet)
    .about("change memory asynchronously",
        "Like `red`, but asynchronous: in another CTA's shared memory, signalling the barrier object at \
         `mbar`, or in global memory.")
    .sets(&[
        ("sem", Slot::Sem, Set::Of(&[Release, Relaxed])),
        ("scope", Slot::Scope, Set::Of(&[Gpu, Sys])),
        ("op", Slot::Op2, Set::Of(&[Inc, Dec, Min, Max, Add, And, Or, Xor])),
        ("type", Slot::Type, Set::Of(&[U32, S32, U64, S64, B32])),
    ])
    .operands(&[src("a mbar", Address).symbol(), src("b", Of(Slot::Type))])
    .rules(&[Rule {
        text: "`.add` takes `.u32 .s32 .u64 .s64`, `.min .max` take `.u32 .s32`, `.inc .dec` `.u32`, `.and .or .xor` `.b32`",
        slot: Some(Slot::Op2),
        holds: |i| match i[Slot::Op2] {
            Add => i[Slot::Type] != B32,
            Min | Max => matches!(i[Slot::Type], U32 | S32),
            Inc | Dec => i[Slot::Type] == U32,
            _ => i[Slot::Type] == B32,
        },
    }])
    .since(Floor::new(8, 1, 90))
    .order(Order::NameFirst(&[Async]))
    .examples(&[
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u32 [addr], b, [mbar_addr];",
        "red.async.release.sys.global.add.u32 [addr], b;", "red.async.mmio.release.sys.global.add.u64 [addr], b;",
    ])
    .refused(&[("red.async.relaxed.cluster.add.u32 [a], b;", "what is relaxed tells a barrier object")]);

const FAR: Floor = Floor::new(8, 7, 100);
