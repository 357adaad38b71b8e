//! Instructions and inline assembly over NumPy arrays.

use margay::exec::LaunchError;
use margay::front::source::LineIndex;
use margay::isa::{Kind, Ty};
use margay::problem::Problem;
use margay::snippet::{Column, Failure, Input, Options, Refusal, Snippet as Compiled};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::argument::{Integer, integer, integer_bytes};
use crate::array::{Bytes, apart};
use crate::explain::semantics;
use crate::launch::{engine, level};
use crate::patience::patiently;
use crate::raise;

/// One instruction, or inline assembly with operands, ready for arrays; see `margay.eval` and `margay.asm`.
#[pyclass(frozen, module = "margay._margay")]
pub struct Snippet(pub Compiled);

/// Name, PTX type, bytes of an element.
type Operand = (String, String, usize);

/// The value of an operand that is read, while Python's lock is not held.
enum Read {
    Each(Bytes),
    Same(u128),
}

#[pymethods]
impl Snippet {
    /// One instruction whose operands are placeholders or constants.
    #[staticmethod]
    fn instruction(py: Python, text: &str) -> PyResult<Snippet> {
        Compiled::instruction(text).map(Snippet).map_err(|refusal| refused(py, refusal))
    }

    /// Inline assembly; `constants` are the values of constraint `n`, in order.
    #[staticmethod]
    fn asm(py: Python, template: &str, constraints: &str, constants: Vec<i128>) -> PyResult<Snippet> {
        let compiled = Compiled::asm_with(template, constraints, &constants);
        compiled.map(Snippet).map_err(|refusal| refused(py, refusal))
    }

    /// The places of constants among the sources that constraints name.
    #[staticmethod]
    fn constants(py: Python, constraints: &str) -> PyResult<Vec<usize>> {
        Compiled::constants(constraints).map_err(|refusal| refused(py, refusal))
    }

    /// The operands that are read, in order.
    #[getter]
    fn inputs(&self) -> Vec<Operand> {
        self.0.inputs().iter().map(operand).collect()
    }

    /// The operands that are written, in order.
    #[getter]
    fn outputs(&self) -> Vec<Operand> {
        self.0.outputs().iter().map(operand).collect()
    }

    /// What ptxas makes otherwise of its instructions than the manual, each form once.
    #[getter]
    fn errata(&self) -> Vec<String> {
        self.0.errata().to_vec()
    }

    /// Computes `count` elements: inputs are arrays or integers, outputs are arrays that are filled.
    #[pyo3(signature = (count, inputs, outputs, *, engine="batch", simd=None, workers=0, semantics="manual", approx=None,
        max_steps=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn apply(
        &self,
        py: Python,
        count: usize,
        inputs: Vec<Bound<PyAny>>,
        outputs: Vec<Bound<PyUntypedArray>>,
        engine: &str,
        simd: Option<&str>,
        workers: usize,
        semantics: &str,
        approx: Option<&str>,
        max_steps: Option<u64>,
    ) -> PyResult<()> {
        let engine = self::engine(py, engine)?;
        let semantics = self::semantics(py, semantics, approx, raise::call_error)?;
        let simd = simd.map(|name| level(py, name)).transpose()?;
        let wrong = |problem: Problem| raise::call_error(py, &problem);
        let mut read = Vec::new();
        for (at, value) in inputs.iter().enumerate() {
            let name = self.0.inputs().get(at).map_or("", |column| &column.name);
            let within = |problem: Problem| wrong(problem.within(format!("operand `{name}`")));
            read.push(match value.cast::<PyUntypedArray>() {
                Ok(array) => Read::Each(Bytes::of(array)?.map_err(within)?),
                Err(_) => Read::Same(self.same(value, at)?.map_err(within)?),
            });
        }
        let mut written = Vec::new();
        for array in &outputs {
            written.push(Bytes::of(array)?.map_err(wrong)?);
        }
        let arrays: Vec<&Bytes> = read.iter().filter_map(Read::array).collect();
        let mut filled = apart(&arrays, &mut written).map_err(|error| wrong(problem(error)))?;
        let given: Vec<Input> = read.iter().map(Read::input).collect();
        let ended = patiently(py, |patience| {
            let look = || patience.look();
            let (cancel, look) = (Some(&patience.cancel), Some(&look as _));
            let options =
                Options { engine, simd, semantics, workers, max_steps, cancel, look, progress: None };
            self.0.apply(count, &given, &mut filled, &options)
        })?;
        ended.map_err(|failure| match failure {
            Failure::Call(problem) => wrong(problem),
            Failure::Cancelled => PyKeyboardInterrupt::new_err(()),
            Failure::Stopped(stopped) => {
                let source = self.0.source();
                let line = stopped.span.map(|span| LineIndex::new(&source.text).line_of(span.start) + 1);
                raise::stopped(py, source, &stopped, line)
            }
        })
    }
}

impl Snippet {
    /// The bits of an integer for an operand.
    fn same(&self, value: &Bound<PyAny>, at: usize) -> PyResult<Result<u128, Problem>> {
        let Some(column) = self.0.inputs().get(at) else {
            // That there are too many is said where they are applied.
            return Ok(Ok(0));
        };
        Ok(match integer(value)? {
            // Bits are taken whatever the operand's sign; what numbers fit is said where they are converted.
            Integer::Is(number) => integer_bytes(number, Ty { kind: Kind::Untyped, ..column.ty }),
            Integer::TooLarge => {
                Err(Problem::new(format!("`{}` does not fit `{}`", value.str()?, column.ty)))
            }
            Integer::No => Err(Problem::new(format!("`{}` is not an integer", value.str()?))),
        })
    }
}

impl Read {
    fn array(&self) -> Option<&Bytes> {
        match self {
            Read::Each(bytes) => Some(bytes),
            Read::Same(_) => None,
        }
    }

    fn input(&self) -> Input<'_> {
        match self {
            Read::Each(bytes) => Input::Each(bytes.shared()),
            Read::Same(bits) => Input::Same(*bits),
        }
    }
}

fn operand(column: &Column) -> Operand {
    (column.name.clone(), column.ty.to_string(), column.bytes())
}

fn problem(error: LaunchError) -> Problem {
    Problem { message: error.message, help: error.help }
}

fn refused(py: Python, refusal: Refusal) -> PyErr {
    match refusal.other.as_deref() {
        None => raise::ptx_error(py, &refusal.source, &refusal.diagnostics),
        Some(other) if other.labels.is_empty() || other.problem.is_not_run() => {
            raise::call_error(py, &other.problem)
        }
        Some(_) => raise::call_error(py, &Problem::new(raise::unprefixed(&refusal.human(false)))),
    }
}
