//! Compares margay with a device: `hardware [--without-device] [--parts N] [--share K/N] [--record FILE] [NAME …]`.
//!
//! It needs NVIDIA's driver and nothing else. What is asked: the experiments E1 to E16 on single instructions; `forms`, every form of every
//! instruction that computes; `products`, those of instructions on matrices, `sparse/N`, one on sparse ones; `cases`, kernels of
//! compilers; `kernels/N`, a part of random ones. A line is printed for each result that differs, with the first differences, and one
//! for each experiment. `--record` writes digests of the device's results, which `--recorded FILE` holds margay against where no
//! device is. Without a device the golden engine stands in for one. `--parts` takes so many of the 256 parts of experiments on 2^32
//! operands, evenly spaced, `--share` one of so many shares of what is asked, `--contract` fuses products and sums as ptxas does.
//! `hardware dump FORM FIRST STEP COUNT FILE` writes results to a file.

mod asked;
mod cases;
mod device;
mod draw;
mod experiments;
mod forms;
mod kernels;
mod known;
mod one;
mod probe;
mod products;
mod record;
mod sweep;
mod table;

use asked::Asked;
use device::Device;
use experiments::{EXPERIMENTS, Inputs};
use margay_exec::Engine;
use margay_isa::Target;
use probe::{Margay, Runs, digest, words};
use products::Which;
use record::Record;
use std::collections::BTreeSet;
use std::process::ExitCode;

/// Of results that differ so many are printed.
const SHOWN: usize = 4;
/// Where a digest of many results differs, so many digests are looked at closer.
const CLOSER: usize = 2;
/// What the device's driver takes.
const VERSION: &str = "9.0";
const TARGET: &str = "sm_90";

/// What the command line says.
struct Settings {
    alone: bool,
    parts: usize,
    share: (usize, usize),
    record: Option<String>,
    recorded: Option<String>,
    contract: bool,
    names: Vec<String>,
}

fn settings() -> Result<Settings, String> {
    let mut settings = Settings {
        alone: false,
        parts: usize::MAX,
        share: (0, 1),
        record: None,
        recorded: None,
        contract: false,
        names: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("`{argument}` wants a value"));
        let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is no number"));
        match argument.as_str() {
            "--without-device" => settings.alone = true,
            "--contract" => settings.contract = true,
            "--record" => settings.record = Some(value()?),
            "--recorded" => settings.recorded = Some(value()?),
            "--parts" => settings.parts = number(&value()?)?,
            "--share" => {
                let text = value()?;
                let (k, n) = text.split_once('/').ok_or("`--share` is like `0/4`")?;
                settings.share = (number(k)?, number(n)?.max(1));
            }
            option if option.starts_with("--") => return Err(format!("there is no option `{option}`")),
            _ => settings.names.push(argument),
        }
    }
    Ok(settings)
}

/// What an experiment asks a device of this architecture.
fn asked(name: &str, parts: usize) -> Result<Vec<Asked>, String> {
    let (target, version) =
        (TARGET.parse().map_err(|_| "no target")?, VERSION.parse().map_err(|_| "no version")?);
    match name {
        "forms" => return Ok(forms::asked(target, version)),
        "cases" => return Ok(cases::asked()),
        "products" => return Ok(products::asked(target, version, Which::Dense)),
        _ => {}
    }
    if let Some((of, part)) = name.split_once('/') {
        let part: usize = part.parse().map_err(|_| format!("`{part}` is no number"))?;
        match of {
            "kernels" => return Ok(kernels::asked(part as u64)),
            "sparse" => {
                let asked = products::asked(target, version, Which::Sparse(part));
                return if asked.is_empty() {
                    Err(format!("there is no sparse form {part}"))
                } else {
                    Ok(asked)
                };
            }
            _ => {}
        }
    }
    let Some(experiment) = EXPERIMENTS.iter().find(|experiment| experiment.name == name) else {
        return Err(format!("no experiment is called `{name}`"));
    };
    let of = |form: &&'static str| match experiment.inputs.are_few() {
        true => table::asked(form, experiment.inputs, TARGET),
        false => sweep::asked(form, experiment.inputs, TARGET, parts),
    };
    experiment.forms.iter().map(of).collect()
}

/// How many results there were, and how many differ.
#[derive(Default)]
struct Tally {
    results: usize,
    differ: usize,
    refused: usize,
    /// Results that differ for a known reason, and the reasons.
    known: usize,
    reasons: BTreeSet<&'static str>,
}

struct Comparison<'c> {
    experiment: &'c str,
    device: &'c dyn Runs,
    ours: &'c dyn Runs,
    record: &'c mut Option<Record>,
    tally: Tally,
}

