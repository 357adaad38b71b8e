//! Several groups of threads in one round: what one's instructions wait for, another's fill.
//!
//! A processor looks only some dozens of pending instructions ahead, which is less than a long run has for one group.

use crate::batch::lanes::jit::exchange::{exchange, exchanged, groups_of_warp};
use crate::batch::lanes::jit::jam_sets::{jam, sets};
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Carried, Instr, Kind, Memory, Reg, Step, Turns};
use crate::batch::lanes::jit::stagger::staggered;
use crate::batch::lanes::{GROUP, UNIT};

/// Groups in a round, at most; of a run that does not say so, the threads are a multiple of fewer.
pub(super) const MOST: usize = 16;
const FEW: usize = UNIT;

/// Groups in a long round, if the threads are a multiple of so many. With many turns: the longer the stretch that a turn reads, the less it
/// waits for memory. With AVX-512: a chain of multiplications and sums, each of which waits four cycles for the one before it, needs seven
/// beside it where two begin in every cycle.
const MANY: usize = 8;

/// Instructions of a run that need no other group beside them: so many of several rounds are looked at together anyway.
const SHORT: usize = 8;

/// Instructions of a turn that waits for nothing but memory: the stretch that it reads is as long as registers allow.
const SMALL: usize = 4;

/// Groups of a self-loop in a round, at most: all wait for the one that goes round longest.
const TOGETHER: usize = 2;

/// Instructions that a round may have, so that code stays small.
const LONG: usize = 2048;

/// Vectors that are left for what is the same in all threads.
const SPARE: usize = 4;
/// Masks that values of threads may take.
pub(super) const MASKS: usize = 7;

/// Values that are kept on the stack for all rounds, at most.
const MOST_SLOTS: usize = 160;

/// A run's instructions arranged.
pub(super) struct Arranged {
    pub(super) body: Body,
    /// Groups in a round.
    pub(super) groups: usize,
    /// Slots of the stack that hold what is the same for all groups.
    pub(super) slots: usize,
    /// Whether the order is one for which registers are just enough.
    pub(super) is_in_order: bool,
}

/// A round for several groups, and what is done before the first.
pub(super) fn unroll_and_jam(body: Body, many: bool) -> Arranged {
    let differs = differs(&body);
    let (vectors, masks) = pressure(&body, &differs);
    let fits = |groups: usize| {
        groups * vectors <= usize::from(body.machine.vectors) - SPARE
            && groups * masks <= MASKS
            && groups * body.instrs.len() <= LONG
    };
    let wanted = match body.is_self_loop() {
        true => TOGETHER,
        false if body.instrs.len() <= SHORT && body.turns.is_none() => 1,
        false if many && body.turns.is_some() && body.instrs.len() <= SMALL => MOST,
        false if many && (body.turns.is_some() || body.machine.has_masks) => MANY,
        false => FEW,
    };
    let groups = (0..)
        .map(|halvings| wanted >> halvings)
        .find(|groups| *groups <= 1 || fits(*groups))
        .unwrap_or(1)
        .max(groups_of_warp(&body));
    let (mut body, slots) = hoist(body, &differs);
    let unit = UNIT * GROUP / body.machine.lanes();
    let rounds = if many { [MOST, unit] } else { [unit; 2] };
    // Where registers are enough, sets gain nothing; those with something in common have been measured with AVX2 alone.
    let sets = match () {
        _ if groups == wanted => None,
        _ if body.tables.is_empty() => staggered(&body, &differs, wanted, groups, LONG),
        _ if body.machine.has_masks => None,
        _ => sets(&body, &rounds, LONG).filter(|sets| sets.size() > sets.shared_by(groups)),
    };
    let is_in_order = sets.as_ref().is_some_and(|sets| sets.apart > 1);
    let groups = match sets {
        Some(sets) => {
            body = jam(body, &sets);
            sets.groups
        }
        None if groups > 1 => {
            body = repeat(body, &differs, groups);
            groups
        }
        None => groups,
    };
    body.drop_unused();
    Arranged { body, groups, slots, is_in_order }
}

