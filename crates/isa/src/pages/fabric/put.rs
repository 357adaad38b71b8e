//! `fabric.try_put`: write memory of another device through the fabric.
use crate::pages::access::CACHE_POLICY;
use crate::pages::endpoint::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.11.5.2", &["fabric"], &[
    line("fabric.try_put.async{.multimem}.own.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}{.relaxed}{.sys}.b128 [le, off], [m], size, [mbar]{, cache_policy}"),
    line("fabric.try_put.async{.multimem}.own.mbarrier::complete_tx::16B.mbarrier::report::fabric.cp_mask{.L2::cache_hint}{.relaxed}{.sys}.b128 [le, off], [m], size, [mbar], bytes{, cache_policy}"),
    line("fabric.try_put.async{.multimem}.own.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.L2::cache_hint}{.relaxed}{.sys}.b128 [le, off, counter], [m], size, [mbar]{, cache_policy}"),
], Meaning::NotYet)
    .about("write through the fabric", "Writes `size` bytes of shared memory at `off` of the endpoint `le`; a barrier object counts and reports.")
    .sets(&[OWN])
    .operands(&[MEMORY, src("mbar", Address).symbol(), ENDPOINT, OFFSET, COUNTER, SIZE, src("bytes", Is(U16)), CACHE_POLICY])
    .rules(&[ORDER])
    .since(SINCE)
    .order(NAME)
    .examples(&[
        "fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [le, off], [m], size, [mbar];",
        "fabric.try_put.async.multimem.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.cp_mask.b128 [le, off], [m], 64, [mbar], bytes;",
        "fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.b128 [le, off, counter], [m], 64, [mbar];",
    ]);
