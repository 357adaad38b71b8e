//! From code to a plan: what is not needed is left out, every value gets a place, and places are used again.

use super::class::{Class, Classes, classes};
use super::flow::{self, in_order, split};
use super::fuse::fuse;
use super::graph::{self, Context, From, Graph, Item, Node, Outcome, slot_type, special_type};
use super::lanes::{Act, GROUP, Place, UNIT, What, width};
use super::plan::{
    Address, Atomic, Block, Each, EvenAct, EvenId, EvenPlace, Exit, Guess, Home, Move, Operand, Plan, Simple,
    Source, Step, Target, Together,
};
use super::usage::{self, Bits, live};
use crate::code::{Action, Code, Strength};
use crate::grid::Dim;
use crate::memory::Layout;
use margay_isa::special::SpecialValue;
use margay_isa::uop::{Cmp, Int, Logic, Op, Type};
use margay_isa::{Inst, Semantics, Slot, Word};
use std::collections::HashMap;

/// What a plan is made for.
pub(crate) struct Wanted<'a> {
    pub(crate) code: &'a Code,
    pub(crate) layout: &'a Layout,
    pub(crate) semantics: Semantics,
    pub(crate) block: Dim,
    /// Threads of a CTA.
    pub(crate) threads: u32,
    /// CTAs that run together.
    pub(crate) members: u32,
}

/// What is found out about a kernel before places are given.
pub(super) struct Analysis {
    pub(super) blocks: Vec<flow::Block>,
    pub(super) graphs: Vec<Graph>,
    /// For every block, the slots that it needs from before it.
    pub(super) live: Vec<Bits>,
    pub(super) classes: Classes,
}

/// Finds out about a kernel what its plan rests on.
pub(super) fn analyse(wanted: &Wanted) -> Analysis {
    let raw = split(wanted.code);
    let needs = live(wanted.code, &raw);
    let (blocks, live): (Vec<_>, Vec<_>) =
        in_order(&raw).into_iter().map(|(block, origin)| (block, needs[origin].clone())).unzip();
    let fixed = |value: SpecialValue| match value {
        SpecialValue::Ntid(axis) => Some(u64::from(wanted.block.axis(axis))),
        SpecialValue::Tid(axis) if wanted.block.axis(axis) == 1 => Some(0),
        _ => None,
    };
    let mut graphs = graphs(wanted, &blocks, &fixed);
    for (block, graph) in blocks.iter().zip(&mut graphs) {
        let after = needed_after(block, &live, wanted.code.slots);
        let needed = needed(graph, &after);
        let mut kept = Bits::new(graph.values.len());
        let last = graph.last.iter().filter(|(slot, _)| after.has(**slot as usize));
        last.for_each(|(_, node)| kept.put(*node as usize));
        fuse(graph, &needed, &kept);
    }
    let classes = classes(&blocks, &graphs, &live, wanted.code.slots, wanted.members > 1);
    Analysis { blocks, graphs, live, classes }
}

/// Makes a kernel's plan.
pub(crate) fn build(wanted: &Wanted) -> Plan {
    let Analysis { blocks, graphs, live, classes } = analyse(wanted);
    let mut builder = Builder::new(wanted, &live, &classes);
    let made = blocks.iter().enumerate().map(|(b, block)| builder.block(b, block, &graphs[b]));
    let blocks = made.collect();
    builder.finish(blocks, may_wait(wanted.code))
}

/// The values of all blocks. Registers that one instruction sets to a constant are that constant wherever it comes first.
fn graphs(
    wanted: &Wanted,
    blocks: &[flow::Block],
    fixed: &dyn Fn(SpecialValue) -> Option<u64>,
) -> Vec<Graph> {
    let mut writers = vec![0u32; wanted.code.slots];
    for op in &wanted.code.ops {
        usage::writes(op, &mut |slot| writers[slot as usize] += 1);
    }
    let dominators = dominators(blocks);
    let mut constants: Vec<(usize, u32, u64)> = Vec::new();
    let mut graphs = Vec::with_capacity(blocks.len());
    for (b, block) in blocks.iter().enumerate() {
        let dominates = |a: usize| {
            let mut at = b;
            while at > a {
                at = dominators[at];
            }
            at == a
        };
        // Only what the block itself reads is looked up.
        let mut read = std::collections::BTreeSet::new();
        for op in &wanted.code.ops[block.first as usize..block.end as usize] {
            usage::reads(op, &mut |slot| {
                read.insert(slot);
            });
        }
        if let flow::Exit::Branch { guard, .. } = &block.exit {
            read.insert(guard.slot);
        }
        let seen = constants.iter().filter(|(_, slot, _)| read.contains(slot));
        let seen =
            seen.filter(|(from, ..)| *from != b && dominates(*from)).map(|(_, slot, bits)| (*slot, *bits));
        let context = Context {
            code: wanted.code,
            layout: wanted.layout,
            semantics: wanted.semantics,
            constants: seen.collect(),
            fixed,
        };
        let graph = Graph::of(&context, block);
        for (slot, node) in &graph.last {
            if writers[*slot as usize] == 1
                && let Some(bits) = graph.known_bits(*node)
            {
                constants.push((b, *slot, bits));
            }
        }
        graphs.push(graph);
    }
    graphs
}

