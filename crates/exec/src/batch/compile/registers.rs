//! Registers at the end of a block: what they hold is brought to their homes.

use crate::batch::affine::AffineDef;
use crate::batch::compile::cfg;
use crate::batch::compile::ir::{BlockIr, ValueId};
use crate::batch::compile::liveness::{self, Bits};
use crate::batch::compile::places::Use;
use crate::batch::compile::{Builder, Draft};
use crate::batch::lanes::{VectorOp, What};
use crate::batch::plan::{AffineId, AffineOp, Home};
use crate::code::Code;
use foldhash::HashMap;
use margay_isa::uop::{AffineRule, Op, Type};

impl<'a> Builder<'a> {
    /// Brings what registers hold at the end to their homes.
    pub(super) fn settle_registers(&mut self, draft: &mut Draft, needed_after: &Bits, kept: &[u32]) {
        let mut moves: Vec<(u32, ValueId)> = draft
            .ir
            .last
            .iter()
            .filter(|(slot, _)| needed_after.has(**slot as usize))
            .map(|(slot, node)| (*slot, *node))
            .collect();
        moves.sort_unstable();
        for (slot, node) in &moves {
            match self.home(draft, *node) {
                home @ Home::At(_, place) if self.fixed.contains(&place.line) => self.hold_at(*slot, home),
                _ => {}
            }
        }
        // What comes from another register's home is taken to a place of its own first, where that home is written.
        moves.retain(|(slot, node)| {
            let home = self.homes[*slot as usize];
            self.home(draft, *node) != home
        });
        let written: foldhash::HashSet<Home> =
            moves.iter().map(|(slot, _)| self.homes[*slot as usize]).collect();
        let mut pending = Vec::new();
        for (slot, node) in moves {
            let (home, source) = (self.homes[slot as usize], self.home(draft, node));
            let ty = draft.ir.values[node as usize].ty;
            let source = match source {
                source if !written.contains(&source) => source,
                Home::At(_, place) => {
                    let by = if place.stride == 0 { Use::Uniform } else { Use::Varying };
                    let aside = self.take(ty, by);
                    self.vector_op(draft, VectorOp { what: What::Move(ty), to: aside, from: [place; 3] });
                    Home::At(ty, aside)
                }
                Home::Affine(id) => {
                    let repeats = self.periodic_values.contains(&id);
                    let aside = if repeats { self.periodic(ty) } else { self.affine(ty) };
                    self.copy_affine(draft, ty, aside, id);
                    Home::Affine(aside)
                }
                other => other,
            };
            pending.push((slot, ty, home, source));
        }
        for (slot, ty, home, source) in pending {
            match (home, source) {
                (Home::Affine(to), source @ (Home::Affine(_) | Home::At(..) | Home::Const(_))) => {
                    let id = self.affine_operand(draft, ty, source);
                    self.copy_affine(draft, ty, to, id);
                }
                (Home::At(_, to), source) => {
                    let from = match source {
                        Home::Const(bits) => self.constant(ty, bits),
                        Home::At(_, place) => place,
                        Home::Affine(id) => self.materialize(draft, id),
                        Home::Nowhere => continue,
                    };
                    let vector_op = if kept.contains(&slot) {
                        VectorOp { what: What::Op(Op::Select(ty)), to, from: [self.active, from, to] }
                    } else {
                        VectorOp { what: What::Move(ty), to, from: [from; 3] }
                    };
                    self.vector_op(draft, vector_op);
                }
                (Home::Nowhere | Home::Const(_), _) | (Home::Affine(_), Home::Nowhere) => {}
            }
        }
    }

    fn copy_affine(&mut self, draft: &mut Draft, ty: Type, to: AffineId, from: AffineId) {
        let [to_lines, lines] = [to, from].map(|id| self.affine_values[id as usize].place);
        let materialized = VectorOp { what: What::Move(ty), to: to_lines, from: [lines; 3] };
        self.push_affine(
            draft,
            AffineOp { def: AffineDef::Op(AffineRule::Same), ty, to, from: [from; 3], materialized },
        );
    }
}

/// For everything that registers are set to in a block, the last instruction that may need it; 0 if none does.
pub(super) fn untils(code: &Code, block: &cfg::Block, ir: &BlockIr, needed_after: &Bits) -> Vec<u32> {
    let mut untils = vec![0; ir.sets.len()];
    let mut needed: HashMap<u32, u32> = needed_after.iter().map(|slot| (slot as u32, block.end)).collect();
    let mut rest = ir.sets.len();
    for pc in (block.first..block.end).rev() {
        while rest > 0 && ir.sets[rest - 1].0 == pc {
            rest -= 1;
            untils[rest] = needed.get(&ir.sets[rest].1).copied().unwrap_or(0);
        }
        let op = &code.ops[pc as usize];
        if op.guard.is_none() {
            liveness::writes(op, &mut |slot| {
                needed.remove(&slot);
            });
        }
        let mut read = |slot| {
            needed.entry(slot).or_insert(pc);
        };
        liveness::reads(op, &mut read);
        code.also_read(pc).iter().for_each(|slot| read(*slot));
    }
    untils
}
