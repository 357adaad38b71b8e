//! `tcgen05.alloc`, `.dealloc`, `.relinquish_alloc_permit`: take and give back columns of tensor memory.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.16.7.1", &["tcgen05"], &[
    line("tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32 [dst], n_cols"),
    line("tcgen05.dealloc.cta_group.sync.aligned.b32 taddr, n_cols"),
    line("tcgen05.relinquish_alloc_permit.cta_group.sync.aligned"),
], Meaning::TensorMemory(|i, _| match i[Slot::Mode] {
    Alloc => TensorMemoryOp::Allocate,
    Dealloc => TensorMemoryOp::Free,
    _ => TensorMemoryOp::Relinquish,
}))
    .about("allocate and free tensor memory",
        "Allocates columns of tensor memory and writes their address to shared memory, frees them, or \
         promises that the CTA will not allocate any more.")
    .sets(&[
        ("alloc", Slot::Mode, Set::Of(&[Alloc])),
        ("dealloc", Slot::Mode, Set::Of(&[Dealloc])),
        ("relinquish_alloc_permit", Slot::Mode, Set::Of(&[Relinquish])),
        ("cta_group", Slot::CtaGroup, CTA_GROUPS),
    ])
    .operands(&[
        src("dst", Address).symbol().wide(|_| true),
        src("taddr", Is(U32)),
        src("n_cols", Is(U32)).constants(Immediate::Among(&[32, 64, 128, 256, 512])),
    ])
    .since(BLACKWELL)
    .order(Order::NameFirst(&[Alloc, Dealloc, Relinquish]))
    .examples(&[
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sMemAddr1], 32;",
        "tcgen05.dealloc.cta_group::2.sync.aligned.b32 taddr, ncols;",
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
    ])
    .refused(&[("tcgen05.alloc.sync.aligned.b32 [a], 32;", "one CTA or a pair of them must be named")])
    .errata(&[PLACE]);

/// Which columns are taken.
const PLACE: Erratum = erratum(
    "leaves open which columns are given, and lets a CTA wait for those that others have",
    "gives the first ones that are free, as if each CTA had a multiprocessor to itself; taking more than are free ends the launch",
)
.concerns(|i| i[Slot::Mode] == Alloc);
/// Every page of the chapter exists from here on.
pub const BLACKWELL: Floor = Floor::families(8, 6, &[100, 110]);
/// What is there with the letter `a` only.
pub const ARCHITECTURES: &[u16] = &[100, 103, 107, 110];
pub const CTA_GROUPS: Set = Set::Of(&[CtaGroup1, CtaGroup2]);
