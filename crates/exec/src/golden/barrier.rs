//! The sixteen barriers of a block (manual, section 9.7.13.1).

use crate::grid::Dim;
use crate::trap::{TrapKind, Waiting};
use margay_front::module::{FunctionId, InstructionId};

/// Threads of a warp: barriers count in warps.
const WARP: u32 = 32;
const BARRIERS: usize = 16;

/// Who has arrived where.
pub(super) struct Barriers {
    threads: u32,
    barriers: [Barrier; BARRIERS],
    /// For every thread, the barriers at which it has arrived and that are not complete.
    arrived: Vec<u16>,
    /// The barriers at which somebody has arrived.
    open: u16,
}

#[derive(Clone, Copy, Default)]
struct Barrier {
    arrivals: u32,
    /// How many must arrive; all threads of the block if it is none.
    count: Option<u32>,
}

impl Barriers {
    pub(super) fn new(threads: u32) -> Barriers {
        let barriers = [Barrier::default(); BARRIERS];
        Barriers { threads, barriers, arrived: vec![0; threads as usize], open: 0 }
    }

    pub(super) fn reset(&mut self) {
        self.barriers = [Barrier::default(); BARRIERS];
        self.arrived.fill(0);
        self.open = 0;
    }

    /// The barriers at which somebody has arrived.
    pub(super) fn open(&self) -> impl Iterator<Item = u8> + use<> {
        let open = self.open;
        (0..BARRIERS as u8).filter(move |id| open >> id & 1 == 1)
    }

    /// Notes the arrival of thread `t`, for a barrier of `count` threads or of all. Gives the barrier's number.
    pub(super) fn arrive(&mut self, t: usize, id: u32, count: Option<u32>) -> Result<u8, TrapKind> {
        if id as usize >= BARRIERS {
            return Err(TrapKind::Barrier(format!("there is no barrier {id}: a block has barriers 0 to 15")));
        }
        if let Some(count) = count.filter(|c| *c == 0 || c % WARP != 0) {
            let text = format!(
                "barrier {id} is to wait for {count} threads, which is no multiple of a warp's {WARP}"
            );
            return Err(TrapKind::Barrier(text));
        }
        if let Some(count) = count.filter(|c| *c > self.threads.next_multiple_of(WARP)) {
            let threads = self.threads;
            let text = format!("barrier {id} is to wait for {count} threads, but the block has {threads}");
            return Err(TrapKind::Barrier(text));
        }
        // A barrier for as many threads as the block has is one for all of them.
        let count = count.filter(|c| *c < self.threads);
        let barrier = &mut self.barriers[id as usize];
        if self.open >> id & 1 == 1 && barrier.count != count {
            let say = |c: Option<u32>| c.unwrap_or(self.threads);
            let (here, others) = (say(count), say(barrier.count));
            let text =
                format!("barrier {id} is to wait for {here} threads, but others wait at it for {others}");
            return Err(TrapKind::Barrier(text));
        }
        // The last warp counts whole, even where it is not full: its missing lanes arrive with the last thread.
        let last = t + 1 == self.threads as usize;
        let missing = if last { self.threads.next_multiple_of(WARP) - self.threads } else { 0 };
        barrier.count = count;
        barrier.arrivals += 1 + if count.is_some() { missing } else { 0 };
        self.arrived[t] |= 1 << id;
        self.open |= 1 << id;
        Ok(id as u8)
    }

    /// Whether all have arrived whom a barrier waits for. Threads that have ended count as arrived where it waits for all.
    pub(super) fn complete(&self, id: u8, ended: u32, has_ended: impl Fn(usize) -> bool) -> bool {
        let barrier = &self.barriers[usize::from(id)];
        match barrier.count {
            Some(count) => barrier.arrivals >= count,
            None if barrier.arrivals + ended < self.threads => false,
            None => self.arrived.iter().enumerate().all(|(t, a)| a >> id & 1 == 1 || has_ended(t)),
        }
    }

    /// Makes a barrier ready for its next use.
    pub(super) fn clear(&mut self, id: u8) {
        self.barriers[usize::from(id)] = Barrier::default();
        self.arrived.iter_mut().for_each(|a| *a &= !(1 << id));
        self.open &= !(1 << id);
    }

    /// Puts waiting threads together that wait at the same instruction.
    pub(super) fn groups(
        &self,
        waiting: impl Iterator<Item = (u8, FunctionId, InstructionId, Dim)>,
    ) -> Vec<Waiting> {
        let mut groups: Vec<Waiting> = Vec::new();
        for (barrier, function, instruction, first) in waiting {
            let here =
                |g: &&mut Waiting| (g.barrier, g.function, g.instruction) == (barrier, function, instruction);
            match groups.iter_mut().find(here) {
                Some(group) => group.threads += 1,
                None => {
                    let expected = self.barriers[usize::from(barrier)].count.unwrap_or(self.threads);
                    groups.push(Waiting { barrier, function, instruction, threads: 1, first, expected });
                }
            }
        }
        groups
    }
}
