//! The golden engine takes threads over where they stand.

use crate::batch::plan::{Block, Exit, Home};
use crate::batch::run::Cta;
use crate::code::Code;
use crate::golden::{self, Standing};

impl Cta<'_> {
    /// The golden engine goes on: threads that run with instruction `pc`, in the middle of a block if one is given; those
    /// that wait with their blocks.
    pub(super) fn hand_over(&mut self, pc: u32, inside: Option<&Block>) {
        self.handed = true;
        self.note_hand_over(pc, inside);
        self.account_back(pc, inside);
        self.current = 0;
        let mut engines = std::mem::take(&mut self.golden);
        let Some(code) = self.job.ready.code[self.job.entry.0 as usize].as_ref() else { return };
        let own = self.job.threads as usize;
        for member in 0..self.count as usize {
            if engines.len() == member {
                engines.push(golden::Cluster::new(self.job));
            }
            // What has been counted so far is one block's.
            let steps = if member == 0 { self.steps } else { 0 };
            let words = self.shared.len() / self.plan.batch_size as usize;
            let mut shared = self.shared[member * words..(member + 1) * words].to_vec();
            engines[member].take_over(self.index + member as u64, steps, &mut shared, |t| {
                self.standing(code, member * own + t, pc, inside)
            });
        }
        self.golden = engines;
    }

    /// Takes back what has been counted and is executed by the engine that goes on with instruction `pc`.
    pub(super) fn account_back(&mut self, pc: u32, inside: Option<&Block>) {
        // Blocks of no instruction of their own, in which the other engine executes one.
        let counted = |block: usize| {
            let Block { exit, instructions, .. } = &self.plan.blocks[block];
            *instructions == 0 && matches!(exit, Exit::Bailout | Exit::End)
        };
        let ahead = match inside {
            Some(block) => block.first + block.counted - pc,
            None => u32::from(counted(self.at)),
        };
        let pending = self.pending.iter().filter(|pending| counted(pending.block));
        let pending: usize = pending.map(|pending| pending.count).sum();
        let steps = self.active as u64 * u64::from(ahead) + pending as u64;
        // A launch cancelled before its first block has counted nothing yet.
        self.steps = self.steps.saturating_sub(steps);
        if let Some(budget) = &self.job.budget {
            budget.give_back(steps);
        }
    }

    /// Where a thread stands; none if it has ended.
    fn standing(&self, code: &Code, t: usize, pc: u32, inside: Option<&Block>) -> Option<Standing> {
        let pending = self.pending.iter().find(|pending| pending.mask[t] != 0);
        let pc = match pending {
            Some(pending) => self.plan.blocks[pending.block].first,
            None if self.active > 0 && self.is_running(t) => pc,
            None => return None,
        };
        let mut registers: Vec<u64> = (0..code.slots).map(|s| self.held(self.plan.homes[s], t)).collect();
        if let Some(block) = inside.filter(|_| pending.is_none()) {
            for set in block.sets.iter().take_while(|set| set.from <= pc) {
                registers[set.slot as usize] = self.held(set.home, t);
            }
        }
        let rows = self.plan.batch_size as usize * self.job.threads as usize;
        let local = self.local.iter().skip(t).step_by(rows).copied().collect();
        Some(Standing { pc, registers, local })
    }

    /// What a thread finds at a home.
    pub(super) fn held(&self, home: Home, thread: usize) -> u64 {
        match home {
            Home::Nowhere => 0,
            Home::Const(bits) => bits,
            Home::At(ty, place) => self.lines.get(ty, place, thread),
            Home::Affine(id) => {
                let (register, place) =
                    (self.affine_values[id as usize], self.plan.affine_values[id as usize]);
                match register.is_affine {
                    true => register.affine.at(place.ty, self.place_of(thread)),
                    false => self.lines.get(place.ty, place.place, thread),
                }
            }
        }
    }
}
