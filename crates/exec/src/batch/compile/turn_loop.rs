//! Turn loops: blocks that branch to themselves as counted loops do, and store nothing. Machine code takes their turns, a few groups of
//! threads at a time.
//!
//! What a turn does with values that vary is one list for the machine code, and so is what it takes of values that are the same in all threads.
//! Where loads find their elements, and how many turns there are, is found before: addresses grow alike from turn to turn.

use crate::batch::affine::AffineDef;
use crate::batch::compile::Builder;
use crate::batch::compile::counted_loop::Event;
use crate::batch::compile::fused_loops::{is_late, is_plain_load, operands};
use crate::batch::compile::places::Use;
use crate::batch::lanes::{Place, VectorOp, What, Work, can_be_compiled};
use crate::batch::plan::{
    Address, AddressGroup, AffineId, AffineOp, Again, BaseAddress, Block, Exit, GrowingScalar, Grows, Growth,
    Home, Member, Move, OnePass, Operand, ScalarResult, Step, Taken, TurnEvent, TurnLoop, TurnScalar,
};
use foldhash::{HashMap, HashSet};
use margay_front::module::Space;
use margay_isa::uop::{AffineRule, Type};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32};

/// Bytes that loads which are found at once lie apart, at most.
const FURTHEST: u64 = 1 << 16;

/// A value that is the same in all threads, as one that a turn begins with and what is added to it; each with whether it is taken away.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Sum {
    root: u32,
    plus: Vec<(Place, bool)>,
}

/// Loads of what is the same in all threads that may be found at once.
#[derive(PartialEq, Eq, Hash)]
struct Kind {
    root: Sum,
    space: Option<Space>,
    reach: u32,
    bytes: u32,
    size: u32,
}

/// A turn while it is taken apart.
pub(super) struct Draft<'b> {
    pub(super) block: &'b Block,
    works: Vec<Work>,
    pub(super) events: Vec<TurnEvent>,
    pub(super) address_groups: Vec<AddressGroup>,
    /// The groups that were found for loads of what is the same in all threads, and what is added to the root for the first of each.
    open: HashMap<Kind, (usize, u64)>,
    /// Lines of values that are the same in all threads: those that the block sets, those set so far, and those read before that.
    pub(super) sets: HashSet<u32>,
    set: HashSet<u32>,
    pub(super) carried: Vec<(Type, Place)>,
    /// What such values are known to be.
    sums: HashMap<u32, Sum>,
    constants: &'b HashMap<u32, u64>,
    /// The affine values that the machine code computes for each thread.
    vectors: HashSet<AffineId>,
    /// Affine values that are set so far, and those of the above that are read before.
    set_affine: HashSet<AffineId>,
    begins: Vec<AffineId>,
}

