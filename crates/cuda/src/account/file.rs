//! A file that tells what was noted of launches, and the PTX beside it.

use margay_doors::format::Layout;
use margay_doors::launches::Launches;
use margay_doors::output::Output;
use margay_doors::problem::Problem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// What a file is to tell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tells {
    Profile,
    /// The same for programs.
    Json,
    Lines,
}

/// A file that is written from time to time.
pub struct File {
    tells: Tells,
    pub output: Output,
    /// The folder beside it with the PTX that lines are counted in.
    ptx: PathBuf,
    /// When it was last written, as far as this process knows; nothing once it was told that others write it, too.
    known: Mutex<Option<SystemTime>>,
}

impl File {
    pub fn new(file: &Path, tells: Tells) -> Result<File, Problem> {
        let output = Output::raw(file)?;
        let mut ptx = file.as_os_str().to_os_string();
        ptx.push(".ptx");
        Ok(File { tells, output, ptx: ptx.into(), known: Mutex::new(Some(SystemTime::now())) })
    }

    /// Writes the PTX that is not there yet, and the file; gives how much PTX there is, and what there is to be told.
    pub fn write(&self, sums: &Launches, done: usize) -> Result<(usize, String), Problem> {
        let mut texts = 0;
        let name = |name: &str| match self.output.is_direct() {
            true => name.to_string(),
            false => self.ptx.join(name).to_string_lossy().into_owned(),
        };
        for (file, text) in sums.texts() {
            texts += 1;
            if texts > done && !self.output.is_direct() {
                std::fs::create_dir_all(&self.ptx).map_err(|error| {
                    Problem::new(format!("cannot make the folder `{}`: {error}", self.ptx.display()))
                })?;
                write(&Output::raw(&self.ptx.join(file))?, text)?;
            }
        }
        let text = match self.tells {
            Tells::Profile => sums.profile(name),
            Tells::Json => sums.profile_json(name),
            Tells::Lines => sums.coverage(name),
        };
        let told = self.told_of_others();
        write(&self.output, &text)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = known.and(self.written());
        Ok((texts, told))
    }

    /// When the file was written, if it is one.
    fn written(&self) -> Option<SystemTime> {
        let metadata = std::fs::metadata(self.output.file()).ok()?;
        metadata.modified().ok().filter(|_| metadata.is_file())
    }

    /// Says once that another process writes the file, whose launches are lost.
    fn told_of_others(&self) -> String {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.zip(self.written()).is_none_or(|(known, written)| written <= known) {
            return String::new();
        }
        *known = None;
        let file = self.output.file().display();
        format!(
            "warning: `{file}` was written by another process, which this one replaces\n\
             help: `%p` in the name is the number of the process\n"
        )
    }
}

fn write(output: &Output, text: &str) -> Result<(), Problem> {
    output.write(&Layout::Bytes(text.len() as u64), text.as_bytes())
}
