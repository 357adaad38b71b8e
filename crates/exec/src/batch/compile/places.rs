//! Where values lie while a plan is made: places of their own, that are used again, and those of registers and constants.

use crate::batch::affine::AffineDef;
use crate::batch::compile::ir::{self, ValueDef, ValueId, special_type};
use crate::batch::compile::uniformity::Uniformity;
use crate::batch::compile::{Builder, Draft};
use crate::batch::lanes::{Place, VectorOp, What, width};
use crate::batch::plan::{AffineId, AffineOp, AffinePlace, Home, Step};
use foldhash::HashMap;
use margay_isa::special::SpecialValue;
use margay_isa::uop::Type;
use std::collections::VecDeque;

/// What a place is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// A value that is the same in all threads.
    Uniform,
    /// One that differs.
    Varying,
    /// An affine one, seldom materialized.
    Affine,
}

/// Free places of one kind, in the order in which they became free.
#[derive(Default)]
pub(super) struct Pool {
    free: VecDeque<u32>,
}

/// Free places of values that are the same in all threads that wait before the first is used again: a fused loop ends where a value
/// would come to lie in a place that it reads, and these places are small.
const UNIFORM_WAITING: usize = 64;

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
        let free = &mut self.pools.entry((ty, by)).or_default().free;
        let line = match by {
            Use::Uniform if free.len() < UNIFORM_WAITING => None,
            Use::Uniform => free.pop_front(),
            Use::Varying | Use::Affine => free.pop_back(),
        };
        match line {
            Some(line) => Place { line, stride: if by == Use::Uniform { 0 } else { width(ty) } },
            None => self.fresh(ty, by),
        }
    }

    pub(super) fn give(&mut self, ty: Type, by: Use, place: Place) {
        self.pools.entry((ty, by)).or_default().free.push_back(place.line);
    }

    pub(super) fn affine(&mut self, ty: Type) -> AffineId {
        let place = self.take(ty, Use::Affine);
        self.affine_values.push(AffinePlace { ty, place });
        self.affine_values.len() as AffineId - 1
    }

    /// One that may be periodic.
    pub(super) fn periodic(&mut self, ty: Type) -> AffineId {
        let id = self.affine(ty);
        self.periodic_values.insert(id);
        id
    }

    /// The affine value at a place that is the same in all threads: not at all.
    pub(super) fn affine_at(&mut self, ty: Type, place: Place) -> AffineId {
        self.affine_values.push(AffinePlace { ty, place });
        self.affine_values.len() as AffineId - 1
    }

    /// An operand that is the same in all threads.
    pub(super) fn affine_operand(&mut self, draft: &mut Draft, ty: Type, home: Home) -> AffineId {
        match home {
            Home::Affine(id) => id,
            Home::Const(bits) => match self.affine_constants.get(&(ty, bits)) {
                Some(id) => *id,
                None => {
                    let place = self.constant(ty, bits);
                    let id = self.affine_at(ty, place);
                    self.affine_constants.insert((ty, bits), id);
                    self.constant_affines.insert(id, bits);
                    id
                }
            },
            Home::At(_, place) if self.fixed.contains(&place.line) => match self.affine_fixed.get(&place) {
                Some(id) => *id,
                None => {
                    let (id, affine_op) = self.taken(ty, place);
                    let at = self.affine_ops.len() as u32;
                    self.affine_ops.push(affine_op);
                    self.prologue.push(Step::AffineOps(at..at + 1));
                    self.affine_fixed.insert(place, id);
                    id
                }
            },
            Home::At(_, place) => {
                let (id, affine_op) = self.taken(ty, place);
                self.push_affine(draft, affine_op);
                id
            }
            // A value that nothing has computed is needed by nothing; any will do.
            Home::Nowhere => self.affine_operand(draft, ty, Home::Const(0)),
        }
    }

    /// What takes the value at a place that is the same in all threads.
    pub(super) fn taken(&mut self, ty: Type, place: Place) -> (AffineId, AffineOp) {
        let to = self.affine_at(ty, place);
        let materialized = VectorOp { what: What::Move(ty), to: place, from: [place; 3] };
        (to, AffineOp { def: AffineDef::Uniform(ty, place), ty, to, from: [to; 3], materialized })
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

    pub(super) fn special(&mut self, value: SpecialValue, uniformity: Uniformity) -> Home {
        let ty = special_type(value);
        if uniformity == Uniformity::Affine {
            if let Some(id) = self.places.get(&value) {
                return Home::Affine(*id);
            }
            // It keeps its place for good: other blocks may have used any of those that are free here.
            let place = self.fresh(ty, Use::Affine);
            self.home_lines.insert(place.line);
            self.affine_values.push(AffinePlace { ty, place });
            let id = self.affine_values.len() as AffineId - 1;
            self.places.insert(value, id);
            return Home::Affine(id);
        }
        if let Some(place) = self.specials.get(&value) {
            return Home::At(ty, *place);
        }
        let by = if uniformity == Uniformity::Uniform { Use::Uniform } else { Use::Varying };
        let place = self.fresh(ty, by);
        self.specials.insert(value, place);
        Home::At(ty, place)
    }

    /// Whether a value's place is its own, and not a register's home or a constant's.
    pub(super) fn owns(&self, draft: &Draft, node: usize) -> bool {
        match draft.ir.values[node].from {
            ValueDef::Const(_) | ValueDef::Slot(_) | ValueDef::Special(_) => false,
            ValueDef::Op(..) | ValueDef::Step(_) => {
                let line = match draft.at[node] {
                    Home::At(_, place) => place.line,
                    Home::Affine(id) => self.affine_values[id as usize].place.line,
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
            Home::Affine(id) => {
                let AffinePlace { ty, place } = self.affine_values[id as usize];
                self.give(ty, Use::Affine, place);
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

    /// Where the lines of a value are, materialized if it is affine.
    pub(super) fn spread_place(&mut self, draft: &mut Draft, node: ValueId) -> Place {
        match self.home(draft, node) {
            Home::Const(bits) => {
                let ty = draft.ir.values[node as usize].ty;
                self.constant(ty, bits)
            }
            Home::At(_, place) => place,
            Home::Affine(id) => self.materialize(draft, id),
            // A value that nothing has computed is needed by nothing.
            Home::Nowhere => {
                debug_assert!(false, "%{node} has no place");
                self.active
            }
        }
    }

    /// The lines of a value that is read when registers have been brought to their homes.
    pub(super) fn kept_place(&mut self, draft: &mut Draft, node: ValueId) -> Place {
        let place = self.spread_place(draft, node);
        let ir::Value { ty, from } = draft.ir.values[node as usize];
        match from {
            // What the register held at first: its home will hold something else.
            ValueDef::Slot(slot) if draft.ir.last.contains_key(&slot) => {
                let aside = self.take(ty, if place.stride == 0 { Use::Uniform } else { Use::Varying });
                self.vector_op(draft, VectorOp { what: What::Move(ty), to: aside, from: [place; 3] });
                aside
            }
            _ => place,
        }
    }

    /// Where a value is.
    pub(super) fn home(&mut self, draft: &mut Draft, node: ValueId) -> Home {
        let value = draft.ir.values[node as usize];
        match value.from {
            ValueDef::Const(bits) => Home::Const(bits),
            ValueDef::Slot(slot) => self.homes[slot as usize],
            ValueDef::Special(special) => self.special(special, draft.uniformities[node as usize]),
            ValueDef::Op(..) | ValueDef::Step(_) => draft.at[node as usize],
        }
    }

    /// A place for a value: the home of the register that it ends up in, if what that held is not needed any more.
    pub(super) fn place_for(
        &mut self,
        draft: &Draft,
        node: ValueId,
        position: u32,
        home_of: &HashMap<ValueId, u32>,
    ) -> Place {
        let ty = draft.ir.values[node as usize].ty;
        let uniform = draft.uniformities[node as usize] == Uniformity::Uniform;
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
