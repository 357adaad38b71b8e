//! The native module of the Python package `margay`: the crates' functions, with Python's values and exceptions.
//!
//! What is a matter of shape, such as how a launch is written, is Python's (`margay/*.py`); what is a matter of meaning is the
//! crates'. In between stands only conversion.

mod address;
mod argument;
mod array;
mod command;
mod diagnostic;
mod explain;
mod held;
mod launch;
mod link;
mod module;
mod patience;
mod product;
mod raise;
mod report;
mod snippet;
mod sweep;

use pyo3::prelude::*;

#[pymodule]
mod _margay {
    use super::*;

    #[pymodule_export]
    use crate::array::address;
    #[pymodule_export]
    use crate::command::{command, driver};
    #[pymodule_export]
    use crate::diagnostic::{Diagnostic, Label, check};
    #[pymodule_export]
    use crate::explain::{evaluate, explain, forms};
    #[pymodule_export]
    use crate::launch::launch;
    #[pymodule_export]
    use crate::link::link;
    #[pymodule_export]
    use crate::module::{Module, Parameter};
    #[pymodule_export]
    use crate::product::Product;
    #[pymodule_export]
    use crate::report::{Act, Finding, Remark, Report};
    #[pymodule_export]
    use crate::snippet::Snippet;
    #[pymodule_export]
    use crate::sweep::{merge, missing, sweep};

    #[pymodule_init]
    fn init(module: &Bound<PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
