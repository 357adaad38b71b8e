//! LLVM's code generator hands its PTX to `margay ptxas` through a pipe, as its own tests and clang do.
//!
//! Without `llc` these tests say so and prove nothing; `.ci/run` installs it.

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::margay_in;

/// What `llc` is told, oldest first.
const MACHINES: &[(&str, &str)] = &[
    ("sm_20", "ptx32"),
    ("sm_21", "ptx40"),
    ("sm_30", "ptx60"),
    ("sm_35", "ptx41"),
    ("sm_50", "ptx42"),
    ("sm_52", "ptx43"),
    ("sm_60", "ptx50"),
    ("sm_61", "ptx61"),
    ("sm_70", "ptx60"),
    ("sm_72", "ptx63"),
    ("sm_75", "ptx64"),
    ("sm_80", "ptx70"),
    ("sm_80", "ptx75"),
    ("sm_86", "ptx71"),
];

/// The name of a code generator and its version; none, with a word to whoever reads the log, if there is none.
fn llc() -> Option<(String, u32)> {
    let llc = std::env::var("LLC").unwrap_or("llc".to_string());
    let version = Command::new(&llc).arg("--version").output().ok();
    let text = version.map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned()).unwrap_or_default();
    let number = text.split("LLVM version ").nth(1).and_then(|rest| rest.split('.').next()?.parse().ok());
    match number {
        Some(number) if text.contains("nvptx64") => Some((llc, number)),
        _ => {
            // Not `println!`: the harness shows that for failed tests only.
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: `{llc}` is not there or has no NVPTX, so nothing was tried (Debian: apt-get install llvm)"
            );
            None
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llvm")
}

/// A module with pointers as LLVM of this version writes them: `i32 addrspace(1)*` until 14, `ptr addrspace(1)` after.
fn for_version(text: &str, version: u32) -> String {
    if version <= 14 {
        return text.to_string();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(star) = rest.find('*') {
        let before = &rest[..star];
        let typed =
            before.rfind(" addrspace(").filter(|at| before[*at..].find(')') == Some(before.len() - at - 1));
        let (head, space) = before.split_at(typed.unwrap_or(before.len()));
        let start = match head.chars().last() {
            Some(close @ (']' | '>')) => head.rfind(if close == ']' { '[' } else { '<' }),
            _ => head.rfind([' ', '(', ',']).map(|at| at + 1),
        };
        out += &head[..start.expect("a type before the star")];
        out += "ptr";
        out += space;
        rest = &rest[star + 1..];
    }
    out + rest
}

/// The modules, each with the least machine and version that its first line asks for.
fn modules() -> Vec<(String, String, u32, u32)> {
    let mut found: Vec<_> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    let numbers = |text: &str| -> Vec<u32> {
        let digits = |word: &str| word.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok();
        text.lines().next().unwrap().split(' ').filter_map(digits).collect()
    };
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let least = numbers(&text);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, text, least[0], least.get(1).copied().unwrap_or(0))
    };
    found.into_iter().map(read).collect()
}

fn number(name: &str) -> u32 {
    name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap()
}

