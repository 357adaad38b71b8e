//! `redux` on floating-point numbers: the least or greatest over the threads of a warp.
use crate::pages::members::MEMBERS;
use crate::float::{F32, Mode, Real, encode};
use crate::WARP;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.12", &["redux"], &[
    line("redux.sync.op{.abs}{.NaN}.f32 d, a, membermask"),
], Meaning::Together(spec))
    .about("least or greatest number over a warp",
        "The least or greatest number over the lanes named, `.abs` of the magnitudes. NaN is ignored in favour of a number unless \
         `.NaN` is given.")
    .sets(&[("op", Slot::Op2, Set::Of(&[Min, Max]))])
    .operands(&[dst("d", Is(Word::F32)), src("a", Is(Word::F32)), MEMBERS])
    .since(Floor::family(8, 6, 100))
    .gather(Gather::Whole(gather))
    .examples(&["redux.sync.min.abs.NaN.f32 d, a, mask;"]);

fn spec(i: &Inst, lanes: &Lanes, _: usize, results: &mut [Bits]) {
    results[0] = combined(i, lanes.iter().map(|(_, [a, ..])| *a));
}

fn gather(i: &Inst, warp: &Warp) -> Gains {
    let values = warp.u32s(0);
    let members = (0..WARP).filter(|lane| warp.members >> lane & 1 == 1);
    Gains::same(combined(i, members.map(|lane| values[lane].into())) as u32, false)
}

/// The least or greatest of the numbers.
fn combined(i: &Inst, values: impl Iterator<Item = Bits>) -> Bits {
    let number = |bits: Bits| match F32.decode(bits) {
        number if i.has(Slot::Abs) => number.magnitude(),
        number => number,
    };
    let pick = |a: Real, b: Real| match i[Slot::Op2] {
        _ if i.has(Slot::NaN) && a.is_nan() => a,
        _ if i.has(Slot::NaN) && b.is_nan() => b,
        Min => a.lesser(b),
        _ => a.greater(b),
    };
    let picked = values.map(number).reduce(pick).unwrap_or(Real::Nan { negative: false });
    encode(&F32, Mode::Nearest, false, picked, &[])
}
