//! The sixteen barriers of a block, at which its warps arrive (manual, section 9.7.13.1).

use crate::code::Reduction;
use crate::trap::TrapKind;
use margay_isa::WARP;

const BARRIERS: usize = 16;

/// A thread's coming to a barrier.
pub(crate) struct Arrival {
    pub(crate) id: u32,
    /// How many threads the barrier is for; all of the block if none is given.
    pub(crate) count: Option<u32>,
    /// Whether the thread goes on as soon as its warp has arrived.
    pub(crate) passes: bool,
    /// The value of its predicate, if predicates are combined.
    pub(crate) vote: Option<bool>,
}

/// Who has arrived where.
pub(crate) struct Barriers {
    threads: u32,
    barriers: [Barrier; BARRIERS],
    /// For every warp and barrier, the lanes that have come while the warp has not arrived.
    coming: Vec<[Coming; BARRIERS]>,
}

#[derive(Clone, Copy, Default)]
struct Coming {
    lanes: u32,
    /// Those whose predicate holds.
    votes: u32,
}

#[derive(Clone, Copy, Default)]
struct Barrier {
    /// Lanes that have come for this use, or early for the next.
    lanes: u32,
    /// How many threads must arrive; all of the block if it is none.
    count: Option<u32>,
    /// Whether predicates are combined.
    votes: bool,
    /// Whether some arrive that do not wait.
    passes: bool,
    /// How often a warp has arrived.
    arrivals: u32,
    tally: Tally,
}

/// What is known when a barrier is complete.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    /// The warps that have arrived.
    pub(crate) warps: u32,
    /// Whether all threads of the block have waited for each other.
    pub(crate) of_all: bool,
    lanes: u32,
    votes: u32,
}

impl Tally {
    /// The combined predicates.
    pub(super) fn result(&self, reduction: Reduction) -> u32 {
        match reduction {
            Reduction::Count => self.votes,
            Reduction::All => u32::from(self.votes == self.lanes),
            Reduction::Any => u32::from(self.votes != 0),
        }
    }
}

impl Barriers {
    pub(crate) fn new(threads: u32) -> Barriers {
        let coming = vec![Default::default(); (threads as usize).div_ceil(WARP)];
        Barriers { threads, barriers: Default::default(), coming }
    }

    /// Whether some have arrived at a barrier without waiting, which is not complete.
    pub(crate) fn are_passed(&self) -> bool {
        self.barriers.iter().any(|barrier| barrier.lanes > 0 && barrier.passes)
    }

    /// How many threads the block has.
    pub(crate) fn threads(&self) -> u32 {
        self.threads
    }

    pub(crate) fn reset(&mut self) {
        self.barriers = Default::default();
        self.coming.fill(Default::default());
    }

    /// The barriers at which somebody has arrived.
    pub(crate) fn open(&self) -> impl Iterator<Item = u8> + use<> {
        let open = self.barriers.map(|barrier| barrier.lanes > 0);
        (0..BARRIERS as u8).filter(move |id| open[usize::from(*id)])
    }

    /// How many threads a barrier waits for, those included that have ended.
    pub(super) fn expected(&self, id: u8) -> u32 {
        self.barriers[usize::from(id)].count.unwrap_or(self.threads)
    }

    /// Whether a barrier waits for all threads of the block.
    pub(super) fn is_for_all(&self, id: u8) -> bool {
        self.barriers[usize::from(id)].count.is_none()
    }

    /// Notes that lanes of a warp have come to a barrier, all for the same. Gives the barrier's number.
    pub(crate) fn come(&mut self, warp: usize, lanes: u32, arrival: &Arrival) -> Result<u8, TrapKind> {
        let (id, size) = (arrival.id, WARP as u32);
        if id as usize >= BARRIERS {
            return Err(TrapKind::Barrier(format!("there is no barrier {id}: a block has barriers 0 to 15")));
        }
        if let Some(count) = arrival.count.filter(|c| *c == 0 || c % size != 0) {
            let text = format!(
                "barrier {id} waits for {count} threads, which is not a multiple of the warp size, {WARP}"
            );
            return Err(TrapKind::Barrier(text));
        }
        if let Some(count) = arrival.count.filter(|c| *c > self.threads.next_multiple_of(size)) {
            let threads = self.threads;
            let text = format!("barrier {id} waits for {count} threads, but the block has {threads}");
            return Err(TrapKind::Barrier(text));
        }
        // A barrier for as many threads as the block has is one for all of them.
        let count = arrival.count.filter(|c| *c != self.threads.next_multiple_of(size));
        let barrier = &mut self.barriers[id as usize];
        if barrier.lanes > 0 && barrier.count != count {
            let say = |c: Option<u32>| c.unwrap_or(self.threads);
            let (here, others) = (say(count), say(barrier.count));
            let text = format!("barrier {id} waits for {here} threads here, but for {others} elsewhere");
            return Err(TrapKind::Barrier(text));
        }
        if barrier.lanes > 0 && barrier.votes != arrival.vote.is_some() {
            let text =
                format!("some threads combine a predicate at barrier {id}, and others only wait at it");
            return Err(TrapKind::Barrier(text));
        }
        (barrier.count, barrier.votes) = (count, arrival.vote.is_some());
        barrier.passes |= arrival.passes;
        barrier.lanes += lanes.count_ones();
        let coming = &mut self.coming[warp][id as usize];
        coming.lanes |= lanes;
        coming.votes |= if arrival.vote == Some(true) { lanes } else { 0 };
        Ok(id as u8)
    }

    /// Lets a warp arrive if all of its living lanes have come; whether it does.
    pub(crate) fn arrive(&mut self, warp: usize, id: u8, alive: u32) -> bool {
        let coming = &mut self.coming[warp][usize::from(id)];
        if coming.lanes == 0 || alive & !coming.lanes != 0 {
            return false;
        }
        let barrier = &mut self.barriers[usize::from(id)];
        barrier.arrivals += 1;
        barrier.tally.warps |= 1 << warp;
        barrier.tally.lanes += coming.lanes.count_ones();
        barrier.tally.votes += coming.votes.count_ones();
        *coming = Coming::default();
        true
    }

    /// Whether all have arrived whom a barrier waits for; then it is ready for its next use. `alive` are the living lanes
    /// of every warp: warps without any are not waited for where a barrier is for all.
    pub(crate) fn complete(&mut self, id: u8, alive: &[u32]) -> Option<Tally> {
        let barrier = &mut self.barriers[usize::from(id)];
        let tally = Tally { of_all: barrier.count.is_none() && !barrier.passes, ..barrier.tally };
        let complete = match barrier.count {
            _ if barrier.arrivals == 0 => false,
            Some(count) => barrier.arrivals * WARP as u32 >= count,
            None => alive.iter().enumerate().all(|(warp, alive)| *alive == 0 || tally.warps >> warp & 1 == 1),
        };
        if !complete {
            return None;
        }
        barrier.lanes -= tally.lanes;
        // Who is early for the next use may have arrived at it without waiting, as at this one.
        barrier.passes &= barrier.lanes > 0;
        barrier.arrivals = 0;
        barrier.tally = Tally::default();
        Some(tally)
    }
}
