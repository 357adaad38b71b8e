//! Threads that part and meet: who waits, and who goes on.

use super::even::{Even, compare};
use super::lanes::{Place, What};
use super::plan::{Guess, Operand};
use super::run::{Cta, Waiting};
use margay_isa::uop::Type;

impl Cta<'_> {
    /// All that run go on with a block, together with those that wait there; but first those that wait before it.
    pub(super) fn go(&mut self, next: usize) {
        match self.waiting.first() {
            Some(first) if first.block < next => {
                let mut mask = self.spare.pop().unwrap_or_default();
                mask.clear();
                mask.extend_from_slice(self.lines.u32s(self.plan.running));
                self.park(next, self.running, mask);
                self.let_waiting();
            }
            Some(first) if first.block == next => {
                let waiting = self.waiting.remove(0);
                let running = self.lines.u32s_mut(self.plan.running);
                running.iter_mut().zip(&waiting.mask).for_each(|(lane, other)| *lane |= other);
                self.running += waiting.count;
                self.spare.push(waiting.mask);
                self.patience = 0;
                self.at = next;
                self.mask_is_new();
            }
            _ => self.at = next,
        }
    }

    /// Lets those that wait first run alone.
    pub(super) fn let_waiting(&mut self) {
        if self.waiting.is_empty() {
            self.running = 0;
            return;
        }
        let waiting = self.waiting.remove(0);
        self.lines.u32s_mut(self.plan.running).copy_from_slice(&waiting.mask);
        self.running = waiting.count;
        self.at = waiting.block;
        self.spare.push(waiting.mask);
        self.patience = 0;
        self.mask_is_new();
    }

    /// Others run than before.
    fn mask_is_new(&mut self) {
        self.masked = 0;
        match self.is_full() {
            true => self.lines.all_run(),
            false => self.lines.only_run(self.plan.running),
        }
    }

    /// Threads wait at a block.
    fn park(&mut self, block: usize, count: usize, mask: Vec<u32>) {
        let place = self.waiting.partition_point(|other| other.block < block);
        if let Some(other) = self.waiting.get_mut(place).filter(|other| other.block == block) {
            other.mask.iter_mut().zip(&mask).for_each(|(lane, new)| *lane |= new);
            other.count += count;
            self.spare.push(mask);
            return;
        }
        self.waiting.insert(place, Waiting { block, count, mask });
    }

    /// Whether all threads branch, or none; else their predicates are ready.
    pub(super) fn guessed(&mut self, guess: &Guess) -> Option<bool> {
        let mut all_even = true;
        let mut even = |operand: Operand| match operand {
            Operand::Const(bits) => Even::uniform(bits),
            Operand::Uniform(ty, place) => Even::uniform(self.lines.get(ty, place, 0)),
            Operand::Even(id) => {
                all_even &= self.evens[id as usize].is_even;
                self.evens[id as usize].even
            }
        };
        let [a, b] = guess.operands.map(&mut even);
        let known = if all_even { compare(guess.cmp, guess.ty, a, b, self.extent()) } else { None };
        if let Some(holds) = known {
            return Some(holds != guess.negated);
        }
        for step in &guess.steps {
            // Nothing among them can fail.
            if self.step(step).is_err() {
                break;
            }
        }
        None
    }

    pub(super) fn branch(&mut self, by: Place, yes: usize, no: usize) {
        let (first, second) = (yes.min(no), yes.max(no));
        if self.tally.is_none()
            && yes != no
            && let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.block == second)
        {
            let split = self.lines.split_off(self.plan.running, by, yes == first, &mut waiting.mask);
            waiting.count += split.no;
            self.running = split.yes;
            if split.yes == 0 {
                return self.let_waiting();
            }
            if split.no > 0 {
                self.mask_is_new();
            }
            return self.go(first);
        }
        let [taken, other] = self.plan.parted;
        let split = self.lines.split(self.plan.running, by, taken, other);
        if let Some(tally) = &mut self.tally {
            tally.take(self.at, split.yes);
        }
        if split.no == 0 || yes == no {
            return self.go(yes);
        }
        if split.yes == 0 {
            return self.go(no);
        }
        let (first, second) = match yes < no {
            true => ((yes, split.yes, taken), (no, split.no, other)),
            false => ((no, split.no, other), (yes, split.yes, taken)),
        };
        let mut mask = self.spare.pop().unwrap_or_default();
        mask.clear();
        mask.extend_from_slice(self.lines.u32s(second.2));
        self.park(second.0, second.1, mask);
        let copy =
            super::lanes::Act { what: What::Move(Type::Pred), to: self.plan.running, from: [first.2; 3] };
        self.lines.run_one(&copy);
        self.running = first.1;
        self.mask_is_new();
        self.go(first.0);
    }

    pub(super) fn indexed(&mut self, index: Place, blocks: &[usize], beyond: usize) {
        let threads = self.threads;
        let goal = |cta: &Self, t: usize| {
            let index = cta.lines.get(Type::U64, index, t);
            usize::try_from(index).ok().and_then(|k| blocks.get(k)).copied().unwrap_or(beyond)
        };
        let mut masks: std::collections::BTreeMap<usize, (usize, Vec<u32>)> = Default::default();
        let lanes = self.plan.acts.groups() * super::lanes::GROUP;
        for t in (0..threads).filter(|t| self.is_running(*t)) {
            let entry = masks.entry(goal(self, t)).or_insert_with(|| (0, vec![0; lanes]));
            entry.0 += 1;
            entry.1[t] = u32::MAX;
        }
        for (block, (count, mask)) in masks {
            self.park(block, count, mask);
        }
        self.let_waiting();
    }
}
