//! `ld.global.nc`: read global memory that the kernel does not write.
use crate::pages::access::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.9", &["ld"], &[
    line("ld.global{.cop}.nc{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{.unified}{, cache_policy}"),
    line("ld.global.nc{.level1}{.level2}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{.unified}{, cache_policy}"),
    line("ld.global.nc{.vec}.type.proxy d, [a]{.unified}"),
], Meaning::Effect(Effect::Load))
    .about("read global memory that is not written during the kernel",
        "Like `ld.global`; the hardware may use a cache that does not see writes by the same kernel.")
    .sets(&[
        ("cop", Slot::Cache, Set::Of(&[Ca, Cg, Cs])),
        ("level1", Slot::Cache, FIRST_LEVEL),
        ("level2", Slot::Eviction, SECOND_LEVEL),
        ("prefetch_size", Slot::Hint, PREFETCH),
        ("proxy", Slot::Sem, Set::Of(&[ProxyReadonly])),
        ("vec", Slot::Vec, VECTORS),
        ("type", Slot::Type, TYPES),
    ])
    .operands(&[dst("d", AtLeast(Slot::Type)).vector(), ADDRESS, CACHE_POLICY])
    .rules(&[VECTOR_SIZE, SECOND_LEVEL_NEEDS_256_BITS, PROXY_TYPE])
    .since(Floor::new(3, 1, 32))
    .word_floors(WORD_FLOORS)
    .form_floors(FORM_FLOORS)
    .order(Order::Free)
    .examples(&["ld.global.nc.v4.s32 {r1, r2, r3, r4}, [a];", "ld.global.nc.L1::evict_last.u32 d, [a];"])
    .refused(&[("ld.shared.nc.u32 d, [a];", "only global memory has the read-only path")]);
