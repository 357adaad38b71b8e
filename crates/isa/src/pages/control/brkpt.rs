//! `brkpt`: stop for a debugger.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.19.1", &["brkpt"], &[line("brkpt")], Meaning::Effect(Effect::Trap))
    .about("stop for a debugger", "Suspends the thread for a debugger; without one the launch ends there with an error.")
    .since(Floor::new(1, 0, 11))
    .examples(&["brkpt;", "@p brkpt;"]);
