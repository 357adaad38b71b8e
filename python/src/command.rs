//! The command `margay`, called from Python.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command on a command line, of which the first word is what it was called by; gives the exit code.
#[pyfunction]
pub fn command(py: Python, words: Vec<OsString>) -> u8 {
    py.detach(|| margay::command::run(words.into_iter()))
}
