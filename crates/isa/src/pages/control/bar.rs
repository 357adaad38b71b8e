//! `bar.sync` and `barrier.sync`: wait for the CTA's other threads.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.13.1", &["bar", "barrier"], &[
    line("bar{.cta}.sync a{, b}").only(&["bar"]),
    line("barrier{.cta}.sync{.aligned} a{, b}").only(&["barrier"]).since(Floor::new(6, 0, 30)),
], Meaning::Effect(Effect::Barrier))
    .about("wait for the CTA's other threads",
        "Waits at barrier `a` until all threads of the CTA, or as many as `b` says, have arrived; what they wrote before is \
         seen by all after. `.aligned`, which `bar` implies, promises that all threads of a warp arrive together.")
    .operands(&[src("a", Is(U32)).constants(Immediate::Range(0, 15)), THREADS])
    .word_floors(&[(Cta, Floor::new(7, 8, 10))])
    .order(NAME)
    .examples(&["bar.sync 0;", "bar.cta.sync 1, 64;", "barrier.sync 0;", "barrier.sync.aligned 3, r1;",
        "barrier.aligned.sync 0;"])
    .refused(&[("bar.sync;", "a barrier must be named"), ("bar.sync.cta 0;", "`.cta` comes first"),
    ])
    .errata(&[erratum(
        "prints its modifiers in one order",
        "takes all but the first ones, up to `.arrive` or `.red`, in any order",
    )
    .concerns(|i| i.has(Slot::Action2) || i.has(Slot::Op2))]);

/// The words that belong to the names of instructions at barriers.
pub(super) const NAME: Order = Order::NameFirst(&[Cta, Cluster, Warp, Arrive, Red, Wait]);

/// How many threads take part: whole warps.
pub(super) const THREADS: Operand = src("b", Is(U32)).constants(Immediate::Multiple(32, Zero::Taken));

/// Whether an instruction at a barrier promises that all threads of the warp execute it together: `.aligned`, and `bar`
/// always (manual, section 9.7.13.1).
pub fn is_aligned(inst: &Inst) -> bool {
    inst.opcode() == "bar" || inst[Slot::Action2] == Aligned
}