/// For every block the last one that all ways to it lead through, itself left out (Cooper, Harvey and Kennedy).
fn dominators(blocks: &[flow::Block]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (b, block) in blocks.iter().enumerate() {
        block.exit.each(|next| before[next].push(b));
    }
    let mut found = vec![UNKNOWN; blocks.len()];
    found[0] = 0;
    loop {
        let mut changed = false;
        for b in 1..blocks.len() {
            let mut one = UNKNOWN;
            for previous in before[b].iter().copied().filter(|p| found[*p] != UNKNOWN) {
                let (mut x, mut y) = (previous, if one == UNKNOWN { previous } else { one });
                let mut steps = 0;
                while x != y && steps <= 2 * blocks.len() {
                    if x > y {
                        x = found[x]
                    } else {
                        y = found[y]
                    }
                    steps += 1;
                }
                one = x.min(y);
            }
            // A way back may come before its goal in an irregular graph; the first block is then said.
            let one = if one == UNKNOWN || one >= b { 0 } else { one };
            if found[b] != one {
                // Only upwards, so that an end is reached.
                let better = if found[b] == UNKNOWN { one } else { one.min(found[b]) };
                changed |= better != found[b];
                found[b] = better;
            }
        }
        if !changed {
            return found;
        }
    }
}

/// Whether some loop could wait for another thread: whether anything reads memory that others change meanwhile.
fn may_wait(code: &Code) -> bool {
    code.ops.iter().any(|op| match &op.action {
        Action::Atomic(atomic) => atomic.target.is_some(),
        Action::Load(load) => load.strength != Strength::default(),
        _ => false,
    })
}

/// Free places of one kind.
#[derive(Default)]
struct Pool {
    free: Vec<u32>,
}

struct Builder<'a> {
    code: &'a Code,
    members: u32,
    thread_bytes: u32,
    live: &'a [Bits],
    classes: &'a Classes,
    groups: usize,
    lines: u32,
    acts: Vec<Act>,
    constants: HashMap<(Type, u64), Place>,
    specials: HashMap<SpecialValue, Place>,
    places: HashMap<SpecialValue, EvenId>,
    evens: Vec<EvenPlace>,
    homes: Vec<Home>,
    home_lines: std::collections::HashSet<u32>,
    /// By type and whether the value is the same in all threads.
    pools: HashMap<(Type, bool), Pool>,
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
    spread: std::collections::HashSet<EvenId>,
    steps: Vec<Step>,
    /// The first of the operations that no step has taken yet.
    from: u32,
}

const NEVER: u32 = u32::MAX;

/// A comparison that decides a block's branch.
struct Deciding {
    cmp: Cmp,
    operands: [Node; 2],
    negated: bool,
    /// It, and what turns it round.
    nodes: Vec<Node>,
}

