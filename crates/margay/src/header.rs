//! Launch options that a PTX text carries in comment lines: `// margay run: OPTIONS`.

use std::path::{Component, Path, PathBuf};

use crate::output::{parent, place};
use crate::problem::Problem;

/// One comment line's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line's number, from 1.
    pub number: usize,
    /// The options as words, shell quoting undone.
    pub words: Vec<String>,
}

/// The options in a PTX text, line by line. A line counts if it begins with `//` and then `margay run:`.
///
/// # Errors
/// The number of a line whose quotes are not closed, and what is wrong with it.
///
/// # Examples
/// ```
/// let lines = margay::header::lines("// margay run: --grid 4 --arg 'in=two words.npy'\n.version 8.0\n").unwrap();
/// assert_eq!(lines[0].words, ["--grid", "4", "--arg", "in=two words.npy"]);
/// ```
pub fn lines(text: &str) -> Result<Vec<Line>, (usize, Problem)> {
    let options = |line: &str| {
        Some(line.trim_start().strip_prefix("//")?.trim_start().strip_prefix("margay run:")?.to_string())
    };
    let numbered = text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, options(line)?)));
    numbered
        .map(|(number, options)| match shlex::split(&options) {
            Some(words) => Ok(Line { number, words }),
            None => Err((number, Problem::new("a quote in the options of `margay run:` is not closed"))),
        })
        .collect()
}

/// Where the relative names of files start, and whether written files may leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    folder: PathBuf,
    confined: bool,
}

impl Base {
    /// For names given on the command line: the current folder, and any file may be written.
    pub fn current() -> Self {
        Base { folder: PathBuf::new(), confined: false }
    }

    /// For names given in a PTX file: its folder, which written files may not leave. A text from standard input has none,
    /// and the current folder stands for it.
    pub fn of_ptx(file: Option<&Path>) -> Self {
        Base { folder: file.map(parent).unwrap_or(Path::new(".")).to_path_buf(), confined: true }
    }

    /// The file to read.
    pub fn input(&self, file: &Path) -> PathBuf {
        self.folder.join(file)
    }

    /// The file to write.
    ///
    /// # Errors
    /// A name in a PTX file that leads out of its folder: absolute, by `..`, or by a link.
    pub fn output(&self, file: &Path) -> Result<PathBuf, Problem> {
        let whole = self.folder.join(file);
        if !self.confined {
            return Ok(whole);
        }
        let leaves = || {
            Problem::new(format!("`{}` leads out of the PTX file's folder", file.display()))
                .help("options in a PTX file write below its folder only; give this one on the command line")
        };
        if file.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(leaves());
        }
        // A folder that is missing is reported when the output is prepared.
        let Ok((folder, _)) = place(&whole) else { return Ok(whole) };
        let home = self.folder.canonicalize().map_err(|error| Problem::io("open", &self.folder, &error))?;
        if folder.starts_with(home) { Ok(whole) } else { Err(leaves()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        lines(text).unwrap().into_iter().map(|line| line.words).collect()
    }

    #[test]
    fn only_whole_comment_lines_count() {
        let text = "//margay run: --grid 2\r\n  //  margay run:--block 32 # all\n// a margay run: --x\nadd; // margay run: --y\n";
        assert_eq!(words(text), [vec!["--grid", "2"], vec!["--block", "32"]]);
        assert_eq!(lines(text).unwrap()[1].number, 2);
        assert_eq!(words(""), Vec::<Vec<String>>::new());
        assert_eq!(words("// margay run:"), [Vec::<String>::new()]);
    }

    #[test]
    fn quoting_is_the_shells() {
        assert_eq!(words(r#"// margay run: 'a b' "c\"d" e\ f"#), [["a b", "c\"d", "e f"]]);
        let (number, problem) = lines("\n// margay run: 'a").unwrap_err();
        assert_eq!((number, problem.message.contains("not closed")), (2, true));
    }

    #[test]
    fn names_are_relative_to_the_folder_of_the_ptx_file() {
        let base = Base::of_ptx(Some(Path::new("some/where/k.ptx")));
        assert_eq!(base.input(Path::new("../a.npy")), Path::new("some/where/../a.npy"));
        assert_eq!(Base::of_ptx(Some(Path::new("k.ptx"))).input(Path::new("a.npy")), Path::new("./a.npy"));
        assert_eq!(Base::current().input(Path::new("a.npy")), Path::new("a.npy"));
        assert_eq!(Base::current().output(Path::new("../a.npy")).unwrap(), Path::new("../a.npy"));
    }

    #[test]
    fn header_outputs_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let ptx = folder.path().join("k.ptx");
        let base = Base::of_ptx(Some(&ptx));
        let allowed = |name: &str| base.output(Path::new(name)).is_ok();
        assert!(allowed("a.npy"));
        assert!(allowed("./sub/a.npy"));
        assert!(allowed("missing/a.npy"));
        assert!(!allowed("../a.npy"));
        assert!(!allowed("sub/../a.npy"));
        assert!(!allowed("/tmp/a.npy"));
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_header_outputs_out() {
        use std::os::unix::fs::symlink;
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        symlink(outside.path(), folder.path().join("out")).unwrap();
        symlink(outside.path().join("file"), folder.path().join("a.npy")).unwrap();
        symlink("b.real", folder.path().join("b.npy")).unwrap();
        let base = Base::of_ptx(Some(&folder.path().join("k.ptx")));
        assert!(base.output(Path::new("out/a.npy")).is_err());
        assert!(base.output(Path::new("a.npy")).is_err());
        assert!(base.output(Path::new("b.npy")).is_ok());
    }
}
