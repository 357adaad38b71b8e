//! Every folder of `examples`: the command runs it, and plain Rust says what the result must be.

use std::{
    fs,
    path::{Path, PathBuf},
};

#[path = "../common/mod.rs"]
mod common;
mod digit_reader;
mod files;
mod half;
mod int8;
mod motion_field;
mod raymarch;
mod sha256;
mod smith_waterman;
mod text_scan;

#[path = "../../examples/scenes/digits.rs"]
mod digits;
#[path = "../../examples/scenes/grain.rs"]
mod grain;
#[path = "../../examples/scenes/motion.rs"]
mod motion;
#[path = "../../examples/scenes/network.rs"]
mod network;
#[path = "../../examples/scenes/noise.rs"]
mod noise;
#[path = "../../examples/scenes/relief.rs"]
mod relief;

/// A copy of one example, so that its outputs do not land in the source tree.
struct Example {
    folder: PathBuf,
    name: &'static str,
}

impl Example {
    /// Copies the example for the test `test`.
    fn copy(name: &'static str, test: &str) -> Example {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{test}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        // What an earlier run by hand left there must not pass for a result.
        let left = |file: &str| {
            IGNORED.lines().any(|line| line == format!("{name}/{file}")) || file.ends_with(".npy")
        };
        for entry in fs::read_dir(&source).unwrap().map(Result::unwrap) {
            let file = entry.file_name().into_string().unwrap();
            if !left(&file) {
                fs::copy(entry.path(), folder.join(file)).unwrap();
            }
        }
        Example { folder, name }
    }

    /// Runs `margay run NAME.ptx` with further options, from another folder than the example's.
    fn run(&self, options: &[&str]) {
        let kernel = self.folder.join(self.name).with_extension("ptx");
        let ran = common::margay(&[&["run", kernel.to_str().unwrap()], options].concat());
        assert_eq!(ran.code, Some(0), "{}: {}", self.name, ran.err);
        assert_eq!(ran.out, "", "{}: nothing is printed by the kernel", self.name);
        assert!(!ran.err.contains("warning"), "{}: {}", self.name, ran.err);
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    fn bytes(&self, file: &str) -> Vec<u8> {
        fs::read(self.path(file)).unwrap_or_else(|error| panic!("{}/{file}: {error}", self.name))
    }

    fn text(&self, file: &str) -> String {
        String::from_utf8(self.bytes(file)).unwrap()
    }
}

const IGNORED: &str = include_str!("../../../../examples/.gitignore");

#[test]
fn each_example_has_its_kernel_and_says_how_it_is_run() {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for folder in
        fs::read_dir(folders).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let kernel = fs::read_to_string(folder.join(name).with_extension("ptx")).unwrap();
        assert!(kernel.starts_with("// "), "{name}: the first line says where the kernel is from");
        assert!(kernel.contains("\n// margay run: "), "{name}: it runs without options");
        let page = fs::read_to_string(folder.join("README.md")).unwrap();
        assert!(
            page.contains(&format!("margay run examples/{name}/{name}.ptx")),
            "{name}: the page has its command"
        );
        count += 1;
    }
    assert_eq!(count, 8);
}
