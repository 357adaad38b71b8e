//! `mbarrier.inval`: end a barrier object.
use crate::pages::mbarrier::init::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.10", &["mbarrier"], &[line("mbarrier.inval{.own}.b64 [a]")], Meaning::Effect(Effect::BarrierObject))
    .about("end a barrier object", "The memory of the object at `a` may be used for something else.")
    .sets(&[("own", Slot::Space, OWN)])
    .operands(&[OBJECT])
    .since(SINCE)
    .word_floors(&[(SharedCta, SPACES)])
    .order(NAME)
    .examples(&["mbarrier.inval.shared.b64 [addr];", "mbarrier.inval.b64 [addr];"]);
