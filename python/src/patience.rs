//! Long work without the interpreter's lock, ended by Ctrl-C.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use pyo3::prelude::*;

/// How often Python's signal handlers get a chance.
const GLANCE: Duration = Duration::from_millis(20);

/// Does work that heeds the switch it is given, without the interpreter's lock. Signals that arrive meanwhile are handled; if
/// a handler raises, as that of Ctrl-C does, the switch is set, the work ends, and the exception is the result.
///
/// Only the thread that holds the lock can look for signals, so the work is done by another.
pub fn patiently<T: Send>(py: Python, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let cancel = AtomicBool::new(false);
    let (done, ended) = mpsc::channel();
    std::thread::scope(|scope| {
        let cancel = &cancel;
        let worker = scope.spawn(move || {
            let result = work(cancel);
            // Nobody waits any more after a signal.
            let _ = done.send(());
            result
        });
        let mut raised = None;
        let ended = std::sync::Mutex::new(ended);
        let waits = || {
            let ended = ended.lock().unwrap_or_else(|poison| poison.into_inner());
            ended.recv_timeout(GLANCE) == Err(mpsc::RecvTimeoutError::Timeout)
        };
        while raised.is_none() && py.detach(waits) {
            raised = py.check_signals().err();
        }
        cancel.store(raised.is_some(), Ordering::Relaxed);
        let result = py.detach(|| worker.join()).unwrap_or_else(|panic| resume_unwind(panic));
        raised.map_or(Ok(result), Err)
    })
}
