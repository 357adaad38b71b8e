//! What all launches of a program executed, added up by kernel: for people as tables, for programs as JSON, for lcov as a tracefile.

use std::fmt::Write;
use std::sync::Arc;

use margay_exec as exec;
use margay_front::Source;
use margay_front::module::{FunctionId, Module};
use serde::Serialize;
use twox_hash::XxHash3_128;

use crate::count::counted;
use crate::coverage::lcov;
use crate::problem::visible;
use crate::profile::Profile;

/// What was launched so far.
///
/// ```
/// use margay::exec::{Launch, Memory, Program};
/// use margay::front::{Source, compile};
/// use margay::launches::Launches;
/// use std::sync::Arc;
/// let source = Source::new("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }");
/// let module = Arc::new(compile(&source.text).unwrap());
/// let mut memory = Memory::new(64);
/// let program = Program::load(&module, &mut memory).unwrap();
/// let entry = module.entry("k").unwrap();
/// let mut launches = Launches::default();
/// let at = launches.module(&source, &module);
/// for _ in 0..3 {
///     let report = Launch { profile: true, ..Launch::new(entry) }.run(&program, &memory).unwrap();
///     launches.ended(at, entry, report.profile.as_deref());
/// }
/// launches.ended(at, entry, None);
/// assert!(launches.profile(|name| name.to_string()).starts_with("kernel `k` of k-"));
/// assert!(launches.coverage(|name| name.to_string()).contains("FNDA:3,k\n"));
/// ```
#[derive(Default)]
pub struct Launches {
    modules: Vec<Launched>,
}

/// A module of which kernels were launched.
struct Launched {
    source: Source,
    module: Arc<Module>,
    /// In the order of their first launches.
    kernels: Vec<Sum>,
}

/// All launches of a kernel.
struct Sum {
    kernel: FunctionId,
    launches: u64,
    stopped: u64,
    counted: exec::Profile,
}

/// The launches of a kernel, for programs.
#[derive(Serialize)]
struct Kernel<'a> {
    kernel: &'a str,
    ptx: String,
    launches: u64,
    stopped: u64,
    profile: Profile,
}

#[derive(Serialize)]
struct Kernels<'a> {
    kernels: Vec<Kernel<'a>>,
}

/// Letters of a kernel's name that the name of a file has.
const SHOWN: usize = 40;

impl Launches {
    /// The number of a module: modules of the same text are one.
    pub fn module(&mut self, source: &Source, module: &Arc<Module>) -> usize {
        let known = self.modules.iter().position(|known| known.source.text == source.text);
        known.unwrap_or_else(|| {
            self.modules.push(Launched {
                source: source.clone(),
                module: module.clone(),
                kernels: Vec::new(),
            });
            self.modules.len() - 1
        })
    }

    /// A launch of a module's kernel has ended, with what was counted of it; nothing if it was stopped.
    pub fn ended(&mut self, module: usize, kernel: FunctionId, counted: Option<&exec::Profile>) {
        let kernels = &mut self.modules[module].kernels;
        let at = kernels.iter().position(|sum| sum.kernel == kernel).unwrap_or_else(|| {
            let counted = exec::Profile::default();
            kernels.push(Sum { kernel, launches: 0, stopped: 0, counted });
            kernels.len() - 1
        });
        let sum = &mut kernels[at];
        sum.launches += 1;
        match counted {
            Some(counted) => sum.counted.add(counted),
            None => sum.stopped += 1,
        }
    }

    /// Names for files with the PTX of all modules, and the PTX: the same text has the same name in every run.
    pub fn texts(&self) -> impl Iterator<Item = (String, &str)> {
        self.modules.iter().map(|module| (module.file(), module.source.text.as_str()))
    }

    /// Tables of what each kernel executed; `file` says how the file with the PTX of such a name is called.
    pub fn profile(&self, file: impl Fn(&str) -> String) -> String {
        let mut out = String::new();
        for (module, sum) in self.sums() {
            let (name, ptx) = (module.name(sum), file(&module.file()));
            let stopped = match sum.stopped {
                0 => String::new(),
                n => format!(", {n} of them stopped and not counted here"),
            };
            let times = counted(sum.launches, "launch");
            let gap = if out.is_empty() { "" } else { "\n" };
            let _ = writeln!(out, "{gap}kernel `{}` of {}: {times}{stopped}", visible(name), visible(&ptx));
            if sum.stopped < sum.launches {
                let _ = write!(out, "{}", module.profile(sum));
            }
        }
        out
    }

    /// The same for programs: an object with the list `kernels`, each with a `profile` as a launch's report has it.
    pub fn profile_json(&self, file: impl Fn(&str) -> String) -> String {
        let kernels = self.sums().map(|(module, sum)| Kernel {
            kernel: module.name(sum),
            ptx: file(&module.file()),
            launches: sum.launches,
            stopped: sum.stopped,
            profile: module.profile(sum),
        });
        let all = Kernels { kernels: kernels.collect() };
        let text = serde_json::to_string_pretty(&all).expect("numbers and strings are JSON");
        text + "\n"
    }

    /// A tracefile for lcov.
    pub fn coverage(&self, file: impl Fn(&str) -> String) -> String {
        let mut out = String::new();
        for module in &self.modules {
            let mut all = exec::Profile::default();
            module.kernels.iter().for_each(|sum| all.add(&sum.counted));
            out += &lcov(&module.module, &file(&module.file()), &module.source.text, &all);
        }
        out
    }

    fn sums(&self) -> impl Iterator<Item = (&Launched, &Sum)> {
        self.modules.iter().flat_map(|module| module.kernels.iter().map(move |sum| (module, sum)))
    }
}

impl Launched {
    fn name(&self, sum: &Sum) -> &str {
        &self.module.function(sum.kernel).name
    }

    fn profile(&self, sum: &Sum) -> Profile {
        Profile::new(&self.module, &self.source.text, sum.kernel, &sum.counted, false)
    }

    /// A name for a file with the PTX: the first kernel's, and what tells texts apart.
    fn file(&self) -> String {
        let kernel = self.module.entries().next().map_or("module", |kernel| kernel.name.as_str());
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let kernel: String = kernel.chars().map(plain).take(SHOWN).collect();
        format!("{kernel}-{:016x}.ptx", XxHash3_128::oneshot(self.source.text.as_bytes()) as u64)
    }
}
