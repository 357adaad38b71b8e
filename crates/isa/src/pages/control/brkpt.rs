//! `brkpt`: stop for a debugger.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.19.1", &["brkpt"], &[line("brkpt")], Meaning::NotYet)
    .about("stop for a debugger", "Suspends the thread until a debugger lets it go on.")
    .since(Floor::new(1, 0, 11))
    .examples(&["brkpt;", "@p brkpt;"]);
