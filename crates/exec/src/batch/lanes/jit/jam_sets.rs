//! Groups of threads in sets that find the same elements, as the rows of a tile do that are multiplied by one column: what a set has in
//! common is computed once, and registers hold it while one group after the other takes some steps.
//!
//! Where all groups of a round take each instruction together there are not registers enough for that. Here a set's groups take turns where
//! each of them has little to hold.

use crate::batch::lanes::jit::exchange::exchanged;
use crate::batch::lanes::jit::machine::{Body, Instr, Kind, Memory, Reg, Step};
use crate::batch::lanes::jit::unroll_and_jam::{
    MOST, first_groups, marked, moved, of_groups, renamed, shared,
};
use std::ops::Range;

/// Distances between the groups of a set that are looked at.
const APART: [usize; 4] = [1, 2, 4, 8];

/// What a group may hold between its turns.
const HELD: usize = 4;

/// Vectors that are left for constants.
pub(super) const SPARE: usize = 2;

/// How a round's groups are divided: into as many sets as groups of one are apart.
pub(super) struct Sets {
    pub(super) groups: usize,
    pub(super) apart: usize,
    /// The instructions that a group carries out before the next group does, one stretch after the other.
    pub(super) stretches: Vec<Range<usize>>,
    /// Whether a register's content differs from group to group of a set.
    pub(super) differs: Vec<bool>,
}

impl Sets {
    /// How many groups have something in common.
    pub(super) fn size(&self) -> usize {
        self.groups / self.apart
    }

    /// The same of a round of so many groups that take each instruction together.
    pub(super) fn shared_by(&self, groups: usize) -> usize {
        (groups / self.apart).max(1)
    }
}

/// The sets of a round of so many groups at most, if groups have elements in common and registers are enough.
pub(super) fn sets(body: &Body, most: &[usize], long: usize) -> Option<Sets> {
    let is_plain = body.turns.is_none() && !body.instrs.iter().any(|instr| exchanged(instr).is_some());
    let least = most.iter().min().copied().unwrap_or(0);
    if !is_plain || body.tables.is_empty() || least * body.instrs.len() > long {
        return None;
    }
    let alive = alive(body);
    let fits = |groups: usize, apart: usize| {
        let common: Vec<bool> = body.tables.iter().map(|table| repeats(table, groups, apart)).collect();
        if !common.contains(&true) || groups * body.instrs.len() > long {
            return None;
        }
        let differs = differs_in_sets(body, &common);
        let room = usize::from(body.machine.vectors) - SPARE;
        let own = own(body, &alive, &differs, Kind::Vector);
        let needed = |stretches: &[Range<usize>]| {
            needed(body, (&alive, &differs), &own, stretches, groups / apart).max().unwrap_or(0)
        };
        let stretches = (1..=HELD).map(|held| stretches(&own, held));
        let stretches = stretches.min_by_key(|stretches| needed(stretches))?;
        let is_enough = needed(&stretches) <= room;
        is_enough.then_some(Sets { groups, apart, stretches, differs })
    };
    let divided =
        |apart: &usize| most.iter().filter(|most| **most > *apart).find_map(|most| fits(*most, *apart));
    APART.iter().find_map(divided)
}

/// Whether the distances of groups that are so far apart are the same in every round.
fn repeats(table: &[i64], groups: usize, apart: usize) -> bool {
    table.len().is_multiple_of(groups)
        && table.chunks(groups).all(|round| (apart..groups).all(|group| round[group] == round[group - apart]))
}

fn differs_in_sets(body: &Body, common: &[bool]) -> Vec<bool> {
    let moves = |memory: &Memory| match memory.step {
        Step::Table(table, _) => !common[table],
        Step::Vectors(vectors) => vectors > 0,
    };
    let marks = |instr: &Instr| instr.args().filter_map(|arg| arg.memory()).any(|memory| moves(&memory));
    marked(body, &marks, vec![false; body.kinds.len()])
}

/// Which registers are alive before each instruction and after the last one.
pub(super) fn alive(body: &Body) -> Vec<Vec<Reg>> {
    let mut now: Vec<Reg> = body.read_after_turn().collect();
    let mut before = vec![now.clone()];
    for instr in body.instrs.iter().rev() {
        now.retain(|reg| instr.sets() != Some(*reg));
        for reg in instr.reads() {
            if !now.contains(&reg) {
                now.push(reg);
            }
        }
        before.push(now.clone());
    }
    before.reverse();
    before
}

