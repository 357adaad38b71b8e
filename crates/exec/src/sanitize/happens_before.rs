//! What comes before what: barriers, lanes that act together, strong accesses and fences (manual, chapter 8).
//!
//! A thread releases what it knows by a release operation, or by a fence and a strong write after it; another acquires it by
//! an acquire operation, or by a strong read and a fence after it, where it reads what was written so. Both must be strong
//! enough for each other: a scope of the block reaches threads of the same block only.

use super::clock::{COPIES, Clock, joined};
use crate::code::{Copies, Reach, Strength};
use foldhash::HashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// How many reaches there are.
const REACHES: usize = Reach::Device as usize + 1;

/// So many clocks a thread keeps that it has read and not yet acquired; more are joined.
const KEPT: usize = 32;

/// The threads of one block.
pub(super) struct Threads {
    block: u64,
    /// The number of its cluster.
    cluster: u64,
    /// The moment that was given out last.
    moment: u32,
    /// Everything up to here is known to all threads of the block.
    floor: u32,
    threads: Vec<Thread>,
    /// What warps have brought to each barrier that is not complete.
    barriers: [Vec<Arrived>; 16],
    /// The copies of each thread that groups tell of, small ones and bulk ones; empty while none has made one.
    copies: [Vec<Under>; 2],
    /// What products of each warpgroup read, and how many groups of them each thread has made; empty while there is none.
    products: Vec<Products>,
    groups: Vec<u32>,
    /// The last moment of each thread's copies that barrier objects count.
    counted: HashMap<u32, u32>,
    /// The same of what it has begun in tensor memory.
    committed: HashMap<u32, u32>,
}

/// What products of a warpgroup read: its first thread reads for all, and all make and wait for the same groups.
#[derive(Clone, Default)]
struct Products {
    /// The last moment of each group.
    groups: Vec<u32>,
    /// The last moment of those that are in no group yet.
    open: Option<u32>,
}

/// Threads of a warpgroup.
const WARPGROUP: u32 = 128;

/// Asynchronous copies of a thread that it has not waited for.
#[derive(Clone, Default)]
struct Under {
    /// The last moment of each group, the oldest first.
    groups: VecDeque<u32>,
    /// The last moment of those that are in no group yet.
    open: Option<u32>,
}

/// A thread's place in time.
#[derive(Clone, Default)]
struct Thread {
    /// The moment at which its accesses happen now.
    now: u32,
    knows: Rc<Clock>,
    /// What it knew at its last fence, by the fence's reach.
    fenced: [Option<Rc<Clock>>; REACHES],
    /// What it has read, but not acquired yet, by how far what was read reaches.
    read: [Vec<Rc<Clock>>; REACHES],
}

/// A thread that has arrived at a barrier.
struct Arrived {
    thread: u32,
    moment: u32,
    knows: Rc<Clock>,
    /// Whether it went on without waiting.
    passed: bool,
}

/// What strong writes have released at addresses, a place for every four bytes.
#[derive(Default)]
pub(super) struct Released(HashMap<u64, Point>);

/// What a strong read of some bytes can acquire, by reach: by threads of this block, of this cluster, by all.
type Point = [Option<(u64, Rc<Clock>)>; REACHES];

impl Threads {
    pub(super) fn new(block: u64, cluster: u64, threads: usize) -> Threads {
        let thread = Thread { now: 1, ..Thread::default() };
        Threads {
            block,
            cluster,
            moment: 1,
            floor: 0,
            threads: vec![thread; threads],
            barriers: Default::default(),
            copies: Default::default(),
            products: Vec::new(),
            groups: Vec::new(),
            counted: HashMap::default(),
            committed: HashMap::default(),
        }
    }

    /// The copies of each thread that groups tell of; none where barrier objects do, or groups of a warpgroup.
    fn under(&mut self, line: Copies) -> Option<&mut Vec<Under>> {
        match line {
            Copies::Small => Some(&mut self.copies[0]),
            Copies::Bulk => Some(&mut self.copies[1]),
            Copies::Products | Copies::Counted | Copies::Committed => None,
        }
    }

