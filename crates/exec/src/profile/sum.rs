//! What several launches of one module executed, added up.

use super::{Accesses, Counted, HandedOver, Profile, Stretch};

impl Profile {
    /// Adds what another launch executed, of the same module and of any of its kernels.
    ///
    /// ```
    /// use margay_exec::{Launch, Memory, Profile, Program};
    /// let module = margay_front::compile(".version 8.0 .target sm_80 .address_size 64 .entry k() { ret; }").unwrap();
    /// let mut memory = Memory::new(64);
    /// let program = Program::load(&module, &mut memory)?;
    /// let launch = |threads: u32| Launch { block: threads.into(), profile: true, ..Launch::new(module.entry("k").unwrap()) };
    /// let mut all = Profile::default();
    /// for threads in [2, 40] {
    ///     all.add(&launch(threads).run(&program, &memory)?.profile.unwrap());
    /// }
    /// assert_eq!(all.functions[0].counts, [42]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add(&mut self, other: &Profile) {
        join(&mut self.functions, &other.functions, |counted| counted.function, Counted::add);
        join(
            &mut self.stretches,
            &other.stretches,
            |stretch| (stretch.function, stretch.first),
            Stretch::add,
        );
        join(&mut self.accesses, &other.accesses, |accesses| accesses.instruction, Accesses::add);
        let place = |handed: &HandedOver| (handed.instruction, handed.reason);
        join(&mut self.hand_overs, &other.hand_overs, place, |mine, more| mine.blocks += more.blocks);
        self.handed_over_time += other.handed_over_time;
    }
}

/// Adds what stands at the same places; the order of places is kept.
fn join<T: Clone, P: Ord>(all: &mut Vec<T>, others: &[T], place: impl Fn(&T) -> P, add: impl Fn(&mut T, &T)) {
    for other in others {
        match all.binary_search_by_key(&place(other), &place) {
            Ok(at) => add(&mut all[at], other),
            Err(at) => all.insert(at, other.clone()),
        }
    }
}

impl Counted {
    fn add(&mut self, other: &Counted) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        for (branch, more) in self.branches.iter_mut().zip(&other.branches) {
            branch.taken += more.taken;
            branch.passed += more.passed;
        }
    }
}

impl Stretch {
    fn add(&mut self, other: &Stretch) {
        self.threads += other.threads;
        self.runs += other.runs;
        self.busy += other.busy;
        self.lanes += other.lanes;
        self.time += other.time;
    }
}

impl Accesses {
    fn add(&mut self, other: &Accesses) {
        self.uniform += other.uniform;
        self.contiguous += other.contiguous;
        self.strided += other.strided;
        self.gathered += other.gathered;
        self.time += other.time;
    }
}
