//! `griddepcontrol`: let dependent grids start, or wait for the grid depended on.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.13", &["griddepcontrol"], &[
    line("griddepcontrol.action"),
], Meaning::Effect(Effect::Nothing))
    .about("control dependent grids", "A launch of one grid depends on no other, so there is nothing to wait for.")
    .sets(&[("action", Slot::Action, Set::Of(&[LaunchDependents, Wait]))])
    .since(Floor::new(7, 8, 90))
    .order(Order::AsPrinted)
    .examples(&["griddepcontrol.launch_dependents;", "griddepcontrol.wait;"]);
