//! `mbarrier.check_layout`: whether a barrier object has a layout.
use crate::pages::mbarrier::init::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15", &["mbarrier"], &[line("mbarrier.check_layout.layout{.own}.b64 p, [a]")], Meaning::NotYet)
    .about("test the layout of a barrier object", "Whether the object at `a` was made with this layout.")
    .sets(&[("layout", Slot::Mode, LAYOUTS), ("own", Slot::Space, OWN)])
    .operands(&[dst("p", Is(Pred)), OBJECT])
    .since(LAYOUT)
    .order(NAME)
    .examples(&["mbarrier.check_layout.layout::v1.shared::cta.b64 p, [addr];"]);
