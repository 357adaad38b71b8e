//! `redux` on integers and bits: combine a value over the threads of a warp.
use crate::pages::members::MEMBERS;
use crate::WARP;
use crate::prelude::*;
use crate::warp::choose;

pub static PAGE: Page = Page::new("9.7.13.12", &["redux"], &[
    line("redux.sync.op.type d, a, membermask"),
    line("redux.sync.bop.b32 d, a, membermask"),
], Meaning::Together(spec))
    .about("combine a value over a warp", "The sum, least or greatest number, or bitwise combination over the lanes named.")
    .sets(&[
        ("op", Slot::Op2, Set::Of(&[Add, Min, Max])), ("bop", Slot::Op2, Set::Of(&[And, Or, Xor])),
        ("type", Slot::Type, U32_S32),
    ])
    .operands(&[dst("d", Is(U32)), src("a", Is(U32)), MEMBERS])
    .since(Floor::new(7, 0, 80))
    .gather(Gather::Whole(gather))
    .examples(&["redux.sync.add.s32 dst, src, 0xff;", "redux.sync.xor.b32 dst, src, mask;"]);

fn spec(i: &Inst, lanes: &Lanes, lane: usize, results: &mut [Bits]) {
    let ty = i.ty(Slot::Type);
    let combine = |a: Bits, b: Bits| match i[Slot::Op2] {
        Min => if ty.value(b) < ty.value(a) { b } else { a },
        Max => if ty.value(b) > ty.value(a) { b } else { a },
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        _ => (a + b) & ty.mask(),
    };
    let [own, ..] = lanes.sources[lane];
    let values = lanes.iter().map(|(_, [a, ..])| *a);
    results[0] = values.reduce(combine).unwrap_or(own);
}

fn gather(i: &Inst, warp: &Warp) -> Gains {
    let signed = i.ty(Slot::Type).signed();
    let word = match i[Slot::Op2] {
        Min if signed => fold(warp, i32::MAX as u32, |a, b| (a as i32).min(b as i32) as u32),
        Max if signed => fold(warp, i32::MIN as u32, |a, b| (a as i32).max(b as i32) as u32),
        Min => fold(warp, u32::MAX, u32::min),
        Max => fold(warp, 0, u32::max),
        And => fold(warp, u32::MAX, |a, b| a & b),
        Or => fold(warp, 0, |a, b| a | b),
        Xor => fold(warp, 0, |a, b| a ^ b),
        _ => fold(warp, 0, u32::wrapping_add),
    };
    Gains::same(word, false)
}

/// Combines the values of the lanes that take part; the others count as `neutral`.
fn fold(warp: &Warp, neutral: u32, combine: impl Fn(u32, u32) -> u32) -> u32 {
    choose(warp.members, &warp.u32s(0), &[neutral; WARP]).into_iter().fold(neutral, combine)
}
