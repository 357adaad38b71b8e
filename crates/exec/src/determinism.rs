//! Whether the order in which blocks run can show in what a kernel leaves behind.
//!
//! It can where a block learns what another has done: by the old value of an atomic operation, or by a load that is more
//! than weak. It can too where atomic operations of different kinds meet: their order shows in memory.

use crate::reach::{self, Reached};
use margay_front::module::{Function, Instruction, Module, Operand};
use margay_isa::texture::TextureOp;
use margay_isa::{Inst, Meaning, Semantics, Slot, Word};

/// Whether the order can show in what a kernel leaves, also by the addresses that it gets from the device's heap.
pub(crate) fn shows_in(module: &Module, reached: &Reached) -> bool {
    reached.takes_memory || shows(module, reached)
}

/// Whether the order can show. Said by what instructions could do; whether they meet on one address is not known.
fn shows(module: &Module, reached: &Reached) -> bool {
    let mut kind: Option<(Word, Word)> = None;
    let functions = reached.functions.iter().map(|(id, instructions)| (module.function(*id), instructions));
    for (function, instructions) in functions {
        let uses = uses(function, instructions);
        for instruction in reach::taken(function, instructions) {
            let inst = &*instruction.inst;
            if is_private(inst) {
                continue;
            }
            if !is_one_step(inst) {
                if looks_beyond(inst) {
                    return true;
                }
                continue;
            }
            let this = (inst[Slot::Op2], inst[Slot::Type]);
            let other = kind.is_some_and(|kind| kind != this);
            if other || !commutes(inst) || keeps_old(instruction, &uses) {
                return true;
            }
            kind = Some(this);
        }
    }
    false
}

/// Whether an instruction changes memory in one step.
fn is_one_step(inst: &Inst) -> bool {
    match inst.meaning(Semantics::Manual) {
        Meaning::Atomic(_) => true,
        Meaning::Texture(op) => matches!(op(inst), TextureOp::Change(..)),
        _ => false,
    }
}

/// Whether blocks may run on several workers where their order shows: an access of 128 bits in one step is one only as
/// long as one worker runs all blocks.
pub(crate) fn may_be_given_up(module: &Module, reached: &Reached) -> bool {
    let mut functions = reached.functions.iter().map(|(id, taken)| (module.function(*id), taken));
    functions.all(|(function, taken)| {
        reach::taken(function, taken).all(|Instruction { inst, .. }| is_private(inst) || !is_wide_step(inst))
    })
}

fn is_wide_step(inst: &Inst) -> bool {
    let weak = matches!(inst[Slot::Sem], Word::Absent | Word::Weak);
    let atomic = matches!(inst.meaning(Semantics::Manual), Meaning::Atomic(_));
    inst[Slot::Type].ty().is_some_and(|ty| ty.width() > 64) && (atomic || !weak)
}

/// How often reachable instructions name each register.
fn uses(function: &Function, reached: &[bool]) -> Vec<u32> {
    let mut uses = vec![0; function.registers.len()];
    let passed = function.parameters.iter().chain(&function.returns).filter_map(|p| p.register);
    passed.for_each(|id| uses[id.0 as usize] += 1);
    for instruction in reach::taken(function, reached) {
        reach::registers(instruction, &mut |id| uses[id.0 as usize] += 1);
    }
    uses
}

/// Whether an access is to memory that no other block sees.
fn is_private(inst: &Inst) -> bool {
    matches!(
        inst[Slot::Space],
        Word::Shared
            | Word::SharedCta
            | Word::SharedCluster
            | Word::Local
            | Word::Param
            | Word::ParamEntry
            | Word::ParamFunc
            | Word::Const
    )
}

/// Whether a load may see what another block writes meanwhile.
fn looks_beyond(inst: &Inst) -> bool {
    let reads = matches!(inst.meaning(Semantics::Manual), Meaning::Effect(margay_isa::Effect::Load));
    let ordered = matches!(inst[Slot::Sem], Word::Volatile | Word::Relaxed | Word::Acquire);
    reads && (ordered || inst[Slot::Cache] == Word::Cv || inst[Slot::Action] == Word::Mmio)
}

/// Whether an atomic operation gives the same memory in any order of its executions, in one step of the host. Sums of
/// floating-point numbers are rounded each time, so they do not.
fn commutes(inst: &Inst) -> bool {
    // Of what kind elements of tensors are is known when the kernel runs.
    let Some(ty) = inst[Slot::Type].ty() else { return false };
    let always = match inst[Slot::Op2] {
        Word::Add => ty.is_integer(),
        Word::And | Word::Or | Word::Xor | Word::Min | Word::Max => true,
        _ => false,
    };
    always && ty.width() <= 64
}

/// Whether the old value goes to a register that anything else names.
fn keeps_old(instruction: &Instruction, uses: &[u32]) -> bool {
    let kept = |operand: &Operand| matches!(operand, Operand::Register(id) if uses[id.0 as usize] > 1);
    match instruction.operands.first() {
        Some(Operand::Vector(elements)) => elements.iter().any(kept),
        Some(operand) => kept(operand),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows_with(steps: &str) -> bool {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 s) {{\n\
             .reg .b64 %s; .reg .b32 %x; ld.param.u64 %s, [s]; mov.u32 %x, %ctaid.x;\n{steps}\nret;\n}}\n"
        );
        let module = margay_front::compile(&text).unwrap_or_else(|errors| panic!("{:?}", errors[0]));
        shows(&module, &reach::reach(&module, module.entry("k").expect("a kernel")))
    }

    #[test]
    fn steps_on_surfaces_of_different_kinds_show_their_order() {
        let [add, min] =
            ["add.2d.u32", "min.2d.u32"].map(|kind| format!("sured.b.{kind}.trap [%s, {{0, 0}}], %x;"));
        assert!(!shows_with(&add) && !shows_with(&format!("{add}\n{add}")) && !shows_with(&min));
        assert!(shows_with(&format!("{add}\n{min}")));
        assert!(shows_with("sured.b.exch.2d.u32.trap [%s, {0, 0}], %x;"));
        // Beside an atomic operation of another kind, too.
        assert!(shows_with(&format!("{add}\nred.global.max.u32 [%s], %x;")));
        assert!(!shows_with("suld.b.2d.b32.trap %x, [%s, {0, 0}];\nsust.b.2d.b32.trap [%s, {0, 0}], %x;"));
    }
}
