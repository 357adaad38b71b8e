//! What is done before a region's pass, and how its loads are found: those whose addresses differ by constants at once.

use super::regions::is_late;
use super::{Builder, Draft as Block};
use crate::batch::even::How;
use crate::batch::lanes::Place;
use crate::batch::plan::{
    Address, Early, EvenAct, EvenId, Exit, Family, Guess, Home, Member, Move, Operand, Region, Root, Set,
    Step,
};
use margay_front::module::Space;
use margay_isa::uop::Type;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Bytes that loads which are found at once lie apart, at most.
const FURTHEST: u64 = 1 << 16;

/// What is known of a block and of its values that grow evenly.
struct Known<'a> {
    steps: &'a [Step],
    sets: &'a [Set],
    even_acts: &'a [EvenAct],
    /// How often the block reads each.
    uses: &'a HashMap<EvenId, usize>,
    /// Those that are constants.
    constants: &'a HashMap<EvenId, u64>,
    /// Lines that hold constants.
    constant_lines: &'a HashMap<u32, u64>,
    /// Those that something behind the block may read.
    homes: &'a HashSet<EvenId>,
}

/// A value as another one and a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Sum {
    root: Root,
    plus: u64,
}

/// Loads that may be found at once: of one space and size, from one root.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Kind {
    root: Root,
    space: Option<Space>,
    size: u32,
}

impl Builder<'_> {
    /// Regions of these steps, and the operations that they skip.
    pub(super) fn families(
        &mut self,
        found: Vec<Range<usize>>,
        draft: &Block,
        exit: &Exit,
        sets: &[Set],
    ) -> (Vec<Region>, Vec<u32>) {
        let guess = match exit {
            Exit::Branch { guess, .. } => guess.as_deref(),
            _ => None,
        };
        let known = Known {
            steps: &draft.steps,
            sets,
            even_acts: &self.even_acts,
            uses: &uses(&draft.steps, guess, &self.even_acts),
            constants: &self.constant_evens,
            constant_lines: &self.constant_lines,
            homes: &self.home_evens,
        };
        // What is known in one region may have been computed before it.
        let (mut sums, mut at) = (Sums::default(), 0);
        let mut without = HashMap::new();
        let mut find = |steps: &Range<usize>| {
            known.evens(at..steps.start).for_each(|act| sums.note(act, known.constants));
            at = steps.end;
            find(steps.clone(), &mut sums, &mut without, &known)
        };
        let families: Vec<Vec<Family>> = found.iter().map(&mut find).collect();
        let skipped = skipped(&found, &known, &families, without);
        let first = self.regions;
        self.regions += found.len() as u32;
        let regions = (first..).zip(found.into_iter().zip(families));
        let regions =
            regions.map(|(number, (steps, families))| region(steps, number, families, &skipped, &known));
        (regions.collect(), skipped)
    }
}

impl<'a> Known<'a> {
    /// The operations of some steps on values that grow evenly.
    fn evens(&self, steps: Range<usize>) -> impl Iterator<Item = &'a EvenAct> {
        let all = self.even_acts;
        let acts = |step: &Step| match step {
            Step::Evens(acts) => acts.clone(),
            _ => 0..0,
        };
        self.steps[steps].iter().flat_map(acts).map(|act| &all[act as usize])
    }

    /// Where they lie, from the first to the last.
    fn acts(&self, steps: Range<usize>) -> Range<u32> {
        let acts = |step: &Step| match step {
            Step::Evens(acts) => Some(acts.clone()),
            _ => None,
        };
        let mut all = self.steps[steps].iter().filter_map(acts);
        let first = all.next().unwrap_or(0..0);
        first.start..all.next_back().unwrap_or(first).end
    }
}

/// A region of these steps, in a block that skips some operations.
fn region(steps: Range<usize>, number: u32, families: Vec<Family>, skipped: &[u32], known: &Known) -> Region {
    let mut early = Vec::new();
    for k in steps.clone() {
        match &known.steps[k] {
            Step::Acts(_) => {}
            Step::Load(load) if is_late(load) => {
                let own = families.iter().position(|family| family.loads[0].step == k);
                early.extend(own.map(Early::Find));
            }
            Step::Evens(acts) => {
                early.extend(kept(acts.clone(), skipped).into_iter().map(Early::Evens));
            }
            _ => early.push(Early::Step(k)),
        }
    }
    let lent = known.steps[steps.clone()].iter().flat_map(lent).collect();
    let acts = known.acts(steps.clone());
    let skipped =
        skipped.partition_point(|act| *act < acts.start)..skipped.partition_point(|act| *act < acts.end);
    Region { steps, number, early, families, skipped, lent }
}

/// The places of a load that memory may lend.
pub(crate) fn lent(step: &Step) -> impl Iterator<Item = Place> {
    let load = match step {
        Step::Load(load) if load.lends => Some(load),
        _ => None,
    };
    load.into_iter().flat_map(|load| load.elements.iter().flatten().copied())
}

