//! Signals end the command soon, wherever it is, and leave no file behind; outputs appear together or not at all.
#![cfg(unix)]

mod common;

use common::{catches_interrupts, command, margay_in};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a process may take to end. It is given 0.2 s; the rest is for machines that do much else.
const SOON: Duration = Duration::from_millis(1500);

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let buffers = format!("{HEAD}.entry k(.param .u64 a, .param .u64 b) {{ ret; }}");
    fs::write(folder.path().join("k.ptx"), buffers).unwrap();
    let spin = format!("{HEAD}.entry k() {{ .reg .u32 %x;\nL:\nadd.u32 %x, %x, 1;\nbra L; }}");
    fs::write(folder.path().join("spin.ptx"), spin).unwrap();
    folder
}

fn start(folder: &Path, words: &[&str]) -> Child {
    command(folder, words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Waits until something holds.
fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends the signal and demands the exit code for it, soon.
fn ends(mut child: Child, signal: &str, code: i32, what: &str) {
    // Else waiting would close it.
    let _stdin = child.stdin.take();
    send(&child, signal);
    let begun = Instant::now();
    let ended = child.wait().unwrap();
    let took = begun.elapsed();
    assert_eq!(ended.code(), Some(code), "{what}, {signal}");
    assert!(took < SOON, "{what}, {signal}: {took:?}");
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const SIGNALS: [(&str, i32); 2] = [("INT", 130), ("TERM", 143)];

#[cfg(target_os = "linux")]
#[test]
fn whatever_runs_ends() {
    let folder = folder();
    let sweep = ["sweep", "add.u32 d, a, b", "sub.u32 d, a, b", "--range", "a=0..2^30", "--long"];
    for (words, what) in [
        (["run", "spin.ptx"].as_slice(), "a launch"),
        (&["run", "spin.ptx", "--engine", "golden"], "a launch one by one"),
        (&["run", "spin.ptx", "--sanitize", "all"], "a launch that is watched"),
        (&["run", "-"], "reading"),
        (&["check", "-"], "reading to check"),
        (&["fmt", "-"], "reading to format"),
        (&sweep, "a sweep"),
    ] {
        for (signal, code) in SIGNALS {
            let child = start(folder.path(), words);
            until(what, || catches_interrupts(child.id()));
            std::thread::sleep(Duration::from_millis(100));
            ends(child, signal, code, what);
        }
    }
    assert_eq!(names(folder.path()), ["k.ptx", "spin.ptx"]);
}

#[cfg(target_os = "linux")]
#[test]
fn checking_ends() {
    let folder = folder();
    let mut text = format!("{HEAD}.entry k() {{ .reg .u32 %x;\n");
    text.push_str(&"add.u32 %x, %x, 1;\n".repeat(400_000));
    text.push_str("ret; }");
    fs::write(folder.path().join("long.ptx"), text).unwrap();
    for (signal, code) in SIGNALS {
        let child = start(folder.path(), &["check", "long.ptx"]);
        until("a handler", || catches_interrupts(child.id()));
        ends(child, signal, code, "checking");
    }
}

/// Writing of outputs is long enough to be met in the middle: its temporary file is there, and grows.
#[cfg(target_os = "linux")]
#[test]
fn writing_ends_and_leaves_the_old_files() {
    let folder = folder();
    let words = ["run", "k.ptx", "-q", "--arg", "out=a.raw:u8[4]", "--arg", "out=b.raw:u8[400000000]"];
    for old in ["a.raw", "b.raw"] {
        fs::write(folder.path().join(old), "old").unwrap();
    }
    for (signal, code) in SIGNALS {
        let child = start(folder.path(), &words);
        // The second temporary file, after the trial files of both.
        until("a temporary file", || {
            let temporary = |entry: fs::DirEntry| {
                entry.file_name().to_string_lossy().starts_with(".margay-")
                    && entry.metadata().is_ok_and(|metadata| metadata.len() > 4096)
            };
            fs::read_dir(folder.path()).unwrap().filter_map(Result::ok).any(temporary)
        });
        ends(child, signal, code, "writing");
        assert_eq!(names(folder.path()), ["a.raw", "b.raw", "k.ptx", "spin.ptx"]);
        for old in ["a.raw", "b.raw"] {
            assert_eq!(fs::read(folder.path().join(old)).unwrap(), b"old");
        }
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    let folder = folder();
    let mut child = start(folder.path(), &["check", "-"]);
    let _stdin = child.stdin.take();
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    send(&child, "INT");
    send(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(begun.elapsed() < SOON);
}

/// Runs `k.ptx` with two outputs, the old ones of which hold `old`.
fn two(folder: &Path, before: &str, outputs: [&str; 2]) -> (Option<i32>, String) {
    for old in ["a.raw", "b.raw"] {
        fs::write(folder.join(old), "old").unwrap();
    }
    let bin = env!("CARGO_BIN_EXE_margay");
    let [a, b] = outputs.map(|output| format!("--arg {output}"));
    let ran = Command::new("sh")
        .args(["-c", &format!("{before} exec '{bin}' run k.ptx {a} {b}")])
        .env("XDG_STATE_HOME", folder.join("state"))
        .current_dir(folder)
        .output()
        .unwrap();
    (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn where_one_output_fails_no_other_is_written() {
    let folder = folder();
    let full = "trap '' XFSZ; ulimit -f 64;";
    for (before, outputs, reason) in [
        ("", ["out=a.raw:u8[4]", "out=/dev/full:u8[4]"], "cannot write `/dev/full`"),
        ("", ["out=/dev/full:u8[4]", "out=a.raw:u8[4]"], "cannot write `/dev/full`"),
        (full, ["out=a.raw:u8[4]", "out=b.raw:u8[4000000]"], "cannot write `b.raw`"),
        (full, ["out=b.raw:u8[4000000]", "out=a.raw:u8[4]"], "cannot write `b.raw`"),
        (full, ["out=a.raw:u8[4]", "out=c.raw:u8[4000000]"], "cannot write `c.raw`"),
    ] {
        let (code, err) = two(folder.path(), before, outputs);
        assert_eq!(code, Some(2), "{outputs:?}: {err}");
        assert!(err.contains(reason), "{outputs:?}: {err}");
        assert_eq!(names(folder.path()), ["a.raw", "b.raw", "k.ptx", "spin.ptx"], "{outputs:?}");
        for old in ["a.raw", "b.raw"] {
            assert_eq!(fs::read(folder.path().join(old)).unwrap(), b"old", "{outputs:?}");
        }
    }
}

#[test]
fn outputs_of_one_launch_appear_together() {
    let folder = folder();
    let ran =
        margay_in(folder.path(), &["run", "k.ptx", "--arg", "out=a.npy:u8[4]", "--arg", "out=b.npy:u8[4]"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(names(folder.path()), ["a.npy", "b.npy", "k.ptx", "spin.ptx"]);
}

#[test]
fn standard_input_that_never_ends_can_be_interrupted_in_the_middle() {
    let folder = folder();
    let mut child = start(folder.path(), &["check", "-"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b".version 8.0\n").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    ends(child, "TERM", 143, "reading");
    drop(stdin);
}
