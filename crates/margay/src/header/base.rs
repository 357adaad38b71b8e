//! Which files the options of a launch may name: any on the command line, only data beside the PTX file in its header.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::output::{Replace, has_data, is_own, is_same, place};
use crate::problem::{Problem, shown};

/// Where the relative names of files start, and which files they may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The folder; empty for the current one.
    folder: PathBuf,
    /// The PTX file that names the files.
    ptx: Option<PathBuf>,
    reach: Reach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// The user named the file.
    Anything,
    /// A header that the user trusts: reads anything, writes below the folder.
    Folder,
    /// Any other header: reads and writes data below the folder.
    Data,
}

/// Files with such an extension that build tools and package managers obey.
const OBEYED: [&str; 3] = ["cmakelists.txt", "meson_options.txt", "requirements.txt"];

impl Base {
    /// For names given on the command line: they start at the current folder and may be any file's.
    pub fn current() -> Self {
        Base { folder: PathBuf::new(), ptx: None, reach: Reach::Anything }
    }

    /// For names given in the header of a PTX file: they start at its folder, which files may not leave, and are judged as
    /// [`input`](Self::input) and [`output`](Self::output) say. PTX from standard input has no folder, and the current one
    /// stands for it.
    pub fn of_header(ptx: Option<&Path>) -> Self {
        let folder = ptx.and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
        Base { folder, ptx: ptx.map(Path::to_path_buf), reach: Reach::Data }
    }

    /// As [`of_header`](Self::of_header) for a header that the user trusts: it may read any file, and replace any below the
    /// folder.
    pub fn of_trusted_header(ptx: Option<&Path>) -> Self {
        Base { reach: Reach::Folder, ..Base::of_header(ptx) }
    }

    /// What an output may replace.
    pub fn replace(&self) -> Replace {
        match self.reach {
            Reach::Data => Replace::OwnOutputs,
            Reach::Anything | Reach::Folder => Replace::Anything,
        }
    }

    /// The file with a name, not judged.
    pub fn file(&self, name: &Path) -> PathBuf {
        self.folder.join(name)
    }

    /// The file to read. In a header it must be a plain file below the folder, no part of whose name begins with a dot;
    /// links count as what they lead to.
    ///
    /// # Errors
    /// A name in a header that is not such a file's.
    pub fn input(&self, name: &Path) -> Result<PathBuf, Problem> {
        let whole = self.file(name);
        if self.reach == Reach::Data {
            self.readable(name, &whole).map_err(|reason| refused("read", name, reason))?;
        }
        Ok(whole)
    }

    /// The file to write. In a header it must be below the folder, no part of its name may begin with a dot, its extension
    /// must be one of [`DATA`](crate::output::DATA), and where it is there already it must be what an earlier launch wrote, unchanged and not
    /// executable; links count as what they lead to.
    ///
    /// # Errors
    /// A name in a header that is not such a file's.
    pub fn output(&self, name: &Path) -> Result<PathBuf, Problem> {
        let whole = self.file(name);
        if self.reach != Reach::Anything {
            self.writable(name, &whole).map_err(|reason| refused("write", name, reason))?;
        }
        Ok(whole)
    }

    fn readable(&self, name: &Path, whole: &Path) -> Result<(), Reason> {
        stays(name)?;
        without_dots(name)?;
        let failed = |error: io::Error| Reason::Of(Problem::io("read", whole, &error));
        let real = whole.canonicalize().map_err(failed)?;
        without_dots(&self.below(&real)?)?;
        match fs::metadata(&real).map_err(failed)?.is_file() && !is_of_the_system(&real) {
            true => Ok(()),
            false => Err(Reason::It("is not a plain file")),
        }
    }

    fn writable(&self, name: &Path, whole: &Path) -> Result<(), Reason> {
        stays(name)?;
        if self.ptx.as_deref().is_some_and(|ptx| is_same(ptx, whole)) {
            return Err(Reason::It("is the PTX file itself"));
        }
        let judged = self.reach == Reach::Data;
        if judged {
            without_dots(name)?;
            is_data(name)?;
        }
        // A folder that is missing is reported when the output is prepared.
        let Ok((folder, last)) = place(whole) else { return Ok(()) };
        let target = folder.join(last);
        let below = self.below(&target)?;
        if judged {
            without_dots(&below)?;
            is_data(&below)?;
            may_be_replaced(&target)?;
        }
        Ok(())
    }

