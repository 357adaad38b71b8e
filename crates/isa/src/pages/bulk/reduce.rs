//! `cp.reduce.async.bulk`: combine a range of memory with another while the thread goes on.
use crate::pages::access::CACHE_POLICY;
use crate::pages::atomic::{changed, changed_number};
use crate::pages::bulk::groups::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.4.2", &["cp"], &[
    line("cp.reduce.async.bulk.shared::cluster.cta.mbarrier::complete_tx::bytes.op.type [d], [a], size, [mbar]"),
    line("cp.reduce.async.bulk.global.cta.bulk_group{.L2::cache_hint}.op{.noftz}.type [d], [a], size{, cache_policy}"),
], Meaning::Atomic(combined))
    .about("combine a range of memory with another asynchronously",
        "Every element of `size` bytes at `d` is combined with that at `a` by `.op`, in another CTA's shared memory or in \
         global memory.")
    .sets(&[("cta", Slot::From, Set::Of(&[SharedCta])), ("op", Slot::Op2, OPERATIONS), ("type", Slot::Type, TYPES)])
    .operands(&[src("d", Address).symbol(), SOURCE, BYTES, BARRIER, CACHE_POLICY])
    .rules(&[
        Rule {
            text: "in shared memory `.add` takes `.u32 .s32 .u64`, `.min .max` `.u32 .s32`, `.inc .dec` `.u32`, `.and .or .xor` `.b32`",
            slot: Some(Slot::Type),
            holds: |i| i[Slot::Space] == Global || match i[Slot::Op2] {
                Add => matches!(i[Slot::Type], U32 | S32 | U64),
                Min | Max => matches!(i[Slot::Type], U32 | S32),
                Inc | Dec => i[Slot::Type] == U32,
                _ => i[Slot::Type] == B32,
            },
        },
        GLOBAL,
        SUBNORMALS,
    ])
    .since(SINCE)
    .form_floors(&[FormFloor {
        text: "`.noftz` of `.f32`",
        when: |i| i.has(Slot::Ftz) && i[Slot::Type] == F32,
        floor: Floor::new(9, 4, 90),
    }])
    .order(NAME)
    .examples(&[
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [d], [a], size, [mbar];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [d], [a], 128;",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.noftz.bf16 [d], [a], size, policy;",
    ])
    .refused(&[
        ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [d], [a], 16;", "`.noftz` is missing"),
        ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [d], [a], 16;", "`.u64` does the same"),
    ]);

/// The operations.
pub(in crate::pages) const OPERATIONS: Set = Set::Of(&[Add, Min, Max, Inc, Dec, And, Or, Xor]);
pub(in crate::pages) const TYPES: Set = Set::Of(&[U32, S32, U64, S64, B32, B64, F16, Bf16, F32, F64]);
/// Which types an operation takes in global memory.
pub(in crate::pages) const GLOBAL: Rule = Rule {
            text: "in global memory `.add` takes `.u32 .s32 .u64 .f16 .bf16 .f32 .f64`, `.min .max` `.u32 .s32 .u64 .s64 .f16 .bf16`, \
                   `.inc .dec` `.u32`, `.and .or .xor` `.b32 .b64`",
            slot: Some(Slot::Type),
            holds: |i| i[Slot::Space] != Global || match i[Slot::Op2] {
                Add => !matches!(i[Slot::Type], S64 | B32 | B64),
                Min | Max => !matches!(i[Slot::Type], B32 | B64 | F32 | F64),
                Inc | Dec => i[Slot::Type] == U32,
                _ => matches!(i[Slot::Type], B32 | B64),
            },
        };
/// What is said of subnormal numbers.
pub(in crate::pages) const SUBNORMALS: Rule = Rule {
            text: "`.add` of `.f16` and `.bf16` has `.noftz`, and of `.f32` may have it",
            slot: Some(Slot::Ftz),
            holds: |i| match (i[Slot::Op2], i[Slot::Type]) {
                (Add, F16 | Bf16) => i.has(Slot::Ftz),
                (Add, F32) => true,
                _ => !i.has(Slot::Ftz),
            },
        };

pub(in crate::pages) fn combined(i: &Inst, space: AtomicSpace, args: &Args) -> Bits {
    match i[Slot::Type] {
        F16 | Bf16 | F32 | F64 => changed_number(i, space, args),
        _ => changed(i, space, args),
    }
}
