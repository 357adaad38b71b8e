//! Registers at the end of a block: what they hold is brought to their homes.

use super::places::Use;
use super::{Builder, Draft};
use crate::batch::even::How;
use crate::batch::flow;
use crate::batch::graph::{Graph, Node};
use crate::batch::lanes::{Act, What};
use crate::batch::plan::{EvenAct, EvenId, Home};
use crate::batch::usage::{self, Bits};
use crate::code::Code;
use margay_isa::uop::{Op, Type};
use std::collections::HashMap;

impl<'a> Builder<'a> {
    /// Brings what registers hold at the end to their homes.
    pub(super) fn settle_registers(&mut self, draft: &mut Draft, needed_after: &Bits, kept: &[u32]) {
        let mut moves: Vec<(u32, Node)> = draft
            .graph
            .last
            .iter()
            .filter(|(slot, _)| needed_after.has(**slot as usize))
            .map(|(slot, node)| (*slot, *node))
            .collect();
        moves.sort_unstable();
        // What comes from another register's home is taken to a place of its own first, where that home is written.
        moves.retain(|(slot, node)| {
            let home = self.homes[*slot as usize];
            self.home(draft, *node) != home
        });
        let written: std::collections::HashSet<Home> =
            moves.iter().map(|(slot, _)| self.homes[*slot as usize]).collect();
        let mut pending = Vec::new();
        for (slot, node) in moves {
            let (home, source) = (self.homes[slot as usize], self.home(draft, node));
            let ty = draft.graph.values[node as usize].ty;
            let source = match source {
                source if !written.contains(&source) => source,
                Home::At(_, place) => {
                    let by = if place.stride == 0 { Use::Uniform } else { Use::Varying };
                    let aside = self.take(ty, by);
                    self.act(draft, Act { what: What::Move(ty), to: aside, from: [place; 3] });
                    Home::At(ty, aside)
                }
                Home::Even(id) => {
                    let aside = self.even(ty);
                    self.copy_even(draft, ty, aside, id);
                    Home::Even(aside)
                }
                other => other,
            };
            pending.push((slot, ty, home, source));
        }
        for (slot, ty, home, source) in pending {
            match (home, source) {
                (Home::Even(to), source @ (Home::Even(_) | Home::At(..) | Home::Const(_))) => {
                    let id = self.even_operand(draft, ty, source);
                    self.copy_even(draft, ty, to, id);
                }
                (Home::At(_, to), source) => {
                    let from = match source {
                        Home::Const(bits) => self.constant(ty, bits),
                        Home::At(_, place) => place,
                        Home::Even(id) => self.spread_even(draft, id),
                        Home::Nowhere => continue,
                    };
                    let act = if kept.contains(&slot) {
                        Act { what: What::Op(Op::Select(ty)), to, from: [self.running, from, to] }
                    } else {
                        Act { what: What::Move(ty), to, from: [from; 3] }
                    };
                    self.act(draft, act);
                }
                (Home::Nowhere | Home::Const(_), _) | (Home::Even(_), Home::Nowhere) => {}
            }
        }
    }

    fn copy_even(&mut self, draft: &mut Draft, ty: Type, to: EvenId, from: EvenId) {
        let [to_lines, lines] = [to, from].map(|id| self.evens[id as usize].place);
        let spread = Act { what: What::Move(ty), to: to_lines, from: [lines; 3] };
        self.push_even(draft, EvenAct { how: How::Same, ty, to, from: [from; 3], spread });
    }
}

/// For everything that registers are set to in a block, the last instruction that may need it; 0 if none does.
pub(super) fn untils(code: &Code, block: &flow::Block, graph: &Graph, needed_after: &Bits) -> Vec<u32> {
    let mut untils = vec![0; graph.sets.len()];
    let mut needed: HashMap<u32, u32> = needed_after.iter().map(|slot| (slot as u32, block.end)).collect();
    let mut rest = graph.sets.len();
    for pc in (block.first..block.end).rev() {
        while rest > 0 && graph.sets[rest - 1].0 == pc {
            rest -= 1;
            untils[rest] = needed.get(&graph.sets[rest].1).copied().unwrap_or(0);
        }
        let op = &code.ops[pc as usize];
        if op.guard.is_none() {
            usage::writes(op, &mut |slot| {
                needed.remove(&slot);
            });
        }
        usage::reads(op, &mut |slot| {
            needed.entry(slot).or_insert(pc);
        });
    }
    untils
}
