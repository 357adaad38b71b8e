//! What loads and stores share: words, restrictions and floors of a memory access (manual, 9.7.9.8 and 9.7.9.11).
use crate::prelude::*;

pub(super) const TYPES: Set =
    Set::Of(&[B8, B16, B32, B64, B128, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64]);
pub(super) const VECTORS: Set = Set::Of(&[V2, V4, V8]);
pub(super) const SCOPES: Set = Set::Of(&[Cta, Cluster, Gpu, Sys]);
pub(super) const FIRST_LEVEL: Set =
    Set::Of(&[L1EvictNormal, L1EvictUnchanged, L1EvictFirst, L1EvictLast, L1NoAllocate]);
pub(super) const SECOND_LEVEL: Set = Set::Of(&[L2EvictNormal, L2EvictFirst, L2EvictLast]);
pub(super) const PREFETCH: Set = Set::Of(&[L2Prefetch64, L2Prefetch128, L2Prefetch256]);
pub(super) const SHARED: Set = Set::Of(&[Shared, SharedCta, SharedCluster]);

/// The operand that `.L2::cache_hint` announces.
pub(super) const CACHE_POLICY: Operand = src("cache_policy", Is(U64)).with(Slot::Policy);
/// The address of an access.
pub(super) const ADDRESS: Operand = src("a", Address).symbol();

/// Whether the access is to global memory or through a generic address.
pub(super) fn global_or_generic(i: &Inst) -> bool {
    matches!(i[Slot::Space], Global | Absent)
}

fn shared(i: &Inst) -> bool {
    SHARED.contains(i[Slot::Space])
}

/// Whether the access moves a vector of 256 bits.
pub(super) fn is_256_bits(i: &Inst) -> bool {
    match i[Slot::Vec] {
        V8 => i.ty(Slot::Type).bits == 32,
        V4 => i.ty(Slot::Type).bits == 64,
        _ => false,
    }
}

pub(super) const VECTOR_SIZE: Rule = Rule {
    text: "a vector has 128 bits at most, or 256 as `.v4` of 64-bit or `.v8` of 32-bit types",
    slot: Some(Slot::Vec),
    holds: |i| {
        let bits = match i[Slot::Vec] {
            V2 => 2 * i.ty(Slot::Type).bits,
            V4 => 4 * i.ty(Slot::Type).bits,
            V8 => 8 * i.ty(Slot::Type).bits,
            _ => return true,
        };
        bits <= 128 || is_256_bits(i)
    },
};

pub(super) const NARROW_VECTOR_SIZE: Rule = Rule {
    text: "a vector has 128 bits at most",
    slot: Some(Slot::Vec),
    holds: |i| !is_256_bits(i) && (VECTOR_SIZE.holds)(i),
};

pub(super) const WIDE_VECTOR_SPACE: Rule = Rule {
    text: "vectors of 256 bits are accessed in `.global` or through generic addresses only",
    slot: Some(Slot::Space),
    holds: |i| !is_256_bits(i) || global_or_generic(i),
};

pub(super) const ORDERED_SPACE: Rule = Rule {
    text: "ordered accesses are to `.global`, `.shared` or generic addresses",
    slot: Some(Slot::Space),
    holds: |i| !matches!(i[Slot::Sem], Relaxed | Acquire | Release) || global_or_generic(i) || shared(i),
};

pub(super) const VOLATILE_SPACE: Rule = Rule {
    text: "`.volatile` accesses are to `.global`, `.shared`, `.local` or generic addresses",
    slot: Some(Slot::Space),
    holds: |i| i[Slot::Sem] != Volatile || global_or_generic(i) || shared(i) || i[Slot::Space] == Local,
};

pub(super) const SECOND_LEVEL_NEEDS_256_BITS: Rule = Rule {
    text: "an `.L2` eviction priority needs a vector of 256 bits",
    slot: Some(Slot::Eviction),
    holds: |i| !i.has(Slot::Eviction) || is_256_bits(i),
};

