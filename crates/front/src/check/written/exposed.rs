//! Registers that some path from a function's start leads to a read of without a write: liveness, 256 registers at a time.

use super::blocks::Blocks;
use super::uses::{self, Use};
use crate::module::{Function, RegisterId};

/// A register and a block.
pub(crate) type Place = (RegisterId, u32);

/// A bit for each register of a group.
type Bits = [u64; 4];

const GROUP: usize = 256;

/// The registers that are live at the start of the function, in their order; `skipped` are not looked at, nor are those of
/// which an instruction does not say what it does. Writes under a guard do not count.
///
/// Blocks are looked at from reads backward, up to the writes: the time grows with what lies between the two.
pub(crate) fn at_entry(function: &Function, blocks: &Blocks, mut skipped: Vec<bool>) -> Vec<RegisterId> {
    let (mut reads, mut writes) = scan(function, blocks, &mut skipped);
    reads.retain(|(id, _)| !skipped[id.0 as usize]);
    let mut is_read = vec![false; function.registers.len()];
    reads.iter().for_each(|(id, _)| is_read[id.0 as usize] = true);
    writes.retain(|(id, _)| is_read[id.0 as usize]);
    reads.sort_unstable();
    writes.sort_unstable();
    let mut live = Live::new(blocks);
    let mut found = Vec::new();
    let (mut reads, mut writes) = (reads.as_slice(), writes.as_slice());
    while let Some((first, _)) = reads.first() {
        let mut group = vec![*first];
        let end = reads.iter().position(|(id, _)| {
            if group.last() != Some(id) && group.len() < GROUP {
                group.push(*id);
            }
            group.last() != Some(id)
        });
        let (now, later) = reads.split_at(end.unwrap_or(reads.len()));
        let last = group[group.len() - 1];
        let (kills, others) = writes.split_at(writes.partition_point(|(id, _)| *id <= last));
        let at_start = live.at_entry(&group, now, kills);
        found.extend(group.iter().enumerate().filter(|(k, _)| has(&at_start, *k)).map(|(_, id)| *id));
        (reads, writes) = (later, others);
    }
    found
}

/// In which blocks registers are read before they are written, and in which they are written for sure.
pub(crate) fn scan(function: &Function, blocks: &Blocks, skipped: &mut [bool]) -> (Vec<Place>, Vec<Place>) {
    const NOWHERE: u32 = u32::MAX;
    let mut read_in = vec![NOWHERE; function.registers.len()];
    let mut written_in = read_in.clone();
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut fresh = Vec::new();
    for block in (0..blocks.count() as u32).filter(|block| blocks.is_reached(*block)) {
        for at in blocks.code(block) {
            let instruction = &function.code[at as usize];
            uses::each(instruction, &mut |role, id| {
                let k = id.0 as usize;
                match role {
                    Use::Read if written_in[k] != block && read_in[k] != block => {
                        read_in[k] = block;
                        reads.push((id, block));
                    }
                    Use::Read => {}
                    Use::Write if instruction.guard.is_none() => fresh.push(id),
                    Use::Write => {}
                    Use::Unknown => skipped[k] = true,
                }
            });
            for id in fresh.drain(..) {
                if written_in[id.0 as usize] != block {
                    written_in[id.0 as usize] = block;
                    writes.push((id, block));
                }
            }
        }
    }
    (reads, writes)
}

fn has(bits: &Bits, k: usize) -> bool {
    bits[k / 64] >> (k % 64) & 1 == 1
}

fn set(bits: &mut Bits, k: usize) {
    bits[k / 64] |= 1 << (k % 64);
}

/// What is live where, of the registers of a group.
struct Live<'b> {
    blocks: &'b Blocks,
    at_start: Vec<Bits>,
    written: Vec<Bits>,
    waits: Vec<bool>,
}

impl<'b> Live<'b> {
    fn new(blocks: &'b Blocks) -> Live<'b> {
        let none = vec![Bits::default(); blocks.count()];
        Live { blocks, at_start: none.clone(), written: none, waits: vec![false; blocks.count()] }
    }

    /// Which registers of the group are live at the function's start.
    fn at_entry(&mut self, group: &[RegisterId], reads: &[Place], writes: &[Place]) -> Bits {
        for (id, block) in writes {
            if let Ok(k) = group.binary_search(id) {
                set(&mut self.written[*block as usize], k);
            }
        }
        let (mut open, mut touched) = (Vec::new(), Vec::new());
        for (id, block) in reads {
            if let Ok(k) = group.binary_search(id) {
                set(&mut self.at_start[*block as usize], k);
            }
            touched.push(*block);
            if !std::mem::replace(&mut self.waits[*block as usize], true) {
                open.push(*block);
            }
        }
        while let Some(block) = open.pop() {
            self.waits[block as usize] = false;
            let live = self.at_start[block as usize];
            for before in self.blocks.before(block) {
                let k = *before as usize;
                let (old, written) = (self.at_start[k], self.written[k]);
                let new: Bits = std::array::from_fn(|w| old[w] | live[w] & !written[w]);
                if new == old {
                    continue;
                }
                if old == Bits::default() {
                    touched.push(*before);
                }
                self.at_start[k] = new;
                if !std::mem::replace(&mut self.waits[k], true) {
                    open.push(*before);
                }
            }
        }
        let found = self.at_start.first().copied().unwrap_or_default();
        touched.iter().for_each(|block| self.at_start[*block as usize] = Bits::default());
        writes.iter().for_each(|(_, block)| self.written[*block as usize] = Bits::default());
        found
    }
}
