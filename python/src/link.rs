//! Modules that become one.

use margay::front::diag::across;
use margay::front::link::{Linked, Options, link as link_sources};
use margay::front::{Severity, Source};
use pyo3::prelude::*;

use crate::{diagnostic, raise};

/// So many errors are shown.
const SHOWN: usize = 100;

/// Links PTX sources, each bytes and a name; see `margay.link`.
#[pyfunction]
pub fn link(py: Python, sources: Vec<(Vec<u8>, String)>, allow_undefined: bool) -> PyResult<String> {
    let sources = sources.into_iter().map(|(text, name)| Source::from_bytes(name, text)).collect();
    let options = Options { allow_undefined, ..Options::default() };
    let Linked { text, inputs, diagnostics } = py.detach(|| link_sources(sources, options));
    let is_wrong = diagnostics.iter().any(|found| found.severity == Severity::Error);
    match text.filter(|_| !is_wrong) {
        Some(text) => Ok(text),
        None => {
            let shown = across::human(&inputs, &diagnostics, false, SHOWN);
            Err(raise::not_linked(py, &shown, diagnostic::across(&inputs, &diagnostics)))
        }
    }
}
