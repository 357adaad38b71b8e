//! Atomic operations of many threads: in one loop where all addresses lie together, thread by thread otherwise.
//!
//! Nothing is touched before every thread's address has been allowed; see [`crate::batch::run::access`].

use crate::batch::lanes::{Level, Place};
use crate::batch::plan::{Address, Atomic, Simple, Source};
use crate::batch::run::found::{Found, Home};
use crate::batch::run::part::Part;
use crate::batch::run::sums::{sum_f32, sum_f64};
use crate::batch::run::{Bailout, Cta};
use crate::code::{AtomicFunction, Update};
use crate::memory::{Access, Bulk, Word, wide_step};
use margay_isa::uop::{Int, Op, Type, eval};
use margay_isa::{Args, AtomicSpace, Bits, MAX_SOURCES};

impl Cta<'_> {
    pub(super) fn atomic(&mut self, atomic: &Atomic) -> Result<(), Bailout> {
        let place = &atomic.place;
        let addresses = match place.address {
            Address::Uniform(at) | Address::Varying(at) => at,
            Address::Affine(id) | Address::Periodic(id) => self.addresses(id),
        };
        match &atomic.update {
            Update::Page(function) => {
                self.atomic_each(atomic, *function, addresses).ok_or(Bailout { pc: place.pc })
            }
            Update::Object(change) => self.change_objects(atomic, addresses, *change),
            Update::Copied(copied) => self.begin_copies(atomic, copied),
            Update::Texture(texture) => self.reach_texture(atomic, texture, addresses),
        }
    }

    fn atomic_each(&mut self, atomic: &Atomic, function: AtomicFunction, addresses: Place) -> Option<()> {
        let place = &atomic.place;
        let part = self.part(place.guard);
        if part.is_empty() {
            self.done_with(part);
            return Some(());
        }
        let together = self.find_together(Access::Atomic, place, addresses, &part);
        let done = match (together, atomic.simple) {
            (Some((found, _)), Some(simple)) => {
                self.update_all((atomic, function), simple, addresses, found, &part)
            }
            _ => false,
        };
        if !done {
            if together.is_none() {
                part.try_each(|t| self.find_one(Access::Atomic, place, addresses, t).map(drop))?;
            }
            part.try_each(|t| {
                let address = self.lines.get(Type::U64, addresses, t);
                let found = match together {
                    Some((found, _)) => found,
                    None => self.find_one(Access::Atomic, place, addresses, t)?,
                };
                let own = if found.home == Home::Shared { self.shared_offset(t) } else { 0 };
                self.update((atomic, function), found, address - found.base + own, t);
                Some(())
            })?;
        }
        self.done_with(part);
        Some(())
    }

    /// The steps of all threads on memory, in a loop for the operation. `false` if there is none; then nothing is done.
    fn update_all(
        &mut self,
        (atomic, function): (&Atomic, AtomicFunction),
        simple: Simple,
        addresses: Place,
        found: Found,
        part: &Part,
    ) -> bool {
        let seen = matches!(found.home, Home::Global(_));
        // Each block has shared memory of its own.
        let several = found.home == Home::Shared && self.count > 1;
        let step = if several { self.shared_step() } else { 0 };
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            Home::Shared => Bulk::of_slice(&mut self.shared),
            Home::Local | Home::Param => return false,
        };
        let mut olds = std::mem::take(&mut self.olds);
        olds.clear();
        // What is simple has one element.
        let kept = atomic.olds.first().and_then(|old| old.low);
        olds.resize(if kept.is_some() { self.threads } else { 0 }, 0);
        let at = Places {
            bulk,
            part,
            addresses: self.lines.u64s(addresses),
            threads: self.threads,
            of_block: if several { self.job.threads as usize } else { self.threads },
            step,
            lanes: lanes(addresses),
            base: found.base,
            level: self.lines.level(),
            seen,
            olds: &mut olds,
            rarely: &|old, value| {
                let space = if seen { AtomicSpace::Global } else { AtomicSpace::Shared };
                let mut args: Args = [0; MAX_SOURCES];
                (args[0], args[1]) = (old.into(), value.into());
                function(&atomic.inst, space, &args) as u64
            },
        };
        let [source, other] = [0, 1].map(|k| atomic.sources.get(k).map(|source| source.low));
        // A value that is the same in all threads may be kept in another type.
        let fits = |wanted: Type| {
            atomic.sources.iter().all(|Source { low: (ty, place), .. }| *ty == wanted || place.stride == 0)
        };
        let same = [source, other].map(|source| source.map_or(0, |(ty, place)| self.lines.get(ty, place, 0)));
        let same_u32 = same.map(|bits| [bits as u32]);
        let done = match (atomic.place.bytes, source) {
            (4, Some((_, source))) if fits(Type::U32) => {
                let value = |place: Place, k: usize| match place.stride {
                    0 => (&same_u32[k][..], 0),
                    _ => (self.lines.u32s(place), usize::MAX),
                };
                at.update_u32(simple, value(source, 0), other.map(|(_, other)| value(other, 1)))
            }
            (8, Some((_, source))) if fits(Type::U64) => {
                let value = |place: Place, k: usize| match place.stride {
                    0 => (&same[k..=k], 0),
                    _ => (self.lines.u64s(place), usize::MAX),
                };
                at.update_u64(simple, value(source, 0), other.map(|(_, other)| value(other, 1)))
            }
            _ => false,
        };
        if let (true, Some((ty, place))) = (done, kept) {
            match (ty, place.stride) {
                (Type::U32, 1) => {
                    let to = self.lines.u32s_mut(place);
                    part.each(|t| to[t] = olds[t] as u32);
                }
                (Type::U64, 2) => {
                    let to = self.lines.u64s_mut(place);
                    part.each(|t| to[t] = olds[t]);
                }
                _ => part.each(|t| self.lines.set(ty, place, t, olds[t])),
            }
        }
        self.olds = olds;
        done
    }

    /// One thread's steps on memory, element by element; what was there is kept where it is wanted.
    fn update(
        &mut self,
        (atomic, function): (&Atomic, AtomicFunction),
        found: Found,
        at: u64,
        thread: usize,
    ) {
        let (bytes, count) = (atomic.place.bytes, atomic.count());
        // Several workers see global memory only.
        let seen = matches!(found.home, Home::Global(_));
        let space = if seen { AtomicSpace::Global } else { AtomicSpace::Shared };
        // A source may lie where the old value of the element before goes.
        let mut sources: Args = [0; MAX_SOURCES];
        for (value, source) in sources.iter_mut().zip(&atomic.sources) {
            *value = self.read(source, thread);
        }
        for k in 0..count {
            let mut args: Args = [0; MAX_SOURCES];
            match count {
                1 => args[1..].copy_from_slice(&sources[..MAX_SOURCES - 1]),
                _ => args[1] = sources[k],
            }
            let at = at + k as u64 * u64::from(bytes);
            let old = update_one(self.bulk(found.home), at, bytes, seen, |old| {
                let mut args = args;
                args[0] = old;
                function(&atomic.inst, space, &args)
            });
            if let Some(kept) = atomic.olds.get(k) {
                self.write(kept, thread, old);
            }
        }
    }
}

