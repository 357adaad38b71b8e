//! Sanitizers: what a kernel does that is wrong, but does not stop it.
//!
//! The engine tells a [`Watch`] of accesses, barriers, fences and lanes that act together, where a launch has one. What is
//! judged is the order that the kernel itself makes, not the one in which its threads happened to run.

mod clock;
mod cluster;
mod finding;
mod happens_before;
mod init;
mod log;
mod race;
mod shadow;
mod sync;
pub(crate) mod touched;

pub use finding::{Act, Finding, Sanitize, Sanitizer};
pub(crate) use sync::Comer;

use crate::code::{Copies, Strength};
use crate::launch::Job;
use crate::memory::{Access, Region};
use crate::observe::By;
use cluster::Cluster;
use foldhash::HashMap;
use happens_before::Place;
use init::{BlockInit, with_written};
use log::{Actor, Log, Sites};
use margay_front::module::Space;
use margay_isa::WARP;
use race::{Beside, BlockRace, Race, Rival, Visit, Way};
use shadow::MOST_TOUCHES;
use std::ops::Range;
use sync::BlockSync;
use touched::Touched;

/// What watches a launch.
pub(crate) struct Watch {
    sites: Sites,
    log: Log,
    init: bool,
    race: Option<Race>,
    sync: bool,
    /// Blocks that have begun and not ended, the running one aside.
    waiting: HashMap<u64, Block>,
    block: Block,
    /// The cluster of the running block, and others that have begun and not ended.
    cluster: Cluster,
    clusters: HashMap<u64, Cluster>,
}

/// What is known of one block.
struct Block {
    index: u64,
    init: BlockInit,
    race: BlockRace,
    sync: BlockSync,
    /// The threads that have arrived at each barrier since it was complete.
    arrived: [Vec<u32>; 16],
}

impl Watch {
    /// A watch over a launch that is about to begin; none if nothing is watched for.
    pub(crate) fn new(job: &Job, what: Sanitize) -> Option<Box<Watch>> {
        if !what.init {
            job.memory.assume_written();
        }
        let touches = job.observe.is_some_and(|observe| !observe.watched.is_empty());
        (what.init || what.race || what.sync || touches).then(|| {
            Box::new(Watch {
                sites: Sites::new(job),
                log: Log::default(),
                init: what.init,
                race: what.race.then(Race::default),
                sync: what.sync,
                waiting: HashMap::default(),
                block: Block::new(job, u64::MAX),
                cluster: Cluster::new(job, u64::MAX),
                clusters: HashMap::default(),
            })
        })
    }

    /// What was found.
    pub(crate) fn findings(mut self, job: &Job) -> Vec<Finding> {
        if self.race.as_ref().is_some_and(Race::is_overflown) {
            self.log.note(Sanitizer::Race, 0, &[], || {
                let text = format!(
                    "races were judged in part only: more than {MOST_TOUCHES} accesses would have to be kept"
                );
                (text, Vec::new())
            });
        }
        self.log.findings(job, &self.sites)
    }

    /// A block begins, or goes on.
    pub(crate) fn enter(&mut self, job: &Job, index: u64) {
        if self.block.index != index {
            let block = self.waiting.remove(&index).unwrap_or_else(|| Block::new(job, index));
            let before = std::mem::replace(&mut self.block, block);
            self.waiting.insert(before.index, before);
            self.enter_cluster(job, index / job.cluster_blocks());
        }
    }

    fn enter_cluster(&mut self, job: &Job, number: u64) {
        if self.cluster.number != number {
            let cluster = self.clusters.remove(&number).unwrap_or_else(|| Cluster::new(job, number));
            let before = std::mem::replace(&mut self.cluster, cluster);
            if before.number != u64::MAX {
                self.clusters.insert(before.number, before);
            }
        }
    }

