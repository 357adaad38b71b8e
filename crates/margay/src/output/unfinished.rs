//! Files that are being written under temporary names, all of them known, so that a process that is ended leaves none.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// The most bytes that are written in one piece.
const PIECE: usize = 1 << 20;

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How long a process that is to end waits for files that get their names.
const PATIENCE: Duration = Duration::from_millis(50);

/// Removes all unfinished files, for a process that ends at once: from here on none is made, and none gets its name.
pub fn abandon() {
    let begun = Instant::now();
    let files = loop {
        match UNFINISHED.try_lock() {
            Ok(files) => break files,
            Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => return,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    for file in files.iter() {
        // What cannot be removed has to stay.
        let _ = fs::remove_file(file);
    }
    std::mem::forget(files);
}

/// While this is held, [`abandon`] waits: names change hands together.
pub(super) struct Names(MutexGuard<'static, Vec<PathBuf>>);

impl Names {
    pub(super) fn hold() -> Self {
        Names(UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A second name of a file, taken away when it is dropped.
    pub(super) fn link(&mut self, file: &Path) -> io::Result<NamedTempFile<()>> {
        let link = builder().make_in(super::parent(file), |path| fs::hard_link(file, path))?;
        self.0.push(link.path().to_path_buf());
        Ok(link)
    }

    /// Says that no file has this temporary name any more.
    pub(super) fn forget(&mut self, temporary: &Path) {
        self.0.retain(|path| path != temporary);
    }
}

/// A file under a temporary name, removed when it is dropped.
pub(super) struct Temporary {
    /// None once it has a name.
    file: Option<NamedTempFile>,
}

impl Temporary {
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let mut names = Names::hold();
        let file = builder().tempfile_in(folder)?;
        names.0.push(file.path().to_path_buf());
        Ok(Temporary { file: Some(file) })
    }

    pub(super) fn file(&mut self) -> &mut File {
        self.named().as_file_mut()
    }

    fn named(&mut self) -> &mut NamedTempFile {
        self.file.as_mut().expect("a temporary file is used before it has its name")
    }

    /// Gives the file its name, whatever has it now.
    pub(super) fn persist(self, target: &Path) -> io::Result<()> {
        self.name(&mut Names::hold(), target, true)
    }

    /// Gives the file its name; without `replace`, only if no other has it.
    pub(super) fn name(mut self, names: &mut Names, target: &Path, replace: bool) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let temporary = file.path().to_path_buf();
        let named = if replace { file.persist(target) } else { file.persist_noclobber(target) };
        // Where that failed, the file is gone with the error.
        let named = named.map(|_| ()).map_err(|error| error.error);
        names.forget(&temporary);
        named
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let Some(file) = self.file.take() else { return };
        let mut names = Names::hold();
        let temporary = file.path().to_path_buf();
        drop(file);
        names.forget(&temporary);
    }
}

/// In pieces: while a file is written to, the system does not let its name go.
impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(&bytes[..bytes.len().min(PIECE)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".margay-");
    // As any new file: what the user's mask leaves.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}
