//! `redux` on floating-point numbers: the least or greatest over the threads of a warp.
use crate::pages::members::MEMBERS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.12", &["redux"], &[
    line("redux.sync.op{.abs}{.NaN}.f32 d, a, membermask"),
], Meaning::NotYet)
    .about("least or greatest number over a warp", "The least or greatest number over the lanes named, `.abs` of the magnitudes.")
    .sets(&[("op", Slot::Op2, Set::Of(&[Min, Max]))])
    .operands(&[dst("d", Is(F32)), src("a", Is(F32)), MEMBERS])
    .since(Floor::family(8, 6, 100))
    .examples(&["redux.sync.min.abs.NaN.f32 d, a, mask;"]);