impl Builder<'_> {
    /// How a block takes turns in machine code, if it may; its fused loop has a number that nothing else has.
    pub(super) fn turn_loop(&mut self, b: usize, blocks: &[Block], number: u32) -> Option<TurnLoop> {
        let block = &blocks[b];
        let way = way_back(b, blocks)?;
        let (vectors, mut materialized) = self.as_vectors(block);
        let mut draft = Draft::new(block, &self.constant_lines, vectors);
        for k in 0..block.steps.len() {
            self.step_of_turn(&mut draft, k)?;
        }
        let varies = |work: &Work| work.to().stride > 0;
        if !draft.works.iter().any(varies) {
            return None;
        }
        let Turning { again, grows, scalars } = self.turning(&draft, &way)?;
        let begins = grows.carried.iter().map(|carried| carried.value);
        materialized.extend(begins.filter(|id| draft.vectors.contains(id)));
        let mut lent: Vec<Place> = Vec::new();
        for to in draft.works.iter().map(Work::to) {
            if to.stride > 0 && !lent.contains(&to) {
                lent.push(to);
            }
        }
        let leaves_to = matches!(again, Again::Uniform { .. }).then_some(way.leaves_to);
        let left = leaves_to.map_or(Vec::new(), |to| self.left_to(&draft, to));
        let affine_left = leaves_to.map_or(Vec::new(), |to| self.affine_left_to(&grows.sets, to));
        let Draft { mut works, events, address_groups, carried, .. } = draft;
        let mut results: Vec<ScalarResult> = Vec::new();
        for (ty, place) in carried.into_iter().chain(left) {
            let is_known = scalars.iter().any(|scalar| scalar.place.line == place.line)
                || results.iter().any(|result| result.place.line == place.line);
            if is_known {
                continue;
            }
            let left = self.fresh(ty, Use::Uniform);
            works.push(Work::VectorOp(VectorOp { what: What::Move(ty), to: left, from: [place; 3] }));
            results.push(ScalarResult { ty, place, left });
        }
        let works = needed_works(works, &results);
        Some(TurnLoop {
            taken: Taken::AtOnce(OnePass { number, works, materialized, results }),
            events,
            address_groups,
            grows,
            scalars,
            again,
            leaves_to,
            left: affine_left,
            never_leaves: AtomicBool::new(false),
            lent,
            latch: way.latch,
            failures: AtomicU32::new(0),
        })
    }

    /// The registers' homes that a block sets to what is the same in all threads, and that a later block may read.
    fn left_to(&self, draft: &Draft, later: usize) -> Vec<(Type, Place)> {
        let homes = self.live[later].iter().filter_map(|slot| match self.homes[slot] {
            Home::At(ty, place) if place.stride == 0 && draft.sets.contains(&place.line) => Some((ty, place)),
            _ => None,
        });
        homes.collect()
    }

    /// The registers' homes among some affine values, that a later block may read.
    fn affine_left_to(&self, sets: &[AffineId], later: usize) -> Vec<AffineId> {
        let homes = self.live[later].iter().filter_map(|slot| match self.homes[slot] {
            Home::Affine(id) if sets.contains(&id) => Some(id),
            _ => None,
        });
        homes.collect()
    }

    /// What turns do from one to the next, and what decides whether there is another; none if that does not go on alike.
    pub(super) fn turning(&self, draft: &Draft, way: &WayBack) -> Option<Turning> {
        let Exit::Branch { by, uniform, test, .. } = &draft.block.exit else { return None };
        let tested = test.iter().flat_map(|test| test.operands);
        let changes =
            |operand: Operand| matches!(operand, Operand::Uniform(_, at) if draft.sets.contains(&at.line));
        let again = match (uniform, test) {
            (true, _) => {
                let scalars = needed_scalars(draft, *by)?;
                let compares = is_comparison(*by, &scalars);
                Again::Uniform { by: *by, holds: way.holds, scalars, compares }
            }
            (false, Some(_)) if !tested.clone().any(changes) => Again::Affine { holds: way.holds },
            (false, _) => return None,
        };
        let begins = draft.begins.iter().copied().map(Event::Reads);
        let others = draft.events.iter().filter_map(|event| draft.affine_event(event));
        let events: Vec<Event> = begins.chain(others).collect();
        let grows = self.grows(&events, tested)?;
        let stays =
            |growth: &Growth| !matches!(growth, Growth::Uniform(_, at) if draft.sets.contains(&at.line));
        if !grows.carried.iter().all(|carried| stays(&carried.by)) {
            return None;
        }
        let scalars = draft.carried.iter().filter_map(|(ty, place)| draft.grown(*ty, *place)).collect();
        Some(Turning { again, grows, scalars })
    }

    /// The affine values of a block that are needed for each thread in a turn and that it sets, and those of their operands that it
    /// does not.
    fn as_vectors(&self, block: &Block) -> (HashSet<AffineId>, Vec<AffineId>) {
        let (mut writers, mut wanted): (HashMap<AffineId, Vec<&AffineOp>>, _) =
            (HashMap::default(), Vec::new());
        for step in &block.steps {
            match step {
                Step::AffineOps(numbers) => {
                    let ops = &self.affine_ops[numbers.start as usize..numbers.end as usize];
                    ops.iter().for_each(|op| writers.entry(op.to).or_default().push(op));
                }
                Step::Materialize(id) => wanted.push(*id),
                _ => {}
            }
        }
        let (mut vectors, mut others) = (HashSet::default(), Vec::new());
        while let Some(id) = wanted.pop() {
            let Some(writers) = writers.get(&id) else {
                others.push(id);
                continue;
            };
            if vectors.insert(id) {
                for op in writers.iter().filter(|op| matches!(op.def, AffineDef::Op(_))) {
                    wanted.extend(&op.from[..op.materialized.what.types().0.len()]);
                }
            }
        }
        others.sort_unstable();
        others.dedup();
        (vectors, others)
    }

    /// Adds what a step does in a turn; none if that may not be part of one.
    fn step_of_turn(&self, draft: &mut Draft, k: usize) -> Option<()> {
        let block = draft.block;
        match &block.steps[k] {
            Step::Vector(range) => {
                for vector_op in &self.vector_ops[range.start as usize..range.end as usize] {
                    let own = Place { stride: vector_op.to.own_stride(), ..vector_op.to };
                    draft.vector_op(VectorOp { to: own, ..*vector_op })?;
                }
            }
            Step::Scalar(scalar) => {
                draft.vector_op(*scalar)?;
                draft.events.push(TurnEvent::Scalar(TurnScalar::new(scalar)));
                draft.note(scalar);
            }
            Step::AffineOps(numbers) => self.affine_ops_of_turn(draft, numbers)?,
            Step::Materialize(id) => draft.materialize(*id),
            Step::Load(load) if is_late(load) => draft.load(k, load)?,
            Step::Load(load) if is_plain_load(load) => draft.load_of_all(k, load)?,
            _ => return None,
        }
        Some(())
    }

    /// Adds operations on affine values that are not deferred.
    pub(super) fn affine_ops_of_turn(&self, draft: &mut Draft, numbers: &Range<u32>) -> Option<()> {
        let deferred = &draft.block.deferred;
        for number in numbers.clone().filter(|number| deferred.binary_search(number).is_err()) {
            let op = &self.affine_ops[number as usize];
            match op.def {
                AffineDef::Uniform(ty, place) => draft.read(ty, place),
                AffineDef::Op(_) if draft.vectors.contains(&op.to) => draft.vector_op(op.materialized)?,
                AffineDef::Op(_) => {}
            }
            draft.set_affine.insert(op.to);
            match draft.events.last_mut() {
                Some(TurnEvent::AffineOps(numbers)) if numbers.end == number => numbers.end += 1,
                _ => draft.events.push(TurnEvent::AffineOps(number..number + 1)),
            }
        }
        Some(())
    }
}

