//! `prefetchu`: ask for a line of the uniform cache in advance.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.15", &["prefetchu"], &[line("prefetchu.level [a]")], Meaning::Effect(Effect::Nothing))
    .about("ask for a line of the uniform cache in advance", "A hint that changes no result. The address is generic; a variable has to lie in `.global`.")
    .sets(&[("level", Slot::Cache, Set::Of(&[Level1]))])
    .operands(&[src("a", Address).symbol().within(Within::Always(Global))])
    .since(Floor::new(2, 0, 20))
    .examples(&["prefetchu.L1 [addr];"]);
