//! Threads that part and meet: who waits, and who goes on.

use crate::batch::affine::{AffineValue, compare};
use crate::batch::lanes::{GROUP, Place, What};
use crate::batch::plan::{BranchTest, Operand};
use crate::batch::run::{Cta, Pending, WARPS};
use margay_isa::WARP;
use margay_isa::uop::Type;

impl Cta<'_> {
    /// All that run go on with a block, together with those that wait there; but first those that wait before it.
    pub(super) fn go(&mut self, next: usize) {
        match self.pending.first() {
            Some(first) if first.block < next => {
                let mut pending = self.pending.remove(0);
                self.lines.u32s_mut(self.plan.active).swap_with_slice(&mut pending.mask);
                let count = std::mem::replace(&mut self.active, pending.count);
                self.at = pending.block;
                self.park(next, count, pending.mask);
                self.patience = 0;
                self.mask_is_new();
            }
            Some(first) if first.block == next => {
                let pending = self.pending.remove(0);
                let active = self.lines.u32s_mut(self.plan.active);
                active.iter_mut().zip(&pending.mask).for_each(|(lane, other)| *lane |= other);
                self.active += pending.count;
                self.pool.push(pending.mask);
                self.patience = 0;
                self.at = next;
                self.mask_is_new();
            }
            _ => self.at = next,
        }
    }

    /// Lets those that wait first run alone.
    pub(super) fn resume_pending(&mut self) {
        if self.pending.is_empty() {
            self.active = 0;
            return;
        }
        let pending = self.pending.remove(0);
        self.lines.u32s_mut(self.plan.active).copy_from_slice(&pending.mask);
        self.active = pending.count;
        self.at = pending.block;
        self.pool.push(pending.mask);
        self.patience = 0;
        self.mask_is_new();
    }

    /// Others run than before.
    fn mask_is_new(&mut self) {
        self.masked = 0;
        match self.is_full() {
            true => self.lines.all_run(),
            false => self.lines.only_run(self.plan.active),
        }
    }

    /// Threads wait at a block.
    fn park(&mut self, block: usize, count: usize, mask: Vec<u32>) {
        let place = self.pending.partition_point(|other| other.block < block);
        if let Some(other) = self.pending.get_mut(place).filter(|other| other.block == block) {
            other.mask.iter_mut().zip(&mask).for_each(|(lane, new)| *lane |= new);
            other.count += count;
            self.pool.push(mask);
            return;
        }
        self.pending.insert(place, Pending { block, count, mask });
    }

    /// Whether all threads branch, or none; else their predicates are ready.
    pub(super) fn guessed(&mut self, test: &BranchTest) -> Option<bool> {
        if let Some(taken) = self.known(test) {
            return Some(taken);
        }
        for step in &test.steps {
            // Nothing among them can fail.
            if self.step(step).is_err() {
                break;
            }
        }
        None
    }

    /// Whether all threads branch, or none, where their values tell.
    pub(super) fn known(&self, test: &BranchTest) -> Option<bool> {
        let mut all_affine = true;
        let mut affine = |operand: Operand| match operand {
            Operand::Const(bits) => AffineValue::uniform(bits),
            Operand::Uniform(ty, place) => AffineValue::uniform(self.lines.get(ty, place, 0)),
            Operand::Affine(id) => {
                all_affine &= self.affine_values[id as usize].is_affine;
                self.affine_values[id as usize].affine
            }
        };
        let [a, b] = test.operands.map(&mut affine);
        let holds = if all_affine { compare(test.cmp, test.ty, a, b, self.extent()) } else { None };
        holds.map(|holds| holds != test.negated)
    }

    /// Threads part at a branch to different blocks: those that go to the later one wait there, the others go on.
    fn part_at(&mut self, by: Place, yes: usize, no: usize) {
        let (first, second) = (yes.min(no), yes.max(no));
        let waits = self.pending.iter().position(|pending| pending.block == second);
        // Where others wait, adding to them costs no more than looking.
        let mut mask = match (waits, waits.map_or_else(|| self.agree(by), |_| None)) {
            (_, Some(true)) => return self.go(yes),
            (_, Some(false)) => return self.go(no),
            (Some(k), None) => std::mem::take(&mut self.pending[k].mask),
            (None, None) => self.empty_mask(),
        };
        let split = self.lines.split_off(self.plan.active, by, yes == first, &mut mask);
        match waits {
            Some(k) => {
                self.pending[k].mask = mask;
                self.pending[k].count += split.no;
            }
            None => self.park(second, split.no, mask),
        }
        self.active = split.yes;
        if split.yes == 0 {
            return self.resume_pending();
        }
        if split.no > 0 {
            self.mask_is_new();
        }
        self.go(first);
    }

    /// What a predicate is in all threads that run, if it is the same.
    fn agree(&self, by: Place) -> Option<bool> {
        if by.stride == 0 {
            return Some(self.lines.get(Type::Pred, by, 0) == 1);
        }
        let mut bits = [0; WARPS];
        self.lines.bits_where_run(by, &mut bits);
        let (is_full, mut some, mut others) = (self.is_full(), false, false);
        for (warp, bits) in bits[..self.threads.div_ceil(WARP)].iter().enumerate() {
            let on = match self.threads - warp * WARP {
                _ if !is_full => self.lines.running()[warp],
                left @ ..WARP => !(u32::MAX << left),
                _ => u32::MAX,
            };
            some |= bits & on != 0;
            others |= !bits & on != 0;
            if some && others {
                return None;
            }
        }
        Some(some)
    }

    /// A mask of no threads.
    fn empty_mask(&mut self) -> Vec<u32> {
        let mut mask = self.pool.pop().unwrap_or_default();
        mask.clear();
        mask.resize(self.plan.vector_ops.groups() * GROUP, 0);
        mask
    }

    pub(super) fn branch(&mut self, by: Place, yes: usize, no: usize) {
        if self.tally.is_none() && yes != no {
            return self.part_at(by, yes, no);
        }
        let [taken, other] = self.plan.scratch_masks;
        let split = self.lines.split(self.plan.active, by, taken, other);
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
        let mut mask = self.pool.pop().unwrap_or_default();
        mask.clear();
        mask.extend_from_slice(self.lines.u32s(second.2));
        self.park(second.0, second.1, mask);
        let copy = crate::batch::lanes::VectorOp {
            what: What::Move(Type::Pred),
            to: self.plan.active,
            from: [first.2; 3],
        };
        self.lines.run_one(&copy);
        self.active = first.1;
        self.mask_is_new();
        self.go(first.0);
    }

    pub(super) fn indexed(&mut self, index: Place, blocks: &[usize], beyond: usize) {
        let part = self.part(None);
        let lanes = self.plan.vector_ops.groups() * crate::batch::lanes::GROUP;
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
                    let mut mask = pool.pop().unwrap_or_default();
                    mask.clear();
                    mask.resize(lanes, 0);
                    goals.push(Pending { block, count: 0, mask });
                    goals.len() - 1
                });
            }
            goals[last].count += 1;
            goals[last].mask[t] = u32::MAX;
        });
        self.done_with(part);
        if let [only] = &mut goals[..] {
            let block = only.block;
            self.pool.push(std::mem::take(&mut only.mask));
            return self.go(block);
        }
        goals.into_iter().for_each(|Pending { block, count, mask }| self.park(block, count, mask));
        self.resume_pending();
    }
}
