//! `ld`: read memory.
use crate::pages::access::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.8", &["ld"], &[
    line("ld{.weak}{.ss}{.cop}{.level2}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{.unified}{, cache_policy}"),
    line("ld{.weak}{.ss}{.level1}{.level2}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{.unified}{, cache_policy}"),
    line("ld.volatile{.ss}{.level2}{.prefetch_size}{.vec}.type d, [a]{.unified}"),
    line("ld.relaxed.scope{.ss}{.level1}{.level2}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{.unified}{, cache_policy}"),
    line("ld.acquire.scope{.ss}{.level1}{.level2}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{.unified}{, cache_policy}"),
    line("ld.mmio.sem.sys{.global}.type d, [a]{.unified}"),
    line("ld{.global}{.vec}.type.proxy::readonly d, [a]{.unified}"),
], Meaning::Effect(Effect::Load))
    .about("read memory",
        "Reads a value, or the elements of a vector one after the other, at an address in the named state \
         space, or at a generic address if none is named. A register wider than the type is filled with \
         copies of the sign for signed types, with zeros for others. Cache modifiers do not change the \
         result.")
    .sets(&[
        ("ss", Slot::Space, Set::Of(&[
            Global, Local, Const, Shared, SharedCta, SharedCluster, Param, ParamEntry, ParamFunc,
        ])),
        ("cop", Slot::Cache, Set::Of(&[Ca, Cg, Cs, Lu, Cv])),
        ("level1", Slot::Cache, FIRST_LEVEL),
        ("level2", Slot::Eviction, SECOND_LEVEL),
        ("prefetch_size", Slot::Hint, PREFETCH),
        ("scope", Slot::Scope, SCOPES),
        ("sem", Slot::Sem, Set::Of(&[Relaxed, Acquire])),
        ("vec", Slot::Vec, VECTORS),
        ("type", Slot::Type, TYPES),
    ])
    .operands(&[dst("d", AtLeast(Slot::Type)).vector(), ADDRESS, CACHE_POLICY])
    .rules(&[
        VECTOR_SIZE, WIDE_VECTOR_SPACE, ORDERED_SPACE, VOLATILE_SPACE, FIRST_LEVEL_SPACE,
        SECOND_LEVEL_NEEDS_256_BITS, POLICY_SPACE,
        Rule {
            text: "prefetching to the second-level cache is for `.global` or generic addresses",
            slot: Some(Slot::Hint),
            holds: |i| !i.has(Slot::Hint) || global_or_generic(i),
        },
        UNIFIED_SPACE,
        PROXY_TYPE,
    ])
    .word_floors(WORD_FLOORS)
    .form_floors(FORM_FLOORS)
    .order(Order::Free)
    .examples(&[
        "ld.global.f32 d, [a];", "ld.shared.v4.b32 {a, b, c, e}, [p];", "ld.const.s32 d, [p+4];", "ld.local.b32 x, [p+-8];",
        "ld.global.b16 r, [p];", "ld.relaxed.gpu.global.u32 d, [a];", "ld.global.relaxed.gpu.u32 d, [a];",
        "ld.global.L1::no_allocate.L2::128B.u32 d, [a];", "ld.global.L2::cache_hint.u32 d, [a], policy;",
        "ld.u32 d, [a].unified;", "ld.param.u64 d, [k_param_0];",
    ])
    .refused(&[
        ("ld.u32 d, [a], policy;", "a cache policy needs `.L2::cache_hint`"),
        ("ld.shared.v4.u64 d, [a];", "256 bits in shared memory"),
        ("ld.relaxed.u32 d, [a];", "`.relaxed` needs a scope"),
        ("ld.acquire.gpu.const.u32 d, [a];", "constants are not ordered"),
    ])
    .errata(&[
        erratum(
            "prints an `.L2` eviction priority beside one of `.L1` only",
            "also takes it together with `.ca` and its kin",
        )
        .concerns(|i| i.has(Slot::Eviction)),
        erratum("prints its modifiers in one order and gives examples in others", "takes them in any order"),
        erratum(
            "does not print `{r}`, a vector of one element without `.vec`, which compilers write",
            "takes it as `r`",
        )
        .concerns(|i| !i.has(Slot::Vec)),
        SHORT_VECTORS,
    ]);
