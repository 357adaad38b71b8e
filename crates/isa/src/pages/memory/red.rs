//! `red` on integers and bits: change memory in one step, without a result.
use crate::pages::access::{CACHE_POLICY, POLICY_SPACE, SCOPES};
use crate::pages::atomic::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.6", &["red"], &[
    line("red{.sem}{.scope}{.space}.op{.L2::cache_hint}.type [a], b{, cache_policy}"),
], Meaning::Atomic(changed))
    .about("change memory in one step without a result", "Like `atom`, but the value read is not kept.")
    .sets(&[
        ("sem", Slot::Sem, Set::Of(&[Relaxed, Release])),
        ("scope", Slot::Scope, SCOPES),
        ("space", Slot::Space, SPACES),
        ("op", Slot::Op2, OPERATIONS),
        ("type", Slot::Type, INTEGER_TYPES),
    ])
    .operands(&[
        src("a", Address).symbol(),
        src("b", Of(Slot::Type)),
        CACHE_POLICY,
    ])
    .rules(&[TYPE_FITS, POLICY_SPACE])
    .since(Floor::new(1, 2, 11))
    .word_floors(WORD_FLOORS)
    .form_floors(FORM_FLOORS)
    .shown(&[("red.global.max.s32 [a], b", &[5, 9])])
    .examples(&["red.global.add.s32 [a], 1;", "red.release.sys.global.add.u32 [a], 1;", "red.shared::cluster.max.u32 [x], 0;"])
    .refused(&[("red.exch.b32 [a], b;", "an exchange has a result")])
    .errata(&[WORD_ORDER]);
