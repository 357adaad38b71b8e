//! `xor`: bit by bit.
use super::and::page;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.8.3", &["xor"], Meaning::Spec(spec))
    .about("one bit of two", "A bit of the result is 1 where the bits of `a` and `b` differ.")
    .lower(lower)
    .examples(&["xor.b32 d, q, r;", "xor.b16 d, x, 0x0001;", "xor.pred p, q, r;"]);

fn spec(_: &Inst, &[a, b, ..]: &Args) -> Bits {
    a ^ b
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let d = e.xor(a, b);
    e.done(d)
}
