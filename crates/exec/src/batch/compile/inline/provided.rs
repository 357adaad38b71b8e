//! Calls of functions that the device's runtime provides, where an instruction does the same.

use crate::batch::compile::inline::{Behind, Inliner, pass};
use crate::batch::compile::liveness;
use crate::batch::origins::Origin;
use crate::code::{Action, Call, Compute, Function, Guard, Op, Source, Spot, Target};
use margay_front::provided::Provided;
use margay_isa::{Inst, Meaning, Semantics, dot_of_bytes, dot_of_halves};

/// Bits and bytes of what such functions take and give.
const BITS: u32 = 32;
const BYTES: u64 = 4;
const MASK: u64 = 0xffff_ffff;

/// The instruction that computes what a function gives.
fn instruction(provided: Provided) -> Option<Inst> {
    match provided {
        Provided::DotBytes(a, b) => dot_of_bytes([a, b]),
        Provided::DotHalves(high, a, b) => dot_of_halves(high, [a, b]),
        Provided::Allocate | Provided::Free | Provided::Print | Provided::AssertFail => None,
    }
}

impl Inliner<'_> {
    /// Makes a call copies of its arguments, an instruction, and a copy of its result. `false` if there is no such instruction.
    pub(super) fn provided(
        &mut self,
        own: Origin,
        guard: Option<Guard>,
        call: &Call,
        provided: Provided,
        behind: &mut Behind,
    ) -> bool {
        if provided == Provided::Print {
            return self.print(own, guard, call, behind);
        }
        let Some(inst) = instruction(provided) else { return false };
        let Meaning::Stages(meaning) = inst.page().meaning else { return false };
        let ([_, _, _], [result]) = (&call.arguments[..], &call.results[..]) else { return false };
        let slots = [(); 4].map(|()| self.scratch(BITS));
        let spots = slots.map(|slot| spot(slot, BYTES));
        let [wanted @ .., given] = &spots;
        let passes = call.arguments.iter().zip(wanted).all(|(from, to)| pass::fits(from, to));
        if !passes || !pass::fits(given, result) {
            return false;
        }
        self.skip(own, guard, behind);
        self.needs(guard, None);
        let from = self.ops.len();
        let origin = Origin { counts: false, paid: guard.is_some(), ..own };
        self.copy(&call.arguments, wanted, origin);
        let [a, b, c, d] = slots;
        let compute = Compute {
            inst,
            function: Function::Stages(meaning),
            semantics: Some(Semantics::Manual),
            sources: [a, b, c].map(|slot| Source::Register { slot, mask: MASK }).into(),
            targets: vec![Target::Register { slot: d, spread: 0, mask: MASK }],
            source_bits: vec![BITS; 3],
            target_bits: vec![BITS],
        };
        self.push(Op { guard: None, action: Action::Compute(Box::new(compute)) }, origin);
        self.copy(std::slice::from_ref(given), &call.results, origin);
        self.count(from, origin);
        true
    }

    /// Makes a call that prints one that takes and gives registers, with copies before and after it. `false` if that cannot be.
    fn print(&mut self, own: Origin, guard: Option<Guard>, call: &Call, behind: &mut Behind) -> bool {
        let wanted = [(); 2].map(|()| spot(self.scratch(2 * BITS), 2 * BYTES));
        let given = [spot(self.scratch(BITS), BYTES)];
        let fits = |from: &[Spot], to: &[Spot]| from.iter().zip(to).all(|(from, to)| pass::fits(from, to));
        let counts = (call.arguments.len(), call.results.len());
        if !matches!(counts, (2, 0 | 1)) || !fits(&call.arguments, &wanted) || !fits(&given, &call.results) {
            return false;
        }
        self.skip(own, guard, behind);
        self.needs(guard, None);
        let from = self.ops.len();
        let origin = Origin { counts: false, paid: guard.is_some(), ..own };
        self.copy(&call.arguments, &wanted, origin);
        // Whoever makes the call in its place finds out again whether a guard holds, and what is passed.
        let mut again: Vec<u32> = guard.iter().map(|guard| guard.slot).collect();
        let sources = call.arguments.iter().filter_map(Spot::source);
        sources.for_each(|source| liveness::source(source, &mut |slot| again.push(slot)));
        self.also_read.insert(self.ops.len() as u32, again);
        let printing =
            Call { callee: call.callee.clone(), arguments: wanted.to_vec(), results: given.to_vec() };
        self.push(Op { guard: None, action: Action::Call(Box::new(printing)) }, origin);
        self.copy(&given, &call.results, origin);
        self.count(from, origin);
        true
    }
}

/// A slot as what is passed, so many bytes.
fn spot(slot: u32, bytes: u64) -> Spot {
    let mask = u64::MAX >> (64 - 8 * bytes);
    Spot::Value {
        source: Source::Register { slot, mask },
        target: Target::Register { slot, spread: 0, mask },
        bytes,
    }
}