    /// A thread begins an asynchronous copy: the moment of what it accesses.
    pub(super) fn copy(&mut self, thread: u32, line: Copies) -> u32 {
        let (moment, count) = (self.next(), self.threads.len());
        if line == Copies::Products {
            self.products.resize(count.div_ceil(WARPGROUP as usize), Products::default());
            self.products[(thread / WARPGROUP) as usize].open = Some(moment);
            return moment;
        }
        match self.under(line) {
            Some(copies) => {
                copies.resize(count, Under::default());
                copies[thread as usize].open = Some(moment);
            }
            None if line == Copies::Committed => _ = self.committed.insert(thread, moment),
            None => _ = self.counted.insert(thread, moment),
        }
        moment
    }

    /// The copies of a thread since the last time become a group, which may be empty.
    pub(super) fn commit(&mut self, thread: u32, line: Copies) {
        if line == Copies::Products {
            self.groups.resize(self.threads.len(), 0);
            self.groups[thread as usize] += 1;
            let number = self.groups[thread as usize] as usize;
            // The first of its threads that does so makes the group.
            if let Some(products) = self.products.get_mut((thread / WARPGROUP) as usize)
                && products.groups.len() < number
            {
                let last = products.groups.last().copied().unwrap_or(0);
                let moment = products.open.take().unwrap_or(last);
                products.groups.resize(number, moment);
            }
            return;
        }
        if let Some(copies) = self.under(line).and_then(|copies| copies.get_mut(thread as usize)) {
            let last = copies.groups.back().copied().unwrap_or(0);
            copies.groups.push_back(copies.open.take().unwrap_or(last));
        }
    }

    /// A thread waits until at most so many groups are under way, or for all of its copies. What waits for the reads of bulk copies
    /// counts as waiting for their writes, too.
    pub(super) fn wait(&mut self, thread: u32, line: Copies, groups: Option<u32>) {
        if line == Copies::Products {
            let made = self.groups.get(thread as usize).copied().unwrap_or(0);
            let done = made.saturating_sub(groups.unwrap_or(0)) as usize;
            let products = self.products.get((thread / WARPGROUP) as usize);
            if let Some(moment) = products.and_then(|products| products.groups.get(done.wrapping_sub(1))) {
                self.learn_copies(thread, thread / WARPGROUP * WARPGROUP, *moment);
            }
            return;
        }
        let Some(copies) = self.under(line).and_then(|copies| copies.get_mut(thread as usize)) else {
            return;
        };
        let mut moment = None;
        while copies.groups.len() > groups.unwrap_or(0) as usize {
            moment = copies.groups.pop_front();
        }
        if groups.is_none() {
            moment = copies.open.take().or(moment);
        }
        if let Some(moment) = moment {
            self.learn_copies(thread, thread, moment);
        }
    }

    /// A thread knows what copies of another have done up to a moment.
    fn learn_copies(&mut self, thread: u32, of: u32, moment: u32) {
        let count = self.threads.len();
        let one = &mut self.threads[thread as usize];
        Rc::make_mut(&mut one.knows).raise(self.block, count, [(of + COPIES, moment)].into_iter());
    }

    /// The barrier object at a place tells that the copies of a thread are done, whoever of the cluster asks it.
    pub(super) fn done(&mut self, thread: u32, at: u64, line: Copies, shared: &mut Released) {
        let small = self.copies[0].get(thread as usize);
        let moment = match line {
            Copies::Counted => self.counted.get(&thread).copied(),
            Copies::Committed => self.committed.get(&thread).copied(),
            _ => small.and_then(|under| under.open.or(under.groups.back().copied())),
        };
        let Some(moment) = moment else { return };
        let mut clock = Clock::default();
        clock.raise(self.block, self.threads.len(), [(thread + COPIES, moment)].into_iter());
        let clock = Rc::new(clock);
        self.release(shared.0.entry(at / 4).or_default(), Reach::Cluster, true, &|_| Some(clock.clone()));
    }

    /// What tells the threads apart that each reach is about.
    fn keys(&self) -> [u64; REACHES] {
        [self.block, self.cluster, 0]
    }

    /// Puts what is released in its place, as far as it reaches; what was there stays where it is handed on.
    fn release(
        &self,
        point: &mut Point,
        reach: Reach,
        hands_on: bool,
        clock: &dyn Fn(usize) -> Option<Rc<Clock>>,
    ) {
        let old = std::mem::take(point);
        for (k, ((place, old), key)) in point.iter_mut().zip(old).zip(self.keys()).enumerate() {
            let old = old.filter(|(of, _)| hands_on && *of == key).map(|(_, clock)| clock);
            let new = if k <= reach as usize { clock(k) } else { None };
            *place = both(old, new).map(|clock| (key, clock));
        }
    }

