//! From a module's function to the form that the golden engine runs.

mod bulk;
mod call;
mod fuse;
mod memory;
mod memory_order;
mod object;
mod tensor;
mod tensor_memory;
mod texture;
mod warpgroup;

use crate::code::{
    Action, Atomic, AtomicFunction, Barrier, Code, Compute, Deed, Function, GateStep, Guard, MAX_RESULTS,
    Members, Op, Purpose, Reduce, Reduction, Source, Target, Together, Transfer,
};
use crate::error::{LaunchError, Place, Refusal};
use crate::frame::Frame;
use crate::memory::Layout;
use crate::prepared::shape::Shape;
use crate::reach;
use foldhash::HashMap;
use margay_front::module::{
    self, Base, FunctionId, Instruction, InstructionId, Module, Operand, RegisterId, Space, Symbol,
};
use margay_isa as isa;
use margay_isa::{Bits, Effect, Inst, MAX_SOURCES, Meaning, Role, Semantics, Slot, Ty, Word, is_aligned};
use std::sync::Arc;

/// Decodes the reachable instructions of a function; what cannot be reached becomes nothing, and registers that no
/// reachable instruction names take no room.
pub(crate) fn decode(
    module: &Module,
    id: FunctionId,
    reached: &[bool],
    frame: &Frame,
    layout: &Layout,
    shape: &Shape,
) -> Result<Code, LaunchError> {
    let function = module.function(id);
    let (slots, carry) = slots(function, reached);
    let Shape { semantics, device, contract, .. } = *shape;
    let decoder = Decoder { module, function, frame, layout, semantics, device, slots, carry };
    let mut ops = Vec::with_capacity(function.code.len() + 1);
    for (k, instruction) in function.code.iter().enumerate() {
        let op = if reached[k] { decoder.instruction(instruction) } else { Ok(Op::of(Action::Nothing)) };
        ops.push(op.map_err(|text| {
            let instruction = InstructionId(k as u32);
            let error = LaunchError::new(format!("`{}` cannot run: {text}", function.name));
            error.kind(Refusal::Kernel).place(Place { function: id, instruction, text })
        })?);
    }
    ops.push(Op::of(Action::Return));
    let (parameters, returns) = match function.is_entry {
        true => (Vec::new(), Vec::new()),
        false => (decoder.declared(&function.parameters), decoder.declared(&function.returns)),
    };
    let carries = reach::taken(function, reached)
        .any(|Instruction { inst, .. }| inst.reads_carry() || inst.writes_carry());
    let slots = carry as usize + usize::from(carries);
    let widths = widths(function, &decoder.slots, slots);
    let mut code = Code {
        ops,
        slots,
        widths,
        parameters,
        returns,
        sides: Vec::new(),
        also_read: HashMap::default(),
        kept: Vec::new(),
    };
    if contract {
        decoder.fuse(&mut code);
    }
    Ok(code)
}

impl Op {
    fn of(action: Action) -> Op {
        Op { guard: None, action }
    }
}

/// The first slot of every register that reachable instructions or the function's head name, and that of the carry flag
/// behind them.
fn slots(function: &module::Function, reached: &[bool]) -> (Vec<u32>, u32) {
    const UNUSED: u32 = u32::MAX;
    let mut slots = vec![UNUSED; function.registers.len()];
    let mut next = 0;
    let mut add = |id: RegisterId| {
        let slot = &mut slots[id.0 as usize];
        if *slot == UNUSED {
            *slot = next;
            next += if function.registers[id.0 as usize].ty.width() > 64 { 2 } else { 1 };
        }
    };
    let passed = function.parameters.iter().chain(&function.returns);
    passed.filter_map(|p| p.register).for_each(&mut add);
    for (instruction, _) in function.code.iter().zip(reached).filter(|(_, reached)| **reached) {
        reach::registers(instruction, &mut add);
    }
    (slots, next)
}

/// What each slot is called: the name of its register, of which it may be half.
pub(crate) fn names(function: &module::Function, reached: &[bool], code: &Code) -> Vec<String> {
    let mut names = vec!["CC.CF".to_string(); code.slots];
    let (slots, _) = slots(function, reached);
    for (register, slot) in function.registers.iter().zip(slots.into_iter().map(|slot| slot as usize)) {
        if slot < names.len() {
            names[slot] = register.name.clone();
            if register.ty.width() > 64 {
                names[slot] = format!("{}.low", register.name);
                names[slot + 1] = format!("{}.high", register.name);
            }
        }
    }
    let first = code.slots - code.kept.len();
    for (k, id) in code.kept.iter().enumerate() {
        names[first + k] = format!("{} before", function.registers[id.0 as usize].name);
    }
    names
}

