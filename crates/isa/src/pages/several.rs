//! What accesses to the memory of several devices share: types, vectors and which operations take them (manual, 9.7.9.14).
use crate::floor::{Targets, Version};
use crate::prelude::*;

/// Every type of a plain access.
pub(super) const TYPES: Set = Set::Of(&[
    U32, S32, U64, S64, B32, B64, F16, F16x2, Bf16, Bf16x2, F32, F64, E4m3, E5m2, E4m3x2, E5m2x2, E4m3x4,
    E5m2x4,
]);
/// The types that a reduction takes.
pub(super) const REDUCED: Set = Set::Of(&[U32, S32, U64, S64, B32, B64, F16, F16x2, Bf16, Bf16x2, F32, F64]);
pub(super) const OPERATIONS: Set = Set::Of(&[Add, Min, Max, And, Or, Xor]);
pub(super) const SCOPES: Set = Set::Of(&[Cta, Cluster, Gpu, Sys]);
pub(super) const VECTORS: Set = Set::Of(&[V2, V4, V8]);
pub(super) const SINCE: Floor = Floor::new(8, 1, 90);
/// The address.
pub(super) const ADDRESS: Operand = src("a", Address).symbol().within(Within::Always(Global)).long();

/// Whether elements have 8 bits.
pub(super) fn is_narrow(i: &Inst) -> bool {
    matches!(i[Slot::Type], E4m3 | E5m2 | E4m3x2 | E5m2x2 | E4m3x4 | E5m2x4)
}

/// From where on elements may have 8 bits.
pub(super) const NARROW: FormFloor = FormFloor {
    text: "elements of 8 bits",
    when: is_narrow,
    floor: Floor {
        version: Version { major: 8, minor: 6 },
        targets: Targets::Any(&[Targets::Families(&[100, 110]), Targets::Architectures(&[120, 121])]),
    },
};

/// A vector has 32 to 128 bits.
pub(super) const VECTOR: Rule = Rule {
    text: "`.f16` and `.bf16` are in vectors of 2, 4 or 8, `.e4m3` and `.e5m2` of 4 or 8, pairs of 8 bits of 2, 4 or 8; other \
           packed types and `.f32` may be in vectors of 2 or 4, all else is in none",
    slot: Some(Slot::Vec),
    holds: |i| match i[Slot::Type] {
        F16 | Bf16 | E4m3x2 | E5m2x2 => i.has(Slot::Vec),
        E4m3 | E5m2 => matches!(i[Slot::Vec], V4 | V8),
        F16x2 | Bf16x2 | F32 | E4m3x4 | E5m2x4 => i[Slot::Vec] != V8,
        _ => !i.has(Slot::Vec),
    },
};

/// Which types an operation takes.
pub(super) const OPERATION: Rule = Rule {
    text: "`.and .or .xor` take `.b32 .b64`; `.add` takes `.u32 .s32 .u64` and numbers, `.min .max` integers and numbers other than \
           `.f32 .f64`",
    slot: Some(Slot::Op2),
    holds: |i| match (i[Slot::Op2], i[Slot::Type]) {
        (And | Or | Xor, ty) => matches!(ty, B32 | B64),
        (_, B32 | B64) => false,
        (Add, ty) => ty != S64,
        (_, ty) => !matches!(ty, F32 | F64),
    },
};
