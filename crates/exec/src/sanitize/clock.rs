//! What a thread knows of others: up to which moment their accesses come before its own.
//!
//! A block numbers its moments: its counter moves on whenever threads of it are ordered. Threads that have met at a barrier
//! share one clock, so that a clock for each of them costs a pointer.

use std::rc::Rc;

/// What a thread's asynchronous copies do counts as done by a thread with this much more to its number.
pub(super) const COPIES: u32 = 1024;

/// What is known of the threads of one block.
#[derive(Clone, Default, Debug)]
pub(super) struct Times {
    /// Known of every thread.
    floor: u32,
    /// Known of each thread; nothing beyond the floor if it is empty.
    each: Vec<u32>,
    /// Known of the copies of each thread, which go on beside it; nothing if it is empty.
    copies: Vec<u32>,
}

impl Times {
    /// Whether what a thread, or its copies, did at a moment is known.
    #[inline]
    pub(super) fn knows(&self, who: u32, moment: u32) -> bool {
        let known = |times: &[u32], k: u32| times.get(k as usize).is_some_and(|known| moment <= *known);
        match who.checked_sub(COPIES) {
            None => moment <= self.floor || known(&self.each, who),
            Some(thread) => known(&self.copies, thread),
        }
    }

    fn raise(&mut self, who: u32, moment: u32, threads: usize) {
        let (times, k) = match who.checked_sub(COPIES) {
            None => (&mut self.each, who),
            Some(thread) => (&mut self.copies, thread),
        };
        if times.is_empty() {
            times.resize(threads, 0);
        }
        let known = &mut times[k as usize];
        *known = moment.max(*known);
    }

    fn join(&mut self, other: &Times) {
        self.floor = self.floor.max(other.floor);
        for (ours, theirs) in [(&mut self.each, &other.each), (&mut self.copies, &other.copies)] {
            match ours.is_empty() {
                true => ours.clone_from(theirs),
                false => ours.iter_mut().zip(theirs).for_each(|(known, other)| *known = (*known).max(*other)),
            }
        }
    }
}

/// Blocks whose times are kept together.
const CHUNK: u64 = 64;

/// What is known of the threads of some blocks that follow each other.
type Chunk = [Option<Rc<Times>>; CHUNK as usize];

/// What is known of the threads of all blocks: chunks in the order of blocks. Clocks that grow from each other share most of
/// them, so that handing over what a thousand blocks did costs little.
#[derive(Clone, Default, Debug)]
pub(super) struct Clock(Vec<(u64, Rc<Chunk>)>);

impl Clock {
    /// Whether what a thread of a block did at a moment is known.
    #[inline]
    pub(super) fn knows(&self, block: u64, thread: u32, moment: u32) -> bool {
        let Ok(k) = self.0.binary_search_by_key(&(block / CHUNK), |(number, _)| *number) else {
            return false;
        };
        let times = self.0[k].1[(block % CHUNK) as usize].as_ref();
        times.is_some_and(|times| times.knows(thread, moment))
    }

    /// Adds what another clock knows.
    pub(super) fn join(&mut self, other: &Clock) {
        for (number, theirs) in &other.0 {
            let ours = self.chunk(*number);
            if Rc::ptr_eq(ours, theirs) {
                continue;
            }
            for (known, times) in Rc::make_mut(ours).iter_mut().zip(theirs.iter()) {
                match (known, times) {
                    (_, None) => {}
                    (known @ None, Some(times)) => *known = Some(times.clone()),
                    (Some(known), Some(times)) if Rc::ptr_eq(known, times) => {}
                    (Some(known), Some(times)) => Rc::make_mut(known).join(times),
                }
            }
        }
    }

    /// Adds what some threads of a block, which has so many, did.
    pub(super) fn raise(&mut self, block: u64, threads: usize, moments: impl Iterator<Item = (u32, u32)>) {
        let known = Rc::make_mut(self.times(block));
        moments.for_each(|(thread, moment)| known.raise(thread, moment, threads));
    }

    /// Adds everything up to a moment that the threads of a block did; not their copies.
    pub(super) fn raise_all(&mut self, block: u64, floor: u32) {
        let known = Rc::make_mut(self.times(block));
        known.floor = floor;
        known.each.clear();
    }

    fn times(&mut self, block: u64) -> &mut Rc<Times> {
        let chunk = Rc::make_mut(self.chunk(block / CHUNK));
        chunk[(block % CHUNK) as usize].get_or_insert_default()
    }

    fn chunk(&mut self, number: u64) -> &mut Rc<Chunk> {
        let k = match self.0.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(k) => k,
            Err(k) => {
                self.0.insert(k, (number, Rc::new([const { None }; CHUNK as usize])));
                k
            }
        };
        &mut self.0[k].1
    }
}

/// All that several clocks know; the clocks of threads that met before are mostly one and the same.
pub(super) fn joined<'c>(clocks: impl Iterator<Item = &'c Rc<Clock>>) -> Clock {
    let mut distinct: Vec<&Rc<Clock>> = clocks.collect();
    distinct.sort_by_key(|clock| Rc::as_ptr(clock));
    distinct.dedup_by(|a, b| Rc::ptr_eq(a, b));
    let mut distinct = distinct.into_iter();
    let mut all = distinct.next().map(|clock| Clock::clone(clock)).unwrap_or_default();
    distinct.for_each(|clock| all.join(clock));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_knows_what_either_clock_knows_and_no_more() {
        let mut a = Clock::default();
        a.raise(3, 4, [(0, 5), (1, 9)].into_iter());
        let mut b = Clock::default();
        b.raise_all(3, 6);
        b.raise(7, 4, [(2, 1)].into_iter());
        let all = joined([&Rc::new(a), &Rc::new(b)].into_iter());
        assert!(all.knows(3, 0, 6) && all.knows(3, 1, 9) && all.knows(3, 2, 6) && all.knows(7, 2, 1));
        assert!(!all.knows(3, 0, 7) && !all.knows(3, 1, 10) && !all.knows(7, 1, 1) && !all.knows(8, 0, 1));
    }
}