impl<'a> Builder<'a> {
    fn new(wanted: &Wanted<'a>, live: &'a [Bits], classes: &'a Classes) -> Builder<'a> {
        let threads = (wanted.threads * wanted.members) as usize;
        let groups = threads.div_ceil(GROUP).next_multiple_of(UNIT);
        let mut builder = Builder {
            code: wanted.code,
            members: wanted.members,
            thread_bytes: 0,
            live,
            classes,
            groups,
            lines: 0,
            acts: Vec::new(),
            constants: HashMap::new(),
            specials: HashMap::new(),
            places: HashMap::new(),
            evens: Vec::new(),
            homes: vec![Home::Nowhere; wanted.code.slots],
            home_lines: Default::default(),
            pools: HashMap::new(),
            running: Place { line: 0, stride: 1 },
            parted: [Place { line: 0, stride: 1 }; 2],
        };
        builder.running = builder.fresh(Type::Pred, false);
        builder.parted = [0, 1].map(|_| builder.fresh(Type::Pred, false));
        for slot in 0..wanted.code.slots {
            if live.iter().any(|needs| needs.has(slot)) {
                let ty = slot_type(wanted.code, slot as u32);
                builder.homes[slot] = match classes.slots[slot] {
                    Class::Uniform => Home::At(ty, builder.fresh(ty, true)),
                    Class::Varying => Home::At(ty, builder.fresh(ty, false)),
                    Class::Affine => Home::Even(builder.even(ty)),
                };
                let line = match builder.homes[slot] {
                    Home::At(_, place) => place.line,
                    Home::Even(id) => builder.evens[id as usize].place.line,
                    Home::Nowhere | Home::Const(_) => continue,
                };
                builder.home_lines.insert(line);
            }
        }
        builder
    }

    /// A place that nothing has used.
    fn fresh(&mut self, ty: Type, uniform: bool) -> Place {
        let wide = u32::from(width(ty));
        let line = self.lines;
        // A line more keeps registers from beginning at the same offset in a page, where stores and loads would clash.
        self.lines += if uniform { wide } else { wide * self.groups as u32 + 1 };
        self.thread_bytes += if uniform { 0 } else { 4 * wide };
        Place { line, stride: if uniform { 0 } else { wide as u8 } }
    }

    fn take(&mut self, ty: Type, uniform: bool) -> Place {
        match self.pools.entry((ty, uniform)).or_default().free.pop() {
            Some(line) => Place { line, stride: if uniform { 0 } else { width(ty) } },
            None => self.fresh(ty, uniform),
        }
    }

    fn give(&mut self, ty: Type, place: Place) {
        self.pools.entry((ty, place.stride == 0)).or_default().free.push(place.line);
    }

    fn even(&mut self, ty: Type) -> EvenId {
        let place = self.take(ty, false);
        self.evens.push(EvenPlace { ty, place });
        self.evens.len() as EvenId - 1
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Place {
        if let Some(place) = self.constants.get(&(ty, bits)) {
            return *place;
        }
        let place = self.fresh(ty, true);
        self.constants.insert((ty, bits), place);
        place
    }

    fn special(&mut self, value: SpecialValue, class: Class) -> Home {
        let ty = special_type(value);
        if class == Class::Affine {
            if let Some(id) = self.places.get(&value) {
                return Home::Even(*id);
            }
            // It keeps its place for good: other blocks may have used any of those that are free here.
            let place = self.fresh(ty, false);
            self.home_lines.insert(place.line);
            self.evens.push(EvenPlace { ty, place });
            let id = self.evens.len() as EvenId - 1;
            self.places.insert(value, id);
            return Home::Even(id);
        }
        if let Some(place) = self.specials.get(&value) {
            return Home::At(ty, *place);
        }
        let place = self.fresh(ty, class == Class::Uniform);
        self.specials.insert(value, place);
        Home::At(ty, place)
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
            spread: Default::default(),
            steps: Vec::new(),
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
                let place = self.spread_place(&mut draft, node);
                (place, draft.classes[node as usize] == Class::Uniform)
            }),
        };
        self.settle_registers(&mut draft, &needed_after, kept);
        self.flush(&mut draft);
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
        let sets = graph.sets.iter().map(|(pc, slot, node)| (pc + 1, *slot, held(*node)));
        let sets = if draft
            .steps
            .iter()
            .all(|s| matches!(s, Step::Acts(_) | Step::Single(_) | Step::Spread(_) | Step::Even(_)))
        {
            Vec::new()
        } else {
            sets.collect()
        };
        let branches = matches!(block.exit, flow::Exit::Branch { .. });
        Block {
            branches,
            steps: draft.steps,
            exit,
            first: block.first,
            instructions: block.end - block.first,
            counted: block.counted,
            sets,
        }
    }

    /// A comparison that decides the block's branch and nothing else, of values that grow evenly or are the same in all
    /// threads, with no step behind it.
    fn guess(&self, b: usize, graph: &Graph, needed: &Bits, needed_after: &Bits) -> Option<Deciding> {
        let decides = graph.decides?;
        let classes = &self.classes.values[b];
        if classes[decides as usize] != Class::Varying {
            return None;
        }
        let (node, negated) = match graph.values[decides as usize].from {
            From::Op(Op::Pred(Logic::Xor), [a, b, _]) if graph.known_bits(b) == Some(1) => (a, true),
            From::Op(Op::Pred(Logic::Xor), [a, b, _]) if graph.known_bits(a) == Some(1) => (b, true),
            _ => (decides, false),
        };
        let From::Op(Op::Cmp32(cmp) | Op::Cmp64(cmp), [x, y, _]) = graph.values[node as usize].from else {
            return None;
        };
        let fits = |operand: &Node| {
            let moved = match graph.values[*operand as usize].from {
                From::Slot(slot) => graph.last.contains_key(&slot),
                _ => false,
            };
            classes[*operand as usize] != Class::Varying && !moved
        };
        let nodes = if negated { vec![node, decides] } else { vec![node] };
        let mut uses = 0;
        for other in (0..graph.values.len()).filter(|other| needed.has(*other)) {
            operands(graph, other as Node, &mut |operand| uses += usize::from(nodes.contains(&operand)));
        }
        for step in 0..graph.steps.len() as u32 {
            step_operands(graph, step, &mut |operand| uses += 2 * usize::from(nodes.contains(&operand)));
        }
        let kept = |(slot, last): (&u32, &Node)| nodes.contains(last) && needed_after.has(*slot as usize);
        let place = graph.items.iter().position(|item| *item == Item::Value(node))?;
        let alone = uses == usize::from(negated) && !graph.last.iter().any(kept);
        let at_end = !graph.items[place..].iter().any(|item| matches!(item, Item::Step(_)));
        ([x, y].iter().all(fits) && alone && at_end).then_some(Deciding {
            cmp,
            operands: [x, y],
            negated,
            nodes,
        })
    }

    /// The guess, and where each thread's predicate lies if it fails. The block's own steps are not touched.
    fn made_guess(&mut self, draft: &mut Draft, deciding: &Deciding) -> (Place, Guess) {
        let steps = std::mem::take(&mut draft.steps);
        let ty = draft.graph.values[deciding.operands[0] as usize].ty;
        let operands = deciding.operands.map(|node| match self.home(draft, node) {
            Home::Even(id) => Operand::Even(id),
            Home::Const(bits) => Operand::Uniform(ty, self.constant(ty, bits)),
            Home::At(_, place) => Operand::Uniform(ty, place),
            Home::Nowhere => Operand::Uniform(ty, self.running),
        });
        let end = draft.graph.items.len() as u32;
        for node in &deciding.nodes {
            self.value(draft, *node, end, &HashMap::new());
        }
        let place = deciding.nodes.last().map_or(self.running, |node| self.spread_place(draft, *node));
        self.flush(draft);
        let late = std::mem::replace(&mut draft.steps, steps);
        let Deciding { cmp, negated, .. } = *deciding;
        (place, Guess { cmp, ty, operands, negated, steps: late })
    }

    /// Puts the operations that are waiting into a step.
    fn flush(&mut self, draft: &mut Draft) {
        let end = self.acts.len() as u32;
        if end > draft.from {
            draft.steps.push(Step::Acts(draft.from..end));
        }
        draft.from = end;
    }

    fn push(&mut self, draft: &mut Draft, step: Step) {
        self.flush(draft);
        draft.steps.push(step);
    }

    /// Whether a value's place is its own, and not a register's home or a constant's.
    fn owns(&self, draft: &Draft, node: usize) -> bool {
        match draft.graph.values[node].from {
            From::Const(_) | From::Slot(_) | From::Special(_) => false,
            From::Op(..) | From::Step(_) => {
                let line = match draft.at[node] {
                    Home::At(_, place) => place.line,
                    Home::Even(id) => self.evens[id as usize].place.line,
                    Home::Nowhere | Home::Const(_) => return false,
                };
                !self.home_lines.contains(&line)
            }
        }
    }

    fn free(&mut self, draft: &Draft, node: usize) {
        match draft.at[node] {
            Home::At(ty, place) => self.give(ty, place),
            Home::Even(id) => {
                let EvenPlace { ty, place } = self.evens[id as usize];
                self.give(ty, place);
            }
            Home::Nowhere | Home::Const(_) => {}
        }
    }

    /// Frees the places of values that are used here for the last time.
    fn release(&mut self, draft: &mut Draft, position: u32) {
        let done: Vec<usize> = draft.ending(position);
        for node in done {
            if self.owns(draft, node) {
                self.free(draft, node);
            }
        }
    }

    /// Where the lines of a value are, spread out if it grows evenly.
    fn spread_place(&mut self, draft: &mut Draft, node: Node) -> Place {
        match self.home(draft, node) {
            Home::Const(bits) => {
                let ty = draft.graph.values[node as usize].ty;
                self.constant(ty, bits)
            }
            Home::At(_, place) => place,
            Home::Even(id) => {
                if draft.spread.insert(id) {
                    self.push(draft, Step::Spread(id));
                }
                self.evens[id as usize].place
            }
            // A value that nothing has computed is needed by nothing; any place will do.
            Home::Nowhere => self.running,
        }
    }

    /// Where a value is.
    fn home(&mut self, draft: &mut Draft, node: Node) -> Home {
        let value = draft.graph.values[node as usize];
        match value.from {
            From::Const(bits) => Home::Const(bits),
            From::Slot(slot) => self.homes[slot as usize],
            From::Special(special) => self.special(special, draft.classes[node as usize]),
            From::Op(..) | From::Step(_) => draft.at[node as usize],
        }
    }

    /// A place for a value: the home of the register that it ends up in, if what that held is not needed any more.
    fn place_for(&mut self, draft: &Draft, node: Node, position: u32, home_of: &HashMap<Node, u32>) -> Place {
        let ty = draft.graph.values[node as usize].ty;
        let uniform = draft.classes[node as usize] == Class::Uniform;
        if let Some(slot) = home_of.get(&node)
            && let Home::At(home_ty, place) = self.homes[*slot as usize]
            && home_ty == ty
            && (place.stride == 0) == uniform
            && draft.is_over(*slot, position)
        {
            return place;
        }
        self.take(ty, uniform)
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
        let mut from = Vec::new();
        let mut lines = [self.running; 3];
        for (k, operand) in operands.iter().enumerate() {
            let operand_ty = draft.graph.values[*operand as usize].ty;
            let (operand, place) = match self.home(draft, *operand) {
                Home::Const(bits) => {
                    let place = self.constant(operand_ty, bits);
                    (Operand::Uniform(operand_ty, place), place)
                }
                Home::At(_, place) => (Operand::Uniform(operand_ty, place), place),
                Home::Even(id) => (Operand::Even(id), self.evens[id as usize].place),
                Home::Nowhere => (Operand::Uniform(operand_ty, self.running), self.running),
            };
            from.push(operand);
            lines[k] = place;
        }
        let home = home_of.get(&node).and_then(|slot| match self.homes[*slot as usize] {
            Home::Even(id) if self.evens[id as usize].ty == ty && draft.is_over(*slot, position) => Some(id),
            _ => None,
        });
        let to = home.unwrap_or_else(|| self.even(ty));
        draft.spread.remove(&to);
        draft.at[node as usize] = Home::Even(to);
        let spread = Act { what: What::Op(op), to: self.evens[to as usize].place, from: lines };
        self.push(draft, Step::Even(Box::new(EvenAct { op: Some(op), to, from, spread })));
    }

    fn address(&mut self, draft: &mut Draft, node: Node) -> Address {
        match self.home(draft, node) {
            Home::Even(id) => Address::Even(id),
            _ => {
                let place = self.spread_place(draft, node);
                if place.stride == 0 { Address::Uniform(place) } else { Address::Varying(place) }
            }
        }
    }

    fn moved<T>(
        &mut self,
        draft: &mut Draft,
        step: &graph::Guarded,
        access: &graph::Access,
        elements: Vec<T>,
    ) -> Move<T> {
        let guard = step.guard.map(|node| self.spread_place(draft, node));
        let address = self.address(draft, access.address);
        let (bytes, size, space) = (access.bytes, access.size, access.space);
        Move { pc: step.pc, guard, space, address, bytes, size, lends: false, elements }
    }

    fn source(&mut self, draft: &mut Draft, operand: graph::Operand) -> Source {
        let mut one = |builder: &mut Builder<'a>, node: Node| {
            (draft.graph.values[node as usize].ty, builder.spread_place(draft, node))
        };
        match operand {
            graph::Operand::One(node) => Source { low: one(self, node), high: None },
            graph::Operand::Two(low, high) => {
                let low = one(self, low);
                Source { low, high: Some(one(self, high)) }
            }
        }
    }

    fn target(&mut self, draft: &mut Draft, outcome: Outcome, to: &mut Taking) -> Target {
        let mut one = |builder: &mut Builder<'a>, node: Node| to.place(builder, draft, node);
        match outcome {
            Outcome::Nothing => Target::default(),
            Outcome::One(node) => Target { low: one(self, node), high: None },
            Outcome::Two(low, high) => {
                let low = one(self, low);
                Target { low, high: one(self, high) }
            }
        }
    }

    fn step(
        &mut self,
        draft: &mut Draft,
        number: u32,
        position: u32,
        needed: &Bits,
        home_of: &HashMap<Node, u32>,
    ) {
        let step = &draft.graph.steps[number as usize];
        let mut taking = Taking { position, needed, home_of };
        let done = match &step.step {
            graph::Step::Load(access, nodes) => {
                let moved = self.moved(draft, step, access, Vec::new());
                // Addresses are read before any element is written, but not while: no element may take their place.
                let elements =
                    nodes.iter().map(|node| taking.place(self, draft, *node).map(|(_, place)| place));
                let elements = elements.collect();
                let lends = matches!(moved.address, Address::Even(_)) && draft.lends(number, position);
                if let ([node], true) = (&nodes[..], lends)
                    && let Home::At(ty, place) = draft.at[*node as usize]
                {
                    draft.at[*node as usize] = Home::At(ty, place.lent());
                }
                Step::Load(Box::new(Move { lends, elements, ..moved }))
            }
            graph::Step::Store(access, nodes) => {
                let elements = nodes.iter().map(|node| self.spread_place(draft, *node)).collect();
                Step::Store(Box::new(self.moved(draft, step, access, elements)))
            }
            graph::Step::Atomic(atomic) => {
                let sources: Vec<Source> = atomic.sources.iter().map(|s| self.source(draft, *s)).collect();
                let place = self.moved(draft, step, &atomic.access, Vec::new());
                let old = self.target(draft, atomic.old, &mut taking);
                let (inst, function) = (atomic.inst, atomic.function);
                let simple = simple(&atomic.inst, atomic.access.bytes);
                Step::Atomic(Box::new(Atomic { inst, function, simple, place, sources, old }))
            }
            graph::Step::Each(each) => {
                let sources: Vec<Source> = each.sources.iter().map(|s| self.source(draft, *s)).collect();
                let results = each.results.iter().map(|r| self.target(draft, *r, &mut taking)).collect();
                let uniform = sources
                    .iter()
                    .all(|s| s.low.1.stride == 0 && s.high.is_none_or(|(_, place)| place.stride == 0));
                let (inst, function) = (each.inst, each.function);
                Step::Each(Box::new(Each { inst, function, sources, results, uniform }))
            }
            graph::Step::Together(together) => {
                let guard = step.guard.map(|node| self.spread_place(draft, node));
                let sources: Vec<Source> = together.sources.iter().map(|s| self.source(draft, *s)).collect();
                let results: Vec<Target> =
                    together.results.iter().map(|r| self.target(draft, *r, &mut taking)).collect();
                let (inst, function, members) = (together.inst, together.function, together.members);
                let gather = together.gather.filter(|_| fit_warps(&sources, &results));
                let pc = step.pc;
                Step::Together(Box::new(Together {
                    pc,
                    guard,
                    inst,
                    function,
                    gather,
                    sources,
                    results,
                    members,
                }))
            }
            graph::Step::Barrier => Step::Barrier { pc: step.pc, guarded: step.guard.is_some() },
            graph::Step::Reduce { operation, predicate, to } => {
                let predicate = self.spread_place(draft, *predicate);
                let to = taking.place(self, draft, *to).map(|(_, place)| place);
                let (pc, guarded) = (step.pc, step.guard.is_some());
                Step::Reduce { pc, guarded, operation: *operation, predicate, to }
            }
        };
        self.push(draft, done);
    }

    /// Brings what registers hold at the end to their homes.
    fn settle_registers(&mut self, draft: &mut Draft, needed_after: &Bits, kept: &[u32]) {
        let mut moves: Vec<(u32, Node)> = draft
            .graph
            .last
            .iter()
            .filter(|(slot, _)| needed_after.has(**slot as usize))
            .map(|(slot, node)| (*slot, *node))
            .collect();
        moves.sort_unstable();
        // What comes from another register's home is taken to a place of its own first, where that home is written.
        moves.retain(|(slot, node)| {
            let home = self.homes[*slot as usize];
            self.home(draft, *node) != home
        });
        let written: std::collections::HashSet<Home> =
            moves.iter().map(|(slot, _)| self.homes[*slot as usize]).collect();
        let mut pending = Vec::new();
        for (slot, node) in moves {
            let (home, source) = (self.homes[slot as usize], self.home(draft, node));
            let ty = draft.graph.values[node as usize].ty;
            let source = match source {
                source if !written.contains(&source) => source,
                Home::At(_, place) => {
                    let aside = self.take(ty, place.stride == 0);
                    self.act(draft, Act { what: What::Move(ty), to: aside, from: [place; 3] });
                    Home::At(ty, aside)
                }
                Home::Even(id) => {
                    let aside = self.even(ty);
                    self.copy_even(draft, ty, aside, Operand::Even(id), self.evens[id as usize].place);
                    Home::Even(aside)
                }
                other => other,
            };
            pending.push((slot, ty, home, source));
        }
        for (slot, ty, home, source) in pending {
            match (home, source) {
                (Home::Even(to), Home::Even(id)) => {
                    self.copy_even(draft, ty, to, Operand::Even(id), self.evens[id as usize].place);
                }
                (Home::Even(to), Home::At(_, place)) => {
                    self.copy_even(draft, ty, to, Operand::Uniform(ty, place), place);
                }
                (Home::Even(to), Home::Const(bits)) => {
                    let place = self.constant(ty, bits);
                    self.copy_even(draft, ty, to, Operand::Uniform(ty, place), place);
                }
                (Home::At(_, to), source) => {
                    let from = match source {
                        Home::Const(bits) => self.constant(ty, bits),
                        Home::At(_, place) => place,
                        Home::Even(id) => {
                            if draft.spread.insert(id) {
                                self.push(draft, Step::Spread(id));
                            }
                            self.evens[id as usize].place
                        }
                        Home::Nowhere => continue,
                    };
                    let act = if kept.contains(&slot) {
                        Act { what: What::Op(Op::Select(ty)), to, from: [self.running, from, to] }
                    } else {
                        Act { what: What::Move(ty), to, from: [from; 3] }
                    };
                    self.act(draft, act);
                }
                (Home::Nowhere | Home::Const(_), _) | (Home::Even(_), Home::Nowhere) => {}
            }
        }
    }

    fn copy_even(&mut self, draft: &mut Draft, ty: Type, to: EvenId, from: Operand, lines: Place) {
        draft.spread.remove(&to);
        let spread = Act { what: What::Move(ty), to: self.evens[to as usize].place, from: [lines; 3] };
        self.push(draft, Step::Even(Box::new(EvenAct { op: None, to, from: vec![from], spread })));
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
        Plan {
            zero,
            zero_evens,
            blocks,
            acts: self.acts,
            lines: self.lines as usize,
            groups: self.groups,
            members: self.members,
            is_for_one: self.code.ops.iter().any(|op| matches!(op.action, Action::Barrier(_))),
            thread_bytes: self.thread_bytes,
            constants: self.constants.into_iter().map(|((ty, bits), place)| (ty, place, bits)).collect(),
            specials: self.specials.into_iter().map(|(value, p)| (special_type(value), p, value)).collect(),
            evens: self.evens,
            places: self.places.into_iter().map(|(value, id)| (id, value)).collect(),
            homes: self.homes,
            running: self.running,
            parted: self.parted,
            may_wait,
        }
    }
}

