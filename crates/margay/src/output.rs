//! Output files: judged before the launch, written whole or not at all after it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::format::{EncodeError, Format, Layout, encode};
use crate::problem::Problem;

/// A file that can be written, as far as that can be known before it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    file: PathBuf,
    format: Format,
    way: Way,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// By a new file beside it that takes its name when it is complete.
    Replace { folder: PathBuf, target: PathBuf },
    /// Straight into a pipe or a device.
    Direct,
}

impl Output {
    /// Judges whether a buffer of this layout can be written to a file: its folder is there and takes new files, no folder
    /// and no write-protected file has its name, and the format suits.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn prepare(file: &Path, layout: &Layout) -> Result<Self, Problem> {
        let named = |problem: Problem| problem.within(format!("cannot write `{}`", file.display()));
        layout.suits(Format::of(file)).map_err(named)?;
        Output::in_format(file, Format::of(file))
    }

    /// As [`prepare`](Self::prepare) for bytes of any number, whatever the file's extension.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn raw(file: &Path) -> Result<Self, Problem> {
        Output::in_format(file, Format::Raw)
    }

    fn in_format(file: &Path, format: Format) -> Result<Self, Problem> {
        let named = |problem: Problem| problem.within(format!("cannot write `{}`", file.display()));
        let failed = |error: io::Error| Problem::io("write", file, &error);
        let metadata = match fs::metadata(file) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        if let Some(metadata) = metadata {
            if metadata.is_dir() {
                return Err(failed(io::ErrorKind::IsADirectory.into()));
            }
            if !metadata.is_file() || file.starts_with("/dev") || file.starts_with("/proc") {
                return Ok(Output { file: file.to_path_buf(), format, way: Way::Direct });
            }
            if metadata.permissions().readonly() {
                return Err(named(Problem::new("it is write-protected")));
            }
        }
        let (folder, name) = place(file).map_err(failed)?;
        let trial = tempfile::Builder::new().prefix(".margay-").tempfile_in(&folder).map_err(failed)?;
        trial.close().map_err(failed)?;
        let target = folder.join(name);
        Ok(Output { file: file.to_path_buf(), format, way: Way::Replace { folder, target } })
    }

    /// The file's name as it was given.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether both name the same file on disk.
    pub fn is_same_file(&self, other: &Output) -> bool {
        matches!((&self.way, &other.way), (Way::Replace { target: a, .. }, Way::Replace { target: b, .. }) if a == b)
    }

    /// Whether this is the file with that name on disk.
    pub fn is_file(&self, other: &Path) -> bool {
        match (&self.way, place(other)) {
            (Way::Replace { target, .. }, Ok((folder, name))) => *target == folder.join(name),
            _ => false,
        }
    }

    /// Writes the buffer. A regular file is replaced when the new one is complete; if that fails, it stays as it was.
    ///
    /// # Errors
    /// What the system said.
    pub fn write(&self, layout: &Layout, bytes: &[u8]) -> Result<(), Problem> {
        let format = self.format;
        let written = match &self.way {
            Way::Direct => {
                OpenOptions::new().write(true).open(&self.file).map_err(Into::into).and_then(|mut out| {
                    encode(format, layout, bytes, &mut out)?;
                    Ok(out.flush()?)
                })
            }
            Way::Replace { folder, target } => {
                replace(folder, target, |out| encode(format, layout, bytes, out))
            }
        };
        written.map_err(|error| match error {
            EncodeError::Io(error) => Problem::io("write", &self.file, &error),
            EncodeError::Unsuitable(problem) => {
                problem.within(format!("cannot write `{}`", self.file.display()))
            }
        })
    }
}

fn replace(
    folder: &Path,
    target: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".margay-");
    // As any new file: what the user's mask leaves.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let fresh = builder.tempfile_in(folder)?;
    let mut out = BufWriter::new(fresh);
    fill(&mut out)?;
    let fresh = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Ok(old) = fs::metadata(target) {
        fresh.as_file().set_permissions(old.permissions())?;
    }
    let _: File = fresh.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// The folder, free of links, and the name of a file that may not exist yet; a link as the last part is followed.
