//! What an instruction does with registers.

use crate::module::{Base, Instruction, Operand, RegisterId};
use margay_isa::{Inst, Role};

/// What an instruction does with a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Read,
    Write,
    /// Its page does not say.
    Unknown,
}

/// Visits the registers of an instruction, the guard first. A register may be read and written.
pub(crate) fn each(instruction: &Instruction, visit: &mut impl FnMut(Use, RegisterId)) {
    if let Some(guard) = instruction.guard {
        visit(Use::Read, guard.register);
    }
    let inst = &*instruction.inst;
    for (template, operand) in inst.line().operands.iter().zip(&instruction.operands) {
        match (operand, template.second) {
            (Operand::Pair(first, second), Some((name, _))) => {
                within(first, role(inst, template.name), visit);
                within(second, role(inst, name), visit);
            }
            _ => within(operand, role(inst, template.name), visit),
        }
    }
}

fn role(inst: &Inst, name: &str) -> Use {
    match inst.page().operand(name).map(|entry| entry.role) {
        Some(Role::Source) => Use::Read,
        Some(Role::Destination) => Use::Write,
        None => Use::Unknown,
    }
}

fn within(operand: &Operand, role: Use, visit: &mut impl FnMut(Use, RegisterId)) {
    match operand {
        Operand::Register(id) => visit(role, *id),
        Operand::Vector(items) => items.iter().for_each(|item| within(item, role, visit)),
        Operand::Pair(first, second) => {
            within(first, role, visit);
            within(second, role, visit);
        }
        // What lies at an address is read or written; the address itself is read.
        Operand::Address(address) => {
            if let Base::Register(id) = address.base {
                visit(Use::Read, id);
            }
        }
        Operand::Immediate(_)
        | Operand::Special(_)
        | Operand::Symbol(..)
        | Operand::Label(_)
        | Operand::Prototype(_)
        | Operand::Sink => {}
    }
}