    /// A path free of links as a name below the folder.
    fn below(&self, real: &Path) -> Result<PathBuf, Reason> {
        let folder = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let home = folder.canonicalize().map_err(|error| Reason::Of(Problem::io("open", folder, &error)))?;
        real.strip_prefix(home).map(Path::to_path_buf).map_err(|_| LEAVES)
    }
}

/// Why a header may not name a file.
enum Reason {
    /// What the file is or does.
    It(&'static str),
    /// Something else that went wrong.
    Of(Problem),
}

const LEAVES: Reason = Reason::It("leads out of the PTX file's folder");

fn refused(doing: &str, name: &Path, reason: Reason) -> Problem {
    match reason {
        Reason::Of(problem) => problem,
        Reason::It(reason) => {
            let message = format!("the PTX file's header may not {doing} {}: it {reason}", shown(name));
            Problem::new(message).help(
                "a header reads files beside the PTX file and writes new data files there (docs/run.md); to allow more, \
                 give the option on the command line, or say `--trust-header`",
            )
        }
    }
}

/// A name that neither starts elsewhere nor climbs out.
fn stays(name: &Path) -> Result<(), Reason> {
    match name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        true => Ok(()),
        false => Err(LEAVES),
    }
}

/// Names that begin with a dot are those of settings, keys and histories.
fn without_dots(name: &Path) -> Result<(), Reason> {
    let hidden = |part: Component| match part {
        Component::Normal(part) => part.as_encoded_bytes().starts_with(b"."),
        _ => false,
    };
    match name.components().any(hidden) {
        true => Err(Reason::It("has a part that begins with a dot")),
        false => Ok(()),
    }
}

fn is_data(name: &Path) -> Result<(), Reason> {
    let whole = name.file_name().map(|part| part.to_string_lossy().to_lowercase());
    if whole.is_some_and(|whole| OBEYED.contains(&whole.as_str())) {
        return Err(Reason::It("is a file that build tools obey"));
    }
    match has_data(name) {
        true => Ok(()),
        false => Err(Reason::It("does not end in .npy, .png, .pgm, .raw, .bin or .txt")),
    }
}

/// Whether a file that may be there is what a launch wrote, and no more than data.
fn may_be_replaced(target: &Path) -> Result<(), Reason> {
    let metadata = match fs::symlink_metadata(target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Reason::Of(Problem::io("write", target, &error))),
    };
    if !metadata.is_file() || is_of_the_system(target) {
        return Err(Reason::It("is not a plain file"));
    }
    if is_executable(&metadata) {
        return Err(Reason::It("is executable"));
    }
    match is_own(target) {
        true => Ok(()),
        false => {
            Err(Reason::It("is there already, and is not what an earlier launch wrote (delete or move it)"))
        }
    }
}

