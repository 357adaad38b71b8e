//! `activemask`: which threads of the warp run this instruction together.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.11", &["activemask"], &[line("activemask.b32 d")], Meaning::NotYet)
    .about("mask of the active lanes", "A bit for every lane that executes the instruction now.")
    .operands(&[dst("d", Of(Slot::Type))])
    .since(Floor::new(6, 2, 30))
    .examples(&["activemask.b32 %r1;"]);
