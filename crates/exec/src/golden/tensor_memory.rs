//! Tensor memory: what a warp does there together, and what a thread begins, which is done at once (manual, 9.7.16).

use super::Cta;
use super::thread::Failure;
use crate::code::{Deed, Strength, TensorMemoryStep, Together};
use crate::grid::Dim;
use crate::memory::{Access, Fault};
use crate::sanitize::touched::Made;
use crate::tensor_memory::Refused;
use crate::trap::TrapKind;
use margay_front::module::Space;
use margay_isa::tensor_memory::TensorMemoryOp;
use margay_isa::{Across, Bits, Chunk, WARP};

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
        let done = match &step.op {
            TensorMemoryOp::Allocate => return self.take_columns((warp, block), together, &sources[0]),
            TensorMemoryOp::Free => {
                one(&sources[0]).and_then(|at| self.tensor_memory.give_back(at, one(&sources[1])?))
            }
            TensorMemoryOp::Relinquish => {
                self.tensor_memory.close();
                Ok(())
            }
            TensorMemoryOp::Load(movement) => self.tensor_memory.load(movement, warp, sources, results),
            TensorMemoryOp::Store(movement) => self.tensor_memory.store(movement, warp, sources),
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
        let taken = one(columns).and_then(|columns| self.tensor_memory.take(columns));
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
        let mut memory = std::mem::take(&mut self.tensor_memory);
        let read = |addresses: &[u64]| self.shared_chunks(t, block, addresses);
        let done = match &step.op {
            TensorMemoryOp::Multiply(multiply) => memory.begin(multiply, &values, read).map(|mut begun| {
                begun.carry_out();
                memory.end(begun);
            }),
            TensorMemoryOp::Copy(copy) => memory.copy(copy, &values, read),
            _ => Ok(()),
        };
        self.tensor_memory = memory;
        done.map_err(|why| match why {
            Refused::Told(wrong) => refused(t, together, &wrong),
            Refused::Unread(fault) => Failure::new(t, TrapKind::Memory(fault)),
        })?;
        self.resume(t, std::iter::empty());
        Ok(())
    }

    /// What a thread reads of shared memory.
    fn shared_chunks(&mut self, t: usize, block: Dim, addresses: &[u64]) -> Result<Vec<Chunk>, Fault> {
        const BYTES: u32 = size_of::<Chunk>() as u32;
        self.with_lane(t, block, |lane| {
            let read = |address: &u64| {
                let from = lane.find(Access::Read, Some(Space::Shared), false, *address, BYTES.into())?;
                if lane.watch.is_some() {
                    lane.watched(Access::Read, from, BYTES.into(), Strength::default(), Made::ByThread);
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
