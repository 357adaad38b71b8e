//! Programs in four languages launch the same kernel through the built library, with the same result.

mod common;

use common::{compiled, crate_root, docs, folder, good, has, kernel, library};
use std::path::{Path, PathBuf};
use std::process::Command;

const RESULT: &str = "3 6 9 12 15 18 21 24\n";

/// The program of a language in the page about C, with what it is said to print.
fn shown(language: &str) -> String {
    let page = std::fs::read_to_string(docs().join("c.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).expect("a program");
    let (program, rest) = rest.split_once("```\n").unwrap();
    assert!(rest.starts_with(&format!("\n```text\n{RESULT}```")), "{language} is said to print {rest}");
    program.to_string()
}

fn program(name: &str) -> PathBuf {
    crate_root().join("tests/programs").join(name)
}

fn runs(program: &Path, folder: &Path) -> String {
    good(Command::new(program).current_dir(folder), &program.display().to_string())
}

#[test]
fn the_c_program_of_the_docs_runs() {
    let folder = folder();
    if has("cc") {
        let source = folder.path().join("shown.c");
        std::fs::write(&source, shown("c")).unwrap();
        let shown = compiled(&source, folder.path(), "cc", &["-std=c99"]);
        assert_eq!(runs(&shown, folder.path()), RESULT);
    }
}

#[test]
fn the_python_program_of_the_docs_runs_on_the_library_under_its_other_name() {
    let folder = folder();
    if has("python3") {
        let other = folder.path().join("libgpuocelot.so");
        std::fs::copy(library(), &other).unwrap();
        std::fs::write(folder.path().join("shown.py"), shown("python")).unwrap();
        let mut python = Command::new("python3");
        python.arg("shown.py").arg(&other).current_dir(folder.path());
        assert_eq!(good(&mut python, "shown.py"), RESULT);
    }
}

#[test]
fn the_five_lines_of_the_readme_run() {
    let page = std::fs::read_to_string(docs().join("../README.md")).unwrap();
    let blocks = page.split("```python\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0));
    let lines = blocks.into_iter().find(|block| block.contains("ptx_run")).expect("a program");
    let folder = folder();
    if has("python3") {
        for (file, place) in
            [(library(), "target/release/libmargay.so"), (&kernel(), "docs/examples/scale.ptx")]
        {
            let place = folder.path().join(place);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::copy(file, place).unwrap();
        }
        let mut python = Command::new("python3");
        assert_eq!(
            good(python.args(["-c", lines]).current_dir(folder.path()), "the README's program"),
            RESULT
        );
    }
}

#[test]
fn a_cpp_program_runs() {
    let folder = folder();
    if has("c++") {
        let scale = compiled(&program("scale.cpp"), folder.path(), "c++", &["-std=c++11"]);
        assert_eq!(runs(&scale, folder.path()), RESULT);
    }
}

#[test]
fn a_rust_program_runs() {
    let folder = folder();
    let (scale, libraries) = (folder.path().join("scale"), library().parent().unwrap());
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut compile = Command::new(rustc);
    compile.args(["--edition", "2024", "-l", "dylib=margay", "-L"]).arg(libraries);
    compile.arg("-C").arg(format!("link-arg=-Wl,-rpath,{}", libraries.display()));
    good(compile.arg(program("scale.rs")).arg("-o").arg(&scale), "rustc scale.rs");
    assert_eq!(runs(&scale, folder.path()), RESULT);
}

#[test]
fn every_function_does_what_it_says_right_and_wrong_from_many_threads() {
    let folder = folder();
    if has("cc") {
        let checks = compiled(&program("checks.c"), folder.path(), "cc", &["-std=c99", "-g"]);
        assert_eq!(runs(&checks, folder.path()), "all good\n");
    }
}

#[test]
fn valgrind_finds_nothing() {
    let folder = folder();
    if has("cc") && has("valgrind") {
        let checks = compiled(&program("checks.c"), folder.path(), "cc", &["-std=c99", "-g"]);
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
        let said = good(valgrind.arg(&checks).current_dir(folder.path()), "valgrind checks");
        assert_eq!(said, "all good\n");
    }
}

#[test]
fn what_is_wrong_is_said_on_standard_error_as_the_command_says_it() {
    let folder = folder();
    if has("python3") {
        let script = "import ctypes, sys\n\
            status = ctypes.CDLL(sys.argv[1]).ptx_run(b'.version 8.0\\n.target sm_80\\nretn\\n', 0, None, 1, 1, 1, 1, 1, 1, 0)\n\
            sys.exit(status)";
        let mut python = Command::new("python3");
        let output = python.args(["-c", script]).arg(library()).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.starts_with("error[P") && said.contains("--> <ptx>:3:1"), "{said}");
    }
}
