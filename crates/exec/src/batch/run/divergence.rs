//! Threads that part and meet: who waits, and who goes on.

use crate::batch::affine::{AffineValue, compare, compare_each};
use crate::batch::lanes::Place;
use crate::batch::plan::{BranchTest, Exit, Operand};
use crate::batch::run::{ALONE_LIMIT, ALONE_TURN, Cta, GRID_STALL_LIMIT, GRID_TURN, Pending, STALL_LIMIT};
use margay_isa::WARP;
use margay_isa::uop::Type;

impl Cta<'_> {
    /// All that run go on with a block, together with those that wait there; but first those that wait before it.
    pub(super) fn go(&mut self, next: usize) {
        match self.pending.first() {
            Some(first) if first.came || first.block > next => self.at = next,
            Some(first) if first.block < next => {
                let Pending { block, count, bits, .. } = self.pending.remove(0);
                let others = std::mem::replace(&mut self.active, count);
                let gone = self.run_those(bits);
                self.park(next, others, gone);
                self.at = block;
                (self.patience, self.alone) = (0, 0);
            }
            Some(_) => {
                let Pending { block, count, mut bits, .. } = self.pending.remove(0);
                bits.iter_mut().zip(self.lines.running()).for_each(|(bits, on)| *bits |= on);
                self.active += count;
                let before = self.run_those(bits);
                self.pool.push(before);
                self.at = block;
                (self.patience, self.alone) = (0, 0);
            }
            None => self.at = next,
        }
    }

    /// Lets those that wait first run alone. If all that are left have come to barriers, the golden engine says so.
    pub(super) fn resume_pending(&mut self) {
        let Some(first) = self.pending.first() else {
            self.active = 0;
            return;
        };
        let blocks = &self.plan.blocks;
        let Some(next) =
            self.pending.iter().position(|pending| !blocks[pending.block].parks() || !pending.came)
        else {
            self.active = 0;
            return self.hand_over(blocks[first.block].first, None);
        };
        let Pending { block, came, count, bits } = self.pending.remove(next);
        if came {
            self.held_for = 0;
        }
        self.active = count;
        let before = self.run_those(bits);
        self.pool.push(before);
        self.at = block;
        (self.patience, self.alone) = (0, 0);
    }

    /// Hands over where those that run seem to wait for others that do not get their turn. Those at barriers are not waited for; those at
    /// barrier objects may want to be told that a phase is not over. Where all others have come to a barrier, or are about to, those that run
    /// may wait for other blocks (CTAs), which have their turn now and then.
    pub(super) fn lose_patience(&mut self) {
        let (plan, cooperative) = (self.plan, self.job.cooperative);
        let soon = self.pending.iter().any(|pending| !pending.came && !plan.blocks[pending.block].only_meets);
        let looks = |pending: &Pending| matches!(plan.blocks[pending.block].exit, Exit::Wait(_));
        let late = || self.pending.iter().any(|pending| cooperative || looks(pending));
        if !plan.may_wait || self.pending.is_empty() {
            return;
        }
        if !(soon || late()) {
            self.alone = self.alone.saturating_add(1);
            let is_over = self.alone >= ALONE_LIMIT && self.alone.is_multiple_of(ALONE_TURN);
            self.waits = is_over && self.job.ready.order_shows;
            return;
        }
        self.patience += 1;
        let limit = if soon && !cooperative { STALL_LIMIT } else { GRID_STALL_LIMIT };
        if self.patience > limit && !self.handed && self.active > 0 {
            self.hand_over(plan.blocks[self.at].first, None);
        }
        self.waits = cooperative && self.patience.is_multiple_of(GRID_TURN);
    }

    /// Others run from now on, as many as are active. Gives those that ran before.
    pub(super) fn run_those(&mut self, bits: Vec<u32>) -> Vec<u32> {
        self.lines.run_those(bits, self.is_full())
    }

    /// Threads wait at a block.
    fn park(&mut self, block: usize, count: usize, bits: Vec<u32>) {
        match self.place_among_pending(false, block) {
            Ok(at) => {
                let other = &mut self.pending[at];
                other.bits.iter_mut().zip(&bits).for_each(|(bits, new)| *bits |= new);
                other.count += count;
                self.pool.push(bits);
            }
            Err(at) => self.pending.insert(at, Pending { block, came: false, count, bits }),
        }
    }

    /// Where those are that wait at a block, or where they would be: those that have come to its barrier, or the others.
    pub(super) fn place_among_pending(&self, came: bool, block: usize) -> Result<usize, usize> {
        self.pending.binary_search_by_key(&(came, block), |other| (other.came, other.block))
    }

    /// Whether all threads branch, or none, where their values tell.
    pub(super) fn known(&self, test: &BranchTest) -> Option<bool> {
        let [a, b] = self.tested(test)?;
        compare(test.cmp, test.ty, a, b, self.extent()).map(|holds| holds != test.negated)
    }

    /// What a test compares, if both are affine.
    fn tested(&self, test: &BranchTest) -> Option<[AffineValue; 2]> {
        let mut all_affine = true;
        let mut affine = |operand: Operand| match operand {
            Operand::Const(bits) => AffineValue::uniform(bits),
            Operand::Uniform(ty, place) => AffineValue::uniform(self.lines.get(ty, place, 0)),
            Operand::Affine(id) => {
                all_affine &= self.affine_values[id as usize].is_affine;
                self.affine_values[id as usize].affine
            }
        };
        let operands = test.operands.map(&mut affine);
        all_affine.then_some(operands)
    }

    /// Threads that need not go the same way branch: by a test of values that are affine if there is one, else by each thread's
    /// predicate.
    pub(super) fn branch_by_test(&mut self, by: Place, test: Option<&BranchTest>, yes: usize, no: usize) {
        let Some(test) = test else { return self.branch(by, yes, no) };
        if let Some([a, b]) = self.tested(test) {
            let mut holds = self.no_threads();
            compare_each((test.cmp, test.ty), [a, b], self.extent(), &mut holds);
            let (yes, no) = if test.negated { (no, yes) } else { (yes, no) };
            return self.part_at(holds, yes, no, !test.negated);
        }
        for step in &test.steps {
            // Nothing among them can fail.
            if self.step(step).is_err() {
                break;
            }
        }
        self.branch(by, yes, no);
    }

    pub(super) fn branch(&mut self, by: Place, yes: usize, no: usize) {
        let mut holds = self.no_threads();
        match by.stride {
            0 => holds.fill(0u32.wrapping_sub(self.lines.get(Type::Pred, by, 0) as u32)),
            _ => self.lines.bits_where_run(by, &mut holds),
        }
        self.part_at(holds, yes, no, true);
    }

    /// Those that run go to one block if their bit is set, else to another one. Where they part, those that go to the later one wait
    /// there, the others go on. Which of the two counts as taking the branch must be said.
    fn part_at(&mut self, mut holds: Vec<u32>, yes: usize, no: usize, takes: bool) {
        let mut count = 0;
        for (holds, on) in holds.iter_mut().zip(self.lines.running()) {
            *holds &= on;
            count += holds.count_ones() as usize;
        }
        let others = self.active - count;
        if let Some(tally) = &mut self.tally {
            tally.take(self.at, if takes { count } else { others });
        }
        if others == 0 || count == 0 || yes == no {
            self.pool.push(holds);
            return self.go(if count == 0 { no } else { yes });
        }
        let mut rest = self.no_threads();
        for ((rest, on), holds) in rest.iter_mut().zip(self.lines.running()).zip(&holds) {
            *rest = on & !holds;
        }
        let (first, second) = match yes < no {
            true => ((yes, count, holds), (no, others, rest)),
            false => ((no, others, rest), (yes, count, holds)),
        };
        self.park(second.0, second.1, second.2);
        self.active = first.1;
        let before = self.run_those(first.2);
        self.pool.push(before);
        self.go(first.0);
    }

    /// Bits of no threads.
    pub(super) fn no_threads(&mut self) -> Vec<u32> {
        let mut bits = self.pool.pop().unwrap_or_default();
        bits.clear();
        bits.resize(self.lines.running().len(), 0);
        bits
    }

    pub(super) fn indexed(&mut self, index: Place, blocks: &[usize], beyond: usize) {
        let part = self.part(None);
        let warps = self.lines.running().len();
        let (lines, pool) = (&self.lines, &mut self.pool);
        let goal = |t: usize| {
            let index = usize::try_from(lines.get(Type::U64, index, t));
            index.ok().and_then(|k| blocks.get(k)).copied().unwrap_or(beyond)
        };
        // Mostly they are few, and neighbours go the same way.
        let (mut goals, mut last): (Vec<Pending>, usize) = (Vec::new(), 0);
        part.each(|t| {
            let block = goal(t);
            if goals.get(last).is_none_or(|pending| pending.block != block) {
                last = goals.iter().position(|pending| pending.block == block).unwrap_or_else(|| {
                    let mut bits = pool.pop().unwrap_or_default();
                    bits.clear();
                    bits.resize(warps, 0);
                    goals.push(Pending { block, came: false, count: 0, bits });
                    goals.len() - 1
                });
            }
            goals[last].count += 1;
            goals[last].bits[t / WARP] |= 1 << (t % WARP);
        });
        self.done_with(part);
        if let [only] = &mut goals[..] {
            let block = only.block;
            self.pool.push(std::mem::take(&mut only.bits));
            return self.go(block);
        }
        goals.into_iter().for_each(|Pending { block, count, bits, .. }| self.park(block, count, bits));
        self.resume_pending();
    }
}