/// The stretches of operations that are not skipped.
fn kept(acts: Range<u32>, skipped: &[u32]) -> Vec<Range<u32>> {
    let numbers: Vec<u32> = acts.filter(|act| skipped.binary_search(act).is_err()).collect();
    numbers.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[run.len() - 1] + 1).collect()
}

/// A family while it is found.
struct Draft {
    kind: Kind,
    /// The least and the most that is added to the root, as distances from what is added for the first load.
    first: u64,
    below: i64,
    above: i64,
    /// Steps, and how far each lies from the first.
    loads: Vec<(usize, i64)>,
}

/// Sums that values in a region are known to be.
#[derive(Default)]
struct Sums {
    narrow: HashMap<EvenId, (EvenId, u32)>,
    wide: HashMap<EvenId, Sum>,
    /// The values that sums rest on, or have rested on.
    roots: HashSet<EvenId>,
}

impl Sums {
    fn wide(&self, id: EvenId) -> Sum {
        self.wide.get(&id).copied().unwrap_or(Sum { root: Root::Even(id), plus: 0 })
    }

    fn narrow(&self, id: EvenId) -> (EvenId, u32) {
        self.narrow.get(&id).copied().unwrap_or((id, 0))
    }

    /// Takes an operation's result for what it is.
    fn note(&mut self, act: &EvenAct, constants: &HashMap<EvenId, u64>) {
        let constant = |k: usize| constants.get(&act.from[k]).copied();
        let sum = match act.how {
            How::Add => constant(1).map(|by| (0, by)).or(constant(0).map(|by| (1, by))),
            How::Sub => constant(1).map(|by| (0, by.wrapping_neg())),
            _ => None,
        };
        let (mut narrow, mut wide) = (None, None);
        match (sum, act.how) {
            (Some((of, by)), _) if act.ty == Type::U64 => {
                let sum = self.wide(act.from[of]);
                let is_even = matches!(sum.root, Root::Even(_));
                let sum = if is_even { sum } else { Sum { root: Root::Even(act.from[of]), plus: 0 } };
                wide = Some(Sum { plus: sum.plus.wrapping_add(by), ..sum });
            }
            (Some((of, by)), _) => {
                let (root, plus) = self.narrow(act.from[of]);
                narrow = Some((root, plus.wrapping_add(by as u32)));
            }
            (None, How::Widen { signed: false }) => {
                let (root, plus) = self.narrow(act.from[0]);
                wide = Some(Sum { root: Root::Narrow(root), plus: plus.into() });
            }
            (None, _) => {}
        }
        self.forget(act.to);
        if let Some(sum) = narrow.filter(|(root, _)| *root != act.to) {
            self.roots.insert(sum.0);
            self.narrow.insert(act.to, sum);
        }
        if let Some(sum) = wide.filter(|sum| !is_of(sum.root, act.to)) {
            self.roots.extend(id_of(sum.root));
            self.wide.insert(act.to, sum);
        }
    }

    /// A value is another one from now on.
    fn forget(&mut self, id: EvenId) {
        self.narrow.remove(&id);
        self.wide.remove(&id);
        if self.roots.remove(&id) {
            self.narrow.retain(|_, (root, _)| *root != id);
            self.wide.retain(|_, sum| !is_of(sum.root, id));
        }
    }
}

fn id_of(root: Root) -> Option<EvenId> {
    match root {
        Root::Even(id) | Root::Narrow(id) => Some(id),
        Root::Zero | Root::Uniform(_) => None,
    }
}

fn is_of(root: Root, id: EvenId) -> bool {
    id_of(root) == Some(id)
}

/// The families of some steps' loads. Counts how often loads need values that are found without being computed.
fn find(
    steps: Range<usize>,
    sums: &mut Sums,
    without: &mut HashMap<EvenId, usize>,
    known: &Known,
) -> Vec<Family> {
    let mut found: Vec<Draft> = Vec::new();
    let mut open: HashMap<Kind, usize> = HashMap::new();
    for k in steps {
        match &known.steps[k] {
            Step::Evens(_) => {
                for act in known.evens(k..k + 1) {
                    sums.note(act, known.constants);
                    open.retain(|kind, _| !is_of(kind.root, act.to));
                }
            }
            Step::Single(act) => {
                open.retain(
                    |kind, _| !matches!(kind.root, Root::Uniform(place) if place.line == act.to.line),
                );
            }
            Step::Load(load) if is_late(load) => {
                let sum = address(load, sums, known);
                if let Address::Even(id) = load.address
                    && sum.root != Root::Even(id)
                {
                    *without.entry(id).or_default() += 1;
                }
                join(k, load, sum, &mut found, &mut open);
            }
            Step::Load(load) => {
                let sets = |root: Root| {
                    let lines = load.elements.iter().flatten().map(|to| to.line);
                    matches!(root, Root::Uniform(place) if lines.clone().any(|line| line == place.line))
                };
                open.retain(|kind, _| !sets(kind.root));
            }
            _ => {}
        }
    }
    found.into_iter().map(Draft::family).collect()
}

