//! Memory pools: accounts of what is allocated from them. The memory itself is the device's.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A pool.
pub struct Pool {
    pub handle: usize,
    account: Mutex<Account>,
}

/// What programs set and ask of a pool.
#[derive(Default)]
pub struct Account {
    /// How freed memory may be used again: three switches, which programs read back.
    pub reuse: [u32; 3],
    /// Bytes that are kept for the next allocation; none are, whatever is said.
    pub threshold: u64,
    /// Bytes that are allocated.
    pub used: u64,
    /// The most that ever were, or since a program said so.
    pub most_used: u64,
    pub most_reserved: u64,
}

impl Pool {
    pub fn new(handle: usize) -> Pool {
        Pool { handle, account: Mutex::new(Account { reuse: [1; 3], ..Account::default() }) }
    }

    pub fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn took(&self, bytes: u64) {
        let mut account = self.account();
        account.used += bytes;
        account.most_used = account.most_used.max(account.used);
        account.most_reserved = account.most_reserved.max(account.used);
    }

    pub fn gave_back(&self, bytes: u64) {
        let mut account = self.account();
        account.used = account.used.saturating_sub(bytes);
    }
}