/// Gives places to what a step gives.
struct Taking<'t> {
    position: u32,
    needed: &'t Bits,
    home_of: &'t HashMap<Node, u32>,
}

impl Taking<'_> {
    fn place(&mut self, builder: &mut Builder, draft: &mut Draft, node: Node) -> Option<(Type, Place)> {
        if !self.needed.has(node as usize) {
            return None;
        }
        // A step may read its operands after it has given results: they do not end before it.
        let before = self.position.saturating_sub(1);
        let place = builder.place_for(draft, node, before, self.home_of);
        let ty = draft.graph.values[node as usize].ty;
        draft.at[node as usize] = Home::At(ty, place);
        Some((ty, place))
    }
}

impl Draft<'_> {
    /// Whether nothing needs what a register held at the block's begin, from an item on.
    fn is_over(&self, slot: u32, position: u32) -> bool {
        self.old.get(&slot).is_none_or(|node| self.last_use[*node as usize] <= position)
    }

    /// Whether what a load gives can be left in memory: only operations use it, and until then nothing is written.
    fn lends(&self, number: u32, position: u32) -> bool {
        let graph::Step::Load(access, nodes) = &self.graph.steps[number as usize].step else { return false };
        let (Some(margay_front::module::Space::Global), [node]) = (access.space, &nodes[..]) else {
            return false;
        };
        let last = self.last_use[*node as usize];
        if last == NEVER
            || last <= position
            || !access.is_weak
            || !matches!(access.bytes, 4 | 8)
            || access.size != access.bytes
        {
            return false;
        }
        let ahead = &self.graph.items[position as usize + 1..=last as usize];
        ahead.iter().all(|item| match item {
            Item::Value(_) => true,
            Item::Step(step) => {
                let mut used = self.graph.steps[*step as usize].guard == Some(*node);
                step_operands(self.graph, *step, &mut |operand| used |= operand == *node);
                !used && matches!(self.graph.steps[*step as usize].step, graph::Step::Load(..))
            }
        })
    }

    /// The values that are used last at an item, each given once.
    fn ending(&mut self, position: u32) -> Vec<usize> {
        self.ends.get_mut(position as usize).map(std::mem::take).unwrap_or_default()
    }
}

