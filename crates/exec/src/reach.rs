//! Which functions and instructions a kernel can reach, and whether margay runs all of them.

use crate::error::{LaunchError, Place, Refusal};
use margay_front::module::{
    Base, Function, FunctionId, Instruction, InstructionId, Module, Operand, Parameter, RegisterId, Space,
    Symbol, Variable, VariableId,
};
use margay_front::provided::{Provided, provided};
use margay_isa::special::SpecialValue;
use margay_isa::{Effect, Inst, Meaning, Semantics, Slot, Word};
use std::collections::{BTreeMap, BTreeSet};

/// The code of a launch that would reach an instruction that margay does not run.
const NOT_RUN: &str = "P902";
/// The same for a function without a body.
const NO_BODY: &str = "P903";

/// What a kernel can reach.
pub(crate) struct Reached {
    /// The functions, and for each of their instructions whether some path leads to it.
    pub(crate) functions: BTreeMap<FunctionId, Vec<bool>>,
    /// Whether a function can be called again before it has returned.
    pub(crate) recursive: bool,
    /// Whether threads take memory from the device's heap: then the order of blocks shows in addresses.
    pub(crate) takes_memory: bool,
    /// Whether some instruction is for several blocks of a cluster, which the batch engine does not know.
    pub(crate) is_for_several: bool,
    /// Instructions that margay cannot run, and why: those of the kernel first.
    objections: Vec<(&'static str, Place)>,
}

/// Follows a kernel's branches and calls.
pub(crate) fn reach(module: &Module, kernel: FunctionId) -> Reached {
    let mut reached = Reached {
        functions: BTreeMap::new(),
        recursive: false,
        takes_memory: false,
        is_for_several: false,
        objections: Vec::new(),
    };
    let mut calls: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
    let mut pointed = None;
    let mut open = vec![kernel];
    while let Some(id) = open.pop() {
        if reached.functions.contains_key(&id) {
            continue;
        }
        let function = module.function(id);
        let instructions = instructions(function);
        let mut callees = Vec::new();
        for k in (0..function.code.len()).filter(|k| instructions[*k]) {
            let place = |text| Place { function: id, instruction: InstructionId(k as u32), text };
            let instruction = &function.code[k];
            reached.is_for_several |= is_for_several(&instruction.inst);
            if let Some((code, text)) =
                objection(instruction).or_else(|| old_scope(module, function, instruction))
            {
                reached.objections.push((code, place(text)));
            } else if is_call(&instruction.inst) {
                for callee in named(module, instruction) {
                    let function = module.function(callee);
                    if function.is_defined {
                        callees.push(callee);
                        continue;
                    }
                    match provided(function) {
                        Some(Provided::Allocate) => reached.takes_memory = true,
                        Some(_) => {}
                        None => reached.objections.push((NO_BODY, place(no_body(module, callee)))),
                    }
                }
                let pointed = pointed.get_or_insert_with(|| with_address(module));
                callees.extend(fitting(module, function, instruction, pointed));
            }
        }
        open.extend(&callees);
        calls.insert(id, callees);
        reached.functions.insert(id, instructions);
    }
    reached.recursive = has_cycle(calls);
    reached
        .objections
        .sort_by_key(|(_, place)| (place.function != kernel, place.function, place.instruction));
    reached
}

/// Whether it is for pairs of blocks, or makes arrivals in several.
fn is_for_several(inst: &Inst) -> bool {
    inst[Slot::CtaGroup] == Word::CtaGroup2 || inst[Slot::Mode] == Word::Commit && inst.has(Slot::Multicast)
}

fn no_body(module: &Module, callee: FunctionId) -> String {
    format!("function `{}` is declared but not defined", module.function(callee).name)
}

/// Functions taken away once all that they call are gone: what is left calls in circles.
fn has_cycle(calls: BTreeMap<FunctionId, Vec<FunctionId>>) -> bool {
    let mut callers: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
    let mut left: BTreeMap<FunctionId, usize> = BTreeMap::new();
    for (caller, callees) in &calls {
        left.insert(*caller, callees.len());
        callees.iter().for_each(|callee| callers.entry(*callee).or_default().push(*caller));
    }
    let mut leaves: Vec<_> = left.iter().filter(|(_, n)| **n == 0).map(|(id, _)| *id).collect();
    let mut gone = 0;
    while let Some(leaf) = leaves.pop() {
        gone += 1;
        for caller in callers.get(&leaf).into_iter().flatten() {
            if let Some(n) = left.get_mut(caller) {
                *n -= 1;
                if *n == 0 {
                    leaves.push(*caller);
                }
            }
        }
    }
    gone < calls.len()
}

/// For every instruction, whether some path from the function's start leads to it.
fn instructions(function: &Function) -> Vec<bool> {
    let mut reached = vec![false; function.code.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if at >= reached.len() || reached[at] {
            continue;
        }
        reached[at] = true;
        successors(function, at, &mut |next| open.push(next));
    }
    reached
}

/// Visits the instructions that may be next in a thread; the length of the code stands for the function's end.
pub(crate) fn successors(function: &Function, at: usize, visit: &mut impl FnMut(usize)) {
    let instruction = &function.code[at];
    if instruction.guard.is_some() || goes_on(&instruction.inst) {
        visit(at + 1);
    }
    each(&instruction.operands, &mut |operand| {
        if let Operand::Label(target) = operand {
            visit(target.0 as usize);
        }
    });
}

/// The functions that a kernel can reach, itself included, each with whether some path leads to each of its instructions.
pub fn reachable(module: &Module, kernel: FunctionId) -> BTreeMap<FunctionId, Vec<bool>> {
    reach(module, kernel).functions
}

/// Whether all functions and variables that a module's kernels can reach are defined, as those who load it whole want to know before
/// they launch anything.
///
/// ```
/// let text = ".version 8.0\n.target sm_80\n.extern .func f();\n.entry k() { call f; }\n.entry other() { ret; }";
/// let module = margay_front::compile(text).unwrap();
/// let error = margay_exec::resolved(&module).unwrap_err();
/// assert_eq!(error.message, "kernel `k` cannot run: function `f` is declared but not defined");
/// ```
///
/// # Errors
/// With the first kernel that can reach one that is not.
pub fn resolved(module: &Module) -> Result<(), LaunchError> {
    let functions = (0..module.functions().len() as u32).map(FunctionId);
    let lacks = |id| {
        let function = module.function(id);
        !function.is_defined && provided(function).is_none()
    };
    if !functions.clone().any(lacks) && !module.variables().iter().any(is_elsewhere) {
        return Ok(());
    }
    functions.filter(|id| module.function(*id).is_entry).try_for_each(|kernel| {
        let mut reached = reach(module, kernel);
        reached.objections.retain(|(code, _)| *code == NO_BODY);
        reached.refuse(module, kernel)?;
        let mut used =
            reached.functions.iter().flat_map(|(id, taken)| variables(module.function(*id), taken));
        let undefined = used.find(|id| is_elsewhere(module.variable(*id)));
        undefined.map_or(Ok(()), |id| Err(self::undefined(module, id)))
    })
}

/// Whether a variable in global or constant memory is declared here and defined in another module.
fn is_elsewhere(variable: &Variable) -> bool {
    variable.is_extern && matches!(variable.space, Space::Global | Space::Const)
}

/// That a kernel uses a variable without a place.
pub(crate) fn undefined(module: &Module, id: VariableId) -> LaunchError {
    let name = &module.variable(id).name;
    let error = LaunchError::new(format!("variable `{name}` is declared `.extern` but not defined"));
    error
        .kind(Refusal::Kernel)
        .about(id)
        .help("define the variable in the module, or link the module that does")
}

/// What engines do themselves for an instruction, if they do.
fn effect(inst: &Inst) -> Option<Effect> {
    match inst.meaning(Semantics::Manual) {
        Meaning::Effect(effect) => Some(effect),
        _ => None,
    }
}

/// Whether the instruction behind it may be next.
fn goes_on(inst: &Inst) -> bool {
    let ends = [Effect::Branch, Effect::BranchIndexed, Effect::Return, Effect::Exit, Effect::Trap];
    effect(inst).is_none_or(|effect| !ends.contains(&effect))
}

fn is_call(inst: &Inst) -> bool {
    effect(inst) == Some(Effect::Call)
}

/// The function that a name stands for: itself, or the one that it is another name for.
pub(crate) fn resolve(module: &Module, id: FunctionId) -> FunctionId {
    let mut at = id;
    for _ in 0..module.functions().len() {
        match module.function(at).alias {
            Some(next) if !module.function(at).is_defined => at = next,
            _ => break,
        }
    }
    at
}

/// The functions that a call names: the one it calls, or those in its list.
fn named(module: &Module, call: &Instruction) -> Vec<FunctionId> {
    let mut found = Vec::new();
    each(&call.operands, &mut |operand| {
        if let Operand::Symbol(Symbol::Function(id), _) = operand {
            found.push(resolve(module, *id));
        }
    });
    found
}

/// Every defined function whose address the module puts into a register or variable.
fn with_address(module: &Module) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut take = |symbol: Symbol| {
        if let Symbol::Function(id) = symbol {
            let id = resolve(module, id);
            let function = module.function(id);
            if function.is_defined && !function.is_entry {
                found.insert(id);
            }
        }
    };
    module.variables().iter().flat_map(|v| &v.addresses).for_each(|address| take(address.target));
    let instructions = module.functions().iter().flat_map(|f| &f.code);
    for instruction in instructions.filter(|i| !is_call(&i.inst)) {
        each(&instruction.operands, &mut |operand| {
            if let Operand::Symbol(symbol, _) = operand {
                take(*symbol);
            }
        });
    }
    found
}

