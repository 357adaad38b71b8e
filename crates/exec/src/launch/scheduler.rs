//! The workers of a launch: each takes blocks, in order, and lets them take turns where they seem to wait for each other.

use super::Progress;
use super::cost_estimate::{Advice, Help, WORTH};
use super::shuffle::{Next, Shuffle};
use crate::cta::Cta;
use crate::launch::Job;
use crate::lookout::Lookout;
use crate::sanitize::Watch;
use crate::trap::Trap;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Steps that the first block takes before another may begin beside it: many where blocks need not wait for each other.
const PATIENCE: u64 = 1 << 28;
/// The same where they may.
const WAITING_PATIENCE: u64 = 1 << 20;
/// Steps of a turn once blocks take turns.
const TURN: u64 = 1 << 16;
/// The same for each thread of a block where blocks will wait for each other, and what it is at least: mostly one thread of a block
/// waits for other blocks, and the rest for it, so that a turn is a long wait but little work.
const SHORT_TURN: u64 = 1 << 5;
const LEAST_TURN: u64 = 1 << 11;

/// Threads of a row of blocks that are worth a batch of their own.
const ROW_THREADS: u64 = 1 << 8;

/// Blocks of a batch at most, if rows of so many blocks are worth batches of their own.
pub(super) fn most_of_row(row: u32, threads: u32) -> Option<u64> {
    let fills = u64::from(row) * u64::from(threads) >= ROW_THREADS;
    (row > 1 && fills).then(|| u64::from(row).next_power_of_two())
}

/// How long one worker works alone at most, if it cannot tell how much is left.
const ALONE: Duration = Duration::from_micros(60);
/// How long it works before it can tell: what is done first takes longer.
const SAMPLE: Duration = Duration::from_micros(10);
/// Steps after which it looks at the time, and where it knows that little is left.
const LOOK: u64 = 1 << 14;
const LOOK_LATER: u64 = 1 << 18;
/// The same where it is only to look up now and then.
const LOOK_UP: u64 = 1 << 16;

/// What came of a launch.
pub(super) struct Done {
    pub(super) instructions: u64,
    /// Blocks that another engine went on with.
    pub(super) handed_over: u64,
    pub(super) printed: String,
}

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
    handed_over: AtomicU64,
    /// Blocks from this one on need not go on.
    end: AtomicU64,
    trap: Mutex<Option<(u64, Box<Trap>)>>,
    /// What blocks printed.
    printed: Mutex<Vec<(u64, Vec<u8>)>>,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// The blocks that a worker begins with.