    /// What a thread brings to the cluster's barrier.
    pub(super) fn bring(&mut self, thread: u32, strength: Strength) -> Option<Rc<Clock>> {
        match strength.releases {
            true => Some(self.publish(thread)),
            false => self.threads[thread as usize].fenced[Reach::Cluster as usize].clone(),
        }
    }

    /// A thread learns what others have brought there.
    pub(super) fn take(&mut self, thread: u32, clock: &Rc<Clock>) {
        self.learn(thread, std::slice::from_ref(clock));
    }

    /// The moment at which a thread's accesses happen now.
    pub(super) fn now(&self, thread: u32) -> u32 {
        self.threads[thread as usize].now
    }

    /// What the threads of this block did up to this moment comes before everything that any of them does now.
    pub(super) fn floor(&self) -> u32 {
        self.floor
    }

    /// Whether what `other` of a block, or its copies, did at a moment comes before what `thread` does now.
    #[inline]
    pub(super) fn knows(&self, thread: u32, block: u64, other: u32, moment: u32) -> bool {
        if block == self.block && (other < COPIES && moment <= self.floor || other == thread) {
            return true;
        }
        self.threads[thread as usize].knows.knows(block, other, moment)
    }

    fn next(&mut self) -> u32 {
        self.moment += 1;
        self.moment
    }

    /// What a thread knows, itself included; what it does from now on is not.
    fn publish(&mut self, thread: u32) -> Rc<Clock> {
        let (moment, count) = (self.next(), self.threads.len());
        let one = &mut self.threads[thread as usize];
        let mut clock = Clock::clone(&one.knows);
        clock.raise(self.block, count, [(thread, one.now)].into_iter());
        one.now = moment;
        Rc::new(clock)
    }

    fn learn(&mut self, thread: u32, clocks: &[Rc<Clock>]) {
        let one = &mut self.threads[thread as usize];
        if clocks.iter().any(|clock| !Rc::ptr_eq(clock, &one.knows)) {
            one.knows = Rc::new(joined(clocks.iter().chain([&one.knows])));
        }
    }

    /// Lanes of a warp have met.
    pub(super) fn meet(&mut self, threads: impl Iterator<Item = u32> + Clone) {
        let count = self.threads.len();
        let mut clock = joined(threads.clone().map(|t| &self.threads[t as usize].knows));
        let moments = threads.clone().map(|t| (t, self.threads[t as usize].now));
        clock.raise(self.block, count, moments);
        let (clock, moment) = (Rc::new(clock), self.next());
        for t in threads {
            let one = &mut self.threads[t as usize];
            (one.knows, one.now) = (clock.clone(), moment);
        }
    }

    /// Threads of a warp have arrived at a barrier, some of them only passing.
    pub(super) fn arrive(&mut self, barrier: u8, threads: impl Iterator<Item = (u32, bool)>) {
        let moment = self.next();
        for (thread, passed) in threads {
            let one = &mut self.threads[thread as usize];
            let arrived = Arrived { thread, moment: one.now, knows: one.knows.clone(), passed };
            one.now = moment;
            self.barriers[usize::from(barrier)].push(arrived);
        }
    }

    /// A barrier is complete; `ended` are threads that count as arrived because they have ended. It is one for all if none
    /// else is missing.
    pub(super) fn complete(&mut self, barrier: u8, ended: impl Iterator<Item = u32> + Clone) {
        let arrived = std::mem::take(&mut self.barriers[usize::from(barrier)]);
        let gone: Vec<Rc<Clock>> = ended.clone().map(|t| self.threads[t as usize].knows.clone()).collect();
        let mut clock = joined(arrived.iter().map(|a| &a.knows).chain(&gone));
        let all = arrived.len() + gone.len() == self.threads.len() && arrived.iter().all(|a| !a.passed);
        if all {
            self.floor = self.moment;
            clock.raise_all(self.block, self.floor);
        } else {
            let moments = arrived.iter().map(|a| (a.thread, a.moment));
            let ended = ended.map(|t| (t, self.threads[t as usize].now));
            clock.raise(self.block, self.threads.len(), moments.chain(ended));
        }
        let (clock, moment) = (Rc::new(clock), self.next());
        for a in arrived.iter().filter(|a| !a.passed) {
            let one = &mut self.threads[a.thread as usize];
            (one.knows, one.now) = (clock.clone(), moment);
        }
    }