/// The slots that are needed behind a block.
pub(super) fn needed_after(block: &flow::Block, live: &[Bits], slots: usize) -> Bits {
    let mut needed = Bits::new(slots);
    block.exit.each(|next| {
        needed.join(&live[next]);
    });
    needed
}

/// The values that stores, branches and later blocks need, and what they are computed from.
pub(super) fn needed(graph: &Graph, needed_after: &Bits) -> Bits {
    let mut needed = Bits::new(graph.values.len());
    let last = graph.last.iter().filter(|(slot, _)| needed_after.has(**slot as usize)).map(|(_, node)| *node);
    last.chain(graph.decides).for_each(|node| needed.put(node as usize));
    for item in graph.items.iter().rev() {
        match item {
            Item::Value(node) if needed.has(*node as usize) => {
                operands(graph, *node, &mut |operand| needed.put(operand as usize));
            }
            Item::Value(_) => {}
            Item::Step(step) => {
                let wanted = match &graph.steps[*step as usize].step {
                    graph::Step::Each(each) => each.results.iter().any(|r| outcome_needed(*r, &needed)),
                    _ => true,
                };
                if wanted {
                    step_operands(graph, *step, &mut |operand| needed.put(operand as usize));
                }
            }
        }
    }
    needed
}

/// Where each value is used last; `NEVER` before the block's end if it is needed there.
fn last_use(graph: &Graph, needed: &Bits, needed_after: &Bits) -> Vec<u32> {
    let mut last = vec![0; graph.values.len()];
    for (position, item) in graph.items.iter().enumerate() {
        let mut used = |node: Node| last[node as usize] = position as u32;
        match item {
            Item::Value(node) if needed.has(*node as usize) => operands(graph, *node, &mut used),
            Item::Value(_) => {}
            Item::Step(step) => step_operands(graph, *step, &mut used),
        }
    }
    // Another engine may have to go on at any step: then every instruction behind it finds what it reads.
    if !graph.steps.is_empty() {
        for (last, read) in last.iter_mut().zip(&graph.read) {
            *last = if *read as usize >= graph.items.len() { NEVER } else { (*last).max(*read) };
        }
    }
    let end = graph.last.iter().filter(|(slot, _)| needed_after.has(**slot as usize)).map(|(_, node)| *node);
    end.chain(graph.decides).for_each(|node| last[node as usize] = NEVER);
    last
}

