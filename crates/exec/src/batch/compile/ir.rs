//! A block as values: what each instruction computes from what, and what it does beside that, in order.

mod bits;
mod frames;
mod instruction;
mod warpgroup;

use crate::batch::compile::cfg::{Block, Exit};
use crate::code::{Code, Deed, Function, Guard, Members, Reduction, Source, Target, Update};
use crate::grid::Dim;
use crate::memory::Layout;
use bits::Known;
use foldhash::HashMap;
use margay_front::module::Space;
use margay_isa::special::SpecialValue;
use margay_isa::uop::float::Flush;
use margay_isa::uop::{Cmp, Int, Logic, Op, Type, eval};
use margay_isa::warp::Gather;
use margay_isa::{Inst, Semantics};

/// A value of a block, by number.
pub(crate) type ValueId = u32;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ValueDef {
    /// A constant.
    Const(u64),
    /// What a register slot holds when the block begins.
    Slot(u32),
    /// What a special register holds.
    Special(SpecialValue),
    /// An operation.
    Op(Op, [ValueId; 3]),
    /// What a step gives.
    Step(u32),
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Value {
    pub(crate) ty: Type,
    pub(crate) from: ValueDef,
}

/// The values that make up one of a page's operands: one of them, or the halves of 128 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    One(ValueId),
    Two(ValueId, ValueId),
}

impl Operand {
    pub(crate) fn each(self, mut f: impl FnMut(ValueId)) {
        match self {
            Operand::One(a) => f(a),
            Operand::Two(a, b) => {
                f(a);
                f(b);
            }
        }
    }
}

/// What a page gives for one of its destinations: its bits, as one value or two halves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    Nothing,
    One(ValueId),
    Two(ValueId, ValueId),
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) space: Option<Space>,
    /// Of 64 bits.
    pub(crate) address: ValueId,
    /// Bytes of an element: 1, 2, 4 or 8. One of 16 counts as two of 8.
    pub(crate) bytes: u32,
    /// Bytes of the whole, to which the address is aligned.
    pub(crate) size: u32,
    /// Whether it is neither volatile nor ordered in any way.
    pub(crate) is_weak: bool,
}

/// What is done beside computing.
pub(crate) enum Step {
    /// Memory to values, one for each element.
    Load(Access, Vec<ValueId>),
    /// Values to memory, one for each element.
    Store(Access, Vec<ValueId>),
    /// Memory to memory in one step, and what it held to a value.
    Atomic(Box<Atomic>),
    /// The page's function, thread by thread.
    PerThread(Box<PerThread>),
    /// The page's function, warp by warp.
    Collective(Box<Collective>),
    /// All threads of the CTA wait for each other.
    Barrier,
    /// The same, and they combine a predicate; the result is the same in all of them.
    Reduce { operation: Reduction, predicate: ValueId, to: ValueId },
    /// Whether an address lies in global or in constant memory.
    TestSpace { is_global: bool, address: ValueId, to: ValueId },
    /// Threads print, one after the other: where the format and its arguments lie, and how many it takes.
    Print { format: ValueId, arguments: ValueId, to: ValueId },
}

pub(crate) struct Atomic {
    pub(crate) inst: Inst,
    pub(crate) update: Update,
    pub(crate) access: Access,
    pub(crate) sources: Vec<Operand>,
    /// The old value of each element.
    pub(crate) olds: Vec<Outcome>,
}

pub(crate) struct PerThread {
    pub(crate) inst: Inst,
    pub(crate) function: Function,
    pub(crate) sources: Vec<Operand>,
    pub(crate) results: Vec<Outcome>,
}

pub(crate) struct Collective {
    pub(crate) inst: Inst,
    pub(crate) deed: Deed,
    pub(crate) gather: Option<Gather>,
    /// Behind them stands the address where memory is read or written.
    pub(crate) sources: Vec<Operand>,
    pub(crate) results: Vec<Outcome>,
    pub(crate) members: Members,
    pub(crate) memory: Option<Memory>,
}

/// Where the memory lies that a whole warp reads or writes.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) space: Option<Space>,
    /// What addresses are cut to.
    pub(crate) mask: u64,
}

/// What happens at one place of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    Value(ValueId),
    Step(u32),
}

