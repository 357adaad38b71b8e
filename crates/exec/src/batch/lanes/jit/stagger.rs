//! Groups of threads that take stretches of a round in turn, where registers are too few for all of them to take each instruction together.
//!
//! A processor reaches from one group's stretch into the next one's, so that what one waits for, another fills, as where they take
//! instructions together; but a group that waits for its turn holds only what lives between stretches.

use crate::batch::lanes::jit::exchange::exchanged;
use crate::batch::lanes::jit::jam_sets::{SPARE, Sets, alive, held_and_worked_with, needed, own, stretches};
use crate::batch::lanes::jit::machine::{Body, Kind};
use crate::batch::lanes::jit::unroll_and_jam::MASKS;
use std::ops::Range;

/// Instructions of rounds that overlap anyway, if no turn waits for the one before it: a processor looks at some 200 pending ones.
const AHEAD: usize = 128;

/// Instructions of a stretch, at most.
const LONGEST: usize = 160;

/// One set of as many groups as registers are enough for, at most so many; none if they are not enough for more than can take each
/// instruction together, or if that would gain nothing.
pub(super) fn staggered(
    body: &Body,
    differs: &[bool],
    wanted: usize,
    together: usize,
    long: usize,
) -> Option<Sets> {
    let wanted = match body.turns {
        // All groups of a self-loop wait for the one that goes round longest; what that costs beside this has not been measured.
        Some(_) if body.is_self_loop() => return None,
        Some(_) => wanted,
        None if together * body.instrs.len() >= AHEAD => 2 * together,
        None => return None,
    };
    if body.instrs.iter().any(|instr| exchanged(instr).is_some()) {
        return None;
    }
    let alive = alive(body);
    let [vectors, masks] = [Kind::Vector, Kind::Mask].map(|kind| own(body, &alive, differs, kind));
    // Where groups wait, they hold one mask at most.
    let waiting: Vec<usize> = vectors
        .iter()
        .zip(&masks)
        .map(|(vectors, masks)| if *masks > 1 { usize::MAX } else { *vectors })
        .collect();
    let room = usize::from(body.machine.vectors) - SPARE;
    let fits = |groups: usize| {
        let is_enough = |stretches: &Vec<Range<usize>>| {
            let of_masks = |stretch| held_and_worked_with(&masks, stretch, groups);
            stretches.iter().all(|stretch| stretch.len() <= LONGEST && of_masks(stretch) <= MASKS)
                && needed(body, (&alive, differs), &vectors, stretches, groups).all(|needed| needed <= room)
        };
        // The more each may hold, the shorter are stretches.
        let stretches = (1..=room).rev().map(|held| stretches(&waiting, held)).find(is_enough)?;
        Some(Sets { groups, apart: 1, stretches, differs: differs.to_vec() })
    };
    let halves = (0..).map(|halvings| wanted >> halvings).take_while(|groups| *groups > together);
    halves.filter(|groups| groups * body.instrs.len() <= long).find_map(fits)
}
