//! The blocks of a cluster, which are resident together: each goes on in its turn. Most clusters are one block.

use super::shared::Shared;
use super::thread::State;
use super::{Cta, Progress, Standing};
use crate::grid::Dim;
use crate::launch::Job;
use crate::sanitize::Watch;
use crate::trap::{Trap, TrapKind};

/// One cluster at a time; its storage is used again for the next.
pub(crate) struct Cluster<'a> {
    job: &'a Job<'a>,
    blocks: Vec<Cta<'a>>,
    /// What they share, while none has its turn.
    shared: Shared,
    /// The block that has its turn, or had the last one.
    current: usize,
    /// What watches the launch; here while the blocks run.
    pub(crate) watch: Option<Box<Watch>>,
}

impl<'a> Cluster<'a> {
    pub(crate) fn new(job: &'a Job<'a>) -> Cluster<'a> {
        let count = job.cluster_blocks();
        let bytes = match count {
            1 => job.ready.frame.shared_bytes,
            _ => count * job.shared_step(),
        };
        let blocks = (0..count).map(|_| Cta::new(job)).collect();
        Cluster { job, blocks, shared: Shared::new(count, bytes), current: 0, watch: None }
    }

    /// How many blocks it has.
    pub(crate) fn count(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// The number of its first block.
    pub(crate) fn index(&self) -> u64 {
        self.blocks[0].index
    }

    /// The number of the block that ends with a trap, if one does.
    pub(crate) fn current(&self) -> u64 {
        self.blocks[self.current].index
    }

    /// Steps of its blocks.
    pub(crate) fn steps(&self) -> u64 {
        self.blocks.iter().map(|block| block.steps).sum()
    }

    /// What one of its blocks printed.
    pub(crate) fn printed(&mut self, member: u64) -> Vec<u8> {
        self.blocks.get_mut(member as usize).map(|block| block.output.take()).unwrap_or_default()
    }

    /// Makes ready for the cluster whose first block is `index`.
    pub(crate) fn start(&mut self, index: u64) {
        self.shared.clear(self.count() * u64::from(self.job.threads));
        for (rank, block) in self.blocks.iter_mut().enumerate() {
            block.start(index + rank as u64, rank as u32);
        }
        self.current = 0;
    }

    /// Makes ready for a block that is a cluster, as it stands: shared memory is taken as it is, and `standing` gives each thread, or
    /// nothing for one that has ended.
    pub(crate) fn take_over(
        &mut self,
        index: u64,
        mut progress: Progress,
        shared: &mut Vec<u64>,
        standing: impl FnMut(usize) -> Option<Standing>,
    ) {
        self.start(index);
        std::mem::swap(&mut self.shared.words, shared);
        std::mem::swap(&mut self.shared.objects, &mut progress.objects);
        self.shared.tensor_memories[0] = std::mem::take(&mut progress.tensor_memory);
        std::mem::swap(&mut self.shared, &mut self.blocks[0].shared);
        self.blocks[0].take_over(progress, standing);
        std::mem::swap(&mut self.shared, &mut self.blocks[0].shared);
    }

    /// Goes on until all blocks end, have taken at least so many steps more, or `abandoned` says that nobody wants them any
    /// more. Whether they have ended.
    pub(crate) fn advance(&mut self, steps: u64, abandoned: &dyn Fn() -> bool) -> Result<bool, Box<Trap>> {
        let end = self.steps().saturating_add(steps);
        while self.blocks.iter().any(Cta::lives) {
            if !self.round(Cta::step)? && !self.round(Cta::let_time_pass)? {
                return Err(self.deadlock());
            }
            if abandoned() {
                return Ok(true);
            }
            if self.steps() >= end {
                return Ok(!self.blocks.iter().any(Cta::lives));
            }
        }
        Ok(true)
    }

    /// Gives every block that lives a turn; whether anything happened in any.
    fn round(
        &mut self,
        turn: impl Fn(&mut Cta<'a>, Dim) -> Result<bool, Box<Trap>>,
    ) -> Result<bool, Box<Trap>> {
        let mut any = false;
        for rank in 0..self.blocks.len() {
            if !self.blocks[rank].lives() {
                continue;
            }
            self.current = rank;
            let block = &mut self.blocks[rank];
            std::mem::swap(&mut self.shared, &mut block.shared);
            std::mem::swap(&mut self.watch, &mut block.watch);
            let place = self.job.place(block.index);
            if let Some(watch) = &mut block.watch {
                watch.enter(self.job, block.index);
            }
            let moved = turn(block, place);
            if !block.lives() {
                block.shared.ended |= 1 << rank;
                if let Some(watch) = &mut block.watch {
                    watch.leave(self.job);
                }
            }
            std::mem::swap(&mut self.shared, &mut block.shared);
            std::mem::swap(&mut self.watch, &mut block.watch);
            any |= moved?;
        }
        Ok(any)
    }

    /// No thread can go on.
    fn deadlock(&mut self) -> Box<Trap> {
        let mut waiting = Vec::new();
        for block in &self.blocks {
            block.waiting(&self.shared, &mut waiting);
        }
        self.current = self.blocks.iter().position(Cta::lives).unwrap_or(0);
        let block = &self.blocks[self.current];
        let first = block.threads.iter().position(|t| t.state != State::Ended).unwrap_or(0);
        block.trap(TrapKind::Deadlock(waiting), first, self.job.place(block.index))
    }
}
