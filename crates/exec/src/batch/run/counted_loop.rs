//! Counted loops at work: how many turns all threads take is found once, and where all turns' elements lie; then turn after turn there
//! is nothing but a pass over the threads.
//!
//! Turns lie along the third axis of affine values, where a block has no threads along it. What is affine there, and inside memory, is so
//! in every turn.

use crate::batch::affine::{AXES, AffineDef, AffineValue, operate};
use crate::batch::lanes::{PassInput, Place, VectorOp};
use crate::batch::plan::{
    Address, Block, CountedLoop, Exit, FusedLoop, Grows, Growth, Move, Preheader, Step,
};
use crate::batch::run::Cta;
use crate::batch::run::found::Home;
use crate::batch::run::rooms::{AffineRegister, Turns};
use crate::memory::Access;
use margay_isa::uop::Type;
use std::ops::Range;

/// The axis along which turns lie.
pub(super) const TURNS: usize = 2;

/// Turns that are taken at most before the engine looks whether the launch has been cancelled.
pub(super) const MOST_TURNS: u32 = 1 << 10;

/// Turns that are worth finding out about.
pub(super) const LEAST_TURNS: u32 = 3;

/// Of a block whose elements were not found at once: that is not tried again.
const NEVER: u32 = 0;

/// The most turns for which something holds that holds for one, and for all fewer: tried first with a guess.
pub(super) fn most_turns(guess: u32, mut holds: impl FnMut(u32) -> bool) -> u32 {
    let (mut least, mut beyond, mut stride) = (1, MOST_TURNS + 1, 1);
    let mut next = guess;
    while beyond - least > 1 {
        match holds(next) {
            true => least = next,
            false => beyond = next,
        }
        next = if beyond <= MOST_TURNS { least.midpoint(beyond) } else { (least + stride).min(MOST_TURNS) };
        stride *= 2;
    }
    least
}

/// What is known of a value that is the same in all threads.
pub(super) fn known(scalars: &[(Type, Place, u64)], place: Place) -> Option<u64> {
    scalars.iter().find(|(_, known, _)| known.line == place.line).map(|(.., bits)| *bits)
}

