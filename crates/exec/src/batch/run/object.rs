//! Barrier objects: steps on them thread by thread, and threads that wait for the end of a phase while others run (manual, section
//! 9.7.13.15).

use crate::batch::lanes::Place;
use crate::batch::plan::{Atomic, Exit, WaitExit};
use crate::batch::run::found::Home;
use crate::batch::run::{Bailout, Cta};
use crate::code::{Change, Phase};
use crate::memory::Access;
use foldhash::HashMap;
use margay_isa::uop::Type;
use margay_isa::{BarrierObject, WARP};
use std::collections::BTreeSet;

/// Bytes of an object.
const BYTES: u64 = 8;

/// What a thread's step makes of an object.
struct Changed {
    thread: usize,
    at: u64,
    old: u64,
    new: u64,
}

impl Cta<'_> {
    /// A step on barrier objects, thread by thread; none is changed if one may not.
    pub(super) fn change_objects(
        &mut self,
        atomic: &Atomic,
        addresses: Place,
        change: Change,
    ) -> Result<(), Bailout> {
        let part = self.part(atomic.place.guard);
        let is_new = matches!(change, Change::Make | Change::End);
        let mut all: Vec<Changed> = Vec::new();
        let mut words: HashMap<u64, u64> = HashMap::default();
        let mut last = None;
        let done = part.try_each(|thread| {
            let address = self.lines.get(Type::U64, addresses, thread);
            let place = (address, thread / self.job.threads as usize);
            // Mostly all threads of a block come to the same object.
            let at = match (last, all.last()) {
                (Some(last), Some(before)) if last == place && !is_new => before.at,
                _ => self.object_at(atomic, addresses, thread, change == Change::Make)?,
            };
            last = Some(place);
            let old = match all.last() {
                Some(before) if before.at == at => before.new,
                _ => words.get(&at).copied().unwrap_or(self.shared[at as usize / 8]),
            };
            // A place is made an object, or ended, once.
            if is_new && words.contains_key(&at) {
                return None;
            }
            let mut object = BarrierObject::of(old);
            let mut numbers = [0; 2];
            for (number, source) in numbers.iter_mut().zip(&atomic.sources) {
                *number = self.read(source, thread) as u32;
            }
            change.apply(&mut object, &numbers).ok()?;
            if let Some(before) = all.last().filter(|before| before.at != at) {
                words.insert(before.at, before.new);
            }
            if is_new {
                words.insert(at, object.bits());
            }
            all.push(Changed { thread, at, old, new: object.bits() });
            Some(())
        });
        done.ok_or(Bailout { pc: atomic.place.pc })?;
        self.done_with(part);
        for Changed { thread, at, old, new } in all {
            self.shared[at as usize / 8] = new;
            atomic.olds.iter().for_each(|target| self.write(target, thread, old.into()));
            match change {
                Change::Make => _ = self.barriers.objects.insert(at),
                Change::End => _ = self.barriers.objects.remove(&at),
                // Before the next phase can end, too.
                _ if BarrierObject::of(old).phase != BarrierObject::of(new).phase => self.wake(at),
                _ => {}
            }
        }
        Ok(())
    }

    /// Where the object of a thread's step lies; or where it is to lie, if there must be none.
    fn object_at(&mut self, atomic: &Atomic, addresses: Place, thread: usize, is_made: bool) -> Option<u64> {
        let found = self.find_one(Access::Atomic, &atomic.place, addresses, thread)?;
        let address = self.lines.get(Type::U64, addresses, thread);
        let at = self.in_shared(found.home, address.wrapping_sub(found.base), thread)?;
        (self.barriers.objects.contains(&at) != is_made).then_some(at)
    }

    /// Those that run wait for the ends of phases, each for its own.
    pub(super) fn come_to_wait(&mut self, wait: &WaitExit) {
        let (here, nobody) = (self.at, self.no_threads());
        let mut over = nobody.clone();
        let mut all_over = true;
        for warp in 0..over.len() {
            let running = self.lines.running()[warp];
            for lane in (0..WARP).filter(|lane| running >> lane & 1 == 1) {
                match self.looks(wait, warp * WARP + lane) {
                    Some((_, true)) => over[warp] |= 1 << lane,
                    Some((_, false)) => all_over = false,
                    // The golden engine says what is wrong.
                    None => {
                        self.pool.push(over);
                        self.pool.push(nobody);
                        return self.hand_over(self.plan.blocks[here].first, None);
                    }
                }
            }
        }
        if all_over {
            self.pool.push(over);
            self.pool.push(nobody);
            return self.go(wait.next);
        }
        let came = self.lines.run_those(nobody, false);
        for warp in 0..over.len() {
            for (waits, block, lanes) in
                [(true, here, came[warp] & !over[warp]), (false, wait.next, over[warp])]
            {
                if lanes != 0 {
                    self.park_lanes(waits, block, warp, lanes);
                }
            }
        }
        self.pool.push(over);
        self.pool.push(came);
        self.active = 0;
        self.resume_pending();
    }

    /// Lets those go on who wait at an object whose phase has ended.
    pub(super) fn wake(&mut self, at: u64) {
        // Blocks (CTAs) whose threads wait are of whole warps where several run together.
        let (member, warps) = (at / self.shared_step(), (self.job.threads as usize).div_ceil(WARP));
        let own = member as usize * warps..(member as usize + 1) * warps;
        let mut k = self.pending.partition_point(|pending| !pending.came);
        while k < self.pending.len() {
            let Exit::Wait(wait) = &self.plan.blocks[self.pending[k].block].exit else {
                k += 1;
                continue;
            };
            let mut let_go = Vec::new();
            for warp in own.clone() {
                let waiting = self.pending[k].bits[warp];
                let is_over = |lane: &usize| self.looks(wait, warp * WARP + lane) == Some((at, true));
                let lanes = (0..WARP).filter(|lane| waiting >> lane & 1 == 1).filter(is_over);
                let lanes = lanes.fold(0u32, |mask, lane| mask | 1 << lane);
                let_go.push((warp, lanes));
            }
            k = self.release(k, &let_go, wait.next);
        }
    }

    /// Where the object lies that a thread looks at, and whether its phase is over; none if it may not.
    fn looks(&self, wait: &WaitExit, thread: usize) -> Option<(u64, bool)> {
        let number = |number| self.number(number, thread);
        let address = number(&wait.address).wrapping_add(wait.offset) & wait.mask;
        let shared = &self.job.memory.layout().shared;
        let at = match wait.space {
            None => shared.offset(address)?,
            Some(_) => address,
        };
        let at = self.in_shared(Home::Shared, at, thread).filter(|at| self.barriers.objects.contains(at))?;
        let phase = match &wait.phase {
            Phase::State(state) => Phase::State(number(state)),
            Phase::Parity(parity) => Phase::Parity(number(parity)),
        };
        let over = phase.is_over(BarrierObject::of(self.shared[at as usize / 8])).ok()?;
        Some((at, over))
    }

    /// A place in the shared memory of a thread's block as one in that of all, if an object fits there.
    fn in_shared(&self, home: Home, at: u64, thread: usize) -> Option<u64> {
        let end = self.job.ready.frame.shared_bytes;
        let fits = home == Home::Shared && at.is_multiple_of(BYTES) && at < end && BYTES <= end - at;
        fits.then(|| at + self.shared_offset(thread))
    }

    /// Where objects lie in a block's own shared memory, for the engine that goes on with it.
    pub(super) fn objects_of(&self, member: usize) -> BTreeSet<u64> {
        let step = self.shared_step();
        let from = member as u64 * step;
        self.barriers.objects.range(from..from + step).map(|at| at - from).collect()
    }
}
