//! `mbarrier.pending_count`: how many arrivals a state still waits for.
use crate::pages::mbarrier::init::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.17", &["mbarrier"], &[line("mbarrier.pending_count.b64 d, state")], Meaning::NotYet)
    .about("arrivals outstanding in a state", "How many arrivals the phase waited for when `state` was taken.")
    .operands(&[dst("d", Is(U32)), src("state", Is(U64))])
    .since(SINCE)
    .order(NAME)
    .examples(&["mbarrier.pending_count.b64 n, state;"]);
