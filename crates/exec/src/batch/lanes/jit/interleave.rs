//! Several groups of threads in one round: what one's instructions wait for, another's fill.
//!
//! A processor looks only some dozens of waiting instructions ahead, which is less than a long run has for one group.

use super::machine::{Arg, Base, Body, Instr, Kind, Memory, Reg};

/// Bytes of a line.
const LINE: i32 = 64;

/// Groups in a round, at most; the threads are a multiple of so many.
const MOST: usize = super::super::UNIT;

/// Instructions of a run that need no other group beside them: so many of several rounds are looked at together anyway.
const SHORT: usize = 8;

/// Instructions that a round may have, so that code stays small.
const LONG: usize = 2048;

/// Vectors and masks that values of threads may take; some are left for what is the same in all of them.
const VECTORS: usize = 28;
const MASKS: usize = 7;

/// A round for several groups, and how many they are.
pub(super) fn interleave(body: Body) -> (Body, usize) {
    let differs = differs(&body);
    let (vectors, masks) = pressure(&body, &differs);
    let fits = |groups: usize| {
        groups * vectors <= VECTORS && groups * masks <= MASKS && groups * body.instrs.len() <= LONG
    };
    let wanted = if body.instrs.len() <= SHORT { 1 } else { MOST };
    let groups =
        (0..).map(|halvings| wanted >> halvings).find(|groups| *groups <= 1 || fits(*groups)).unwrap_or(1);
    if groups == 1 {
        return (body, 1);
    }
    let mut round = Body {
        instrs: Vec::with_capacity(body.instrs.len() * groups),
        kinds: Vec::with_capacity(body.kinds.len() * groups),
        homes: Vec::with_capacity(body.kinds.len() * groups),
        constants: body.constants,
        pointers: body.pointers,
    };
    // The number of each register for each group; the same for all where the content is.
    let mut numbers = vec![[Reg(0); MOST]; body.kinds.len()];
    for (k, (kind, home)) in body.kinds.iter().zip(&body.homes).enumerate() {
        for group in 0..groups {
            numbers[k][group] = match group {
                0 => round.reg(*kind),
                _ if differs[k] => round.reg(*kind),
                _ => numbers[k][0],
            };
            round.homes[numbers[k][group].0 as usize] = home.map(|home| moved(home, group));
        }
    }
    for instr in &body.instrs {
        let once = instr.sets().is_some_and(|reg| !differs[reg.0 as usize]);
        for group in 0..if once { 1 } else { groups } {
            let reg = |reg: Reg| numbers[reg.0 as usize][group];
            let arg = |arg: Arg| match arg {
                Arg::Whole(whole) => Arg::Whole(reg(whole)),
                Arg::Lower(lower) => Arg::Lower(reg(lower)),
                Arg::Memory(memory) => Arg::Memory(moved(memory, group)),
                Arg::Number(number) => Arg::Number(number),
            };
            round.instrs.push(Instr {
                code: instr.code,
                to: instr.to.map(arg),
                onto: instr.onto.map(reg),
                from: instr.from.map(|from| from.map(arg)),
                by: instr.by.map(reg),
                zeroes: instr.zeroes,
            });
        }
    }
    (round, groups)
}

/// An operand in memory for a later group.
fn moved(memory: Memory, group: usize) -> Memory {
    let by = group as i32 * i32::from(memory.step) * LINE;
    let base = match memory.base {
        Base::Lines(at) => Base::Lines(at + by),
        Base::Pointer(pointer, at) => Base::Pointer(pointer, at + by),
        base @ (Base::Constant(_) | Base::Slot(_)) => base,
    };
    Memory { base, ..memory }
}

/// Whether each register's content differs from group to group.
fn differs(body: &Body) -> Vec<bool> {
    let mut differs = vec![false; body.kinds.len()];
    for instr in &body.instrs {
        let memory = |arg: &Option<Arg>| matches!(arg, Some(Arg::Memory(memory)) if memory.step > 0);
        let differing = instr.from.iter().any(memory) || instr.reads().any(|reg| differs[reg.0 as usize]);
        if let Some(reg) = instr.sets() {
            differs[reg.0 as usize] = differing;
        }
    }
    differs
}

/// How many vectors and masks that differ from group to group are in use at once.
fn pressure(body: &Body, differs: &[bool]) -> (usize, usize) {
    let mut alive = vec![false; body.kinds.len()];
    let (mut now, mut most) = ([0usize; 2], [0usize; 2]);
    let class = |reg: Reg| usize::from(body.kinds[reg.0 as usize] == Kind::Mask);
    for instr in body.instrs.iter().rev() {
        for reg in instr.reads().filter(|reg| differs[reg.0 as usize]) {
            if !std::mem::replace(&mut alive[reg.0 as usize], true) {
                now[class(reg)] += 1;
            }
        }
        most = [0, 1].map(|k| most[k].max(now[k]));
        if let Some(reg) = instr.sets().filter(|reg| alive[reg.0 as usize]) {
            alive[reg.0 as usize] = false;
            now[class(reg)] -= 1;
        }
    }
    (most[0], most[1])
}
