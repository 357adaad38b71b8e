//! Threads that wait for work, kept from launch to launch: to start some takes longer than many launches do.

use rayon_core::{Scope, ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Helpers that are kept while nobody needs them: as many launches can go on at once without starting threads.
const MOST_FREE: usize = 4;

static FREE: Mutex<Vec<Helpers>> = Mutex::new(Vec::new());

/// Some threads, for one who calls them at a time: all that he gives them is begun at once.
pub(crate) struct Helpers {
    threads: ThreadPool,
    /// The process that they belong to: one that is forked off has none of them.
    process: u32,
}

impl Helpers {
    /// Starts so many; none if the system has no more.
    pub(crate) fn new(count: usize) -> Option<Helpers> {
        let name = |k| format!("margay-{k}");
        let threads = ThreadPoolBuilder::new().num_threads(count).thread_name(name).build().ok()?;
        Some(Helpers { threads, process: std::process::id() })
    }

    /// So many at least that nobody needs now, if there are any.
    pub(crate) fn free(count: usize) -> Option<Helpers> {
        let process = std::process::id();
        let mut free = free()?;
        // Nobody can tell threads to end that another process has.
        free.extract_if(.., |helpers| helpers.process != process).for_each(std::mem::forget);
        let fitting = free.iter().position(|helpers| helpers.threads.current_num_threads() >= count)?;
        Some(free.swap_remove(fitting))
    }

    /// Lets others have them; of too many, the fewest end.
    pub(crate) fn set_free(self) {
        let Some(mut free) = free() else { return };
        free.push(self);
        if free.len() > MOST_FREE {
            let fewest = (0..free.len()).min_by_key(|k| free[*k].threads.current_num_threads());
            let fewest = fewest.map(|k| free.swap_remove(k));
            // They end while nobody is kept from the list.
            drop(free);
            drop(fewest);
        }
    }

    /// Does something in which work can be given to them, and waits until they have done it.
    pub(crate) fn scope<'scope, R>(&self, work: impl FnOnce(&Scope<'scope>) -> R) -> R {
        self.threads.in_place_scope(work)
    }
}

/// The list; none while somebody else has it, who may be in the process from which this one was forked off.
fn free() -> Option<MutexGuard<'static, Vec<Helpers>>> {
    match FREE.try_lock() {
        Ok(free) => Some(free),
        Err(TryLockError::Poisoned(poison)) => Some(poison.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::lookout::Lookout;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    fn whoever_calls_for_help_gets_it_whole_also_many_at_a_time_and_within_each_other() {
        for _ in 0..3 {
            let sum = AtomicU32::new(0);
            let add = |others: usize| {
                let own = |_: &mut Lookout, call: &dyn Fn()| {
                    call();
                    sum.fetch_add(1, Relaxed);
                };
                let within = |_: &mut Lookout, call: &dyn Fn()| call();
                let inner = || _ = sum.fetch_add(1, Relaxed);
                let other = || Lookout::new(None).with_others(1, within, inner);
                Lookout::new(None).with_others(others, own, other);
            };
            std::thread::scope(|scope| (1..=6).for_each(|others| _ = scope.spawn(move || add(others))));
            assert_eq!(sum.into_inner(), 6 + (1..=6).sum::<u32>());
        }
    }
}
