//! The steps that a launch may take, shared by its workers to the exact number.

use std::sync::{Mutex, MutexGuard};

/// Steps that are left, and those that workers hold.
pub(crate) struct Budget {
    pub(crate) limit: u64,
    state: Mutex<State>,
}

struct State {
    left: u64,
    /// Workers that hold steps they may give back.
    holders: u32,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Budget {
        Budget { limit, state: Mutex::new(State { left: limit, holders: 0 }) }
    }

    /// Takes up to `wanted` steps, which must be settled; none if all are used up. Waits while others may give some back.
    pub(crate) fn take(&self, wanted: u64) -> Option<u64> {
        loop {
            let mut state = self.state();
            if state.left > 0 {
                let taken = wanted.min(state.left);
                state.left -= taken;
                state.holders += 1;
                return Some(taken);
            }
            if state.holders == 0 {
                return None;
            }
            drop(state);
            std::thread::yield_now();
        }
    }

    /// Gives back what was not used of the steps taken last.
    pub(crate) fn settle(&self, unused: u64) {
        let mut state = self.state();
        state.left += unused;
        state.holders -= 1;
    }

    /// Gives back steps that were settled as used.
    pub(crate) fn give_back(&self, unused: u64) {
        self.state().left += unused;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_workers_use_exactly_what_there_is() {
        let budget = Budget::new(100_003);
        let used = Mutex::new(0);
        std::thread::scope(|scope| {
            for worker in 1..5 {
                let (budget, used) = (&budget, &used);
                scope.spawn(move || {
                    while let Some(steps) = budget.take(100) {
                        let spent = steps.div_ceil(worker);
                        budget.settle(steps - spent);
                        *used.lock().unwrap() += spent;
                    }
                });
            }
        });
        assert_eq!(*used.lock().unwrap(), 100_003);
    }
}
