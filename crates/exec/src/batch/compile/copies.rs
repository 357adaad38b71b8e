//! Loads from global memory whose elements go to shared memory as they are: a store may copy them from where they lie.

use crate::batch::compile::Draft;
use crate::batch::compile::analysis::{operands, step_operands};
use crate::batch::compile::ir::{Item, Step, ValueDef, ValueId};
use margay_front::module::Space;

impl Draft<'_> {
    /// Whether a store takes all elements of a load, in their order, nothing else does, and until then nothing happens that the
    /// load must come before: no write to global memory, and nothing that orders accesses.
    pub(super) fn copies(&self, number: u32, position: u32) -> bool {
        let load = &self.ir.steps[number as usize];
        let Step::Load(from, nodes) = &load.step else { return false };
        let Some(first) = nodes.first() else { return false };
        let last = self.last_use[*first as usize];
        if load.guard.is_some()
            || from.space != Some(Space::Global)
            || !from.is_weak
            || !nodes.iter().all(|node| self.last_use[*node as usize] == last)
        {
            return false;
        }
        let Some(Item::Step(store)) = self.ir.items.get(last as usize) else { return false };
        let store = &self.ir.steps[*store as usize];
        let takes = match &store.step {
            Step::Store(to, taken) => {
                let alike = (to.bytes, to.size) == (from.bytes, from.size);
                alike && taken == nodes && !nodes.contains(&to.address)
            }
            _ => false,
        };
        takes && store.guard.is_none() && self.leave(nodes, position + 1..last) && self.is_shared(last)
    }

    /// Whether items between a load and the store of its elements use none of them, and may as well come before the load.
    fn leave(&self, nodes: &[ValueId], items: std::ops::Range<u32>) -> bool {
        let mut used = false;
        let mut all = items.into_iter().all(|position| match &self.ir.items[position as usize] {
            Item::Value(node) => {
                operands(self.ir, *node, &mut |operand| used |= nodes.contains(&operand));
                true
            }
            Item::Step(step) => {
                step_operands(self.ir, *step, &mut |operand| used |= nodes.contains(&operand));
                match &self.ir.steps[*step as usize].step {
                    Step::Load(access, _) => access.is_weak,
                    _ => self.is_shared(position),
                }
            }
        });
        all &= !used;
        all
    }

    /// Whether an item is a weak store to shared memory.
    fn is_shared(&self, position: u32) -> bool {
        match &self.ir.items[position as usize] {
            Item::Step(step) => match &self.ir.steps[*step as usize].step {
                Step::Store(access, _) => access.space == Some(Space::Shared) && access.is_weak,
                _ => false,
            },
            Item::Value(_) => false,
        }
    }

    /// The site of the load whose elements a store may copy.
    pub(super) fn copied_by(&self, nodes: &[ValueId]) -> Option<u32> {
        let ValueDef::Step(load) = self.ir.values[*nodes.first()? as usize].from else { return None };
        self.copied.get(&load).copied()
    }
}
