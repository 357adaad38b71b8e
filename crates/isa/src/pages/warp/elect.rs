//! `elect`: choose one thread of the warp.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.14", &["elect"], &[line("elect.sync d|p, membermask")], Meaning::NotYet)
    .about("choose one lane", "`d` names a lane of the mask, `p` is true in that lane alone.")
    .operands(&[dst("d", Is(U32)).sink(), dst("p", Is(Pred)), src("membermask", Is(U32))])
    .since(Floor::new(8, 0, 90))
    .examples(&["elect.sync _|p, 0xffffffff;", "elect.sync r|p, mask;"]);
