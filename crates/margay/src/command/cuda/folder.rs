//! A folder of the user's own in which the driver, the libraries beside it and the assembler have the names that programs look for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use margay::problem::{Problem, shown};
use twox_hash::XxHash3_128;

use super::found::{LINKED, NAME, beside};
use crate::command::home::Home;

/// The folder.
pub struct Folder {
    pub at: PathBuf,
    /// The libraries that are there beside the driver.
    libraries: Vec<&'static str>,
}

impl Folder {
    /// The driver.
    pub fn driver(&self) -> PathBuf {
        self.at.join(NAME)
    }

    /// The libraries beside the driver. They are loaded before a program looks for them: it may look in packages of NVIDIA's first.
    pub fn libraries(&self) -> impl Iterator<Item = PathBuf> {
        self.libraries.iter().map(|name| self.at.join(name))
    }

    /// margay in the place of NVIDIA's assembler.
    pub fn ptxas(&self) -> PathBuf {
        self.at.join("ptxas")
    }
}

/// The folder for a driver: one for each driver and each command, so that several builds do not disturb each other.
///
/// # Errors
/// What the system said, or that it is a folder that others can write to.
pub fn prepared(driver: &Path, home: &Home) -> Result<Folder, Problem> {
    // Links to one driver are one driver.
    let driver = &driver.canonicalize().map_err(|error| Problem::io("read", driver, &error))?;
    let at = cache().ok_or_else(|| {
        Problem::new("there is no home folder, in which the driver is given its name")
            .help("set `XDG_CACHE_HOME` to a folder that you can write to")
    })?;
    let at = at.join("margay").join("cuda").join(key(driver, home));
    let wrong = |error: io::Error| {
        Problem::io("write", &at, &error).help("set `XDG_CACHE_HOME` to a folder that you can write to")
    };
    create(&at).map_err(wrong)?;
    if !is_own(&at).map_err(wrong)? {
        let problem = Problem::new(format!(
            "{} can be written to by others, who could put another driver there",
            shown(&at)
        ));
        return Err(problem.help("remove it, or set `XDG_CACHE_HOME` to a folder of your own"));
    }
    let mut folder = Folder { at: at.clone(), libraries: Vec::new() };
    for name in [NAME, LINKED] {
        link(driver, &at.join(name)).map_err(wrong)?;
    }
    for (library, file) in beside(driver) {
        let place = at.join(library.name);
        if let Some(file) = file {
            link(&file, &place).map_err(wrong)?;
            folder.libraries.push(library.name);
        } else if fs::symlink_metadata(&place).is_ok() {
            // It was beside the driver before.
            fs::remove_file(&place).map_err(wrong)?;
        }
    }
    match home.again.as_slice() {
        [program] => link(Path::new(program), &folder.ptxas()).map_err(wrong)?,
        words => script(words, &folder.ptxas()).map_err(wrong)?,
    }
    Ok(folder)
}

fn cache() -> Option<PathBuf> {
    let given = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(".cache"));
    given.or_else(home)
}

/// A name that tells drivers and commands apart.
fn key(driver: &Path, home: &Home) -> String {
    let words = [driver.as_os_str()].into_iter().chain(home.again.iter().map(|word| word.as_os_str()));
    let bytes: Vec<u8> = words.flat_map(|word| word.as_encoded_bytes().iter().chain(&[0])).copied().collect();
    format!("{:016x}", XxHash3_128::oneshot(&bytes) as u64)
}

#[cfg(unix)]
fn create(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Whether nobody else can write to a folder.
#[cfg(unix)]
fn is_own(folder: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (at, own) = (fs::symlink_metadata(folder)?, fs::metadata("/proc/self")?);
    Ok(at.is_dir() && at.uid() == own.uid() && at.mode() & 0o022 == 0)
}

/// Makes a link under a name, which always is either the old one or the new one.
#[cfg(unix)]
fn link(to: &Path, name: &Path) -> io::Result<()> {
    if fs::read_link(name).is_ok_and(|before| before == to) {
        return Ok(());
    }
    replaced(name, |fresh| std::os::unix::fs::symlink(to, fresh))
}

/// Writes a program that is other words.
#[cfg(unix)]
fn script(words: &[std::ffi::OsString], name: &Path) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut text = b"#!/bin/sh\nexec".to_vec();
    for word in words {
        text.extend(b" '");
        text.extend(word.as_encoded_bytes().iter().flat_map(|byte| match byte {
            b'\'' => &b"'\\''"[..],
            byte => std::slice::from_ref(byte),
        }));
        text.push(b'\'');
    }
    text.extend(b" ptxas -- \"$@\"\n");
    if fs::read(name).is_ok_and(|before| before == text) {
        return Ok(());
    }
    replaced(name, |fresh| {
        fs::OpenOptions::new().write(true).create_new(true).mode(0o700).open(fresh)?.write_all(&text)
    })
}

/// Makes something under a name of its own first.
#[cfg(unix)]
fn replaced(name: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let fresh = name.with_extension(format!("new-{}", std::process::id()));
    // Left by an earlier process of the same number that was killed here.
    let _ = fs::remove_file(&fresh);
    let made = make(&fresh).and_then(|()| fs::rename(&fresh, name));
    if made.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    made
}

#[cfg(not(unix))]
fn create(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn is_own(_: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn script(_: &[std::ffi::OsString], _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