    /// The running block has ended.
    pub(crate) fn leave(&mut self, job: &Job) {
        if self.sync {
            self.block.sync.end(&mut self.log);
        }
        self.block = Block::new(job, u64::MAX);
        if self.cluster.end_block(job) {
            self.cluster = Cluster::new(job, u64::MAX);
        }
    }

    /// A thread arrives at the cluster's barrier in a phase of it.
    pub(crate) fn arrive_at_gate(&mut self, thread: u32, phase: u64, strength: Strength) {
        if self.race.is_some()
            && let Some(clock) = self.block.race.threads.bring(thread, strength)
        {
            self.cluster.bring(phase, clock);
        }
    }

    /// A thread has waited at the cluster's barrier for the end of a phase.
    pub(crate) fn pass_gate(&mut self, thread: u32, phase: u64) {
        if let Some(clock) = self.cluster.brought(phase) {
            self.block.race.threads.take(thread, clock);
        }
    }

    fn actor(&self, function: u32, instruction: u32, thread: u32) -> Actor {
        Actor { site: self.sites.number(function, instruction), block: self.block.index, thread }
    }

    /// A thread has accessed memory.
    pub(crate) fn touch(&mut self, job: &Job, touched: &Touched) {
        let mut actor = self.actor(touched.function, touched.instruction, touched.thread);
        actor.site += u32::from(touched.made.is_second());
        self.judge_contents(job, actor, touched);
        self.judge_order(job, actor, touched);
        if let Some(observe) = job.observe {
            let (block, threads, shared_step) = (job.place(self.block.index), job.block, job.shared_step());
            observe.touch(&By { block, threads, shared_step, frame: &job.ready.frame }, touched);
        }
    }

    fn judge_contents(&mut self, job: &Job, actor: Actor, touched: &Touched) {
        if !self.init {
            return;
        }
        let at = touched.address - touched.base;
        let missing =
            with_written(job, &mut self.block.init, &mut self.cluster.written, touched, |written| {
                let reads = touched.access != Access::Write && !written.has(at, touched.bytes);
                let missing = if reads { written.missing(at, touched.bytes) } else { 0 };
                if touched.access != Access::Read {
                    written.set(at, touched.bytes);
                }
                missing
            });
        if missing > 0 {
            self.log.note(Sanitizer::Init, touched.address, &[actor], || {
                let some = if missing < touched.bytes { format!("{missing} of ") } else { String::new() };
                let place = place_of(job, touched.space, touched.address, touched.bytes, touched.local);
                let text = format!("read of never-written memory: {some}{place}");
                (text, vec![what(touched.access, touched.bytes)])
            });
        }
    }

    fn judge_order(&mut self, job: &Job, actor: Actor, touched: &Touched) {
        let Some(race) = &mut self.race else { return };
        if touched.read_only || touched.space == Space::Local {
            return;
        }
        let shared = touched.space == Space::Shared;
        let visit = Visit {
            site: actor.site,
            block: actor.block,
            thread: actor.thread,
            copies: touched.made.line(),
            place: Place { shared, address: touched.address, bytes: touched.bytes },
            way: Way {
                access: Some(touched.access),
                strength: touched.strength,
                bytes: touched.bytes,
                beside: touched.made.line().is_some(),
            },
            value: touched.value,
        };
        let blocks = Beside { cluster: job.cluster_blocks(), all: job.blocks };
        let rivals = race.judge(&mut self.block.race, &mut self.cluster.race, &visit, blocks);
        for Rival { site, block, thread, address } in rivals {
            let other = (Actor { site, block, thread }, race.way(site));
            let mut pair = [(actor, visit.way), other];
            pair.sort_by_key(|(actor, _)| *actor);
            self.log.note(Sanitizer::Race, address, &pair.map(|(actor, _)| actor), || {
                let bytes = pair.iter().map(|(_, way)| way.bytes).min().unwrap_or(0);
                let place = place_of(job, touched.space, address, bytes, touched.local);
                let whats = pair.map(|(_, way)| {
                    let beside = if way.beside { "asynchronous " } else { "" };
                    format!("{beside}{}", what(way.access.unwrap_or(Access::Read), way.bytes))
                });
                (format!("data race on {place}"), whats.to_vec())
            });
        }
    }

