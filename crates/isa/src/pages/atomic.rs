//! What `atom` and `red` share: operations, their types, floors (manual, 9.7.13.5 and 9.7.13.6).
use crate::prelude::*;

pub(super) const SPACES: Set = Set::Of(&[Global, Shared, SharedCta, SharedCluster]);
pub(super) const OPERATIONS: Set = Set::Of(&[And, Or, Xor, Add, Inc, Dec, Min, Max]);
pub(super) const TYPES: Set = Set::Of(&[B32, B64, U32, U64, S32, S64, F32, F64]);
pub(super) const HALVES: Set = Set::Of(&[F16, F16x2, Bf16, Bf16x2]);
pub(super) const HALF_WORDS: Set = Set::Of(&[F16, Bf16]);
pub(super) const PACKED: Set = Set::Of(&[F16x2, Bf16x2]);
pub(super) const VECTOR_OPERATIONS: Set = Set::Of(&[Add, Min, Max]);
pub(super) const VECTOR: Floor = Floor::new(8, 1, 90);

pub(super) const TYPE_FITS: Rule = Rule {
    text: "`.and .or .xor` are on `.b32 .b64`, `.add` on `.u32 .s32 .u64 .f32 .f64`, `.inc .dec` on `.u32`, `.min .max` on \
           `.u32 .s32 .u64 .s64`",
    slot: Some(Slot::Op2),
    holds: |i| {
        let ty = i[Slot::Type];
        i.has(Slot::Vec)
            || i.has(Slot::Ftz)
            || match i[Slot::Op2] {
                And | Or | Xor => matches!(ty, B32 | B64),
                Add => matches!(ty, U32 | S32 | U64 | F32 | F64),
                Inc | Dec => ty == U32,
                Min | Max => matches!(ty, U32 | S32 | U64 | S64),
                _ => true,
            }
    },
};

const SCOPES_SINCE: Floor = Floor::new(5, 0, 60);
const ORDERS_SINCE: Floor = Floor::new(6, 0, 70);
const CLUSTERS: Floor = Floor::new(7, 8, 90);

pub(super) const WORD_FLOORS: &[(Word, Floor)] = &[
    (Shared, Floor::new(1, 2, 12)),
    (SharedCta, Floor::new(7, 8, 30)),
    (SharedCluster, CLUSTERS),
    (Cta, SCOPES_SINCE),
    (Gpu, SCOPES_SINCE),
    (Sys, SCOPES_SINCE),
    (Cluster, CLUSTERS),
    (Relaxed, ORDERS_SINCE),
    (Acquire, ORDERS_SINCE),
    (Release, ORDERS_SINCE),
    (AcqRel, ORDERS_SINCE),
    (F32, Floor::new(2, 0, 20)),
    (F64, SCOPES_SINCE),
    (F16x2, Floor::new(6, 2, 60)),
    (F16, Floor::new(6, 3, 70)),
    (B16, Floor::new(6, 3, 70)),
    (Bf16, CLUSTERS),
    (Bf16x2, CLUSTERS),
    (B128, Floor::new(8, 3, 90)),
    (L2CacheHint, Floor::new(7, 4, 80)),
];

pub(super) const FORM_FLOORS: &[FormFloor] = &[
    FormFloor { text: "generic addresses", when: |i| !i.has(Slot::Space), floor: Floor::new(2, 0, 20) },
    FormFloor {
        text: "64-bit atomic operations",
        when: |i| i.ty(Slot::Type).width() == 64,
        floor: Floor::new(1, 2, 12),
    },
    FormFloor {
        text: "64-bit atomic operations in shared memory",
        when: |i| i.ty(Slot::Type).width() == 64 && i[Slot::Space] != Global,
        floor: Floor::new(2, 0, 20),
    },
    FormFloor {
        text: "64-bit atomic operations other than `.add .cas .exch`",
        when: |i| i.ty(Slot::Type).width() == 64 && !matches!(i[Slot::Op2], Add | Cas | Exch),
        floor: Floor::new(3, 1, 32),
    },
];
