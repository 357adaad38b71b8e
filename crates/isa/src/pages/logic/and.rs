//! `and`: bit by bit; and the grammar that `or` and `xor` share.
use crate::prelude::*;

pub static PAGE: Page = page("9.7.8.1", &["and"], Meaning::Spec(spec))
    .about("both bits", "A bit of the result is 1 where the bits of `a` and `b` are both 1.")
    .lower(lower)
    .examples(&["and.b32 x, q, r;", "and.b32 sign, fpvalue, 0x80000000;", "and.pred p, q, r;"])
    .refused(&[("and.u32 d, a, b;", "logic is on untyped bits")]);

const SYNTAX: &[Syntax] = &[line("op.type d, a, b"), line("op.pred d, p, q")];

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str], meaning: Meaning) -> Page {
    const SETS: &[(&str, Slot, Set)] = &[("type", Slot::Type, Set::Of(&[B16, B32, B64]))];
    const OPERANDS: &[Operand] = &[
        dst("d", Of(Slot::Type)),
        src("a b", Of(Slot::Type)),
        src("p q", Is(Pred)),
    ];
    Page::new(section, opcodes, SYNTAX, meaning).sets(SETS).operands(OPERANDS)
}

fn spec(_: &Inst, &[a, b, ..]: &Args) -> Bits {
    a & b
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let d = e.and(a, b);
    e.done(d)
}