/// How threads come back to the block that they leave.
pub(super) struct WayBack {
    /// Whether the branch's predicate must hold for that.
    holds: bool,
    /// The block that they come through, if it is another one; it does nothing.
    pub(super) latch: Option<usize>,
    /// The block that they go to otherwise.
    leaves_to: usize,
}

/// What turns do from one to the next.
pub(super) struct Turning {
    pub(super) again: Again,
    pub(super) grows: Grows,
    /// The values that grow, of those that are the same in all threads and that turns carry.
    pub(super) scalars: Vec<GrowingScalar>,
}

/// How threads come back to a block, if they do.
pub(super) fn way_back(b: usize, blocks: &[Block]) -> Option<WayBack> {
    let Exit::Branch { yes, no, .. } = blocks[b].exit else { return None };
    let is_latch =
        |to: usize| blocks[to].steps.is_empty() && matches!(blocks[to].exit, Exit::Go(next) if next == b);
    let comes_back = |to: usize| to == b || is_latch(to);
    let (back, leaves_to, holds) = match (comes_back(yes), comes_back(no)) {
        (true, false) => (yes, no, true),
        (false, true) => (no, yes, false),
        _ => return None,
    };
    Some(WayBack { holds, latch: (back != b).then_some(back), leaves_to })
}