/// Puts what is the same for all groups before the first of them, where it takes more than a load to have it.
fn hoist(mut body: Body, differs: &[bool]) -> (Body, usize) {
    let turns = turning(&body);
    let same = |reg: Reg| !differs[reg.0 as usize] && !turns[reg.0 as usize];
    let is_value = |body: &Body, reg: Reg| {
        let index = reg.0 as usize;
        same(reg) && body.homes[index].is_none() && body.kinds[index] == Kind::Vector
    };
    let mut used = vec![false; body.kinds.len()];
    for instr in body.instrs.iter().filter(|instr| instr.sets().is_none_or(|reg| !same(reg))) {
        instr.reads().for_each(|reg| used[reg.0 as usize] = true);
    }
    let wanted: Vec<Reg> = body
        .instrs
        .iter()
        .filter_map(Instr::sets)
        .filter(|reg| used[reg.0 as usize] && is_value(&body, *reg))
        .collect();
    if wanted.is_empty() || wanted.len() > MOST_SLOTS {
        return (body, 0);
    }
    let once = |instr: &&Instr| instr.sets().is_some_and(same);
    let enter = body.turns.iter().flat_map(|turns| &turns.enter);
    body.before = enter.chain(&body.instrs).filter(once).copied().collect();
    // The same content under other names before the rounds and in them.
    let mut preheader = Vec::with_capacity(body.kinds.len());
    for k in 0..body.kinds.len() {
        let same = same(Reg(k as u32));
        preheader.push(if same { body.reg(body.kinds[k]) } else { Reg(k as u32) });
        if same {
            body.homes[preheader[k].0 as usize] = body.homes[k];
        }
    }
    for instr in &mut body.before {
        *instr = renamed(instr, &|reg| preheader[reg.0 as usize], 0, 0);
    }
    for (slot, reg) in wanted.iter().enumerate() {
        let memory = Memory::fixed(Base::Slot(slot));
        let from = [Some(Arg::Memory(memory)), Some(Arg::Whole(preheader[reg.0 as usize])), None];
        let code = body.machine.store;
        body.before.push(Instr { code, to: None, onto: None, from, by: None, zeroes: false });
        body.homes[reg.0 as usize] = Some(memory);
    }
    for instr in &mut body.instrs {
        if let Some(reg) = instr.sets()
            && let Some(slot) = wanted.iter().position(|wanted| *wanted == reg)
        {
            let from = [Some(Arg::Memory(Memory::fixed(Base::Slot(slot)))), None, None];
            let code = body.machine.load;
            *instr = Instr { code, to: Some(Arg::Whole(reg)), onto: None, from, by: None, zeroes: false };
        }
    }
    (body, wanted.len())
}

/// Instructions for several groups, each in its turn.
fn repeat(body: Body, differs: &[bool], groups: usize) -> Body {
    // What was named later is the same for all groups.
    let differs = |reg: usize| differs.get(reg).copied().unwrap_or(false);
    let bytes = body.machine.bytes;
    let mut round = Body {
        instrs: Vec::with_capacity(body.instrs.len() * groups),
        constants: body.constants,
        pointers: body.pointers,
        tables: body.tables,
        ..Body::new(body.machine)
    };
    let mut numbers = vec![[Reg(0); MOST]; body.kinds.len()];
    for (k, (kind, home)) in body.kinds.iter().zip(&body.homes).enumerate() {
        for group in 0..groups {
            numbers[k][group] = match group {
                0 => round.reg(*kind),
                _ if differs(k) => round.reg(*kind),
                _ => numbers[k][0],
            };
            round.homes[numbers[k][group].0 as usize] = home.map(|home| moved(home, group * bytes, group));
        }
    }
    round.before =
        body.before.iter().map(|instr| renamed(instr, &|reg| numbers[reg.0 as usize][0], 0, 0)).collect();
    let first_of = first_groups(&round.tables, groups);
    for instr in &body.instrs {
        let set = instr.sets();
        if let (Some(Reg(to)), Some((Reg(from), choices))) = (set, exchanged(instr)) {
            let of_group = &{ numbers[from as usize] }[..groups];
            for (group, number) in numbers[to as usize][..groups].iter_mut().enumerate() {
                *number = exchange(&mut round, &body.choices[choices], group, of_group);
            }
            continue;
        }
        let turns = if set.is_some_and(|reg| !differs(reg.0 as usize)) { 1 } else { groups };
        // What is the same for all groups, but there once for each, is used up by a gather.
        let of_group =
            instr.args().any(|arg| arg.moves()) || instr.reads().any(|reg| differs(reg.0 as usize));
        let shares = is_pure(instr) && of_group;
        let mut turned: Vec<Instr> = Vec::with_capacity(turns);
        for group in 0..turns {
            let turn = renamed(instr, &|reg| numbers[reg.0 as usize][group], group * bytes, group);
            let turn = shared(turn, &first_of);
            let same = |earlier: &Instr| shares && turn.from == earlier.from;
            match (set, turned.iter().position(same)) {
                (Some(Reg(reg)), Some(earlier)) => {
                    numbers[reg as usize][group] = numbers[reg as usize][earlier]
                }
                _ => round.instrs.push(turn),
            }
            turned.push(turn);
        }
    }
    round.turns = body.turns.map(|turns| of_groups(turns, &numbers, &differs, bytes, groups));
    round
}

