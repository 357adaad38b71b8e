//! An order of instructions in which chains that do not depend on each other go side by side, as far as registers reach.
//!
//! A processor begins what is ready among some two hundred pending instructions. Where a run is one long chain after another (a row's
//! elements, each with its power of 2), few of them are pending at once. This takes instructions as a processor would that looks
//! further ahead: of those that are ready the first in the order that was.

use crate::batch::lanes::jit::machine::{Base, Body, Instr, Kind, Memory, Reg};
use crate::batch::lanes::jit::unroll_and_jam::MASKS;
use foldhash::HashMap;
use iced_x86::Mnemonic;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Instructions of a run that a processor looks at together anyway.
const SHORT: usize = 128;
/// Instructions of a run that is left as it is, so that compiling it takes no longer.
const LONG: usize = 8192;

/// How far an instruction may go before others.
const AHEAD: usize = 512;

/// Instructions that begin in a cycle.
const WIDTH: usize = 4;

/// Vectors and masks that are left where instructions go before others.
const SPARE_VECTORS: usize = 5;
const SPARE_MASKS: usize = 2;

/// Bytes of a line.
const LINE: i32 = 64;

/// Changes the order of a run's instructions, or of a turn's.
pub(super) fn schedule(body: &mut Body) {
    if (SHORT..=LONG).contains(&body.instrs.len()) {
        let order = Scheduler::new(body).order();
        body.instrs = order.into_iter().map(|k| body.instrs[k]).collect();
    }
}

struct Scheduler<'b> {
    body: &'b Body,
    /// The instruction that sets each register.
    set_by: Vec<Option<usize>>,
    /// Whether an instruction loads a constant: it stands where that is read first.
    is_constant: Vec<bool>,
    /// The instructions that wait for each one.
    after: Vec<Vec<u32>>,
    /// How many instructions each one waits for still.
    waits: Vec<u32>,
    /// The cycle from which on each one has all that it reads.
    ready: Vec<u32>,
    /// How often each register is read still.
    reads: Vec<u32>,
    /// Registers that hold something, vectors and masks.
    held: [usize; 2],
    room: [usize; 2],
}

/// Accesses to memory: those that write, of which the last one comes after all that were noted before it, and those that read since.
#[derive(Default)]
struct Accesses {
    writes: Vec<usize>,
    reads: Vec<usize>,
}

impl Accesses {
    /// What comes before one more.
    fn before(&self, writes: bool) -> Vec<usize> {
        let reads = if writes { &self.reads[..] } else { &[] };
        self.writes.iter().chain(reads).copied().collect()
    }

    /// Notes one that has waited for all that come before it.
    fn note(&mut self, at: usize, writes: bool) {
        if writes {
            (self.writes, self.reads) = (vec![at], Vec::new());
        } else {
            self.reads.push(at);
        }
    }

    /// Notes one that has not.
    fn note_each(&mut self, at: usize, writes: bool) {
        if writes { self.writes.push(at) } else { self.reads.push(at) }
    }
}

/// Cycles until a result is there.
fn latency(instr: &Instr) -> u32 {
    use Mnemonic::*;
    let loads = if instr.args().any(|arg| arg.memory().is_some()) { 6 } else { 0 };
    loads
        + match instr.code.mnemonic() {
            Vdivps | Vsqrtps | Vdivpd | Vsqrtpd => 14,
            Vpcmpd | Vpcmpud | Vpcmpub | Vpcmpb | Vcmpps | Vcmppd | Vptestmd | Vptestnmd => 6,
            Vpermi2d | Vpermt2d | Vpermd | Vpermps | Vpermb | Vpermi2b => 5,
            Vpmulld | Vpmaddwd | Vpdpbusd | Vpmaddubsw | Vpmultishiftqb | Vmulps | Vaddps | Vsubps
            | Vfmadd213ps | Vfmadd231ps | Vfmadd213pd | Vfmadd231pd | Vmulpd | Vaddpd | Vsubpd
            | Vcvttps2dq | Vcvtdq2ps | Vcvtdq2pd | Vcvtpd2ps | Vcvtps2pd | Vcvtph2ps | Vcvtps2ph
            | Vrndscaleps | Vrndscalepd | Vgetmantps | Vgetexpps | Vscalefps | Vrangeps | Vpopcntd => 4,
            _ => 2,
        }
}

