//! Programs in C use the built driver, a family of functions each; those in the middle of a process, of several, and under valgrind.

mod common;

use common::{good, has, library};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a program in a folder where the driver lies by the name that programs know.
fn compiled(name: &str, folder: &Path) -> PathBuf {
    let driver = folder.join("libcuda.so.1");
    std::fs::copy(library(), &driver).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"));
    let program = folder.join(name);
    let mut compile = Command::new("cc");
    compile.args(["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror"]).arg(source).arg("-o").arg(&program);
    compile.arg(driver).arg("-lpthread").arg(format!("-Wl,-rpath,{}", folder.display()));
    good(&mut compile, &format!("cc {name}.c"));
    program
}

fn is_good(name: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    if has("cc") {
        let program = compiled(name, folder.path());
        assert_eq!(good(Command::new(program).args(arguments), name), "all good\n");
    }
}

#[test]
fn starting_names_and_the_device() {
    is_good("init", &[]);
}

#[test]
fn contexts() {
    is_good("context", &[]);
}

#[test]
fn modules_libraries_kernels_and_links() {
    is_good("module", &[]);
}

#[test]
fn memory_copies_pools_and_pointers() {
    is_good("memory", &[]);
}

#[test]
fn launches_streams_events_and_occupancy() {
    is_good("launch", &[]);
}

#[test]
fn threads_processes_and_many_launches() {
    is_good("many", &["100000"]);
}

/// What a program does with an environment of its own.
fn with(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Option<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    if !has("cc") {
        return None;
    }
    let mut program = Command::new(compiled(name, folder.path()));
    let output = program.args(arguments).envs(environment.iter().copied()).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(output.status.success(), "{name} {arguments:?} {environment:?}: {out}{err}");
    Some((out, err))
}

#[test]
fn the_environment_chooses() {
    let settings: [(&str, &[(&str, &str)]); 6] = [
        ("plain", &[]),
        ("plain", &[("MARGAY_CUDA_ARCH", ""), ("MARGAY_CUDA_MEMORY", "checked"), ("MARGAY_STICKY", "0")]),
        ("hopper", &[("MARGAY_CUDA_ARCH", "sm_90")]),
        ("open", &[("MARGAY_CUDA_MEMORY", "open")]),
        ("sticky", &[("MARGAY_STICKY", "1")]),
        ("open", &[("MARGAY_CUDA_MEMORY", "open"), ("MARGAY_STICKY", "1")]),
    ];
    for (expected, environment) in settings {
        let said = with("settings", &[expected], environment);
        assert!(said.is_none_or(|(out, _)| out == "all good\n"), "{expected}");
    }
    for (variable, value) in
        [("MARGAY_CUDA_ARCH", "sm_81"), ("MARGAY_CUDA_MEMORY", "Open"), ("MARGAY_SEMANTICS", "x")]
    {
        let said = with("settings", &["wrong"], &[(variable, value)]);
        let told = format!("the environment variable `{variable}` is `{value}`");
        assert!(said.is_none_or(|(_, err)| err.contains(&told)), "{variable}");
    }
}

#[test]
fn what_kernels_print_and_how_they_go_wrong_is_told() {
    let Some((out, err)) = with("printing", &[], &[]) else { return };
    assert_eq!(out, "before\nhi\nhi\nafter\n");
    assert!(
        err.starts_with("error: kernel `read` stopped: near-null address: read of 4 bytes at 0x8"),
        "{err}"
    );
    assert!(err.contains("--> <ptx>:"), "{err}");
}

#[test]
fn valgrind_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    if !has("cc") || !has("valgrind") {
        return;
    }
    for name in ["init", "context", "module", "memory", "launch"] {
        let program = compiled(name, folder.path());
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
        assert_eq!(good(valgrind.arg(program), &format!("valgrind {name}")), "all good\n");
    }
}
