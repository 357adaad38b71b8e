//! `trap`: stop the launch.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.19.4", &["trap"], &[line("trap")], Meaning::Effect(Effect::Trap))
    .about("stop the launch with an error", "Stops the grid and reports an error to the host.")
    .examples(&["trap;", "@p trap;"]);
