//! A block of threads on whichever engine runs the launch.

use crate::golden::Job;
use crate::sanitize::Watch;
use crate::trap::Trap;
use crate::{batch, golden};

/// One block (CTA) at a time; its storage is used again for the next.
pub(crate) enum Cta<'a> {
    Golden(Box<golden::Cta<'a>>),
    Batch(Box<batch::Cta<'a>>, Option<Box<Watch>>),
}

impl<'a> Cta<'a> {
    pub(crate) fn new(job: &'a Job<'a>) -> Cta<'a> {
        let plan = if job.batch { job.ready.plan() } else { None };
        match plan {
            Some(plan) => Cta::Batch(Box::new(batch::Cta::new(job, plan)), None),
            None => Cta::Golden(Box::new(golden::Cta::new(job))),
        }
    }

    /// Which block runs, or ran last.
    pub(crate) fn index(&self) -> u64 {
        match self {
            Cta::Golden(cta) => cta.index(),
            Cta::Batch(cta, _) => cta.index(),
        }
    }

    /// Steps of that block.
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

    /// What the block printed that ran last.
    pub(crate) fn printed(&mut self) -> Vec<u8> {
        match self {
            Cta::Golden(cta) => cta.printed(),
            Cta::Batch(cta, _) => cta.printed(),
        }
    }

    /// Makes ready for block `index`.
    pub(crate) fn start(&mut self, index: u64) {
        match self {
            Cta::Golden(cta) => cta.start(index),
            Cta::Batch(cta, _) => cta.start(index),
        }
    }

    /// Goes on with the block until it ends, has taken at least so many steps more, or `abandoned` says that nobody wants
    /// it any more. Whether it has ended.
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
