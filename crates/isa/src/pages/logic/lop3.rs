//! `lop3`: any logical function of three values.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.8.6", &["lop3"], &[
    line("lop3.b32 d, a, b, c, immLut"),
    line("lop3.BoolOp.b32 d|p, a, b, c, immLut, q").since(Floor::new(8, 2, 70)),
], Meaning::Many(spec))
    .about("any logical function of three values",
        "Bits of `a`, `b` and `c` in the same place, read as a number (that of `a` highest), choose a bit of `immLut`. With \
         a boolean operation `p` tells whether the result is not 0, combined with `q`.")
    .sets(&[("BoolOp", Slot::Bool, Set::Of(&[Or, And]))])
    .operands(&[
        dst("d", Of(Slot::Type)).sink(),
        dst("p", Is(Pred)),
        src("a b c", Of(Slot::Type)),
        src("immLut", Is(U32)).constants(Immediate::Only(0, 255)),
        src("q", Is(Pred)),
    ])
    .since(Floor::new(4, 3, 50))
    .lower(lower)
    .examples(&["lop3.b32 d, a, b, c, 0x40;", "lop3.or.b32 d|p, a, b, c, 0x3f, q;", "lop3.and.b32 _|p, a, b, c, 0x3f, q;"])
    .refused(&[("lop3.b32 d|p, a, b, c, 0x3f, q;", "a predicate needs a boolean operation")]);

fn spec(i: &Inst, &[a, b, c, table, q, ..]: &Args, results: &mut [Bits]) {
    let choose = |at: u128| bit(table, bit(a, at) << 2 | bit(b, at) << 1 | bit(c, at));
    let d = (0..32).fold(0, |d, at| d | choose(at) << at);
    let some = Bits::from(d != 0);
    let p = if i[Slot::Bool] == And { some & q } else { some | q };
    for (result, value) in results.iter_mut().zip([d, p]) {
        *result = value;
    }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c, table] = e.sources();
    let table = e.known(table)?;
    let d = e.lop3(table as u8, a, b, c);
    e.result(d);
    if i.has(Slot::Bool) {
        let q = e.source(4);
        let some = e.nonzero(d);
        let p = if i[Slot::Bool] == And { e.and(some, q) } else { e.or(some, q) };
        e.result(p);
    }
    Some(())
}
