//! A launch of a module's kernel, and the account of it.

use crate::failure::{Failure, MARGAY_REFUSED, MARGAY_TRAP};
use crate::module::Module;
use margay_doors::report::{Report, Warning};
use margay_exec::{Choice, Dim, Engine, Error, Launch, Sanitize, Simd};
use margay_isa::{Semantics, Target};
use std::ffi::CString;

/// How a kernel is launched.
#[derive(Default)]
pub struct Options {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: Option<[u32; 3]>,
    pub shared_bytes: u64,
    pub engine: Engine,
    pub semantics: Semantics,
    pub sanitize: Sanitize,
    pub workers: usize,
    pub max_steps: Option<u64>,
    pub schedule_seed: Option<u64>,
    pub unordered: bool,
    pub contract: bool,
    pub device: Option<Target>,
}

/// The account of a launch, in the forms in which it is asked for.
pub struct Outcome {
    pub report: Report,
    /// What the kernel printed.
    pub printed: CString,
    /// What went wrong and what was found, for people.
    pub text: CString,
    /// The warnings, for people.
    pub warnings: CString,
    /// All of it as JSON.
    pub json: CString,
}

/// Launches a kernel with a parameter block. If nothing ran there is no account.
pub fn run(
    module: &Module,
    kernel: u32,
    options: &Options,
    parameters: Vec<u8>,
) -> (Option<Outcome>, Result<(), Failure>) {
    match launch(module, kernel, options, parameters) {
        Ok((outcome, ended)) => (Some(outcome), ended),
        Err(failure) => (None, Err(failure)),
    }
}

fn launch(
    module: &Module,
    kernel: u32,
    options: &Options,
    parameters: Vec<u8>,
) -> Result<(Outcome, Result<(), Failure>), Failure> {
    let (found, function) = module.kernel(kernel)?;
    let located = module.located();
    let wrong = |error| Failure::of(MARGAY_REFUSED, &located.wrong_call(&error));
    let launch = Launch {
        grid: options.grid.into(),
        block: options.block.into(),
        cluster: options.cluster.or(function.performance.reqnctapercluster).map(Dim::from),
        shared_bytes: options.shared_bytes,
        parameters,
        engine: options.engine,
        semantics: options.semantics,
        max_steps: options.max_steps,
        workers: options.workers,
        schedule_seed: options.schedule_seed,
        unordered: options.unordered,
        contract: options.contract,
        device: options.device,
        sanitize: options.sanitize,
        ..Launch::new(found.id)
    };
    let choice = launch.choice(&module.program).map_err(wrong)?;
    let begun = std::time::Instant::now();
    // What is written is known to one watched launch at a time.
    let ended = match options.sanitize.any() {
        true => launch.run(&module.program, &module.device.alone()),
        false => launch.run(&module.program, &module.device.shared()),
    };
    let seconds = begun.elapsed().as_secs_f64();
    let mut report = empty(module, &function.name, &launch, choice, seconds);
    if options.semantics != Semantics::Ptxas13_5 {
        let errata = || located.errata(found.id, Semantics::Manual);
        report.warnings = found.errata.get_or_init(errata).clone();
    }
    let (findings, mut ended) = match ended {
        Err(Error::Launch(error)) => return Err(wrong(error)),
        Err(Error::Trap(trap)) => {
            report.error = Some(located.failure(&trap));
            report.stdout = trap.printed.clone();
            let text = located.trap(&trap, false);
            (trap.findings, Err(Failure { status: MARGAY_TRAP, text }))
        }
        Ok(done) => {
            report.instructions = Some(done.instructions);
            report.handed_over = Some(done.handed_over);
            report.stdout = done.printed;
            (done.findings, Ok(()))
        }
    };
    report.findings = findings.iter().map(|finding| located.finding(finding)).collect();
    let mut text: String = findings.iter().map(|f| located.finding_text(f, &function.name, false)).collect();
    if let Err(failure) = &mut ended {
        text += &failure.text;
    }
    let json = serde_json::to_string_pretty(&report).unwrap_or_default();
    let told = |w: &Warning| format!("warning: {}\n", w.text(&module.source.name));
    let warnings: String = report.warnings.iter().map(told).collect();
    let [printed, text, warnings, json] = [&report.stdout, &text, &warnings, &json].map(|text| c_text(text));
    Ok((Outcome { report, printed, text, warnings, json }, ended))
}

fn empty(module: &Module, entry: &str, launch: &Launch, choice: Choice, seconds: f64) -> Report {
    let axes = |dim: Dim| [dim.x, dim.y, dim.z];
    let counts = launch.grid.count().zip(launch.block.count());
    let Sanitize { memory: _, race, init, sync } = launch.sanitize;
    let watched = [(true, "memory"), (race, "race"), (init, "init"), (sync, "sync")];
    let semantics = match launch.semantics {
        Semantics::Manual => "manual",
        Semantics::Rounded => "rounded",
        Semantics::Ptxas13_5 => "ptxas-13.5",
    };
    Report {
        file: module.source.name.clone(),
        entry: entry.to_string(),
        grid: axes(launch.grid),
        block: axes(launch.block),
        cluster: launch.cluster.map(axes),
        shared: launch.shared_bytes,
        semantics: semantics.to_string(),
        contract: launch.contract,
        engine: choice.engine.name(),
        simd: choice.simd.map(Simd::name),
        engine_reason: choice.reason,
        handed_over: None,
        threads: counts.map_or(u64::MAX, |(blocks, threads)| blocks.saturating_mul(threads)),
        instructions: None,
        seconds,
        stdout: String::new(),
        inputs: Vec::new(),
        trace: Vec::new(),
        outputs: Vec::new(),
        warnings: Vec::new(),
        error: None,
        sanitizers: watched.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect(),
        findings: Vec::new(),
        profile: None,
        fidelity: None,
    }
}

/// A text for C, where a zero byte ends it: one inside becomes U+FFFD.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}
