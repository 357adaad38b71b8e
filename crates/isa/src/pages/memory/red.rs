//! `red`: change memory in one step, without a result.
use crate::pages::access::{CACHE_POLICY, SCOPES};
use crate::pages::atomic::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.6", &["red"], &[
    line("red{.sem}{.scope}{.space}.op{.L2::cache_hint}.type [a], b{, cache_policy}"),
    line("red{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}.type3 [a], b{, cache_policy}"),
    line("red{.sem}{.scope}{.global}.add{.L2::cache_hint}.vec_32.f32 [a], b{, cache_policy}").since(VECTOR),
    line("red{.sem}{.scope}{.global}.vop.noftz{.L2::cache_hint}.vec_16.half_word [a], b{, cache_policy}").since(VECTOR),
    line("red{.sem}{.scope}{.global}.vop.noftz{.L2::cache_hint}.vec_32.packed [a], b{, cache_policy}").since(VECTOR),
], Meaning::NotYet)
    .about("change memory in one step without a result", "As `atom`, but the value read is not kept.")
    .sets(&[
        ("sem", Slot::Sem, Set::Of(&[Relaxed, Release])),
        ("scope", Slot::Scope, SCOPES),
        ("space", Slot::Space, SPACES),
        ("op", Slot::Op2, OPERATIONS),
        ("vop", Slot::Op2, VECTOR_OPERATIONS),
        ("type", Slot::Type, TYPES),
        ("type3", Slot::Type, HALVES),
        ("vec_16", Slot::Vec, Set::Of(&[V2, V4, V8])),
        ("vec_32", Slot::Vec, Set::Of(&[V2, V4])),
        ("half_word", Slot::Type, HALF_WORDS),
        ("packed", Slot::Type, PACKED),
    ])
    .operands(&[
        src("a", Address).symbol(),
        src("b", Of(Slot::Type)).constants(Immediate::Number).vector(),
        CACHE_POLICY,
    ])
    .rules(&[TYPE_FITS])
    .since(Floor::new(1, 2, 11))
    .word_floors(WORD_FLOORS)
    .form_floors(FORM_FLOORS)
    .order(Order::Free)
    .examples(&["red.global.add.s32 [a], 1;", "red.release.sys.global.add.u32 [a], 1;", "red.shared::cluster.max.u32 [x], 0;"])
    .refused(&[("red.exch.b32 [a], b;", "an exchange has a result")])
    .errata(&[
        Erratum {
            manual: "prints its words in one order; compilers write them in others",
            margay: "takes them in any order",
            ptxas: None,
            concerns: |_| true,
        },
    ]);
