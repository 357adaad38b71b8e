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
        64 => compare(i, warp, &warp.u64s(0), |value, bit| value >> bit & 1 == 1),
        _ => compare(i, warp, &warp.u32s(0), |value, bit| value >> bit & 1 == 1),
    }
}

/// One round for every bit in which values differ: of the lanes that are left, those that have it as a lane does.
fn compare<T: Copy + Into<u64>>(
    i: &Inst,
    warp: &Warp,
    values: &[T; WARP],
    has: impl Fn(T, u32) -> bool,
) -> Gains {
    let first: u64 = values[warp.members.trailing_zeros() as usize % WARP].into();
    let takes_part = |lane: usize| 0u64.wrapping_sub(u64::from(warp.members >> lane & 1));
    let mut differ = (0..WARP).fold(0, |bits, lane| bits | (values[lane].into() ^ first) & takes_part(lane));
    if i[Slot::Mode] == All || differ == 0 {
        return Gains::same(if differ == 0 { warp.members } else { 0 }, differ == 0);
    }
    let mut words = [warp.members; WARP];
    while differ != 0 {
        let bit = differ.trailing_zeros();
        let set = ballot(values, |value| has(value, bit));
        for (word, value) in words.iter_mut().zip(values) {
            *word &= if has(*value, bit) { set } else { !set };
        }
        differ &= differ - 1;
    }
    Gains { words, holds: 0 }
}
