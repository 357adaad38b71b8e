//! `brx.idx`: continue at a label out of a list.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.12.4", &["brx"], &[line("brx.idx{.uni} index, tlist")], Meaning::Effect(Effect::BranchIndexed))
    .about("continue at a label out of a list", "Continues at the label number `index`, from 0, of a `.branchtargets` list.")
    .operands(&[src("index", Is(U32)).constants(Immediate::No), src("tlist", TypeRule::Other).constants(Immediate::No)])
    .since(Floor::new(6, 0, 30))
    .examples(&["@p brx.idx %r0, ts;", "brx.idx.uni r, ts;"]);
