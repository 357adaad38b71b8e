//! Steps of a block, with the places of what they read and give.

use crate::batch::compile::analysis::{NEVER, step_operands};
use crate::batch::compile::ir::{self, Item, Outcome, ValueId};
use crate::batch::compile::liveness::Bits;
use crate::batch::compile::{Builder, Draft};
use crate::batch::lanes::{Place, width};
use crate::batch::plan::{
    Address, AffineId, AffinePlace, Atomic, Collective, Home, Move, PerThread, Print, Simple, Source,
    SpaceTest, Step, Target,
};
use crate::batch::tile_moves::TileMoves;
use crate::code::{Deed, Members, Update};
use foldhash::HashMap;
use margay_front::module::Space;
use margay_isa::uop::{Int, Op, Type};
use margay_isa::warp::{Column, Gather, Warp};
use margay_isa::{Inst, MAX_SOURCES, Slot, WARP, Whole, Word};

impl<'a> Builder<'a> {
    fn address(&mut self, draft: &mut Draft, node: ValueId) -> Address {
        match self.home(draft, node) {
            Home::Affine(id) if self.periodic_values.contains(&id) => Address::Periodic(id),
            Home::Affine(id) => Address::Affine(id),
            _ => {
                let place = self.spread_place(draft, node);
                if place.stride == 0 { Address::Uniform(place) } else { Address::Varying(place) }
            }
        }
    }

    fn moved<T>(
        &mut self,
        draft: &mut Draft,
        step: &ir::Guarded,
        access: &ir::Access,
        elements: Vec<T>,
    ) -> Move<T> {
        let guard = step.guard.map(|node| self.spread_place(draft, node));
        let address = self.address(draft, access.address);
        let ir::Access { bytes, size, space, is_weak: weak, .. } = *access;
        let site = self.site();
        let (pc, reach) = (step.pc, self.request.origin(step.pc).reach);
        Move {
            pc,
            site,
            guard,
            space,
            reach,
            address,
            weak,
            bytes,
            size,
            lends: false,
            copied: None,
            elements,
        }
    }

