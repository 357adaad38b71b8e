//! `fabric.try_get`: read memory of another device through the fabric.
use crate::pages::access::CACHE_POLICY;
use crate::pages::endpoint::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.11.5.1", &["fabric"], &[
    line("fabric.try_get.async.own.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.L2::cache_hint}{.relaxed}{.sys}.b128 [m], [le, off], size, [mbar]{, cache_policy}"),
], Meaning::NotYet)
    .about("read through the fabric", "Reads `size` bytes at `off` of the endpoint `le` into shared memory; a barrier object counts and reports.")
    .sets(&[OWN])
    .operands(&[MEMORY, src("mbar", Address).symbol(), ENDPOINT, OFFSET, SIZE, CACHE_POLICY])
    .rules(&[ORDER])
    .since(SINCE)
    .order(NAME)
    .examples(&["fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128 [m], [le, off], size, [mbar];"])
    .refused(&[("fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.b128 [m], [le], size, [mbar];", "the offset is missing")]);
