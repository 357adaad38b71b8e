//! From code to a plan: what is not needed is left out, every value gets a place, and places are used again.

mod address_groups;
mod addresses;
mod affine_ops;
mod analysis;
pub(crate) mod axes;
pub(super) mod bailout_reason;
pub(crate) mod cfg;
mod combine;
mod copies;
mod counted_loop;
mod fused_loops;
mod gathering;
mod hoist;
mod if_convert;
mod inline;
pub(super) mod ir;
mod known_barriers;
mod live_out;
pub(crate) mod liveness;
mod parking;
mod places;
pub(super) mod print;
pub(super) mod print_plan;
mod products;
mod promote;
mod registers;
mod request;
mod self_loop;
mod steps;
mod tiled_loop;
mod transform;
mod turn_loop;
mod uniform_branch;
pub(super) mod uniformity;
mod verify;

use crate::batch::compile::analysis::{
    Analysis, Function, NEVER, analyse, analyse_values, last_use, may_wait, needed, needed_after,
    step_needed, values,
};
use crate::batch::compile::axes::Axes;
use crate::batch::compile::uniformity::{Uniformities, Uniformity};

use crate::batch::compile::ir::{BlockIr, Item, ValueDef, ValueId, slot_type, special_type};
use crate::batch::compile::liveness::Bits;
use crate::batch::lanes::{GROUP, Geometry, Place, Runs, UNIT, VectorOp, VectorOps, What, can_be_compiled};
use crate::batch::origins::Origins;
use crate::batch::plan::{AffineId, AffineOp, AffinePlace, Block, Exit, Home, Plan, Set, Step};
use crate::code::{Action, Code};
pub(crate) use address_groups::lent;
use foldhash::{HashMap, HashSet};
pub(crate) use fused_loops::is_late;
use fused_loops::{Parts, fused_loops, operands};
use if_convert::if_convert;
use live_out::Lasting;
use margay_isa::special::SpecialValue;
use margay_isa::uop::Type;
use parking::parking_exit;
use places::{Pool, Use};
pub(crate) use request::{Callees, CompileRequest};
use std::sync::{Arc, OnceLock};
use transform::{Transformed, first_passes};

/// What plans of a kernel have in common, however many CTAs are executed as one batch.
pub(crate) struct Common {
    /// What the first passes made of its code.
    transformed: Transformed,
    /// The values of that code, once they have been asked for.
    values: OnceLock<(Arc<Function>, Axes)>,
}

impl Common {
    pub(crate) fn of(request: &CompileRequest) -> Common {
        Common { transformed: first_passes(request), values: OnceLock::new() }
    }
}

/// Makes a kernel's plan.
pub(crate) fn build(request: &CompileRequest, common: &Common) -> Plan {
    let request = &common.transformed.request(request);
    let analyse = || analyse_values(request, common.values.get_or_init(|| values(request)).clone());
    let (code, analysis) = if request.may_transform { if_convert(request, analyse) } else { (None, None) };
    match code {
        Some(code) => made(&CompileRequest { code: &code, ..*request }),
        None => plan(request, analysis.unwrap_or_else(analyse)),
    }
}

/// The plan of code that has gone through all passes over instructions.
fn made(request: &CompileRequest) -> Plan {
    plan(request, analyse(request))
}

/// The plan of such code, of which all has been found out.
fn plan(request: &CompileRequest, analysis: Analysis) -> Plan {
    let Analysis { function, uniformities, axes } = analysis;
    let Function { blocks, irs, live } = &*function;
    let mut builder = Builder::new(request, live, &uniformities, axes);
    let made = blocks.iter().enumerate().map(|(b, block)| builder.block(b, block, &irs[b]));
    let mut blocks: Vec<Block> = made.collect();
    let comers = gathering::comers(request.code, request.origins, &function.blocks);
    blocks.iter_mut().zip(comers).for_each(|(block, comers)| block.comers = comers);
    let origins = request.origins.cloned().unwrap_or_else(|| request.of_kernel());
    builder.finish(blocks, origins, may_wait(request.code))
}