/// How many registers of a kind a group has for itself before each instruction and after the last one.
pub(super) fn own(body: &Body, alive: &[Vec<Reg>], differs: &[bool], kind: Kind) -> Vec<usize> {
    let is_own = |reg: &&Reg| differs[reg.0 as usize] && body.kinds[reg.0 as usize] == kind;
    alive.iter().map(|now| now.iter().filter(is_own).count()).collect()
}

/// Divides instructions wherever a group holds no more than so many vectors of its own.
pub(super) fn stretches(own: &[usize], held: usize) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut from = 0;
    for (k, now) in own.iter().enumerate().skip(1) {
        if *now <= held || k == own.len() - 1 {
            stretches.push(from..k);
            from = k;
        }
    }
    stretches
}

/// Vectors that are in use at once in each stretch, at most: what the set has in common, what waiting groups hold, and what one works with.
pub(super) fn needed<'a>(
    body: &'a Body,
    (alive, differs): (&'a [Vec<Reg>], &'a [bool]),
    own: &'a [usize],
    stretches: &'a [Range<usize>],
    size: usize,
) -> impl Iterator<Item = usize> + 'a {
    stretches.iter().map(move |stretch| {
        let is_common = |reg: &Reg| {
            let index = reg.0 as usize;
            !differs[index] && body.kinds[index] == Kind::Vector && body.homes[index].is_none()
        };
        let mut common: Vec<Reg> =
            alive[stretch.start..=stretch.end].iter().flatten().copied().filter(is_common).collect();
        common.sort_unstable_by_key(|reg| reg.0);
        common.dedup();
        common.len() + held_and_worked_with(own, stretch, size) + 1
    })
}

/// Registers that groups which wait for their stretch hold, and those that the one works with whose turn it is.
pub(super) fn held_and_worked_with(own: &[usize], stretch: &Range<usize>, size: usize) -> usize {
    let waiting = own[stretch.start].max(own[stretch.end]);
    let working = own[stretch.start..=stretch.end].iter().copied().max().unwrap_or(0);
    (size - 1) * waiting + working
}

/// A round's instructions, set after set.
pub(super) fn jam(body: Body, sets: &Sets) -> Body {
    let bytes = body.machine.bytes;
    let differs = |reg: Reg| sets.differs.get(reg.0 as usize).copied().unwrap_or(false);
    let mut round = Body {
        instrs: Vec::with_capacity(body.instrs.len() * sets.groups),
        constants: body.constants,
        pointers: body.pointers,
        tables: body.tables,
        ..Body::new(body.machine)
    };
    let mut numbers = vec![[Reg(0); MOST]; body.kinds.len()];
    for (k, (kind, home)) in body.kinds.iter().zip(&body.homes).enumerate() {
        for group in 0..sets.groups {
            let first = group % sets.apart;
            numbers[k][group] = match group == first || differs(Reg(k as u32)) {
                true => round.reg(*kind),
                false => numbers[k][first],
            };
            if group == first || differs(Reg(k as u32)) {
                let home = home.map(|home| moved(home, group * bytes, group));
                round.homes[numbers[k][group].0 as usize] = home;
            }
        }
    }
    round.before =
        body.before.iter().map(|instr| renamed(instr, &|reg| numbers[reg.0 as usize][0], 0, 0)).collect();
    let first_of = first_groups(&round.tables, sets.groups);
    for first in 0..sets.apart {
        for stretch in &sets.stretches {
            for group in (first..sets.groups).step_by(sets.apart) {
                let is_own = |instr: &&Instr| group == first || instr.sets().is_none_or(differs);
                for instr in body.instrs[stretch.clone()].iter().filter(is_own) {
                    let name = |reg: Reg| numbers[reg.0 as usize][group];
                    round.instrs.push(shared(renamed(instr, &name, group * bytes, group), &first_of));
                }
            }
        }
    }
    let differs = |reg: usize| differs(Reg(reg as u32));
    round.turns = body.turns.map(|turns| of_groups(turns, &numbers, &differs, bytes, sets.groups));
    round
}
