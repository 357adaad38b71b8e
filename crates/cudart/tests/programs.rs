//! Programs in C with what a compiler of CUDA would make of them use the built libraries; also under valgrind, and without a driver.

#[path = "../../capi/tests/common/built.rs"]
mod built;

use built::{built, good, has};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a program in a folder where the libraries lie by the names that programs know.
fn compiled(name: &str, major: u32, folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = format!("libcudart.so.{major}");
    let built_as = if major == 12 { "cudart12" } else { "cudart" };
    for (name, file) in [(built_as, library.as_str()), ("cuda", "libcuda.so.1")] {
        std::fs::copy(built(root, name), folder.join(file)).unwrap();
    }
    let program = folder.join(name);
    let mut compile = Command::new("cc");
    compile.args(["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror"]).arg(format!("-DMAJOR={major}"));
    compile.arg(root.join(format!("tests/programs/{name}.c"))).arg("-o").arg(&program);
    compile.args([folder.join(&library), folder.join("libcuda.so.1")]).arg("-lpthread");
    good(compile.arg(format!("-Wl,-rpath,{}", folder.display())), &format!("cc {name}.c"));
    program
}

#[test]
fn both_versions_run_a_compiled_program() {
    if !has("cc") {
        return;
    }
    for major in [12, 13] {
        let folder = tempfile::tempdir().unwrap();
        let program = compiled("compiled", major, folder.path());
        let output = Command::new(&program).output().unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        assert_eq!(out, "all good\n", "{err}");
        assert!(err.contains("margay: `cudaArrayGetPlane` is not supported\n"), "{err}");
        // The loader finds the version of symbols that programs name.
        assert!(!err.contains("no version information"), "{err}");
        if major == 13 && has("valgrind") {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
            assert_eq!(good(valgrind.arg(program), "valgrind"), "all good\n");
        }
    }
}

#[test]
fn both_versions_have_arrays_textures_and_surfaces() {
    if !has("cc") {
        return;
    }
    for major in [12, 13] {
        let folder = tempfile::tempdir().unwrap();
        let program = compiled("array", major, folder.path());
        assert_eq!(good(&mut Command::new(&program), "array"), "all good\n");
        if major == 13 && has("valgrind") {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
            assert_eq!(good(valgrind.arg(program), "valgrind"), "all good\n");
        }
    }
}

/// Version 12 has no functions of the log.
#[test]
fn the_log_is_the_drivers() {
    if has("cc") {
        let folder = tempfile::tempdir().unwrap();
        let program = compiled("log", 13, folder.path());
        assert_eq!(good(Command::new(program).arg(folder.path().join("log.txt")), "log"), "all good\n");
    }
}

/// A program that only asks how many devices there are.
const COUNTS: &str = "#include <stdio.h>\nunsigned cudaGetDeviceCount(int *); const char *cudaGetErrorName(unsigned);\n\
    int main(void) { int n; return puts(cudaGetErrorName(cudaGetDeviceCount(&n))) < 0; }\n";

#[test]
fn without_a_driver_it_says_so() {
    if !has("cc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libcudart.so.13");
    std::fs::copy(built(Path::new(env!("CARGO_MANIFEST_DIR")), "cudart"), &library).unwrap();
    let source = folder.path().join("counts.c");
    std::fs::write(&source, COUNTS).unwrap();
    let program = folder.path().join("counts");
    let mut compile = Command::new("cc");
    compile.arg(source).arg("-o").arg(&program).arg(&library);
    good(compile.arg(format!("-Wl,-rpath,{}", folder.path().display())), "cc counts.c");
    // A file that is none, so that no other driver of the machine is found.
    std::fs::write(folder.path().join("libcuda.so.1"), "").unwrap();
    let output = Command::new(program).env_remove("LD_LIBRARY_PATH").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "cudaErrorInsufficientDriver\n");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.starts_with("margay: the driver, `libcuda.so.1`, cannot be used: "), "{err}");
}
