//! `shfl`: exchange values among the threads of a warp.
use super::vote::SYNC_ONLY;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.6", &["shfl"], &[
    line("shfl.sync.mode.b32 d{|p}, a, b, c, membermask").since(Floor::new(6, 0, 30)),
    line("shfl.mode.b32 d{|p}, a, b, c").until(SYNC_ONLY),
], Meaning::NotYet)
    .about("exchange values among the threads of a warp",
        "`d` becomes the value of `a` in the lane that the mode, `b` and `c` choose; `p` tells whether that lane is in range.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Up, Down, Bfly, Idx]))])
    .operands(&[
        dst("d", Of(Slot::Type)),
        dst("p", Is(Pred)).sink(),
        src("a", Of(Slot::Type)),
        src("b c", Is(B32)),
        src("membermask", Is(U32)),
    ])
    .since(Floor::new(3, 0, 30))
    .examples(&["shfl.sync.up.b32 Ry|p, Rx, 0x1, 0x0, 0xffffffff;", "shfl.sync.bfly.b32 Ry, Rx, 0x10, 0x1f, 0xffffffff;",
        "shfl.up.b32 Ry|p, Rx, 0x1, 0x0;"])
    .refused(&[("shfl.sync.idx.b64 d, a, b, c, m;", "32 bits are exchanged")]);
