//! Turn loops at work: how many turns all threads take is found once, and where all turns' elements lie; then machine code takes them.
//!
//! Values that are the same in all threads are affine, too, as far as anything needs that: they grow along the axis of turns alone.

use crate::batch::affine::AffineValue;
use crate::batch::lanes::{PassInput, TurnsOf};
use crate::batch::plan::{
    AddressGroup, AffineId, Again, Block, Carried, GrowingScalar, OnePass, ScalarResult, Step, Taken,
    TurnEvent, TurnLoop,
};
use crate::batch::run::Cta;
use crate::batch::run::counted_loop::{MOST_TURNS, TURNS};
use crate::batch::run::rooms::TurnLoops;
use crate::batch::run::turn_count::TurnCount;
use margay_isa::uop::Type;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of elements that are gone through again and again, group by group, at most: what a second-level cache holds. Of more, only
/// so many turns are taken at a time.
const MOST_BYTES: u64 = 1 << 18;

/// Turns that are taken at a time at least, so that it gains something to hold values in registers from one to the next.
const LEAST_AT_A_TIME: u32 = 8;

/// How often in a row a loop's turns may not be taken before that is tried but now and then, and how often then.
const MOST_FAILURES: u32 = 4;
const RARELY: u32 = 64;

impl Cta<'_> {
    /// Takes many turns of a block: all, if it is known that threads leave together and what they take along, else all but the last one.
    /// `false` if that cannot be, and nothing is done.
    pub(super) fn turn_loop(&mut self, block: &Block, turn_loop: &TurnLoop) -> bool {
        let fixed = |id: &u32| {
            let register = &self.affine_values[*id as usize];
            register.is_affine && register.affine.steps[TURNS] == 0
        };
        let grows = &turn_loop.grows;
        let may = !std::mem::take(&mut self.turn_loops.is_last)
            && self.may_go_round()
            && self.plan.axes.extent[TURNS] == 1
            && grows.fixed.iter().all(fixed)
            && grows.carried.iter().all(|carried| self.affine_values[carried.value as usize].is_affine);
        if !may || !is_tried(&turn_loop.failures) {
            return false;
        }
        let mut room = std::mem::take(&mut self.turn_loops);
        room.before.clear();
        room.before.extend(grows.sets.iter().map(|id| self.affine_values[*id as usize]));
        room.last.resize(self.plan.blocks.len(), 2);
        let mut count = self.turns_that_are_taken(block, turn_loop, &mut room);
        let mut done = count.is_worth_it() && self.take_turns_of(block, turn_loop, count, &mut room);
        if !done && count.is_worth_it() && matches!(turn_loop.again, Again::Uniform { .. }) {
            // Affine values may not be affine for so long.
            self.begin_again(grows, &room.before);
            count = self.turns_that_stay(block, turn_loop, &mut room);
            done = count.is_worth_it() && self.take_turns_of(block, turn_loop, count, &mut room);
        }
        if done {
            turn_loop.failures.store(0, Relaxed);
            self.end_turns(grows, count.turns);
            self.count_turns(block, turn_loop, count);
        } else {
            self.begin_again(grows, &room.before);
        }
        self.turn_uniforms.clear();
        room.is_last = done && !count.leaves && count.turns < MOST_TURNS - 1;
        self.turn_loops = room;
        if let Some(next) = turn_loop.leaves_to.filter(|_| done && count.leaves) {
            self.go(next);
        }
        done
    }

    fn take_turns_of(
        &mut self,
        block: &Block,
        turn_loop: &TurnLoop,
        count: TurnCount,
        room: &mut TurnLoops,
    ) -> bool {
        match &turn_loop.taken {
            Taken::AtOnce(pass) => self.take_turns_at_once(block, turn_loop, pass, count, room),
            Taken::ByBlocks(passes) => {
                let done = self.take_turns_by_blocks(block, turn_loop, passes, count.turns, room);
                if done {
                    self.move_scalars_on(&turn_loop.scalars, count.turns);
                }
                done
            }
        }
    }

    /// Goes through what a turn does with values that are affine or the same in all threads, for so many turns as one; `false` if
    /// elements are not found. Where loads find their elements is only looked for if that is asked.
    pub(super) fn go_through(
        &mut self,
        block: &Block,
        turn_loop: &TurnLoop,
        turns: u32,
        room: &mut TurnLoops,
        finds: bool,
    ) -> bool {
        room.goes_round = None;
        room.sources.clear();
        room.moves.clear();
        room.copies.clear();
        room.bytes = 0;
        if !self.begin_uniforms(turn_loop, turns) || !self.go_ahead(&turn_loop.grows, turns, &room.before) {
            return false;
        }
        let asked = match &turn_loop.again {
            Again::Uniform { by, .. } => *by,
            Again::Affine { .. } => self.plan.active,
        };
        let found = turn_loop.events.iter().all(|event| match event {
            TurnEvent::AffineOps(numbers) => {
                self.among_turns(turns, |cta| numbers.clone().for_each(|number| cta.op_or_nothing(number)));
                true
            }
            TurnEvent::Scalar(scalar) => {
                self.among_turns(turns, |cta| cta.scalar_of_turns(scalar, asked, room));
                true
            }
            TurnEvent::Load(to) => {
                self.set_uniform(*to, None);
                true
            }
            TurnEvent::Find(group) => {
                !finds || self.find_in_turns(block, &turn_loop.address_groups[*group], turns, room)
            }
            TurnEvent::CopyFrom(k) => !finds || self.find_rows(&block.steps[*k], turns),
            TurnEvent::CopyTo(k) => !finds || self.find_copies(&block.steps[*k], turns, room),
        });
        let carried = &turn_loop.grows.carried;
        found && carried.iter().all(|carried| self.affine_values[carried.value as usize].is_affine)
    }

    /// An operation on affine values, whose result may be none: then nothing that is found must need it.
    fn op_or_nothing(&mut self, number: u32) {
        if !self.op_of_turns(number) {
            let to = self.plan.affine_ops[number as usize].to;
            self.affine_values[to as usize].is_affine = false;
        }
    }

    /// What each turn adds to a value that is the same in all threads.
    pub(super) fn growth(&self, scalar: &GrowingScalar) -> i64 {
        let sum = scalar.by.iter().fold(0u64, |sum, (place, falls)| {
            let by = self.lines.get(scalar.ty, *place, 0);
            if *falls { sum.wrapping_sub(by) } else { sum.wrapping_add(by) }
        });
        if scalar.ty == Type::U64 { sum as i64 } else { i64::from(sum as i32) }
    }

    /// Finds the elements of some loads in so many turns.
    fn find_in_turns(
        &mut self,
        block: &Block,
        group: &AddressGroup,
        turns: u32,
        room: &mut TurnLoops,
    ) -> bool {
        let found = self.among_turns(turns, |cta| cta.late_source(group, &block.steps));
        let Some((mut affine, source)) = found else { return false };
        let (source, by) = source.without(TURNS);
        affine.steps[TURNS] = 0;
        if by != 0 {
            room.bytes += self.bytes_touched(affine, group.span + u64::from(load_size(block, group)));
        }
        room.sources.push(source);
        room.moves.push(by);
        true
    }

    /// About how many bytes all threads touch that each touch so many at an address.
    fn bytes_touched(&self, affine: AffineValue, bytes: u64) -> u64 {
        let (below, above) = affine.reach(self.extent()).unwrap_or_default();
        let apart = affine.steps.iter().zip(self.extent()).filter(|(step, _)| **step != 0);
        let all = apart.fold(bytes, |all, (_, extent)| all.saturating_mul(extent.into()));
        all.min(above.abs_diff(below) + bytes)
    }

    /// Takes so many turns; `false` if elements do not lie where that can be found at once or there is no code, and nothing is done
    /// but to affine values.
    fn take_turns_at_once(
        &mut self,
        block: &Block,
        turn_loop: &TurnLoop,
        pass: &OnePass,
        TurnCount { turns: taken, leaves }: TurnCount,
        room: &mut TurnLoops,
    ) -> bool {
        self.begin_again(&turn_loop.grows, &room.before);
        pass.materialized.iter().for_each(|id| self.materialize(*id));
        if !self.go_through(block, turn_loop, taken, room, true) {
            return false;
        }
        let is_known = |id: &AffineId| self.affine_values[*id as usize].is_affine;
        if leaves && !turn_loop.left.iter().all(is_known) {
            turn_loop.never_leaves.store(true, Relaxed);
            return false;
        }
        // What grows from thread to thread, too, has been materialized for the first turn alone.
        let begins = |carried: &Carried| pass.materialized.contains(&carried.value);
        let are_few = room.bytes.saturating_mul(taken.into()) <= MOST_BYTES;
        let at_a_time = match are_few || turn_loop.grows.carried.iter().any(begins) {
            true => taken,
            false => ((MOST_BYTES / room.bytes) as u32).max(LEAST_AT_A_TIME),
        };
        self.lines.aim_at_lines();
        let mut left = taken;
        while left > 0 {
            let turns = TurnsOf { count: left.min(at_a_time), moves: &room.moves };
            let input = PassInput { sources: &room.sources, copies: &[], turns: Some(turns) };
            let threads = (self.threads, self.is_full());
            let ran = self.lines.run_fused_loop(pass.number, input, threads);
            if !ran && left == taken {
                return false;
            }
            assert!(ran, "the same code takes all turns");
            turn_loop.lent.iter().for_each(|to| self.lines.take_back(*to));
            for ScalarResult { ty, place, left } in &pass.results {
                let bits = self.lines.get(*ty, *left, 0);
                self.lines.set(*ty, *place, 0, bits);
            }
            let turns = turns.count;
            for (source, by) in room.sources.iter_mut().zip(&room.moves) {
                *source = source.moved(by.wrapping_mul(turns.into()));
            }
            // What the next turns compute of them begins there.
            self.move_scalars_on(&turn_loop.scalars, turns);
            left -= turns;
        }
        true
    }

    /// Leaves values that are the same in all threads and grow alike as so many turns leave them.
    fn move_scalars_on(&mut self, scalars: &[GrowingScalar], turns: u32) {
        for scalar in scalars {
            let far = self.growth(scalar).wrapping_mul(turns.into());
            let value = self.lines.get(scalar.ty, scalar.place, 0).wrapping_add_signed(far);
            self.lines.set(scalar.ty, scalar.place, 0, value & scalar.ty.mask());
        }
    }

    /// Counts the instructions of so many turns.
    fn count_turns(&mut self, block: &Block, turn_loop: &TurnLoop, taken: TurnCount) {
        let TurnCount { turns: taken, leaves } = taken;
        let latch = turn_loop.latch.map_or(0, |latch| self.plan.blocks[latch].counted);
        let through_latch = u64::from(taken - u32::from(leaves));
        let steps = u64::from(taken) * u64::from(block.counted) + through_latch * u64::from(latch);
        self.steps += self.active as u64 * steps;
    }
}

/// Whether it is worth a try, which is taken for a failure until it succeeds.
fn is_tried(failures: &AtomicU32) -> bool {
    let failures = failures.fetch_add(1, Relaxed);
    failures < MOST_FAILURES || failures.is_multiple_of(RARELY)
}

/// Bytes of an address group's loads.
fn load_size(block: &Block, group: &AddressGroup) -> u32 {
    match &block.steps[group.loads[0].step] {
        Step::Load(load) => load.size,
        _ => 0,
    }
}