/// A step, with the predicate under which threads take part and the instruction that it belongs to.
pub(crate) struct Guarded {
    pub(crate) step: Step,
    pub(crate) guard: Option<ValueId>,
    pub(crate) pc: u32,
}

/// A block's values and steps.
pub(crate) struct BlockIr {
    pub(crate) values: Vec<Value>,
    pub(crate) steps: Vec<Guarded>,
    /// Values and steps in the order of their instructions.
    pub(crate) items: Vec<Item>,
    /// For every value, where the instructions last read it as a register: a place in `items`.
    pub(crate) read: Vec<u32>,
    /// What registers are set to, by which instruction, in order.
    pub(crate) sets: Vec<(u32, u32, ValueId)>,
    /// What registers hold at the end, of those that were set.
    pub(crate) last: HashMap<u32, ValueId>,
    /// The predicate or index that decides where threads go on.
    pub(crate) decides: Option<ValueId>,
    /// For stretches at its end that only some threads execute, whether a thread does, and how many instructions that are.
    pub(crate) sides: Vec<(ValueId, u32)>,
    known: HashMap<Value, ValueId>,
    /// By value, what is known of its bits.
    facts: Vec<Known>,
    /// The shape of a block.
    block: Dim,
    /// The instruction that is being added.
    pc: u32,
    /// Room for what an instruction reads.
    room: Vec<ValueId>,
}

/// What all blocks of a kernel share.
pub(crate) struct Context<'a> {
    pub(crate) code: &'a Code,
    pub(crate) layout: &'a Layout,
    pub(crate) semantics: Semantics,
    /// Registers that hold one constant wherever it can be read in the block.
    pub(crate) constants: HashMap<u32, u64>,
    /// What is known of the bits of registers, wherever they can be read in the block.
    pub(crate) known: HashMap<u32, Known>,
    /// The shape of a block.
    pub(crate) block: Dim,
    /// Values of special registers that a launch shape fixes.
    pub(crate) fixed: &'a dyn Fn(SpecialValue) -> Option<u64>,
}

/// The type of a slot.
pub(crate) fn slot_type(code: &Code, slot: u32) -> Type {
    Type::of_width(code.widths[slot as usize])
}

impl BlockIr {
    /// The values and steps of a block.
    pub(crate) fn of(context: &Context, block: &Block) -> BlockIr {
        let mut ir = BlockIr {
            values: Vec::new(),
            steps: Vec::new(),
            items: Vec::new(),
            read: Vec::new(),
            sets: Vec::new(),
            last: HashMap::default(),
            decides: None,
            sides: Vec::new(),
            known: HashMap::default(),
            facts: Vec::new(),
            block: context.block,
            pc: block.first,
            room: Vec::new(),
        };
        for pc in block.first..block.end {
            ir.instruction(context, pc);
        }
        for side in &block.sides {
            let node = ir.guard_value(context, side.guard);
            ir.sides.push((node, side.stretch.end - side.stretch.start));
        }
        ir.decides = match &block.exit {
            Exit::Branch { guard, .. } => Some(ir.guard_value(context, *guard)),
            Exit::Indexed { index, .. } => Some(ir.number(context, index, 64)),
            Exit::Go(_) | Exit::Barrier(_) | Exit::End | Exit::Bailout(_) => None,
        };
        ir
    }

    fn add(&mut self, value: Value) -> ValueId {
        let node = self.push(value);
        self.items.push(Item::Value(node));
        node
    }

    fn push(&mut self, value: Value) -> ValueId {
        let node = self.values.len() as ValueId;
        self.facts.push(self.known_of(value));
        self.values.push(value);
        self.read.push(0);
        node
    }

    /// The value, which may be there already.
    pub(crate) fn value(&mut self, ty: Type, from: ValueDef) -> ValueId {
        let value = Value { ty, from };
        if let Some(node) = self.known.get(&value) {
            return *node;
        }
        let node = self.add(value);
        self.known.insert(value, node);
        node
    }

    pub(crate) fn constant(&mut self, ty: Type, bits: u64) -> ValueId {
        self.value(ty, ValueDef::Const(bits & ty.mask()))
    }

    pub(crate) fn ty(&self, node: ValueId) -> Type {
        self.values[node as usize].ty
    }

