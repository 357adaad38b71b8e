//! From code to a plan: what is not needed is left out, every value gets a place, and places are used again.

mod families;
mod guess;
mod hoist;
mod lasting;
mod places;
mod regions;
mod registers;
mod steps;

use super::analysis::{Analysis, NEVER, analyse, last_use, may_wait, needed, needed_after, outcome_needed};
use super::class::{Class, Classes};
use super::even::How;
use super::flow;
use super::graph::{self, From, Graph, Item, Node, slot_type, special_type};
use super::lanes::{Act, Acts, GROUP, Geometry, Place, Runs, UNIT, What, can_be_compiled};
use super::plan::{Block, EvenAct, EvenId, EvenPlace, Exit, Home, Plan, Set, Step};
use super::sides::guarded;
use super::usage::{self, Bits};
use crate::code::{Action, Code};
use crate::grid::Dim;
use crate::memory::Layout;
pub(crate) use families::lent;
use lasting::Lasting;
use margay_isa::Semantics;
use margay_isa::special::SpecialValue;
use margay_isa::uop::{Op, Type};
use places::{Pool, Use};
pub(crate) use regions::is_late;
use regions::{Parts, regions};
use std::collections::{HashMap, HashSet};

/// What a plan is made for.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) code: &'a Code,
    pub(crate) layout: &'a Layout,
    pub(crate) semantics: Semantics,
    pub(crate) block: Dim,
    /// Threads of a CTA.
    pub(crate) threads: u32,
    /// CTAs that run together.
    pub(crate) members: u32,
    /// Whether threads need not part for short sides of branches.
    pub(crate) joins: bool,
}

/// Makes a kernel's plan.
pub(crate) fn build(wanted: &Wanted) -> Plan {
    let guarded = guarded(wanted);
    let wanted = &Wanted { code: guarded.as_ref().unwrap_or(wanted.code), ..*wanted };
    let Analysis { blocks, graphs, live, classes } = analyse(wanted);
    let mut builder = Builder::new(wanted, &live, &classes);
    let made = blocks.iter().enumerate().map(|(b, block)| builder.block(b, block, &graphs[b]));
    let blocks = made.collect();
    builder.finish(blocks, may_wait(wanted.code))
}

struct Builder<'a> {
    code: &'a Code,
    members: u32,
    block: Dim,
    thread_bytes: u32,
    live: &'a [Bits],
    classes: &'a Classes,
    groups: usize,
    lines: u32,
    acts: Vec<Act>,
    sites: u32,
    regions: u32,
    even_acts: Vec<EvenAct>,
    even_constants: HashMap<(Type, u64), EvenId>,
    /// By the place of a value that is the same throughout a launch.
    even_fixed: HashMap<Place, EvenId>,
    prologue: Vec<Step>,
    /// The lines of values that are the same throughout a launch.
    fixed: HashSet<u32>,
    /// How many instructions set each register.
    writers: Vec<u32>,
    /// Whether parameters are the kernel's own alone.
    calls: bool,
    constants: HashMap<(Type, u64), Place>,
    /// The constants at lines, and those that grow evenly, and the values of registers that do.
    constant_lines: HashMap<u32, u64>,
    constant_evens: HashMap<EvenId, u64>,
    home_evens: HashSet<EvenId>,
    specials: HashMap<SpecialValue, Place>,
    places: HashMap<SpecialValue, EvenId>,
    evens: Vec<EvenPlace>,
    homes: Vec<Home>,
    home_lines: HashSet<u32>,
    /// By type and use.
    pools: HashMap<(Type, Use), Pool>,
    running: Place,
    parted: [Place; 2],
}

/// A block while it is built.
struct Draft<'g> {
    graph: &'g Graph,
    classes: &'g [Class],
    /// Where values lie; those that grow evenly by their number.
    at: Vec<Home>,
    /// Where each value is used last, as a place in the items.
    last_use: Vec<u32>,
    /// The values that are used last at each item.
    ends: Vec<Vec<usize>>,
    /// What registers held at the block's begin.
    old: HashMap<u32, Node>,
    /// Which values that grow evenly are known to be spread out.
    spread: HashSet<EvenId>,
    /// The lines of such values that operations which wait for their step read.
    reads: HashSet<u32>,
    steps: Vec<Step>,
    /// Whether it is the first block of the kernel.
    is_first: bool,
    /// Steps of the prologue that are loads of this block.
    hoisted: Vec<u32>,
    /// The first of the operations that no step has taken yet.
    from: u32,
}

