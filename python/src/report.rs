//! What a launch did, as Python objects.

use margay::exec::{Dim, Engine, Finding as Found, Report as Done, Simd};
use margay::fidelity::Fidelity;
use margay::front::module::FunctionId;
use margay::isa::Semantics;
use margay::located::Located;
use margay::profile::Profile;
use margay::report::{Report as Account, Warning};
use pyo3::prelude::*;

/// An instruction that a thread executed.
#[pyclass(frozen, get_all, module = "margay")]
#[derive(Clone)]
pub struct Act {
    /// What it did there, such as `write of 4 bytes`.
    what: String,
    /// The function it stands in.
    function: String,
    /// The line of the PTX text, from 1.
    line: usize,
    /// The instruction as it stands there.
    instruction: String,
    /// The thread in its block: x, y, z.
    thread: (u32, u32, u32),
    /// The block in the grid: x, y, z.
    block: (u32, u32, u32),
}

/// Something wrong that a kernel did without being stopped.
#[pyclass(frozen, get_all, module = "margay")]
#[derive(Clone)]
pub struct Finding {
    /// Who found it: `race`, `init` or `sync`.
    sanitizer: &'static str,
    /// What is wrong.
    message: String,
    /// How often it was seen.
    count: u64,
    /// What did it: one instruction, or the two that race or disagree.
    acts: Vec<Act>,
    /// All of it as the command shows it, with its lines.
    text: String,
}

#[pymethods]
impl Act {
    fn __repr__(&self) -> String {
        format!("<{} by thread {:?} of block {:?}, line {}>", self.what, self.thread, self.block, self.line)
    }
}

#[pymethods]
impl Finding {
    /// As a table, for notebooks.
    fn _repr_html_<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("margay._html")?.call_method1("finding", (slf,))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<{}: {}>", self.sanitizer, self.message)
    }
}

/// Findings with the lines that they are about.
pub fn findings(located: Located, kernel: &str, found: &[Found]) -> Vec<Finding> {
    let one = |found: &Found| {
        let text = located.finding_text(found, kernel, false).trim_end().to_string();
        let margay::report::Finding { sanitizer, message, count, acts } = located.finding(found);
        let act = |act: margay::report::Act| Act {
            what: act.what,
            function: act.function,
            line: act.line,
            instruction: act.instruction,
            thread: act.thread.into(),
            block: act.block.into(),
        };
        Finding { sanitizer, message, count, acts: acts.into_iter().map(act).collect(), text }
    };
    found.iter().map(one).collect()
}

/// A remark about a launch, or about one line of its PTX text.
#[pyclass(frozen, get_all, eq, module = "margay")]
#[derive(Clone, PartialEq)]
pub struct Remark {
    /// The line of the PTX text, from 1, if it is about one.
    line: Option<usize>,
    /// The remark.
    message: String,
    /// All of it, with the name of the text.
    text: String,
}

#[pymethods]
impl Remark {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.text)
    }
}

/// What a launch did: threads, instructions, time, and what is to be said of it. Its text is what the command prints.
#[pyclass(frozen, module = "margay")]
pub struct Report {
    account: Account,
    findings: Vec<Finding>,
}

/// What was asked for.
pub struct Told<'a> {
    pub kernel: &'a str,
    pub semantics: &'a str,
    pub grid: Dim,
    pub block: Dim,
    pub cluster: Option<Dim>,
    pub shared_bytes: u64,
    pub contract: bool,
    pub computed: Semantics,
    /// Whether what was executed, and what stands behind its results, is to be told.
    pub profile: bool,
    pub fidelity: bool,
}

