//! How accesses and fences order memory (manual, sections 8.4 and 9.7.13.4).

use crate::code::Strength;
use margay_isa::{Inst, Meaning, Semantics, Slot, Word};

/// Of a load, a store or an atomic operation. `.volatile` is as strong as `.relaxed` for the whole system.
pub(super) fn of_access(inst: &Inst) -> Strength {
    let atomic = matches!(inst.meaning(Semantics::Manual), Meaning::Atomic(_));
    let ordered = matches!(
        inst[Slot::Sem],
        Word::Volatile | Word::Relaxed | Word::Acquire | Word::Release | Word::AcqRel
    );
    Strength {
        strong: atomic || ordered || inst[Slot::Action] == Word::Mmio,
        acquires: matches!(inst[Slot::Sem], Word::Acquire | Word::AcqRel),
        releases: matches!(inst[Slot::Sem], Word::Release | Word::AcqRel),
        wide: is_wide(inst),
    }
}

/// Of a step on a barrier object: arrivals release and waits acquire unless they are relaxed, for the block if no scope is named
/// (manual, section 9.7.13.15).
pub(super) fn of_object(inst: &Inst) -> Strength {
    let relaxed = inst[Slot::Sem] == Word::Relaxed;
    let waits = matches!(inst[Slot::Action], Word::TestWait | Word::TryWait);
    let arrives = matches!(inst[Slot::Action], Word::Arrive | Word::ArriveDrop);
    let makes = matches!(inst[Slot::Action], Word::Init | Word::Inval);
    Strength {
        strong: !makes,
        acquires: waits && !relaxed,
        releases: arrives && !relaxed,
        wide: inst.has(Slot::Scope) && is_wide(inst),
    }
}

/// Of a fence; one between proxies orders nothing that margay keeps apart.
pub(super) fn of_fence(inst: &Inst) -> Strength {
    let ordinary = !inst.has(Slot::Action);
    let sem = inst[Slot::Sem];
    Strength {
        strong: ordinary,
        acquires: ordinary && sem != Word::Release,
        releases: ordinary && sem != Word::Acquire,
        wide: is_wide(inst),
    }
}

/// Whether the scope reaches other blocks: a cluster is one block here.
fn is_wide(inst: &Inst) -> bool {
    !matches!(inst[Slot::Scope], Word::Cta | Word::Cluster)
}