/// What several groups do around their turns, none of which computes anything that groups may share.
pub(super) fn of_groups(
    Turns { enter, carried, asking, leave }: Turns,
    numbers: &[[Reg; MOST]],
    differs: &dyn Fn(usize) -> bool,
    bytes: usize,
    groups: usize,
) -> Turns {
    let groups_of = |reg: Reg| 0..if differs(reg.0 as usize) { groups } else { 1 };
    let number = |reg: Reg, group: usize| numbers[reg.0 as usize][group];
    let each = |instr: &Instr| {
        let of = |group: usize| renamed(instr, &|reg| number(reg, group), group * bytes, group);
        instr.sets().map_or(0..groups, groups_of).map(of).collect::<Vec<_>>()
    };
    let [enter, asking, leave] = [enter, asking, leave].map(|instrs| instrs.iter().flat_map(each).collect());
    let pairs = |pair: &Carried| {
        let of =
            |group: usize| Carried { begins: number(pair.begins, group), ends: number(pair.ends, group) };
        groups_of(pair.begins).map(of).collect::<Vec<_>>()
    };
    Turns { enter, asking, leave, carried: carried.iter().flat_map(pairs).collect() }
}

/// For every table and group of a round, the first group whose distances are the same in all rounds.
pub(super) fn first_groups(tables: &[Vec<i64>], groups: usize) -> Vec<Vec<u8>> {
    let first = |table: &Vec<i64>, group: usize| {
        let same = |other: &usize| table.chunks(groups).all(|round| round.get(*other) == round.get(group));
        (0..group).find(same).unwrap_or(group) as u8
    };
    tables.iter().map(|table| (0..groups).map(|group| first(table, group)).collect()).collect()
}

/// An instruction whose operands in memory are those of the first group that has them at the same place.
pub(super) fn shared(instr: Instr, first_of: &[Vec<u8>]) -> Instr {
    let from = instr.from.map(|arg| match arg {
        Some(Arg::Memory(Memory { base, step: Step::Table(table, group) })) => {
            let group = first_of[table].get(usize::from(group)).copied().unwrap_or(group);
            Some(Arg::Memory(Memory { base, step: Step::Table(table, group) }))
        }
        _ => arg,
    });
    Instr { from, ..instr }
}

/// Whether an instruction's result is made of its operands alone.
fn is_pure(instr: &Instr) -> bool {
    let gathers = instr.args().any(|arg| matches!(arg, Arg::Gathered { .. }));
    instr.to.is_some() && instr.onto.is_none() && instr.by.is_none() && !gathers
}

/// An instruction on other registers, for a later group, whose lines begin so many bytes on.
pub(super) fn renamed(instr: &Instr, name: &dyn Fn(Reg) -> Reg, bytes: usize, group: usize) -> Instr {
    let moved = |memory: Memory| moved(memory, bytes, group);
    let arg = |arg: Arg| match arg {
        Arg::Whole(reg) => Arg::Whole(name(reg)),
        Arg::Lower(reg) => Arg::Lower(name(reg)),
        Arg::Memory(memory) => Arg::Memory(moved(memory)),
        Arg::Element(memory) => Arg::Element(moved(memory)),
        Arg::Gathered { memory, by, lower } => Arg::Gathered { memory: moved(memory), by: name(by), lower },
        Arg::Exchanged { reg, choices } => Arg::Exchanged { reg: name(reg), choices },
        Arg::AnyMask | Arg::Number(_) | Arg::Rounding(_) => arg,
    };
    Instr {
        code: instr.code,
        to: instr.to.map(arg),
        onto: instr.onto.map(name),
        from: instr.from.map(|from| from.map(arg)),
        by: instr.by.map(name),
        zeroes: instr.zeroes,
    }
}