fn operands(graph: &Graph, node: Node, f: &mut impl FnMut(Node)) {
    if let From::Op(op, operands) = graph.values[node as usize].from {
        operands[..op.operands().len()].iter().for_each(|operand| f(*operand));
    }
}

pub(super) fn step_operands(graph: &Graph, step: u32, f: &mut impl FnMut(Node)) {
    let step = &graph.steps[step as usize];
    step.guard.iter().for_each(|node| f(*node));
    match &step.step {
        graph::Step::Load(access, _) => f(access.address),
        graph::Step::Store(access, nodes) => {
            f(access.address);
            nodes.iter().for_each(|node| f(*node));
        }
        graph::Step::Atomic(atomic) => {
            f(atomic.access.address);
            atomic.sources.iter().for_each(|source| source.each(&mut *f));
        }
        graph::Step::Each(each) => each.sources.iter().for_each(|source| source.each(&mut *f)),
        graph::Step::Together(together) => {
            together.sources.iter().for_each(|source| source.each(&mut *f));
        }
        graph::Step::Barrier => {}
        graph::Step::Reduce { predicate, .. } => f(*predicate),
    }
}

/// Whether sources and results have 64 bits at most, and no result is taken for the same in all threads.
fn fit_warps(sources: &[Source], results: &[Target]) -> bool {
    sources.iter().all(|source| source.high.is_none())
        && results.iter().all(|target| target.high.is_none() && target.low.is_none_or(|(_, p)| p.stride > 0))
}