    /// A fence of a thread.
    pub(crate) fn fence(&mut self, thread: u32, strength: Strength) {
        if let Some(race) = &mut self.race {
            race.fence(&mut self.block.race, thread, strength);
        }
    }

    /// The asynchronous copies of a thread since the last time become a group.
    pub(crate) fn commit_copies(&mut self, thread: u32, line: Copies) {
        self.block.race.threads.commit(thread, line);
    }

    /// A thread waits for its asynchronous copies, until at most so many groups are left, or for all.
    pub(crate) fn await_copies(&mut self, thread: u32, line: Copies, groups: Option<u32>) {
        self.block.race.threads.wait(thread, line, groups);
    }

    /// The barrier object at a place tells that copies of a thread are done.
    pub(crate) fn copies_done(&mut self, thread: u32, at: u64, line: Copies) {
        if self.race.is_some() {
            self.block.race.threads.done(thread, at, line, &mut self.cluster.race.released);
        }
    }

    /// Lanes of a warp that name each other have met.
    pub(crate) fn meet(&mut self, warp: usize, members: u32) {
        if self.race.is_some() {
            let lanes = (0..WARP).filter(|lane| members >> lane & 1 == 1);
            self.block.race.threads.meet(lanes.map(|lane| (warp * WARP + lane) as u32));
        }
    }

    /// All threads of some warps have met.
    pub(crate) fn meet_warps(&mut self, warps: Range<usize>) {
        if self.race.is_some() {
            self.block.race.threads.meet((warps.start * WARP) as u32..(warps.end * WARP) as u32);
        }
    }

    /// A thread reads from a lane of its warp that takes no part; `mask` are the members that it names.
    pub(crate) fn absent(
        &mut self,
        job: &Job,
        reader: (u32, u32, u32),
        name: &str,
        from: usize,
        mask: Option<u32>,
    ) {
        if self.sync {
            let (function, instruction, thread) = reader;
            let actor = self.actor(function, instruction, thread);
            let exists = thread as usize / WARP * WARP + from < job.threads as usize;
            sync::absent(&mut self.log, actor, name, from, mask, exists);
        }
    }

    /// Lanes of a warp carry out an instruction with this mask; `lanes` are those that the block has.
    pub(crate) fn named(&mut self, first: (u32, u32, u32), name: &str, mask: u32, lanes: u32) {
        if self.sync && mask & !lanes != 0 {
            let (function, instruction, thread) = first;
            let actor = self.actor(function, instruction, thread);
            sync::missing(&mut self.log, actor, name, mask, lanes);
        }
    }

    /// A thread reads a register that nothing has written.
    pub(crate) fn unwritten(&mut self, job: &Job, reader: (u32, u32, u32), slot: u32) {
        let (function, instruction, thread) = reader;
        let actor = self.actor(function, instruction, thread);
        self.log.note_about(1 + slot, Sanitizer::Init, 0, &[actor], || {
            let name = init::register(job, function, slot);
            (format!("read of never-written register `{name}`"), vec![format!("read of `{name}`")])
        });
    }

    /// A warp has arrived at a barrier.
    pub(crate) fn arrive(&mut self, barrier: u8, warp: usize, comers: &[Comer]) {
        self.block.arrived[usize::from(barrier)].extend(comers.iter().map(|comer| comer.thread));
        if self.race.is_some() {
            let threads = comers.iter().map(|comer| (comer.thread, comer.passes));
            self.block.race.threads.arrive(barrier, threads);
        }
        if self.sync {
            let actor = |c: &Comer| (self.actor(c.function, c.instruction, c.thread), *c);
            let comers: Vec<_> = comers.iter().map(actor).collect();
            self.block.sync.arrive(&mut self.log, barrier, warp, &comers);
        }
    }

