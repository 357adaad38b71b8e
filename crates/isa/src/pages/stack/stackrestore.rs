//! `stackrestore`: give back what was taken since.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.17.2", &["stackrestore"], &[line("stackrestore.type a")], Meaning::Effect(Effect::RestoreStack))
    .about("set the stack pointer back", "Gives back all local memory taken since the `stacksave` that `a` came from.")
    .sets(&[("type", Slot::Type, Set::Of(&[U32, U64]))])
    .operands(&[src("a", Of(Slot::Type)).constants(Immediate::No)])
    .since(Floor::new(7, 3, 52))
    .examples(&["stackrestore.u64 ra;"]);
