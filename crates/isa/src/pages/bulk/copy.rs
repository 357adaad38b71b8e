//! `cp.async.bulk`: copy a range of memory while the thread goes on.
use crate::pages::access::CACHE_POLICY;
use crate::pages::bulk::groups::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.4.1", &["cp"], &[
    line("cp.async.bulk.shared::cluster.src.mbarrier::complete_tx::bytes{.L2::cache_hint} [d], [a], size, [mbar]{, cache_policy}"),
    line("cp.async.bulk.shared::cluster.src.mbarrier::complete_tx::bytes.multicast::cluster{.L2::cache_hint} [d], [a], size, [mbar], ctas{, cache_policy}"),
    line("cp.async.bulk.shared::cluster.src.mbarrier::complete_tx::bytes.multicast::cluster::32b{.L2::cache_hint} [d], [a], size, [mbar], wide_ctas{, cache_policy}")
        .since(Floor::family(9, 4, 107)),
    line("cp.async.bulk.shared::cta.src.mbarrier::complete_tx::bytes{.L2::cache_hint} [d], [a], size, [mbar]{, cache_policy}")
        .since(OWN_CTA),
    line("cp.async.bulk.shared::cta.src.mbarrier::complete_tx::bytes.ignore_oob{.L2::cache_hint} [d], [a], size, left, right, [mbar]{, cache_policy}")
        .since(Floor::new(9, 2, 90)),
    line("cp.async.bulk.shared::cluster.cta.mbarrier::complete_tx::bytes [d], [a], size, [mbar]"),
    line("cp.async.bulk.global.cta.bulk_group{.L2::cache_hint} [d], [a], size{, cache_policy}"),
    line("cp.async.bulk.global.cta.bulk_group.cp_mask [d], [a], size, bytes").since(MASKED),
    line("cp.async.bulk.global.cta.bulk_group.L2::cache_hint.cp_mask [d], [a], size, policy, bytes").since(MASKED),
], Meaning::Effect(Effect::CopyBulk))
    .about("copy a range of memory asynchronously",
        "Copies `size` bytes between global and shared memory, or to another CTA's; a barrier object at `mbar` counts the \
         bytes that have come, or a group of bulk operations is waited for. `.multicast::cluster` copies to every CTA whose bit \
         is set, `.cp_mask` only the bytes of every 16 whose bits are, `.ignore_oob` leaves out bytes at both ends.")
    .sets(&[("src", Slot::From, Set::Of(&[Global])), ("cta", Slot::From, Set::Of(&[SharedCta]))])
    .operands(&[
        src("d", Address).symbol(),
        SOURCE,
        BYTES,
        BARRIER,
        CTAS,
        src("wide_ctas", Is(U32)).constants(Immediate::Range(0, u32::MAX as i128)),
        src("bytes", Is(U16)),
        src("left right", Is(U32)).constants(Immediate::Range(0, 15)),
        src("policy", Is(U64)),
        CACHE_POLICY,
    ])
    .open(|i| i.has(Slot::Oob))
    .since(SINCE)
    .order(NAME)
    .examples(&[
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [d], [a], size, [mbar];",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [d], [a], 512, [mbar], policy;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [d], [a], size, [mbar], ctas;",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [d], [a], size, [mbar];",
        "cp.async.bulk.global.shared::cta.bulk_group [d], [a], size;",
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [d], [a], 64, policy, 0x0ff0;",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [d], [a], 64, 3, 5, [mbar];",
    ])
    .refused(&[
        ("cp.async.bulk.shared.global.mbarrier::complete_tx::bytes [d], [a], 16, [mbar];", "the kind of shared memory is missing"),
        ("cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [d], [a], 16, [mbar];", "copies to global memory form groups"),
        ("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster [d], [a], 16, [mbar], ctas;",
            "copies to several CTAs are to the cluster"),
    ]);

const MASKED: Floor = Floor::new(8, 6, 100);
