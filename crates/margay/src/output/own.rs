//! What launches wrote: a small record of each output, kept in the user's state folder, by which a later launch knows it again.
//!
//! A record beside the output could come with a downloaded folder, so it is kept where only the user's own programs write.

use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use twox_hash::XxHash3_128;

use super::unfinished::Temporary;

/// More records than this, and those of files that are gone are dropped, then the oldest.
const MOST: usize = 1024;

/// Whether a file is just as a launch left it: same name, size, time of change and place on disk. A link is not.
pub fn is_own(file: &Path) -> bool {
    let is_as_recorded = || {
        let (target, metadata) = (real(file)?, fs::symlink_metadata(file)?);
        let record = fs::read(folder()?.join(name(&target)))?;
        Ok::<bool, io::Error>(metadata.is_file() && record == text(&target, &metadata))
    };
    is_as_recorded().unwrap_or(false)
}

/// Records that a launch wrote this file, which has the metadata.
///
/// # Errors
/// What the system said, or that it names no folder for state.
pub fn record(file: &Path, metadata: &Metadata) -> io::Result<()> {
    let (folder, target) = (folder()?, real(file)?);
    create(&folder)?;
    let to = folder.join(name(&target));
    if !to.exists() {
        make_room(&folder)?;
    }
    let mut fresh = Temporary::create(&folder)?;
    fresh.write_all(&text(&target, metadata))?;
    fresh.persist(&to)
}

/// The folder of the records: `margay/outputs` in `$XDG_STATE_HOME`, or in `.local/state` of the home folder.
fn folder() -> io::Result<PathBuf> {
    let given = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let local = || given("LOCALAPPDATA").filter(|_| cfg!(windows));
    let home =
        || std::env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(".local/state"));
    let state = given("XDG_STATE_HOME").or_else(local).or_else(home);
    let state = state.ok_or_else(|| io::Error::other("there is no home folder"))?;
    Ok(state.join("margay").join("outputs"))
}

fn create(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The file's name free of links, those of its last part aside.
fn real(file: &Path) -> io::Result<PathBuf> {
    let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(super::parent(file).canonicalize()?.join(name))
}

fn name(target: &Path) -> String {
    format!("{:032x}", XxHash3_128::oneshot(target.as_os_str().as_encoded_bytes()))
}

/// A record: what tells the file from another, then its name to the byte.
fn text(target: &Path, metadata: &Metadata) -> Vec<u8> {
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed = changed.map_or(0, |since| since.as_nanos());
    let (device, number) = place_on_disk(metadata);
    let mut text = format!("margay output 1\n{} {changed} {device} {number}\n", metadata.len()).into_bytes();
    text.extend(target.as_os_str().as_encoded_bytes());
    text
}

#[cfg(unix)]
fn place_on_disk(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn place_on_disk(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Drops records until there is room for one more: first those whose file is gone or another by now, then the oldest.
fn make_room(folder: &Path) -> io::Result<()> {
    let records =
        || -> io::Result<Vec<PathBuf>> { fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect() };
    if records()?.len() < MOST {
        return Ok(());
    }
    for record in records()? {
        if !is_current(&record) {
            let _ = fs::remove_file(record);
        }
    }
    let mut left: Vec<_> = records()?
        .into_iter()
        .map(|record| (fs::metadata(&record).and_then(|m| m.modified()).ok(), record))
        .collect();
    left.sort();
    for (_, record) in left.iter().take(left.len().saturating_sub(MOST / 2)) {
        let _ = fs::remove_file(record);
    }
    Ok(())
}

fn is_current(record: &Path) -> bool {
    let Ok(text) = fs::read(record) else { return false };
    let Some(name) = text.splitn(3, |&byte| byte == b'\n').nth(2) else { return false };
    std::str::from_utf8(name).is_ok_and(|name| is_own(Path::new(name)))
}
