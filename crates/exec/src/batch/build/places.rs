//! Where values lie while a plan is made: places of their own, that are used again, and those of registers and constants.

use super::{Builder, Draft};
use crate::batch::class::Class;
use crate::batch::even::How;
use crate::batch::graph::{self, From, Node, special_type};
use crate::batch::lanes::{Act, Place, What, width};
use crate::batch::plan::{EvenAct, EvenId, EvenPlace, Home, Step};
use margay_isa::special::SpecialValue;
use margay_isa::uop::Type;
use std::collections::HashMap;

/// What a place is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// A value that is the same in all threads.
    Uniform,
    /// One that differs.
    Varying,
    /// One that grows evenly, and is seldom spread out.
    Even,
}

/// Free places of one kind.
#[derive(Default)]
pub(super) struct Pool {
    free: Vec<u32>,
}

impl<'a> Builder<'a> {
    /// A place that nothing has used.
    pub(super) fn fresh(&mut self, ty: Type, by: Use) -> Place {
        let wide = u32::from(width(ty));
        let uniform = by == Use::Uniform;
        let line = self.lines;
        // A line more keeps registers from beginning at the same offset in a page, where stores and loads would clash.
        self.lines += if uniform { wide } else { wide * self.groups as u32 + 1 };
        self.thread_bytes += if by == Use::Varying { 4 * wide } else { 0 };
        Place { line, stride: if uniform { 0 } else { wide as u8 } }
    }

    pub(super) fn take(&mut self, ty: Type, by: Use) -> Place {
        match self.pools.entry((ty, by)).or_default().free.pop() {
            Some(line) => Place { line, stride: if by == Use::Uniform { 0 } else { width(ty) } },
            None => self.fresh(ty, by),
        }
    }

    pub(super) fn give(&mut self, ty: Type, by: Use, place: Place) {
        self.pools.entry((ty, by)).or_default().free.push(place.line);
    }

    pub(super) fn even(&mut self, ty: Type) -> EvenId {
        let place = self.take(ty, Use::Even);
        self.evens.push(EvenPlace { ty, place });
        self.evens.len() as EvenId - 1
    }

    /// The value that grows evenly at a place that is the same in all threads: not at all.
    pub(super) fn even_at(&mut self, ty: Type, place: Place) -> EvenId {
        self.evens.push(EvenPlace { ty, place });
        self.evens.len() as EvenId - 1
    }

    /// An operand that is the same in all threads.
    pub(super) fn even_operand(&mut self, draft: &mut Draft, ty: Type, home: Home) -> EvenId {
        match home {
            Home::Even(id) => id,
            Home::Const(bits) => match self.even_constants.get(&(ty, bits)) {
                Some(id) => *id,
                None => {
                    let place = self.constant(ty, bits);
                    let id = self.even_at(ty, place);
                    self.even_constants.insert((ty, bits), id);
                    self.constant_evens.insert(id, bits);
                    id
                }
            },
            Home::At(_, place) if self.fixed.contains(&place.line) => match self.even_fixed.get(&place) {
                Some(id) => *id,
                None => {
                    let (id, act) = self.taken(ty, place);
                    let at = self.even_acts.len() as u32;
                    self.even_acts.push(act);
                    self.prologue.push(Step::Evens(at..at + 1));
                    self.even_fixed.insert(place, id);
                    id
                }
            },
            Home::At(_, place) => {
                let (id, act) = self.taken(ty, place);
                self.push_even(draft, act);
                id
            }
            // A value that nothing has computed is needed by nothing; any will do.
            Home::Nowhere => self.even_operand(draft, ty, Home::Const(0)),
        }
    }

    /// What takes the value at a place that is the same in all threads.
    pub(super) fn taken(&mut self, ty: Type, place: Place) -> (EvenId, EvenAct) {
        let to = self.even_at(ty, place);
        let spread = Act { what: What::Move(ty), to: place, from: [place; 3] };
        (to, EvenAct { how: How::Take(ty, place), ty, to, from: [to; 3], spread })
    }

    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> Place {
        if let Some(place) = self.constants.get(&(ty, bits)) {
            return *place;
        }
        let place = self.fresh(ty, Use::Uniform);
        self.constants.insert((ty, bits), place);
        self.constant_lines.insert(place.line, bits);
        place
    }

