//! What is known of the shared memory of a cluster and of its barrier, while its blocks run.

use super::clock::{Clock, joined};
use super::race::ClusterRace;
use crate::launch::Job;
use crate::memory::Written;
use std::rc::Rc;

/// What is known of one cluster.
pub(super) struct Cluster {
    pub(super) number: u64,
    /// Blocks that have ended.
    ended: u64,
    /// What has been written of the memory of all blocks.
    pub(super) written: Written,
    pub(super) race: ClusterRace,
    /// What threads have brought to the barrier, by its phases, of which only the last two count.
    brought: Vec<(u64, Rc<Clock>)>,
}

impl Cluster {
    /// A cluster whose shared memory is fresh but for what the system has there.
    pub(super) fn new(job: &Job, number: u64) -> Cluster {
        let (mut written, (start, end)) = (Written::default(), job.ready.frame.reserved);
        for rank in 0..job.cluster_blocks() {
            written.set(rank * job.shared_step() + start, end - start);
        }
        Cluster { number, ended: 0, written, race: ClusterRace::default(), brought: Vec::new() }
    }

    /// A block has ended; whether it was the last one.
    pub(super) fn end_block(&mut self, job: &Job) -> bool {
        self.ended += 1;
        self.ended == job.cluster_blocks()
    }

    /// A thread arrives at the barrier in a phase, and brings what it knows.
    pub(super) fn bring(&mut self, phase: u64, clock: Rc<Clock>) {
        match self.brought.iter_mut().find(|(of, _)| *of == phase) {
            Some((_, all)) => *all = Rc::new(joined([&*all, &clock].into_iter())),
            None => {
                self.brought.retain(|(of, _)| of + 1 >= phase);
                self.brought.push((phase, clock));
            }
        }
    }

    /// What was brought in a phase.
    pub(super) fn brought(&self, phase: u64) -> Option<&Rc<Clock>> {
        self.brought.iter().find(|(of, _)| *of == phase).map(|(_, clock)| clock)
    }
}