impl Cta<'_> {
    /// Takes many turns of a block; `false` if that cannot be, and nothing is done.
    pub(super) fn counted_loop(&mut self, block: &Block, counted: &CountedLoop) -> bool {
        let fixed = |id: &u32| {
            let register = &self.affine_values[*id as usize];
            register.is_affine && register.affine.steps[TURNS] == 0
        };
        let may = self.may_go_round()
            && self.is_full()
            && self.turns_room.last.get(self.at) != Some(&NEVER)
            && self.plan.axes.extent[TURNS] == 1
            && counted.grows.fixed.iter().all(fixed)
            && counted
                .grows
                .carried
                .iter()
                .all(|carried| self.affine_values[carried.value as usize].is_affine);
        if !may {
            return false;
        }
        let mut turns = std::mem::take(&mut self.turns_room);
        turns.before.clear();
        turns.before.extend(counted.grows.sets.iter().map(|id| self.affine_values[*id as usize]));
        turns.last.resize(self.plan.blocks.len(), 2);
        let taken = match block.exit {
            Exit::Branch { uniform: true, by, yes, .. } => {
                let again = yes == self.at;
                let goes_on = |value: &dyn Fn(Place) -> u64| (value(by) == 1) == again;
                // Where threads leave is told after the turns, by what lines hold then.
                self.turns_of_scalars(&counted.scalars, MOST_TURNS, &mut turns.scalars, goes_on).0
            }
            _ => self.turns_to_take(block, counted, &mut turns),
        };
        let done = taken >= LEAST_TURNS && self.take_turns(block, counted, taken, &mut turns);
        if done && !counted.scalars.is_empty() {
            self.turns_of_scalars(&counted.scalars, taken, &mut turns.scalars, |_| true);
            turns.scalars.iter().for_each(|(ty, place, bits)| self.lines.set(*ty, *place, 0, *bits));
        }
        if !done {
            self.begin_again(&counted.grows, &turns.before);
        }
        if !done && taken >= LEAST_TURNS {
            turns.last[self.at] = NEVER;
        }
        self.turns_room = turns;
        done
    }

    /// How many turns all threads take together, at most.
    fn turns_to_take(&mut self, block: &Block, counted: &CountedLoop, turns: &mut Turns) -> u32 {
        let guess = turns.last[self.at];
        let least = most_turns(guess, |next| self.all_take(block, counted, next, turns));
        turns.last[self.at] = least.max(2);
        least
    }

    /// Computes what is the same in all threads for so many turns, or until one after which threads do not stay. Gives how many those are,
    /// and whether threads leave after them.
    pub(super) fn turns_of_scalars<'o>(
        &self,
        ops: impl IntoIterator<Item = &'o VectorOp> + Clone,
        most: u32,
        scalars: &mut Vec<(Type, Place, u64)>,
        stay: impl Fn(&dyn Fn(Place) -> u64) -> bool,
    ) -> (u32, bool) {
        scalars.clear();
        for turn in 1..=most {
            self.turn_of_scalars(ops.clone(), scalars);
            if !stay(&|place| known(scalars, place).unwrap_or_default()) {
                return (turn, true);
            }
        }
        (most, false)
    }

    /// Computes what is the same in all threads for a turn, of what is known and of what lies in lines.
    pub(super) fn turn_of_scalars<'o>(
        &self,
        ops: impl IntoIterator<Item = &'o VectorOp>,
        scalars: &mut Vec<(Type, Place, u64)>,
    ) {
        for scalar in ops {
            let (ty, bits) = Self::single_of(scalar, |ty, place| {
                known(scalars, place).unwrap_or_else(|| self.lines.get(ty, place, 0))
            });
            match scalars.iter_mut().find(|(_, known, _)| known.line == scalar.to.line) {
                Some((.., known)) => *known = bits,
                None => scalars.push((ty, scalar.to, bits)),
            }
        }
    }

    /// Whether all threads take so many turns.
    fn all_take(&mut self, block: &Block, counted: &CountedLoop, turns: u32, room: &Turns) -> bool {
        let Exit::Branch { test: Some(test), yes, .. } = &block.exit else { return false };
        if !self.go_ahead(&counted.grows, turns, &room.before) {
            return false;
        }
        let ops = block.steps.iter().filter_map(|step| match step {
            Step::AffineOps(numbers) => Some(numbers.clone()),
            _ => None,
        });
        let affine = ops.into_iter().all(|numbers| self.ops_of_turns(block, numbers, turns));
        // What is tested after the last turn is another matter.
        affine && self.among_turns(turns - 1, |cta| cta.known(test)) == Some(*yes == self.at)
    }

    /// Lets carried values begin anew, and grow along the axis of turns.
    pub(super) fn go_ahead(&mut self, grows: &Grows, turns: u32, before: &[AffineRegister]) -> bool {
        self.begin_again(grows, before);
        grows.carried.iter().all(|carried| {
            let by = match carried.by {
                Growth::Affine(id) => self.affine_values[id as usize].affine,
                Growth::Uniform(ty, place) => AffineValue::uniform(self.lines.get(ty, place, 0)),
            };
            let ty = self.plan.affine_values[carried.value as usize].ty;
            let step = if carried.falls { by.base.wrapping_neg() } else { by.base };
            let step = if ty == Type::U64 { step as i64 } else { i64::from(step as i32) };
            self.affine_values[carried.value as usize].affine.steps[TURNS] = step;
            by.steps == [0; AXES] && step.checked_mul(turns.into()).is_some()
        })
    }

    /// Puts registers back to what they held before the first turn.
    pub(super) fn begin_again(&mut self, grows: &Grows, before: &[AffineRegister]) {
        for (id, register) in grows.sets.iter().zip(before) {
            self.affine_values[*id as usize] = *register;
        }
    }

    /// Leaves affine values as so many turns leave them.
    pub(super) fn end_turns(&mut self, grows: &Grows, taken: u32) {
        for id in &grows.sets {
            let mask = self.plan.affine_values[*id as usize].ty.mask();
            let affine = &mut self.affine_values[*id as usize].affine;
            let far = affine.steps[TURNS].wrapping_mul(i64::from(taken) - 1);
            affine.base = affine.base.wrapping_add_signed(far) & mask;
            affine.steps[TURNS] = 0;
        }
    }

    /// Something with so many turns along their axis.
    pub(super) fn among_turns<T>(&mut self, turns: u32, f: impl FnOnce(&mut Self) -> T) -> T {
        self.turns = turns;
        let found = f(self);
        self.turns = 1;
        found
    }

    /// Operations on affine values that are not deferred, for so many turns; `false` if a result is not affine.
    fn ops_of_turns(&mut self, block: &Block, numbers: Range<u32>, turns: u32) -> bool {
        self.among_turns(turns, |cta| {
            let mut kept = numbers.filter(|number| block.deferred.binary_search(number).is_err());
            kept.all(|number| cta.op_of_turns(number))
        })
    }

    pub(super) fn op_of_turns(&mut self, number: u32) -> bool {
        let op = &self.plan.affine_ops[number as usize];
        let (affine, is_materialized) = match op.def {
            AffineDef::Uniform(ty, place) => match self.uniform_in_turns(ty, place) {
                Some(affine) => (affine, true),
                None => return false,
            },
            AffineDef::Op(rule) => {
                let [a, b, c] = op.from.map(|id| &self.affine_values[id as usize]);
                if !(a.is_affine && b.is_affine && c.is_affine) {
                    return false;
                }
                match operate(rule, op.ty, [&a.affine, &b.affine, &c.affine], self.extent()) {
                    Some(affine) => (affine, false),
                    None => return false,
                }
            }
        };
        self.affine_values[op.to as usize] =
            AffineRegister { affine, is_affine: true, pattern: None, is_materialized };
        true
    }

    /// Takes so many turns; `false` if elements do not lie where that can be found at once, and nothing is done but to affine values.
    fn take_turns(&mut self, block: &Block, counted: &CountedLoop, taken: u32, turns: &mut Turns) -> bool {
        let [fused_loop] = &block.fused_loops[..] else { return false };
        if !self.go_ahead(&counted.grows, taken, &turns.before)
            || !self.find_turns(block, fused_loop, taken, turns)
        {
            return false;
        }
        self.lines.aim_at_lines();
        for turn in 0..taken {
            let input = PassInput { sources: &turns.sources, copies: &[], turns: None };
            let ran = self.lines.run_fused_loop(fused_loop.number, input, (self.threads, true));
            if !ran && turn == 0 {
                return false;
            }
            assert!(ran, "the same code runs in every turn");
            fused_loop.lent.iter().for_each(|to| self.lines.take_back(*to));
            for (source, by) in turns.sources.iter_mut().zip(&turns.moves) {
                *source = source.moved(*by);
            }
            for (k, found, at, steps) in &turns.stores {
                if let Step::Store(store) = &block.steps[*k] {
                    let far = steps[TURNS].wrapping_mul(turn.into());
                    self.store_found(store, *found, at.wrapping_add_signed(far), *steps);
                }
            }
        }
        self.end_turns(&counted.grows, taken);
        self.steps += u64::from(taken) * self.active as u64 * u64::from(block.counted);
        true
    }

    /// Finds all elements of so many turns, step by step.
    fn find_turns(&mut self, block: &Block, fused_loop: &FusedLoop, taken: u32, turns: &mut Turns) -> bool {
        turns.sources.clear();
        turns.moves.clear();
        turns.stores.clear();
        let (before, after) = (0..fused_loop.steps.start, fused_loop.steps.end..block.steps.len());
        let others = |cta: &mut Self, steps: Range<usize>, turns: &mut Turns| {
            steps.into_iter().all(|k| match &block.steps[k] {
                Step::AffineOps(numbers) => cta.ops_of_turns(block, numbers.clone(), taken),
                Step::Scalar(_) => true,
                Step::Store(store) => cta.find_store(k, store, taken, turns),
                _ => false,
            })
        };
        others(self, before, turns)
            && fused_loop.preheader.iter().all(|preheader| match preheader {
                Preheader::AffineOps(numbers) => self.ops_of_turns(block, numbers.clone(), taken),
                // What is the same in all threads is computed at the end; a store that an operation may make goes through lines.
                Preheader::Step(_) => true,
                Preheader::FindStore(_) => false,
                Preheader::Find(group) => {
                    let group = &fused_loop.address_groups[*group];
                    let found = self.among_turns(taken, |cta| cta.late_source(group, &block.steps));
                    found.is_some_and(|(_, source)| {
                        let (source, by) = source.without(TURNS);
                        turns.sources.push(source);
                        turns.moves.push(by);
                        true
                    })
                }
            })
            && others(self, after, turns)
    }

    /// Finds where a store writes in so many turns.
    fn find_store(&mut self, k: usize, store: &Move<Place>, taken: u32, turns: &mut Turns) -> bool {
        let Address::Affine(id) = store.address else { return false };
        let register = self.affine_register(id);
        let find = |cta: &mut Self| cta.find_affine(Access::Write, store, register.affine, 0);
        let Some((found, at)) = self.among_turns(taken, find).filter(|_| register.is_affine) else {
            return false;
        };
        let is_plain = match found.home {
            Home::Global(index) => !self.job.memory.is_heap(index),
            Home::Shared => true,
            Home::Local | Home::Param => false,
        };
        turns.stores.push((k, found, at, self.steps_in(found, register.affine)));
        is_plain
    }
}
