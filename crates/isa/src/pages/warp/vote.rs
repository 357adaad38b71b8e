//! `vote`: whether a predicate holds in the threads of a warp.
use crate::pages::members::MEMBERS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.9", &["vote"], &[
    line("vote.sync.mode.pred d, {!}a, membermask").since(SYNC),
    line("vote.sync.ballot.b32 m, {!}a, membermask").since(SYNC),
    line("vote.mode.pred d, {!}a").until(SYNC_ONLY),
    line("vote.ballot.b32 m, {!}a").since(Floor::new(2, 0, 20)).until(SYNC_ONLY),
], Meaning::Together(spec))
    .about("gather a predicate over a warp",
        "Whether the predicate holds in all lanes, in any, or alike in all; `.ballot` gives a bit for every lane.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[All, Any, Uni]))])
    .operands(&[
        dst("d", Is(Pred)),
        dst("m", Is(B32)),
        src("a", Is(Pred)),
        MEMBERS,
    ])
    .since(Floor::new(1, 2, 12))
    .gather(Gather::Whole(gather))
    .examples(&["vote.sync.all.pred p, q, 0xffffffff;", "vote.sync.ballot.b32 r1, !p, 0xffffffff;", "vote.uni.pred p, q;"]);

/// From where on the forms without `.sync` are gone.
pub(super) const SYNC_ONLY: Floor = Floor::new(6, 4, 70);
const SYNC: Floor = Floor::new(6, 0, 30);

fn spec(i: &Inst, lanes: &Lanes, _: usize, results: &mut [Bits]) {
    let ballot = lanes.ballot(|[a, ..]| (bit(*a, 0) == 1) != i.has(Slot::NotC));
    results[0] = match i[Slot::Mode] {
        All => Bits::from(ballot == lanes.members),
        Any => Bits::from(ballot != 0),
        Uni => Bits::from(ballot == lanes.members || ballot == 0),
        _ => ballot.into(),
    };
}

fn gather(i: &Inst, warp: &Warp) -> Gains {
    let negated = if i.has(Slot::NotC) { u32::MAX } else { 0 };
    let ballot = (warp.pred(0) ^ negated) & warp.members;
    let holds = match i[Slot::Mode] {
        All => ballot == warp.members,
        Any => ballot != 0,
        _ => ballot == warp.members || ballot == 0,
    };
    Gains::same(ballot, holds)
}