/// `llc … MODULE -o - | margay ptxas …`, in the folder.
fn piped(folder: &Path, llc: &[&str], ptxas: &[&str]) -> (Output, Output) {
    let mut compiler = Command::new(llc[0])
        .args(&llc[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let assembler = common::command(folder, &["ptxas"])
        .args(ptxas)
        .stdin(compiler.stdout.take().unwrap())
        .output()
        .unwrap();
    (compiler.wait_with_output().unwrap(), assembler)
}

#[test]
fn every_module_passes_for_every_machine_and_is_read_back() {
    let Some((llc, version)) = llc() else { return };
    let place = tempfile::tempdir().unwrap();
    let mut passed = 0;
    for (name, text, least_machine, least_version) in modules() {
        fs::write(place.path().join(&name), for_version(&text, version)).unwrap();
        for (machine, ptx) in MACHINES {
            if number(machine) < least_machine || number(ptx) < least_version {
                continue;
            }
            let what = format!("{name} for {machine}, {ptx}");
            let (cpu, attribute) = (format!("-mcpu={machine}"), format!("-mattr=+{ptx}"));
            let arch = format!("-arch={machine}");
            let (compiled, assembled) = piped(
                place.path(),
                &[&llc, "-march=nvptx64", &cpu, &attribute, &name, "-o", "-"],
                &[&arch, "-o", "out.o", "-"],
            );
            assert!(compiled.status.success(), "{what}: {}", String::from_utf8_lossy(&compiled.stderr));
            let said = String::from_utf8_lossy(&assembled.stderr);
            assert_eq!((assembled.status.code(), said.as_ref()), (Some(0), ""), "{what}");
            let read = margay_in(place.path(), &["check", "out.o"]);
            assert_eq!((read.code, read.out.as_str()), (Some(0), ""), "{what}: {}", read.err);
            fs::remove_file(place.path().join("out.o")).unwrap();
            passed += 1;
        }
    }
    assert!(passed > 50, "only {passed} were tried");
}

#[test]
fn a_kernel_runs_from_what_the_assembler_wrote() {
    let Some((llc, version)) = llc() else { return };
    let place = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(folder().join("weights.ll")).unwrap();
    fs::write(place.path().join("weights.ll"), for_version(&text, version)).unwrap();
    let words: Vec<u32> = (0..96u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ (i << 11)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(place.path().join("in.raw"), &bytes).unwrap();
    let compile = [llc.as_str(), "-march=nvptx64", "-mcpu=sm_50", "weights.ll", "-o", "-"];
    let (_, assembled) = piped(place.path(), &compile, &["-arch=sm_70", "-o", "weights.o", "-"]);
    assert_eq!(assembled.status.code(), Some(0));
    let arguments = [
        "run",
        "weights.o",
        "--grid",
        "3",
        "--block",
        "32",
        "--arg",
        "in=in.raw",
        "--arg",
        "out=out.raw:u8[384]",
    ];
    let ran = margay_in(place.path(), &arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let wanted: Vec<u8> = bytes.iter().map(|byte| byte.count_ones() as u8).collect();
    assert_eq!(fs::read(place.path().join("out.raw")).unwrap(), wanted);
}

#[test]
fn what_is_newer_than_the_device_is_refused() {
    let Some((llc, version)) = llc() else { return };
    let place = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(folder().join("bits.ll")).unwrap();
    fs::write(place.path().join("bits.ll"), for_version(&text, version)).unwrap();
    let compile = [llc.as_str(), "-march=nvptx64", "-mcpu=sm_80", "-mattr=+ptx70", "bits.ll", "-o", "-"];
    let (_, assembled) = piped(place.path(), &compile, &["-arch=sm_70", "-o", "bits.o", "-"]);
    assert_eq!(assembled.status.code(), Some(255));
    assert!(String::from_utf8_lossy(&assembled.stderr).contains("`sm_80` does not assemble for sm_70"));
    assert!(!place.path().join("bits.o").exists());
}

/// The line of LLVM's own tests: `llc < %s -mcpu=sm_60 | ptxas -arch=sm_60 -c -o /dev/null -`.
#[cfg(unix)]
#[test]
fn the_check_that_llvms_tests_call_is_there() {
    let Some((llc, version)) = llc() else { return };
    let place = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_margay"), place.path().join("ptxas")).unwrap();
    for (name, text, ..) in modules() {
        fs::write(place.path().join(&name), for_version(&text, version)).unwrap();
        let run = |edit: &str| {
            let line = format!(
                "{llc} < {name} -march=nvptx64 -mcpu=sm_60 -mattr=+ptx60 | {edit} ./ptxas -arch=sm_60 -c -o /dev/null -"
            );
            let ran = Command::new("sh").args(["-c", &line]).current_dir(place.path()).output().unwrap();
            (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
        };
        assert_eq!(run(""), (Some(0), String::new()), "{name}");
        let (code, said) = run("sed 's/ret;/rett;/' |");
        assert!(code == Some(255) && said.contains("unknown instruction `rett`"), "{name}: {said}");
    }
}

#[test]
fn pointers_are_rewritten_for_later_versions() {
    let text = "load i32, i32 addrspace(1)* %p\ngetelementptr [4 x i32], [4 x i32]* %q\nf(%pair* byval(%pair) %b, <4 x i32> addrspace(1)* %v)";
    let wanted = "load i32, ptr addrspace(1) %p\ngetelementptr [4 x i32], ptr %q\nf(ptr byval(%pair) %b, ptr addrspace(1) %v)";
    assert_eq!(for_version(text, 15), wanted);
    assert_eq!(for_version(text, 14), text);
}