/// Those of the functions that have the prototype of a call by address.
fn fitting(
    module: &Module,
    caller: &Function,
    call: &Instruction,
    pointed: &BTreeSet<FunctionId>,
) -> Vec<FunctionId> {
    let prototype = call.operands.iter().find_map(|operand| match operand {
        Operand::Prototype(place) => caller.prototypes.get(*place as usize),
        _ => None,
    });
    let Some(prototype) = prototype else { return Vec::new() };
    let fits = |id: &&FunctionId| {
        let function = module.function(**id);
        same(&prototype.parameters, &function.parameters) && same(&prototype.returns, &function.returns)
    };
    pointed.iter().filter(fits).copied().collect()
}

/// Whether two lists of parameters have the same sizes; an open array fits any.
fn same(a: &[Parameter], b: &[Parameter]) -> bool {
    let fits = |(a, b): (&Parameter, &Parameter)| a.size == b.size || a.size == 0 || b.size == 0;
    a.len() == b.len() && a.iter().zip(b).all(fits)
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

/// The instructions of a function that can be reached.
pub(crate) fn taken<'f>(
    function: &'f Function,
    reached: &'f [bool],
) -> impl Iterator<Item = &'f Instruction> {
    function.code.iter().zip(reached).filter(|(_, reached)| **reached).map(|(instruction, _)| instruction)
}