/// What an atomic instruction does, if it is simple.
fn simple(inst: &Inst, bytes: u32) -> Option<Simple> {
    let whole = (bytes == 4 || bytes == 8) && inst.ty(Slot::Type).lanes == 1;
    let signed = inst.ty(Slot::Type).signed();
    let int = match inst[Slot::Op2] {
        Word::Exch => return whole.then_some(Simple::Exchange),
        Word::Cas => return whole.then_some(Simple::CompareAndSwap),
        Word::Add => Int::Add,
        Word::And => Int::And,
        Word::Or => Int::Or,
        Word::Xor => Int::Xor,
        Word::Min => {
            if signed {
                Int::MinS
            } else {
                Int::MinU
            }
        }
        Word::Max => {
            if signed {
                Int::MaxS
            } else {
                Int::MaxU
            }
        }
        _ => return None,
    };
    match (bytes, inst.ty(Slot::Type).is_integer() && inst.ty(Slot::Type).lanes == 1) {
        (4, true) => Some(Simple::Op(Op::Int32(int))),
        (8, true) => Some(Simple::Op(Op::Int64(int))),
        _ => None,
    }
}

pub(super) fn outcome_needed(outcome: Outcome, needed: &Bits) -> bool {
    match outcome {
        Outcome::Nothing => false,
        Outcome::One(node) => needed.has(node as usize),
        Outcome::Two(low, high) => needed.has(low as usize) || needed.has(high as usize),
    }
}
