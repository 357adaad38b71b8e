//! Where the run files are: PTX with launches and their results in comments.

use std::path::{Path, PathBuf};

/// The run files in these folders below `tests/run`, by name.
pub fn run_files(folders: &[&str]) -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run");
    let mut found = Vec::new();
    folders.iter().for_each(|folder| add(&all.join(folder), &mut found));
    assert!(found.len() > 10, "the run files are missing");
    found
}

fn add(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            add(&path, found);
        } else if path.extension().is_some_and(|e| e == "ptx") {
            found.push(path);
        }
    }
}
