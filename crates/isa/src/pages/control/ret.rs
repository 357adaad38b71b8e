//! `ret`: leave the function.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.12.6", &["ret"], &[line("ret{.uni}")], Meaning::Effect(Effect::Return))
    .about("leave the function",
        "Continues after the call; in an entry function it ends the thread. `.uni` promises that all threads \
         of the warp agree.")
    .examples(&["ret;", "@p ret;", "ret.uni;"])
    .refused(&[("ret r;", "results are parameters, not operands")]);