pub(super) const FIRST_LEVEL_SPACE: Rule = Rule {
    text: "`.L1` eviction priorities are for `.global` or generic addresses",
    slot: Some(Slot::Cache),
    holds: |i| !FIRST_LEVEL.contains(i[Slot::Cache]) || global_or_generic(i),
};

pub(super) const POLICY_SPACE: Rule = Rule {
    text: "`.L2::cache_hint` is for `.global` or generic addresses",
    slot: Some(Slot::Policy),
    holds: |i| !i.has(Slot::Policy) || global_or_generic(i),
};

pub(super) const PROXY_TYPE: Rule = Rule {
    text: "`.proxy::readonly` is not for `.b128`",
    slot: Some(Slot::Type),
    holds: |i| i[Slot::Type] != B128 || (i[Slot::Action] != ProxyReadonly && i[Slot::Sem] != ProxyReadonly),
};

pub(super) const UNIFIED_SPACE: Rule = Rule {
    text: "`.unified` is for `.global` or generic addresses",
    slot: None,
    holds: |i| i[Slot::Action2] != Unified || global_or_generic(i),
};

/// `.v8` of shorter types the manual prints nowhere.
pub(super) const SHORT_VECTORS: Erratum = erratum(
    "prints `.v8` for vectors of 256 bits only",
    "takes it for types of 8 and 16 bits too, in every space, as ptxas does",
)
.concerns(|i| i[Slot::Vec] == V8 && !is_256_bits(i));

const ORDERED: Floor = Floor::new(6, 0, 70);
const CLUSTERS: Floor = Floor::new(7, 8, 90);
const EVICTION: Floor = Floor::new(7, 4, 70);
const CACHING: Floor = Floor::new(2, 0, 20);
const FUNCTIONS: Floor = Floor::new(8, 3, 10);

pub(super) const WORD_FLOORS: &[(Word, Floor)] = &[
    (B128, Floor::new(8, 3, 70)),
    (Volatile, Floor::new(1, 1, 10)),
    (Weak, ORDERED),
    (Relaxed, ORDERED),
    (Acquire, ORDERED),
    (Release, ORDERED),
    (Mmio, Floor::new(8, 2, 70)),
    (Cluster, CLUSTERS),
    (SharedCta, Floor::new(7, 8, 30)),
    (SharedCluster, CLUSTERS),
    (ParamEntry, FUNCTIONS),
    (ParamFunc, FUNCTIONS),
    (Ca, CACHING),
    (Cg, CACHING),
    (Cs, CACHING),
    (Lu, CACHING),
    (Cv, CACHING),
    (Wb, CACHING),
    (Wt, CACHING),
    (L1EvictNormal, EVICTION),
    (L1EvictUnchanged, EVICTION),
    (L1EvictFirst, EVICTION),
    (L1EvictLast, EVICTION),
    (L1NoAllocate, EVICTION),
    (L2CacheHint, Floor::new(7, 4, 80)),
    (L2Prefetch64, Floor::new(7, 4, 75)),
    (L2Prefetch128, Floor::new(7, 4, 75)),
    (L2Prefetch256, Floor::new(7, 4, 80)),
    (ProxyReadonly, Floor::new(9, 4, 90)),
];

pub(super) const FORM_FLOORS: &[FormFloor] = &[
    FormFloor {
        text: "generic addresses",
        when: |i| !i.has(Slot::Space) && i[Slot::Action] != Mmio,
        floor: Floor::new(2, 0, 20),
    },
    FormFloor { text: "vectors of 256 bits", when: is_256_bits, floor: Floor::new(8, 8, 100) },
    FormFloor {
        text: "`.b128` with `.sys`",
        when: |i| i[Slot::Type] == B128 && i[Slot::Scope] == Sys,
        floor: Floor::new(8, 4, 70),
    },
    FormFloor {
        text: "`.volatile.local`",
        when: |i| i[Slot::Sem] == Volatile && i[Slot::Space] == Local,
        floor: Floor::new(9, 1, 10),
    },
    FormFloor {
        text: "`.mmio` with `.acquire` or `.release`",
        when: |i| i[Slot::Action] == Mmio && i[Slot::Sem] != Relaxed,
        floor: Floor::new(9, 3, 75),
    },
];
