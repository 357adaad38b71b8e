//! What is found out about a kernel before its values get places.

use crate::batch::compile::addresses::only_addresses;
use crate::batch::compile::axes::Axes;
use crate::batch::compile::cfg::{self, in_order, split};
use crate::batch::compile::combine::fuse;
use crate::batch::compile::ir::{self, BlockIr, Context, Item, Outcome, ValueDef, ValueId};
use crate::batch::compile::liveness::{self, Bits, live};
use crate::batch::compile::request::CompileRequest;
use crate::batch::compile::uniformity::{Uniformities, uniformities};
use crate::batch::compile::verify::verify;
use crate::code::{Action, Code};
use foldhash::HashMap;
use margay_isa::special::SpecialValue;
use std::sync::Arc;

/// Where a value is used last that is needed at a block's end.
pub(super) const NEVER: u32 = u32::MAX;

/// A kernel's basic blocks as values.
pub(super) struct Function {
    pub(super) blocks: Vec<cfg::Block>,
    pub(super) irs: Vec<BlockIr>,
    /// For every block, the slots that it needs from before it.
    pub(super) live: Vec<Bits>,
}

/// What is found out about a kernel before places are given.
pub(super) struct Analysis {
    pub(super) function: Arc<Function>,
    pub(super) uniformities: Uniformities,
    pub(super) axes: Axes,
}

/// Finds out about a kernel what its plan rests on.
pub(super) fn analyse(request: &CompileRequest) -> Analysis {
    analyse_values(request, values(request))
}

/// A kernel's values after combining, and how its blocks are divided: the same for all numbers of CTAs that run together.
pub(super) fn values(request: &CompileRequest) -> (Arc<Function>, Axes) {
    let mut function = Function::of(request);
    let axes = Axes::chosen(request.block, &function.irs);
    function.combine(request.code);
    (function.into(), axes)
}

/// The rest.
pub(super) fn analyse_values(request: &CompileRequest, (function, axes): (Arc<Function>, Axes)) -> Analysis {
    let Function { blocks, irs, live } = &*function;
    let (slots, batch_size) = (request.code.slots, request.batch_size);
    let only_addresses = axes.of_lanes().map(|_| only_addresses(irs, slots));
    let uniformities = uniformities(blocks, irs, live, slots, (axes, batch_size), only_addresses);
    Analysis { function, uniformities, axes }
}

impl Function {
    /// The values of a kernel, as its instructions compute them.
    pub(super) fn of(request: &CompileRequest) -> Function {
        let raw = split(request.code);
        let needs = live(request.code, &raw);
        let (blocks, live): (Vec<_>, Vec<_>) =
            in_order(&raw).into_iter().map(|(block, origin)| (block, needs[origin].clone())).unzip();
        let fixed = |value: SpecialValue| match value {
            SpecialValue::Ntid(axis) => Some(u64::from(request.block.axis(axis))),
            SpecialValue::Tid(axis) if request.block.axis(axis) == 1 => Some(0),
            SpecialValue::Zero => Some(0),
            _ => None,
        };
        let irs = irs(request, &blocks, &fixed);
        let function = Function { blocks, irs, live };
        function.verify(request.code);
        function
    }

    /// Joins operations into those that a machine has.
    fn combine(&mut self, code: &Code) {
        for (block, ir) in self.blocks.iter().zip(&mut self.irs) {
            let after = needed_after(block, &self.live, code.slots);
            let needed = needed(ir, &after);
            let mut kept = Bits::new(ir.values.len());
            let last = ir.last.iter().filter(|(slot, _)| after.has(**slot as usize));
            last.for_each(|(_, node)| kept.put(*node as usize));
            fuse(ir, &needed, &kept);
        }
        self.verify(code);
    }

    /// In debug builds, stops if values do not hang together.
    fn verify(&self, code: &Code) {
        if cfg!(debug_assertions) {
            for (b, (block, ir)) in self.blocks.iter().zip(&self.irs).enumerate() {
                let after = needed_after(block, &self.live, code.slots);
                if let Err(fault) = verify(code, ir, &needed(ir, &after)) {
                    panic!("block {b}: {fault}");
                }
            }
        }
    }
}

