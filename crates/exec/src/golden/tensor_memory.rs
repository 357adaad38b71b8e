//! Tensor memory: what a warp does there together, and what a thread begins, which is done at once (manual, 9.7.16).

use super::Cta;
use super::thread::Failure;
use crate::code::{Copies, Deed, Strength, TensorMemoryStep, Together};
use crate::grid::Dim;
use crate::memory::{Access, Fault};
use crate::sanitize::touched::Made;
use crate::tensor_memory::{Refused, TensorMemory, begin, end};
use crate::trap::TrapKind;
use margay_front::module::Space;
use margay_isa::tensor_memory::TensorMemoryOp;
use margay_isa::{Across, Bits, Chunk, Slot, WARP, Word};
use std::ops::Range;

/// What is read goes on being read until a barrier object tells that all is done.
const MULTIPLIED: Made = Made::Copy { line: Copies::Committed, second: false };

impl Cta<'_> {
    /// Carries out what all lanes of a warp do.
    pub(super) fn reach_tensor_memory(
        &mut self,
        (warp, block): (usize, Dim),
        together: &Together,
        step: &TensorMemoryStep,
        sources: &mut [Across],
        results: &mut [Across],
    ) -> Result<(), Failure> {
        let first = warp * WARP;
        step.add_offsets(sources);
        // Of a pair, each block takes and gives back columns of its own memory: both do the same, so addresses are the same in both.
        self.group(together).map_err(|wrong| refused(first, together, &wrong))?;
        let done = match &step.op {
            TensorMemoryOp::Allocate => return self.take_columns((warp, block), together, &sources[0]),
            TensorMemoryOp::Free => {
                one(&sources[0]).and_then(|at| self.tensor_memory().give_back(at, one(&sources[1])?))
            }
            TensorMemoryOp::Relinquish => {
                self.tensor_memory().close();
                Ok(())
            }
            TensorMemoryOp::Load(movement) => self.tensor_memory().load(movement, warp, sources, results),
            TensorMemoryOp::Store(movement) => self.tensor_memory().store(movement, warp, sources),
            TensorMemoryOp::Multiply(_) | TensorMemoryOp::Copy(_) => Ok(()),
        };
        done.map_err(|wrong| refused(first, together, &wrong))
    }

    /// Takes columns, and writes their address where the first lane says.
    fn take_columns(
        &mut self,
        (warp, block): (usize, Dim),
        together: &Together,
        columns: &Across,
    ) -> Result<(), Failure> {
        let first = warp * WARP;
        let Some(place) = &together.place else { return Ok(()) };
        let found = self.with_lane(first, block, |lane| {
            let address = lane.address(place);
            lane.find_of(Access::Write, place, address, place.bytes.into())?;
            Ok(address)
        });
        let address = found.map_err(|fault: Fault| Failure::new(first, TrapKind::Memory(fault)))?;
        let taken = one(columns).and_then(|columns| self.tensor_memory().take(columns));
        let taken = taken.map_err(|wrong| refused(first, together, &wrong))?;
        let written = self.with_lane(first, block, |lane| {
            let to = lane.find_of(Access::Write, place, address, place.bytes.into())?;
            lane.store(to, 0, place.bytes, Bits::from(taken));
            if lane.watch.is_some() {
                lane.watched(Access::Write, to, place.bytes.into(), place.strength, Made::ByThread);
            }
            Ok(())
        });
        written.map_err(|fault: Fault| Failure::new(first, TrapKind::Memory(fault)))
    }

    /// Carries out what a thread does by itself.
    pub(super) fn reach_tensor_memory_alone(&mut self, t: usize) -> Result<(), Failure> {
        let Some(together) = self.together(t) else { return Ok(()) };
        let Deed::TensorMemory(step) = &together.deed else { return Ok(()) };
        let block = self.job.place(self.index);
        let values: Vec<u64> = self.with_lane(t, block, |lane| {
            let read = |(source, offset)| match offset {
                0 => lane.read(source) as u64,
                on => u64::from((lane.read(source) as u32).wrapping_add(on)),
            };
            together.sources.iter().zip(step.offsets.iter().copied()).map(read).collect()
        });
        let group = self.group(together).map_err(|wrong| refused(t, together, &wrong))?;
        let mut memories = std::mem::take(&mut self.shared.tensor_memories);
        let mut read = |rank: usize, addresses: &[u64]| self.shared_chunks(t, block, rank as u32, addresses);
        let done = match &step.op {
            TensorMemoryOp::Multiply(multiply) => {
                let (first, memories) = (group.start, &mut memories[group]);
                let read = |cta: usize, addresses: &[u64]| read(first + cta, addresses);
                begin(memories, multiply, &values, read).map(|mut begun| {
                    begun.carry_out();
                    end(memories, begun);
                })
            }
            // Each block gets what the descriptor says of its own shared memory.
            TensorMemoryOp::Copy(copy) => group
                .into_iter()
                .try_for_each(|rank| memories[rank].copy(copy, &values, |addresses| read(rank, addresses))),
            _ => Ok(()),
        };
        self.shared.tensor_memories = memories;
        done.map_err(|why| match why {
            Refused::Told(wrong) => refused(t, together, &wrong),
            Refused::Unread(fault) => Failure::new(t, TrapKind::Memory(fault)),
        })?;
        self.resume(t, std::iter::empty());
        Ok(())
    }

    /// The block's own.
    fn tensor_memory(&mut self) -> &mut TensorMemory {
        &mut self.shared.tensor_memories[self.rank as usize]
    }

    /// The blocks of the cluster that an instruction is for: this one, or its pair, whose numbers differ in the last bit.
    fn group(&self, together: &Together) -> Result<Range<usize>, String> {
        let (rank, blocks) = (self.rank as usize, self.shared.tensor_memories.len());
        let group = match together.inst[Slot::CtaGroup] {
            Word::CtaGroup2 => rank & !1..(rank | 1) + 1,
            _ => rank..rank + 1,
        };
        match group.end <= blocks {
            true => Ok(group),
            false if blocks == 1 => {
                Err("a pair of CTAs of a cluster is needed, and there is no cluster".into())
            }
            false => Err(format!("a pair of CTAs of a cluster is needed, and CTA {rank} is its last one")),
        }
    }

    /// What a thread reads of the shared memory of one of the cluster's blocks.
    fn shared_chunks(
        &mut self,
        t: usize,
        block: Dim,
        rank: u32,
        addresses: &[u64],
    ) -> Result<Vec<Chunk>, Fault> {
        const BYTES: u32 = size_of::<Chunk>() as u32;
        self.with_lane(t, block, |lane| {
            // Addresses of its own memory tell more of what is wrong with them.
            let far = rank != lane.rank;
            let first = if far { lane.job.memory.layout().shared_of_cta(rank) } else { 0 };
            let read = |address: &u64| {
                let from =
                    lane.find(Access::Read, Some(Space::Shared), far, first + address, BYTES.into())?;
                if lane.watch.is_some() {
                    lane.watched(Access::Read, from, BYTES.into(), Strength::default(), MULTIPLIED);
                }
                Ok(lane.load(from, 0, BYTES).to_le_bytes())
            };
            addresses.iter().map(read).collect()
        })
    }
}

/// What all lanes of a warp bring.
fn one(lanes: &Across) -> Result<u64, String> {
    match lanes.iter().all(|bits| *bits == lanes[0]) {
        true => Ok(lanes[0]),
        false => Err("the lanes of the warp bring different numbers".into()),
    }
}

fn refused(t: usize, together: &Together, wrong: &str) -> Failure {
    Failure::new(t, TrapKind::TensorMemory(format!("`{}`: {wrong}", together.inst)))
}