impl<'b> Scheduler<'b> {
    fn new(body: &'b Body) -> Scheduler<'b> {
        let count = body.instrs.len();
        let mut reads = vec![0; body.kinds.len()];
        body.instrs.iter().flat_map(Instr::reads).for_each(|reg| reads[reg.0 as usize] += 1);
        // What is read after a turn is held to its end.
        body.read_after_turn().for_each(|reg| reads[reg.0 as usize] += 1);
        let mut set_by = vec![None; body.kinds.len()];
        for (at, instr) in body.instrs.iter().enumerate() {
            instr.sets().into_iter().for_each(|reg| set_by[reg.0 as usize] = Some(at));
        }
        let loads = |instr: &Instr| {
            let home = instr.sets().and_then(|reg| body.homes[reg.0 as usize]);
            home.is_some_and(is_constant) && instr.reads().next().is_none()
        };
        let mut scheduler = Scheduler {
            body,
            set_by,
            is_constant: body.instrs.iter().map(loads).collect(),
            after: vec![Vec::new(); count],
            waits: vec![0; count],
            ready: vec![0; count],
            reads,
            held: [0; 2],
            room: [usize::from(body.machine.vectors) - SPARE_VECTORS, MASKS - SPARE_MASKS],
        };
        scheduler.find_what_waits();
        scheduler.hold_what_is_there();
        scheduler
    }

    fn wait(&mut self, at: usize, before: usize) {
        self.after[before].push(at as u32);
        self.waits[at] += 1;
    }

    /// Registers wait for what sets them; and accesses to the same place in memory keep their order, if one of them writes.
    fn find_what_waits(&mut self) {
        let body = self.body;
        // By line, the last that writes it and those that read it since; and by all of them.
        let mut of_lines: HashMap<i32, Accesses> = HashMap::default();
        let mut lines = Accesses::default();
        // Accesses by way of pointers, which may be to lines, too, if they are not to elements of the kernel's memory.
        let mut others = Accesses::default();
        for (at, instr) in body.instrs.iter().enumerate() {
            for reg in instr.reads() {
                if let Some(before) = self.set_by[reg.0 as usize].filter(|before| !self.is_constant[*before])
                {
                    self.wait(at, before);
                }
            }
            let writes = instr.to.is_none();
            let accessed = instr.args().filter_map(|arg| arg.memory()).find(|memory| !is_constant(*memory));
            let Some(memory) = accessed else { continue };
            let mut before = others.before(writes);
            match memory.base {
                Base::Lines(byte) => {
                    let line = of_lines.entry(byte & !(LINE - 1)).or_default();
                    before.extend(line.before(writes));
                    line.note(at, writes);
                    lines.note_each(at, writes);
                }
                _ => {
                    if !body.is_element(memory) {
                        before.extend(lines.before(writes));
                    }
                    others.note(at, writes);
                }
            }
            before.into_iter().for_each(|before| self.wait(at, before));
        }
    }

    /// Registers that are set before the run.
    fn hold_what_is_there(&mut self) {
        for k in 0..self.reads.len() {
            if self.set_by[k].is_none() && self.reads[k] > 0 {
                self.hold(Reg(k as u32), true);
            }
        }
    }

    /// Counts a register that holds something from now on, or no longer. What can be loaded again from among constants need not be held.
    fn hold(&mut self, reg: Reg, holds: bool) {
        if self.body.homes[reg.0 as usize].is_some_and(is_constant) {
            return;
        }
        let held = &mut self.held[usize::from(self.body.kinds[reg.0 as usize] == Kind::Mask)];
        *held = if holds { *held + 1 } else { held.saturating_sub(1) };
    }

    fn order(mut self) -> Vec<usize> {
        let count = self.body.instrs.len();
        let mut order = Vec::with_capacity(count);
        let mut taken = self.is_constant.clone();
        let mut first = 0;
        let (mut cycle, mut begun) = (0, 0);
        // Those that wait for nothing but time, and those that do no longer.
        let mut pending: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        let mut ready: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
        let free = (0..count).filter(|k| self.waits[*k] == 0 && !taken[*k]);
        free.for_each(|k| ready.push(Reverse(k as u32)));
        loop {
            while first < count && taken[first] {
                first += 1;
            }
            if first == count {
                let constants = self.body.read_after_turn().filter_map(|reg| self.set_by[reg.0 as usize]);
                order.extend(constants.filter(|at| self.is_constant[*at]));
                return order;
            }
            while let Some(Reverse((_, k))) = pending.peek().filter(|next| next.0.0 <= cycle).copied() {
                pending.pop();
                ready.push(Reverse(k));
            }
            // The first one waits for none of the others: what was there before it has been taken.
            let is_full = (0..2).any(|kind| self.held[kind] >= self.room[kind]);
            let reach = if is_full { first } else { first + AHEAD };
            let next = ready.peek().map(|next| next.0 as usize);
            let Some(next) = next.filter(|next| begun < WIDTH && *next <= reach) else {
                (cycle, begun) = (cycle + 1, 0);
                continue;
            };
            ready.pop();
            begun += 1;
            taken[next] = true;
            self.take(next, &mut order);
            let there = cycle + latency(&self.body.instrs[next]);
            for waiting in std::mem::take(&mut self.after[next]) {
                let k = waiting as usize;
                self.ready[k] = self.ready[k].max(there);
                self.waits[k] -= 1;
                if self.waits[k] == 0 {
                    pending.push(Reverse((self.ready[k], waiting)));
                }
            }
        }
    }

    /// Puts an instruction next, and before it the constants that it is the first to read.
    fn take(&mut self, next: usize, order: &mut Vec<usize>) {
        let instr = self.body.instrs[next];
        for reg in instr.reads() {
            let set_by = &mut self.set_by[reg.0 as usize];
            if set_by.is_some_and(|at| self.is_constant[at]) {
                order.extend(set_by.take());
            }
            let reads = &mut self.reads[reg.0 as usize];
            *reads -= 1;
            if *reads == 0 {
                self.hold(reg, false);
            }
        }
        order.push(next);
        if let Some(reg) = instr.sets().filter(|reg| self.reads[reg.0 as usize] > 0) {
            self.hold(reg, true);
        }
    }
}

fn is_constant(memory: Memory) -> bool {
    matches!(memory.base, Base::Constant(_) | Base::Slot(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::lanes::jit::machine::{Arg, Pointer, Step};
    use crate::batch::lanes::jit::target::AVX512;
    use crate::random::Random;
    use iced_x86::Code;

    fn push(body: &mut Body, code: Code, sets: bool, from: [Option<Arg>; 3]) -> Option<Reg> {
        let to = sets.then(|| body.reg(Kind::Vector));
        let to_arg = to.map(Arg::Whole);
        body.instrs.push(Instr { code, to: to_arg, onto: None, from, by: None, zeroes: false });
        to
    }

    fn load(body: &mut Body, memory: Memory) -> Reg {
        push(body, AVX512.load, true, [Some(Arg::Memory(memory)), None, None]).expect("it sets one")
    }

    fn store(body: &mut Body, memory: Memory, reg: Reg) {
        push(body, AVX512.store, false, [Some(Arg::Memory(memory)), Some(Arg::Whole(reg)), None]);
    }

    fn add(body: &mut Body, a: Reg, b: Reg) -> Reg {
        let code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
        push(body, code, true, [Some(Arg::Whole(a)), Some(Arg::Whole(b)), None]).expect("it sets one")
    }

    fn line(k: i32) -> Memory {
        Memory { base: Base::Lines(LINE * k), step: Step::Vectors(1) }
    }

    /// Where each instruction of the order that was stands in the one that is.
    fn places(body: &Body) -> Vec<usize> {
        let order = Scheduler::new(body).order();
        let mut places = vec![usize::MAX; body.instrs.len()];
        order.iter().enumerate().for_each(|(to, from)| places[*from] = to);
        assert_eq!(order.len(), body.instrs.len());
        assert!(!places.contains(&usize::MAX), "each one stands somewhere");
        places
    }

    #[test]
    fn chains_go_side_by_side() {
        let mut body = Body::new(&AVX512);
        for k in 0..4 {
            let mut sum = load(&mut body, line(k));
            (0..50).for_each(|_| sum = add(&mut body, sum, sum));
            store(&mut body, line(10 + k), sum);
        }
        let places = places(&body);
        let ends = [0, 1, 2, 3].map(|k| places[52 * k + 51]);
        assert!(ends[3] - ends[0] < 20, "{ends:?}");
    }

    #[test]
    fn where_registers_are_full_the_order_stays() {
        let mut body = Body::new(&AVX512);
        let all: Vec<Reg> = (0..30).map(|k| load(&mut body, line(k))).collect();
        let mut sums = all.clone();
        for round in 0..4 {
            for k in 0..30 {
                sums[k] = add(&mut body, sums[k], all[(k + round) % 30]);
            }
        }
        (0..30).for_each(|k| store(&mut body, line(40 + k as i32), sums[k]));
        let places = places(&body);
        assert!(places[40..].iter().enumerate().all(|(k, place)| *place == 40 + k), "{places:?}");
    }

    /// Registers are set before they are read, and accesses keep their order if one writes where the other may be.
    #[test]
    fn what_depends_on_something_comes_after_it() {
        for seed in 0..200 {
            let mut random = Random::new(seed, 0);
            let mut body = Body::new(&AVX512);
            let elements = body.pointer(Pointer::Load(0));
            let lent = body.pointer(Pointer::Lent(0));
            let aimed = body.pointer(Pointer::Aimed(1));
            let mut regs = vec![load(&mut body, line(0))];
            let behind = |pointer: usize| Memory { base: Base::Pointer(pointer, 0), step: Step::Vectors(1) };
            while body.instrs.len() < 300 {
                let place = match random.below(8) {
                    0 => behind(elements),
                    1 => behind(lent),
                    2 => behind(aimed),
                    _ => line(random.below(6) as i32),
                };
                let some = regs[regs.len() - 1 - random.below(regs.len().min(8) as u64) as usize];
                match random.below(4) {
                    0 if place != behind(elements) && place != behind(lent) => store(&mut body, place, some),
                    1 if place != behind(aimed) => regs.push(load(&mut body, place)),
                    _ => {
                        let other = regs[regs.len() - 1];
                        regs.push(add(&mut body, some, other));
                    }
                }
            }
            let places = places(&body);
            let memory = |instr: &Instr| instr.args().find_map(|arg| arg.memory());
            let meet = |a: Memory, b: Memory| match (a.base, b.base) {
                (Base::Lines(a), Base::Lines(b)) => a == b,
                // Of the pointers, the one to elements alone never is to a line.
                (Base::Lines(_), Base::Pointer(k, _)) | (Base::Pointer(k, _), Base::Lines(_)) => {
                    k != elements
                }
                _ => true,
            };
            for (at, instr) in body.instrs.iter().enumerate() {
                for (earlier, before) in body.instrs[..at].iter().enumerate() {
                    let reads = before.sets().is_some_and(|set| instr.reads().any(|reg| reg == set));
                    let writes = instr.to.is_none() || before.to.is_none();
                    let both = memory(instr).zip(memory(before)).is_some_and(|(a, b)| meet(a, b));
                    if reads || (writes && both) {
                        assert!(places[earlier] < places[at], "seed {seed}: {earlier} before {at}");
                    }
                }
            }
        }
    }
}