impl<'a> Builder<'a> {
    fn new(wanted: &Wanted<'a>, live: &'a [Bits], classes: &'a Classes) -> Builder<'a> {
        let threads = (wanted.threads * wanted.members) as usize;
        let groups = threads.div_ceil(GROUP).next_multiple_of(UNIT);
        let mut builder = Builder {
            code: wanted.code,
            members: wanted.members,
            block: wanted.block,
            thread_bytes: 0,
            live,
            classes,
            groups,
            lines: 0,
            acts: Vec::new(),
            sites: 0,
            regions: 0,
            even_acts: Vec::new(),
            even_constants: HashMap::new(),
            even_fixed: HashMap::new(),
            prologue: Vec::new(),
            fixed: HashSet::new(),
            writers: vec![0; wanted.code.slots],
            calls: wanted.code.ops.iter().any(|op| matches!(op.action, Action::Call(_))),
            constants: HashMap::new(),
            constant_lines: HashMap::new(),
            constant_evens: HashMap::new(),
            home_evens: HashSet::new(),
            specials: HashMap::new(),
            places: HashMap::new(),
            evens: Vec::new(),
            homes: vec![Home::Nowhere; wanted.code.slots],
            home_lines: Default::default(),
            pools: HashMap::new(),
            running: Place { line: 0, stride: 1 },
            parted: [Place { line: 0, stride: 1 }; 2],
        };
        for op in &wanted.code.ops {
            usage::writes(op, &mut |slot| builder.writers[slot as usize] += 1);
        }
        builder.running = builder.fresh(Type::Pred, Use::Even);
        builder.parted = [0, 1].map(|_| builder.fresh(Type::Pred, Use::Even));
        let mut lasting = Bits::new(wanted.code.slots);
        live.iter().for_each(|needs| {
            lasting.join(needs);
        });
        for slot in 0..wanted.code.slots {
            if lasting.has(slot) {
                let ty = slot_type(wanted.code, slot as u32);
                builder.homes[slot] = match classes.slots[slot] {
                    Class::Uniform => Home::At(ty, builder.fresh(ty, Use::Uniform)),
                    Class::Varying => Home::At(ty, builder.fresh(ty, Use::Varying)),
                    Class::Affine => Home::Even(builder.even(ty)),
                };
                let line = match builder.homes[slot] {
                    Home::At(_, place) => place.line,
                    Home::Even(id) => {
                        builder.home_evens.insert(id);
                        builder.evens[id as usize].place.line
                    }
                    Home::Nowhere | Home::Const(_) => continue,
                };
                builder.home_lines.insert(line);
            }
        }
        builder
    }

    fn block(&mut self, b: usize, block: &flow::Block, graph: &Graph) -> Block {
        let needed_after = needed_after(block, self.live, self.code.slots);
        let needed = needed(graph, &needed_after);
        let mut last_use = last_use(graph, &needed, &needed_after);
        let guess = self.guess(b, graph, &needed, &needed_after);
        for node in guess.iter().flat_map(|guess| guess.operands) {
            last_use[node as usize] = NEVER;
        }
        let late = guess.as_ref().map_or(&[][..], |guess| &guess.nodes[..]);
        let mut ends = vec![Vec::new(); graph.items.len()];
        for (node, last) in last_use.iter().enumerate().filter(|(_, last)| **last != NEVER) {
            ends[*last as usize].push(node);
        }
        let old = graph.values.iter().enumerate().filter_map(|(node, value)| match value.from {
            From::Slot(slot) => Some((slot, node as Node)),
            _ => None,
        });
        let mut draft = Draft {
            graph,
            classes: &self.classes.values[b],
            at: vec![Home::Nowhere; graph.values.len()],
            last_use,
            ends,
            old: old.collect(),
            spread: HashSet::new(),
            reads: HashSet::new(),
            is_first: b == 0,
            steps: Vec::new(),
            hoisted: Vec::new(),
            from: self.acts.len() as u32,
        };
        let kept = &self.classes.kept[b];
        // Values that may be put into their registers' homes at once.
        let mut home_of: HashMap<Node, u32> = HashMap::new();
        for (slot, node) in &graph.last {
            if needed_after.has(*slot as usize) && !kept.contains(slot) {
                let first = home_of.entry(*node).or_insert(*slot);
                *first = (*first).min(*slot);
            }
        }
        for (position, item) in graph.items.iter().enumerate() {
            let position = position as u32;
            match item {
                Item::Value(node) if late.contains(node) => {}
                Item::Value(node) if needed.has(*node as usize) => {
                    self.value(&mut draft, *node, position, &home_of);
                }
                Item::Value(_) => {}
                Item::Step(step) => {
                    let wanted = match &graph.steps[*step as usize].step {
                        graph::Step::Each(each) => each.results.iter().any(|r| outcome_needed(*r, &needed)),
                        _ => true,
                    };
                    if wanted {
                        self.step(&mut draft, *step, position, &needed, &home_of);
                    }
                }
            }
            self.release(&mut draft, position);
        }
        let decides = match guess {
            Some(_) => None,
            None => graph.decides.map(|node| {
                let place = self.kept_place(&mut draft, node);
                (place, draft.classes[node as usize] == Class::Uniform)
            }),
        };
        let sides: Vec<Step> = graph
            .sides
            .iter()
            .map(|(node, instructions)| {
                let predicate = self.kept_place(&mut draft, *node);
                Step::Skipped { predicate, instructions: *instructions }
            })
            .collect();
        self.settle_registers(&mut draft, &needed_after, kept);
        self.flush(&mut draft);
        draft.steps.extend(sides);
        let guess = guess.map(|guess| self.made_guess(&mut draft, &guess));
        // What the block kept to itself is free again.
        for node in 0..graph.values.len() {
            if draft.last_use[node] == NEVER && self.owns(&draft, node) {
                self.free(&draft, node);
            }
        }
        let (decides, guess) = match guess {
            Some((place, guess)) => (Some((place, false)), Some(Box::new(guess))),
            None => (decides, None),
        };
        let exit = match (&block.exit, decides) {
            (flow::Exit::Go(next), _) => Exit::Go(*next),
            (flow::Exit::Branch { yes, no, .. }, Some((by, uniform))) => {
                Exit::Branch { by, uniform, guess, yes: *yes, no: *no }
            }
            (flow::Exit::Indexed { blocks, beyond, .. }, Some((index, _))) => {
                Exit::Indexed { index, blocks: blocks.clone(), beyond: *beyond }
            }
            (flow::Exit::HandOver(_), _) => Exit::HandOver,
            _ => Exit::End,
        };
        let held = |node: Node| match graph.values[node as usize].from {
            From::Const(bits) => Home::Const(bits),
            From::Slot(slot) => self.homes[slot as usize],
            From::Special(_) | From::Op(..) | From::Step(_) => draft.at[node as usize],
        };
        let untils = registers::untils(self.code, block, graph, &needed_after);
        let sets = graph.sets.iter().zip(untils).map(|((pc, slot, node), until)| Set {
            from: pc + 1,
            until,
            slot: *slot,
            home: held(*node),
        });
        let sets = if draft.steps.iter().all(|s| {
            matches!(
                s,
                Step::Acts(_) | Step::Single(_) | Step::Spread(_) | Step::Evens(_) | Step::Skipped { .. }
            )
        }) && draft.hoisted.is_empty()
        {
            Vec::new()
        } else {
            sets.collect()
        };
        let branches = matches!(block.exit, flow::Exit::Branch { .. });
        let parts = Parts { acts: &self.acts, even_acts: &self.even_acts, evens: &self.evens };
        let found = regions(&draft.steps, &parts);
        let (regions, skipped) = match found.is_empty() {
            true => (Vec::new(), Vec::new()),
            false => self.families(found, &draft, &exit, &sets),
        };
        Block {
            regions,
            skipped,
            branches,
            steps: draft.steps,
            exit,
            first: block.first,
            instructions: block.end - block.first,
            counted: block.counted,
            sets,
            hoisted: draft.hoisted,
        }
    }

    /// Puts the operations that are waiting into steps: those that can be compiled together, and the others.
    fn flush(&mut self, draft: &mut Draft) {
        let mut from = draft.from;
        let waiting = &self.acts[from as usize..];
        for run in waiting.chunk_by(|a, b| can_be_compiled(a.what) == can_be_compiled(b.what)) {
            let end = from + run.len() as u32;
            draft.steps.push(Step::Acts(from..end));
            from = end;
        }
        draft.from = from;
        draft.reads.clear();
    }

    /// Carries out an operation on values that grow evenly before those that wait for their step: they do not need it, and
    /// so stay together.
    fn push_even(&mut self, draft: &mut Draft, act: EvenAct) {
        self.make_way(draft, act.to);
        draft.spread.remove(&act.to);
        let at = self.even_acts.len() as u32;
        self.even_acts.push(act);
        match draft.steps.last_mut() {
            Some(Step::Evens(range)) if range.end == at => range.end += 1,
            _ => draft.steps.push(Step::Evens(at..at + 1)),
        }
    }

    /// The lines of a value that grows evenly, for an operation that waits for its step.
    fn spread_even(&mut self, draft: &mut Draft, id: EvenId) -> Place {
        if draft.spread.insert(id) {
            self.make_way(draft, id);
            draft.steps.push(Step::Spread(id));
        }
        let place = self.evens[id as usize].place;
        draft.reads.insert(place.line);
        place
    }

    /// Lets those operations go first that read what lies in the lines of a value now.
    fn make_way(&mut self, draft: &mut Draft, id: EvenId) {
        if draft.reads.contains(&self.evens[id as usize].place.line) {
            self.flush(draft);
        }
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

    fn value(&mut self, draft: &mut Draft, node: Node, position: u32, home_of: &HashMap<Node, u32>) {
        let value = draft.graph.values[node as usize];
        let From::Op(op, operands) = value.from else {
            draft.at[node as usize] = self.home(draft, node);
            return;
        };
        let operands = &operands[..op.operands().len()];
        if draft.classes[node as usize] == Class::Affine {
            self.even_act(draft, node, op, operands, position, home_of);
            return;
        }
        if draft.classes[node as usize] == Class::Uniform && self.hoist(draft, node, op, operands) {
            return;
        }
        let mut from = [self.running; 3];
        for (place, operand) in from.iter_mut().zip(operands) {
            *place = self.spread_place(draft, *operand);
        }
        // Operands that are used here for the last time may give their place to the result.
        self.release(draft, position);
        let to = self.place_for(draft, node, position, home_of);
        draft.at[node as usize] = Home::At(value.ty, to);
        self.act(draft, Act { what: What::Op(op), to, from });
    }

    /// Adds an operation, by itself if its result is the same for all threads.
    fn act(&mut self, draft: &mut Draft, act: Act) {
        if act.to.stride > 0 {
            self.acts.push(act);
        } else {
            self.push(draft, Step::Single(act));
        }
    }

    fn even_act(
        &mut self,
        draft: &mut Draft,
        node: Node,
        op: Op,
        operands: &[Node],
        position: u32,
        home_of: &HashMap<Node, u32>,
    ) {
        let ty = draft.graph.values[node as usize].ty;
        let mut ids = Vec::with_capacity(3);
        for operand in operands {
            let operand_ty = draft.graph.values[*operand as usize].ty;
            let home = self.home(draft, *operand);
            ids.push(self.even_operand(draft, operand_ty, home));
        }
        let from = [0, 1, 2].map(|k| *ids.get(k).unwrap_or(&ids[0]));
        let lines = from.map(|id| self.evens[id as usize].place);
        let home = home_of.get(&node).and_then(|slot| match self.homes[*slot as usize] {
            Home::Even(id) if self.evens[id as usize].ty == ty && draft.is_over(*slot, position) => Some(id),
            _ => None,
        });
        let to = home.unwrap_or_else(|| self.even(ty));
        draft.at[node as usize] = Home::Even(to);
        let spread = Act { what: What::Op(op), to: self.evens[to as usize].place, from: lines };
        self.push_even(draft, EvenAct { how: How::of(op), ty: op.result(), to, from, spread });
    }

    fn finish(self, blocks: Vec<Block>, may_wait: bool) -> Plan {
        let (mut zero, mut zero_evens) = (Vec::new(), Vec::new());
        for slot in self.live[0].iter() {
            match self.homes[slot] {
                Home::At(ty, place) => zero.push((ty, place)),
                Home::Even(id) => zero_evens.push(id),
                Home::Nowhere | Home::Const(_) => {}
            }
        }
        let lasting = lasting::lasting(&self.acts, &self.prologue, &blocks, &self.homes);
        let geometry = Geometry { extent: [self.block.x, self.block.y, self.block.z, self.members] };
        let Lasting { runs: ranges, lasts, regions, bytes_between, .. } = lasting;
        let runs = Runs {
            ranges,
            lasts,
            constants: self.constant_lines,
            regions,
            running: Some(self.running.line),
            geometry,
        };
        Plan {
            zero,
            zero_evens,
            sites: self.sites,
            blocks,
            acts: Acts::new(self.lines as usize, self.groups, self.acts, runs),
            even_acts: self.even_acts,
            prologue: self.prologue,
            members: self.members,
            thread_bytes: self.thread_bytes,
            bytes_between,
            constants: self.constants.into_iter().map(|((ty, bits), place)| (ty, place, bits)).collect(),
            specials: self.specials.into_iter().map(|(value, p)| (special_type(value), p, value)).collect(),
            evens: self.evens,
            even_constants: self.even_constants.into_iter().map(|((_, bits), id)| (id, bits)).collect(),
            places: self.places.into_iter().map(|(value, id)| (id, value)).collect(),
            homes: self.homes,
            running: self.running,
            parted: self.parted,
            may_wait,
            spare: Default::default(),
        }
    }
}

impl Draft<'_> {
    /// Whether nothing needs what a register held at the block's begin, from an item on.
    fn is_over(&self, slot: u32, position: u32) -> bool {
        self.old.get(&slot).is_none_or(|node| self.last_use[*node as usize] <= position)
    }

    /// The values that are used last at an item, each given once.
    fn ending(&mut self, position: u32) -> Vec<usize> {
        self.ends.get_mut(position as usize).map(std::mem::take).unwrap_or_default()
    }
}
