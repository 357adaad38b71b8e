//! A program in C links PTX with the built libraries, and runs what comes of it on the built driver; also under valgrind.

#[path = "../../capi/tests/common/built.rs"]
mod built;

use built::{built, good, has};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the program in a folder where the libraries lie by the names that programs know.
fn compiled(major: u32, folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let linker = format!("libnvJitLink.so.{major}");
    let built_as = if major == 12 { "nvJitLink12" } else { "nvJitLink" };
    for (name, file) in [(built_as, linker.as_str()), ("cuda", "libcuda.so.1")] {
        std::fs::copy(built(root, name), folder.join(file)).unwrap();
    }
    let program = folder.join("link");
    let mut compile = Command::new("cc");
    compile.args(["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror"]).arg(format!("-DMAJOR={major}"));
    compile.arg(root.join("tests/programs/link.c")).arg("-o").arg(&program);
    compile.args([folder.join(&linker), folder.join("libcuda.so.1")]).args(["-ldl", "-lpthread"]);
    good(compile.arg(format!("-Wl,-rpath,{}", folder.display())), "cc link.c");
    program
}

#[test]
fn both_versions_link() {
    if !has("cc") {
        return;
    }
    for major in [12, 13] {
        let folder = tempfile::tempdir().unwrap();
        let program = compiled(major, folder.path());
        assert_eq!(good(Command::new(&program).current_dir(&folder), "link"), "all good\n");
        if major == 13 && has("valgrind") {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
            assert_eq!(good(valgrind.arg(program).current_dir(&folder), "valgrind"), "all good\n");
        }
    }
}