/// A load's address as a sum.
fn address(load: &Move<Option<Place>>, sums: &Sums, known: &Known) -> Sum {
    match load.address {
        Address::Even(id) => sums.wide(id),
        Address::Uniform(place) | Address::Varying(place) => {
            let constant =
                known.constant_lines.get(&place.line).map(|bits| Sum { root: Root::Zero, plus: *bits });
            constant.unwrap_or(Sum { root: Root::Uniform(place), plus: 0 })
        }
    }
}

/// Adds a load to the family that is open for it, or to a new one.
fn join(
    step: usize,
    load: &Move<Option<Place>>,
    sum: Sum,
    found: &mut Vec<Draft>,
    open: &mut HashMap<Kind, usize>,
) {
    let kind = Kind { root: sum.root, space: load.space, size: load.size };
    if let Some(family) = open.get(&kind).map(|f| &mut found[*f]) {
        let far = sum.plus.wrapping_sub(family.first) as i64;
        let (below, above) = (family.below.min(far), family.above.max(far));
        let near = above.checked_sub(below).is_some_and(|span| span as u64 <= FURTHEST);
        if near && far % i64::from(load.size) == 0 {
            (family.below, family.above) = (below, above);
            family.loads.push((step, far));
            return;
        }
    }
    open.insert(kind, found.len());
    found.push(Draft { kind, first: sum.plus, below: 0, above: 0, loads: vec![(step, 0)] });
}

impl Draft {
    fn family(self) -> Family {
        let above = |far: i64| (far - self.below) as u32;
        Family {
            root: self.kind.root,
            least: self.first.wrapping_add(self.below as u64),
            span: (self.above - self.below) as u64,
            loads: self.loads.iter().map(|(step, far)| Member { step: *step, above: above(*far) }).collect(),
        }
    }
}

/// The operations in regions whose results only loads need that are found without them, in order. Their operands stay as
/// they are to the block's end: where loads cannot be found so, the operations are made up for.
fn skipped(
    regions: &[Range<usize>],
    known: &Known,
    families: &[Vec<Family>],
    mut without: HashMap<EvenId, usize>,
) -> Vec<u32> {
    let roots: HashSet<EvenId> = families.iter().flatten().filter_map(|family| id_of(family.root)).collect();
    let mut last_set: HashMap<EvenId, u32> = HashMap::new();
    for step in known.steps {
        if let Step::Evens(acts) = step {
            last_set.extend(acts.clone().map(|act| (known.even_acts[act as usize].to, act)));
        }
    }
    let held: HashSet<EvenId> = known.sets.iter().filter(|set| set.until > 0).filter_map(even_of).collect();
    let mut skipped = Vec::new();
    for k in regions.iter().rev().flat_map(|steps| steps.clone().rev()) {
        let Step::Evens(acts) = &known.steps[k] else { continue };
        for number in acts.clone().rev() {
            let act = &known.even_acts[number as usize];
            let moves_on = |from: &EvenId| last_set.get(from).is_some_and(|last| *last > number);
            let alone = !known.homes.contains(&act.to)
                && !held.contains(&act.to)
                && !roots.contains(&act.to)
                && !act.from.iter().any(moves_on);
            if alone && without.get(&act.to).is_some_and(|without| Some(without) == known.uses.get(&act.to)) {
                skipped.push(number);
                act.from.iter().for_each(|from| *without.entry(*from).or_default() += 1);
            }
        }
    }
    skipped.reverse();
    skipped
}

fn even_of(set: &Set) -> Option<EvenId> {
    match set.home {
        Home::Even(id) => Some(id),
        Home::Nowhere | Home::Const(_) | Home::At(..) => None,
    }
}

/// How often a block reads each value that grows evenly.
fn uses(steps: &[Step], guess: Option<&Guess>, even_acts: &[EvenAct]) -> HashMap<EvenId, usize> {
    let mut uses: HashMap<EvenId, usize> = HashMap::new();
    let mut read = |id: EvenId| *uses.entry(id).or_default() += 1;
    let late = guess.iter().flat_map(|guess| &guess.steps);
    for step in steps.iter().chain(late) {
        match step {
            Step::Evens(acts) => {
                let acts = &even_acts[acts.start as usize..acts.end as usize];
                acts.iter().flat_map(|act| act.from).for_each(&mut read);
            }
            Step::Spread(id) => read(*id),
            Step::Load(load) => of_address(load.address).into_iter().for_each(&mut read),
            Step::Store(store) | Step::Aim(store) => {
                of_address(store.address).into_iter().for_each(&mut read);
            }
            Step::Atomic(atomic) => of_address(atomic.place.address).into_iter().for_each(&mut read),
            Step::Acts(_)
            | Step::Single(_)
            | Step::Each(_)
            | Step::Together(_)
            | Step::Barrier { .. }
            | Step::Skipped { .. }
            | Step::Reduce { .. } => {}
        }
    }
    for operand in guess.iter().flat_map(|guess| guess.operands) {
        if let Operand::Even(id) = operand {
            read(id);
        }
    }
    uses
}

fn of_address(address: Address) -> Option<EvenId> {
    match address {
        Address::Even(id) => Some(id),
        Address::Uniform(_) | Address::Varying(_) => None,
    }
}
