//! What the thread that asked for some work does now and then, while it works and while it waits for others that help.

use crate::thread_pool::Helpers;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a thread works before it looks up, each time.
const INTERVAL: Duration = Duration::from_millis(50);

/// Something that a thread does now and then while it works, such as looking for signals.
///
/// ```
/// use margay_exec::Lookout;
/// use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
///
/// let enough = AtomicBool::new(false);
/// let look = || enough.store(true, Relaxed);
/// let mut lookout = Lookout::new(Some(&look));
/// // Work that takes long.
/// while !enough.load(Relaxed) {
///     lookout.look();
/// }
/// ```
pub struct Lookout<'a> {
    look: Option<&'a (dyn Fn() + Sync)>,
    due: Instant,
}

impl<'a> Lookout<'a> {
    /// That of a thread which begins to work now; without anything to do, it does nothing.
    pub fn new(look: Option<&'a (dyn Fn() + Sync)>) -> Lookout<'a> {
        Lookout { look, due: Instant::now() + INTERVAL }
    }

    /// Does what there is to do, if it is time for that.
    pub fn look(&mut self) {
        if let Some(look) = self.look
            && Instant::now() >= self.due
        {
            look();
            self.due = Instant::now() + INTERVAL;
        }
    }

    /// Whether there is something to do.
    pub(crate) fn is_kept(&self) -> bool {
        self.look.is_some()
    }

    /// Does the thread's own work, in which it may call others once, and waits for them.
    ///
    /// ```
    /// use margay_exec::Lookout;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// let sum = AtomicU32::new(0);
    /// let add = |n| sum.fetch_add(n, Ordering::Relaxed);
    /// let own = |_: &mut Lookout, call: &dyn Fn()| {
    ///     call();
    ///     add(1);
    /// };
    /// Lookout::new(None).with_others(3, own, || { add(10); });
    /// assert_eq!(sum.into_inner(), 31);
    /// ```
    pub fn with_others(
        &mut self,
        others: usize,
        own: impl FnOnce(&mut Lookout, &dyn Fn()),
        other: impl Fn() + Sync,
    ) {
        if others == 0 {
            return own(self, &|| ());
        }
        let at_work = AtWork::default();
        let wait = |lookout: &mut Lookout| {
            while lookout.is_kept() && !at_work.have_ended_within(INTERVAL) {
                lookout.look();
            }
        };
        let one = |ends: Ends| {
            other();
            drop(ends);
        };
        if let Some(helpers) = Helpers::free(others) {
            helpers.scope(|scope| {
                let call = || {
                    for _ in 0..others {
                        let (ends, one) = (at_work.one_more(), &one);
                        scope.spawn(move |_| one(ends));
                    }
                };
                own(self, &call);
                wait(self);
            });
            return helpers.set_free();
        }
        let called = Cell::new(false);
        std::thread::scope(|scope| {
            let call = || {
                called.set(true);
                for _ in 0..others {
                    let (ends, one) = (at_work.one_more(), &one);
                    scope.spawn(move || one(ends));
                }
            };
            own(self, &call);
            wait(self);
        });
        // Who comes again need not wait for threads to start.
        static CALLED_BEFORE: AtomicBool = AtomicBool::new(false);
        if called.get() && CALLED_BEFORE.swap(true, Relaxed) {
            Helpers::new(others).into_iter().for_each(Helpers::set_free);
        }
    }
}

/// How many others are at work.
#[derive(Default)]
struct AtWork {
    count: Mutex<usize>,
    ended: Condvar,
}

/// Tells that one of them has ended, however it ends.
struct Ends<'a>(&'a AtWork);

impl AtWork {
    fn one_more(&self) -> Ends<'_> {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Ends(self)
    }

    fn have_ended_within(&self, time: Duration) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ended.wait_timeout_while(count, time, |count| *count > 0);
        let (count, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *count == 0
    }
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.ended.notify_one();
    }
}