/// How many bits of each slot are used: a register of 128 bits has two slots, the carry flag has one bit.
fn widths(function: &module::Function, slots: &[u32], count: usize) -> Vec<u32> {
    let mut widths = vec![1; count];
    for (register, slot) in function.registers.iter().zip(slots) {
        let (width, slot) = (register.ty.width(), *slot as usize);
        if slot < count {
            widths[slot] = width.min(64);
            if width > 64 {
                widths[slot + 1] = width - 64;
            }
        }
    }
    widths
}

/// The low `width` bits.
fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// What an instruction reads and writes.
struct Values {
    sources: Vec<Source>,
    targets: Vec<Target>,
    source_bits: Vec<u32>,
    target_bits: Vec<u32>,
    /// Which source is the mask of the lanes that take part.
    members: Option<usize>,
}

struct Decoder<'a> {
    module: &'a Module,
    function: &'a module::Function,
    frame: &'a Frame,
    layout: &'a Layout,
    semantics: Semantics,
    device: isa::Target,
    slots: Vec<u32>,
    /// The slot of the carry flag.
    carry: u32,
}

impl Decoder<'_> {
    fn instruction(&self, instruction: &Instruction) -> Result<Op, String> {
        let inst = &*instruction.inst;
        let guard = instruction
            .guard
            .map(|g| Guard { slot: self.slots[g.register.0 as usize], runs_if: u64::from(!g.negated) });
        let operands = &instruction.operands;
        let literals = operands.iter().skip(1).all(|operand| matches!(operand, Operand::Immediate(_)));
        let semantics = inst.semantics_in_code(self.semantics, literals);
        let compute = |function| self.compute(inst, operands, function, semantics);
        let action = match inst.meaning(semantics) {
            Meaning::Spec(f) => compute(Function::One(f))?,
            Meaning::Stages(f) => compute(Function::Stages(f))?,
            Meaning::Many(f) => compute(Function::Many(f))?,
            Meaning::Atomic(f) if inst.has(Slot::Dim) => self.copy_tensor(inst, operands, Some(f))?,
            Meaning::Atomic(f) if inst.has(Slot::Bulk) => self.bulk(inst, operands, Some(f))?,
            Meaning::Atomic(f) => self.atomic(inst, operands, f)?,
            Meaning::Together(f) => self.together(inst, operands, Deed::ByLane(f))?,
            Meaning::Fragments(f) => self.together(inst, operands, Deed::Whole(f(inst, self.device)))?,
            Meaning::Tiles(f) => self.together(inst, operands, Deed::Tiles(Arc::new(f(inst))))?,
            Meaning::Warpgroup(f) => self.warpgroup(inst, operands, f(inst, self.device))?,
            Meaning::TensorMemory(f) => self.tensor_memory(inst, operands, f(inst, self.device))?,
            Meaning::Texture(f) => self.texture(inst, operands, f(inst))?,
            Meaning::NotYet => return Err(format!("`{inst}` is not run yet")),
            Meaning::Effect(effect) => self.effect(inst, operands, effect)?,
        };
        Ok(Op { guard, action })
    }

    fn effect(&self, inst: &Inst, operands: &[Operand], effect: Effect) -> Result<Action, String> {
        Ok(match effect {
            Effect::Load => {
                let [to, from, ..] = operands else { return Err(shape(inst)) };
                Action::Load(Box::new(self.transfer(inst, from, to, |element, ty| self.target(element, ty))?))
            }
            Effect::Store => {
                let [to, from, ..] = operands else { return Err(shape(inst)) };
                if matches!(from, Operand::Vector(elements) if elements.contains(&Operand::Sink)) {
                    let element = |element: &Operand, ty| match element {
                        Operand::Sink => Ok(None),
                        given => self.source(given, ty).map(Some),
                    };
                    return Ok(Action::StoreSome(Box::new(self.transfer(inst, to, from, element)?)));
                }
                Action::Store(Box::new(
                    self.transfer(inst, to, from, |element, ty| self.source(element, ty))?,
                ))
            }
            Effect::Branch => match operands {
                [Operand::Label(target), ..] => Action::Branch(target.0),
                _ => return Err(shape(inst)),
            },
            Effect::BranchIndexed => self.branch_indexed(inst, operands)?,
            Effect::Call => self.call(inst, operands)?,
            Effect::ConvertAddress => self.convert_address(inst, operands)?,
            Effect::TestSpace => self.test_space(inst, operands)?,
            Effect::BarrierCluster => {
                let waits = inst[Slot::Action] == Word::Wait;
                Action::Gate(GateStep { waits, strength: memory_order::of_gate(inst) })
            }
            Effect::MapToCta | Effect::TellCta => self.cta_address(inst, operands, effect)?,
            Effect::CopyAsync => self.copy(inst, operands)?,
            Effect::CopyTensor => self.copy_tensor(inst, operands, None)?,
            Effect::ReplaceInTensorMap => self.replace_in_map(inst, operands)?,
            Effect::CopyTensorMap => self.copy_map(inst, operands)?,
            Effect::CommitToObject => self.commit_to_object(inst, operands)?,
            Effect::CopyBulk => self.bulk(inst, operands, None)?,
            Effect::GroupProducts => self.group_products(inst, operands)?,
            Effect::SaveStack | Effect::RestoreStack | Effect::Allocate => {
                self.stack(inst, operands, effect)?
            }
            Effect::Barrier => self.barrier(inst, operands)?,
            Effect::Return => Action::Return,
            Effect::Exit => Action::Exit,
            Effect::Trap => Action::Trap(inst.opcode()),
            Effect::BarrierObject => self.object(inst, operands)?,
            Effect::MakePolicy => self.policy(inst, operands)?,
            Effect::Fence => Action::Fence(memory_order::of_fence(inst)),
            Effect::Nothing => Action::Nothing,
        })
    }

    fn compute(
        &self,
        inst: &Inst,
        operands: &[Operand],
        function: Function,
        semantics: Semantics,
    ) -> Result<Action, String> {
        let Values { sources, targets, source_bits, target_bits, .. } = self.values(inst, operands)?;
        let inst = *inst;
        Ok(Action::Compute(Box::new(Compute {
            inst,
            function,
            semantics: Some(semantics),
            sources,
            targets,
            source_bits,
            target_bits,
        })))
    }

    fn atomic(&self, inst: &Inst, operands: &[Operand], function: AtomicFunction) -> Result<Action, String> {
        let Values { sources, targets, .. } = self.values(inst, operands)?;
        let mut behind = operands.iter().skip_while(|o| !matches!(o, Operand::Address(_)));
        let (Some(place), Some(given)) = (behind.next(), behind.next()) else { return Err(shape(inst)) };
        let place = self.transfer(inst, place, given, |_, _| Ok(()))?;
        Ok(Action::Atomic(Box::new(Atomic { inst: *inst, function, place, sources, targets })))
    }

    fn together(&self, inst: &Inst, operands: &[Operand], deed: Deed) -> Result<Action, String> {
        let values =
            if let Deed::ByLane(_) = deed { self.values(inst, operands) } else { self.all(inst, operands) };
        let Values { sources, targets, members, .. } = values?;
        let members = match (&deed, members) {
            (
                Deed::Whole(_)
                | Deed::Tiles(_)
                | Deed::Warpgroup(_)
                | Deed::Factors(_)
                | Deed::TensorMemory(_),
                _,
            ) => Members::All,
            (Deed::ByLane(_), Some(named)) => Members::Named(named),
            (Deed::ByLane(_), None) => Members::Any,
        };
        let place = match deed {
            Deed::Tiles(_) => {
                let place = operands.iter().find(|o| matches!(o, Operand::Address(_)));
                let place = place.ok_or_else(|| shape(inst))?;
                Some(self.place(inst, place, self.space(inst)?, 1, Vec::new())?)
            }
            Deed::ByLane(_)
            | Deed::Whole(_)
            | Deed::Warpgroup(_)
            | Deed::Factors(_)
            | Deed::TensorMemory(_) => None,
        };
        Ok(Action::Collective(Box::new(Together { inst: *inst, deed, sources, targets, members, place })))
    }

    /// What an instruction reads and writes that lanes carry out by themselves.
    fn values(&self, inst: &Inst, operands: &[Operand]) -> Result<Values, String> {
        let values = self.all(inst, operands)?;
        let fits = values.sources.len() <= MAX_SOURCES && values.targets.len() <= MAX_RESULTS;
        if fits { Ok(values) } else { Err(shape(inst)) }
    }

    /// What an instruction reads and writes, addresses left out, the carry flag last.
    fn all(&self, inst: &Inst, operands: &[Operand]) -> Result<Values, String> {
        let mut values = Values {
            sources: Vec::new(),
            targets: Vec::new(),
            source_bits: Vec::new(),
            target_bits: Vec::new(),
            members: None,
        };
        for (template, operand) in inst.line().operands.iter().zip(operands).filter(|(t, _)| !t.address) {
            let mut add = |name: &str, operand: &Operand| {
                let entry = inst.page().operand(name).ok_or_else(|| shape(inst))?;
                let ty = inst.operand_type(entry.ty).ok_or_else(|| shape(inst))?;
                // How caches are used changes no value.
                if entry.with == Some(Slot::Policy) {
                    return Ok(());
                }
                if entry.members {
                    values.members = Some(values.sources.len());
                }
                match entry.role {
                    Role::Destination => {
                        values.targets.push(self.target(operand, ty)?);
                        values.target_bits.push(ty.width());
                    }
                    Role::Source => {
                        values.sources.push(self.source(operand, ty)?);
                        values.source_bits.push(ty.width());
                    }
                }
                Ok::<(), String>(())
            };
            match (operand, template.second) {
                (Operand::Pair(first, second), Some((name, _))) => {
                    add(template.name, first)?;
                    add(name, second)?;
                }
                (Operand::Vector(elements), None) => {
                    // Elements that have no entry of their own have that of the first.
                    let named = |k: usize| {
                        let own = template.element(k);
                        if inst.page().operand(own).is_some() { own } else { template.name }
                    };
                    elements.iter().enumerate().try_for_each(|(k, element)| add(named(k), element))?;
                }
                (operand, second) => {
                    add(template.name, operand)?;
                    if let Some((name, _)) = second {
                        add(name, &Operand::Sink)?;
                    }
                }
            }
        }
        if inst.reads_carry() {
            values.sources.push(Source::Register { slot: self.carry, mask: 1 });
            values.source_bits.push(1);
        }
        if inst.writes_carry() {
            values.targets.push(Target::Register { slot: self.carry, spread: 0, mask: 1 });
            values.target_bits.push(1);
        }
        Ok(values)
    }

    fn transfer<T>(
        &self,
        inst: &Inst,
        place: &Operand,
        values: &Operand,
        element: impl Fn(&Operand, Ty) -> Result<T, String>,
    ) -> Result<Transfer<T>, String> {
        let ty = inst.ty(Slot::Type);
        let values = match values {
            Operand::Vector(elements) => elements.as_slice(),
            single => std::slice::from_ref(single),
        };
        let elements = values.iter().map(|v| element(v, ty)).collect::<Result<Vec<T>, String>>()?;
        self.place(inst, place, self.space(inst)?, ty.width() / 8, elements)
    }

    /// Elements of so many bytes at an address in a space.
    fn place<T>(
        &self,
        inst: &Inst,
        place: &Operand,
        space: Option<Space>,
        bytes: u32,
        elements: Vec<T>,
    ) -> Result<Transfer<T>, String> {
        let Operand::Address(address) = place else { return Err(shape(inst)) };
        let mut transfer = Transfer {
            space,
            far: space.is_none() || inst[Slot::Space] == Word::SharedCluster,
            address: Source::Constant(0),
            offset: address.offset as u64,
            mask: u64::MAX,
            bytes,
            strength: memory_order::of_access(inst),
            elements,
        };
        match address.base {
            Base::Absolute => {}
            Base::Register(id) => {
                transfer.address = self.register(id, 64);
                // Addresses of windows have 32 bits: a register of 32 bits wraps there.
                let windowed = !matches!(transfer.space, None | Some(Space::Global | Space::Const));
                if windowed && self.width(id) == 32 {
                    transfer.mask = mask(32);
                }
            }
            Base::Variable(id) => {
                let home = self.frame.home(id).ok_or("a variable without a place")?;
                transfer.address = match home.space {
                    Space::Local => Source::Frame(home.address),
                    _ => Source::Constant(Bits::from(home.address)),
                };
                // A parameter that a body declares lives in the thread's frame.
                if home.space == Space::Local && transfer.space == Some(Space::Param) {
                    transfer.space = Some(Space::Local);
                }
            }
        }
        Ok(transfer)
    }

    /// The space that an instruction names.
    fn space(&self, inst: &Inst) -> Result<Option<Space>, String> {
        self.space_of(inst, inst[Slot::Space])
    }

    /// The space of a word of an instruction; none for generic addresses.
    fn space_of(&self, inst: &Inst, word: Word) -> Result<Option<Space>, String> {
        Ok(Some(match word {
            Word::Absent => return Ok(None),
            Word::Global => Space::Global,
            Word::Const => Space::Const,
            Word::Shared | Word::SharedCta | Word::SharedCluster => Space::Shared,
            Word::Local => Space::Local,
            // Parameters of functions lie in the thread's frame, where their addresses point.
            Word::ParamFunc => Space::Local,
            Word::Param if !self.function.is_entry => Space::Local,
            Word::Param | Word::ParamEntry => Space::Param,
            _ => return Err(format!("`{inst}` names a space that margay does not have yet")),
        }))
    }

    fn barrier(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let Values { sources, mut targets, .. } = self.values(inst, operands)?;
        let mut sources = sources.into_iter();
        let id = sources.next().ok_or_else(|| shape(inst))?;
        let reduction = match inst[Slot::Op2] {
            Word::Popc => Reduction::Count,
            Word::And => Reduction::All,
            _ => Reduction::Any,
        };
        let (count, purpose) = match inst[Slot::Action] {
            Word::Sync => (sources.next(), Purpose::Wait),
            Word::Arrive => (sources.next(), Purpose::Arrive),
            Word::Red => {
                let predicate = sources.next_back().ok_or_else(|| shape(inst))?;
                let holds_if = Bits::from(!inst.has(Slot::NotC));
                let target = targets.pop().ok_or_else(|| shape(inst))?;
                let reduce = Reduce { operation: reduction, predicate, holds_if, target };
                (sources.next(), Purpose::Reduce(reduce))
            }
            _ => return Err(format!("`{inst}` is not run yet")),
        };
        Ok(Action::Barrier(Box::new(Barrier { id, count, purpose, aligned: is_aligned(inst) })))
    }

    fn width(&self, id: RegisterId) -> u32 {
        self.function.registers[id.0 as usize].ty.width()
    }

    /// The low bits of a register.
    fn register(&self, id: RegisterId, width: u32) -> Source {
        let slot = self.slots[id.0 as usize];
        if self.width(id) > 64 && width > 64 {
            return Source::Wide { slot };
        }
        Source::Register { slot, mask: mask(width) }
    }

    fn source(&self, operand: &Operand, ty: Ty) -> Result<Source, String> {
        let width = ty.width();
        Ok(match operand {
            Operand::Register(id) => self.register(*id, width),
            Operand::Immediate(bits) if width >= 128 => Source::Constant(bits.bits()),
            Operand::Immediate(bits) => Source::Constant(bits.bits() & Bits::from(mask(width))),
            Operand::Special(special) => Source::Special { value: special.value, mask: mask(width) },
            Operand::Symbol(symbol, offset) => self.symbol(*symbol, *offset, width)?,
            Operand::Sink => Source::Constant(0),
            Operand::Address(_)
            | Operand::Pair(..)
            | Operand::Vector(_)
            | Operand::Label(_)
            | Operand::Prototype(_) => {
                return Err("an operand that has no value".into());
            }
        })
    }

    fn symbol(&self, symbol: Symbol, offset: i64, width: u32) -> Result<Source, String> {
        if let Symbol::Variable(id) = symbol
            && let Some(home) = self.frame.home(id)
            && home.space == Space::Local
        {
            return Ok(Source::Frame(home.address.wrapping_add_signed(offset)));
        }
        let symbol = match symbol {
            Symbol::Function(id) => Symbol::Function(reach::resolve(self.module, id)),
            variable => variable,
        };
        let address = self.frame.address(symbol).ok_or("a variable without a place")?;
        Ok(Source::Constant(Bits::from(address.wrapping_add_signed(offset) & mask(width))))
    }

    fn target(&self, operand: &Operand, ty: Ty) -> Result<Target, String> {
        Ok(match operand {
            Operand::Sink => Target::Sink,
            Operand::Register(id) => {
                let (slot, have, width) = (self.slots[id.0 as usize], self.width(*id), ty.width());
                // A value that is narrower than its register is extended by its type (manual, section 9.4.1).
                let spreads = ty.signed() && ty.lanes == 1 && width < have;
                let kept = if spreads { have } else { width.min(have) };
                if have > 64 {
                    let spread = if spreads { 128 - width } else { 0 };
                    Target::Wide { slot, spread, mask: Bits::MAX >> (128 - kept) }
                } else {
                    Target::Register { slot, spread: if spreads { 64 - width } else { 0 }, mask: mask(kept) }
                }
            }
            _ => return Err("an operand that cannot be written".into()),
        })
    }
}

/// What is said of operands that do not fit the page: the checker lets none through.
fn shape(inst: &Inst) -> String {
    format!("`{inst}` has operands that margay does not run yet")
}
