//! Blocks of threads on whichever engine runs the launch.

use crate::launch::Job;
use crate::sanitize::Watch;
use crate::trap::Trap;
use crate::{batch, golden};

/// One block (CTA) at a time, or some together; their storage is used again for the next.
pub(crate) enum Cta<'a> {
    Golden(Box<golden::Cluster<'a>>),
    Batch(Box<batch::Cta<'a>>, Option<Box<Watch>>),
}

impl<'a> Cta<'a> {
    pub(crate) fn new(job: &'a Job<'a>) -> Cta<'a> {
        let plan = match &job.profile {
            _ if !job.batch => None,
            // What is counted is counted block by block.
            Some(_) => job.ready.plan_to_count(),
            None => job.ready.plan(job.storage.members),
        };
        match plan {
            Some(plan) => Cta::Batch(Box::new(batch::Cta::new(job, plan)), None),
            None => Cta::Golden(Box::new(golden::Cluster::new(job))),
        }
    }

    /// How many blocks run together.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Cta::Golden(cluster) => cluster.count(),
            Cta::Batch(cta, _) => cta.count(),
        }
    }

    /// The block that ends with a trap, if one does.
    pub(crate) fn current(&self) -> u64 {
        match self {
            Cta::Golden(cta) => cta.current(),
            Cta::Batch(cta, _) => cta.current(),
        }
    }

    /// The first block that runs, or ran last.
    pub(crate) fn index(&self) -> u64 {
        match self {
            Cta::Golden(cta) => cta.index(),
            Cta::Batch(cta, _) => cta.index(),
        }
    }

    /// Steps of these blocks.
    pub(crate) fn steps(&self) -> u64 {
        match self {
            Cta::Golden(cta) => cta.steps(),
            Cta::Batch(cta, _) => cta.steps(),
        }
    }

    /// Whether another engine has gone on with that block.
    pub(crate) fn was_handed_over(&self) -> bool {
        matches!(self, Cta::Batch(cta, _) if cta.was_handed_over())
    }

    /// Whether they may have printed.
    pub(crate) fn may_have_printed(&self) -> bool {
        match self {
            Cta::Golden(_) => true,
            Cta::Batch(cta, _) => cta.may_have_printed(),
        }
    }

    /// What a block printed, by its number among those that ran together.
    pub(crate) fn printed(&mut self, member: u64) -> Vec<u8> {
        match self {
            Cta::Golden(cta) => cta.printed(member),
            Cta::Batch(cta, _) => cta.printed(member),
        }
    }

    /// Makes ready for `count` blocks from `index` on; the golden engine runs one cluster at a time.
    pub(crate) fn start(&mut self, index: u64, count: u64) {
        match self {
            Cta::Golden(cta) => cta.start(index),
            Cta::Batch(cta, _) => cta.start(index, count),
        }
    }

    /// Whether its last turn ended early, for other blocks to do what it waits for.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Cta::Batch(cta, _) if cta.waits())
    }

    /// Goes on with the block until it ends, has taken at least so many steps more, seems to wait for other blocks, or
    /// `abandoned` says that nobody wants it any more. Whether it has ended.
    pub(crate) fn advance(&mut self, steps: u64, abandoned: &dyn Fn() -> bool) -> Result<bool, Box<Trap>> {
        match self {
            Cta::Golden(cta) => cta.advance(steps, abandoned),
            Cta::Batch(cta, _) => {
                cta.turn_begins();
                let ended = cta.advance(steps, abandoned);
                cta.turn_ends();
                ended
            }
        }
    }

    /// What watches the launch; only the golden engine tells it anything.
    pub(crate) fn watch(&mut self) -> &mut Option<Box<Watch>> {
        match self {
            Cta::Golden(cta) => &mut cta.watch,
            Cta::Batch(_, watch) => watch,
        }
    }
}
