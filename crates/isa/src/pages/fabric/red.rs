//! `fabric.try_red`: change memory of another device through the fabric.
use crate::pages::access::CACHE_POLICY;
use crate::pages::endpoint::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.11.5.3", &["fabric"], &[
    line("fabric.try_red.async{.multimem}.own.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}{.relaxed}{.sys}.op.type [le, off], [m], size, [mbar]{, cache_policy}"),
    line("fabric.try_red.async{.multimem}.own.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.L2::cache_hint}{.relaxed}{.sys}.op.type [le, off, counter], [m], size, [mbar]{, cache_policy}"),
], Meaning::NotYet)
    .about("reduction through the fabric", "Combines `size` bytes at `off` of the endpoint `le` with shared memory by `.op`.")
    .sets(&[
        OWN,
        ("op", Slot::Op2, Set::Of(&[Add, Min, Max, And, Or, Xor])),
        ("type", Slot::Type, Set::Of(&[B32, B64, U32, U64, S32, S64, F16, Bf16, F32, F64])),
    ])
    .operands(&[MEMORY, src("mbar", Address).symbol(), ENDPOINT, OFFSET, COUNTER, SIZE, CACHE_POLICY])
    .rules(&[ORDER, OPERATION])
    .since(SINCE)
    .order(NAME)
    .examples(&[
        "fabric.try_red.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.add.u32 [le, off], [m], size, [mbar];",
        "fabric.try_red.async.multimem.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.max.bf16 [le, off, counter], [m], 64, [mbar];",
    ]);