/// One step on memory. Gives what was there.
fn update_one(bulk: Bulk, at: u64, bytes: u32, seen: bool, change: impl Fn(Bits) -> Bits) -> Bits {
    match bytes {
        1 | 2 | 4 | 8 => bulk.update(at, bytes, seen, |old| change(old.into()) as u64).into(),
        _ => {
            // Another launch may see them.
            let _step = seen.then(wide_step);
            let old = Bits::from(bulk.load(at, 8)) | Bits::from(bulk.load(at + 8, 8)) << 64;
            let new = change(old);
            bulk.store(at, 8, new as u64);
            bulk.store(at + 8, 8, (new >> 64) as u64);
            old
        }
    }
}

/// Which bits of a thread's number say where its value is among those of a place.
fn lanes(place: Place) -> usize {
    if place.stride == 0 { 0 } else { usize::MAX }
}

/// Values thread by thread, and which bits of a thread's number count there.
type Values<'l, T> = (&'l [T], usize);

/// What is updated.
struct Places<'l> {
    bulk: Bulk<'l>,
    part: &'l Part,
    addresses: &'l [u64],
    /// How many threads there are, and how many of a block.
    threads: usize,
    of_block: usize,
    /// Bytes from a block's memory to the next one's.
    step: u64,
    /// Which bits of a thread's number say where its address is.
    lanes: usize,
    base: u64,
    level: Level,
    /// Whether other host threads see it.
    seen: bool,
    /// What was there, if that is kept.
    olds: &'l mut [u64],
    /// The page's own function of the old value and the first source.
    rarely: &'l dyn Fn(u64, u64) -> u64,
}