    /// A fence of a thread.
    pub(super) fn fence(&mut self, thread: u32, strength: Strength) {
        let reaches = 0..=strength.reach as usize;
        if strength.acquires {
            let one = &mut self.threads[thread as usize];
            let clocks: Vec<_> = one.read[reaches.clone()].iter_mut().flat_map(std::mem::take).collect();
            self.learn(thread, &clocks);
        }
        if strength.releases {
            let clock = self.publish(thread);
            self.threads[thread as usize].fenced[reaches].fill(Some(clock));
        }
    }

    /// A strong read: what was released there is acquired, or can be by a fence.
    pub(super) fn read(&mut self, thread: u32, at: Place, strength: Strength, released: &Released) {
        for granule in at.granules() {
            let Some(point) = released.0.get(&granule) else { continue };
            let keys = self.keys();
            let reached = point.iter().zip(keys).take(strength.reach as usize + 1);
            let found = reached.map(|(point, key)| {
                point.as_ref().filter(|(of, _)| *of == key).map(|(_, clock)| clock.clone())
            });
            if strength.acquires {
                let found: Vec<_> = found.flatten().collect();
                self.learn(thread, &found);
                continue;
            }
            for (kept, clock) in self.threads[thread as usize].read.iter_mut().zip(found) {
                let Some(clock) = clock.filter(|clock| !kept.iter().any(|k| Rc::ptr_eq(k, clock))) else {
                    continue;
                };
                kept.push(clock);
                if kept.len() > KEPT {
                    *kept = vec![Rc::new(joined(kept.iter()))];
                }
            }
        }
    }

    /// A strong write; one that is part of an atomic operation hands on what others have released there.
    pub(super) fn write(
        &mut self,
        thread: u32,
        at: Place,
        strength: Strength,
        atomic: bool,
        released: &mut Released,
    ) {
        let clocks = match strength.releases {
            true => {
                let clock = self.publish(thread);
                [(); REACHES].map(|()| Some(clock.clone()))
            }
            false => self.threads[thread as usize].fenced.clone(),
        };
        for granule in at.granules() {
            if clocks[0].is_none() && (atomic || !released.0.contains_key(&granule)) {
                continue;
            }
            let point = released.0.entry(granule).or_default();
            self.release(point, strength.reach, atomic, &|k| clocks[k].clone());
        }
    }
}

/// What either knows, if there is one.
fn both(a: Option<Rc<Clock>>, b: Option<Rc<Clock>>) -> Option<Rc<Clock>> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            if !Rc::ptr_eq(&a, &b) {
                Rc::make_mut(&mut a).join(&b);
            }
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

/// Some bytes of shared or global memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) shared: bool,
    pub(super) address: u64,
    pub(super) bytes: u64,
}

