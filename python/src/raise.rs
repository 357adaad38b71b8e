//! Exceptions: what the crates say is wrong, as Python's callers catch it.
//!
//! Their classes are written in Python (`margay/_errors.py`), where they are easy to read and to subclass.

use margay::exec::memory::FaultKind;
use margay::exec::{LaunchError, Trap, TrapKind};
use margay::front::{Diagnostic as Found, Label, Source, diag};
use margay::located::Located;
use margay::problem::Problem;
use margay::report::Failure;
use margay::snippet::Stopped;
use margay::statement::NEEDS_KERNEL;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::diagnostic;

/// The code of a launch that would reach an instruction that margay does not run.
const NOT_RUN: &str = "P902";

/// An instance of a class of `margay._errors`.
fn exception(py: Python, class: &str, message: &str, fields: &[(&str, Py<PyAny>)]) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let keywords = PyDict::new(py);
        fields.iter().try_for_each(|(name, value)| keywords.set_item(name, value))?;
        let class = py.import("margay._errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call((message,), Some(&keywords))?))
    };
    made().unwrap_or_else(|error| error)
}

/// Many exceptions hold a list or a text; one that cannot be made is an exception itself.
fn object<'py>(py: Python<'py>, value: impl IntoPyObjectExt<'py>) -> Py<PyAny> {
    value.into_py_any(py).unwrap_or_else(|_| py.None())
}

/// `PtxError`: a text that is no valid PTX.
pub fn ptx_error(py: Python, source: &Source, found: &[Found]) -> PyErr {
    let text = diag::human(source, found, false, 100);
    let list = diagnostic::list(source, found);
    exception(py, "PtxError", text.trim_end(), &[("diagnostics", object(py, list))])
}

/// `PtxError`: texts that cannot be linked.
pub fn not_linked(py: Python, text: &str, found: Vec<diagnostic::Diagnostic>) -> PyErr {
    exception(py, "PtxError", text.trim_end(), &[("diagnostics", object(py, found))])
}

/// `LaunchError`: a launch that is wrong; nothing ran.
pub fn launch_error(py: Python, problem: &Problem) -> PyErr {
    exception(py, "LaunchError", &problem.message, &[("help", object(py, problem.help.as_deref()))])
}

/// `CallError`: a call that is wrong, of something else than a kernel; or `Unsupported`, if margay does not run an instruction.
pub fn call_error(py: Python, problem: &Problem) -> PyErr {
    let help = match problem.help.as_deref() {
        Some(NEEDS_KERNEL) => Some("put it in a kernel, and launch that: `margay.RawModule(code=…)`"),
        help => help,
    };
    let help = ("help", object(py, help));
    match problem.is_not_run() {
        true => exception(py, "Unsupported", &problem.message, &[help, ("code", object(py, NOT_RUN))]),
        false => exception(py, "CallError", &problem.message, &[help]),
    }
}

/// `TypeError`: a value that is not of a kind that could be meant.
pub fn type_error(problem: &Problem) -> PyErr {
    let help = problem.help.as_ref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
    PyTypeError::new_err(format!("{}{help}", problem.message))
}

/// `LaunchError`, with the lines of the text that are at fault; `Unsupported`, if margay does not run what the kernel can reach.
pub fn refused(py: Python, located: Located, error: &LaunchError) -> PyErr {
    let problem = located.wrong_call(error);
    let class = match error.code {
        Some(NOT_RUN) => "Unsupported",
        _ => "LaunchError",
    };
    let fields = [("help", object(py, problem.help.as_deref())), ("code", object(py, error.code))];
    exception(py, class, &problem.message, &fields)
}

/// `Trap`: a kernel that went wrong.
pub fn trap(py: Python, located: Located, trap: &Trap) -> PyErr {
    let Failure { message, function, line, instruction, thread, block, .. } = located.failure(trap);
    let address = match &trap.kind {
        TrapKind::Memory(fault) => Some(fault.address),
        _ => None,
    };
    let findings = crate::report::findings(located, &trap.kernel, &trap.findings);
    let fields = [
        ("kind", object(py, kind(&trap.kind))),
        ("reason", object(py, message)),
        ("kernel", object(py, trap.kernel.as_str())),
        ("function", object(py, function)),
        ("line", object(py, line)),
        ("instruction", object(py, instruction)),
        ("thread", object(py, <(u32, u32, u32)>::from(thread))),
        ("block", object(py, <(u32, u32, u32)>::from(block))),
        ("address", object(py, address)),
        ("printed", object(py, trap.printed.as_str())),
        ("findings", object(py, findings)),
    ];
    exception(py, "Trap", unprefixed(&located.trap(trap, false)), &fields)
}

/// `Trap`: a snippet that went wrong on an element, on a line of its text.
pub fn stopped(py: Python, source: &Source, stopped: &Stopped, line: Option<usize>) -> PyErr {
    let label = stopped.span.map(|span| Label { span, text: format!("on element {}", stopped.element) });
    let text = diag::human_error(source, &stopped.message, label.as_slice(), None, false);
    let fields = [
        ("kind", object(py, "snippet")),
        ("reason", object(py, stopped.message.as_str())),
        ("element", object(py, stopped.element)),
        ("line", object(py, line)),
    ];
    exception(py, "Trap", unprefixed(&text), &fields)
}

/// A text as exceptions have it: Python puts the name of their class before it.
pub fn unprefixed(text: &str) -> &str {
    text.strip_prefix("error: ").unwrap_or(text).trim_end()
}

/// One word for what happened, as `Trap.kind` has it.
fn kind(kind: &TrapKind) -> &'static str {
    match kind {
        TrapKind::Memory(fault) => match fault.kind {
            FaultKind::OutOfBounds => "out of bounds",
            FaultKind::Misaligned(_) => "misaligned",
            FaultKind::Null if fault.address > 0 => "near-null address",
            FaultKind::Null => "null pointer",
            FaultKind::ReadOnly => "read only",
            FaultKind::Freed => "use after free",
            FaultKind::Unallocated => "no memory",
            FaultKind::OtherSpace => "other space",
            FaultKind::Locked => "locked",
            FaultKind::Ended => "ended block",
        },
        TrapKind::Instruction(_) => "trap",
        TrapKind::Deadlock(_) => "deadlock",
        TrapKind::Target(_) => "target",
        TrapKind::Stack(_) => "stack overflow",
        TrapKind::Runtime(_) => "runtime",
        TrapKind::Assertion(_) => "assertion",
        TrapKind::Barrier(_) => "barrier",
        TrapKind::Copy(_) => "copy",
        TrapKind::Warp(_) => "warp",
        TrapKind::TensorMemory(_) => "tensor memory",
        TrapKind::Texture(_) => "texture",
        TrapKind::StepLimit(_) => "step limit",
        TrapKind::Cancelled => "interrupted",
    }
}
