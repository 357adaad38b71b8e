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

/// What a Python program that does not look at the status does with the library: its exit code (none where a signal ended
/// it), what it printed and what was told on standard error.
fn heedless(calls: &str, environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let folder = folder();
    let mut python = Command::new("python3");
    python
        .arg("-c")
        .arg(format!("import ctypes, sys\nlibrary = ctypes.CDLL(sys.argv[1])\n{calls}\nprint('done')"));
    python
        .arg(library())
        .current_dir(folder.path())
        .env_remove("MARGAY_ON_ERROR")
        .env_remove("MARGAY_SEMANTICS")
        .env_remove("MARGAY_APPROX")
        .env_remove("MARGAY_CONTRACT")
        .env_remove("MARGAY_DEVICE");
    let output = python.envs(environment.iter().copied()).output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), said(&output.stdout), said(&output.stderr))
}

/// A kernel that is refused, and one that goes wrong.
const FAILING: [(&str, &str); 2] = [
    (".reg .pred %p; .reg .u64 %rd; multimem.red.add.u32 [%rd], 1; ret;", "multimem"),
    (".reg .u32 %r; .reg .u64 %rd; mov.u64 %rd, 0; ld.global.u32 %r, [%rd]; ret;", "null pointer"),
];

fn run(body: &str) -> String {
    let text = format!(".version 8.1\\n.target sm_90\\n.address_size 64\\n.entry k() {{ {body} }}");
    format!("library.ptx_run(b'{text}', 0, None, 1, 1, 1, 1, 1, 1, 0)")
}

#[test]
fn a_program_that_ignores_failures_is_ended_where_that_is_asked_for() {
    if !has("python3") {
        return;
    }
    for (body, word) in FAILING {
        for value in [None, Some("return"), Some("")] {
            let set: Vec<_> = value.map(|value| ("MARGAY_ON_ERROR", value)).into_iter().collect();
            let (code, out, err) = heedless(&run(body), &set);
            assert_eq!((code, out.as_str()), (Some(0), "done\n"), "{err}");
            assert!(err.contains(word), "{err}");
        }
        let (code, out, err) = heedless(&run(body), &[("MARGAY_ON_ERROR", "abort")]);
        assert_eq!((code, out.as_str()), (None, ""), "{err}");
        assert!(err.contains(word) && err.matches("error: ").count() == 1, "{err}");
    }
    // What goes right goes on.
    let (code, out, err) = heedless(&run("ret;"), &[("MARGAY_ON_ERROR", "abort")]);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "done\n", ""));
    // The functions that keep a text for `margay_last_error` tell it, too.
    let (code, _, err) = heedless("library.margay_device_new(48, None)", &[("MARGAY_ON_ERROR", "abort")]);
    assert_eq!((code, err.contains("error: ")), (None, true), "{err}");
}

#[test]
fn a_setting_that_is_none_is_never_taken_for_another() {
    if !has("python3") {
        return;
    }
    let (code, out, err) = heedless(&run("ret;"), &[("MARGAY_ON_ERROR", "Abort")]);
    assert_eq!((code, out.as_str()), (None, ""));
    assert!(err.contains("`MARGAY_ON_ERROR` is `Abort`, but must be `return` or `abort`"), "{err}");
    let status = format!("sys.exit({})", run("ret;"));
    let (code, _, err) = heedless(&status, &[("MARGAY_SEMANTICS", "ptxas")]);
    assert_eq!(code, Some(1));
    assert!(err.contains("`MARGAY_SEMANTICS` is `ptxas`, but must be `manual` or `ptxas-13.5`"), "{err}");
    let (code, _, err) = heedless(&status, &[("MARGAY_APPROX", "exact")]);
    assert_eq!(code, Some(1));
    assert!(err.contains("`MARGAY_APPROX` is `exact`, but must be `device` or `rounded`"), "{err}");
    let (code, _, err) = heedless(&status, &[("MARGAY_CONTRACT", "yes")]);
    assert_eq!(code, Some(1));
    assert!(err.contains("`MARGAY_CONTRACT` is `yes`, but must be `0` or `1`"), "{err}");
    let (code, _, err) = heedless(&status, &[("MARGAY_DEVICE", "sm_81")]);
    assert_eq!(code, Some(1));
    let told =
        "`MARGAY_DEVICE` is `sm_81`, and there is no such device\nhelp: write its target, such as `sm_80`";
    assert!(err.contains(told), "{err}");
    for approx in ["device", "rounded"] {
        let both = [("MARGAY_APPROX", approx), ("MARGAY_SEMANTICS", "ptxas-13.5")];
        let (code, _, err) = heedless(&status, &both);
        assert_eq!(code, Some(1));
        assert!(
            err.contains("`MARGAY_APPROX` does not go with `MARGAY_SEMANTICS=ptxas-13.5`\nhelp: "),
            "{err}"
        );
    }
}

