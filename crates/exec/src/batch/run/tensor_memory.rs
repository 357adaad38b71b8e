//! Tensor memory: what warps do there together, and what threads begin, which is done at once (manual, 9.7.16).

use crate::batch::lanes::ProductRoom;
use crate::batch::plan::Collective;
use crate::batch::run::Cta;
use crate::batch::run::found::{Found, Home};
use crate::batch::run::rooms::Room;
use crate::code::TensorMemoryStep;
use crate::memory::Access;
use crate::tensor_memory::{Begun, TensorMemory};
use margay_front::module::Space;
use margay_isa::tensor_memory::TensorMemoryOp;
use margay_isa::{Chunk, WARP};

impl Cta<'_> {
    /// Carries an instruction out in the warps of which lanes have come; `None`, and nothing is changed, if something is wrong.
    pub(super) fn reach_tensor_memory(
        &mut self,
        together: &Collective,
        step: &TensorMemoryStep,
        members: &[u32],
        room: &mut Room,
    ) -> Option<()> {
        self.tensor_memories.resize(self.count as usize, TensorMemory::default());
        // One who acts alone changes nothing before all is allowed; after others, what they have changed is taken back.
        let acts: u32 = match step.op.is_of_warp() {
            true => members.iter().filter(|members| **members != 0).count() as u32,
            false => members.iter().map(|members| members.count_ones()).sum(),
        };
        let changes = !matches!(step.op, TensorMemoryOp::Load(_));
        let before = (changes && acts > 1).then(|| self.tensor_memories.clone());
        let done = self.reach_one_by_one(together, step, members, room);
        if let (None, Some(before)) = (done, before) {
            self.tensor_memories = before;
        }
        done
    }

    fn reach_one_by_one(
        &mut self,
        together: &Collective,
        step: &TensorMemoryStep,
        members: &[u32],
        room: &mut Room,
    ) -> Option<()> {
        let own = (self.job.threads as usize).div_ceil(WARP);
        for (warp, members) in members.iter().enumerate().filter(|(_, members)| **members != 0) {
            self.bring(together, warp, 0, &mut room.sources);
            step.add_offsets(&mut room.sources);
            let (cta, warp_of_cta) = (warp / own, warp % own);
            match &step.op {
                TensorMemoryOp::Allocate => self.take_columns(together, warp, cta, room)?,
                TensorMemoryOp::Free => {
                    let [address, columns] = [0, 1].map(|k| same(&room.sources[k]));
                    self.tensor_memories[cta].give_back(address?, columns?).ok()?;
                }
                TensorMemoryOp::Relinquish => self.tensor_memories[cta].close(),
                TensorMemoryOp::Load(movement) => {
                    let memory = &self.tensor_memories[cta];
                    memory.load(movement, warp_of_cta, &room.sources, &mut room.results).ok()?;
                    self.take(together, warp, &room.results);
                }
                TensorMemoryOp::Store(movement) => {
                    self.tensor_memories[cta].store(movement, warp_of_cta, &room.sources).ok()?;
                }
                TensorMemoryOp::Multiply(_) | TensorMemoryOp::Copy(_) => {
                    for lane in (0..WARP).filter(|lane| members >> lane & 1 == 1) {
                        let values: Vec<u64> = room.sources.iter().map(|source| source[lane]).collect();
                        self.reach_alone(step, (cta, warp * WARP + lane), &values, &mut room.products)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Takes columns, and writes their address where the first lane says.
    fn take_columns(&mut self, together: &Collective, warp: usize, cta: usize, room: &Room) -> Option<()> {
        const BYTES: u64 = size_of::<u32>() as u64;
        let [columns, address] = [&room.sources[0], room.sources.last()?];
        let memory = together.memory?;
        let address = address[0] & memory.mask;
        let Found { home, base } = self.find(Access::Write, (memory.space, 0), address, BYTES)?;
        if home != Home::Shared || !address.is_multiple_of(BYTES) {
            return None;
        }
        let at = address - base + self.shared_offset(warp * WARP);
        let taken = self.tensor_memories[cta].take(same(columns)?).ok()?;
        self.bulk(home).store(at, BYTES as u32, taken.into());
        Some(())
    }

    /// What a thread does by itself.
    fn reach_alone(
        &mut self,
        step: &TensorMemoryStep,
        (cta, thread): (usize, usize),
        values: &[u64],
        products: &mut Option<ProductRoom>,
    ) -> Option<()> {
        let mut memory = std::mem::take(&mut self.tensor_memories[cta]);
        let read = |addresses: &[u64]| self.shared_chunks(addresses, thread).ok_or(());
        let done = match &step.op {
            TensorMemoryOp::Multiply(multiply) => memory.begin(multiply, values, read).map(|mut begun| {
                self.multiply(&mut begun, products);
                memory.end(begun);
            }),
            TensorMemoryOp::Copy(copy) => memory.copy(copy, values, read),
            _ => Ok(()),
        };
        self.tensor_memories[cta] = memory;
        done.ok()
    }

    fn multiply(&mut self, begun: &mut Begun, products: &mut Option<ProductRoom>) {
        match begun.block.product() {
            Some(product) => {
                let room = products.get_or_insert_with(ProductRoom::new);
                self.lines.multiply_blocks(product, (&begun.a, &begun.b), &mut begun.d, room);
            }
            None => begun.carry_out(),
        }
    }

    /// What a thread reads of its block's shared memory.
    fn shared_chunks(&mut self, addresses: &[u64], thread: usize) -> Option<Vec<Chunk>> {
        const BYTES: u64 = size_of::<Chunk>() as u64;
        let ends = addresses.iter().fold((u64::MAX, 0), |(least, most), at| (least.min(*at), most.max(*at)));
        let bytes = ends.1.checked_sub(ends.0)? + BYTES;
        let Found { home, base } = self.find(Access::Read, (Some(Space::Shared), 0), ends.0, bytes)?;
        if home != Home::Shared {
            return None;
        }
        let offset = self.shared_offset(thread).wrapping_sub(base);
        let bulk = self.bulk(home);
        let chunks = addresses.iter().map(|at| {
            let mut chunk = Chunk::default();
            bulk.read_bytes(at.wrapping_add(offset), &mut chunk);
            chunk
        });
        Some(chunks.collect())
    }
}

/// What all lanes of a warp bring, if it is one number.
fn same(lanes: &[u64; WARP]) -> Option<u64> {
    lanes.iter().all(|bits| *bits == lanes[0]).then_some(lanes[0])
}
