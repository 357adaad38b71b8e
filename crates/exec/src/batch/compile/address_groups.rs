//! What is done before a fused loop's pass, and how its loads are found: those whose addresses differ by constants at once.

use crate::batch::affine::AffineDef;
use crate::batch::compile::fused_loops::is_late;
use crate::batch::compile::{Builder, Draft as Block};
use crate::batch::lanes::{Place, VectorOp, What};
use crate::batch::plan::{
    Address, AddressGroup, AffineId, AffineOp, BaseAddress, BranchTest, Exit, FusedLoop, Home, Member, Move,
    Operand, Preheader, Set, Step,
};
use foldhash::{HashMap, HashSet};
use margay_front::module::Space;
use margay_isa::uop::{AffineRule, Type};
use std::ops::Range;

/// Bytes that loads which are found at once lie apart, at most.
const FURTHEST: u64 = 1 << 16;

/// What is known of a block and of its affine values.
struct Known<'a> {
    steps: &'a [Step],
    sets: &'a [Set],
    affine_ops: &'a [AffineOp],
    /// How often the block reads each.
    uses: &'a HashMap<AffineId, usize>,
    /// Those that are constants.
    constants: &'a HashMap<AffineId, u64>,
    /// Lines that hold constants.
    constant_lines: &'a HashMap<u32, u64>,
    /// Those that something after the block may read.
    homes: &'a HashSet<AffineId>,
}

/// A value as another one and a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Sum {
    root: BaseAddress,
    plus: u64,
}

/// Loads that may be found at once: of one space and size, from one root.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Kind {
    root: BaseAddress,
    space: Option<Space>,
    size: u32,
}

impl Builder<'_> {
    /// Fused loops of these steps, and the operations that they skip.
    pub(super) fn address_groups(
        &mut self,
        found: Vec<Range<usize>>,
        draft: &Block,
        exit: &Exit,
        sets: &[Set],
    ) -> (Vec<FusedLoop>, Vec<u32>) {
        let test = match exit {
            Exit::Branch { test, .. } => test.as_deref(),
            _ => None,
        };
        let known = Known {
            steps: &draft.steps,
            sets,
            affine_ops: &self.affine_ops,
            uses: &uses(&draft.steps, test, &self.affine_ops),
            constants: &self.constant_affines,
            constant_lines: &self.constant_lines,
            homes: &self.home_affines,
        };
        // What is known in one fused loop may have been computed before it.
        let (mut sums, mut at) = (Sums::default(), 0);
        let mut without = HashMap::default();
        let mut find = |steps: &Range<usize>| {
            known.ops(at..steps.start).for_each(|affine_op| sums.note(affine_op, known.constants));
            at = steps.end;
            find(steps.clone(), &mut sums, &mut without, &known)
        };
        let address_groups: Vec<Vec<AddressGroup>> = found.iter().map(&mut find).collect();
        let deferred = deferred(&found, &known, &address_groups, without);
        let first = self.fused_loops;
        self.fused_loops += found.len() as u32;
        let fused_loops = (first..).zip(found.into_iter().zip(address_groups));
        let fused_loops = fused_loops.map(|(number, (steps, address_groups))| {
            fused_loop(steps, number, address_groups, &deferred, &known)
        });
        (fused_loops.collect(), deferred)
    }
}

impl<'a> Known<'a> {
    /// The operations of some steps on affine values.
    fn ops(&self, steps: Range<usize>) -> impl Iterator<Item = &'a AffineOp> {
        let all = self.affine_ops;
        let numbers = |step: &Step| match step {
            Step::AffineOps(numbers) => numbers.clone(),
            _ => 0..0,
        };
        self.steps[steps].iter().flat_map(numbers).map(|op| &all[op as usize])
    }

    /// Where they lie, from the first to the last.
    fn op_numbers(&self, steps: Range<usize>) -> Range<u32> {
        let numbers = |step: &Step| match step {
            Step::AffineOps(numbers) => Some(numbers.clone()),
            _ => None,
        };
        let mut all = self.steps[steps].iter().filter_map(numbers);
        let first = all.next().unwrap_or(0..0);
        first.start..all.next_back().unwrap_or(first).end
    }
}