    pub(super) fn special(&mut self, value: SpecialValue, class: Class) -> Home {
        let ty = special_type(value);
        if class == Class::Affine {
            if let Some(id) = self.places.get(&value) {
                return Home::Even(*id);
            }
            // It keeps its place for good: other blocks may have used any of those that are free here.
            let place = self.fresh(ty, Use::Even);
            self.home_lines.insert(place.line);
            self.evens.push(EvenPlace { ty, place });
            let id = self.evens.len() as EvenId - 1;
            self.places.insert(value, id);
            return Home::Even(id);
        }
        if let Some(place) = self.specials.get(&value) {
            return Home::At(ty, *place);
        }
        let by = if class == Class::Uniform { Use::Uniform } else { Use::Varying };
        let place = self.fresh(ty, by);
        self.specials.insert(value, place);
        Home::At(ty, place)
    }

    /// Whether a value's place is its own, and not a register's home or a constant's.
    pub(super) fn owns(&self, draft: &Draft, node: usize) -> bool {
        match draft.graph.values[node].from {
            From::Const(_) | From::Slot(_) | From::Special(_) => false,
            From::Op(..) | From::Step(_) => {
                let line = match draft.at[node] {
                    Home::At(_, place) => place.line,
                    Home::Even(id) => self.evens[id as usize].place.line,
                    Home::Nowhere | Home::Const(_) => return false,
                };
                !self.home_lines.contains(&line)
            }
        }
    }

    pub(super) fn free(&mut self, draft: &Draft, node: usize) {
        match draft.at[node] {
            Home::At(ty, place) => {
                let by = if place.stride == 0 { Use::Uniform } else { Use::Varying };
                self.give(ty, by, place);
            }
            Home::Even(id) => {
                let EvenPlace { ty, place } = self.evens[id as usize];
                self.give(ty, Use::Even, place);
            }
            Home::Nowhere | Home::Const(_) => {}
        }
    }

    /// Frees the places of values that are used here for the last time.
    pub(super) fn release(&mut self, draft: &mut Draft, position: u32) {
        let done: Vec<usize> = draft.ending(position);
        for node in done {
            if self.owns(draft, node) {
                self.free(draft, node);
            }
        }
    }

    /// Where the lines of a value are, spread out if it grows evenly.
    pub(super) fn spread_place(&mut self, draft: &mut Draft, node: Node) -> Place {
        match self.home(draft, node) {
            Home::Const(bits) => {
                let ty = draft.graph.values[node as usize].ty;
                self.constant(ty, bits)
            }
            Home::At(_, place) => place,
            Home::Even(id) => self.spread_even(draft, id),
            // A value that nothing has computed is needed by nothing; any place will do.
            Home::Nowhere => self.running,
        }
    }

    /// The lines of a value that is read when registers have been brought to their homes.
    pub(super) fn kept_place(&mut self, draft: &mut Draft, node: Node) -> Place {
        let place = self.spread_place(draft, node);
        let graph::Value { ty, from } = draft.graph.values[node as usize];
        match from {
            // What the register held at first: its home will hold something else.
            From::Slot(slot) if draft.graph.last.contains_key(&slot) => {
                let aside = self.take(ty, if place.stride == 0 { Use::Uniform } else { Use::Varying });
                self.act(draft, Act { what: What::Move(ty), to: aside, from: [place; 3] });
                aside
            }
            _ => place,
        }
    }

    /// Where a value is.
    pub(super) fn home(&mut self, draft: &mut Draft, node: Node) -> Home {
        let value = draft.graph.values[node as usize];
        match value.from {
            From::Const(bits) => Home::Const(bits),
            From::Slot(slot) => self.homes[slot as usize],
            From::Special(special) => self.special(special, draft.classes[node as usize]),
            From::Op(..) | From::Step(_) => draft.at[node as usize],
        }
    }

    /// A place for a value: the home of the register that it ends up in, if what that held is not needed any more.
    pub(super) fn place_for(
        &mut self,
        draft: &Draft,
        node: Node,
        position: u32,
        home_of: &HashMap<Node, u32>,
    ) -> Place {
        let ty = draft.graph.values[node as usize].ty;
        let uniform = draft.classes[node as usize] == Class::Uniform;
        if let Some(slot) = home_of.get(&node)
            && let Home::At(home_ty, place) = self.homes[*slot as usize]
            && home_ty == ty
            && (place.stride == 0) == uniform
            && draft.is_over(*slot, position)
        {
            return place;
        }
        self.take(ty, if uniform { Use::Uniform } else { Use::Varying })
    }
}