impl Comparison<'_> {
    fn compare(&mut self, asked: &Asked) {
        let theirs = match (self.device.run(&asked.probe), &asked.smaller) {
            (Ok(theirs), _) => theirs,
            (Err(_), Some(smaller)) => {
                smaller().iter().for_each(|asked| self.compare(asked));
                return;
            }
            (Err(why), None) => {
                self.tally.refused += 1;
                println!("{}\t{}\tthe device: {why}", self.experiment, asked.name());
                return;
            }
        };
        let ours = match self.ours.run(&asked.probe) {
            Ok(ours) => ours,
            Err(why) => {
                self.tally.refused += 1;
                println!("{}\t{}\tmargay: {why}", self.experiment, asked.name());
                return;
            }
        };
        let mut closer = 0;
        for (k, part) in asked.parts.iter().enumerate() {
            let [theirs, ours] = [&theirs, &ours].map(|left| words(&left[part.buffer][part.bytes.clone()]));
            if let Some(record) = self.record {
                record.add(self.experiment, &part.name, digest(theirs.iter().copied()));
            }
            let differing: Vec<usize> = (0..theirs.len()).filter(|at| theirs[*at] != ours[*at]).collect();
            self.tally.results += theirs.len();
            self.tally.differ += differing.len();
            if differing.is_empty() {
                continue;
            }
            if let Some(why) = known::reason(&part.name) {
                self.tally.known += 1;
                self.tally.differ -= differing.len();
                self.tally.reasons.insert(why);
                continue;
            }
            let first: Vec<String> = differing
                .iter()
                .take(SHOWN)
                .map(|at| format!("{} = {:x}, {:x}", (asked.sources)(k, *at), theirs[*at], ours[*at]))
                .collect();
            let (name, count, of) = (&part.name, differing.len(), theirs.len());
            println!("{}\t{name}\t{count} of {of} differ\t{}", self.experiment, first.join("; "));
            if let Some(look) = asked.closer.as_ref().filter(|_| closer < CLOSER) {
                closer += 1;
                let mut record = None;
                Comparison { record: &mut record, tally: Tally::default(), ..*self }
                    .compare(&look(k, differing[0]));
            }
        }
    }
}

fn compared(settings: &Settings) -> Result<bool, String> {
    if let Some(file) = &settings.record {
        Record::try_file(file).map_err(|error| format!("{file}: {error}"))?;
    }
    let device = match settings.alone {
        true => None,
        false => Some(Device::first().map_err(|error| {
            format!("there is no device: {error}; `--without-device` lets the golden engine stand in")
        })?),
    };
    let name = device.as_ref().map_or("no device: the golden engine", |device| &device.name);
    println!("# {name}");
    let target = |text: &str| text.parse::<Target>().ok();
    let of = |engine| Margay { engine, device: target(TARGET), contract: settings.contract };
    let (golden, ours) = (of(Engine::Golden), of(Engine::Batch));
    let device: &dyn Runs = device.as_ref().map_or(&golden, |device| device);
    let mut record = settings.record.as_ref().map(|_| Record::new(name));
    let every = EXPERIMENTS
        .iter()
        .map(|experiment| experiment.name.to_string())
        .chain(["forms", "products", "cases"].map(str::to_string));
    let names = if settings.names.is_empty() { every.collect() } else { settings.names.clone() };
    let mut agrees = true;
    for name in &names {
        let (k, n) = settings.share;
        if let Some(experiment) = EXPERIMENTS.iter().find(|experiment| experiment.name == name) {
            println!("# {name}: {}", experiment.question);
        }
        let mut comparison = Comparison {
            experiment: name,
            device,
            ours: &ours,
            record: &mut record,
            tally: Tally::default(),
        };
        let all = asked(name, settings.parts)?;
        all.iter().skip(k).step_by(n).for_each(|asked| comparison.compare(asked));
        let tally = comparison.tally;
        println!(
            "# {name}: {} results, {} differ, {} probes refused; {} names differ for known reasons",
            tally.results, tally.differ, tally.refused, tally.known
        );
        tally.reasons.iter().for_each(|why| println!("#   {why}"));
        agrees &= tally.differ + tally.refused == 0;
    }
    if let (Some(record), Some(file)) = (record, &settings.record) {
        record.write(file).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(agrees)
}

/// Writes results of a device one by one: `FORM FIRST STEP COUNT FILE`, the first operand and the step in hexadecimal digits.
fn dump(arguments: &[String]) -> Result<(), String> {
    let [form, first, step, count, file] = arguments else {
        return Err("`dump` wants FORM FIRST STEP COUNT FILE".into());
    };
    let hex = |text: &String| u32::from_str_radix(text, 16).map_err(|_| format!("`{text}` is no number"));
    let count = count.parse().map_err(|_| format!("`{count}` is no number"))?;
    let asked = sweep::raw(form, Inputs::Words, TARGET, (hex(first)?, hex(step)?, count))?;
    let left = Device::first()?.run(&asked.probe)?;
    let results = words(&left[0][asked.parts[0].bytes.clone()]);
    let bytes: Vec<u8> = results.iter().flat_map(|word| (*word as u32).to_le_bytes()).collect();
    std::fs::write(file, bytes).map_err(|error| format!("{file}: {error}"))
}

fn run() -> Result<bool, String> {
    let settings = settings()?;
    if settings.names.first().is_some_and(|name| name == "dump") {
        return dump(&settings.names[1..]).map(|()| true);
    }
    match &settings.recorded {
        Some(file) => record::judge(file, &settings),
        None => compared(&settings),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(why) => {
            eprintln!("hardware: {why}");
            ExitCode::from(2)
        }
    }
}
