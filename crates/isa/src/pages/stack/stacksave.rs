//! `stacksave`: read the stack pointer.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.17.1", &["stacksave"], &[line("stacksave.type d")], Meaning::Effect(Effect::SaveStack))
    .about("read the stack pointer", "Keeps the top of the local stack, for `stackrestore`.")
    .sets(&[("type", Slot::Type, Set::Of(&[U32, U64]))])
    .operands(&[dst("d", Of(Slot::Type))])
    .since(Floor::new(7, 3, 52))
    .examples(&["stacksave.u32 rd;"]);