/// A fused loop of these steps, in a block that skips some operations.
fn fused_loop(
    steps: Range<usize>,
    number: u32,
    address_groups: Vec<AddressGroup>,
    deferred: &[u32],
    known: &Known,
) -> FusedLoop {
    let mut preheader = Vec::new();
    let stores = known.steps[steps.clone()].iter().any(|step| matches!(step, Step::Store(_)));
    for k in steps.clone() {
        match &known.steps[k] {
            Step::Vector(_) | Step::Collective(_) => {}
            // What the pass stores it stores by itself.
            Step::Aim(_) if stores => {}
            Step::Store(_) => preheader.push(Preheader::FindStore(k)),
            Step::Load(load) if is_late(load) => {
                let own = address_groups.iter().position(|address_group| address_group.loads[0].step == k);
                preheader.extend(own.map(Preheader::Find));
            }
            Step::AffineOps(numbers) => {
                preheader.extend(kept(numbers.clone(), deferred).into_iter().map(Preheader::AffineOps));
            }
            _ => preheader.push(Preheader::Step(k)),
        }
    }
    let lent = known.steps[steps.clone()].iter().flat_map(lent).collect();
    let numbers = known.op_numbers(steps.clone());
    let before = known.op_numbers(0..steps.start).end;
    let [begin, end] =
        [before, before.max(numbers.end)].map(|number| deferred.partition_point(|op| *op < number));
    let deferred = begin..end;
    let exchanges = known.steps[steps.clone()].iter().any(|step| matches!(step, Step::Collective(_)));
    let copies_from = copies_from(known.steps, steps.start, &preheader);
    FusedLoop { steps, copies_from, number, preheader, address_groups, deferred, lent, exchanges, stores }
}

/// The first of the steps before a pass that may be carried out in it: of those, only copies touch memory, and nothing that comes before the
/// pass does.
fn copies_from(steps: &[Step], start: usize, preheader: &[Preheader]) -> usize {
    let is_apart = |step: &Step| match step {
        Step::Load(load) => load.copied.is_some(),
        Step::Store(store) => store.copied.is_some(),
        Step::Scalar(_) | Step::AffineOps(_) | Step::Barrier { guarded: false, .. } => true,
        _ => false,
    };
    let touches = |before: &Preheader| match before {
        Preheader::Step(k) => !matches!(steps[*k], Step::Scalar(_) | Step::Barrier { guarded: false, .. }),
        Preheader::FindStore(_) => true,
        Preheader::AffineOps(_) | Preheader::Find(_) => false,
    };
    if preheader.iter().any(touches) {
        return start;
    }
    start - steps[..start].iter().rev().take_while(|step| is_apart(step)).count()
}

/// The places of a load that memory may lend.
pub(crate) fn lent(step: &Step) -> impl Iterator<Item = Place> {
    let load = match step {
        Step::Load(load) if load.lends => Some(load),
        _ => None,
    };
    load.into_iter().flat_map(|load| load.elements.iter().flatten().copied())
}

/// The stretches of operations that are not deferred.
fn kept(numbers: Range<u32>, deferred: &[u32]) -> Vec<Range<u32>> {
    let numbers: Vec<u32> = numbers.filter(|op| deferred.binary_search(op).is_err()).collect();
    numbers.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[run.len() - 1] + 1).collect()
}

/// An address group while it is found.
struct Draft {
    kind: Kind,
    /// The least and the most that is added to the root, as distances from what is added for the first load.
    first: u64,
    below: i64,
    above: i64,
    /// Steps, and how far each lies from the first.
    loads: Vec<(usize, i64)>,
}

