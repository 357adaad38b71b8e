//! What a plan keeps for its next launches: storages, and what is known of patterns.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// How many are kept.
const MOST: usize = 16;

/// Each with the thread that used it last: the caches of its core may still hold what is in it.
pub(crate) struct Pool<T>(Mutex<Vec<(ThreadId, T)>>);

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(Mutex::default())
    }
}

impl<T> Pool<T> {
    /// The one that this thread used last, or else the one that nobody has used for the longest time, if there is any.
    pub(super) fn take(&self) -> Option<T> {
        let own = thread::current().id();
        let mut kept = self.kept();
        let place = kept.iter().rposition(|(user, _)| *user == own).unwrap_or(0);
        (place < kept.len()).then(|| kept.remove(place).1)
    }

    /// Keeps one that this thread has used, unless there are enough.
    pub(super) fn keep(&self, one: T) {
        let mut kept = self.kept();
        if kept.len() < MOST {
            kept.push((thread::current().id(), one));
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<(ThreadId, T)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::lanes::Storage;

    #[test]
    fn a_thread_gets_back_what_it_used_and_nothing_is_given_twice() {
        let pool = Pool::default();
        assert!(pool.take().is_none());
        pool.keep(Storage::new(1, 2));
        thread::scope(|scope| _ = scope.spawn(|| pool.keep(Storage::new(2, 2))));
        pool.keep(Storage::new(3, 2));
        let lines = |storage: Option<Storage>| storage.map(|storage| storage.lines());
        assert_eq!([lines(pool.take()), lines(pool.take())], [Some(3), Some(1)]);
        assert_eq!([lines(pool.take()), lines(pool.take())], [Some(2), None]);
        (0..MOST + 1).for_each(|_| pool.keep(Storage::new(1, 2)));
        assert_eq!(std::iter::from_fn(|| pool.take()).count(), MOST);
    }
}