impl Report {
    pub fn new(
        located: Located,
        entry: FunctionId,
        told: &Told,
        (watched, warnings): (&[String], &[Warning]),
        done: Done,
    ) -> Report {
        let axes = |dim: Dim| [dim.x, dim.y, dim.z];
        let names = ["race", "init", "sync"].into_iter().filter(|name| watched.iter().any(|w| w == name));
        let counted = done.profile.as_ref().filter(|_| told.fidelity);
        let fidelity = counted.map(|counted| Fidelity::new(&located, counted, told.computed));
        let profile = done
            .profile
            .filter(|_| told.profile)
            .map(|counted| Profile::new(located.module, &located.source.text, entry, &counted, false));
        let account = Account {
            file: located.source.name.clone(),
            entry: told.kernel.to_string(),
            grid: axes(told.grid),
            block: axes(told.block),
            cluster: told.cluster.map(axes),
            shared: told.shared_bytes,
            semantics: told.semantics.to_string(),
            contract: told.contract,
            engine: Engine::name(done.choice.engine),
            simd: done.choice.simd.map(Simd::name),
            engine_reason: done.choice.reason,
            handed_over: Some(done.handed_over),
            threads: done.threads,
            instructions: Some(done.instructions),
            fidelity,
            seconds: done.elapsed.as_secs_f64(),
            stdout: done.printed,
            inputs: Vec::new(),
            trace: Vec::new(),
            outputs: Vec::new(),
            warnings: warnings.to_vec(),
            error: None,
            sanitizers: ["memory"].into_iter().chain(names).collect(),
            findings: done.findings.iter().map(|found| located.finding(found)).collect(),
            profile,
        };
        Report { account, findings: findings(located, told.kernel, &done.findings) }
    }
}

#[pymethods]
impl Report {
    /// The kernel that ran.
    #[getter]
    fn kernel(&self) -> &str {
        &self.account.entry
    }

    /// Threads of the grid.
    #[getter]
    fn threads(&self) -> u64 {
        self.account.threads
    }

    /// Instructions that they executed, those with a false guard included.
    #[getter]
    fn instructions(&self) -> u64 {
        self.account.instructions.unwrap_or_default()
    }

    /// How long it took, without conversion of arguments.
    #[getter]
    fn seconds(&self) -> f64 {
        self.account.seconds
    }

    /// What the kernel printed.
    #[getter]
    fn printed(&self) -> &str {
        &self.account.stdout
    }

    /// The engine that ran it: `batch` or `golden`.
    #[getter]
    fn engine(&self) -> &str {
        self.account.engine
    }

    /// Why it was not the engine that was asked for.
    #[getter]
    fn engine_reason(&self) -> Option<&str> {
        self.account.engine_reason
    }

    /// The vector instructions that the engine used, if it uses any.
    #[getter]
    fn simd(&self) -> Option<&str> {
        self.account.simd
    }

    /// Blocks that the batch engine began and the golden engine went on with.
    #[getter]
    fn handed_over(&self) -> u64 {
        self.account.handed_over.unwrap_or_default()
    }

    /// Lines of which a device makes something else than the manual, where what the manual says was computed.
    #[getter]
    fn warnings(&self) -> Vec<Remark> {
        let remark = |warning: &Warning| Remark {
            line: warning.line,
            message: warning.message.clone(),
            text: warning.text(&self.account.file),
        };
        self.account.warnings.iter().map(remark).collect()
    }

    /// What sanitizers found; a list.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("margay._html")?.call_method1("Findings", (self.findings.clone(),))
    }

    /// What was executed, as `margay run --format json` tells it; None unless it was asked for.
    #[getter]
    fn profile<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(profile) = &self.account.profile else { return Ok(None) };
        let text = serde_json::to_string(profile).unwrap_or_default();
        let data = py.import("json")?.call_method1("loads", (text,))?;
        py.import("margay._html")?.call_method1("Profile", (data,)).map(Some)
    }

    /// What stands behind the results, as `margay run --fidelity --format json` tells it; None unless it was asked for.
    #[getter]
    fn fidelity<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(fidelity) = &self.account.fidelity else { return Ok(None) };
        let text = serde_json::to_string(fidelity).unwrap_or_default();
        py.import("json")?.call_method1("loads", (text,)).map(Some)
    }

    /// As a table, for notebooks.
    fn _repr_html_<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("margay._html")?.call_method1("report", (slf,))
    }

    fn __str__(&self) -> String {
        self.account.to_string().trim_end().to_string()
    }

    fn __repr__(&self) -> String {
        let ran = self.account.to_string();
        let what = ran.lines().nth(1).unwrap_or_default();
        format!("<{}: {what}>", self.account.entry)
    }
}
