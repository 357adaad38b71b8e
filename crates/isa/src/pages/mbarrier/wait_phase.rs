//! `mbarrier.test_wait` and `mbarrier.try_wait` with the kind of phase, of objects that take reports.
use crate::pages::mbarrier::init::*;
use crate::pages::mbarrier::wait::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.16", &["mbarrier"], &[
    line("mbarrier.test_wait.phase_type::primary{.sem.scope}{.own}.b64 p{|q}, [a], state"),
    line("mbarrier.test_wait.phase_type::primary{.sem.scope}{.own}.b64 p{|q}, report, [a], state"),
    line("mbarrier.test_wait.parity.phase_type::primary{.sem.scope}{.own}.b64 p{|q}, [a], parity"),
    line("mbarrier.test_wait.parity.phase_type::primary{.sem.scope}{.own}.b64 p{|q}, report, [a], parity"),
    line("mbarrier.test_wait.parity.phase_type::conditional{.sem.scope}{.own}.b64 p, [a], parity"),
    line("mbarrier.try_wait.phase_type::primary{.sem.scope}{.own}.b64 p{|q}, [a], state{, time}"),
    line("mbarrier.try_wait.phase_type::primary{.sem.scope}{.own}.b64 p{|q}, report, [a], state{, time}"),
    line("mbarrier.try_wait.parity.phase_type::primary{.sem.scope}{.own}.b64 p{|q}, [a], parity{, time}"),
    line("mbarrier.try_wait.parity.phase_type::primary{.sem.scope}{.own}.b64 p{|q}, report, [a], parity{, time}"),
    line("mbarrier.try_wait.parity.phase_type::conditional{.sem.scope}{.own}.b64 p, [a], parity{, time}"),
], Meaning::NotYet)
    .about("test or wait for the end of a phase of a kind",
        "As `mbarrier.test_wait` and `mbarrier.try_wait`; `q` says whether a report has come in the phase, `report` is its value.")
    .sets(&[("sem", Slot::Sem, ORDERS), ("scope", Slot::Scope, SCOPES), ("own", Slot::Space, OWN)])
    .operands(&[
        dst("p", Is(Pred)), dst("q", Is(Pred)).sink(), dst("report", Is(U8)), OBJECT, STATE, PARITY, src("time", Is(U32)),
    ])
    .since(LAYOUT)
    .word_floors(FLOORS)
    .order(NAME)
    .examples(&[
        "mbarrier.test_wait.phase_type::primary.b64 p|q, [addr], state;",
        "mbarrier.try_wait.parity.phase_type::primary.acquire.cta.shared::cta.b64 p|q, report, [addr], parity, 100;",
        "mbarrier.try_wait.parity.phase_type::conditional.b64 p, [addr], 0;",
    ])
    .refused(&[("mbarrier.test_wait.phase_type::conditional.b64 p, [addr], state;", "conditional phases are told by parity")]);
