//! `redux`: combine a value over the threads of a warp.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.12", &["redux"], &[
    line("redux.sync.op.type e, b, membermask"),
    line("redux.sync.bop.b32 e, b, membermask"),
    line("redux.sync.fop{.abs}{.NaN}.f32 d, a, membermask").since(Floor::family(8, 6, 100)),
], Meaning::NotYet)
    .about("combine a value over a warp", "The sum, least or greatest number, or bitwise combination over the lanes named.")
    .sets(&[
        ("op", Slot::Op2, Set::Of(&[Add, Min, Max])), ("bop", Slot::Op2, Set::Of(&[And, Or, Xor])),
        ("fop", Slot::Op2, Set::Of(&[Min, Max])), ("type", Slot::Type, U32_S32),
    ])
    .operands(&[dst("d", Is(F32)), src("a", Is(F32)), dst("e", Is(U32)), src("b membermask", Is(U32))])
    .since(Floor::new(7, 0, 80))
    .examples(&["redux.sync.add.s32 dst, src, 0xff;", "redux.sync.xor.b32 dst, src, mask;"]);
