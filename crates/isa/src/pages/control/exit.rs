//! `exit`: end the thread.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.12.7", &["exit"], &[line("exit")], Meaning::Effect(Effect::Exit))
    .about("end the thread", "Ends the thread, from a called function too. Barriers no longer wait for it.")
    .examples(&["exit;", "@p exit;"]);
