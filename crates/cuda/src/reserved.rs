//! Memory that nodes of graphs allocate: its address is known when the node is made, and it is the program's from a launch on until
//! it is freed.

use crate::failed::{Answer, Failed};
use crate::results::Code;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Memory of a node, there as long as a graph has the node or the program has not freed what a launch allocated.
pub struct Reserved {
    pub address: u64,
    pub bytes: u64,
    /// Whether a launch has allocated it, and nobody has freed it since.
    is_taken: AtomicBool,
    /// What frees it once nothing has it any more.
    free: fn(u64),
}

/// All of it.
#[derive(Default)]
pub struct AllReserved(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// By address, with how many bytes there are.
    all: BTreeMap<u64, (Weak<Reserved>, u64)>,
    /// The most bytes that ever were at once.
    most: u64,
}

impl Known {
    /// How many bytes there are. None of it is held meanwhile: what lets go of the last one frees it, and asks here again.
    fn bytes(&self) -> u64 {
        self.all.values().filter(|(reserved, _)| reserved.strong_count() > 0).map(|(_, bytes)| bytes).sum()
    }
}

impl AllReserved {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory of a node that has been set aside at an address.
    pub fn add(&self, address: u64, bytes: u64, free: fn(u64)) -> Arc<Reserved> {
        let reserved = Arc::new(Reserved { address, bytes, is_taken: AtomicBool::new(false), free });
        let mut known = self.known();
        known.all.retain(|_, (known, _)| known.strong_count() > 0);
        known.all.insert(address, (Arc::downgrade(&reserved), bytes));
        known.most = known.most.max(known.bytes());
        reserved
    }

    /// The memory of a node at an address.
    pub fn at(&self, address: u64) -> Option<Arc<Reserved>> {
        self.known().all.get(&address)?.0.upgrade()
    }

    /// Refuses an address that is no node's.
    pub fn check(&self, address: u64) -> Answer {
        self.at(address).map(|_| ()).ok_or(Failed::from(Code::INVALID_VALUE))
    }

    /// Frees memory that a node has allocated.
    pub fn free(&self, address: u64) -> Answer {
        let is_freed = self.at(address).is_some_and(|reserved| reserved.give_back());
        if is_freed { Ok(()) } else { Err(Code::INVALID_VALUE.into()) }
    }

    /// How many bytes there are, and the most that ever were.
    pub fn bytes(&self) -> (u64, u64) {
        let known = self.known();
        (known.bytes(), known.most)
    }

    /// Lets the most be what there is now.
    pub fn forget_most(&self) {
        let mut known = self.known();
        known.most = known.bytes();
    }
}

impl Reserved {
    /// Allocates it.
    pub fn take(&self) -> Answer {
        match self.is_taken.swap(true, Relaxed) {
            false => Ok(()),
            true => {
                let text =
                    "the graph has allocated its memory in an earlier launch, and nothing has freed it since";
                Err(Failed::because(Code::INVALID_VALUE, text))
            }
        }
    }

    /// Frees it, and says whether it was allocated.
    pub fn give_back(&self) -> bool {
        self.is_taken.swap(false, Relaxed)
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // What a launch has allocated is the program's to free.
        if !*self.is_taken.get_mut() {
            (self.free)(self.address);
        }
    }
}
