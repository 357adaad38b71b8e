//! Events: when a stream came by.

use crate::capture::Recorded;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The flag of events that keep no time.
const NO_TIME: u32 = 2;

/// An event.
pub struct Event {
    pub handle: usize,
    pub context: usize,
    pub flags: u32,
    /// When it was last recorded.
    at: Mutex<Option<Instant>>,
    /// What it stands for if it was last recorded in a capture.
    recorded: Mutex<Option<Recorded>>,
}

impl Event {
    pub fn new(handle: usize, context: usize, flags: u32) -> Event {
        Event { handle, context, flags, at: Mutex::default(), recorded: Mutex::default() }
    }

    pub fn record(&self) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        *self.recorded.lock().unwrap_or_else(PoisonError::into_inner) = None;
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