/// Sums that values in a fused loop are known to be.
#[derive(Default)]
struct Sums {
    narrow: HashMap<AffineId, (AffineId, u32)>,
    wide: HashMap<AffineId, Sum>,
    /// The values that sums rest on, or have rested on.
    roots: HashSet<AffineId>,
    /// The same of 64-bit values that are uniform, by their lines.
    uniform: HashMap<u32, (Place, u64)>,
}

impl Sums {
    fn wide(&self, id: AffineId) -> Sum {
        self.wide.get(&id).copied().unwrap_or(Sum { root: BaseAddress::Affine(id), plus: 0 })
    }

    fn narrow(&self, id: AffineId) -> (AffineId, u32) {
        self.narrow.get(&id).copied().unwrap_or((id, 0))
    }

    /// Takes an operation's result for what it is.
    fn note(&mut self, affine_op: &AffineOp, constants: &HashMap<AffineId, u64>) {
        let constant = |k: usize| constants.get(&affine_op.from[k]).copied();
        let sum = match affine_op.def {
            AffineDef::Op(AffineRule::Sum) => constant(1).map(|by| (0, by)).or(constant(0).map(|by| (1, by))),
            AffineDef::Op(AffineRule::Difference) => constant(1).map(|by| (0, by.wrapping_neg())),
            _ => None,
        };
        let (mut narrow, mut wide) = (None, None);
        match (sum, affine_op.def) {
            (Some((of, by)), _) if affine_op.ty == Type::U64 => {
                let sum = self.wide(affine_op.from[of]);
                let is_affine = matches!(sum.root, BaseAddress::Affine(_));
                let sum = if is_affine {
                    sum
                } else {
                    Sum { root: BaseAddress::Affine(affine_op.from[of]), plus: 0 }
                };
                wide = Some(Sum { plus: sum.plus.wrapping_add(by), ..sum });
            }
            (Some((of, by)), _) => {
                let (root, plus) = self.narrow(affine_op.from[of]);
                narrow = Some((root, plus.wrapping_add(by as u32)));
            }
            (None, AffineDef::Op(AffineRule::Widened { signed: false })) => {
                let (root, plus) = self.narrow(affine_op.from[0]);
                wide = Some(Sum { root: BaseAddress::Narrow(root), plus: plus.into() });
            }
            (None, _) => {}
        }
        self.forget(affine_op.to);
        if let Some(sum) = narrow.filter(|(root, _)| *root != affine_op.to) {
            self.roots.insert(sum.0);
            self.narrow.insert(affine_op.to, sum);
        }
        if let Some(sum) = wide.filter(|sum| !is_of(sum.root, affine_op.to)) {
            self.roots.extend(sum.root.id());
            self.wide.insert(affine_op.to, sum);
        }
    }

    /// Takes a uniform operation's result for what it is.
    fn note_uniform(&mut self, scalar: &VectorOp, constants: &HashMap<u32, u64>) {
        let constant = |k: usize| constants.get(&scalar.from[k].line).copied();
        let sum = match scalar.what {
            What::Move(Type::U64) => Some((0, 0)),
            What::Op(op) if op.facts().result == Type::U64 => match op.affine() {
                AffineRule::Sum => constant(1).map(|by| (0, by)).or(constant(0).map(|by| (1, by))),
                AffineRule::Difference => constant(1).map(|by| (0, by.wrapping_neg())),
                _ => None,
            },
            _ => None,
        };
        let sum = sum.map(|(of, by)| {
            let (root, plus) = self.uniform(scalar.from[of]);
            (root, plus.wrapping_add(by))
        });
        self.forget_uniform(scalar.to.line);
        if let Some(sum) = sum.filter(|(root, _)| root.line != scalar.to.line) {
            self.uniform.insert(scalar.to.line, sum);
        }
    }

    fn uniform(&self, place: Place) -> (Place, u64) {
        self.uniform.get(&place.line).copied().unwrap_or((place, 0))
    }

    /// A uniform value is another one from now on.
    fn forget_uniform(&mut self, line: u32) {
        self.uniform.remove(&line);
        self.uniform.retain(|_, (root, _)| root.line != line);
    }

