//! Compares margay with a device, instruction by instruction: `hardware [--without-device] [--parts N] [--folder OUT] [E1 E2 …]`.
//!
//! It needs NVIDIA's driver and nothing else. Each line of its output is a fact to record: the form, how many results there are, how many
//! are not margay's, a hash of the device's results (FNV-1a over 64 bits each), and the first that differ. Results that margay cannot know
//! are written below the folder, one file a form. `--parts` takes the first so many million combinations only. Without a device, the hashes are
//! of margay's own results, and the kernels themselves run on margay.

mod device;
mod experiments;
mod kernel;
mod rehearsal;

use device::Device;
use experiments::{EXPERIMENTS, Experiment, Inputs};
use kernel::Kernel;
use std::path::{Path, PathBuf};

/// Threads of a launch: a multiple of a block's.
const PART: usize = 1 << 20;
/// Of results that differ so many are printed.
const SHOWN: usize = 8;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut folder, mut alone, mut most, mut wanted) = (None, false, u64::MAX, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--without-device" => alone = true,
            "--parts" => {
                most = arguments.next().and_then(|number| number.parse().ok()).unwrap_or_else(|| {
                    eprintln!("`--parts` takes how many million combinations to try");
                    std::process::exit(2);
                })
            }
            "--folder" => folder = arguments.next().map(PathBuf::from),
            name if EXPERIMENTS.iter().any(|experiment| experiment.name == name) => {
                wanted.push(name.to_string())
            }
            other => {
                let names: Vec<_> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
                eprintln!("no experiment is called `{other}`; there are {}", names.join(", "));
                std::process::exit(2);
            }
        }
    }
    let device = if alone { Ok(None) } else { Device::first().map(Some) };
    let device = device.unwrap_or_else(|error| {
        eprintln!("there is no device: {error}; `--without-device` prints what margay computes");
        std::process::exit(1);
    });
    println!("# {}", device.as_ref().map_or("no device: margay's own results", |device| &device.name));
    println!("# experiment\tform\tresults\tdiffer\thash\tthe first that differ: sources = device, margay");
    let chosen =
        |experiment: &&Experiment| wanted.is_empty() || wanted.iter().any(|name| name == experiment.name);
    let mut failed = false;
    for experiment in EXPERIMENTS.iter().filter(chosen) {
        println!("# {}: {}", experiment.name, experiment.question);
        for form in experiment.forms {
            let line = carry_out(experiment, form, device.as_ref(), folder.as_deref(), most);
            failed |= line.is_err();
            println!(
                "{}\t{form}\t{}",
                experiment.name,
                line.unwrap_or_else(|error| format!("error: {error}"))
            );
        }
    }
    if failed {
        std::process::exit(1);
    }
}

fn carry_out(
    experiment: &Experiment,
    form: &str,
    device: Option<&Device>,
    folder: Option<&Path>,
    most: u64,
) -> Result<String, String> {
    let kernel = Kernel::new(form)?;
    let (inputs, sources) = (experiment.inputs, kernel.sources());
    let count = inputs.count(sources).min(most.saturating_mul(PART as u64));
    let mut seen = Seen { hash: 0xcbf2_9ce4_8422_2325, differ: 0, first: Vec::new(), kept: Vec::new() };
    let parts = count.div_ceil(PART as u64);
    let mut look = |number: u64, results: Option<&[u64]>| {
        let begin = number * PART as u64;
        let part = (count - begin).min(PART as u64) as usize;
        let ours = computed(&kernel, inputs, begin, part);
        for (k, ours) in ours.iter().enumerate() {
            let index = begin + k as u64;
            let theirs = results.map_or(ours.unwrap_or(0), |results| results[k]);
            seen.take(index, theirs, *ours, experiment.keep, |source| inputs.value(index, source), sources);
        }
    };
    match device {
        None => {
            rehearsal::run(&kernel, inputs)?;
            (0..parts).for_each(|number| look(number, None));
        }
        Some(device) => device.run(
            &kernel.text(&device.target),
            PART,
            sources,
            parts,
            |number, sent| {
                for (k, sent) in sent.chunks_mut(sources.max(1)).enumerate() {
                    let index = (number * PART as u64 + k as u64).min(count - 1);
                    sent.iter_mut().enumerate().for_each(|(source, to)| *to = inputs.value(index, source));
                }
                true
            },
            |number, results| look(number, Some(results)),
        )?,
    }
    if let Some(folder) = folder.filter(|_| experiment.keep.is_some()) {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let name = form.split(' ').next().unwrap_or(form);
        let bytes: Vec<u8> = seen.kept.iter().flat_map(|result| result.to_le_bytes()).collect();
        std::fs::write(folder.join(format!("{name}.u32")), bytes).map_err(|error| error.to_string())?;
    }
    Ok(format!("{count}\t{}\t{:016x}\t{}", seen.differ, seen.hash, seen.first.join("; ")))
}

/// What margay computes, with all cores.
fn computed(kernel: &Kernel, inputs: Inputs, begin: u64, count: usize) -> Vec<Option<u64>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all = vec![None; count];
    std::thread::scope(|scope| {
        let share = count.div_ceil(cores).max(1);
        for (number, results) in all.chunks_mut(share).enumerate() {
            let first = begin + (number * share) as u64;
            scope.spawn(move || {
                results
                    .iter_mut()
                    .enumerate()
                    .for_each(|(k, to)| *to = kernel.compute(inputs, first + k as u64));
            });
        }
    });
    all
}

struct Seen {
    hash: u64,
    differ: u64,
    first: Vec<String>,
    kept: Vec<u32>,
}

impl Seen {
    fn take(
        &mut self,
        index: u64,
        theirs: u64,
        ours: Option<u64>,
        keep: Option<u64>,
        source: impl Fn(usize) -> u64,
        sources: usize,
    ) {
        for byte in theirs.to_le_bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        if keep.is_some_and(|stride| index.is_multiple_of(stride)) {
            self.kept.push(theirs as u32);
        }
        if ours != Some(theirs) {
            self.differ += 1;
            if self.first.len() < SHOWN {
                let values: Vec<String> = (0..sources).map(|k| format!("{:x}", source(k))).collect();
                let ours = ours.map_or("nothing".into(), |ours| format!("{ours:x}"));
                self.first.push(format!("{} = {theirs:x}, {ours}", values.join(" ")));
            }
        }
    }
}
