//! Objects of the program that graphs keep: how often each is referred to, and what is called when nothing does any more.

use crate::door::pass::HostFunction;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use std::sync::{Arc, Mutex, PoisonError};

/// An object. It is destroyed when the last of those who keep it, the program and graphs, is gone.
pub struct UserObject {
    pub handle: usize,
    object: usize,
    destroy: HostFunction,
    /// The program's own references.
    held: Mutex<Vec<Arc<UserObject>>>,
}

impl UserObject {
    pub fn new(handle: usize, object: usize, destroy: HostFunction) -> UserObject {
        UserObject { handle, object, destroy, held: Mutex::default() }
    }

    /// Adds references of the program's.
    pub fn retain(self: &Arc<UserObject>, count: usize) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.extend(std::iter::repeat_n(self, count).cloned());
    }

    /// Takes references of the program's away, and says whether any are left.
    pub fn release(&self, count: usize) -> Answer<bool> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let left = held.len().checked_sub(count).ok_or(Failed::from(Code::INVALID_VALUE))?;
        // They are dropped after the lock, since the last one calls the program.
        let gone = held.split_off(left);
        drop(held);
        drop(gone);
        Ok(left > 0)
    }
}

impl Drop for UserObject {
    fn drop(&mut self) {
        (self.destroy)(self.object);
    }
}
