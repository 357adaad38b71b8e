//! Events: when a stream came by.

use crate::capture::Recorded;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_exec::memory::SharedCount;
use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// The flag of events that keep no time.
const NO_TIME: u32 = 2;
/// The flag of events that other processes may have.
const INTERPROCESS: u32 = 4;

/// An event.
pub struct Event {
    pub handle: usize,
    pub context: usize,
    pub flags: u32,
    /// When it was last recorded.
    at: Mutex<Option<Instant>>,
    /// What it stands for if it was last recorded in a capture.
    recorded: Mutex<Option<Recorded>>,
    /// How often any process has recorded it, if several have it. What is recorded is done, so that nobody has to wait; what was
    /// done before is seen by whoever reads the number.
    shared: OnceLock<SharedCount>,
}

impl Event {
    pub fn new(handle: usize, context: usize, flags: u32) -> Event {
        Event {
            handle,
            context,
            flags,
            at: Mutex::default(),
            recorded: Mutex::default(),
            shared: OnceLock::new(),
        }
    }

    /// An event of another process.
    pub fn opened(handle: usize, context: usize, shared: SharedCount) -> Event {
        Event { shared: shared.into(), ..Event::new(handle, context, NO_TIME) }
    }

    /// Whether flags go together: an event that other processes may have keeps no time.
    pub fn check_flags(flags: u32) -> Answer {
        match flags & (INTERPROCESS | NO_TIME) {
            INTERPROCESS => Err(Code::INVALID_VALUE.into()),
            _ => Ok(()),
        }
    }

    /// Whether other processes may have it.
    pub fn is_interprocess(&self) -> bool {
        self.flags & INTERPROCESS != 0
    }

    /// Lets other processes have it.
    pub fn share(&self) -> io::Result<&SharedCount> {
        match self.shared.get() {
            Some(shared) => Ok(shared),
            None => {
                let made = SharedCount::new()?;
                Ok(self.shared.get_or_init(|| made))
            }
        }
    }

    /// Comes after what was done before it was last recorded, in whatever process.
    pub fn follow(&self) {
        self.shared.get().map(SharedCount::get);
    }

    pub fn record(&self) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        *self.recorded.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some(shared) = self.shared.get() {
            shared.raise();
        }
    }

    /// Records it in a capture, which is at no time.
    pub fn record_in(&self, recorded: Recorded) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = None;
        *self.recorded.lock().unwrap_or_else(PoisonError::into_inner) = Some(recorded);
    }

    /// What it stands for in a capture.
    pub fn recorded(&self) -> Option<Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Refuses to wait for it if it was last recorded in a capture.
    pub fn forbid_captured(&self) -> Answer {
        match self.recorded() {
            Some(recorded) => {
                recorded.capture.invalidate();
                Err(Code::CAPTURED_EVENT.into())
            }
            None => Ok(()),
        }
    }

    /// Milliseconds from another event's record to this one's.
    pub fn since(&self, start: &Event) -> Answer<f32> {
        if (self.flags | start.flags) & NO_TIME != 0 {
            return Err(Code::INVALID_HANDLE.into());
        }
        let [start, end] =
            [start, self].map(|event| *event.at.lock().unwrap_or_else(PoisonError::into_inner));
        let (start, end) = start.zip(end).ok_or(Failed::from(Code::INVALID_HANDLE))?;
        let seconds = match end.checked_duration_since(start) {
            Some(after) => after.as_secs_f64(),
            None => -start.duration_since(end).as_secs_f64(),
        };
        Ok((seconds * 1000.0) as f32)
    }
}
