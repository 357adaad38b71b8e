//! `mbarrier.test_wait` and `mbarrier.try_wait`: whether a phase of a barrier object is complete.
use crate::pages::mbarrier::init::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.15.16", &["mbarrier"], &[
    line("mbarrier.test_wait{.sem.scope}{.own}.b64 p, [a], state"),
    line("mbarrier.test_wait.parity{.sem.scope}{.own}.b64 p, [a], parity").since(Floor::new(7, 1, 80)),
    line("mbarrier.try_wait{.sem.scope}{.own}.b64 p, [a], state{, time}").since(TRY),
    line("mbarrier.try_wait.parity{.sem.scope}{.own}.b64 p, [a], parity{, time}").since(TRY),
], Meaning::Effect(Effect::BarrierObject))
    .about("test or wait for the end of a phase",
        "Whether the phase with this `state`, or with this `parity` of its number, is complete; `.try_wait` first waits for \
         some time.")
    .sets(&[("sem", Slot::Sem, ORDERS), ("scope", Slot::Scope, SCOPES), ("own", Slot::Space, OWN)])
    .operands(&[dst("p", Is(Pred)), OBJECT, STATE, PARITY, src("time", Is(U32))])
    .since(SINCE)
    .word_floors(FLOORS)
    .order(NAME)
    .examples(&[
        "mbarrier.test_wait.shared.b64 p, [addr], state;", "mbarrier.test_wait.parity.b64 p, [addr], 1;",
        "mbarrier.try_wait.acquire.cluster.shared::cta.b64 p, [addr], state, 100;",
        "mbarrier.try_wait.parity.shared::cta.b64 p, [addr], parity;",
    ])
    .refused(&[
        ("mbarrier.test_wait.b64 p, [addr], state, 100;", "a test does not wait"),
        ("mbarrier.try_wait.shared::cluster.b64 p, [addr], state;", "a CTA waits at its own objects"),
    ]);

pub(super) const ORDERS: Set = Set::Of(&[Acquire, Relaxed]);
pub(super) const SCOPES: Set = Set::Of(&[Cta, Cluster]);
/// What an arrival gave.
pub(super) const STATE: Operand = src("state", Is(U64));
/// The lowest bit of the phase's number.
pub(super) const PARITY: Operand = src("parity", Is(U32)).constants(Immediate::Range(0, 1));
pub(super) const FLOORS: &[(Word, Floor)] = &[
    (SharedCta, SPACES), (Acquire, Floor::new(8, 0, 80)), (Relaxed, RELAXED), (Cluster, CLUSTERS),
];
const TRY: Floor = Floor::new(7, 8, 90);