    /// A value is another one from now on.
    fn forget(&mut self, id: AffineId) {
        self.narrow.remove(&id);
        self.wide.remove(&id);
        if self.roots.remove(&id) {
            self.narrow.retain(|_, (root, _)| *root != id);
            self.wide.retain(|_, sum| !is_of(sum.root, id));
        }
    }
}

fn is_of(root: BaseAddress, id: AffineId) -> bool {
    root.id() == Some(id)
}

fn is_at(root: BaseAddress, line: u32) -> bool {
    matches!(root, BaseAddress::Uniform(place) if place.line == line)
}

/// The address groups of some steps' loads. Counts how often loads need values that are found without being computed.
fn find(
    steps: Range<usize>,
    sums: &mut Sums,
    without: &mut HashMap<AffineId, usize>,
    known: &Known,
) -> Vec<AddressGroup> {
    let mut found: Vec<Draft> = Vec::new();
    let mut open: HashMap<Kind, usize> = HashMap::default();
    // What comes between fused loops may set any of these.
    sums.uniform.clear();
    for k in steps {
        match &known.steps[k] {
            Step::AffineOps(_) => {
                for affine_op in known.ops(k..k + 1) {
                    sums.note(affine_op, known.constants);
                    open.retain(|kind, _| !is_of(kind.root, affine_op.to));
                }
            }
            Step::Scalar(scalar_op) => {
                sums.note_uniform(scalar_op, known.constant_lines);
                open.retain(|kind, _| !is_at(kind.root, scalar_op.to.line));
            }
            Step::Load(load) if is_late(load) => {
                let sum = address(load, sums, known);
                if let Address::Affine(id) = load.address
                    && sum.root != BaseAddress::Affine(id)
                {
                    *without.entry(id).or_default() += 1;
                }
                join(k, load, sum, &mut found, &mut open);
            }
            Step::Load(load) => {
                for to in load.elements.iter().flatten() {
                    sums.forget_uniform(to.line);
                    open.retain(|kind, _| !is_at(kind.root, to.line));
                }
            }
            _ => {}
        }
    }
    found.into_iter().map(Draft::address_group).collect()
}

/// A load's address as a sum.
fn address(load: &Move<Option<Place>>, sums: &Sums, known: &Known) -> Sum {
    match load.address {
        Address::Affine(id) | Address::Periodic(id) => sums.wide(id),
        Address::Uniform(place) | Address::Varying(place) => {
            let constant = known
                .constant_lines
                .get(&place.line)
                .map(|bits| Sum { root: BaseAddress::Zero, plus: *bits });
            constant.unwrap_or_else(|| {
                let (root, plus) = sums.uniform(place);
                Sum { root: BaseAddress::Uniform(root), plus }
            })
        }
    }
}

/// Adds a load to the address group that is open for it, or to a new one.
fn join(
    step: usize,
    load: &Move<Option<Place>>,
    sum: Sum,
    found: &mut Vec<Draft>,
    open: &mut HashMap<Kind, usize>,
) {
    let kind = Kind { root: sum.root, space: load.space, size: load.size };
    if let Some(address_group) = open.get(&kind).map(|f| &mut found[*f]) {
        let far = sum.plus.wrapping_sub(address_group.first) as i64;
        let (below, above) = (address_group.below.min(far), address_group.above.max(far));
        let near = above.checked_sub(below).is_some_and(|span| span as u64 <= FURTHEST);
        if near && far % i64::from(load.size) == 0 {
            (address_group.below, address_group.above) = (below, above);
            address_group.loads.push((step, far));
            return;
        }
    }
    open.insert(kind, found.len());
    found.push(Draft { kind, first: sum.plus, below: 0, above: 0, loads: vec![(step, 0)] });
}

impl Draft {
    fn address_group(self) -> AddressGroup {
        let above = |far: i64| (far - self.below) as u32;
        AddressGroup {
            root: self.kind.root,
            least: self.first.wrapping_add(self.below as u64),
            span: (self.above - self.below) as u64,
            loads: self.loads.iter().map(|(step, far)| Member { step: *step, above: above(*far) }).collect(),
        }
    }
}

