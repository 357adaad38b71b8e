//! How many turns of a turn loop all threads take together, and whether all of them leave it then.

use crate::batch::affine::{AffineValue, compare, operate};
use crate::batch::lanes::Place;
use crate::batch::plan::{Again, Block, Exit, Taken, TurnLoop, TurnScalar};
use crate::batch::run::Cta;
use crate::batch::run::counted_loop::{LEAST_TURNS, MOST_TURNS, TURNS, known, most_turns};
use crate::batch::run::rooms::TurnLoops;
use margay_isa::uop::Type;
use std::sync::atomic::Ordering::Relaxed;

/// Turns that are taken together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct TurnCount {
    pub(super) turns: u32,
    /// Whether all threads leave after them; else all take another turn.
    pub(super) leaves: bool,
}

impl TurnCount {
    /// So many, after which all take another one.
    fn staying(turns: u32) -> TurnCount {
        TurnCount { turns, leaves: false }
    }

    pub(super) fn is_worth_it(self) -> bool {
        self.turns + u32::from(self.leaves) >= LEAST_TURNS
    }
}

impl Cta<'_> {
    /// How many turns all threads take, as far as values say that are the same in all threads; of other loops as [`Cta::turns_that_stay`].
    pub(super) fn turns_that_are_taken(
        &mut self,
        block: &Block,
        turn_loop: &TurnLoop,
        room: &mut TurnLoops,
    ) -> TurnCount {
        let Again::Uniform { by, holds, scalars, compares } = &turn_loop.again else {
            return self.turns_that_stay(block, turn_loop, room);
        };
        let (turns, leaves) = match compares {
            true => self.turns_of_comparison(turn_loop, (*by, *holds), scalars, room),
            false => {
                let ops = scalars.iter().map(|scalar| &scalar.op);
                let goes_on = |value: &dyn Fn(Place) -> u64| (value(*by) == 1) == *holds;
                self.turns_of_scalars(ops, MOST_TURNS, &mut room.scalars, goes_on)
            }
        };
        match leaves {
            true if turn_loop.leaves_to.is_some() && !turn_loop.never_leaves.load(Relaxed) => {
                TurnCount { turns, leaves }
            }
            // The last turn, in which threads may leave, is not one of these.
            true => TurnCount::staying(turns - 1),
            false => TurnCount::staying(turns),
        }
    }

    /// Of a loop that goes on while a comparison says so: so many turns, and whether all threads leave after them.
    fn turns_of_comparison(
        &mut self,
        turn_loop: &TurnLoop,
        (by, holds): (Place, bool),
        scalars: &[TurnScalar],
        room: &mut TurnLoops,
    ) -> (u32, bool) {
        let guess = room.last[self.at];
        let mut told = |cta: &mut Self, turns| {
            room.goes_round = None;
            if cta.begin_uniforms(turn_loop, turns) {
                cta.among_turns(turns, |cta| {
                    scalars.iter().for_each(|scalar| cta.scalar_of_turns(scalar, by, room));
                });
            }
            room.goes_round
        };
        // It may rest on a value that turns change otherwise than by adding the same.
        if told(self, 1).is_none() {
            return (0, false);
        }
        let most = most_turns(guess, |turns| told(self, turns) == Some(holds));
        room.last[self.at] = most.max(2);
        // Of a single turn nothing has been asked, and of those beyond only whether it can be told of all of them together.
        let mut goes_on = |turn| self.predicate_after(turn_loop, by, scalars, turn, room) == holds;
        match most {
            1 if !goes_on(1) => (1, true),
            MOST_TURNS => (MOST_TURNS, false),
            _ if goes_on(most + 1) => (most, false),
            _ => (most + 1, true),
        }
    }

    /// A predicate after a turn that is taken, counted from 1.
    fn predicate_after(
        &self,
        turn_loop: &TurnLoop,
        by: Place,
        scalars: &[TurnScalar],
        turn: u32,
        room: &mut TurnLoops,
    ) -> bool {
        room.scalars.clear();
        for scalar in &turn_loop.scalars {
            let far = self.growth(scalar).wrapping_mul(i64::from(turn) - 1);
            let bits = self.lines.get(scalar.ty, scalar.place, 0).wrapping_add_signed(far);
            room.scalars.push((scalar.ty, scalar.place, bits & scalar.ty.mask()));
        }
        self.turn_of_scalars(scalars.iter().map(|scalar| &scalar.op), &mut room.scalars);
        known(&room.scalars, by) == Some(1)
    }

    /// After how many turns all threads take another one, at most, by all that turns do with values that are affine or the same in all
    /// threads.
    pub(super) fn turns_that_stay(
        &mut self,
        block: &Block,
        turn_loop: &TurnLoop,
        room: &mut TurnLoops,
    ) -> TurnCount {
        let guess = room.last[self.at];
        let most = most_turns(guess, |turns| self.all_stay(block, turn_loop, turns, room));
        room.last[self.at] = most.max(2);
        TurnCount::staying(if most > 1 { most } else { 0 })
    }

    /// Whether all threads take another turn after each of so many.
    fn all_stay(&mut self, block: &Block, turn_loop: &TurnLoop, turns: u32, room: &mut TurnLoops) -> bool {
        if !self.go_through(block, turn_loop, turns, room, false) {
            return false;
        }
        match (&turn_loop.again, &block.exit) {
            (Again::Affine { holds }, Exit::Branch { test: Some(test), .. }) => {
                self.among_turns(turns, |cta| cta.known(test)) == Some(*holds)
            }
            (Again::Uniform { holds, .. }, _) => room.goes_round == Some(*holds),
            (Again::Affine { .. }, _) => false,
        }
    }

    /// Lets values that are the same in all threads begin so many turns that are looked at as one; `false` if one leaves its numbers.
    pub(super) fn begin_uniforms(&mut self, turn_loop: &TurnLoop, turns: u32) -> bool {
        self.turn_uniforms.clear();
        for scalar in &turn_loop.scalars {
            let step = self.growth(scalar);
            if step.checked_mul(turns.into()).is_none() {
                return false;
            }
            let mut value = AffineValue::uniform(self.lines.get(scalar.ty, scalar.place, 0));
            value.steps[TURNS] = step;
            self.set_uniform(scalar.place, Some(value));
        }
        if let Taken::AtOnce(pass) = &turn_loop.taken {
            pass.results.iter().for_each(|result| self.set_uniform(result.place, None));
        }
        true
    }

    /// What is the same in all threads, in each of the turns that are looked at as one. None if it does not grow alike.
    pub(super) fn uniform_in_turns(&self, ty: Type, place: Place) -> Option<AffineValue> {
        match self.turn_uniforms.iter().find(|(line, _)| *line == place.line) {
            Some((_, value)) => *value,
            None => Some(AffineValue::uniform(self.lines.get(ty, place, 0))),
        }
    }

    pub(super) fn set_uniform(&mut self, place: Place, value: Option<AffineValue>) {
        match self.turn_uniforms.iter_mut().find(|(line, _)| *line == place.line) {
            Some((_, known)) => *known = value,
            None => self.turn_uniforms.push((place.line, value)),
        }
    }

    /// An operation on values that are the same in all threads, and what it says of going round, where that is a comparison at this place.
    pub(super) fn scalar_of_turns(&mut self, scalar: &TurnScalar, by: Place, room: &mut TurnLoops) {
        let zero = AffineValue::uniform(0);
        let operands = scalar.from.map(|operand| match operand {
            Some((ty, place)) => self.uniform_in_turns(ty, place),
            None => Some(zero),
        });
        let value = match operands {
            [Some(a), Some(b), Some(c)] => {
                if let Some((cmp, ty)) = scalar.compares
                    && scalar.op.to.line == by.line
                {
                    room.goes_round = compare(cmp, ty, a, b, self.extent());
                }
                operate(scalar.rule, scalar.ty, [&a, &b, &c], self.extent())
            }
            _ => None,
        };
        self.set_uniform(scalar.op.to, value);
    }
}