/// The lines of values that are the same in all threads which some steps set.
fn sets(steps: &[Step]) -> HashSet<u32> {
    let of = |step: &Step| match step {
        Step::Scalar(scalar) => vec![scalar.to.line],
        Step::Load(load) => {
            load.elements.iter().flatten().filter(|to| to.stride == 0).map(|to| to.line).collect()
        }
        _ => Vec::new(),
    };
    steps.iter().flat_map(of).collect()
}

/// What the machine code needs: of values that are the same in all threads only those that others read.
fn needed_works(works: Vec<Work>, results: &[ScalarResult]) -> Vec<Work> {
    let mut read: HashSet<u32> = results.iter().map(|result| result.left.line).collect();
    let needs = |work: &Work, read: &HashSet<u32>| work.to().stride > 0 || read.contains(&work.to().line);
    // What a turn reads may be what the turn before has left.
    loop {
        let known = read.len();
        for work in works.iter().rev() {
            if let Work::VectorOp(vector_op) = work
                && needs(work, &read)
            {
                read.extend(operands(vector_op).iter().map(|place| place.line));
            }
        }
        if read.len() == known {
            return works.into_iter().filter(|work| needs(work, &read)).collect();
        }
    }
}

/// The operations that a predicate which is the same in all threads takes; none if that is more than operations.
fn needed_scalars(draft: &Draft, by: Place) -> Option<Vec<TurnScalar>> {
    let scalars = || {
        draft.events.iter().filter_map(|event| match event {
            TurnEvent::Scalar(scalar) => Some(scalar),
            _ => None,
        })
    };
    let mut read = HashSet::from_iter([by.line]);
    loop {
        let known = read.len();
        for scalar in scalars().filter(|scalar| read.contains(&scalar.op.to.line)).collect::<Vec<_>>() {
            read.extend(scalar.from.iter().flatten().map(|(_, place)| place.line));
        }
        if read.len() == known {
            break;
        }
    }
    let loads = draft.block.steps.iter().any(|step| match step {
        Step::Load(load) => load.elements.iter().flatten().any(|to| read.contains(&to.line)),
        _ => false,
    });
    let needed: Vec<TurnScalar> =
        scalars().filter(|scalar| read.contains(&scalar.op.to.line)).copied().collect();
    (!loads && needed.iter().any(|scalar| scalar.op.to.line == by.line)).then_some(needed)
}

/// Whether a predicate is a comparison, and nothing else sets it.
fn is_comparison(by: Place, scalars: &[TurnScalar]) -> bool {
    let mut writers = scalars.iter().filter(|scalar| scalar.op.to.line == by.line);
    writers.next().is_some_and(|writer| writer.compares.is_some()) && writers.next().is_none()
}