impl Place {
    fn granules(self) -> impl Iterator<Item = u64> {
        self.address / 4..=(self.address + self.bytes - 1) / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Place = Place { shared: false, address: 64, bytes: 4 };
    const RELAXED: Strength =
        Strength { strong: true, acquires: false, releases: false, reach: Reach::Device };
    const FENCE: Strength = Strength { strong: true, acquires: true, releases: true, reach: Reach::Device };
    const NEAR_FENCE: Strength = Strength { reach: Reach::Block, ..FENCE };

    /// Thread 0 of a block writes data at moment 1 and hands over as given; whether thread `to` of another block, or of
    /// the same one, then knows it.
    fn handed_over(release: Option<Strength>, acquire: Option<Strength>, same_block: bool) -> bool {
        let mut global = Released::default();
        let (mut a, mut b) = (Threads::new(0, 0, 2), Threads::new(1, 1, 2));
        release.into_iter().for_each(|fence| a.fence(0, fence));
        a.write(0, AT, RELAXED, false, &mut global);
        let reader = if same_block { &mut a } else { &mut b };
        reader.read(1, AT, RELAXED, &global);
        acquire.into_iter().for_each(|fence| reader.fence(1, fence));
        reader.knows(1, 0, 0, 1)
    }

    #[test]
    fn a_hand_over_needs_a_fence_on_both_sides() {
        assert!(handed_over(Some(FENCE), Some(FENCE), false));
        assert!(!handed_over(None, Some(FENCE), false) && !handed_over(Some(FENCE), None, false));
    }

    #[test]
    fn a_fence_for_the_block_reaches_no_other_block() {
        assert!(handed_over(Some(NEAR_FENCE), Some(NEAR_FENCE), true));
        assert!(!handed_over(Some(NEAR_FENCE), Some(FENCE), false));
        assert!(!handed_over(Some(FENCE), Some(NEAR_FENCE), false));
    }

    #[test]
    fn a_fence_for_the_cluster_reaches_blocks_of_the_cluster() {
        let fence = Strength { reach: Reach::Cluster, ..FENCE };
        for (cluster, wanted) in [(0, true), (1, false)] {
            let mut global = Released::default();
            let (mut a, mut b) = (Threads::new(0, 0, 2), Threads::new(1, cluster, 2));
            a.fence(0, fence);
            a.write(0, AT, RELAXED, false, &mut global);
            b.read(1, AT, RELAXED, &global);
            b.fence(1, fence);
            assert_eq!(b.knows(1, 0, 0, 1), wanted);
        }
    }

    #[test]
    fn atomic_operations_hand_on_and_stores_do_not() {
        for (atomic, wanted) in [(true, true), (false, false)] {
            let (mut global, mut a) = (Released::default(), Threads::new(0, 0, 3));
            a.fence(0, FENCE);
            a.write(0, AT, RELAXED, true, &mut global);
            a.write(1, AT, RELAXED, atomic, &mut global);
            a.read(2, AT, Strength { acquires: true, ..RELAXED }, &global);
            assert_eq!(a.knows(2, 0, 0, 1), wanted);
        }
    }

    #[test]
    fn what_follows_a_release_is_not_released() {
        let (mut global, mut a) = (Released::default(), Threads::new(0, 0, 2));
        a.write(0, AT, FENCE, false, &mut global);
        let after = a.now(0);
        a.read(1, AT, FENCE, &global);
        assert!(a.knows(1, 0, 0, 1) && !a.knows(1, 0, 0, after));
    }

    #[test]
    fn a_barrier_for_some_orders_those_and_no_others() {
        let mut a = Threads::new(0, 0, 4);
        a.arrive(1, [(0, true), (1, false)].into_iter());
        a.complete(1, std::iter::empty());
        assert!(
            a.knows(1, 0, 0, 1)
                && !a.knows(0, 0, 1, 1)
                && !a.knows(2, 0, 0, 1)
                && !a.knows(1, 0, 0, a.now(0))
        );
        a.arrive(0, (0..3).map(|t| (t, false)));
        a.complete(0, [3].into_iter());
        assert!((0..3).all(|t| (0..4).all(|other| a.knows(t, 0, other, 1))));
        assert!(!a.knows(1, 0, 0, a.now(0)));
    }

    #[test]
    fn a_copy_is_known_when_its_group_was_waited_for() {
        let mut a = Threads::new(0, 0, 2);
        let first = a.copy(0, Copies::Small);
        a.commit(0, Copies::Small);
        let (second, third) = (a.copy(0, Copies::Small), a.copy(0, Copies::Small));
        a.commit(0, Copies::Small);
        let open = a.copy(0, Copies::Small);
        let known = |a: &Threads, thread| [first, second, third, open].map(|m| a.knows(thread, 0, COPIES, m));
        assert_eq!(known(&a, 0), [false; 4]);
        a.wait(0, Copies::Small, Some(1));
        assert_eq!(known(&a, 0), [true, false, false, false]);
        a.wait(0, Copies::Small, Some(0));
        a.arrive(0, (0..2).map(|t| (t, false)));
        a.complete(0, std::iter::empty());
        assert_eq!((known(&a, 0), known(&a, 1)), ([true, true, true, false], [true, true, true, false]));
        a.wait(0, Copies::Small, None);
        assert_eq!((known(&a, 0)[3], known(&a, 1)[3]), (true, false));
    }

    #[test]
    fn lanes_that_meet_know_of_each_other() {
        let mut a = Threads::new(0, 0, 4);
        a.meet([0, 2].into_iter());
        assert!(a.knows(0, 0, 2, 1) && a.knows(2, 0, 0, 1) && !a.knows(1, 0, 0, 1) && !a.knows(0, 0, 1, 1));
    }
}