pub(crate) fn place(file: &Path) -> io::Result<(PathBuf, std::ffi::OsString)> {
    let mut file = file.to_path_buf();
    // As deep as the system follows links.
    for _ in 0..40 {
        let Some(name) = file.file_name() else { return Err(io::ErrorKind::IsADirectory.into()) };
        let folder = fs::canonicalize(parent(&file))?;
        match fs::read_link(folder.join(name)) {
            Ok(link) => file = folder.join(link),
            Err(_) => return Ok((folder, name.to_os_string())),
        }
    }
    Err(io::Error::other("too many links"))
}

/// The folder a file is in: `.` for a bare name.
pub(crate) fn parent(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(n: u64) -> Layout {
        Layout::Bytes(n)
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.raw");
        fs::write(&file, "old").unwrap();
        let output = Output::prepare(&file, &bytes(3)).unwrap();
        assert_eq!(names(folder.path()), ["a.raw"]);
        output.write(&bytes(3), b"new").unwrap();
        assert_eq!(
            (fs::read(&file).unwrap(), names(folder.path())),
            (b"new".to_vec(), vec!["a.raw".to_string()])
        );
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.raw");
        fs::write(&file, "old").unwrap();
        let output = Output::prepare(&file, &bytes(3)).unwrap();
        output.write(&bytes(4), b"new").unwrap_err();
        assert_eq!(
            (fs::read(&file).unwrap(), names(folder.path())),
            (b"old".to_vec(), vec!["a.raw".to_string()])
        );
    }

    #[test]
    fn what_stands_in_the_way_is_named_before_the_launch() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str| Output::prepare(&folder.path().join(name), &bytes(3)).unwrap_err().message;
        assert!(refused("missing/a.raw").ends_with("no such file or folder"));
        assert!(Output::prepare(folder.path(), &bytes(3)).unwrap_err().message.ends_with("it is a folder"));
        assert!(refused("a.png").ends_with("a buffer of `u8[3]` is no picture"));
        fs::write(folder.path().join("plain"), "").unwrap();
        assert!(refused("plain/a.raw").starts_with("cannot write"));
        let mut locked = fs::metadata(folder.path().join("plain")).unwrap().permissions();
        locked.set_readonly(true);
        fs::set_permissions(folder.path().join("plain"), locked).unwrap();
        assert!(refused("plain").ends_with("it is write-protected"));
    }

    #[test]
    fn two_names_of_one_file_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let prepare = |name: &str| Output::prepare(&folder.path().join(name), &bytes(1)).unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        assert!(prepare("a").is_same_file(&prepare("sub/../a")));
        assert!(!prepare("a").is_same_file(&prepare("b")));
        assert!(prepare("a").is_file(&folder.path().join("sub/../a")));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("target", &link).unwrap();
        for text in [b"one", b"two"] {
            Output::prepare(&link, &bytes(3)).unwrap().write(&bytes(3), text).unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(folder.path().join("target")).unwrap(), text);
        }
        std::os::unix::fs::symlink("loop", folder.path().join("loop")).unwrap();
        assert!(Output::prepare(&folder.path().join("loop"), &bytes(3)).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_straight() {
        Output::prepare(Path::new("/dev/null"), &bytes(3)).unwrap().write(&bytes(3), b"abc").unwrap();
        let full = Output::prepare(Path::new("/dev/full"), &bytes(3)).unwrap();
        assert!(full.write(&bytes(3), b"abc").unwrap_err().message.starts_with("cannot write `/dev/full`"));
        assert!(!full.is_same_file(&full.clone()));
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_the_old_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        Output::prepare(&file, &bytes(1)).unwrap().write(&bytes(1), b"x").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
