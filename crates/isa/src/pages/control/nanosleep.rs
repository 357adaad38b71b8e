//! `nanosleep`: pause the thread.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.19.2", &["nanosleep"], &[line("nanosleep.u32 t")], Meaning::Effect(Effect::Nothing))
    .about("pause the thread", "Pauses for between 0 and twice `t` nanoseconds; margay pauses for 0.")
    .operands(&[src("t", Is(U32))])
    .since(Floor::new(6, 3, 70))
    .examples(&["nanosleep.u32 %r1;", "nanosleep.u32 20;"]);