impl<'b> Draft<'b> {
    pub(super) fn new(
        block: &'b Block,
        constants: &'b HashMap<u32, u64>,
        vectors: HashSet<AffineId>,
    ) -> Draft<'b> {
        Draft {
            block,
            works: Vec::new(),
            events: Vec::new(),
            address_groups: Vec::new(),
            open: HashMap::default(),
            sets: sets(&block.steps),
            set: HashSet::default(),
            carried: Vec::new(),
            sums: HashMap::default(),
            constants,
            vectors,
            set_affine: HashSet::default(),
            begins: Vec::new(),
        }
    }

    /// Notes that a value is read that may be the same in all threads.
    pub(super) fn read(&mut self, ty: Type, place: Place) {
        let carried = self.sets.contains(&place.line) && !self.set.contains(&place.line);
        if carried && !self.carried.iter().any(|(_, known)| known.line == place.line) {
            self.carried.push((ty, place));
            self.sums.insert(place.line, Sum { root: place.line, plus: Vec::new() });
        }
    }

    /// Notes that each thread's value of something affine is read: what the turn before has left of it must be known, too.
    fn materialize(&mut self, id: AffineId) {
        if self.vectors.contains(&id) && !self.set_affine.contains(&id) {
            self.begins.push(id);
        }
    }

    /// Adds an operation for the machine code.
    fn vector_op(&mut self, vector_op: VectorOp) -> Option<()> {
        let (types, _) = vector_op.what.types();
        for (place, ty) in vector_op.from.iter().zip(types) {
            self.read(*ty, *place);
        }
        if vector_op.to.stride > 0 && !can_be_compiled(vector_op.what) {
            return None;
        }
        self.works.push(Work::VectorOp(vector_op));
        Some(())
    }

    /// Notes what a value that is the same in all threads is from now on.
    pub(super) fn note(&mut self, scalar: &VectorOp) {
        self.set.insert(scalar.to.line);
        let sum = self.sum(scalar);
        self.sums.remove(&scalar.to.line);
        if let Some(sum) = sum {
            self.sums.insert(scalar.to.line, sum);
        }
    }

    /// An operation's result as a sum.
    fn sum(&self, scalar: &VectorOp) -> Option<Sum> {
        let [a, b, c] = scalar.from;
        let known = |place: Place| self.sums.get(&place.line).cloned();
        let fixed = |place: &Place| !self.sets.contains(&place.line);
        let plus = |sum: Sum, others: &[(Place, bool)]| {
            let all_fixed = others.iter().all(|(place, _)| fixed(place));
            all_fixed.then(|| Sum {
                root: sum.root,
                plus: sum.plus.into_iter().chain(others.iter().copied()).collect(),
            })
        };
        let op = match scalar.what {
            What::Move(_) => return known(a),
            What::Op(op) => op,
        };
        match op.affine() {
            AffineRule::Sum => match (known(a), known(b)) {
                (Some(sum), None) => plus(sum, &[(b, false)]),
                (None, Some(sum)) => plus(sum, &[(a, false)]),
                _ => None,
            },
            AffineRule::Difference => plus(known(a)?, &[(b, true)]),
            AffineRule::SumOfThree => match (known(a), known(b), known(c)) {
                (Some(sum), None, None) => plus(sum, &[(b, false), (c, false)]),
                (None, Some(sum), None) => plus(sum, &[(a, false), (c, false)]),
                (None, None, Some(sum)) => plus(sum, &[(a, false), (b, false)]),
                _ => None,
            },
            _ => None,
        }
    }

    /// How a value that turns carry grows; none if it does not do so alike.
    fn grown(&self, ty: Type, place: Place) -> Option<GrowingScalar> {
        let sum = self.sums.get(&place.line).filter(|sum| sum.root == place.line)?;
        Some(GrowingScalar { ty, place, by: sum.plus.clone() })
    }

    /// Adds a load of elements that may differ from thread to thread.
    fn load(&mut self, k: usize, load: &Move<Option<Place>>) -> Option<()> {
        let found = self.block.fused_loops.iter().find_map(|fused_loop| {
            let (group, above) = fused_loop.address_group(k)?;
            Some((&fused_loop.address_groups[group], above))
        });
        let (group, above) = match found {
            Some((group, above)) => {
                let first = group.loads[0].step;
                let known = self.address_groups.iter().position(|known| known.loads[0].step == first);
                (known.unwrap_or_else(|| self.find(group.clone())), above)
            }
            None => {
                let root = match load.address {
                    Address::Affine(id) => BaseAddress::Affine(id),
                    Address::Uniform(place) => BaseAddress::Uniform(place),
                    Address::Periodic(_) | Address::Varying(_) => return None,
                };
                let loads = vec![Member { step: k, above: 0 }];
                (self.find(AddressGroup { root, least: 0, span: 0, loads }), 0)
            }
        };
        self.elements(group, above, load);
        Some(())
    }

    /// Adds a load of what is the same in all threads.
    fn load_of_all(&mut self, k: usize, load: &Move<Option<Place>>) -> Option<()> {
        let Address::Uniform(place) = load.address else { return None };
        self.read(Type::U64, place);
        let constant = |(place, falls): &(Place, bool)| {
            let bits = self.constants.get(&place.line)?;
            Some(if *falls { bits.wrapping_neg() } else { *bits })
        };
        let sum = self.sums.get(&place.line).cloned().unwrap_or(Sum { root: place.line, plus: Vec::new() });
        let plus = sum.plus.iter().filter_map(constant).fold(0, u64::wrapping_add);
        let others = sum.plus.iter().filter(|plus| constant(plus).is_none()).copied().collect();
        // A value that the block has set otherwise is another one each time.
        let is_known = self.sums.contains_key(&place.line) || !self.sets.contains(&place.line);
        let kind = Kind {
            root: Sum { root: sum.root, plus: others },
            space: load.space,
            reach: load.reach,
            bytes: load.bytes,
            size: load.size,
        };
        let joined = self.open.get(&kind).filter(|_| is_known).and_then(|(group, first)| {
            let far = plus.wrapping_sub(*first) as i64;
            let group = &self.address_groups[*group];
            let above = far.checked_sub(group.least as i64)?;
            // The least stays what it is: only what lies above the first one joins it.
            (above >= 0 && above as u64 <= FURTHEST && above % i64::from(load.size) == 0).then_some(above)
        });
        let (group, above) = match joined {
            Some(above) => {
                let (group, _) = self.open[&kind];
                self.address_groups[group].loads.push(Member { step: k, above: above as u32 });
                self.address_groups[group].span = self.address_groups[group].span.max(above as u64);
                (group, above as u32)
            }
            None => {
                let loads = vec![Member { step: k, above: 0 }];
                let group = AddressGroup { root: BaseAddress::Uniform(place), least: 0, span: 0, loads };
                let group = self.find(group);
                if is_known {
                    self.open.insert(kind, (group, plus));
                }
                (group, 0)
            }
        };
        self.elements(group, above, load);
        for to in load.elements.iter().flatten() {
            self.set.insert(to.line);
            self.sums.remove(&to.line);
            self.events.push(TurnEvent::Load(*to));
        }
        Some(())
    }

    /// Adds an address group; its loads are found now.
    pub(super) fn find(&mut self, group: AddressGroup) -> usize {
        if let BaseAddress::Uniform(place) = group.root {
            self.read(Type::U64, place);
        }
        self.address_groups.push(group);
        self.events.push(TurnEvent::Find(self.address_groups.len() - 1));
        self.address_groups.len() - 1
    }

    fn elements(&mut self, group: usize, above: u32, load: &Move<Option<Place>>) {
        for (element, to) in load.elements.iter().enumerate() {
            let Some(to) = to else { continue };
            let to = Place { stride: to.own_stride(), ..*to };
            let at = (above + element as u32 * load.bytes) as i32;
            self.works.push(Work::Load { load: group, at, bytes: load.bytes, to });
        }
    }

    /// What an event has to do with affine values.
    fn affine_event(&self, event: &TurnEvent) -> Option<Event> {
        let reads = |address| match address {
            Address::Affine(id) => Some(Event::Reads(id)),
            Address::Uniform(_) | Address::Periodic(_) | Address::Varying(_) => None,
        };
        match event {
            TurnEvent::AffineOps(numbers) => Some(Event::Ops(numbers.clone())),
            TurnEvent::Find(group) => self.address_groups[*group].root.id().map(Event::Reads),
            TurnEvent::CopyFrom(k) => match &self.block.steps[*k] {
                Step::Load(load) => reads(load.address),
                _ => None,
            },
            TurnEvent::CopyTo(k) => match &self.block.steps[*k] {
                Step::Store(store) => reads(store.address),
                _ => None,
            },
            TurnEvent::Scalar(_) | TurnEvent::Load(_) => None,
        }
    }
}
