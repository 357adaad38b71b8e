//! The command `margay`, called from Python, and the driver that programs of Python find.

use std::ffi::OsString;
use std::path::PathBuf;

use margay::command::{Home, driver_folder};
use pyo3::prelude::*;

use crate::raise;

/// Runs the command on a command line, of which the first word is what it was called by; gives the exit code. The driver lies in
/// `folder`, and the command is started by the words `again`.
#[pyfunction]
pub fn command(py: Python, words: Vec<OsString>, folder: PathBuf, again: Vec<OsString>) -> u8 {
    let home = Home { folder: Some(folder), again };
    py.detach(|| margay::command::run(words.into_iter(), &home))
}

/// The folder in which driver and assembler have the names that programs look for; see `margay.cuda.path`.
#[pyfunction]
pub fn driver(py: Python, folder: PathBuf, again: Vec<OsString>) -> PyResult<OsString> {
    let home = Home { folder: Some(folder), again };
    let found = py.detach(|| driver_folder(&home));
    found.map(PathBuf::into_os_string).map_err(|problem| raise::call_error(py, &problem))
}
