//! `match`: which threads of a warp hold the same value.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.10", &["match"], &[
    line("match.any.sync.type d, a, membermask"),
    line("match.all.sync.type d{|p}, a, membermask"),
], Meaning::NotYet)
    .about("compare a value over a warp",
        "`.any` gives a bit for every lane with the same value; `.all` gives the member mask if all lanes agree, else 0, \
         and tells so in `p`.")
    .sets(&[("type", Slot::Type, B32_B64)])
    .operands(&[
        dst("d", Is(U32)).sink(),
        dst("p", Is(Pred)).sink(),
        src("a", Of(Slot::Type)),
        src("membermask", Is(U32)),
    ])
    .since(Floor::new(6, 0, 70))
    .examples(&["match.any.sync.b32 d, a, 0xffffffff;", "match.all.sync.b64 d|p, a, mask;"]);