/// The values of all blocks. Registers that one instruction sets to a constant are that constant wherever it comes first.
fn irs(
    request: &CompileRequest,
    blocks: &[cfg::Block],
    fixed: &dyn Fn(SpecialValue) -> Option<u64>,
) -> Vec<BlockIr> {
    let mut writers = vec![0u32; request.code.slots];
    for op in &request.code.ops {
        liveness::writes(op, &mut |slot| writers[slot as usize] += 1);
    }
    let assigned = assigned(request.code, blocks);
    let mut constants: HashMap<u32, u64> = HashMap::default();
    let mut known = HashMap::default();
    let mut irs = Vec::with_capacity(blocks.len());
    for (b, block) in blocks.iter().enumerate() {
        // Only what the block itself reads is looked up.
        let (mut seen, mut seen_known) = (HashMap::default(), HashMap::default());
        let mut see = |slot: u32| {
            if !assigned[b].has(slot as usize) {
                return;
            }
            constants.get(&slot).into_iter().for_each(|bits| _ = seen.insert(slot, *bits));
            known.get(&slot).into_iter().for_each(|known| _ = seen_known.insert(slot, *known));
        };
        for op in &request.code.ops[block.first as usize..block.end as usize] {
            liveness::reads(op, &mut see);
        }
        if let cfg::Exit::Branch { guard, .. } = &block.exit {
            see(guard.slot);
        }
        let context = Context {
            code: request.code,
            layout: request.layout,
            semantics: request.semantics,
            constants: seen,
            known: seen_known,
            block: request.block,
            fixed,
        };
        let mut ir = BlockIr::of(&context, block);
        for (side, (_, instructions)) in block.sides.iter().zip(&mut ir.sides) {
            *instructions = request.counted(side.stretch.clone());
        }
        for (slot, node) in &ir.last {
            if writers[*slot as usize] != 1 {
                continue;
            }
            if let Some(bits) = ir.known_bits(*node) {
                constants.insert(*slot, bits);
            }
            known.insert(*slot, ir.known_bits_of(*node));
        }
        irs.push(ir);
    }
    irs
}

/// For every block, the slots that are surely set on every way to it.
pub(super) fn assigned(code: &Code, blocks: &[cfg::Block]) -> Vec<Bits> {
    let everything = {
        let mut all = Bits::new(code.slots);
        (0..code.slots).for_each(|slot| all.put(slot));
        all
    };
    let mut found = vec![everything; blocks.len()];
    found[0] = Bits::new(code.slots);
    let mut open = vec![0];
    let mut seen = vec![false; blocks.len()];
    while let Some(b) = open.pop() {
        seen[b] = true;
        let mut out = found[b].clone();
        liveness::sets(code, blocks[b].first..blocks[b].end, &mut |slot| out.put(slot as usize));
        blocks[b].exit.each(|next| {
            if found[next].keep(&out) || !seen[next] {
                open.push(next);
            }
        });
    }
    found
}

/// Whether some loop could wait for another thread: whether anything reads memory that others change meanwhile.
pub(super) fn may_wait(code: &Code) -> bool {
    code.ops.iter().any(|op| match &op.action {
        Action::Atomic(atomic) => !atomic.targets.is_empty(),
        Action::Load(load) => load.strength.strong,
        _ => false,
    })
}

/// The slots that are needed after a block.
pub(super) fn needed_after(block: &cfg::Block, live: &[Bits], slots: usize) -> Bits {
    let mut needed = Bits::new(slots);
    block.exit.each(|next| {
        needed.join(&live[next]);
    });
    needed
}

/// The values that a step gives, in order.
pub(super) fn results(step: &ir::Step) -> Vec<ValueId> {
    let mut found = Vec::new();
    each_result(step, &mut |node| found.push(node));
    found
}

/// Calls `f` with each of them.
fn each_result(step: &ir::Step, f: &mut impl FnMut(ValueId)) {
    let outcome = |outcome: &Outcome| match outcome {
        Outcome::Nothing => {}
        Outcome::One(node) => f(*node),
        Outcome::Two(low, high) => {
            f(*low);
            f(*high);
        }
    };
    match step {
        ir::Step::Load(_, nodes) => nodes.iter().for_each(|node| f(*node)),
        ir::Step::Atomic(atomic) => atomic.olds.iter().for_each(outcome),
        ir::Step::PerThread(each) => each.results.iter().for_each(outcome),
        ir::Step::Collective(together) => together.results.iter().for_each(outcome),
        ir::Step::Reduce { to, .. } | ir::Step::Print { to, .. } | ir::Step::TestSpace { to, .. } => f(*to),
        ir::Step::Store(..) | ir::Step::Barrier => {}
    }
}

/// Whether a step is carried out: only what threads compute one by one may be left out, if nothing needs its results.
pub(super) fn step_needed(step: &ir::Step, needed: &Bits) -> bool {
    match step {
        ir::Step::PerThread(each) => each.results.iter().any(|result| outcome_needed(*result, needed)),
        ir::Step::TestSpace { to, .. } => needed.has(*to as usize),
        _ => true,
    }
}

