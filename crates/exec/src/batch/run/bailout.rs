//! The golden engine takes threads over where they stand.

use crate::batch::origins::Role;
use crate::batch::plan::{Block, Exit, Home};
use crate::batch::run::rooms::AffineRegister;
use crate::batch::run::{Cta, Pending};
use crate::golden::{self, Called, Progress, Standing};
use foldhash::HashMap;
use margay_isa::WARP;

/// Where registers lie that a block has set.
type Sets = HashMap<u32, Home>;

impl Cta<'_> {
    /// The golden engine goes on: threads that run with instruction `pc`, in the middle of a block if one is given; those
    /// that wait with their blocks.
    pub(super) fn hand_over(&mut self, pc: u32, inside: Option<&Block>) {
        self.handed = true;
        self.come_again();
        if let Some(block) = inside {
            self.load_all_left(block);
        }
        debug_assert!(self.left.is_empty(), "a block's stores take all that its loads leave");
        self.note_hand_over(pc, inside);
        self.account_back(pc, inside);
        self.current = 0;
        let mut engines = std::mem::take(&mut self.golden);
        let own = self.job.threads as usize;
        // What the block has set so far, of each register what it was set to last.
        let sets = inside.iter().flat_map(|block| block.sets.iter().take_while(|set| set.from <= pc));
        let sets: Sets = sets.map(|set| (set.slot, set.home)).collect();
        for member in 0..self.count as usize {
            if engines.len() == member {
                engines.push(golden::Cluster::new(self.job));
            }
            // What has been counted so far is one block's.
            let steps = if member == 0 { self.steps } else { 0 };
            let words = self.shared.len() / self.plan.batch_size as usize;
            let mut shared = self.shared[member * words..(member + 1) * words].to_vec();
            let output = self.outputs.get_mut(member).map(std::mem::take).unwrap_or_default();
            let (barriers, objects) = (self.barriers.take(member), self.objects_of(member));
            let tensor_memory = self.tensor_memories.get_mut(member).map(std::mem::take).unwrap_or_default();
            let progress = Progress { steps, output, barriers, objects, tensor_memory };
            engines[member].take_over(self.index + member as u64, progress, &mut shared, |t| {
                self.standing(member * own + t, pc, &sets)
            });
        }
        self.golden = engines;
    }

    /// Takes back what has been counted and is executed by the engine that goes on with instruction `pc`.
    pub(super) fn account_back(&mut self, pc: u32, inside: Option<&Block>) {
        let origins = &self.plan.origins;
        // In blocks of no instruction of their own, the other engine executes one; so it does where one has been counted already.
        let ahead = |block: usize| {
            let Block { exit, instructions, first, .. } = &self.plan.blocks[block];
            let stands = *instructions == 0
                && matches!(exit, Exit::Bailout | Exit::Barrier(_) | Exit::Wait(_) | Exit::End);
            u32::from(stands || origins.of(*first).paid)
        };
        let ahead_of_running = match inside {
            Some(block) => origins.counted(pc..block.counted_end) + u32::from(origins.of(pc).paid),
            None => ahead(self.at),
        };
        // Who waits at a barrier has executed it.
        let has_executed = |pending: &Pending| pending.came && self.plan.blocks[pending.block].waits();
        let pending = self.pending.iter().filter(|pending| !has_executed(pending));
        let pending = pending.map(|pending| pending.count as u64 * u64::from(ahead(pending.block)));
        let steps = self.active as u64 * u64::from(ahead_of_running) + pending.sum::<u64>();
        // A launch cancelled before its first block has counted nothing yet.
        self.steps = self.steps.saturating_sub(steps);
        if let Some(budget) = &self.job.budget {
            budget.give_back(steps);
        }
    }

    /// Where a thread stands; none if it has ended.
    fn standing(&self, t: usize, pc: u32, sets: &Sets) -> Option<Standing> {
        let pending = self.pending.iter().find(|pending| pending.bits[t / WARP] >> (t % WARP) & 1 == 1);
        let waits = pending
            .filter(|pending| pending.came && self.plan.blocks[pending.block].waits())
            .map(|_| self.barriers.at(t));
        let pc = match pending {
            Some(pending) => self.plan.blocks[pending.block].first,
            None if self.active > 0 && self.is_running(t) => pc,
            None => return None,
        };
        // Of the registers of all functions only those are needed in which the thread stands.
        let told = match self.plan.origins.of(pc).role {
            Role::Tells(slot) => Some(slot),
            _ => None,
        };
        let slot = |slot: u32| {
            if told == Some(slot) {
                return 1;
            }
            let set = sets.get(&slot).filter(|_| pending.is_none());
            self.held(*set.unwrap_or(&self.plan.homes[slot as usize]), t)
        };
        let origins = &self.plan.origins;
        let origin = origins.of(pc);
        let stretches = self.stretches(t, origin.node, &slot);
        let mut local = Vec::new();
        let (mut registers, mut calls) = (Vec::new(), Vec::new());
        for (k, stretch) in stretches.iter().enumerate() {
            let Some(last) = stretch.nodes.last() else { continue };
            let top = origins.node(*last).top + stretch.distance;
            local.resize(local.len().max(top.div_ceil(8) as usize), 0);
            // What lies in registers has left nothing in memory, but others may have.
            for range in origins.in_memory(*last) {
                let range = range.start.max(stretch.from) + stretch.distance..range.end + stretch.distance;
                for word in range.start / 8..range.end.div_ceil(8) {
                    local[word as usize] = self.local_word(t, 8 * word);
                }
            }
            let register = |number: u32| match stretch.call {
                Some(saved) => self.saved(t, saved, number),
                None => slot(number),
            };
            for cell in origins.cells().iter().filter(|cell| stretch.nodes.contains(&cell.node)) {
                let at = cell.at + stretch.distance;
                local[at as usize / 8] |= register(cell.slot) << (at % 8 * 8);
            }
            let nodes = stretch.nodes.iter().map(|node| origins.node(*node));
            registers.extend(
                nodes.clone().flat_map(|node| node.first_slot..node.first_slot + node.slots).map(register),
            );
            let mut again = k.checked_sub(1).and_then(|before| stretches[before].call);
            for node in nodes {
                let Some(caller) = node.caller else { continue };
                let pc = again.take().map_or(caller.pc, |saved| saved.site.caller.pc);
                calls.push(Called { pc, function: node.function });
            }
        }
        Some(Standing { calls, pc: origin.pc, registers, waits, local })
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
                match register {
                    AffineRegister { is_affine: true, affine, .. } => {
                        affine.at(place.ty, self.place_of(thread))
                    }
                    AffineRegister { pattern: Some(_), .. } => self.periodic_at(id, thread),
                    _ => self.lines.get(place.ty, place.place, thread),
                }
            }
        }
    }
}
