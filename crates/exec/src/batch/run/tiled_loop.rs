//! Tiled loops at work: where all turns' rows and elements lie is found once; then one block (CTA) after the other takes all its turns.

use crate::batch::lanes::TileInput;
use crate::batch::plan::{Address, Block, Move, Step, TilePass, TurnLoop};
use crate::batch::run::Cta;
use crate::batch::run::found::{Found, Home};
use crate::batch::run::rooms::{Left, LeftAt, TurnLoops};
use crate::memory::{Access, Bulk, Grid};

impl Cta<'_> {
    /// Takes so many turns; `false` if rows or elements do not lie where that can be found at once or there is no code, and nothing is done
    /// but to affine values.
    pub(super) fn take_turns_by_blocks(
        &mut self,
        block: &Block,
        turn_loop: &TurnLoop,
        passes: &[TilePass],
        taken: u32,
        room: &mut TurnLoops,
    ) -> bool {
        if !self.is_full() || !self.left.is_empty() {
            return false;
        }
        self.begin_again(&turn_loop.grows, &room.before);
        let found = self.go_through(block, turn_loop, taken, room, true);
        let has_left = !std::mem::take(&mut self.left).is_empty();
        if !found || has_left {
            return false;
        }
        self.lines.aim_at_lines();
        let mut rest = &room.copies[..];
        let tiles: Vec<TileInput> = passes
            .iter()
            .map(|pass| {
                let (copies, others) = rest.split_at(pass.copies);
                rest = others;
                let (sources, moves) = (&room.sources[pass.groups.clone()], &room.moves[pass.groups.clone()]);
                TileInput { fused_loop: pass.number, copies, sources, moves }
            })
            .collect();
        let own = self.job.threads as usize;
        if !self.lines.run_tiled_loop(&tiles, taken, (self.threads, own)) {
            return false;
        }
        turn_loop.lent.iter().for_each(|to| self.lines.take_back(*to));
        true
    }

    /// Finds the rows that so many turns load; `false` if they do not lie in global memory, the elements of neighbours one after the other.
    pub(super) fn find_rows(&mut self, step: &Step, turns: u32) -> bool {
        let Step::Load(load) = step else { return false };
        let (Some(site), Some((found, grid))) = (load.copied, self.grid_of_turns(Access::Read, load, turns))
        else {
            return false;
        };
        let Found { home: Home::Global(index), .. } = found else { return false };
        self.left.push(Left { site, index, at: LeftAt::Rows(grid) });
        true
    }

    /// Finds where a store puts in so many turns what has been found; `false` if that is not shared memory.
    pub(super) fn find_copies(&mut self, step: &Step, turns: u32, room: &mut TurnLoops) -> bool {
        let Step::Store(store) = step else { return false };
        let Some(k) = store.copied.and_then(|site| self.left.iter().position(|left| left.site == site))
        else {
            return false;
        };
        let left = self.left.swap_remove(k);
        let LeftAt::Rows(from) = left.at else { return false };
        match self.grid_of_turns(Access::Write, store, turns) {
            Some((Found { home: Home::Shared, .. }, to)) => {
                let (level, memory) = (self.lines.level(), self.job.memory);
                let other = Bulk::of_words(&memory.allocation(left.index).words);
                let from = (other, from);
                let shared = Bulk::of_slice(&mut self.shared);
                room.copies.push(shared.row_copies_of_turns(level, to, from, store.size));
                true
            }
            _ => false,
        }
    }

    /// Where the elements of all threads lie in so many turns, if those of neighbours follow each other.
    fn grid_of_turns<T>(&mut self, access: Access, moved: &Move<T>, turns: u32) -> Option<(Found, Grid)> {
        let Address::Affine(id) = moved.address else { return None };
        let register = self.affine_register(id);
        if !register.is_affine || register.affine.steps[0] != i64::from(moved.size) {
            return None;
        }
        self.among_turns(turns, |cta| {
            let (found, at) = cta.find_affine(access, moved, register.affine, 0)?;
            let steps = cta.steps_in(found, register.affine);
            Some((found, Grid { at, steps, extent: cta.extent() }))
        })
    }
}