    /// A barrier is complete: who has waited, and who has ended and counts as arrived if it has not.
    pub(crate) fn complete(&mut self, barrier: u8, waiting: &[Comer], mut ended: Vec<Comer>) {
        let arrived = std::mem::take(&mut self.block.arrived[usize::from(barrier)]);
        ended.retain(|comer| !arrived.contains(&comer.thread));
        if self.race.is_some() {
            self.block.race.threads.complete(barrier, ended.iter().map(|comer| comer.thread));
        }
        if self.sync {
            let actors = |all: &[Comer]| -> Vec<Actor> {
                all.iter().map(|c| self.actor(c.function, c.instruction, c.thread)).collect()
            };
            let (waiting, ended) = (actors(waiting), actors(&ended));
            self.block.sync.complete(&mut self.log, barrier, &waiting, &ended);
        }
    }

    /// A thread has fresh local memory.
    pub(crate) fn fresh_local(&mut self, thread: u32, at: u64, bytes: u64) {
        self.block.init.fresh_local(thread, at, bytes);
    }

    /// A call writes to local memory of a thread.
    pub(crate) fn pass(&mut self, thread: u32, at: u64, bytes: u64) {
        self.block.init.pass(thread, at, bytes);
    }

    /// A call copies local memory of a thread.
    pub(crate) fn copy(&mut self, thread: u32, from: u64, to: u64, bytes: u64) {
        self.block.init.copy(thread, from, to, bytes);
    }

    /// A thread has taken memory of the device's heap.
    pub(crate) fn taken(&mut self, job: &Job, address: u64, bytes: u64) {
        let Some(heap) = job.memory.heap_index().filter(|_| address != 0) else { return };
        if self.init {
            let heap = job.memory.allocation(heap);
            heap.written().clear(address - heap.region.base, bytes);
        }
        if let Some(race) = &mut self.race {
            race.forget(address, bytes);
        }
    }
}

impl Block {
    fn new(job: &Job, index: u64) -> Block {
        let threads = if index == u64::MAX { 0 } else { job.threads as usize };
        Block {
            index,
            init: BlockInit::new(threads),
            race: BlockRace::new(index, index / job.cluster_blocks(), threads),
            sync: BlockSync::default(),
            arrived: Default::default(),
        }
    }
}

fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Atomic => "atomic operation",
    }
}

fn what(access: Access, bytes: u64) -> String {
    let preposition = if access == Access::Atomic { "on" } else { "of" };
    format!("{} {preposition} {}", verb(access), counted(bytes))
}

fn counted(bytes: u64) -> String {
    if bytes == 1 { "1 byte".into() } else { format!("{bytes} bytes") }
}

/// Some bytes, where they lie, and in what.
fn place_of(job: &Job, space: Space, address: u64, bytes: u64, local: &dyn Fn() -> Vec<Region>) -> String {
    // Of a cluster, each block's shared memory has its own addresses.
    let several = space == Space::Shared && job.cluster_blocks() > 1;
    let step = if several { job.shared_step().max(1) } else { u64::MAX };
    let (rank, address) = (address / step, address % step);
    let owner = if several { format!(" of block {rank} of the cluster") } else { String::new() };
    let region = |regions: &[Region]| regions.iter().find(|region| region.holds(address)).cloned();
    let (word, region) = match space {
        Space::Shared => ("shared address ", region(&job.ready.frame.shared)),
        Space::Local => ("local address ", region(&local())),
        _ => ("", job.memory.around(address)),
    };
    let place = format!("{} at {word}{address:#x}{owner}", counted(bytes));
    match region {
        None => place,
        Some(region) => {
            let whole = format!("{} ({} at {:#x})", region.name, counted(region.bytes), region.base);
            match address - region.base {
                0 => format!("{place}, the start of {whole}"),
                into => format!("{place}, {} into {whole}", counted(into)),
            }
        }
    }
}
