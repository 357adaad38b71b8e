//! Where the command lies and how it is started again: Python's package has it without a program of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The command's own place.
pub struct Home {
    /// The folder in which what belongs to the command lies; none if that is not known.
    pub folder: Option<PathBuf>,
    /// The words that start the command, in front of its arguments.
    pub again: Vec<OsString>,
}

impl Home {
    /// That of the program that runs.
    pub fn of_program() -> Home {
        let program = std::env::current_exe().ok();
        let folder = program.as_deref().and_then(Path::parent).map(Path::to_path_buf);
        let again = program.map_or_else(|| "margay".into(), PathBuf::into_os_string);
        Home { folder, again: vec![again] }
    }
}
