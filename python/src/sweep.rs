//! Shards of sweeps: two computations compared, one of which may be a function of Python's.

use std::sync::{Mutex, PoisonError};

use margay::problem::Problem;
use margay::snippet::{Failure, Snippet as Compiled};
use margay::sweep::{Function, Options, Report, Side, Sweep, Values};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::explain::semantics;
use crate::patience::patiently;
use crate::raise;
use crate::snippet::Snippet;

/// One of the two computations: a snippet, whose reading of the manual it has and whose approximate functions, or a function and
/// its name.
#[derive(FromPyObject)]
pub enum Given {
    Snippet(Py<Snippet>, String, Option<String>),
    Function(Py<PyAny>, String),
}

/// Computes shard `i` of `n` and gives its report as JSON; see `margay.sweep`.
///
/// A function gets the number of elements and a list with the bytes of each input, and gives such a list for the outputs.
#[pyfunction]
#[pyo3(signature = (a, b, values, *, sample, seed, keep, shard, workers, max_steps=None))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn sweep(
    py: Python,
    a: Given,
    b: Given,
    values: Vec<(String, String)>,
    sample: Option<u64>,
    seed: u64,
    keep: usize,
    shard: (u64, u64),
    workers: usize,
    max_steps: Option<u64>,
) -> PyResult<String> {
    let wrong = |problem: Problem| raise::call_error(py, &problem);
    let raised = Mutex::new(None);
    let functions = [&a, &b].map(|side| match side {
        Given::Function(function, _) => Some(columns(function, &raised)),
        Given::Snippet(..) => None,
    });
    let sides = [(&a, &functions[0]), (&b, &functions[1])];
    let [a, b] = sides.map(|(side, function)| match (side, function) {
        (Given::Snippet(snippet, whose, approx), _) => {
            let semantics = semantics(py, whose, approx.as_deref(), raise::call_error)?;
            Ok(Side::Snippet(compiled(snippet), semantics))
        }
        (Given::Function(_, name), Some(function)) => Ok(Side::Function(name, function)),
        (Given::Function(..), None) => Err(wrong(Problem::new("a side is nothing that computes"))),
    });
    let mut sweep = Sweep::new(a?, b?).map_err(wrong)?;
    for (name, text) in &values {
        let values = Values::parse(text).map_err(|problem| wrong(problem.within(format!("`{name}`"))))?;
        sweep.set(name, values).map_err(wrong)?;
    }
    sweep.keep(keep);
    sample.into_iter().for_each(|count| sweep.sample(count, seed));
    let ended = patiently(py, |patience| {
        let look = || patience.look();
        let (cancel, look) = (Some(&patience.cancel), Some(&look as _));
        sweep.shard(shard.0, shard.1, &Options { workers, max_steps, cancel, look, progress: None })
    })?;
    if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    match ended {
        Ok(report) => Ok(report.to_json()),
        Err(Failure::Call(problem)) => Err(wrong(problem)),
        Err(Failure::Cancelled) => Err(PyKeyboardInterrupt::new_err(())),
        Err(Failure::Stopped(stopped)) => {
            let message = format!("{}; on input {}", stopped.message, stopped.element);
            Err(raise::call_error(py, &Problem::new(message)))
        }
    }
}

fn compiled(snippet: &Py<Snippet>) -> &Compiled {
    &snippet.get().0
}

/// A function of columns that may be called from any thread.
type Columns<'a> = Box<Function<'a>>;

/// A function of Python's as one of columns. The first exception that it raises is kept.
fn columns<'a>(function: &'a Py<PyAny>, raised: &'a Mutex<Option<PyErr>>) -> Columns<'a> {
    Box::new(move |count, inputs, outputs| {
        Python::attach(|py| {
            let call = || -> PyResult<Vec<Py<PyBytes>>> {
                let inputs: Vec<_> = inputs.iter().map(|bytes| PyBytes::new(py, bytes)).collect();
                function.call1(py, (count, inputs))?.extract(py)
            };
            let results = call().map_err(|error| {
                raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                Problem::new("the function raised an exception")
            })?;
            let fits = results.len() == outputs.len()
                && results
                    .iter()
                    .zip(outputs.iter())
                    .all(|(result, output)| result.as_bytes(py).len() == output.len());
            if !fits {
                return Err(Problem::new("the function's results have other sizes than the snippet's"));
            }
            outputs
                .iter_mut()
                .zip(&results)
                .for_each(|(output, result)| output.copy_from_slice(result.as_bytes(py)));
            Ok(())
        })
    })
}

/// The report of several shards, as JSON.
#[pyfunction]
pub fn merge(py: Python, reports: Vec<String>) -> PyResult<String> {
    let read = |text: &String| Report::from_json(text);
    let merged = reports.iter().map(read).reduce(|one, other| one?.merge(&other?));
    let merged = merged.unwrap_or_else(|| Err(Problem::new("there are no reports to merge")));
    merged.map(|report| report.to_json()).map_err(|problem| raise::call_error(py, &problem))
}

/// The inputs that a report, as JSON, leaves open: runs of their numbers.
#[pyfunction]
pub fn missing(py: Python, report: &str) -> PyResult<Vec<(u64, u64)>> {
    let report = Report::from_json(report).map_err(|problem| raise::call_error(py, &problem))?;
    Ok(report.missing().into_iter().map(|[start, end]| (start, end)).collect())
}
