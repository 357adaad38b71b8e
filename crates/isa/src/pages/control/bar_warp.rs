//! `bar.warp.sync`: wait for threads of the warp.
use crate::pages::control::bar::NAME;
use crate::pages::members::MEMBERS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.2", &["bar"], &[line("bar.warp.sync membermask")], Meaning::Together(spec))
    .about("wait for threads of the warp",
        "Waits until all lanes of the mask have come to a `bar.warp.sync` with the same mask; what they wrote before is seen \
         by all after.")
    .operands(&[MEMBERS])
    .since(Floor::new(6, 0, 30))
    .order(NAME)
    .gather(Gather::Whole(|_, _| Gains::same(0, false)))
    .examples(&["bar.warp.sync 0xffffffff;", "bar.warp.sync mask;"])
    .refused(&[("bar.warp.sync;", "the lanes must be named")]);

fn spec(_: &Inst, _: &Lanes, _: usize, _: &mut [Bits]) {}