/// The operations in fused loops whose results only loads need that are found without them, in order. Their operands stay as
/// they are to the block's end: where loads cannot be found so, the operations are executed late.
fn deferred(
    fused_loops: &[Range<usize>],
    known: &Known,
    address_groups: &[Vec<AddressGroup>],
    mut without: HashMap<AffineId, usize>,
) -> Vec<u32> {
    let roots: HashSet<AffineId> =
        address_groups.iter().flatten().filter_map(|address_group| address_group.root.id()).collect();
    let mut last_set: HashMap<AffineId, u32> = HashMap::default();
    for step in known.steps {
        if let Step::AffineOps(numbers) = step {
            last_set.extend(numbers.clone().map(|op| (known.affine_ops[op as usize].to, op)));
        }
    }
    let held: HashSet<AffineId> =
        known.sets.iter().filter(|set| set.until > 0).filter_map(affine_of).collect();
    let mut deferred = Vec::new();
    for k in fused_loops.iter().rev().flat_map(|steps| steps.clone().rev()) {
        let Step::AffineOps(numbers) = &known.steps[k] else { continue };
        for number in numbers.clone().rev() {
            let affine_op = &known.affine_ops[number as usize];
            let moves_on = |from: &AffineId| last_set.get(from).is_some_and(|last| *last > number);
            let alone = !known.homes.contains(&affine_op.to)
                && !held.contains(&affine_op.to)
                && !roots.contains(&affine_op.to)
                && !affine_op.from.iter().any(moves_on);
            if alone
                && without
                    .get(&affine_op.to)
                    .is_some_and(|without| Some(without) == known.uses.get(&affine_op.to))
            {
                deferred.push(number);
                affine_op.from.iter().for_each(|from| *without.entry(*from).or_default() += 1);
            }
        }
    }
    deferred.reverse();
    deferred
}

fn affine_of(set: &Set) -> Option<AffineId> {
    match set.home {
        Home::Affine(id) => Some(id),
        Home::Nowhere | Home::Const(_) | Home::At(..) => None,
    }
}

/// How often a block reads each affine value.
fn uses(steps: &[Step], test: Option<&BranchTest>, affine_ops: &[AffineOp]) -> HashMap<AffineId, usize> {
    let mut uses: HashMap<AffineId, usize> = HashMap::default();
    let mut read = |id: AffineId| *uses.entry(id).or_default() += 1;
    let late = test.iter().flat_map(|test| &test.steps);
    for step in steps.iter().chain(late) {
        match step {
            Step::AffineOps(numbers) | Step::PeriodicOps(numbers) => {
                let ops = &affine_ops[numbers.start as usize..numbers.end as usize];
                ops.iter().flat_map(|op| op.from).for_each(&mut read);
            }
            Step::Materialize(id) => read(*id),
            Step::Load(load) => of_address(load.address).into_iter().for_each(&mut read),
            Step::Store(store) | Step::Aim(store) => {
                of_address(store.address).into_iter().for_each(&mut read);
            }
            Step::Atomic(atomic) => of_address(atomic.place.address).into_iter().for_each(&mut read),
            Step::Collective(together) => together.rows_at.into_iter().for_each(&mut read),
            Step::Vector(_)
            | Step::Scalar(_)
            | Step::PerThread(_)
            | Step::Products(_)
            | Step::Barrier { .. }
            | Step::Deferred { .. }
            | Step::Print(_)
            | Step::TestSpace(_)
            | Step::Reduce { .. } => {}
        }
    }
    for operand in test.iter().flat_map(|test| test.operands) {
        if let Operand::Affine(id) = operand {
            read(id);
        }
    }
    uses
}

fn of_address(address: Address) -> Option<AffineId> {
    match address {
        Address::Affine(id) | Address::Periodic(id) => Some(id),
        Address::Uniform(_) | Address::Varying(_) => None,
    }
}
