//! Reads recorded results: NumPy arrays in a zip archive, kept as second differences.

use flate2::read::DeflateDecoder;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// The members of an archive, by name.
pub struct Archive(HashMap<String, Vec<u8>>);

/// Results of one function at even steps of its argument.
pub struct Record {
    /// Bits of the first argument.
    pub start: u32,
    /// From the bits of one argument to those of the next.
    pub step: u32,
    /// Bits of the results.
    pub results: Vec<u32>,
}

impl Archive {
    /// Reads all members of the file.
    pub fn open(path: &Path) -> Result<Archive, String> {
        let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        members(&bytes)
            .map(Archive)
            .ok_or_else(|| format!("{} is not a zip archive of deflated members", path.display()))
    }

    /// The record called `name`.
    pub fn record(&self, name: &str) -> Result<Record, String> {
        let array = |suffix: &str| {
            let member = format!("{name}{suffix}.npy");
            self.0
                .get(&member)
                .and_then(|bytes| integers(bytes))
                .ok_or_else(|| format!("no integers in `{member}`"))
        };
        let (mut differences, start_step) = (array("")?, array("_start_step")?);
        for (at, what) in array("_where")?.into_iter().zip(array("_what")?) {
            *differences.get_mut(at as usize).ok_or_else(|| format!("`{name}` has no index {at}"))? = what;
        }
        let [start, step] = start_step[..] else { return Err(format!("`{name}` has no start and step")) };
        let (mut slope, mut value) = (0, 0);
        let sum = |difference: i64| {
            slope += difference;
            value += slope;
            value as u32
        };
        Ok(Record {
            start: start as u32,
            step: step as u32,
            results: differences.into_iter().map(sum).collect(),
        })
    }
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    Some(bytes.get(at..at + width)?.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b)))
}

/// The members by the directory at the archive's end (no comment behind it, nothing beyond 4 GiB).
fn members(bytes: &[u8]) -> Option<HashMap<String, Vec<u8>>> {
    let end = bytes.len().checked_sub(22)?;
    let (count, mut at) = (number(bytes, end + 10, 2)?, number(bytes, end + 16, 4)?);
    let mut members = HashMap::new();
    for _ in 0..count {
        let [name, extra, comment] = [28, 30, 32].map(|field| number(bytes, at + field, 2));
        let (size, local) = (number(bytes, at + 20, 4)?, number(bytes, at + 42, 4)?);
        let title = String::from_utf8(bytes.get(at + 46..at + 46 + name?)?.to_vec()).ok()?;
        let data = local + 30 + number(bytes, local + 26, 2)? + number(bytes, local + 28, 2)?;
        let mut content = Vec::new();
        DeflateDecoder::new(bytes.get(data..data + size)?).read_to_end(&mut content).ok()?;
        members.insert(title, content);
        at += 46 + name? + extra? + comment?;
    }
    Some(members)
}

/// A one-dimensional array of little-endian integers.
fn integers(npy: &[u8]) -> Option<Vec<i64>> {
    let long = *npy.get(6)? > 1;
    let (length, from) = if long { (number(npy, 8, 4)?, 12) } else { (number(npy, 8, 2)?, 10) };
    let header = std::str::from_utf8(npy.get(from..from + length)?).ok()?;
    let width = [("|i1", 1), ("<u4", 4), ("<i8", 8)].iter().find(|(name, _)| header.contains(name))?.1;
    let signed = |bytes: &[u8]| {
        let n = bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
        (n << (64 - 8 * width)) as i64 >> (64 - 8 * width)
    };
    Some(npy[from + length..].chunks_exact(width).map(signed).collect())
}