    pub(crate) fn known_bits(&self, node: ValueId) -> Option<u64> {
        match self.values[node as usize].from {
            ValueDef::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// An operation; what is known is computed.
    pub(crate) fn op(&mut self, op: Op, operands: &[ValueId]) -> ValueId {
        let mut three = [operands[0]; 3];
        three[..operands.len()].copy_from_slice(operands);
        let known = &three.map(|node| self.known_bits(node))[..operands.len()];
        if known.iter().all(Option::is_some) {
            let mut bits = [0; 3];
            known.iter().zip(&mut bits).for_each(|(k, b)| *b = k.unwrap_or(0));
            return self.constant(op.result(), eval(op, bits));
        }
        match (op, known) {
            (
                Op::Int32(Int::Add | Int::Or | Int::Xor) | Op::Int64(Int::Add | Int::Or | Int::Xor),
                [Some(0), _],
            ) => {
                return operands[1];
            }
            (
                Op::Int32(Int::Add | Int::Sub | Int::Or | Int::Xor | Int::Shl | Int::Shr | Int::Sar)
                | Op::Int64(Int::Add | Int::Sub | Int::Or | Int::Xor | Int::Shl | Int::Shr | Int::Sar),
                [_, Some(0)],
            ) => return operands[0],
            // A known amount leaves nothing to be decided lane by lane.
            (Op::Int32(Int::Shr), [_, Some(by @ 1..32)]) => {
                let by = *by as u8;
                return self.op(Op::Int32(Int::ExtractU(by, 32 - by)), &operands[..1]);
            }
            (Op::Int64(Int::Shr), [_, Some(by @ 1..64)]) => {
                let by = *by as u8;
                return self.op(Op::Int64(Int::ExtractU(by, 64 - by)), &operands[..1]);
            }
            (Op::Flush(Flush::Value), _) if matches!(self.values[operands[0] as usize].from, ValueDef::Op(op, _) if op.is_never_subnormal()) =>
            {
                return operands[0];
            }
            (Op::Select(_), [Some(p), ..]) => return operands[if *p != 0 { 1 } else { 2 }],
            (Op::Select(_), _) if operands[1] == operands[2] => return operands[1],
            _ => {}
        }
        if let Some(node) = self.by_bits(op, operands) {
            return node;
        }
        if op.commutes() && three[0] > three[1] {
            three.swap(0, 1);
            // Operands that are not there repeat the first.
            let first = three[0];
            three[operands.len()..].fill(first);
        }
        self.value(op.result(), ValueDef::Op(op, three))
    }

    /// What a slot holds now.
    fn slot(&mut self, context: &Context, slot: u32) -> ValueId {
        let node = match self.last.get(&slot) {
            Some(node) => *node,
            None => {
                let ty = slot_type(context.code, slot);
                match context.constants.get(&slot) {
                    Some(bits) => self.constant(ty, *bits),
                    None => {
                        let node = self.value(ty, ValueDef::Slot(slot));
                        self.facts[node as usize] = BlockIr::known_of_slot(context, slot);
                        node
                    }
                }
            }
        };
        self.read[node as usize] = self.items.len() as u32;
        node
    }

    /// A value as another type: cut, or with zeros above.
    pub(crate) fn cast(&mut self, node: ValueId, ty: Type) -> ValueId {
        match (self.ty(node), ty) {
            (a, b) if a == b => node,
            (Type::U64, Type::U32) => self.op(Op::Low, &[node]),
            (Type::U32, Type::U64) => self.op(Op::Zext, &[node]),
            (Type::Pred, Type::U32) => self.op(Op::FromPred, &[node]),
            (Type::Pred, _) => {
                let number = self.op(Op::FromPred, &[node]);
                self.op(Op::Zext, &[number])
            }
            (_, Type::Pred) => {
                let low = self.masked(node, 1);
                let zero = self.constant(self.ty(low), 0);
                let cmp = if self.ty(low) == Type::U64 { Op::Cmp64(Cmp::Ne) } else { Op::Cmp32(Cmp::Ne) };
                self.op(cmp, &[low, zero])
            }
            _ => node,
        }
    }

    /// The low bits of a value.
    fn masked(&mut self, node: ValueId, width: u32) -> ValueId {
        let ty = self.ty(node);
        let op = match ty {
            Type::Pred => return node,
            Type::U32 if width < 32 => Op::Int32(Int::And),
            Type::U64 if width < 64 => Op::Int64(Int::And),
            Type::U32 | Type::U64 => return node,
        };
        let mask = self.constant(ty, (1 << width) - 1);
        self.op(op, &[node, mask])
    }

    /// A source as a value of so many bits.
    fn number(&mut self, context: &Context, source: &Source, width: u32) -> ValueId {
        let ty = Type::of_width(width);
        match source {
            Source::Register { slot, mask } => {
                let node = self.slot(context, *slot);
                let kept = 64 - mask.leading_zeros();
                let node = if kept < context.code.widths[*slot as usize] {
                    self.masked_to(node, kept)
                } else {
                    node
                };
                self.cast(node, ty)
            }
            // Only instructions on 128 bits name such a source, and they are not computed by micro-ops.
            Source::Wide { slot } => {
                let node = self.slot(context, *slot);
                self.cast(node, ty)
            }
            Source::Constant(bits) => self.constant(ty, *bits as u64),
            // The kernel's own frame begins at 0.
            Source::Frame(offset) => self.constant(ty, *offset),
            Source::Special { value, mask } => {
                let node = match (context.fixed)(*value) {
                    Some(bits) => self.constant(Type::U64, bits),
                    None if special_type(*value) == Type::U32 => {
                        let node = self.value(Type::U32, ValueDef::Special(*value));
                        if *mask >= u64::from(u32::MAX) {
                            return self.cast(node, ty);
                        }
                        self.cast(node, Type::U64)
                    }
                    None => self.value(Type::U64, ValueDef::Special(*value)),
                };
                let node = self.masked_to(node, 64 - mask.leading_zeros());
                self.cast(node, ty)
            }
        }
    }

    /// The low bits of a value, in the narrowest type that holds them.
    fn masked_to(&mut self, node: ValueId, width: u32) -> ValueId {
        let node = if width <= 32 && self.ty(node) == Type::U64 { self.cast(node, Type::U32) } else { node };
        self.masked(node, width)
    }

    /// A source as the bits that a page's function reads.
    fn bits(&mut self, context: &Context, source: &Source) -> Operand {
        match source {
            Source::Wide { slot } => {
                let low = self.slot(context, *slot);
                Operand::Two(low, self.slot(context, slot + 1))
            }
            Source::Constant(bits) if bits >> 64 != 0 => {
                let low = self.constant(Type::U64, *bits as u64);
                Operand::Two(low, self.constant(Type::U64, (bits >> 64) as u64))
            }
            Source::Register { mask, .. } => {
                let width = 64 - mask.leading_zeros();
                Operand::One(self.number(context, source, width))
            }
            Source::Constant(_) | Source::Frame(_) | Source::Special { .. } => {
                Operand::One(self.number(context, source, 64))
            }
        }
    }

    fn guard_value(&mut self, context: &Context, guard: Guard) -> ValueId {
        let predicate = self.slot(context, guard.slot);
        if guard.runs_if == 1 {
            return predicate;
        }
        let one = self.constant(Type::Pred, 1);
        self.op(Op::Pred(Logic::Xor), &[predicate, one])
    }

    /// Sets a slot, in threads in which the guard holds.
    fn set(&mut self, context: &Context, guard: Option<ValueId>, slot: u32, node: ValueId) {
        let node = self.cast(node, slot_type(context.code, slot));
        let node = match guard {
            None => node,
            Some(guard) => {
                let old = self.slot(context, slot);
                self.op(Op::Select(self.ty(node)), &[guard, node, old])
            }
        };
        self.last.insert(slot, node);
        self.sets.push((self.pc, slot, node));
    }

    /// Writes a value of so many bits to a target.
    fn write(
        &mut self,
        context: &Context,
        guard: Option<ValueId>,
        target: &Target,
        node: ValueId,
        bits: u32,
    ) {
        match target {
            Target::Sink => {}
            Target::Register { slot, spread, mask } => {
                let width = 64 - mask.leading_zeros();
                let node = match spread {
                    0 if width < bits => self.masked_to(node, width),
                    0 => node,
                    _ => self.spread(node, 64 - spread, width),
                };
                self.set(context, guard, *slot, node);
            }
            Target::Wide { slot, spread, mask } => {
                let low = self.cast(node, Type::U64);
                let low = if *spread == 0 { low } else { self.spread(low, 128 - spread, 64) };
                let high = match spread {
                    0 => self.constant(Type::U64, 0),
                    _ => {
                        let amount = self.constant(Type::U32, 63);
                        self.op(Op::Int64(Int::Sar), &[low, amount])
                    }
                };
                let mask = self.constant(Type::U64, (mask >> 64) as u64);
                let high = self.op(Op::Int64(Int::And), &[high, mask]);
                self.set(context, guard, *slot, low);
                self.set(context, guard, slot + 1, high);
            }
        }
    }

    /// A value of `from` bits with its sign spread to `to` bits, zeros above.
    fn spread(&mut self, node: ValueId, from: u32, to: u32) -> ValueId {
        if to <= 32 {
            let node = self.cast(node, Type::U32);
            let node =
                if from < 32 { self.op(Op::Int32(Int::ExtractS(0, from as u8)), &[node]) } else { node };
            return self.masked(node, to);
        }
        let node = if from > 32 {
            let node = self.cast(node, Type::U64);
            if from < 64 { self.op(Op::Int64(Int::ExtractS(0, from as u8)), &[node]) } else { node }
        } else {
            let node = self.cast(node, Type::U32);
            let node =
                if from < 32 { self.op(Op::Int32(Int::ExtractS(0, from as u8)), &[node]) } else { node };
            self.op(Op::Sext, &[node])
        };
        self.masked(node, to)
    }

    fn write_outcome(
        &mut self,
        context: &Context,
        guard: Option<ValueId>,
        target: &Target,
        outcome: Outcome,
    ) {
        match (outcome, target) {
            (Outcome::Nothing, _) | (_, Target::Sink) => {}
            (Outcome::One(node), target) => self.write(context, guard, target, node, 64),
            // A page's 128 bits go to two slots as they are.
            (Outcome::Two(low, high), Target::Wide { slot, spread: 0, .. }) => {
                self.set(context, guard, *slot, low);
                self.set(context, guard, slot + 1, high);
            }
            (Outcome::Two(low, _), target) => self.write(context, guard, target, low, 64),
        }
    }

    /// What a step will give for a target: bits as wide as a register can hold.
    fn outcome(&mut self, target: &Target) -> Outcome {
        let step = self.steps.len() as u32;
        let fresh = |ir: &mut BlockIr, ty| ir.push(Value { ty, from: ValueDef::Step(step) });
        match target {
            Target::Sink => Outcome::Nothing,
            Target::Register { mask: 1, .. } => Outcome::One(fresh(self, Type::Pred)),
            Target::Register { .. } => Outcome::One(fresh(self, Type::U64)),
            Target::Wide { .. } => Outcome::Two(fresh(self, Type::U64), fresh(self, Type::U64)),
        }
    }

    /// The same, of 32 bits where the target has no more.
    fn narrow_outcome(&mut self, target: &Target) -> Outcome {
        match target {
            Target::Register { mask, .. } if (2..=u64::from(u32::MAX)).contains(mask) => {
                Outcome::One(self.fresh(Type::U32))
            }
            _ => self.outcome(target),
        }
    }

    /// What a step gives, of a type.
    fn fresh(&mut self, ty: Type) -> ValueId {
        self.push(Value { ty, from: ValueDef::Step(self.steps.len() as u32) })
    }

    fn step(&mut self, guard: Option<ValueId>, pc: u32, step: Step) {
        self.items.push(Item::Step(self.steps.len() as u32));
        self.steps.push(Guarded { step, guard, pc });
    }
}

/// The type in which a special register is kept.
pub(crate) fn special_type(value: SpecialValue) -> Type {
    match value {
        SpecialValue::Tid(_)
        | SpecialValue::Ntid(_)
        | SpecialValue::Ctaid(_)
        | SpecialValue::Nctaid(_)
        | SpecialValue::Zero
        | SpecialValue::Laneid
        | SpecialValue::Warpid
        | SpecialValue::LanemaskEq
        | SpecialValue::LanemaskLe
        | SpecialValue::LanemaskLt
        | SpecialValue::LanemaskGe
        | SpecialValue::LanemaskGt => Type::U32,
        _ => Type::U64,
    }
}
