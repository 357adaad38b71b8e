//! Where the functions of a thread have their registers and local memory: the kernel and those inlined in it at places that are
//! known, those of activations of functions that call themselves where its stack has them.

use crate::batch::origins::{Root, Site};
use crate::batch::run::Cta;
use crate::tensor_memory::TensorMemory;

/// Functions that a thread stands in, one called by the other.
pub(super) struct Stretch<'p> {
    pub(super) nodes: Vec<u32>,
    /// How much farther on in local memory their frames are than where their nodes have them.
    pub(super) distance: u64,
    /// Where the nodes have the first of these frames.
    pub(super) from: u64,
    /// The call at which the thread stands in the last of them, and where its registers are saved; none if it has not called.
    pub(super) call: Option<Saved<'p>>,
}

/// Registers of an activation that has called another one.
#[derive(Clone, Copy)]
pub(super) struct Saved<'p> {
    pub(super) site: &'p Site,
    at: u64,
}

impl Cta<'_> {
    /// Shared and local memory begin as 0; frames of activations are set to 0 as these begin.
    pub(super) fn clear_memory(&mut self) {
        let local = self.plan.origins.bytes_at_first().div_ceil(8) as usize * self.local_row();
        self.tensor_memories.iter_mut().for_each(TensorMemory::clear);
        // To fill nothing takes a call that waits for the vector unit.
        for words in [&mut self.shared[..], &mut self.local[..local]] {
            if !words.is_empty() {
                words.fill(0);
            }
        }
    }

    /// The functions that a thread stands in whose instruction is one of a node, the kernel's stretch first; `slot` gives registers.
    pub(super) fn stretches(&self, thread: usize, node: u32, slot: &impl Fn(u32) -> u64) -> Vec<Stretch<'_>> {
        let origins = &self.plan.origins;
        let path = |node| origins.path(node);
        let Some(Root { node: root, sites, stack, .. }) = origins.root_of(node) else {
            return vec![Stretch { nodes: path(node), distance: 0, from: 0, call: None }];
        };
        let from = origins.node(*root).local;
        let inside = |node| path(node).into_iter().skip_while(|node| node != root).collect();
        let (mut distance, mut end) = (slot(stack.distance), slot(stack.end));
        let mut stretches = vec![Stretch { nodes: inside(node), distance, from, call: None }];
        let mut number = slot(stack.site);
        while let Some(site) = (number as usize).checked_sub(1).and_then(|k| sites.get(k)) {
            end = end.wrapping_sub(stack.step);
            distance = distance.wrapping_sub(site.distance);
            let saved = Saved { site, at: end };
            number = self.local_word(thread, end);
            let nodes = inside(site.caller.node);
            stretches.push(Stretch { nodes, distance, from, call: Some(saved) });
        }
        debug_assert_eq!(
            (distance, end),
            (0, stack.saved),
            "a thread's stack begins with its first activation"
        );
        let before = origins.node(*root).caller.map_or(0, |caller| caller.node);
        stretches.push(Stretch { nodes: path(before), distance: 0, from: 0, call: None });
        stretches.reverse();
        stretches
    }

    /// What an activation has saved of a register; 0 if it does not need it any more.
    pub(super) fn saved(&self, thread: usize, saved: Saved, slot: u32) -> u64 {
        let place = saved.site.saved.iter().position(|other| *other == slot);
        place.map_or(0, |k| self.local_word(thread, saved.at + 8 * (k as u64 + 1)))
    }

    /// What a thread has in a word of local memory.
    pub(super) fn local_word(&self, thread: usize, at: u64) -> u64 {
        self.local[(at / 8) as usize * self.local_row() + thread]
    }
}
