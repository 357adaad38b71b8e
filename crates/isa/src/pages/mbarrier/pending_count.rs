//! `mbarrier.pending_count`: how many arrivals a state still waits for.
use crate::pages::mbarrier::init::*;
use crate::object::{BarrierObject, pending};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.17", &["mbarrier"], &[line("mbarrier.pending_count.b64 d, state")], Meaning::Spec(|_, &[state, ..]| pending(state)))
    .about("arrivals outstanding in a state", "How many arrivals the phase waited for when `state` was taken.")
    .operands(&[dst("d", Is(U32)), src("state", Is(U64))])
    .since(SINCE)
    .order(NAME)
    .lower(lower)
    .examples(&["mbarrier.pending_count.b64 n, state;"]);

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [state] = e.sources();
    let low = e.low(state);
    let most = e.constant(Type::U32, u64::from(BarrierObject::MOST));
    let d = e.and(low, most);
    e.done(d)
}
