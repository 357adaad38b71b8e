//! Output files: judged before the launch, written whole or not at all after it.

mod own;
mod staged;
mod unfinished;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::format::{Format, Layout};
use crate::problem::{Problem, shown};

pub use own::is_own;
pub use staged::Staged;
pub use unfinished::abandon;

/// A file that can be written, as far as that can be known before it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    file: PathBuf,
    format: Format,
    way: Way,
    replace: Replace,
    /// Whether later launches are to know it again: launches' outputs that hold data.
    recorded: bool,
}

/// The extensions of files that hold data and nothing else, whatever their case.
pub const DATA: [&str; 6] = ["npy", "png", "pgm", "raw", "bin", "txt"];

/// Whether a file's name says that it holds data and nothing else.
pub fn has_data(file: &Path) -> bool {
    file.extension().is_some_and(|extension| DATA.iter().any(|data| extension.eq_ignore_ascii_case(data)))
}

/// Which old files an output may take the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Any: the user named the file.
    Anything,
    /// Only what an earlier launch wrote and nobody changed since.
    OwnOutputs,
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
    pub fn prepare(file: &Path, layout: &Layout, replace: Replace) -> Result<Self, Problem> {
        let named = |problem: Problem| problem.within(format!("cannot write {}", shown(file)));
        layout.suits(Format::of(file)).map_err(named)?;
        Ok(Output { replace, recorded: has_data(file), ..Output::in_format(file, Format::of(file))? })
    }

    /// As [`prepare`](Self::prepare) for bytes of any number, whatever the file's extension, in place of any file. It is no
    /// launch's output.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn raw(file: &Path) -> Result<Self, Problem> {
        Output::in_format(file, Format::Raw)
    }

    fn in_format(file: &Path, format: Format) -> Result<Self, Problem> {
        let named = |problem: Problem| problem.within(format!("cannot write {}", shown(file)));
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
                return Ok(Output::new(file, format, Way::Direct));
            }
            if metadata.permissions().readonly() {
                return Err(named(Problem::new("it is write-protected")));
            }
        }
        let (folder, name) = place(file).map_err(failed)?;
        drop(unfinished::Temporary::create(&folder).map_err(failed)?);
        let target = folder.join(name);
        Ok(Output::new(file, format, Way::Replace { folder, target }))
    }

    fn new(file: &Path, format: Format, way: Way) -> Self {
        Output { file: file.to_path_buf(), format, way, replace: Replace::Anything, recorded: false }
    }

    /// The file's name as it was given.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether it goes straight into a pipe or a device, which then has it whatever becomes of other outputs.
    pub fn is_direct(&self) -> bool {
        self.way == Way::Direct
    }

    /// Whether both name the same file on disk. Of outputs that may not replace everything, further names of one file
    /// count as the same.
    pub fn is_same_file(&self, other: &Output) -> bool {
        match (&self.way, &other.way) {
            (Way::Replace { target: a, .. }, Way::Replace { target: b, .. }) => {
                a == b || self.is_guarded() && other.is_guarded() && is_same(a, b)
            }
            _ => false,
        }
    }

    /// Whether this is the file with that name on disk; of an output that may not replace everything, also by another
    /// name of the file.
    pub fn is_file(&self, other: &Path) -> bool {
        match (&self.way, place(other)) {
            (Way::Replace { target, .. }, Ok((folder, name))) => {
                *target == folder.join(name) || self.is_guarded() && is_same(target, other)
            }
            _ => false,
        }
    }

    /// Whether it may replace no more than what earlier launches wrote.
    pub fn is_guarded(&self) -> bool {
        self.replace == Replace::OwnOutputs
    }

    /// Writes the buffer. A regular file is replaced when the new one is complete; if that fails, it stays as it was.
    ///
    /// # Errors
    /// What the system said.
    pub fn write(&self, layout: &Layout, bytes: &[u8]) -> Result<(), Problem> {
        let mut staged = Staged::default();
        staged.add(self, layout, bytes)?;
        staged.commit().map(|_| ())
    }
}

/// Whether two names are those of one file, also by hard links and where case does not matter.
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(x), Ok(y)) => same_place(&x, &y) || fs::canonicalize(a).ok() == fs::canonicalize(b).ok(),
        _ => false,
    }
}

#[cfg(unix)]
fn same_place(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_place(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    false
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
        let file = folder.path().join("a.dat");
        fs::write(&file, "old").unwrap();
        let output = Output::prepare(&file, &bytes(3), Replace::Anything).unwrap();
        assert_eq!(names(folder.path()), ["a.dat"]);
        output.write(&bytes(3), b"new").unwrap();
        assert_eq!(
            (fs::read(&file).unwrap(), names(folder.path())),
            (b"new".to_vec(), vec!["a.dat".to_string()])
        );
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.dat");
        fs::write(&file, "old").unwrap();
        let output = Output::prepare(&file, &bytes(3), Replace::Anything).unwrap();
        output.write(&bytes(4), b"new").unwrap_err();
        assert_eq!(
            (fs::read(&file).unwrap(), names(folder.path())),
            (b"old".to_vec(), vec!["a.dat".to_string()])
        );
    }

    #[test]
    fn what_stands_in_the_way_is_named_before_the_launch() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str| {
            Output::prepare(&folder.path().join(name), &bytes(3), Replace::Anything).unwrap_err().message
        };
        assert!(refused("missing/a.dat").ends_with("no such file or folder"));
        assert!(
            Output::prepare(folder.path(), &bytes(3), Replace::Anything)
                .unwrap_err()
                .message
                .ends_with("it is a folder")
        );
        assert!(refused("a.png").ends_with("a buffer of `u8[3]` is not an image"));
        fs::write(folder.path().join("plain"), "").unwrap();
        assert!(refused("plain/a.dat").starts_with("cannot write"));
        let mut locked = fs::metadata(folder.path().join("plain")).unwrap().permissions();
        locked.set_readonly(true);
        fs::set_permissions(folder.path().join("plain"), locked).unwrap();
        assert!(refused("plain").ends_with("it is write-protected"));
    }

    #[test]
    fn two_names_of_one_file_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let prepare =
            |name: &str| Output::prepare(&folder.path().join(name), &bytes(1), Replace::Anything).unwrap();
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
            Output::prepare(&link, &bytes(3), Replace::Anything).unwrap().write(&bytes(3), text).unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(folder.path().join("target")).unwrap(), text);
        }
        std::os::unix::fs::symlink("loop", folder.path().join("loop")).unwrap();
        assert!(Output::prepare(&folder.path().join("loop"), &bytes(3), Replace::Anything).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_straight() {
        Output::prepare(Path::new("/dev/null"), &bytes(3), Replace::Anything)
            .unwrap()
            .write(&bytes(3), b"abc")
            .unwrap();
        let full = Output::prepare(Path::new("/dev/full"), &bytes(3), Replace::Anything).unwrap();
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
        Output::prepare(&file, &bytes(1), Replace::Anything).unwrap().write(&bytes(1), b"x").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
