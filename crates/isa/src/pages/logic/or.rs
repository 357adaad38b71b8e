//! `or`: bit by bit.
use super::and::page;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.8.2", &["or"], Meaning::Spec(spec))
    .about("either bit", "A bit of the result is 1 where a bit of `a` or `b` is 1.")
    .lower(lower)
    .examples(&["or.b32 mask, mask, 0x00010001;", "or.pred p, q, r;"]);

fn spec(_: &Inst, &[a, b, ..]: &Args) -> Bits {
    a | b
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let d = e.or(a, b);
    e.done(d)
}
