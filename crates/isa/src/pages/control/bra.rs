//! `bra`: continue at a label.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.12.3", &["bra"], &[line("bra{.uni} tgt")], Meaning::Effect(Effect::Branch))
    .about("continue at a label",
        "Threads whose guard holds continue at the label. `.uni` promises that all threads of the warp agree.")
    .operands(&[src("tgt", Label).constants(Immediate::No)])
    .examples(&["bra.uni L_exit;", "@q bra L23;"])
    .refused(&[("bra L1, L2;", "one label")]);
