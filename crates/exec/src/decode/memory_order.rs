//! How accesses and fences order memory (manual, sections 8.4 and 9.7.13.4).

use crate::code::{Reach, Strength};
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
        reach: reach(inst),
    }
}

/// Of a step on a barrier object: arrivals release and waits acquire unless they are relaxed (manual, section
/// 9.7.13.15).
pub(super) fn of_object(inst: &Inst) -> Strength {
    let relaxed = inst[Slot::Sem] == Word::Relaxed;
    let waits = matches!(inst[Slot::Action], Word::TestWait | Word::TryWait);
    // Of arrivals when copies are done, the copies are all that is released.
    let arrives =
        matches!(inst[Slot::Action], Word::Arrive | Word::ArriveDrop) && inst[Slot::Action2] != Word::Async;
    let makes = matches!(inst[Slot::Action], Word::Init | Word::Inval);
    Strength {
        strong: !makes,
        acquires: waits && !relaxed,
        releases: arrives && !relaxed,
        // Code that is known to be right lets other blocks of the cluster arrive, and names no scope.
        reach: if inst.has(Slot::Scope) { reach(inst) } else { Reach::Cluster },
    }
}

/// Of a fence; one between proxies orders nothing that margay keeps apart.
pub(super) fn of_fence(inst: &Inst) -> Strength {
    // What makes barrier objects known to the cluster is one for all that was done before.
    let ordinary = !inst.has(Slot::Action) || inst[Slot::Action] == Word::MbarrierInit;
    let sem = inst[Slot::Sem];
    Strength {
        strong: ordinary,
        acquires: ordinary && sem != Word::Release,
        releases: ordinary && sem != Word::Acquire,
        reach: reach(inst),
    }
}

/// Whose threads the scope reaches; all if none is named.
fn reach(inst: &Inst) -> Reach {
    match inst[Slot::Scope] {
        Word::Cta => Reach::Block,
        Word::Cluster => Reach::Cluster,
        _ => Reach::Device,
    }
}

/// Of a step at the cluster's barrier: arrivals release and waits acquire unless they are relaxed.
pub(super) fn of_gate(inst: &Inst) -> Strength {
    let (waits, relaxed) = (inst[Slot::Action] == Word::Wait, inst[Slot::Sem] == Word::Relaxed);
    Strength { strong: true, acquires: waits, releases: !waits && !relaxed, reach: Reach::Cluster }
}
