//! `createpolicy`: make a value that says how the second-level cache should keep what an access brings in.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.18", &["createpolicy"], &[
    line("createpolicy.fractional.primary{.secondary}.b64 cache_policy{, fraction}"),
    line("createpolicy.range{.global}.primary{.secondary}.b64 cache_policy, [a], primary_size, total_size"),
    line("createpolicy.cvt.L2.b64 cache_policy, access_property"),
], Meaning::Effect(Effect::MakePolicy))
    .about("make a cache eviction policy",
        "Makes the opaque value that `.L2::cache_hint` announces. With `.fractional` a share of the accesses gets the first \
         priority, by default all; with `.range` the accesses to the first bytes at the address do. The others get the \
         second priority, `.L2::evict_unchanged` where none is named. `.cvt` takes an access property of the host. No cache is kept here: the value is 0, or the property.")
    .sets(&[
        ("primary", Slot::Eviction, Set::Of(&[L2EvictLast, L2EvictNormal, L2EvictFirst, L2EvictUnchanged])),
        ("secondary", Slot::Hint, Set::Of(&[L2EvictFirst, L2EvictUnchanged])),
    ])
    .operands(&[
        dst("cache_policy", Is(U64)),
        src("fraction", Is(F32)).constants(Immediate::Share),
        src("a", Address).symbol().wide(|_| true),
        src("primary_size", Is(U32)).constants(Immediate::AtMost("total_size")),
        src("total_size", Is(U32)),
        src("access_property", Is(U64)),
    ])
    .since(Floor::new(7, 4, 80))
    .order(Order::NameFirst(&[Fractional, Range, Convert]))
    .examples(&[
        "createpolicy.fractional.L2::evict_last.b64 policy, 0.5;",
        "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 policy;",
        "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 policy, [ptr], 0x100000, 0x200000;",
        "createpolicy.cvt.L2.b64 policy, property;",
    ])
    .refused(&[
        ("createpolicy.fractional.L2::evict_first.L2::evict_last.b64 policy;", "what is left is never kept longest"),
        ("createpolicy.L2::evict_last.b64 policy, 0.5;", "what chooses the accesses is missing"),
    ])
    .errata(&[
        erratum(
            "prints its modifiers in one order",
            "takes them in any order after the opcode's own, the first priority before the second",
        ),
        erratum("leaves open what the value is", "gives 0 for shares and ranges, and properties as they are"),
    ]);
