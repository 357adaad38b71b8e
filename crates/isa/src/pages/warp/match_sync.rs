//! `match`: which threads of a warp hold the same value.
use crate::pages::members::MEMBERS;
use crate::prelude::*;

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
    .examples(&["match.any.sync.b32 d, a, 0xffffffff;", "match.all.sync.b64 d|p, a, mask;"]);

fn spec(i: &Inst, lanes: &Lanes, lane: usize, results: &mut [Bits]) {
    let [a, ..] = lanes.sources[lane];
    let same = lanes.ballot(|sources| sources[0] == a);
    let all = same == lanes.members;
    let whole = i[Slot::Mode] == All;
    let values = [if whole && !all { 0 } else { same.into() }, all.into()];
    results.iter_mut().zip(values).for_each(|(result, value)| *result = value);
}
