//! `activemask`: which threads of the warp run this instruction together.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.11", &["activemask"], &[line("activemask.b32 d")], Meaning::Together(spec))
    .about("mask of the active lanes", "A bit for every lane that executes the instruction now: the lanes of \
                                        the warp that reach it together, before any of the others continues \
                                        without them.")
    .operands(&[dst("d", Of(Slot::Type))])
    .since(Floor::new(6, 2, 30))
    .gather(Gather::Whole(|_, warp| Gains::same(warp.members, true)))
    .examples(&["activemask.b32 %r1;"]);

fn spec(_: &Inst, lanes: &Lanes, _: usize, results: &mut [Bits]) {
    results[0] = lanes.members.into();
}
