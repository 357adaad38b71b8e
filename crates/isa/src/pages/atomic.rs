//! What `atom` and `red` share: operations, their types, floors (manual, 9.7.13.5 and 9.7.13.6).
use super::access::SCOPES;
use crate::combine::combined;
use crate::float::{Format, Mode, Real, encode};
use crate::prelude::*;

pub(super) const SPACES: Set = Set::Of(&[Global, Shared, SharedCta, SharedCluster]);
pub(super) const OPERATIONS: Set = Set::Of(&[And, Or, Xor, Add, Inc, Dec, Min, Max]);
pub(super) const INTEGER_TYPES: Set = Set::Of(&[B32, B64, U32, U64, S32, S64]);
const HALVES: Set = Set::Of(&[F16, F16x2, Bf16, Bf16x2]);
const HALF_WORDS: Set = Set::Of(&[F16, Bf16]);
const PACKED: Set = Set::Of(&[F16x2, Bf16x2]);
const VECTOR_OPERATIONS: Set = Set::Of(&[Add, Min, Max]);
/// From where on `.f32` may be said not to be flushed.
pub(super) const UNFLUSHED: Floor = Floor::new(9, 4, 90);
pub(super) const VECTOR: Floor = Floor::new(8, 1, 90);

pub(super) const FLOAT_SETS: &[(&str, Slot, Set)] = &float_sets(&[Relaxed, Acquire, Release, AcqRel]);
pub(super) const FLOAT_RED_SETS: &[(&str, Slot, Set)] = &float_sets(&[Relaxed, Release]);

const fn float_sets(orders: &'static [Word]) -> [(&'static str, Slot, Set); 10] {
    [
        ("sem", Slot::Sem, Set::Of(orders)),
        ("scope", Slot::Scope, SCOPES),
        ("space", Slot::Space, SPACES),
        ("vop", Slot::Op2, VECTOR_OPERATIONS),
        ("type", Slot::Type, Set::Of(&[F32, F64])),
        ("type3", Slot::Type, HALVES),
        ("vec_16", Slot::Vec, Set::Of(&[V2, V4, V8])),
        ("vec_32", Slot::Vec, Set::Of(&[V2, V4])),
        ("half_word", Slot::Type, HALF_WORDS),
        ("packed", Slot::Type, PACKED),
    ]
}

/// How many elements the vectors have; without `.vec` there is none, not even of one element.
pub(super) fn components(i: &Inst) -> usize {
    match i[Slot::Vec] {
        V2 => 2,
        V4 => 4,
        V8 => 8,
        _ => 0,
    }
}

/// What memory holds afterwards: `old` is what it held, `b` and `c` are the sources.
pub(super) fn changed(i: &Inst, _: AtomicSpace, &[old, b, c, ..]: &Args) -> Bits {
    combined(i[Slot::Op2], i.ty(Slot::Type), [old, b, c])
}

/// What memory holds afterwards where it holds floating-point numbers. Sums of `.f32` flush subnormal numbers, but only in
/// global memory, wherever the instruction says that it is.
pub(super) fn changed_number(i: &Inst, space: AtomicSpace, &[old, b, ..]: &Args) -> Bits {
    let ty = i.ty(Slot::Type);
    let Some(format) = Format::of(ty) else { return old };
    let flush = ty.bits == 32 && space == AtomicSpace::Global && i[Slot::Op2] == Add && i[Slot::Ftz] != NoFtz;
    (0..ty.lanes).fold(0, |held, lane| {
        let [old, b] = [old, b].map(|bits| bits >> (lane * ty.bits) & ty.mask());
        let [x, y] = [old, b].map(|bits| match format.decode(bits) {
            number if flush && format.is_subnormal(bits) => Real::Zero { negative: number.negative() },
            number => number,
        });
        let result = match i[Slot::Op2] {
            Min => x.lesser(y),
            Max => x.greater(y),
            _ => x.plus(y),
        };
        // Sums of `.f64` leave a NaN as it is, signalling ones too.
        let nan = [b, old].into_iter().find(|bits| ty.bits == 64 && format.is_nan(*bits));
        held | nan.unwrap_or_else(|| encode(format, Mode::Nearest, flush, result, &[])) << (lane * ty.bits)
    })
}

/// What the manual leaves open of atomic operations on floating-point numbers.
pub(super) const FLOAT_ERRATA: &[Erratum] = &[
    WORD_ORDER,
    erratum(
        "says that sums of `.f32` flush subnormal numbers in global memory and not in shared memory",
        "decides at a generic address by the memory that it means, as code from ptxas does",
    )
    .concerns(|i| i[Slot::Type] == F32 && !i.has(Slot::Space) && !i.has(Slot::Vec) && i[Slot::Ftz] != NoFtz),
    erratum(
        "does not say what `.min` and `.max` make of NaN and of zeros with different signs",
        "does what the instructions `min` and `max` do",
    )
    .concerns(|i| matches!(i[Slot::Op2], Min | Max)),
];

pub(super) const WORD_ORDER: Erratum =
    erratum("prints its modifiers in one order; compilers write them in others", "takes them in any order");

pub(super) const TYPE_FITS: Rule = Rule {
    text: "`.and .or .xor` are on `.b32 .b64`, `.add` on `.u32 .s32 .u64`, `.inc .dec` on `.u32`, `.min .max` on \
           `.u32 .s32 .u64 .s64`",
    slot: Some(Slot::Op2),
    holds: |i| {
        let ty = i[Slot::Type];
        match i[Slot::Op2] {
            And | Or | Xor => matches!(ty, B32 | B64),
            Add => matches!(ty, U32 | S32 | U64),
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
    (B16, Floor::new(6, 3, 70)),
    (B128, Floor::new(8, 3, 90)),
    (L2CacheHint, Floor::new(7, 4, 80)),
];

pub(super) const FLOAT_WORD_FLOORS: &[(Word, Floor)] = &[
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
    (Bf16, CLUSTERS),
    (Bf16x2, CLUSTERS),
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

/// Of these only one is above the floors of the floating-point types.
pub(super) const FLOAT_FORM_FLOORS: &[FormFloor] = &[FORM_FLOORS[0]];
