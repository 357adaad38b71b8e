//! `atom` on integers and bits: read memory, change it and write it back, in one step.
use crate::pages::access::{CACHE_POLICY, POLICY_SPACE, SCOPES};
use crate::pages::atomic::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.5", &["atom"], &[
    line("atom{.sem}{.scope}{.space}.op{.L2::cache_hint}.type d, [a], b{, cache_policy}"),
    line("atom{.sem}{.scope}{.space}.cas.type1 d, [a], b, c"),
    line("atom{.sem}{.scope}{.space}.exch{.L2::cache_hint}.type2 d, [a], b{, cache_policy}"),
], Meaning::Atomic(changed))
    .about("change memory in one step",
        "Reads the value at the address into `d` and writes the result of the operation on it and `b`; no other access \
         comes between. `.cas` writes `c` if the value equals `b`, `.exch` writes `b`.")
    .sets(&[
        ("sem", Slot::Sem, Set::Of(&[Relaxed, Acquire, Release, AcqRel])),
        ("scope", Slot::Scope, SCOPES),
        ("space", Slot::Space, SPACES),
        ("op", Slot::Op2, OPERATIONS),
        ("type", Slot::Type, INTEGER_TYPES),
        ("type1", Slot::Type, Set::Of(&[B16, B32, B64, B128])),
        ("type2", Slot::Type, Set::Of(&[B32, B64, B128])),
    ])
    .operands(&[
        dst("d", Of(Slot::Type)).sink(),
        src("a", Address).symbol(),
        src("b c", Of(Slot::Type)),
        CACHE_POLICY,
    ])
    .rules(&[TYPE_FITS, POLICY_SPACE])
    .since(Floor::new(1, 1, 11))
    .word_floors(WORD_FLOORS)
    .form_floors(FORM_FLOORS)
    .shown(&[("atom.global.cas.b32 d, [a], b, c", &[5, 5, 9])])
    .examples(&[
        "atom.global.add.s32 d, [a], 1;", "@p atom.global.cas.b32 d, [p], my_val, my_new_val;",
        "atom.global.gpu.acq_rel.add.u32 d, [a], b;", "atom.acquire.sys.cas.b64 d, [a], b, c;",
        "atom.shared.exch.b32 _, [a], b;",
    ])
    .refused(&[
        ("atom.add.s64 d, [a], b;", "64-bit sums are `.u64`"),
        ("atom.const.add.u32 d, [a], b;", "constants are not written"),
        ("atom.cas.b32 d, [a], b;", "two values are required"),
    ])
    .errata(&[WORD_ORDER]);
