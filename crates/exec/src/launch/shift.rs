//! The workers of a launch: each takes blocks, in order, and lets them take turns where they seem to wait for each other.

use super::Progress;
use crate::golden::{Cta, Job};
use crate::trap::Trap;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Steps that the first block takes before another may begin beside it: many where blocks need not wait for each other.
const PATIENCE: u64 = 1 << 28;
/// The same where they may.
const ORDERED_PATIENCE: u64 = 1 << 20;
/// Steps of a turn once blocks take turns.
const TURN: u64 = 1 << 16;

/// What the workers of a launch share.
pub(super) struct Shift<'a> {
    job: &'a Job<'a>,
    /// How many blocks each of them may hold at a time.
    holds: u64,
    /// The next block that nobody has taken.
    next: AtomicU64,
    /// Blocks that have ended.
    done: Mutex<u64>,
    instructions: AtomicU64,
    /// Blocks from this one on need not go on.
    end: AtomicU64,
    trap: Mutex<Option<(u64, Box<Trap>)>>,
    /// What blocks printed.
    printed: Mutex<Vec<(u64, Vec<u8>)>>,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl<'a> Shift<'a> {
    pub(super) fn new(
        job: &'a Job<'a>,
        holds: u64,
        progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    ) -> Shift<'a> {
        Shift {
            job,
            holds,
            next: AtomicU64::new(0),
            done: Mutex::new(0),
            instructions: AtomicU64::new(0),
            end: AtomicU64::new(u64::MAX),
            trap: Mutex::new(None),
            printed: Mutex::new(Vec::new()),
            progress,
        }
    }

    /// The instructions that were executed and what was printed, or the trap that ended the launch.
    pub(super) fn result(self) -> Result<(u64, String), Box<Trap>> {
        let printed = self.printed.into_inner().unwrap_or_else(|poison| poison.into_inner());
        match self.trap.into_inner().unwrap_or_else(|poison| poison.into_inner()) {
            Some((_, mut trap)) if self.job.ordered => {
                trap.printed = joined(printed, u64::MAX);
                Err(trap)
            }
            Some((last, mut trap)) => {
                trap.printed = joined(printed, last);
                Err(trap)
            }
            None => Ok((self.instructions.into_inner(), joined(printed, u64::MAX))),
        }
    }

    /// Runs blocks until none is left. One after the other as long as they end soon; else new ones and those begun before
    /// have their turn alternately.
    pub(super) fn work(&self) {
        let mut begun: VecDeque<Cta> = VecDeque::new();
        let mut spare = None;
        let mut patience = if self.job.ordered { ORDERED_PATIENCE } else { PATIENCE };
        let mut turn_of_begun = false;
        loop {
            let full = begun.len() as u64 >= self.holds;
            let older = if turn_of_begun || full { begun.pop_front() } else { None };
            let (mut cta, steps) = match older {
                Some(cta) => (cta, TURN),
                None => match self.take(&mut spare) {
                    Some(cta) => (cta, patience),
                    None => match begun.pop_front() {
                        Some(cta) => (cta, TURN),
                        None => break,
                    },
                },
            };
            let index = cta.index();
            let abandoned = || index >= self.end.load(Relaxed);
            let ended = if abandoned() { Ok(true) } else { cta.advance(steps, &abandoned) };
            match ended {
                Ok(false) => {
                    begun.push_back(cta);
                    patience = (patience / 2).max(TURN);
                    turn_of_begun = !turn_of_begun;
                    continue;
                }
                Ok(true) => {}
                Err(trap) => self.report(index, trap),
            }
            self.instructions.fetch_add(cta.steps(), Relaxed);
            let printed = cta.printed();
            if !printed.is_empty() {
                self.printed.lock().unwrap_or_else(|poison| poison.into_inner()).push((index, printed));
            }
            spare = Some(cta);
            self.tell();
        }
    }

    /// The next block that nobody has taken, made ready.
    fn take(&self, spare: &mut Option<Cta<'a>>) -> Option<Cta<'a>> {
        let index = self.next.fetch_add(1, Relaxed);
        if index >= self.job.blocks || index >= self.end.load(Relaxed) {
            return None;
        }
        let mut cta = spare.take().unwrap_or_else(|| Cta::new(self.job));
        cta.start(index);
        Some(cta)
    }

    fn tell(&self) {
        if let Some(progress) = self.progress {
            let mut done = self.done.lock().unwrap_or_else(|poison| poison.into_inner());
            *done += 1;
            progress(Progress { blocks: *done, of: self.job.blocks });
        }
    }

    fn report(&self, index: u64, trap: Box<Trap>) {
        // In a fixed order the first trap is always the same one, and others may be waiting for the block that trapped.
        self.end.fetch_min(if self.job.ordered { 0 } else { index + 1 }, Relaxed);
        let mut first = self.trap.lock().unwrap_or_else(|poison| poison.into_inner());
        if first.as_ref().is_none_or(|(other, _)| index < *other && !self.job.ordered) {
            *first = Some((index, trap));
        }
    }
}

/// What was printed up to a block, in the order of blocks.
fn joined(mut printed: Vec<(u64, Vec<u8>)>, last: u64) -> String {
    printed.sort();
    let upto = printed.into_iter().filter(|(block, _)| *block <= last);
    let bytes: Vec<u8> = upto.flat_map(|(_, text)| text).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
