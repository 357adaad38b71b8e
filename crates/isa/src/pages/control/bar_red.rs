//! `bar` and `barrier` beside waiting: arrive, reduce a predicate, wait for a warp or a cluster.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.1", &["bar", "barrier"], &[
    line("bar{.cta}.arrive a, b").only(&["bar"]).since(FERMI),
    line("bar{.cta}.red.popc.u32 d, a, {!}c").only(&["bar"]).since(FERMI),
    line("bar{.cta}.red.popc.u32 d, a, b, {!}c").only(&["bar"]).since(FERMI),
    line("bar{.cta}.red.op.pred p, a, {!}c").only(&["bar"]).since(FERMI),
    line("bar{.cta}.red.op.pred p, a, b, {!}c").only(&["bar"]).since(FERMI),
    line("bar.warp.sync membermask").only(&["bar"]),
    line("barrier{.cta}.arrive{.aligned} a, b").only(&["barrier"]),
    line("barrier{.cta}.red.popc{.aligned}.u32 d, a, {!}c").only(&["barrier"]),
    line("barrier{.cta}.red.popc{.aligned}.u32 d, a, b, {!}c").only(&["barrier"]),
    line("barrier{.cta}.red.op{.aligned}.pred p, a, {!}c").only(&["barrier"]),
    line("barrier{.cta}.red.op{.aligned}.pred p, a, b, {!}c").only(&["barrier"]),
    line("barrier.cluster.arrive{.sem}{.aligned}").only(&["barrier"]).since(CLUSTER),
    line("barrier.cluster.wait{.acquire}{.aligned}").only(&["barrier"]).since(CLUSTER),
], Meaning::NotYet)
    .about("arrive at a barrier, or combine a predicate there",
        "`.arrive` counts the thread without waiting; `.red` waits and counts the threads in which `c` holds, or tells \
         whether it holds in all or in any. `bar.warp` waits for threads of the warp, `barrier.cluster` for the cluster.")
    .sets(&[("op", Slot::Op2, Set::Of(&[And, Or])), ("sem", Slot::Sem, Set::Of(&[Release, Relaxed]))])
    .operands(&[
        dst("d", Is(U32)),
        dst("p", Is(Pred)),
        src("a", Is(U32)).constants(Immediate::Range(0, 15)),
        src("b membermask", Is(U32)),
        src("c", Is(Pred)),
    ])
    .since(Floor::new(6, 0, 30))
    .word_floors(&[
        (Cta, Floor::new(7, 8, 10)), (Release, Floor::new(8, 0, 90)), (Relaxed, Floor::new(8, 0, 90)),
        (Acquire, Floor::new(8, 0, 90)),
    ])
    .order(Order::AsPrinted)
    .examples(&[
        "bar.arrive 0, 64;", "bar.red.popc.u32 d, 0, !p;", "bar.cta.red.and.pred r2, 1, 64, p;", "bar.warp.sync 0xffffffff;",
        "barrier.red.or.aligned.pred p, 0, q;", "barrier.cluster.arrive.release;", "barrier.cluster.wait.aligned;",
    ])
    .refused(&[("bar.arrive 0;", "the number of threads is wanted")]);

const FERMI: Floor = Floor::new(2, 0, 20);
const CLUSTER: Floor = Floor::new(7, 8, 90);
