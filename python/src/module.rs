//! A PTX module in the memory of a device of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use margay::amount::bytes;
use margay::exec::memory::Fault;
use margay::exec::{LaunchError, Memory, Program};
use margay::front::check::Options;
use margay::front::module::{FunctionId, Space, Variable};
use margay::front::{Severity, Source};
use margay::isa::Semantics;
use margay::located::Located;
use margay::problem::Problem;
use margay::report::Warning;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::argument::{Integer, describe, integer};
use crate::diagnostic::{self, Diagnostic};
use crate::patience::patiently;
use crate::raise;

/// A PTX module; see `margay.RawModule`, which is made of it.
#[pyclass(frozen, module = "margay._margay")]
pub struct Module {
    source: Source,
    module: Arc<margay::front::module::Module>,
    program: Program<'static>,
    /// The device's memory, with the module's variables. Launches use it side by side, each with a share of its own.
    memory: Memory,
    /// Shares that no launch uses now.
    shares: Mutex<Vec<Memory>>,
    found: Vec<Diagnostic>,
    /// What devices make of kernels otherwise than the manual, once that was asked.
    errata: Mutex<HashMap<FunctionId, Arc<Vec<Warning>>>>,
}

/// A parameter of a kernel.
#[pyclass(frozen, get_all, module = "margay")]
#[derive(Clone)]
pub struct Parameter {
    /// Its name.
    name: String,
    /// The PTX type of an element, such as `u32`.
    r#type: String,
    /// Bytes.
    size: u64,
    /// Whether it is a structure by value.
    is_struct: bool,
    /// Type and name.
    text: String,
}

#[pymethods]
impl Parameter {
    fn __repr__(&self) -> String {
        format!("<parameter {}>", self.text)
    }
}

impl Module {
    /// The text and the module that it became.
    pub fn located(&self) -> Located<'_> {
        Located { source: &self.source, module: &self.module }
    }

    pub fn program(&self) -> &Program<'static> {
        &self.program
    }

    /// A share of the device's memory for a launch, which gives it back as it was by [`Module::keep`].
    pub fn share(&self) -> Result<Memory, LaunchError> {
        let kept = self.shares.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.map_or_else(|| self.memory.share(), Ok)
    }

    /// Keeps a share for the next launch.
    pub fn keep(&self, share: Memory) {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner).push(share);
    }

    /// Does something with the device's memory while the interpreter's lock is free.
    fn with_memory<T: Send>(
        &self,
        py: Python,
        work: impl FnOnce(&mut Memory) -> Result<T, Fault> + Send,
    ) -> PyResult<T> {
        let mut share = self.share().map_err(|error| raise::refused(py, self.located(), &error))?;
        let done = patiently(py, |_| work(&mut share))?;
        self.keep(share);
        done.map_err(|fault| raise::launch_error(py, &Problem::new(fault.to_string())))
    }

    /// The kernel of a name.
    pub fn entry(&self, py: Python, name: &str) -> PyResult<FunctionId> {
        let found = self.module.entry(name).filter(|id| self.module.function(*id).is_defined);
        found.ok_or_else(|| {
            let problem = Problem::new(format!("the module has no kernel `{name}`"));
            raise::launch_error(py, &problem.help(listed(&self.kernels())))
        })
    }

    /// The lines that a kernel can reach of which a device makes something else than these semantics. They
    /// do not depend on whose approximate functions are computed.
    pub fn errata_of(&self, kernel: FunctionId, semantics: Semantics) -> Arc<Vec<Warning>> {
        if semantics == Semantics::Ptxas13_5 {
            return Arc::default();
        }
        let mut errata = self.errata.lock().unwrap_or_else(PoisonError::into_inner);
        errata.entry(kernel).or_insert_with(|| Arc::new(self.located().errata(kernel, semantics))).clone()
    }

    /// The address of a variable, and what it is.
    fn variable(&self, py: Python, name: &str) -> PyResult<(u64, &Variable)> {
        let found = self
            .module
            .global(name)
            .and_then(|id| Some((self.program.address(id)?, self.module.variable(id))));
        found.ok_or_else(|| {
            let problem =
                Problem::new(format!("the module has no variable `{name}` in global or constant memory"));
            raise::launch_error(py, &problem.help(listed(&self.variables())))
        })
    }
}

/// A number of bytes: an integer, or text such as `500M`.
fn amount(value: &Bound<PyAny>) -> PyResult<u64> {
    let py = value.py();
    let wrong = |problem: Problem| raise::launch_error(py, &problem.within("`memory=`"));
    if let Ok(text) = value.extract::<String>() {
        return bytes(&text).map_err(wrong);
    }
    match integer(value)? {
        Integer::Is(number) if number >= 0 => Ok(u64::try_from(number).unwrap_or(u64::MAX)),
        Integer::TooLarge => Ok(u64::MAX),
        _ => {
            let problem = Problem::new(format!("`{}` is not a number of bytes", value.repr()?));
            Err(wrong(problem.help("pass an integer from 0 on, or text such as `500M`")))
        }
    }
}

fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let shown: Vec<_> = names.iter().take(20).map(|name| format!("`{}`", name.as_ref())).collect();
    match shown.is_empty() {
        true => "it has none".to_string(),
        false => format!("it has {}{}", shown.join(", "), if names.len() > 20 { ", …" } else { "" }),
    }
}

#[pymethods]
impl Module {
    #[new]
    #[pyo3(signature = (text, name, target, memory=None))]
    fn new(
        py: Python,
        text: &[u8],
        name: &str,
        target: Option<&str>,
        memory: Option<&Bound<PyAny>>,
    ) -> PyResult<Module> {
        let options = Options { target: diagnostic::target(py, target)?, ..Options::to_run() };
        let source = Source::from_bytes(name, text.to_vec());
        let (source, checked) = diagnostic::checked(py, source, options)?;
        let Some(module) = checked.module else {
            return Err(raise::ptx_error(py, &source, &checked.diagnostics));
        };
        let module = Arc::new(module);
        let size = memory.map(amount).transpose()?;
        let mut memory = Memory::new(module.address_size());
        if let Some(bytes) = size {
            memory.set_size(bytes);
        }
        let program = Program::share(module.clone(), &mut memory)
            .map_err(|error| raise::refused(py, Located { source: &source, module: &module }, &error))?;
        let heard: Vec<_> =
            checked.diagnostics.into_iter().filter(|found| found.severity != Severity::Error).collect();
        let found = diagnostic::list(&source, &heard);
        let (shares, errata) = Default::default();
        Ok(Module { source, module, program, memory, shares, found, errata })
    }

    /// Names of the kernels, in the order of the text.
    #[getter]
    fn kernels(&self) -> Vec<String> {
        self.module.entries().filter(|entry| entry.is_defined).map(|entry| entry.name.clone()).collect()
    }

    /// Names of the variables in global and constant memory.
    #[getter]
    fn variables(&self) -> Vec<String> {
        let global = |v: &&Variable| v.owner.is_none() && matches!(v.space, Space::Global | Space::Const);
        self.module.variables().iter().filter(global).map(|v| v.name.clone()).collect()
    }

    /// Warnings and notes about the text.
    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.found.clone()
    }

    /// What the text is called, usually a file name.
    #[getter]
    fn name(&self) -> &str {
        &self.source.name
    }

    /// Version, target, bits of an address.
    #[getter]
    fn about(&self) -> (String, String, u32) {
        let module = &self.module;
        (module.version().to_string(), module.target().to_string(), module.address_size())
    }

    /// The parameters of a kernel.
    fn parameters(&self, py: Python, kernel: &str) -> PyResult<Vec<Parameter>> {
        let kernel = self.module.function(self.entry(py, kernel)?);
        let parameter = |p: &margay::front::module::Parameter| Parameter {
            name: p.name.clone(),
            r#type: p.element.to_string(),
            size: p.size,
            is_struct: p.is_array,
            text: describe(p),
        };
        Ok(kernel.parameters.iter().map(parameter).collect())
    }

    /// A note for each line of a kernel that ptxas computes in another way than the manual says: line and text.
    fn errata(&self, py: Python, kernel: &str) -> PyResult<Vec<(Option<usize>, String)>> {
        let warnings = self.errata_of(self.entry(py, kernel)?, Semantics::Manual);
        Ok(warnings.iter().map(|warning| (warning.line, warning.message.clone())).collect())
    }

    /// The element type of a variable, and its dimensions, outermost first.
    fn shape(&self, py: Python, variable: &str) -> PyResult<(String, Vec<u64>)> {
        let (_, variable) = self.variable(py, variable)?;
        let mut shape = variable.dimensions.clone();
        shape.extend((variable.vector > 1).then_some(u64::from(variable.vector)));
        Ok((variable.element.to_string(), shape))
    }

    /// The bytes of a variable.
    fn read<'py>(&self, py: Python<'py>, variable: &str) -> PyResult<Bound<'py, PyBytes>> {
        let (address, variable) = self.variable(py, variable)?;
        let bytes = self.with_memory(py, |memory| memory.read(address, variable.size))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Replaces the bytes of a variable.
    fn write(&self, py: Python, variable: &str, bytes: &[u8]) -> PyResult<()> {
        let (address, variable) = self.variable(py, variable)?;
        if bytes.len() as u64 != variable.size {
            let (name, size) = (&variable.name, variable.size);
            let problem =
                Problem::new(format!("variable `{name}` has {size} bytes, and {} are given", bytes.len()));
            return Err(raise::launch_error(py, &problem));
        }
        self.with_memory(py, |memory| memory.write(address, bytes))
    }
}
