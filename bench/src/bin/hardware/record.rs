//! Facts: digests of a device's results by experiment and name, in a file.

use crate::experiments::is_in_parts;
use crate::probe::{Margay, Runs, digest, words};
use crate::sweep::PARTS;
use crate::{Settings, TARGET, asked, known};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use margay_exec::Engine;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{Read, Write};

/// Facts in the making.
pub struct Record {
    text: String,
}

impl Record {
    /// Of a device.
    pub fn new(device: &str) -> Record {
        Record { text: format!("# {device}\n# experiment, name of the result, digest\n") }
    }

    pub fn add(&mut self, experiment: &str, name: &str, digest: u64) {
        self.text += &format!("{experiment}\t{name}\t{digest:016x}\n");
    }

    /// Fails now if a file cannot be written later; what it holds stays as it is.
    pub fn try_file(file: &str) -> std::io::Result<()> {
        std::fs::OpenOptions::new().append(true).create(true).open(file).map(drop)
    }

    /// Writes them, compressed if the file's name ends so.
    pub fn write(&self, file: &str) -> std::io::Result<()> {
        let mut out = std::fs::File::create(file)?;
        if file.ends_with(".gz") {
            let mut out = GzEncoder::new(out, Compression::best());
            out.write_all(self.text.as_bytes())?;
            return out.finish().map(drop);
        }
        out.write_all(self.text.as_bytes())
    }
}

/// Judges margay by what a file records: whether all digests are the same.
///
/// # Errors
/// If the file cannot be read or its experiments do not exist.
pub fn judge(file: &str, settings: &Settings) -> Result<bool, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let mut text = String::new();
    let read = match file.ends_with(".gz") {
        true => GzDecoder::new(bytes.as_slice()).read_to_string(&mut text),
        false => bytes.as_slice().read_to_string(&mut text),
    };
    read.map_err(|error| format!("{file}: {error}"))?;
    let mut facts = BTreeMap::<&str, HashMap<&str, &str>>::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [experiment, name, digest] = cells[..] else {
            return Err(format!("{file}: `{line}` is no fact"));
        };
        facts.entry(experiment).or_default().insert(name, digest);
    }
    let of = |experiment: &str| experiment.split('/').next().unwrap_or_default().to_string();
    let recorded: BTreeSet<String> = facts.keys().map(|experiment| of(experiment)).collect();
    if recorded.is_empty() {
        return Err(format!("{file} holds no facts"));
    }
    if let Some(name) = settings.names.iter().find(|name| !recorded.contains(*name)) {
        return Err(format!("{file} holds nothing of `{name}`"));
    }
    let wanted = |experiment: &str| settings.names.is_empty() || settings.names.contains(&of(experiment));
    let ours = Margay { engine: Engine::Batch, device: TARGET.parse().ok(), contract: settings.contract };
    let mut agrees = true;
    for (experiment, facts) in facts.iter().filter(|(e, _)| wanted(e)) {
        let (mut judged, mut wrong, mut missing) = (BTreeSet::new(), 0, 0);
        for asked in asked(experiment, settings.parts)? {
            if !asked.parts.iter().any(|part| facts.contains_key(part.name.as_str())) {
                missing += asked.parts.len();
                continue;
            }
            let left = ours.run(&asked.probe)?;
            for part in asked.parts {
                let Some(wanted) = facts.get(part.name.as_str()) else {
                    missing += 1;
                    continue;
                };
                let got = format!("{:016x}", digest(words(&left[part.buffer][part.bytes.clone()])));
                if got != *wanted && known::reason(&part.name).is_none() {
                    wrong += 1;
                    println!("{experiment}\t{}\t{wanted}, not {got}", part.name);
                }
                judged.insert(part.name);
            }
        }
        let left: Vec<_> = facts.keys().filter(|name| !judged.contains(**name)).collect();
        println!(
            "# {experiment}: {} results judged, {wrong} differ, {missing} without a record, {} not asked for",
            judged.len(),
            left.len()
        );
        // Where not all parts are asked for, some of them are left.
        let lost = if is_in_parts(experiment) && settings.parts < PARTS { &[][..] } else { &left };
        lost.iter().for_each(|name| println!("{experiment}\t{name}\tis recorded, and nothing asks for it"));
        agrees &= wrong == 0 && !judged.is_empty() && lost.is_empty();
    }
    Ok(agrees)
}
