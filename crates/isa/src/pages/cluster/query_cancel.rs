//! `clusterlaunchcontrol.query_cancel`: read the answer to a cancel request.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.18", &["clusterlaunchcontrol"], &[
    line("clusterlaunchcontrol.query_cancel.is_canceled.pred.answer p, a"),
    line("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.answer d, a"),
    line("clusterlaunchcontrol.query_cancel.axis.b32.answer e, a"),
], Meaning::NotYet)
    .about("read the answer to a cancel request", "Whether the launch was cancelled, and the first CTA of the cluster.")
    .sets(&[("answer", Slot::AType, Set::Of(&[B128])), ("axis", Slot::Mode, Set::Of(&[FirstCtaidX, FirstCtaidY, FirstCtaidZ]))])
    .operands(&[dst("p", Is(Pred)), dst("d", Is(B32)).vector().sink(), dst("e", Is(B32)), src("a", Is(B128))])
    .since(Floor::new(8, 6, 100))
    .order(Order::NameFirst(&[QueryCancel]))
    .examples(&[
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;",
        "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {x, y, z, _}, answer;",
        "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 x, answer;",
    ]);