struct Builder<'a> {
    request: CompileRequest<'a>,
    code: &'a Code,
    batch_size: u32,
    axes: Axes,
    thread_bytes: u32,
    live: &'a [Bits],
    uniformities: &'a Uniformities,
    groups: usize,
    lines: u32,
    vector_ops: Vec<VectorOp>,
    sites: u32,
    fused_loops: u32,
    affine_ops: Vec<AffineOp>,
    affine_constants: HashMap<(Type, u64), AffineId>,
    /// By the place of a value that is the same throughout a launch.
    affine_fixed: HashMap<Place, AffineId>,
    prologue: Vec<Step>,
    /// The lines of values that are the same throughout a launch.
    fixed: HashSet<u32>,
    /// How many instructions set each register.
    writers: Vec<u32>,
    /// The registers that blocks which have been made may read.
    read: Bits,
    /// Whether parameters are the kernel's own alone.
    calls: bool,
    constants: HashMap<(Type, u64), Place>,
    /// The constants at lines, and affine ones, and affine values of registers.
    constant_lines: HashMap<u32, u64>,
    constant_affines: HashMap<AffineId, u64>,
    home_affines: HashSet<AffineId>,
    /// Affine values that may be periodic.
    periodic_values: HashSet<AffineId>,
    specials: HashMap<SpecialValue, Place>,
    places: HashMap<SpecialValue, AffineId>,
    affine_values: Vec<AffinePlace>,
    homes: Vec<Home>,
    home_lines: HashSet<u32>,
    /// By type and use.
    pools: HashMap<(Type, Use), Pool>,
    active: Place,
    self_loops: Option<self_loop::Shared>,
}

/// A block while it is built.
struct Draft<'g> {
    ir: &'g BlockIr,
    uniformities: &'g [Uniformity],
    /// Where values lie; affine ones by their number.
    at: Vec<Home>,
    /// Where each value is used last, as a place in the items.
    last_use: Vec<u32>,
    /// The values that are used last at each item.
    ends: Vec<Vec<usize>>,
    /// What registers held at the block's start.
    old: HashMap<u32, ValueId>,
    /// Which affine values are known to be materialized.
    materialized: HashSet<AffineId>,
    /// The lines of such values that operations which wait for their step read.
    reads: HashSet<u32>,
    steps: Vec<Step>,
    /// The sites of loads that stores copy, by their number among the block's steps.
    copied: HashMap<u32, u32>,
    /// Steps of the prologue that are loads of this block.
    hoisted: Vec<u32>,
    /// The first of the operations that no step has taken yet.
    from: u32,
}