    fn source(&mut self, draft: &mut Draft, operand: ir::Operand) -> Source {
        let mut one = |builder: &mut Builder<'a>, node: ValueId| {
            (draft.ir.values[node as usize].ty, builder.spread_place(draft, node))
        };
        match operand {
            ir::Operand::One(node) => Source { low: one(self, node), high: None },
            ir::Operand::Two(low, high) => {
                let low = one(self, low);
                Source { low, high: Some(one(self, high)) }
            }
        }
    }

    fn target(&mut self, draft: &mut Draft, outcome: Outcome, to: &mut Taking) -> Target {
        let mut one = |builder: &mut Builder<'a>, node: ValueId| to.place(builder, draft, node);
        match outcome {
            Outcome::Nothing => Target::default(),
            Outcome::One(node) => Target { low: one(self, node), high: None },
            Outcome::Two(low, high) => {
                let low = one(self, low);
                Target { low, high: one(self, high) }
            }
        }
    }

    /// Lets the last of the operations that wait for their step write to memory by itself, if a store of its result
    /// alone follows.
    fn aim(&mut self, draft: &mut Draft, store: &Move<Place>, ty: Type) {
        let whole = store.bytes == store.size && store.bytes == 4 * u32::from(width(ty)) && ty != Type::Pred;
        let affine = matches!(store.address, Address::Affine(_)) && store.guard.is_none();
        if !whole
            || !affine
            || store.space != Some(Space::Global)
            || self.vector_ops.len() as u32 == draft.from
        {
            return;
        }
        if let Some(vector_op) =
            self.vector_ops.last_mut().filter(|vector_op| vector_op.to == store.elements[0])
        {
            vector_op.to = vector_op.to.lent();
            draft.steps.push(Step::Aim(Box::new(store.clone())));
        }
    }

    pub(super) fn step(
        &mut self,
        draft: &mut Draft,
        number: u32,
        position: u32,
        needed: &Bits,
        home_of: &HashMap<ValueId, u32>,
    ) {
        let step = &draft.ir.steps[number as usize];
        if let ir::Step::Load(access, nodes) = &step.step
            && self.hoist_load(draft, step, access, nodes)
        {
            return;
        }
        let mut taking = Taking { position, needed, home_of, reads_first: false };
        let done = match &step.step {
            ir::Step::Load(access, nodes) => {
                let moved = self.moved(draft, step, access, Vec::new());
                // Addresses are read before any element is written, but not while: no element may take their place.
                let elements =
                    nodes.iter().map(|node| taking.place(self, draft, *node).map(|(_, place)| place));
                let elements = elements.collect();
                let lends = matches!(moved.address, Address::Affine(_)) && draft.lends(number, position);
                if let ([node], true) = (&nodes[..], lends)
                    && let Home::At(ty, place) = draft.at[*node as usize]
                {
                    draft.at[*node as usize] = Home::At(ty, place.lent());
                }
                let copied = draft.copies(number, position).then_some(moved.site);
                if let Some(site) = copied {
                    draft.copied.insert(number, site);
                }
                Step::Load(Box::new(Move { lends, copied, elements, ..moved }))
            }
            ir::Step::Store(access, nodes) => {
                let elements = nodes.iter().map(|node| self.spread_place(draft, *node)).collect();
                let moved = self.moved(draft, step, access, elements);
                if let [node] = nodes[..]
                    && draft.last_use[node as usize] == position
                    && self.owns(draft, node as usize)
                {
                    self.aim(draft, &moved, draft.ir.values[node as usize].ty);
                }
                let copied = draft.copied_by(nodes);
                Step::Store(Box::new(Move { copied, ..moved }))
            }
            ir::Step::Atomic(atomic) => {
                let sources: Vec<Source> = atomic.sources.iter().map(|s| self.source(draft, *s)).collect();
                let place = self.moved(draft, step, &atomic.access, Vec::new());
                let olds = atomic.olds.iter().map(|old| self.target(draft, *old, &mut taking)).collect();
                let (inst, update) = (atomic.inst, atomic.update.clone());
                let is_page = matches!(update, Update::Page(_));
                let simple = if is_page { simple(&inst, atomic.access.bytes) } else { None };
                Step::Atomic(Box::new(Atomic { inst, update, simple, place, sources, olds }))
            }
            ir::Step::PerThread(each) => {
                let sources: Vec<Source> = each.sources.iter().map(|s| self.source(draft, *s)).collect();
                let results = each.results.iter().map(|r| self.target(draft, *r, &mut taking)).collect();
                let uniform = sources
                    .iter()
                    .all(|s| s.low.1.stride == 0 && s.high.is_none_or(|(_, place)| place.stride == 0));
                let (inst, function) = (each.inst, each.function);
                Step::PerThread(Box::new(PerThread { inst, function, sources, results, uniform }))
            }
            ir::Step::Collective(together) => {
                let guard = step.guard.map(|node| self.spread_place(draft, node));
                let rows_at = self.rows_at(draft, together);
                let sources = match rows_at {
                    Some(id) => {
                        let AffinePlace { ty, place } = self.affine_values[id as usize];
                        vec![Source { low: (ty, place), high: None }]
                    }
                    None => together.sources.iter().map(|s| self.source(draft, *s)).collect(),
                };
                taking.reads_first = matches!(&together.deed, Deed::Whole(Whole::Product(_)));
                let results: Vec<Target> =
                    together.results.iter().map(|r| self.target(draft, *r, &mut taking)).collect();
                let (inst, deed, members) = (together.inst, together.deed.clone(), together.members);
                let gather = together.gather.filter(|_| fit_warps(&sources, &results));
                let (pc, memory) = (step.pc, together.memory);
                let vectors = |target: &Target| {
                    target.low.is_none_or(|(ty, place)| ty == Type::U32 && place.stride > 0)
                };
                let tile_moves = match &deed {
                    Deed::Tiles(tiles) if results.iter().all(vectors) => TileMoves::of(tiles),
                    _ => None,
                };
                let choices = self.choices(&inst, gather, guard, (&sources, &results), members);
                Step::Collective(Box::new(Collective {
                    choices,
                    pc,
                    guard,
                    inst,
                    deed,
                    tile_moves,
                    gather,
                    sources,
                    rows_at,
                    results,
                    members,
                    memory,
                }))
            }
            ir::Step::Barrier => Step::Barrier { pc: step.pc, guarded: step.guard.is_some() },
            ir::Step::Reduce { operation, predicate, to } => {
                let predicate = self.spread_place(draft, *predicate);
                let to = taking.place(self, draft, *to).map(|(_, place)| place);
                let (pc, guarded) = (step.pc, step.guard.is_some());
                Step::Reduce { pc, guarded, operation: *operation, predicate, to }
            }
            ir::Step::TestSpace { is_global, address, to } => {
                let address = self.source(draft, ir::Operand::One(*address));
                let to = taking.place(self, draft, *to).map(|(_, place)| place);
                Step::TestSpace(Box::new(SpaceTest { is_global: *is_global, address, to }))
            }
            ir::Step::Print { format, arguments, to } => {
                let guard = step.guard.map(|node| self.spread_place(draft, node));
                let [format, arguments] =
                    [*format, *arguments].map(|node| self.source(draft, ir::Operand::One(node)));
                let to = taking.place(self, draft, *to);
                Step::Print(Box::new(Print { pc: step.pc, guard, format, arguments, to }))
            }
        };
        self.push(draft, done);
    }

    /// The address of a step that loads rows and reads nothing else, if it is affine or periodic.
    fn rows_at(&mut self, draft: &mut Draft, together: &ir::Collective) -> Option<AffineId> {
        let (Deed::Tiles(tiles), [ir::Operand::One(node)]) = (&together.deed, &together.sources[..]) else {
            return None;
        };
        match self.home(draft, *node) {
            Home::Affine(id) if !tiles.stores => Some(id),
            _ => None,
        }
    }

    /// The lanes that all lanes of whole warps read, if what gives them are constants.
    fn choices(
        &self,
        inst: &Inst,
        gather: Option<Gather>,
        guard: Option<Place>,
        (sources, results): (&[Source], &[Target]),
        members: Members,
    ) -> Option<[u8; WARP]> {
        let Some(Gather::Exchange(choose)) = gather else { return None };
        let (value, others) = sources.split_first()?;
        let (result, none) = results.split_first()?;
        let is_word = |(ty, place): (Type, Place)| ty == Type::U32 && place.stride == 1;
        let fits = guard.is_none()
            && is_word(value.low)
            && result.low.is_some_and(is_word)
            && none.iter().all(|target| target.low.is_none())
            && self.request.threads.is_multiple_of(WARP as u32);
        let mut columns = [Column::Same(0); MAX_SOURCES];
        for (column, source) in columns[1..].iter_mut().zip(others) {
            *column = Column::Same(*self.constant_lines.get(&source.low.1.line)?);
        }
        let named = match members {
            Members::Named(k) => matches!(columns[k], Column::Same(bits) if bits as u32 == u32::MAX),
            Members::Any | Members::All | Members::Each => true,
        };
        let warp = Warp { members: u32::MAX, sources: &columns[..sources.len()] };
        (fits && named).then(|| choose(inst, &warp).from)
    }
}

