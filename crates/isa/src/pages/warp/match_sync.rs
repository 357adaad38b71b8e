//! `match`: which threads of a warp hold the same value.
use crate::pages::members::MEMBERS;
use crate::WARP;
use crate::prelude::*;
use crate::warp::ballot;

pub static PAGE: Page = Page::new("9.7.13.10", &["match"], &[
    line("match.any.sync.type d, a, membermask"),
    line("match.all.sync.type d{|p}, a, membermask"),
], Meaning::Together(spec))
    .about("compare a value over a warp",
        "`.any` gives a bit for every lane with the same value; `.all` gives the member mask if all lanes agree, else 0, \
         and tells so in `p`.")
    .sets(&[("type", Slot::Type, B32_B64)])
    .operands(&[
        dst("d", Is(U32)).sink(),
        dst("p", Is(Pred)).sink(),
        src("a", Of(Slot::Type)),
        MEMBERS,
    ])
    .since(Floor::new(6, 0, 70))
    .gather(Gather::Whole(gather))
    .examples(&["match.any.sync.b32 d, a, 0xffffffff;", "match.all.sync.b64 d|p, a, mask;"]);

fn spec(i: &Inst, lanes: &Lanes, lane: usize, results: &mut [Bits]) {
    let [a, ..] = lanes.sources[lane];
    let same = lanes.ballot(|sources| sources[0] == a);
    let all = same == lanes.members;
    let whole = i[Slot::Mode] == All;
    let values = [if whole && !all { 0 } else { same.into() }, all.into()];
    results.iter_mut().zip(values).for_each(|(result, value)| *result = value);
}

fn gather(i: &Inst, warp: &Warp) -> Gains {
    match i.ty(Slot::Type).width() {
        64 => compare(i, warp, &warp.u64s(0)),
        _ => compare(i, warp, &warp.u32s(0)),
    }
}

/// One round for every value that occurs.
fn compare<T: Copy + PartialEq>(i: &Inst, warp: &Warp, values: &[T; WARP]) -> Gains {
    let mut words = [0; WARP];
    let mut left = warp.members;
    while left != 0 {
        let value = values[left.trailing_zeros() as usize];
        let same = ballot(values, |other| other == value) & warp.members;
        if same == warp.members {
            return Gains::same(same, true);
        }
        if i[Slot::Mode] == All {
            return Gains::same(0, false);
        }
        left &= !same;
        let mut lanes = same;
        while lanes != 0 {
            words[lanes.trailing_zeros() as usize] = same;
            lanes &= lanes - 1;
        }
    }
    Gains { words, holds: 0 }
}
