//! Which instructions a kernel can reach, and whether margay runs all of them.

use crate::error::{LaunchError, Place};
use margay_front::module::{
    Base, Function, FunctionId, Instruction, InstructionId, Module, Operand, RegisterId, Symbol, VariableId,
    What,
};
use margay_isa::special::SpecialValue;
use margay_isa::{Effect, Inst, Meaning, Semantics};
use std::collections::BTreeSet;

/// The code of a launch that would reach an instruction known by name only.
const NO_PAGE: &str = "P901";
/// The same for an instruction whose words and operands are known.
const NOT_RUN: &str = "P902";

/// For every instruction, whether some path from the function's start leads to it.
pub(crate) fn reachable(function: &Function) -> Vec<bool> {
    let mut reached = vec![false; function.code.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if at >= reached.len() || reached[at] {
            continue;
        }
        reached[at] = true;
        let instruction = &function.code[at];
        if instruction.guard.is_some() || goes_on(&instruction.what) {
            open.push(at + 1);
        }
        each(&instruction.operands, &mut |operand| {
            if let Operand::Label(target) = operand {
                open.push(target.0 as usize);
            }
        });
    }
    reached
}

/// Whether the instruction behind it may be next.
fn goes_on(what: &What) -> bool {
    let What::Page(inst) = what else { return true };
    let ends = [Effect::Branch, Effect::Return, Effect::Exit, Effect::Trap];
    !matches!(inst.meaning(Semantics::Manual), Meaning::Effect(effect) if ends.contains(&effect))
}

/// Visits operands and what they consist of.
fn each<'a>(operands: &'a [Operand], visit: &mut impl FnMut(&'a Operand)) {
    for operand in operands {
        visit(operand);
        match operand {
            Operand::Vector(elements) => each(elements, visit),
            Operand::Pair(first, second) => {
                each(std::slice::from_ref(first), visit);
                each(std::slice::from_ref(second), visit);
            }
            _ => {}
        }
    }
}

/// The variables that reachable instructions name, in the order of their declarations.
pub(crate) fn variables(function: &Function, reached: &[bool]) -> Vec<VariableId> {
    let mut used = BTreeSet::new();
    for (instruction, _) in function.code.iter().zip(reached).filter(|(_, reached)| **reached) {
        each(&instruction.operands, &mut |operand| match operand {
            Operand::Symbol(Symbol::Variable(id), _) => {
                used.insert(*id);
            }
            Operand::Address(address) => {
                if let Base::Variable(id) = address.base {
                    used.insert(id);
                }
            }
            _ => {}
        });
    }
    used.into_iter().collect()
}

/// Visits the registers that an instruction names.
pub(crate) fn registers(instruction: &Instruction, visit: &mut impl FnMut(RegisterId)) {
    if let Some(guard) = instruction.guard {
        visit(guard.register);
    }
    each(&instruction.operands, &mut |operand| match operand {
        Operand::Register(id) => visit(*id),
        Operand::Address(address) => {
            if let Base::Register(id) = address.base {
                visit(id);
            }
        }
        _ => {}
    });
}

/// Refuses a kernel that can reach something that margay does not run, naming every such place.
pub(crate) fn refuse(module: &Module, kernel: FunctionId, reached: &[bool]) -> Result<(), LaunchError> {
    let function = module.function(kernel);
    let places: Vec<Place> = (0..function.code.len())
        .filter(|k| reached[*k])
        .filter_map(|k| {
            let text = objection(&function.code[k])?;
            Some(Place { function: kernel, instruction: InstructionId(k as u32), text })
        })
        .collect();
    if places.is_empty() {
        return Ok(());
    }
    let more = match places.len() {
        1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    let message = format!("kernel `{}` cannot run: {}{more}", function.name, places[0].text);
    let listed = matches!(function.code[places[0].instruction.0 as usize].what, What::Listed(_));
    let code = if listed { NO_PAGE } else { NOT_RUN };
    let error = LaunchError { places, ..LaunchError::new(message).code(code) };
    Err(error.help("it is legal PTX, which margay does not run yet"))
}

/// Why margay does not run an instruction, if it does not.
fn objection(instruction: &Instruction) -> Option<String> {
    let inst: &Inst = match &instruction.what {
        What::Listed(opcode) => return Some(format!("`{}` ({}) is not run yet", opcode.name, opcode.title)),
        What::Page(inst) => inst,
    };
    if let Meaning::NotYet = inst.meaning(Semantics::Manual) {
        return Some(format!("`{inst}` is not run yet"));
    }
    let mut unknown = None;
    each(&instruction.operands, &mut |operand| {
        if let Operand::Special(special) = operand
            && let SpecialValue::Other(name) = special.value
        {
            unknown = Some(format!("`{inst}` reads `{name}`, which has no value here yet"));
        }
    });
    unknown
}
