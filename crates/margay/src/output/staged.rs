//! Several outputs that appear together: all complete under temporary names before the first takes the place of an old file.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::unfinished::{Names, Temporary};
use super::{Output, Replace, Way, is_own, own};
use crate::format::{EncodeError, Layout, encode};
use crate::problem::{Problem, shown};

/// Outputs that are complete and do not have their names yet. Dropped, they leave nothing.
#[derive(Default)]
pub struct Staged<'a> {
    files: Vec<(&'a Output, Temporary)>,
}

impl<'a> Staged<'a> {
    /// Writes a buffer under a temporary name beside its file, or straight into a pipe or a device.
    ///
    /// # Errors
    /// What the system said, or a buffer that does not suit the output's format.
    pub fn add(&mut self, output: &'a Output, layout: &Layout, bytes: &[u8]) -> Result<(), Problem> {
        let written = match &output.way {
            Way::Direct => straight(output, layout, bytes),
            Way::Replace { folder, target } => {
                beside(output, folder, target, layout, bytes).map(|file| self.files.push((output, file)))
            }
        };
        written.map_err(|error| match error {
            EncodeError::Io(error) => Problem::io("write", &output.file, &error),
            EncodeError::Unsuitable(problem) => {
                problem.within(format!("cannot write {}", shown(&output.file)))
            }
        })
    }

    /// Gives all files their names. Where one cannot have its own, those before it are put back as they were.
    ///
    /// Comes back with remarks: outputs of a launch that could not be recorded as such.
    ///
    /// # Errors
    /// What the system said, or that a file is there by now that may not be replaced.
    pub fn commit(self) -> Result<Vec<String>, Problem> {
        let mut names = Names::hold();
        let several = self.files.len() > 1;
        let mut done: Vec<(&Output, &Path, Before)> = Vec::new();
        let mut written = Vec::new();
        for (output, mut file) in self.files {
            let Way::Replace { target, .. } = &output.way else { continue };
            let metadata = file.file().metadata();
            let before = before(&mut names, target, several);
            let replace = matches!(output.replace, Replace::Anything) || is_own(target);
            if let Err(error) = file.name(&mut names, target, replace) {
                put_back(&mut names, done);
                // The files that are left take their names off the list.
                drop(names);
                return Err(match error.kind() {
                    io::ErrorKind::AlreadyExists if !replace => Problem::new(format!(
                        "cannot write {}: it has come to be there since the launch began",
                        shown(&output.file)
                    )),
                    _ => Problem::io("write", &output.file, &error),
                });
            }
            if output.recorded {
                written.push((output, target, metadata));
            }
            done.push((output, target, before));
        }
        for (_, _, before) in done {
            before.end(&mut names);
        }
        drop(names);
        let failed = written.into_iter().filter_map(|(output, target, metadata)| {
            let error = metadata.and_then(|metadata| own::record(target, &metadata)).err()?;
            let file = shown(&output.file);
            Some(format!(
                "it could not be recorded that {file} is an output ({error}); no header may replace it"
            ))
        });
        Ok(failed.collect())
    }
}

/// What had the name of an output before.
enum Before {
    Nothing,
    /// The old file, under a second name.
    Old(NamedTempFile<()>),
    /// A file that cannot be brought back.
    Lost,
}

fn before(names: &mut Names, target: &Path, wanted: bool) -> Before {
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Before::Nothing,
        Ok(_) if wanted => names.link(target).map_or(Before::Lost, Before::Old),
        _ => Before::Lost,
    }
}

impl Before {
    /// Takes the second name away.
    fn end(self, names: &mut Names) {
        if let Before::Old(link) = self {
            let name = link.path().to_path_buf();
            drop(link);
            names.forget(&name);
        }
    }
}

/// As far as the system allows.
fn put_back(names: &mut Names, done: Vec<(&Output, &Path, Before)>) {
    for (_, target, before) in done.into_iter().rev() {
        match before {
            Before::Nothing => {
                let _ = fs::remove_file(target);
            }
            Before::Old(link) => {
                let name = link.path().to_path_buf();
                let _ = link.persist(target);
                names.forget(&name);
            }
            Before::Lost => {}
        }
    }
}

fn straight(output: &Output, layout: &Layout, bytes: &[u8]) -> Result<(), EncodeError> {
    let mut out = OpenOptions::new().write(true).open(&output.file)?;
    encode(output.format, layout, bytes, &mut out)?;
    Ok(out.flush()?)
}

fn beside(
    output: &Output,
    folder: &Path,
    target: &Path,
    layout: &Layout,
    bytes: &[u8],
) -> Result<Temporary, EncodeError> {
    let mut fresh = Temporary::create(folder)?;
    let mut out = BufWriter::new(&mut fresh);
    encode(output.format, layout, bytes, &mut out)?;
    out.flush()?;
    drop(out);
    if let Ok(old) = fs::metadata(target) {
        fresh.file().set_permissions(old.permissions())?;
    }
    Ok(fresh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    fn three(folder: &Path, replace: Replace) -> [Output; 3] {
        ["a", "b", "c"].map(|name| Output::prepare(&folder.join(name), &Layout::Bytes(3), replace).unwrap())
    }

    #[test]
    fn files_get_their_names_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("a"), "old").unwrap();
        let outputs = three(folder, Replace::Anything);
        let mut staged = Staged::default();
        for output in &outputs {
            staged.add(output, &Layout::Bytes(3), b"new").unwrap();
        }
        assert_eq!((names(folder).len(), fs::read(folder.join("a")).unwrap()), (4, b"old".to_vec()));
        // The last name is taken meanwhile, by what no file can replace.
        fs::create_dir(folder.join("c")).unwrap();
        let problem = staged.commit().unwrap_err();
        assert!(problem.message.starts_with("cannot write `"), "{problem}");
        assert_eq!(
            (names(folder), fs::read(folder.join("a")).unwrap()),
            (vec!["a".into(), "c".into()], b"old".to_vec())
        );

        fs::remove_dir(folder.join("c")).unwrap();
        let mut staged = Staged::default();
        for output in &outputs {
            staged.add(output, &Layout::Bytes(3), b"new").unwrap();
        }
        staged.commit().unwrap();
        assert_eq!(names(folder), ["a", "b", "c"]);
        assert!(["a", "b", "c"].iter().all(|name| fs::read(folder.join(name)).unwrap() == b"new"));
    }

    #[test]
    fn what_is_staged_and_dropped_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = three(folder.path(), Replace::Anything);
        let mut staged = Staged::default();
        staged.add(&outputs[0], &Layout::Bytes(3), b"new").unwrap();
        staged.add(&outputs[1], &Layout::Bytes(4), b"new").unwrap_err();
        drop(staged);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_file_that_came_since_is_not_replaced_by_a_header() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = three(folder.path(), Replace::OwnOutputs);
        let mut staged = Staged::default();
        for output in &outputs {
            staged.add(output, &Layout::Bytes(3), b"new").unwrap();
        }
        fs::write(folder.path().join("b"), "mine").unwrap();
        let problem = staged.commit().unwrap_err();
        assert!(problem.message.ends_with("it has come to be there since the launch began"), "{problem}");
        assert_eq!(
            (names(folder.path()), fs::read(folder.path().join("b")).unwrap()),
            (vec!["b".into()], b"mine".to_vec())
        );
    }
}
