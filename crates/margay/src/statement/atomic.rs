//! Statements that change memory in one step: what memory holds before is a value, what it holds after a result.

use margay_isa::{Args, AtomicSpace, Bits, Inst, Meaning, Semantics, Slot, Ty, Word};

/// What a statement changes in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// The type of an element.
    pub element: Ty,
    /// How many elements there are; each is a step of its own.
    pub count: u32,
}

impl Memory {
    /// What an instruction changes, if it changes memory in one step.
    pub fn of(inst: &Inst) -> Option<Memory> {
        let Meaning::Atomic(_) = inst.meaning(Semantics::Manual) else { return None };
        let vector = inst.operands().map(|(template, _)| inst.elements(template)).max();
        let element = inst[Slot::Type].ty()?;
        Some(Memory { element, count: vector.filter(|count| *count > 0).unwrap_or(1) as u32 })
    }

    /// The type of all that is changed, the elements at the lower addresses in the lower bits.
    pub fn ty(self) -> Ty {
        Ty { lanes: self.element.lanes * self.count, ..self.element }
    }

    /// The bits of one element.
    pub fn part(self, bits: Bits, at: u32) -> Bits {
        bits >> self.shift(at) & (Bits::MAX >> (128 - self.element.width()))
    }

    /// Where an element begins.
    pub fn shift(self, at: u32) -> u32 {
        at * self.element.width()
    }

    /// What memory holds after the step: `args` begin with what it holds before; the elements of a vector are together.
    pub fn after(self, inst: &Inst, semantics: Semantics, args: &Args) -> Bits {
        let Meaning::Atomic(changed) = inst.meaning(semantics) else { return args[0] };
        if self.count == 1 {
            return changed(inst, space(inst), args);
        }
        (0..self.count).fold(0, |held, at| {
            let mut one = Args::default();
            (one[0], one[1]) = (self.part(args[0], at), self.part(args[1], at));
            held | changed(inst, space(inst), &one) << self.shift(at)
        })
    }
}

/// Where the step is taken: a generic address stands for one in global memory.
pub(super) fn space(inst: &Inst) -> AtomicSpace {
    match inst[Slot::Space] {
        Word::Shared | Word::SharedCta | Word::SharedCluster => AtomicSpace::Shared,
        _ => AtomicSpace::Global,
    }
}