/// Files that stand for devices, processes and settings of the system.
fn is_of_the_system(real: &Path) -> bool {
    cfg!(unix) && ["/dev", "/proc", "/sys"].iter().any(|folder| real.starts_with(folder))
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn base(folder: &tempfile::TempDir) -> Base {
        Base::of_header(Some(&folder.path().join("k.ptx")))
    }

    fn why(judged: Result<PathBuf, Problem>) -> String {
        judged.map(|_| String::new()).unwrap_or_else(|problem| problem.message)
    }

    #[test]
    fn names_are_relative_to_the_folder_of_the_ptx_file() {
        let base = Base::of_header(Some(Path::new("some/where/k.ptx")));
        assert_eq!(base.file(Path::new("a.npy")), Path::new("some/where/a.npy"));
        assert_eq!(Base::of_header(Some(Path::new("k.ptx"))).file(Path::new("a.npy")), Path::new("a.npy"));
        assert_eq!(Base::current().input(Path::new("/a.npy")).unwrap(), Path::new("/a.npy"));
        assert_eq!(Base::current().output(Path::new("../.a")).unwrap(), Path::new("../.a"));
    }

    #[test]
    fn header_outputs_are_new_data_files_in_the_folder() {
        let folder = folder();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("old.txt"), "mine").unwrap();
        let why = |name: &str| why(base(&folder).output(Path::new(name)));
        for name in ["a.npy", "./sub/a.PNG", "missing/a.npy", "a.pgm", "a.raw", "a.bin", "sub.npy/../a.txt"] {
            assert_eq!(why(name).is_empty(), !name.contains(".."), "{name}: {}", why(name));
        }
        for name in ["../a.npy", "sub/../a.npy", "/tmp/a.npy", "..", "/"] {
            assert!(why(name).contains("leads out of the PTX file's folder"), "{name}: {}", why(name));
        }
        for name in [".a.npy", ".npy", "sub/.b/a.npy", ".ssh/authorized_keys", "./.bashrc", "...npy"] {
            assert!(why(name).contains("begins with a dot"), "{name}: {}", why(name));
        }
        for name in ["Makefile", "k.ptx", "conftest.py", "npy", "a.npy.sh", "sub", "a.", "a.npy "] {
            assert!(why(name).contains("does not end in"), "{name}: {}", why(name));
        }
        assert!(why("sub/CMakeLists.txt").contains("build tools"), "{}", why("sub/CMakeLists.txt"));
        assert!(why("old.txt").contains("is there already"), "{}", why("old.txt"));
        let trusted = Base::of_trusted_header(Some(&folder.path().join("k.ptx")));
        assert!(trusted.output(Path::new("old.txt")).is_ok() && trusted.output(Path::new(".bashrc")).is_ok());
        assert!(trusted.output(Path::new("../a.npy")).is_err());
    }

    #[test]
    fn header_inputs_are_plain_files_in_the_folder() {
        let folder = folder();
        for sub in ["sub", ".git"] {
            fs::create_dir(folder.path().join(sub)).unwrap();
            fs::write(folder.path().join(sub).join("a.npy"), "").unwrap();
        }
        let why = |name: &str| why(base(&folder).input(Path::new(name)));
        assert_eq!(why("sub/a.npy"), "");
        assert_eq!(why("./sub/./a.npy"), "");
        for (name, reason) in [
            ("../a.npy", "leads out"),
            ("sub/../sub/a.npy", "leads out"),
            ("/etc/passwd", "leads out"),
            (".git/a.npy", "begins with a dot"),
            ("sub", "is not a plain file"),
            ("missing", "no such file"),
        ] {
            assert!(why(name).contains(reason), "{name}: {}", why(name));
        }
        let trusted = Base::of_trusted_header(Some(&folder.path().join("k.ptx")));
        assert!(trusted.input(Path::new("/etc/passwd")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_count_as_what_they_lead_to() {
        use std::os::unix::fs::symlink;
        let (folder, outside) = (folder(), folder());
        let link = |target: &Path, name: &str| symlink(target, folder.path().join(name)).unwrap();
        fs::create_dir_all(folder.path().join(".hidden")).unwrap();
        fs::write(outside.path().join("data.npy"), "").unwrap();
        fs::write(folder.path().join("in.npy"), "").unwrap();
        link(outside.path(), "out");
        link(&outside.path().join("data.npy"), "a.npy");
        link(Path::new("b.real"), "b.npy");
        link(Path::new("c.raw"), "c.npy");
        link(Path::new(".hidden"), "open");
        link(Path::new("in.npy"), "d.npy");
        link(Path::new("/dev/zero"), "zero.raw");
        let base = base(&folder);
        let (output, input) =
            (|name: &str| why(base.output(Path::new(name))), |name: &str| why(base.input(Path::new(name))));
        assert!(output("out/a.npy").contains("leads out"), "{}", output("out/a.npy"));
        assert!(output("a.npy").contains("leads out"));
        assert!(output("b.npy").contains("does not end in"));
        assert!(output("open/a.npy").contains("begins with a dot"));
        assert!(output("d.npy").contains("is there already"));
        assert_eq!(output("c.npy"), "");
        assert!(input("out/data.npy").contains("leads out"));
        assert!(input("a.npy").contains("leads out"));
        assert!(input("zero.raw").contains("leads out"));
        assert_eq!(input("d.npy"), "");
    }
}
