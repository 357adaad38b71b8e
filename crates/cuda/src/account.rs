//! What is noted of launches where the environment asks for it: what sanitizers find, what was executed, which lines ran.

mod file;

use crate::failed::{Answer, Failed};
use crate::kernel::Kernel;
use crate::results::Code;
use crate::setting::Setting;
use file::{File, Tells};
use margay_doors::count::counted;
use margay_doors::launches::Launches;
use margay_doors::problem::Problem;
use margay_exec::{Finding, Profile, Sanitize};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many findings are shown; later ones are only counted.
const SHOWN: usize = 100;
/// Files are written anew while the program runs as long as that takes no more than one part of so many of its time.
const SHARE: u32 = 20;

/// What is noted of a process.
pub struct Account {
    pub sanitize: Sanitize,
    files: Vec<File>,
    launches: AtomicU64,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    sums: Launches,
    /// Numbers of modules there, by their handles.
    modules: HashMap<usize, usize>,
    /// What was found where.
    found: HashSet<Found>,
    times: u64,
    /// Launches in which something was found.
    wrong: u64,
    is_changed: bool,
    /// When files were last written, and how long that took.
    written: Option<(Instant, Duration)>,
    /// How much of the PTX has been written.
    texts: usize,
    has_failed: bool,
}

/// The module and the kernel, the sanitizer, and the places of what it found.
type Found = (usize, u32, &'static str, Vec<(u32, u32)>);

impl Account {
    pub fn new(setting: &Setting) -> Answer<Account> {
        let wrong = |problem: Problem| Failed::told(Code::INVALID_VALUE, &problem);
        let mut files = Vec::new();
        let is_json = |file: &Path| file.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
        let profile = |file| if is_json(file) { Tells::Json } else { Tells::Profile };
        let wanted = [
            ("MARGAY_PROFILE", setting.profile.as_deref().map(|file| (file, profile(file)))),
            ("MARGAY_COVERAGE", setting.coverage.as_deref().map(|file| (file, Tells::Lines))),
        ];
        for (variable, file, tells) in
            wanted.into_iter().filter_map(|(v, wanted)| wanted.map(|(f, t)| (v, f, t)))
        {
            let file = File::new(file, tells)
                .map_err(|problem| wrong(problem.within(format!("the environment variable `{variable}`"))))?;
            files.push(file);
        }
        if let [profile, coverage] = files.as_slice()
            && !profile.output.is_direct()
            && profile.output.is_same_file(&coverage.output)
        {
            let file = profile.output.file().display();
            let problem =
                Problem::new(format!("`MARGAY_PROFILE` and `MARGAY_COVERAGE` both name the file `{file}`"));
            return Err(wrong(problem.help("give each a file of its own")));
        }
        Ok(Account {
            sanitize: setting.sanitize,
            files,
            launches: AtomicU64::new(0),
            noted: Mutex::default(),
        })
    }

    /// Whether anything is noted.
    pub fn is_kept(&self) -> bool {
        self.counts() || self.sanitize.any()
    }

    /// Whether launches count what they execute.
    pub fn counts(&self) -> bool {
        !self.files.is_empty()
    }

    /// The number of a launch that begins, from 1.
    pub fn begin(&self) -> u64 {
        self.launches.fetch_add(1, Relaxed) + 1
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a launch that has ended, or was stopped and counted nothing; gives what there is to be told.
    pub fn ended(
        &self,
        kernel: &Kernel,
        number: u64,
        findings: &[Finding],
        executed: Option<&Profile>,
    ) -> String {
        if !self.is_kept() {
            return String::new();
        }
        let mut noted = self.noted();
        if self.counts() {
            noted.is_changed = true;
            let known = noted.modules.get(&kernel.module.handle).copied();
            let at = known.unwrap_or_else(|| {
                let at = noted.sums.module(&kernel.module.source, &kernel.module.checked);
                noted.modules.insert(kernel.module.handle, at);
                at
            });
            noted.sums.ended(at, kernel.id, executed);
        }
        noted.tell(kernel, number, findings)
    }

    /// The program waits for what it has launched: files are written if it is time. Gives what there is to be told.
    pub fn synchronised(&self) -> String {
        if !self.counts() {
            return String::new();
        }
        let mut noted = self.noted();
        let is_time = noted.written.is_none_or(|(at, took)| at.elapsed() >= took * SHARE);
        if is_time { self.write(&mut noted, false) } else { String::new() }
    }

    /// The process ends. Gives what there is to be told.
    pub fn end(&self) -> String {
        let mut noted = self.noted();
        let told = self.write(&mut noted, true);
        if noted.times == 0 {
            return told;
        }
        let (times, launches) = (counted(noted.times, "finding"), counted(noted.wrong, "launch"));
        let shown = noted.found.len().min(SHOWN);
        format!("{told}margay: {times} in {launches}; each place is shown once, {shown} in all\n")
    }

    fn write(&self, noted: &mut Noted, is_end: bool) -> String {
        if !noted.is_changed || noted.has_failed {
            return String::new();
        }
        noted.is_changed = false;
        let begun = Instant::now();
        let (texts, mut told) = (noted.texts, String::new());
        for file in &self.files {
            // What goes into a pipe cannot be replaced, so it goes there once.
            if file.output.is_direct() && !is_end {
                noted.is_changed = true;
                continue;
            }
            match file.write(&noted.sums, texts) {
                Ok((written, said)) => {
                    noted.texts = written;
                    told += &said;
                }
                Err(problem) => {
                    noted.has_failed = true;
                    return Failed::told(Code::UNKNOWN, &problem).text;
                }
            }
        }
        noted.written = Some((begun, begun.elapsed()));
        told
    }
}

impl Noted {
    /// Findings of a launch that were not shown yet, as lines.
    fn tell(&mut self, kernel: &Kernel, number: u64, findings: &[Finding]) -> String {
        let mut told = String::new();
        let name = kernel.name.to_string_lossy();
        self.wrong += u64::from(!findings.is_empty());
        for finding in findings {
            self.times += finding.count;
            let places = finding.acts.iter().map(|act| (act.function.0, act.instruction.0)).collect();
            let found = (kernel.module.handle, kernel.id.0, finding.sanitizer.name(), places);
            if self.found.insert(found) && self.found.len() <= SHOWN {
                told += &format!("launch {number}, kernel `{name}`:\n");
                told += &kernel.module.located().finding_text(finding, &name, false);
            }
        }
        told
    }
}