/// Gives places to what a step gives.
struct Taking<'t> {
    position: u32,
    needed: &'t Bits,
    home_of: &'t HashMap<ValueId, u32>,
    /// Whether all operands are read before any result is given, so that a sum may take the place of what is added to.
    reads_first: bool,
}

impl Taking<'_> {
    fn place(&mut self, builder: &mut Builder, draft: &mut Draft, node: ValueId) -> Option<(Type, Place)> {
        if !self.needed.has(node as usize) {
            return None;
        }
        // Another step may read its operands after it has given results: they do not end before it.
        let before = if self.reads_first { self.position } else { self.position.saturating_sub(1) };
        let place = builder.place_for(draft, node, before, self.home_of);
        let ty = draft.ir.values[node as usize].ty;
        draft.at[node as usize] = Home::At(ty, place);
        Some((ty, place))
    }
}

impl Draft<'_> {
    /// Whether what a load gives can be left in memory: only operations use it, and until then nothing is written.
    fn lends(&self, number: u32, position: u32) -> bool {
        let ir::Step::Load(access, nodes) = &self.ir.steps[number as usize].step else { return false };
        let (Some(Space::Global), [node]) = (access.space, &nodes[..]) else {
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
        let ahead = &self.ir.items[position as usize + 1..=last as usize];
        ahead.iter().all(|item| match item {
            Item::Value(_) => true,
            Item::Step(step) => {
                let mut used = self.ir.steps[*step as usize].guard == Some(*node);
                step_operands(self.ir, *step, &mut |operand| used |= operand == *node);
                !used && matches!(self.ir.steps[*step as usize].step, ir::Step::Load(..))
            }
        })
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
        Word::Add if matches!(inst[Slot::Type], Word::F32 | Word::F64) => {
            let flushes = bytes == 4 && inst[Slot::Ftz] != Word::NoFtz;
            return (whole && !inst.has(Slot::Vec)).then_some(Simple::Sum { flushes });
        }
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