/// The variables that reachable instructions name, in the order of their declarations.
pub(crate) fn variables(function: &Function, reached: &[bool]) -> Vec<VariableId> {
    let used: BTreeSet<_> = taken(function, reached).flat_map(variables_of).collect();
    used.into_iter().collect()
}

/// The variables that an instruction names.
fn variables_of(instruction: &Instruction) -> Vec<VariableId> {
    let mut used = Vec::new();
    each(&instruction.operands, &mut |operand| match operand {
        Operand::Symbol(Symbol::Variable(id), _) => used.push(*id),
        Operand::Address(address) => {
            if let Base::Variable(id) = address.base {
                used.push(id);
            }
        }
        _ => {}
    });
    used
}

impl Reached {
    /// Whether an instruction reads where the system's own shared memory lies.
    pub(crate) fn reads_reserved(&self, module: &Module) -> bool {
        let mut found = false;
        for (id, reached) in &self.functions {
            for instruction in taken(module.function(*id), reached) {
                each(&instruction.operands, &mut |operand| {
                    if let Operand::Special(special) = operand {
                        found |= special.value.is_reserved_shared();
                    }
                });
            }
        }
        found
    }

    /// Refuses a kernel that can reach something that margay does not run, naming every such place.
    pub(crate) fn refuse(&self, module: &Module, kernel: FunctionId) -> Result<(), LaunchError> {
        let Some((code, first)) = self.objections.first() else { return Ok(()) };
        let more = match self.objections.len() {
            1 => String::new(),
            n => format!(" (and {} more)", n - 1),
        };
        let name = &module.function(kernel).name;
        let message = format!("kernel `{name}` cannot run: {}{more}", first.text);
        let places = self.objections.iter().map(|(_, place)| place.clone()).collect();
        let error = LaunchError { places, ..LaunchError::new(message).code(code).kind(Refusal::Kernel) };
        Err(error.help(match *code {
            NO_BODY => "define the function in the module, or link the module that does",
            _ => "it is legal PTX, which margay does not run yet",
        }))
    }
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

/// Registers and local memory of module scope are the thread's, and would have to outlive the functions that it calls; a kernel
/// is called by nobody, and has them for itself.
fn old_scope(
    module: &Module,
    function: &Function,
    instruction: &Instruction,
) -> Option<(&'static str, String)> {
    if function.is_entry {
        return None;
    }
    let mut named = None;
    registers(instruction, &mut |id| {
        let register = &function.registers[id.0 as usize];
        named = named.or(register.shared.then_some(register.name.as_str()));
    });
    for id in variables_of(instruction) {
        let variable = module.variable(id);
        let local = variable.space == Space::Local && variable.owner.is_none();
        named = named.or(local.then_some(variable.name.as_str()));
    }
    let name = named?;
    Some((NOT_RUN, format!("`{name}` of module scope in a function that is called is not run yet")))
}

/// Why margay does not run an instruction, if it does not.
fn objection(instruction: &Instruction) -> Option<(&'static str, String)> {
    let inst = &*instruction.inst;
    if let Meaning::NotYet = inst.meaning(Semantics::Manual) {
        return Some((NOT_RUN, format!("`{inst}` is not run yet")));
    }
    let mut unknown = None;
    each(&instruction.operands, &mut |operand| {
        if let Operand::Special(special) = operand
            && let SpecialValue::Other(name) = special.value
        {
            unknown = Some((NOT_RUN, format!("`{inst}` reads `{name}`, which has no value here yet")));
        }
    });
    unknown
}
