//! Files that a command is given, and the PTX files below the folders among them.

use std::path::{Path, PathBuf};

use margay::problem::Problem;
use walkdir::WalkDir;

/// Every file in the order given; of a folder, all files below it that end with `.ptx`, sorted, but for what is hidden.
/// Links to folders are not followed.
///
/// # Errors
/// A problem for each folder that cannot be read or holds no PTX file, in its place.
pub fn files(given: &[PathBuf]) -> Vec<Result<PathBuf, Problem>> {
    given.iter().flat_map(|path| if path.is_dir() { below(path) } else { vec![Ok(path.clone())] }).collect()
}

fn below(folder: &Path) -> Vec<Result<PathBuf, Problem>> {
    let hidden =
        |entry: &walkdir::DirEntry| entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(|entry| !hidden(entry)) {
        match entry {
            Ok(entry) => {
                let ptx = entry.path().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ptx"));
                if ptx && entry.path().is_file() {
                    found.push(Ok(entry.into_path()));
                }
            }
            Err(error) => found.push(Err(Problem::new(format!("cannot read a folder: {error}")))),
        }
    }
    if found.is_empty() {
        let problem = Problem::new(format!("no PTX files below `{}`", folder.display()));
        found.push(Err(problem.help("files that end with `.ptx` are taken; name others one by one")));
    }
    found
}
