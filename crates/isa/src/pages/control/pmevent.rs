//! `pmevent`: trigger performance monitors.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.19.3", &["pmevent"], &[
    line("pmevent a"),
    line("pmevent.mask m").since(Floor::new(3, 0, 20)),
], Meaning::Effect(Effect::Nothing))
    .about("trigger performance monitors", "Tells a profiler that the place was reached; changes no result.")
    .operands(&[
        src("a", Is(U32)).constants(Immediate::Only(0, 15)),
        src("m", Is(U32)).constants(Immediate::Only(0, 0xffff)),
    ])
    .since(Floor::new(1, 4, 10))
    .order(Order::AsPrinted)
    .examples(&["pmevent 1;", "@p pmevent 7;", "pmevent.mask 0xff;"]);