#[test]
fn what_a_device_computes_otherwise_is_told_once_or_computed() {
    if !has("python3") {
        return;
    }
    let text = ".version 8.0\\n.target sm_80\\n.address_size 64\\n.entry k(.param .u64 p) {\\n\
        .reg .u64 %rd; .reg .u32 %r; ld.param.u64 %rd, [p]; add.cc.u32 %r, 5, -1;\\n\
        subc.u32 %r, 7, 3; st.global.u32 [%rd], %r; ret; }";
    let calls = format!(
        "n = (ctypes.c_uint32 * 1)()\nargs = (ctypes.c_void_p * 1)(ctypes.addressof(n))\n\
         for k in range(3): library.ptx_run(b'{text}', 1, args, 1, 1, 1, 1, 1, 1, 0)\nprint(n[0])"
    );
    let (_, out, err) = heedless(&calls, &[]);
    assert_eq!(out, "3\ndone\n", "{err}");
    assert!(err.starts_with("warning: <ptx>:6: `subc.u32` reads the carry flag of"), "{err}");
    assert_eq!(err.matches("warning").count(), 1, "{err}");
    let (_, out, err) = heedless(&calls, &[("MARGAY_SEMANTICS", "ptxas-13.5")]);
    assert_eq!((out.as_str(), err.as_str()), ("4\ndone\n", ""));
}

/// Holds the word that a kernel of one thread stores against what it is in each environment.
fn a_word_is(text: &str, settings: &[(&[(&str, &str)], &str)]) {
    let calls = format!(
        "n = (ctypes.c_uint32 * 1)()\nargs = (ctypes.c_void_p * 1)(ctypes.addressof(n))\n\
         library.ptx_run(b'{text}', 1, args, 1, 1, 1, 1, 1, 1, 0)\nprint(hex(n[0]))"
    );
    for (environment, expected) in settings {
        let (_, out, err) = heedless(&calls, environment);
        assert_eq!((out, err), (format!("{expected}\ndone\n"), String::new()), "{environment:?}");
    }
}

#[test]
fn approximate_functions_are_a_devices_or_correctly_rounded() {
    if !has("python3") {
        return;
    }
    let text = ".version 8.0\\n.target sm_80\\n.address_size 64\\n.entry k(.param .u64 p) {\\n\
        .reg .u64 %rd; .reg .f32 %f<2>; ld.param.u64 %rd, [p]; mov.f32 %f0, 0f40FF82FE;\\n\
        rcp.approx.f32 %f1, %f0; st.global.f32 [%rd], %f1; ret; }";
    let (device, rounded) = ("0x3e003e9f", "0x3e003ea0");
    let settings: [(&[_], _); 5] = [
        (&[], device),
        (&[("MARGAY_APPROX", "")], device),
        (&[("MARGAY_APPROX", "device")], device),
        (&[("MARGAY_APPROX", "rounded")], rounded),
        (&[("MARGAY_APPROX", "rounded"), ("MARGAY_SEMANTICS", "manual")], rounded),
    ];
    a_word_is(text, &settings);
}

#[test]
fn products_are_rounded_or_added_as_they_are() {
    if !has("python3") {
        return;
    }
    let text = ".version 8.0\\n.target sm_80\\n.address_size 64\\n.entry k(.param .u64 p) {\\n\
        .reg .u64 %rd; .reg .f32 %f<4>; ld.param.u64 %rd, [p]; mov.f32 %f1, 0f3F800800;\\n\
        mul.f32 %f2, %f1, %f1; sub.f32 %f3, %f2, 0f3F801000; st.global.f32 [%rd], %f3; ret; }";
    let (twice, once) = ("0x0", "0x33800000");
    let settings: [(&[_], _); 5] = [
        (&[], twice),
        (&[("MARGAY_CONTRACT", "")], twice),
        (&[("MARGAY_CONTRACT", "0")], twice),
        (&[("MARGAY_CONTRACT", "1")], once),
        (&[("MARGAY_CONTRACT", "1"), ("MARGAY_SEMANTICS", "ptxas-13.5")], once),
    ];
    a_word_is(text, &settings);
}

#[test]
fn products_of_matrices_are_those_of_a_device() {
    if !has("python3") {
        return;
    }
    // Eight ones and -2^-25, which tensor cores of sm_80 cut off.
    let text = ".version 7.8\\n.target sm_80\\n.address_size 64\\n.entry k(.param .u64 p) {\\n\
        .reg .b64 %rd; .reg .b32 %one, %c, %d<4>; ld.param.u64 %rd, [p]; mov.b32 %one, 0x3c003c00;\\n\
        mov.b32 %c, 0xb3000000; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, \
        {%one, %one}, {%one}, {%c, %c, %c, %c}; st.global.b32 [%rd], %d0; ret; }";
    let calls = format!(
        "n = (ctypes.c_uint32 * 1)()\nargs = (ctypes.c_void_p * 1)(ctypes.addressof(n))\n\
         library.ptx_run(b'{text}', 1, args, 32, 1, 1, 1, 1, 1, 0)\nprint(hex(n[0]))"
    );
    let (ampere, hopper) = ("0x41000000", "0x40ffffff");
    for (device, expected) in [("", ampere), ("sm_80", ampere), ("sm_90", hopper), ("sm_90a", hopper)] {
        let (_, out, err) = heedless(&calls, &[("MARGAY_DEVICE", device)]);
        assert_eq!((out, err), (format!("{expected}\ndone\n"), String::new()), "{device}");
    }
}