#[derive(Default)]
pub(super) struct Begun<'a> {
    /// Some that have not ended.
    open: Option<Cta<'a>>,
    /// Some that have, whose storage the next ones take over.
    spare: Option<Cta<'a>>,
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
            handed_over: AtomicU64::new(0),
            end: AtomicU64::new(u64::MAX),
            trap: Mutex::new(None),
            printed: Mutex::new(Vec::new()),
            progress,
        }
    }

    /// What came of it, or the trap that ended the launch.
    pub(super) fn result(self) -> Result<Done, Box<Trap>> {
        let printed = self.printed.into_inner().unwrap_or_else(|poison| poison.into_inner());
        match self.trap.into_inner().unwrap_or_else(|poison| poison.into_inner()) {
            Some((_, mut trap)) if self.job.ordered || self.job.ready.order_shows => {
                trap.printed = joined(printed, u64::MAX);
                Err(trap)
            }
            Some((last, mut trap)) => {
                trap.printed = joined(printed, last);
                Err(trap)
            }
            None => Ok(Done {
                instructions: self.instructions.into_inner(),
                handed_over: self.handed_over.into_inner(),
                printed: joined(printed, u64::MAX),
            }),
        }
    }

    /// Keeps for the next launch how long this one took.
    pub(super) fn note(&self, time: Duration, help: Help) {
        if self.end.load(Relaxed) == u64::MAX {
            self.job.ready.pace.note(time, self.job.blocks, help);
        }
    }

    /// Runs blocks until none is left, watched where they are.
    pub(super) fn work(
        &self,
        watch: &mut Option<Box<Watch>>,
        lookout: &mut Lookout,
        Begun { open, spare }: Begun<'a>,
    ) {
        let mut way = Way { watch, lookout };
        match self.job.seed.filter(|_| self.job.ordered) {
            Some(seed) => {
                self.shuffled(Shuffle::new(seed, self.job.blocks / self.job.cluster_blocks()), &mut way)
            }
            None => self.in_order(open, spare, &mut way),
        }
    }

    /// Runs blocks until none is left, or others are to be called, of so many workers in all: then it gives what has been begun.
    pub(super) fn alone(
        &self,
        watch: &mut Option<Box<Watch>>,
        lookout: &mut Lookout,
        workers: u32,
    ) -> Option<(Begun<'a>, Help)> {
        let mut way = Way { watch, lookout };
        let begun = Instant::now();
        // Who knows how long it takes calls others only if something holds him up.
        let (look, sample, most) = match self.job.ready.pace.advice(self.job.blocks) {
            Advice::Together => return Some((Begun::default(), Help::AtOnce)),
            Advice::Alone(time) => (LOOK_LATER, ALONE.max(2 * time), ALONE.max(2 * time)),
            Advice::Unknown => (LOOK, SAMPLE, ALONE),
        };
        let (mut spare, mut done) = (None, 0);
        while let Some(mut cta) = self.take(&mut spare) {
            while !self.has_ended(&mut cta, look, &mut way) {
                let time = begun.elapsed();
                if time > most || cta.waits() {
                    return Some((Begun { open: Some(cta), spare }, Help::Later(workers, time, done)));
                }
            }
            done = cta.index() + cta.count();
            spare = Some(cta);
            let left = self.job.blocks.saturating_sub(done);
            let time = begun.elapsed();
            if time > sample && time.as_secs_f64() * left as f64 > WORTH.as_secs_f64() * done as f64 {
                return Some((Begun { open: None, spare }, Help::Later(workers, time, done)));
            }
        }
        None
    }

    /// Runs blocks one after the other as long as they end soon; else new ones and those begun before have their turn
    /// alternately.
    fn in_order(&self, mut first: Option<Cta<'a>>, mut spare: Option<Cta<'a>>, way: &mut Way) {
        let mut begun: VecDeque<Cta> = VecDeque::new();
        let cooperative = self.job.cooperative;
        let turn = match cooperative {
            true => (u64::from(self.job.threads) * SHORT_TURN).clamp(LEAST_TURN, TURN),
            false => TURN,
        };
        let mut patience = match self.job.ready.order_shows {
            true if cooperative => turn,
            true => WAITING_PATIENCE,
            false => PATIENCE,
        };
        let mut turn_of_begun = false;
        loop {
            let full = begun.len() as u64 >= self.holds;
            let older = if turn_of_begun || full { begun.pop_front() } else { None };
            let (mut cta, steps) = match older {
                Some(cta) => (cta, turn),
                None => match first.take().or_else(|| self.take(&mut spare)) {
                    Some(cta) => (cta, patience),
                    None => match begun.pop_front() {
                        Some(cta) => (cta, turn),
                        None => break,
                    },
                },
            };
            if self.has_ended(&mut cta, steps, way) {
                spare = Some(cta);
            } else {
                begun.push_back(cta);
                patience = (patience / 2).max(turn);
                turn_of_begun = !turn_of_begun && !cooperative;
            }
        }
    }

    /// Runs blocks in an order that a seed has drawn.
    fn shuffled(&self, mut shuffle: Shuffle, way: &mut Way) {
        let mut begun: Vec<Cta> = Vec::new();
        let mut spare = None;
        loop {
            let k = match shuffle.next(begun.len(), self.holds) {
                Next::Nothing => break,
                Next::Begin(_) if self.end.load(Relaxed) == 0 => break,
                Next::Begin(index) => {
                    let blocks = self.job.cluster_blocks();
                    begun.push(self.started(&mut spare, index * blocks, blocks));
                    begun.len() - 1
                }
                Next::GoOn(k) => k,
            };
            if self.has_ended(&mut begun[k], shuffle.steps(), way) {
                spare = Some(begun.swap_remove(k));
                shuffle.ended();
            }
        }
        // After a trap those that are left are only accounted for.
        for cta in &mut begun {
            self.has_ended(cta, 0, way);
        }
    }

    /// Lets a block take some steps. Whether it has ended, or need not go on; then it is accounted for.
    fn has_ended(&self, cta: &mut Cta<'a>, steps: u64, way: &mut Way) -> bool {
        let index = cta.index();
        let abandoned = || index >= self.end.load(Relaxed);
        *cta.watch() = way.watch.take();
        let ended = if abandoned() { Ok(true) } else { advance(cta, steps, &abandoned, way.lookout) };
        *way.watch = cta.watch().take();
        match ended {
            Ok(false) => return false,
            Ok(true) => {}
            Err(trap) => self.report(cta.current(), trap),
        }
        self.instructions.fetch_add(cta.steps(), Relaxed);
        if cta.was_handed_over() {
            self.handed_over.fetch_add(cta.count(), Relaxed);
        }
        if cta.may_have_printed() {
            let mut all = self.printed.lock().unwrap_or_else(|poison| poison.into_inner());
            let printed = (0..cta.count()).map(|member| (index + member, cta.printed(member)));
            all.extend(printed.filter(|(_, text)| !text.is_empty()));
        }
        self.tell(cta.count());
        true
    }

    /// The next blocks that nobody has taken, made ready.
    fn take(&self, spare: &mut Option<Cta<'a>>) -> Option<Cta<'a>> {
        let end = |index: u64| index + self.together(index);
        let index = self
            .next
            .try_update(Relaxed, Relaxed, |index| (index < self.job.blocks).then(|| end(index)))
            .ok()?;
        (index < self.end.load(Relaxed)).then(|| self.started(spare, index, end(index) - index))
    }

    /// How many blocks from one on run together: they end with a row of the grid, so that their places in it are affine, unless
    /// that leaves few threads.
    fn together(&self, index: u64) -> u64 {
        let members = u64::from(self.job.storage.members).min(self.job.blocks - index);
        let row = u64::from(self.job.grid.x);
        let fills = row.min(members) * u64::from(self.job.threads) >= ROW_THREADS;
        if row > 1 && fills { members.min(row - index % row) } else { members }
    }

    fn started(&self, spare: &mut Option<Cta<'a>>, index: u64, count: u64) -> Cta<'a> {
        let mut cta = spare.take().unwrap_or_else(|| Cta::new(self.job));
        cta.start(index, count);
        cta
    }

    fn tell(&self, blocks: u64) {
        let Some(progress) = self.progress else { return };
        for _ in 0..blocks {
            let mut done = self.done.lock().unwrap_or_else(|poison| poison.into_inner());
            *done += 1;
            progress(Progress { blocks: *done, of: self.job.blocks });
        }
    }

    fn report(&self, index: u64, trap: Box<Trap>) {
        // In a fixed order the first trap is always the same one, and others may be waiting for the block that trapped.
        let all = self.job.ordered || self.job.ready.order_shows;
        self.end.fetch_min(if all { 0 } else { index + 1 }, Relaxed);
        let mut first = self.trap.lock().unwrap_or_else(|poison| poison.into_inner());
        if first.as_ref().is_none_or(|(other, _)| index < *other && !self.job.ordered) {
            *first = Some((index, trap));
        }
    }
}

/// What goes with the work of one worker.
struct Way<'w, 'l> {
    watch: &'w mut Option<Box<Watch>>,
    lookout: &'w mut Lookout<'l>,
}

/// Lets blocks take some steps, and whoever works look up meanwhile. Whether they have ended.
fn advance(
    cta: &mut Cta,
    steps: u64,
    abandoned: &dyn Fn() -> bool,
    lookout: &mut Lookout,
) -> Result<bool, Box<Trap>> {
    if !lookout.is_kept() {
        return cta.advance(steps, abandoned);
    }
    let end = cta.steps().saturating_add(steps);
    loop {
        let left = end.saturating_sub(cta.steps());
        if cta.advance(left.min(LOOK_UP), abandoned)? {
            return Ok(true);
        }
        lookout.look();
        if cta.steps() >= end || cta.waits() {
            return Ok(false);
        }
    }
}

/// What was printed up to a block, in the order of blocks.
fn joined(mut printed: Vec<(u64, Vec<u8>)>, last: u64) -> String {
    printed.sort();
    let upto = printed.into_iter().filter(|(block, _)| *block <= last);
    let bytes: Vec<u8> = upto.flat_map(|(_, text)| text).collect();
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