impl<'a> Builder<'a> {
    fn new(
        request: &CompileRequest<'a>,
        live: &'a [Bits],
        uniformities: &'a Uniformities,
        axes: Axes,
    ) -> Builder<'a> {
        let threads = (request.threads * request.batch_size) as usize;
        let groups = threads.div_ceil(GROUP).next_multiple_of(UNIT);
        let mut builder = Builder {
            request: *request,
            code: request.code,
            batch_size: request.batch_size,
            axes,
            thread_bytes: 0,
            live,
            uniformities,
            groups,
            lines: 0,
            vector_ops: Vec::new(),
            sites: 0,
            fused_loops: 0,
            affine_ops: Vec::new(),
            affine_constants: HashMap::default(),
            affine_fixed: HashMap::default(),
            prologue: Vec::new(),
            fixed: HashSet::default(),
            writers: vec![0; request.code.slots],
            read: Bits::new(request.code.slots),
            calls: request.code.ops.iter().any(|op| matches!(op.action, Action::Call(_))),
            constants: HashMap::default(),
            constant_lines: HashMap::default(),
            constant_affines: HashMap::default(),
            home_affines: HashSet::default(),
            periodic_values: HashSet::default(),
            specials: HashMap::default(),
            places: HashMap::default(),
            affine_values: Vec::new(),
            homes: vec![Home::Nowhere; request.code.slots],
            home_lines: Default::default(),
            pools: HashMap::default(),
            active: Place { line: 0, stride: 1 },
            self_loops: None,
        };
        for op in &request.code.ops {
            liveness::writes(op, &mut |slot| builder.writers[slot as usize] += 1);
        }
        builder.active = builder.fresh(Type::Pred, Use::Affine);
        let mut lasting = Bits::new(request.code.slots);
        live.iter().for_each(|needs| {
            lasting.join(needs);
        });
        for slot in 0..request.code.slots {
            if lasting.has(slot) {
                let ty = slot_type(request.code, slot as u32);
                builder.homes[slot] = match uniformities.slots[slot] {
                    Uniformity::Uniform => Home::At(ty, builder.fresh(ty, Use::Uniform)),
                    Uniformity::Varying => Home::At(ty, builder.fresh(ty, Use::Varying)),
                    Uniformity::Affine => Home::Affine(builder.affine(ty)),
                    Uniformity::Periodic => Home::Affine(builder.periodic(ty)),
                };
                let line = match builder.homes[slot] {
                    Home::At(_, place) => place.line,
                    Home::Affine(id) => {
                        builder.home_affines.insert(id);
                        builder.affine_values[id as usize].place.line
                    }
                    Home::Nowhere | Home::Const(_) => continue,
                };
                builder.home_lines.insert(line);
            }
        }
        builder
    }

    fn block(&mut self, b: usize, block: &cfg::Block, ir: &BlockIr) -> Block {
        self.read.join(&self.live[b]);
        let needed_after = needed_after(block, self.live, self.code.slots);
        let needed = needed(ir, &needed_after);
        let mut last_use = last_use(ir, &needed, &needed_after);
        let test = self.test(b, ir, &needed, &needed_after);
        for node in test.iter().flat_map(|test| test.operands) {
            last_use[node as usize] = NEVER;
        }
        let late = test.as_ref().map_or(&[][..], |test| &test.nodes[..]);
        let mut ends = vec![Vec::new(); ir.items.len()];
        for (node, last) in last_use.iter().enumerate().filter(|(_, last)| **last != NEVER) {
            ends[*last as usize].push(node);
        }
        let old = ir.values.iter().enumerate().filter_map(|(node, value)| match value.from {
            ValueDef::Slot(slot) => Some((slot, node as ValueId)),
            _ => None,
        });
        let mut draft = Draft {
            ir,
            uniformities: &self.uniformities.values[b],
            at: vec![Home::Nowhere; ir.values.len()],
            last_use,
            ends,
            old: old.collect(),
            materialized: HashSet::default(),
            reads: HashSet::default(),
            steps: Vec::new(),
            hoisted: Vec::new(),
            copied: HashMap::default(),
            from: self.vector_ops.len() as u32,
        };
        let first_op = self.vector_ops.len();
        let kept = &self.uniformities.kept[b];
        // Values that may be put into their registers' homes at once.
        let mut home_of: HashMap<ValueId, u32> = HashMap::default();
        for (slot, node) in &ir.last {
            if needed_after.has(*slot as usize) && !kept.contains(slot) {
                let first = home_of.entry(*node).or_insert(*slot);
                *first = (*first).min(*slot);
            }
        }
        for (position, item) in ir.items.iter().enumerate() {
            let position = position as u32;
            match item {
                Item::Value(node) if late.contains(node) => {}
                Item::Value(node) if needed.has(*node as usize) => {
                    self.value(&mut draft, *node, position, &home_of);
                }
                Item::Value(_) => {}
                Item::Step(step) => {
                    if step_needed(&ir.steps[*step as usize].step, &needed) {
                        self.step(&mut draft, *step, position, &needed, &home_of);
                    }
                }
            }
            self.release(&mut draft, position);
        }
        let decides = match test {
            Some(_) => None,
            None => ir.decides.map(|node| {
                let place = self.kept_place(&mut draft, node);
                (place, draft.uniformities[node as usize] == Uniformity::Uniform)
            }),
        };
        let sides: Vec<Step> = ir
            .sides
            .iter()
            .map(|(node, instructions)| {
                let predicate = self.kept_place(&mut draft, *node);
                Step::Deferred { predicate, instructions: *instructions }
            })
            .collect();
        self.settle_registers(&mut draft, &needed_after, kept);
        self.flush(&mut draft);
        draft.steps.extend(sides);
        let test = test.map(|test| self.made_guess(&mut draft, &test));
        // What the block kept to itself is free again.
        for node in 0..ir.values.len() {
            if draft.last_use[node] == NEVER && self.owns(&draft, node) {
                self.free(&draft, node);
            }
        }
        let (decides, test) = match test {
            Some((place, test)) => (Some((place, false)), Some(Box::new(test))),
            None => (decides, None),
        };
        let exit = match (&block.exit, decides) {
            (cfg::Exit::Go(next), _) => Exit::Go(*next),
            (cfg::Exit::Branch { yes, no, .. }, Some((by, uniform))) => {
                Exit::Branch { by, uniform, test, yes: *yes, no: *no }
            }
            (cfg::Exit::Indexed { blocks, beyond, .. }, Some((index, _))) => {
                Exit::Indexed { index, blocks: blocks.clone(), beyond: *beyond }
            }
            (cfg::Exit::Barrier(next), _) => parking_exit(self.code, block.first, *next),
            (cfg::Exit::Bailout(_), _) => Exit::Bailout,
            _ => Exit::End,
        };
        let held = |node: ValueId| match ir.values[node as usize].from {
            ValueDef::Const(bits) => Home::Const(bits),
            ValueDef::Slot(slot) => self.homes[slot as usize],
            ValueDef::Special(_) | ValueDef::Op(..) | ValueDef::Step(_) => draft.at[node as usize],
        };
        let untils = registers::untils(self.code, block, ir, &needed_after);
        let sets = ir.sets.iter().zip(untils).map(|((pc, slot, node), until)| Set {
            from: pc + 1,
            until,
            slot: *slot,
            home: held(*node),
        });
        let sets = if draft.steps.iter().all(|s| {
            matches!(
                s,
                Step::Vector(_)
                    | Step::Scalar(_)
                    | Step::Materialize(_)
                    | Step::AffineOps(_)
                    | Step::PeriodicOps(_)
                    | Step::Deferred { .. }
            )
        }) && draft.hoisted.is_empty()
        {
            Vec::new()
        } else {
            sets.collect()
        };
        let branches = matches!(block.exit, cfg::Exit::Branch { .. });
        let reads_mask = self.vector_ops[first_op..].iter().any(|op| operands(op).contains(&self.active));
        let parts = Parts {
            vector_ops: &self.vector_ops,
            affine_ops: &self.affine_ops,
            affine_values: &self.affine_values,
        };
        draft.steps = products::join(draft.steps);
        // A loop of one block is taken as a whole, and has one pass.
        let may_store = !matches!(exit, Exit::Branch { yes, no, .. } if yes == b || no == b);
        let found = fused_loops(&draft.steps, &parts, may_store);
        let (fused_loops, deferred) = match found.is_empty() {
            true => (Vec::new(), Vec::new()),
            false => self.address_groups(found, &draft, &exit, &sets),
        };
        let self_loop = self.self_loop(b, &draft.steps, &exit);
        let counted_loop = self.counted_loop(b, &draft.steps, &exit, &fused_loops);
        Block {
            fused_loops,
            deferred,
            branches,
            reads_mask,
            steps: draft.steps,
            exit,
            #[cfg(debug_assertions)]
            pending: self.uniformities.pending[b].clone(),
            meets: self.uniformities.meets[b],
            only_meets: uniformity::only_meets(ir),
            only_ends: self.uniformities.only_ends[b],
            comers: None,
            first: block.first,
            instructions: block.end - block.first,
            counted: self.request.counted(block.first..block.counted_end),
            counted_end: block.counted_end,
            sets,
            hoisted: draft.hoisted,
            self_loop,
            counted_loop,
            turn_loop: None,
        }
    }

    /// Puts the operations that are pending into steps: those that can be compiled together, and the others.
    fn flush(&mut self, draft: &mut Draft) {
        let mut from = draft.from;
        let pending = &self.vector_ops[from as usize..];
        for run in pending.chunk_by(|a, b| can_be_compiled(a.what) == can_be_compiled(b.what)) {
            let end = from + run.len() as u32;
            draft.steps.push(Step::Vector(from..end));
            from = end;
        }
        draft.from = from;
        draft.reads.clear();
    }

    /// The next number of an access.
    fn site(&mut self) -> u32 {
        self.sites += 1;
        self.sites - 1
    }

    fn push(&mut self, draft: &mut Draft, step: Step) {
        self.flush(draft);
        draft.steps.push(step);
    }

    fn value(&mut self, draft: &mut Draft, node: ValueId, position: u32, home_of: &HashMap<ValueId, u32>) {
        let value = draft.ir.values[node as usize];
        let ValueDef::Op(op, operands) = value.from else {
            draft.at[node as usize] = self.home(draft, node);
            return;
        };
        let operands = &operands[..op.operands().len()];
        if matches!(draft.uniformities[node as usize], Uniformity::Affine | Uniformity::Periodic) {
            self.affine_op(draft, node, op, operands, position, home_of);
            return;
        }
        if draft.uniformities[node as usize] == Uniformity::Uniform && self.hoist(draft, node, op, operands) {
            return;
        }
        let mut from = [self.active; 3];
        for (place, operand) in from.iter_mut().zip(operands) {
            *place = self.spread_place(draft, *operand);
        }
        // Operands that are used here for the last time may give their place to the result.
        self.release(draft, position);
        let to = self.place_for(draft, node, position, home_of);
        draft.at[node as usize] = Home::At(value.ty, to);
        self.vector_op(draft, VectorOp { what: What::Op(op), to, from });
    }

    /// Adds an operation, by itself if its result is the same for all threads.
    fn vector_op(&mut self, draft: &mut Draft, vector_op: VectorOp) {
        if vector_op.to.stride > 0 {
            self.vector_ops.push(vector_op);
        } else {
            self.push(draft, Step::Scalar(vector_op));
        }
    }

    fn finish(mut self, mut blocks: Vec<Block>, origins: Origins, may_wait: bool) -> Plan {
        let (mut zero, mut zero_affines) = (Vec::new(), Vec::new());
        for slot in self.live[0].iter() {
            match self.homes[slot] {
                Home::At(ty, place) => zero.push((ty, place)),
                Home::Affine(id) => zero_affines.push(id),
                Home::Nowhere | Home::Const(_) => {}
            }
        }
        let mut number = self.fused_loops;
        for b in 0..blocks.len() {
            let turn_loop = self.turn_loop(b, &blocks, number);
            number += u32::from(turn_loop.is_some());
            blocks[b].turn_loop = turn_loop.or_else(|| self.tiled_loop(b, &blocks));
        }
        let lasting = live_out::lasting(&self.vector_ops, &self.prologue, &blocks, &self.homes);
        let [x, y, z] = self.axes.extent;
        let geometry = Geometry { extent: [x, y, z, self.batch_size] };
        let Lasting { runs: ranges, lasts, fused_loops, bytes_between, .. } = lasting;
        let runs = Runs {
            ranges,
            lasts,
            constants: self.constant_lines,
            fused_loops,
            active: Some(self.active.line),
            geometry,
        };
        let prints = blocks.iter().flat_map(|block| &block.steps).any(|step| matches!(step, Step::Print(_)));
        let parks = blocks.iter().any(Block::parks);
        Plan {
            prints,
            parks,
            zero,
            zero_affines,
            sites: self.sites,
            blocks,
            vector_ops: VectorOps::new(self.lines as usize, self.groups, self.vector_ops, runs),
            affine_ops: self.affine_ops,
            prologue: self.prologue,
            batch_size: self.batch_size,
            axes: self.axes,
            thread_bytes: self.thread_bytes,
            bytes_between,
            constants: self.constants.into_iter().map(|((ty, bits), place)| (ty, place, bits)).collect(),
            specials: self.specials.into_iter().map(|(value, p)| (special_type(value), p, value)).collect(),
            affine_values: self.affine_values,
            affine_constants: self.affine_constants.into_iter().map(|((_, bits), id)| (id, bits)).collect(),
            places: self.places.into_iter().map(|(value, id)| (id, value)).collect(),
            homes: self.homes,
            origins,
            active: self.active,
            may_wait,
            pool: Default::default(),
            patterns: Default::default(),
        }
    }
}

impl Draft<'_> {
    /// Whether nothing needs what a register held at the block's start, from an item on.
    fn is_over(&self, slot: u32, position: u32) -> bool {
        self.old.get(&slot).is_none_or(|node| self.last_use[*node as usize] <= position)
    }

    /// The values that are used last at an item, each given once.
    fn ending(&mut self, position: u32) -> Vec<usize> {
        self.ends.get_mut(position as usize).map(std::mem::take).unwrap_or_default()
    }
}
