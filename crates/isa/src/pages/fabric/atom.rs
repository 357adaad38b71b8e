//! `fabric.try_atom`: atomic operation on memory of another device through the fabric.
use crate::pages::access::CACHE_POLICY;
use crate::pages::endpoint::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.11.5.10", &["fabric"], &[
    line("fabric.try_atom.async.own.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}.relaxed.sys.op.type [le, off], [m], [b], [mbar]{, cache_policy}"),
], Meaning::NotYet)
    .about("atomic operation through the fabric", "Combines the value at `off` of the endpoint `le` with that at `b`; the old value is written to `m`.")
    .sets(&[
        OWN,
        ("op", Slot::Op2, Set::Of(&[Add, Min, Max, And, Or, Xor, Exch, Cas])),
        ("type", Slot::Type, Set::Of(&[B32, B64, B128, U32, U64, S32, S64, F16x2, Bf16x2, F32, F64])),
    ])
    .operands(&[MEMORY, src("b mbar", Address).symbol(), ENDPOINT, OFFSET, CACHE_POLICY])
    .rules(&[OPERATION])
    .since(Floor::new(9, 4, 100))
    .order(NAME)
    .examples(&["fabric.try_atom.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.cas.b32 [le, off], [m], [b], [mbar];"]);
