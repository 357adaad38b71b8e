//! Which reads of the carry flag find a carry where they take a borrow, or a borrow where they take a carry.
//!
//! Over the control flow of one function, in order: which addition with carry and which subtraction may have written the
//! flag last, for every instruction. A guarded write leaves what was there before it possible, too. Calls leave the flag as
//! it is: each function has one of its own (manual, 9.7.2).

use crate::reach::successors;
use margay_front::module::{Function, Instruction, InstructionId};

/// A read of the carry flag that may find what the other kind of instruction has kept there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MixedCarry {
    /// The instruction that reads the flag.
    pub read: InstructionId,
    /// One of those that may have written it: a subtraction if an addition reads it, and the other way round.
    pub written: InstructionId,
}

/// For additions, then for subtractions: one that may have written the flag last. Which of several does not matter, so a
/// state changes twice at most.
type Writers = [Option<u32>; 2];

/// The reads of a function that mix carries and borrows, in the order of the text. What no path leads to reads nothing.
///
/// ```
/// let text = ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %a;
///     add.cc.u32 %a, 1, 2; addc.u32 %a, 0, 0; sub.cc.u32 %a, 1, 2; addc.u32 %a, 0, 0; ret; }";
/// let module = margay_front::compile(text).unwrap();
/// let kernel = module.function(module.entry("k").unwrap());
/// let mixed = margay_exec::mixed_carries(kernel);
/// assert_eq!(mixed.iter().map(|m| (m.read.0, m.written.0)).collect::<Vec<_>>(), [(3, 2)]);
/// ```
pub fn mixed_carries(function: &Function) -> Vec<MixedCarry> {
    let writes = |borrows| {
        let writes = |i: &Instruction| i.inst.writes_carry() && i.inst.borrows() == borrows;
        function.code.iter().any(writes)
    };
    let reads = |borrows| {
        let reads = |i: &Instruction| i.inst.reads_carry() && i.inst.borrows() == borrows;
        function.code.iter().any(reads)
    };
    if !(writes(false) && reads(true) || writes(true) && reads(false)) {
        return Vec::new();
    }
    let found = before(function);
    let mixed = function.code.iter().zip(found).enumerate().filter_map(|(k, (instruction, writers))| {
        let inst = Some(&instruction.inst).filter(|inst| inst.reads_carry())?;
        let written = InstructionId(writers?[usize::from(!inst.borrows())]?);
        Some(MixedCarry { read: InstructionId(k as u32), written })
    });
    mixed.collect()
}

/// Who may have written the flag last, for every instruction; nothing for those that no path leads to.
fn before(function: &Function) -> Vec<Option<Writers>> {
    let mut before: Vec<Option<Writers>> = vec![None; function.code.len()];
    let mut open = vec![(0, [None; 2])];
    while let Some((at, coming)) = open.pop() {
        let Some(known) = before.get_mut(at) else { continue };
        let joined = known.map_or(coming, |known| [0, 1].map(|k| known[k].or(coming[k])));
        if *known == Some(joined) {
            continue;
        }
        *known = Some(joined);
        let behind = after(&function.code[at], at as u32, joined);
        successors(function, at, &mut |next| open.push((next, behind)));
    }
    before
}

fn after(instruction: &Instruction, at: u32, before: Writers) -> Writers {
    let inst = &instruction.inst;
    if !inst.writes_carry() {
        return before;
    }
    let mut after = if instruction.guard.is_some() { before } else { [None; 2] };
    after[usize::from(inst.borrows())] = Some(at);
    after
}

#[cfg(test)]
mod tests {
    use super::mixed_carries;

    /// The reads at fault and who wrote, by their place in the kernel.
    fn mixed(code: &str) -> Vec<(u32, u32)> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.func f() {{ ret; }}\n\
             .entry k() {{ .reg .u32 %a; .reg .pred %p; {code} ret; }}"
        );
        let module = margay_front::compile(&text).unwrap_or_else(|e| panic!("{code}: {e:?}"));
        let kernel = module.function(module.entry("k").unwrap());
        mixed_carries(kernel).iter().map(|m| (m.read.0, m.written.0)).collect()
    }

    const ADD: &str = "add.cc.u32 %a, %a, 1;";
    const ADDC: &str = "addc.u32 %a, %a, 1;";
    const SUB: &str = "sub.cc.u32 %a, %a, 1;";
    const SUBC: &str = "subc.u32 %a, %a, 1;";

    #[test]
    fn a_flag_of_the_other_kind_is_found() {
        assert_eq!(mixed(&[ADD, SUBC].concat()), [(1, 0)]);
        assert_eq!(mixed(&[SUB, ADDC].concat()), [(1, 0)]);
        assert_eq!(mixed(&[SUB, "madc.lo.u32 %a, %a, %a, %a;"].concat()), [(1, 0)]);
        assert_eq!(mixed(&["mad.lo.cc.u32 %a, %a, %a, 0;", SUBC].concat()), [(1, 0)]);
        assert_eq!(mixed(&[ADD, "subc.cc.u32 %a, %a, 1;", ADDC].concat()), [(1, 0), (2, 1)]);
        assert_eq!(mixed(&[ADD, "call f;", SUBC].concat()), [(2, 0)]);
    }

    #[test]
    fn who_keeps_to_one_kind_at_a_time_is_not_told_of() {
        assert_eq!(mixed(&[ADD, ADDC, SUB, SUBC].concat()), []);
        assert_eq!(mixed(&[SUBC, ADDC].concat()), []);
        assert_eq!(mixed(&[SUB, ADD, ADDC].concat()), []);
        // What no path leads to.
        assert_eq!(mixed(&[SUB, "ret;", ADDC].concat()), []);
    }

    #[test]
    fn all_paths_count() {
        let guarded = "@%p sub.cc.u32 %a, %a, 1;";
        assert_eq!(mixed(&[ADD, guarded, ADDC].concat()), [(2, 1)]);
        assert_eq!(mixed(&[ADD, guarded, SUBC].concat()), [(2, 0)]);
        assert_eq!(mixed(&[ADD, "@%p bra L;", SUB, SUBC, "L:", ADDC].concat()), [(4, 2)]);
        assert_eq!(mixed(&[ADD, "@%p bra L;", SUB, SUBC, "bra E; L:", ADDC, "E:"].concat()), []);
        // Round a loop.
        assert_eq!(mixed(&[ADD, "L:", ADDC, SUB, "@%p bra L;"].concat()), [(1, 2)]);
    }
}