/// An operand in memory for a later group.
pub(super) fn moved(memory: Memory, bytes: usize, group: usize) -> Memory {
    match memory.step {
        Step::Table(table, first) => Memory { step: Step::Table(table, first + group as u8), ..memory },
        Step::Vectors(vectors) => {
            let by = bytes as i32 * i32::from(vectors);
            let base = match memory.base {
                Base::Lines(at) => Base::Lines(at + by),
                Base::Pointer(pointer, at) => Base::Pointer(pointer, at + by),
                base @ (Base::Constant(_) | Base::Slot(_)) => base,
            };
            Memory { base, ..memory }
        }
    }
}

/// Whether each register's content differs from group to group.
fn differs(body: &Body) -> Vec<bool> {
    let moves = |instr: &Instr| instr.args().any(|arg| arg.moves()) || exchanged(instr).is_some();
    marked(body, &moves, vec![false; body.kinds.len()])
}

/// Whether each register's content may differ from turn to turn.
fn turning(body: &Body) -> Vec<bool> {
    let mut first = vec![false; body.kinds.len()];
    let carried = body.turns.iter().flat_map(|turns| &turns.carried);
    carried.filter(|pair| pair.begins != pair.ends).for_each(|pair| first[pair.begins.0 as usize] = true);
    let element = |instr: &Instr| {
        body.turns.is_some()
            && instr.args().filter_map(|arg| arg.memory()).any(|memory| body.is_element(memory))
    };
    marked(body, &element, first)
}

/// The registers that are marked at first, those that some instructions set, and all that is made of them.
pub(super) fn marked(body: &Body, marks: &dyn Fn(&Instr) -> bool, mut marked: Vec<bool>) -> Vec<bool> {
    let none = Turns::default();
    let turns = body.turns.as_ref().unwrap_or(&none);
    loop {
        for instr in turns.enter.iter().chain(&body.instrs).chain(&turns.asking).chain(&turns.leave) {
            let marks = marks(instr) || instr.reads().any(|reg| marked[reg.0 as usize]);
            if let Some(reg) = instr.sets() {
                marked[reg.0 as usize] |= marks;
            }
            // What gathers uses its mask up: each needs one.
            let gathers = instr.args().any(|arg| matches!(arg, Arg::Gathered { .. }));
            if let Some(mask) = instr.by.filter(|_| gathers && marks) {
                marked[mask.0 as usize] = true;
            }
        }
        // What the next turn begins with is what this one has left.
        let open = |pair: &&Carried| marked[pair.ends.0 as usize] && !marked[pair.begins.0 as usize];
        let next: Vec<Reg> = turns.carried.iter().filter(open).map(|pair| pair.begins).collect();
        if next.is_empty() {
            return marked;
        }
        next.into_iter().for_each(|reg| marked[reg.0 as usize] = true);
    }
}

/// How many vectors and masks that differ from group to group are in use at once; what is loaded for one instruction is no more than its
/// operand.
fn pressure(body: &Body, differs: &[bool]) -> (usize, usize) {
    let mut reads = vec![0u32; body.kinds.len()];
    body.instrs.iter().flat_map(Instr::reads).for_each(|reg| reads[reg.0 as usize] += 1);
    let is_operand = |reg: Reg| {
        let index = reg.0 as usize;
        let tabled = matches!(body.homes[index], Some(Memory { step: Step::Table(..), .. }));
        tabled && reads[index] == 1
    };
    let mut alive = vec![false; body.kinds.len()];
    let (mut now, mut most) = ([0usize; 2], [0usize; 2]);
    let uniformity = |reg: Reg| usize::from(body.kinds[reg.0 as usize] == Kind::Mask);
    for reg in body.read_after_turn().filter(|reg| differs[reg.0 as usize]) {
        now[uniformity(reg)] += usize::from(!std::mem::replace(&mut alive[reg.0 as usize], true));
    }
    for instr in body.instrs.iter().rev() {
        // A result may take the register of an operand that is read for the last time.
        if let Some(reg) = instr.sets().filter(|reg| alive[reg.0 as usize]) {
            alive[reg.0 as usize] = false;
            now[uniformity(reg)] -= 1;
        }
        for reg in instr.reads().filter(|reg| differs[reg.0 as usize] && !is_operand(*reg)) {
            if !std::mem::replace(&mut alive[reg.0 as usize], true) {
                now[uniformity(reg)] += 1;
            }
        }
        most = [0, 1].map(|k| most[k].max(now[k]));
    }
    (most[0], most[1])
}