/// The values that registers hold at a step and that its instruction, or a later one, reads as registers: another engine may have to go on
/// there. Some no operation takes: what became of them is known without, or they are memory that lies in registers.
pub(super) fn held(ir: &BlockIr) -> Bits {
    // How many steps are begun when each value is there.
    let mut steps = vec![0u32; ir.values.len()];
    let (mut seen, mut seen_up_to) = (0, Vec::with_capacity(ir.items.len()));
    for item in &ir.items {
        match item {
            Item::Value(node) => steps[*node as usize] = seen,
            Item::Step(step) => {
                seen += 1;
                each_result(&ir.steps[*step as usize].step, &mut |node| steps[node as usize] = seen);
            }
        }
        seen_up_to.push(seen);
    }
    let mut held = Bits::new(ir.values.len());
    for (node, read) in ir.read.iter().enumerate() {
        let then = seen_up_to.get(*read as usize).copied().unwrap_or(seen);
        if *read > 0 && then > steps[node] {
            held.put(node);
        }
    }
    held
}

/// The values that stores, branches and later blocks need, or another engine, and what they are computed from.
pub(super) fn needed(ir: &BlockIr, needed_after: &Bits) -> Bits {
    let mut needed = held(ir);
    let last = ir.last.iter().filter(|(slot, _)| needed_after.has(**slot as usize)).map(|(_, node)| *node);
    last.chain(ir.decides).chain(sides(ir)).for_each(|node| needed.put(node as usize));
    for item in ir.items.iter().rev() {
        match item {
            Item::Value(node) if needed.has(*node as usize) => {
                operands(ir, *node, &mut |operand| needed.put(operand as usize));
            }
            Item::Value(_) => {}
            Item::Step(step) => {
                if step_needed(&ir.steps[*step as usize].step, &needed) {
                    step_operands(ir, *step, &mut |operand| needed.put(operand as usize));
                }
            }
        }
    }
    needed
}

/// Where each value is used last; `NEVER` before the block's end if it is needed there.
pub(super) fn last_use(ir: &BlockIr, needed: &Bits, needed_after: &Bits) -> Vec<u32> {
    let mut last = vec![0; ir.values.len()];
    for (position, item) in ir.items.iter().enumerate() {
        let mut used = |node: ValueId| last[node as usize] = position as u32;
        match item {
            Item::Value(node) if needed.has(*node as usize) => operands(ir, *node, &mut used),
            Item::Value(_) => {}
            Item::Step(step) => step_operands(ir, *step, &mut used),
        }
    }
    // Another engine may have to go on at any step: then every instruction behind it finds what it reads.
    if !ir.steps.is_empty() {
        for (last, read) in last.iter_mut().zip(&ir.read) {
            *last = if *read as usize >= ir.items.len() { NEVER } else { (*last).max(*read) };
        }
    }
    let end = ir.last.iter().filter(|(slot, _)| needed_after.has(**slot as usize)).map(|(_, node)| *node);
    end.chain(ir.decides).chain(sides(ir)).for_each(|node| last[node as usize] = NEVER);
    last
}

/// The predicates that say who executes stretches at a block's end.
fn sides(ir: &BlockIr) -> impl Iterator<Item = ValueId> {
    ir.sides.iter().map(|(node, _)| *node)
}

pub(super) fn operands(ir: &BlockIr, node: ValueId, f: &mut impl FnMut(ValueId)) {
    if let ValueDef::Op(op, operands) = ir.values[node as usize].from {
        operands[..op.operands().len()].iter().for_each(|operand| f(*operand));
    }
}

pub(super) fn step_operands(ir: &BlockIr, step: u32, f: &mut impl FnMut(ValueId)) {
    let step = &ir.steps[step as usize];
    step.guard.iter().for_each(|node| f(*node));
    match &step.step {
        ir::Step::Load(access, _) => f(access.address),
        ir::Step::Store(access, nodes) => {
            f(access.address);
            nodes.iter().for_each(|node| f(*node));
        }
        ir::Step::Atomic(atomic) => {
            f(atomic.access.address);
            atomic.sources.iter().for_each(|source| source.each(&mut *f));
        }
        ir::Step::PerThread(each) => each.sources.iter().for_each(|source| source.each(&mut *f)),
        ir::Step::Collective(together) => {
            together.sources.iter().for_each(|source| source.each(&mut *f));
        }
        ir::Step::Barrier => {}
        ir::Step::Reduce { predicate, .. } => f(*predicate),
        ir::Step::TestSpace { address, .. } => f(*address),
        ir::Step::Print { format, arguments, .. } => {
            f(*format);
            f(*arguments);
        }
    }
}

fn outcome_needed(outcome: Outcome, needed: &Bits) -> bool {
    match outcome {
        Outcome::Nothing => false,
        Outcome::One(node) => needed.has(node as usize),
        Outcome::Two(low, high) => needed.has(low as usize) || needed.has(high as usize),
    }
}
