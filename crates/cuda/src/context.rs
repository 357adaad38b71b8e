//! Contexts, and the stack of them that each thread has.

use crate::failed::{Answer, Failed};
use crate::results::Code;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// What programs set and ask of a context.
pub struct Context {
    pub handle: usize,
    /// What no other context has had; the primary one's handle is always the same.
    pub number: usize,
    pub flags: AtomicU32,
    pub cache: AtomicU32,
    pub banks: AtomicU32,
    /// Limits that were set, by their numbers in `cuda.h`.
    pub limits: Mutex<BTreeMap<u32, u64>>,
    /// What the kernels went wrong with since a call last said so.
    pending: Mutex<Option<Code>>,
    /// Whether kernels that went wrong leave it unusable.
    is_sticky: bool,
}

impl Context {
    pub fn new(handle: usize, number: usize, flags: u32, is_sticky: bool) -> Context {
        Context {
            handle,
            number,
            flags: AtomicU32::new(flags),
            cache: AtomicU32::new(0),
            banks: AtomicU32::new(0),
            limits: Mutex::default(),
            pending: Mutex::default(),
            is_sticky,
        }
    }

    /// Notes how a kernel went wrong, for the next call that waits for it.
    pub fn broke(&self, code: Code) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        *pending = pending.or(Some(code));
    }

    /// Says once how kernels went wrong, or again and again if that breaks the context.
    pub fn settle(&self) -> Answer {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let code = if self.is_sticky { *pending } else { pending.take() };
        code.map_or(Ok(()), |code| Err(code.into()))
    }

    /// Whether it can be used.
    pub fn check(&self) -> Answer {
        if self.is_sticky { self.settle() } else { Ok(()) }
    }

    /// Keeps one of its settings.
    pub fn set(&self, setting: &AtomicU32, value: u32) {
        setting.store(value, Relaxed);
    }
}

thread_local! {
    /// The thread's contexts, the current one last; 0 where there is none.
    static STACK: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Does something with the thread's stack. A thread that is ending has none any more.
fn with_stack<T>(body: impl FnOnce(&mut Vec<usize>) -> T) -> Answer<T> {
    STACK.try_with(|stack| body(&mut stack.borrow_mut())).map_err(|_| Failed::from(Code::INVALID_CONTEXT))
}

/// The handle of the thread's current context; 0 if there is none.
pub fn current_handle() -> usize {
    with_stack(|stack| stack.last().copied().unwrap_or(0)).unwrap_or(0)
}

/// Makes a context the current one above those that were.
pub fn push(handle: usize) -> Answer {
    with_stack(|stack| stack.push(handle))
}

/// Takes the current one away.
pub fn pop() -> Answer<usize> {
    with_stack(|stack| stack.pop())?.ok_or(Failed::from(Code::INVALID_CONTEXT))
}

/// Puts a context in the place of the current one; 0 leaves the place to the one before.
pub fn set_current(handle: usize) -> Answer {
    with_stack(|stack| {
        stack.pop();
        if handle != 0 {
            stack.push(handle);
        }
    })
}

/// The primary context: one for all of a process, there as long as somebody retains it.
pub struct Primary {
    pub handle: usize,
    pub flags: u32,
    /// How often it is retained.
    pub count: u32,
}