impl Places<'_> {
    /// What `change` makes of the old value and the thread's number, one thread after the other.
    #[inline(always)]
    fn each<const WIDTH: u32>(self, change: impl Fn(u64, usize) -> u64) {
        match self.part {
            Part::All(threads) => self.each_of::<WIDTH>(0..*threads, change),
            Part::Some(chosen) => self.each_of::<WIDTH>(chosen.threads(), change),
        }
    }

    /// The same where all threads take part in what no other host thread sees.
    #[inline(always)]
    fn each_own<T: Word + Into<u64>>(self, change: impl Fn(T, usize) -> T) {
        let Places { bulk, threads, of_block, step, base, olds, level, .. } = self;
        let blocks = self.addresses[..threads].chunks(of_block).enumerate();
        for (block, addresses) in blocks {
            let (first, base) = (block * of_block, base.wrapping_sub(block as u64 * step));
            if olds.is_empty() {
                bulk.change(level, addresses, base, |t, old: T| change(old, first + t));
                continue;
            }
            let olds = &mut olds[first..][..addresses.len()];
            bulk.change(level, addresses, base, |t, old: T| {
                olds[t] = old.into();
                change(old, first + t)
            });
        }
    }

    /// Whether that is so.
    fn is_own(&self) -> bool {
        !self.seen && self.lanes != 0 && matches!(self.part, Part::All(_))
    }

    #[inline(always)]
    fn each_of<const WIDTH: u32>(
        self,
        threads: impl Iterator<Item = usize>,
        change: impl Fn(u64, usize) -> u64,
    ) {
        let Places { bulk, addresses, lanes, base, seen, olds, of_block, step, .. } = self;
        let own = |t: usize| if step == 0 { 0 } else { (t / of_block) as u64 * step };
        for t in threads {
            let at = addresses[t & lanes].wrapping_sub(base).wrapping_add(own(t));
            let old = bulk.update(at, WIDTH, seen, |old| change(old, t));
            if let Some(kept) = olds.get_mut(t) {
                *kept = old;
            }
        }
    }

    #[inline(always)]
    fn all_u32(self, (values, lanes): Values<'_, u32>, change: impl Fn(u32, u32) -> u32) -> bool {
        if !self.is_own() {
            self.each::<4>(|old, t| change(old as u32, values[t & lanes]).into());
        } else if lanes == 0 {
            let value = values[0];
            self.each_own(|old, _| change(old, value));
        } else {
            self.each_own(|old, t| change(old, values[t]));
        }
        true
    }

    #[inline(always)]
    fn all_u64(self, (values, lanes): Values<'_, u64>, change: impl Fn(u64, u64) -> u64) -> bool {
        if !self.is_own() {
            self.each::<8>(|old, t| change(old, values[t & lanes]));
        } else if lanes == 0 {
            let value = values[0];
            self.each_own(|old, _| change(old, value));
        } else {
            self.each_own(|old, t| change(old, values[t]));
        }
        true
    }

    fn update_u32(self, simple: Simple, source: Values<'_, u32>, other: Option<Values<'_, u32>>) -> bool {
        match (simple, other) {
            (Simple::Exchange, _) => self.all_u32(source, |_, value| value),
            (Simple::CompareAndSwap, Some((new, lanes))) => {
                let (values, other) = source;
                let change = |old: u64, t: usize| {
                    let new = if old as u32 == values[t & other] { new[t & lanes] } else { old as u32 };
                    u64::from(new)
                };
                self.each::<4>(change);
                true
            }
            (Simple::CompareAndSwap, None) => false,
            (Simple::Sum { flushes }, _) => {
                let (flush, rarely) = (flushes && self.seen, self.rarely);
                self.all_u32(source, |old, value| {
                    sum_f32(old, value, flush).unwrap_or_else(|| rarely(old.into(), value.into()) as u32)
                })
            }
            (Simple::Op(op), _) => match op {
                Op::Int32(Int::Add) => self.all_u32(source, u32::wrapping_add),
                Op::Int32(Int::And) => self.all_u32(source, |a, b| a & b),
                Op::Int32(Int::Or) => self.all_u32(source, |a, b| a | b),
                Op::Int32(Int::Xor) => self.all_u32(source, |a, b| a ^ b),
                Op::Int32(Int::MinU) => self.all_u32(source, u32::min),
                Op::Int32(Int::MaxU) => self.all_u32(source, u32::max),
                Op::Int32(Int::MinS) => self.all_u32(source, |a, b| (a as i32).min(b as i32) as u32),
                Op::Int32(Int::MaxS) => self.all_u32(source, |a, b| (a as i32).max(b as i32) as u32),
                _ => self.all_u32(source, |a, b| eval(op, [a.into(), b.into(), 0]) as u32),
            },
        }
    }

    fn update_u64(self, simple: Simple, source: Values<'_, u64>, other: Option<Values<'_, u64>>) -> bool {
        match (simple, other) {
            (Simple::Exchange, _) => self.all_u64(source, |_, value| value),
            (Simple::CompareAndSwap, Some((new, lanes))) => {
                let (values, other) = source;
                let change = |old, t: usize| if old == values[t & other] { new[t & lanes] } else { old };
                self.each::<8>(change);
                true
            }
            (Simple::CompareAndSwap, None) => false,
            (Simple::Sum { .. }, _) => {
                let rarely = self.rarely;
                self.all_u64(source, |old, value| sum_f64(old, value).unwrap_or_else(|| rarely(old, value)))
            }
            (Simple::Op(op), _) => match op {
                Op::Int64(Int::Add) => self.all_u64(source, u64::wrapping_add),
                Op::Int64(Int::And) => self.all_u64(source, |a, b| a & b),
                Op::Int64(Int::Or) => self.all_u64(source, |a, b| a | b),
                Op::Int64(Int::Xor) => self.all_u64(source, |a, b| a ^ b),
                Op::Int64(Int::MinU) => self.all_u64(source, u64::min),
                Op::Int64(Int::MaxU) => self.all_u64(source, u64::max),
                Op::Int64(Int::MinS) => self.all_u64(source, |a, b| (a as i64).min(b as i64) as u64),
                Op::Int64(Int::MaxS) => self.all_u64(source, |a, b| (a as i64).max(b as i64) as u64),
                _ => self.all_u64(source, |a, b| eval(op, [a, b, 0])),
            },
        }
    }
}
