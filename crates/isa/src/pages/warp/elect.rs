//! `elect`: choose one thread of the warp.
use crate::pages::members::MEMBERS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.14", &["elect"], &[line("elect.sync d|p, membermask")], Meaning::Together(spec))
    .about("choose one lane", "`d` names a lane of the mask, `p` is true in that lane alone; margay chooses the first.")
    .operands(&[dst("d", Is(U32)).sink(), dst("p", Is(Pred)), MEMBERS])
    .since(Floor::new(8, 0, 90))
    .gather(Gather::Whole(gather))
    .examples(&["elect.sync _|p, 0xffffffff;", "elect.sync r|p, mask;"]);

fn spec(_: &Inst, lanes: &Lanes, lane: usize, results: &mut [Bits]) {
    let leader = lanes.members.trailing_zeros();
    results[0] = leader.into();
    results[1] = Bits::from(lane == leader as usize);
}

fn gather(_: &Inst, warp: &Warp) -> Gains {
    let leader = warp.members.trailing_zeros();
    Gains { holds: 1u32.checked_shl(leader).unwrap_or(0), ..Gains::same(leader, false) }
}
