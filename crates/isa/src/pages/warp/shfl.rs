//! `shfl`: exchange values among the threads of a warp.
use crate::pages::members::MEMBERS;
use super::vote::SYNC_ONLY;
use crate::WARP;
use crate::prelude::*;
use crate::warp::ballot;

pub static PAGE: Page = Page::new("9.7.9.6", &["shfl"], &[
    line("shfl.sync.mode.b32 d{|p}, a, b, c, membermask").since(Floor::new(6, 0, 30)),
    line("shfl.mode.b32 d{|p}, a, b, c").until(SYNC_ONLY),
], Meaning::Together(spec))
    .about("exchange values among the threads of a warp",
        "`d` becomes the value of `a` in the lane that the mode, `b` and `c` choose; `p` tells whether that lane is in range.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Up, Down, Bfly, Idx]))])
    .operands(&[
        dst("d", Of(Slot::Type)),
        dst("p", Is(Pred)).sink(),
        src("a", Of(Slot::Type)),
        src("b c", Is(B32)),
        MEMBERS,
    ])
    .since(Floor::new(3, 0, 30))
    .gather(Gather::Exchange(choices))
    .examples(&["shfl.sync.up.b32 Ry|p, Rx, 0x1, 0x0, 0xffffffff;", "shfl.sync.bfly.b32 Ry, Rx, 0x10, 0x1f, 0xffffffff;",
        "shfl.up.b32 Ry|p, Rx, 0x1, 0x0;"])
    .refused(&[("shfl.sync.idx.b64 d, a, b, c, m;", "32 bits are exchanged")])
    .errata(&[erratum("gives no value for a lane that reads one which does not take part", "gives it its own value")]);

fn spec(i: &Inst, lanes: &Lanes, lane: usize, results: &mut [Bits]) {
    let (from, in_range) = choice(i, lanes, lane);
    let from = if lanes.has(from) { from } else { lane };
    results.iter_mut().zip([lanes.sources[from][0], in_range.into()]).for_each(|(result, value)| *result = value);
}

/// The lane that one reads, and whether it is in range.
fn choice(i: &Inst, lanes: &Lanes, lane: usize) -> (usize, bool) {
    let [_, b, c, ..] = lanes.sources[lane];
    let (at, b, clamp, segment) = (lane as i64, (b & 31) as i64, (c & 31) as i64, (c >> 8 & 31) as i64);
    let (least, most) = (at & segment, at & segment | clamp & !segment);
    let (from, in_range) = match i[Slot::Mode] {
        Up => (at - b, at - b >= most),
        Down => (at + b, at + b <= most),
        Bfly => (at ^ b, (at ^ b) <= most),
        _ => (least | b & !segment, (least | b & !segment) <= most),
    };
    (if in_range && from >= 0 { from as usize } else { lane }, in_range)
}

fn choices(i: &Inst, warp: &Warp) -> Choices {
    let (b, c) = (warp.u32s(1), warp.u32s(2));
    let mut choices = match i[Slot::Mode] {
        Up => each_choice(&b, &c, |at, b, _, most| (at - b, at - b >= most)),
        Down => each_choice(&b, &c, |at, b, _, most| (at + b, at + b <= most)),
        Bfly => each_choice(&b, &c, |at, b, _, most| (at ^ b, (at ^ b) <= most)),
        _ => each_choice(&b, &c, |at, b, segment, most| {
            let from = at & segment | b & !segment;
            (from, from <= most)
        }),
    };
    if warp.members != u32::MAX {
        let absent = |from: u8| warp.members >> from & 1 == 0;
        for (lane, from) in choices.from.iter_mut().enumerate().filter(|(_, from)| absent(**from)) {
            *from = lane as u8;
        }
    }
    choices
}

/// For every lane, the lane that it reads, which is itself where that is not in range; and a bit where it is.
/// In bytes, so that few vectors hold a warp.
fn each_choice(b: &[u32; WARP], c: &[u32; WARP], choose: impl Fn(i8, i8, i8, i8) -> (i8, bool)) -> Choices {
    let (mut amounts, mut clamps, mut segments) = ([0; WARP], [0; WARP], [0; WARP]);
    for lane in 0..WARP {
        amounts[lane] = (b[lane] & 31) as i8;
        clamps[lane] = (c[lane] & 31) as i8;
        segments[lane] = (c[lane] >> 8 & 31) as i8;
    }
    let (mut from, mut in_range) = ([0; WARP], [false; WARP]);
    for lane in 0..WARP {
        let (at, segment) = (lane as i8, segments[lane]);
        let (goal, reaches) = choose(at, amounts[lane], segment, at & segment | clamps[lane] & !segment);
        from[lane] = if reaches { goal as u8 } else { at as u8 };
        in_range[lane] = reaches;
    }
    Choices { from, holds: ballot(&in_range, |reaches| reaches) }
}

/// The lane that a lane reads although it takes no part, if the instruction reads one: what it gives is undefined
/// (manual, section 9.7.9.6).
pub fn absent_lane(inst: &Inst, lanes: &Lanes, lane: usize) -> Option<usize> {
    let exchanges = std::ptr::eq(inst.page(), &PAGE);
    exchanges.then(|| choice(inst, lanes, lane).0).filter(|from| !lanes.has(*from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, select};

    #[test]
    fn a_lane_that_takes_no_part_is_named() {
        let inst = select("shfl", &["sync", "down", "b32"], &[Shape::default(); 5]).unwrap().unwrap();
        let sources = [[7, 2, 0x1f, 0x7, 0, 0, 0, 0]; crate::WARP];
        let lanes = Lanes { sources: &sources, members: 7 };
        assert_eq!([0, 1, 2].map(|lane| absent_lane(&inst, &lanes, lane)), [None, Some(3), Some(4)]);
        let other = select("bfe", &["s32"], &[Shape::default(); 4]).unwrap().unwrap();
        assert_eq!(absent_lane(&other, &lanes, 1), None);
    }
}
