//! `st`: write memory.
use crate::pages::access::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.11", &["st"], &[
    line("st{.weak}{.ss}{.cop}{.level2}{.L2::cache_hint}{.vec}.type [a], b{, cache_policy}"),
    line("st{.weak}{.ss}{.level1}{.level2}{.L2::cache_hint}{.vec}.type [a], b{, cache_policy}"),
    line("st.volatile{.ss}{.level2}{.vec}.type [a], b"),
    line("st.relaxed.scope{.ss}{.level1}{.level2}{.L2::cache_hint}{.vec}.type [a], b{, cache_policy}"),
    line("st.release.scope{.ss}{.level1}{.level2}{.L2::cache_hint}{.vec}.type [a], b{, cache_policy}"),
    line("st.mmio.sem.sys{.global}.type [a], b"),
], Meaning::Effect(Effect::Store))
    .about("write memory",
        "Writes the low bits of a value, or of the elements of a vector one after the other, at an address \
         in the named state space, or at a generic address if none is named. Memory keeps what it has \
         where an element is `_`. Cache modifiers do not change the result.")
    .sets(&[
        ("ss", Slot::Space, Set::Of(&[Global, Local, Shared, SharedCta, SharedCluster, Param, ParamFunc])),
        ("cop", Slot::Cache, Set::Of(&[Wb, Cg, Cs, Wt])),
        ("level1", Slot::Cache, FIRST_LEVEL),
        ("level2", Slot::Eviction, SECOND_LEVEL),
        ("scope", Slot::Scope, SCOPES),
        ("sem", Slot::Sem, Set::Of(&[Relaxed, Release])),
        ("vec", Slot::Vec, VECTORS),
        ("type", Slot::Type, TYPES),
    ])
    .operands(&[ADDRESS, src("b", AtLeast(Slot::Type)).constants(Immediate::Number).vector().sink(), CACHE_POLICY])
    .rules(&[
        VECTOR_SIZE, WIDE_VECTOR_SPACE, ORDERED_SPACE, VOLATILE_SPACE, FIRST_LEVEL_SPACE,
        SECOND_LEVEL_NEEDS_256_BITS, POLICY_SPACE,
    ])
    .word_floors(WORD_FLOORS)
    .form_floors(FORM_FLOORS)
    .order(Order::Free)
    .examples(&[
        "st.global.f32 [a], b;", "st.local.b32 [q+4], a;", "st.global.v4.s32 [p], {a, b, c, e};", "st.local.b32 [q+-8], a;",
        "st.param.b32 [param0], 7;", "st.release.gpu.global.u32 [a], b;", "st.volatile.global.u32 [a], b;",
        "st.local.v2.b32 [a], {r1, 0};", "st.global.b32 [a], {r1};",
        "st.global.v8.b32 [a], {r1, _, r3, _, _, _, _, r8};",
    ])
    .refused(&[
        ("st.const.u32 [a], b;", "constants are not written"),
        ("st.global.v2.u32 [a], b;", "a vector is required"),
        ("st.global.v8.u64 [a], b;", "512 bits"),
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
