//! Long work without the interpreter's lock, ended by Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

/// Lets work that takes long look for signals, and tells it when to end.
#[derive(Default)]
pub struct Patience {
    /// Whether the work is to end.
    pub cancel: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Patience {
    /// To be called now and then by the thread that works: gives Python's signal handlers a chance. If one raises, as that of
    /// Ctrl-C does, the work is to end.
    pub fn look(&self) {
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

/// Does work that looks up now and then, without the interpreter's lock. If a signal handler raises meanwhile, its exception is
/// the result.
pub fn patiently<T: Send>(py: Python, work: impl FnOnce(&Patience) -> T + Send) -> PyResult<T> {
    let patience = Patience::default();
    let result = py.detach(|| work(&patience));
    let raised = patience.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
    raised.map_or(Ok(result), Err)
}
