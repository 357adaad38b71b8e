//! In which order the threads of a block have their turns: one after the other, or as a seed says.

use super::Cta;
use super::thread::State;
use crate::grid::Dim;
use crate::random::Random;
use crate::trap::Trap;
use margay_isa::WARP;

/// Steps of a turn where every thread has one.
const TURN: u64 = 1024;
/// Turns of other lengths have up to 2 to this power steps.
const LONGEST: u64 = 12;

/// What has happened while threads had their turns.
pub(super) struct Round {
    /// Whether any thread was ready.
    pub(super) moved: bool,
    /// Whether all that were ready had a turn of full length.
    pub(super) whole: bool,
}

impl Cta<'_> {
    /// Gives threads that are ready their turns: in the default order all of them, in a seeded order those that it draws.
    pub(super) fn round(&mut self, block: Dim) -> Result<Round, Box<Trap>> {
        let Some(random) = &mut self.random else {
            let moved = self.turns(0..self.threads.len(), block, || TURN)?;
            return Ok(Round { moved, whole: true });
        };
        // Warps as a whole or every thread by itself; all of them, half or one; turns of full length or drawn.
        let [unit, share, longest] = [2, 3, LONGEST + 3].map(|limit| random.below(limit));
        let unit = if unit == 0 { WARP } else { 1 };
        let all: Vec<usize> = (0..self.threads.len()).collect();
        let ready = |t: &usize| self.threads[*t].state == State::Ready;
        let mut units: Vec<&[usize]> = all.chunks(unit).filter(|unit| unit.iter().any(ready)).collect();
        random.shuffle(&mut units);
        let whole = longest > LONGEST;
        let length = match share {
            _ if whole => units.len(),
            0 => units.len(),
            1 => units.len().div_ceil(2),
            _ => units.len().min(1),
        };
        let mut lengths = Random::new(random.next(), 0);
        let steps = || if whole { TURN } else { 1 + lengths.below(1 << longest) };
        let moved = self.turns(units[..length].iter().copied().flatten().copied(), block, steps)?;
        Ok(Round { moved, whole })
    }

    /// Gives those of these threads a turn that are ready then; whether any was.
    fn turns(
        &mut self,
        order: impl Iterator<Item = usize>,
        block: Dim,
        mut steps: impl FnMut() -> u64,
    ) -> Result<bool, Box<Trap>> {
        let mut moved = false;
        for t in order {
            if self.threads[t].state != State::Ready {
                continue;
            }
            moved = true;
            self.turn(t, block, steps())
                .map_err(|failure| self.trap(*failure.kind, failure.thread, block))?;
        }
        Ok(moved)
    }
}
