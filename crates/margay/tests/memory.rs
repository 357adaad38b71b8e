//! A small PTX file takes no more of the host's memory than the device has, whatever its kernel does.
#![cfg(target_os = "linux")]

mod common;

use common::{Ran, command};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// What the command takes for itself, the text and the report.
const OWN: u64 = 60 << 20;

/// A module of these lines.
fn module(lines: &str) -> String {
    format!(".version 8.0\n.target sm_80\n.address_size 64\n{lines}")
}

/// Runs the command on a text with these options. Gives what came of it, and the most bytes that it held.
fn run(folder: &Path, text: &str, options: &[&str]) -> (Ran, u64) {
    fs::write(folder.join("k.ptx"), text).unwrap();
    let mut command = command(folder, &[&["run", "k.ptx"], options].concat());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let reader = |mut from: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            from.read_to_end(&mut text).unwrap();
            text
        })
    };
    let out = reader(Box::new(child.stdout.take().unwrap()));
    let err = reader(Box::new(child.stderr.take().unwrap()));
    let mut peak = 0;
    let status = loop {
        // What the process has held at most grows only, so that looking now and then is enough.
        let about = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let most = about.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let most = most.and_then(|text| text.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        peak = most.map_or(peak, |kilobytes| peak.max(kilobytes << 10));
        assert!(peak < 3 << 30, "stopped before it takes all");
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let text = |bytes: std::thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&bytes.join().unwrap()).into_owned()
    };
    (Ran { code: status.code(), out: text(out), err: text(err) }, peak)
}

#[test]
fn memory_that_nobody_writes_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let large = module(".global .b8 a[12000000000];\n.entry k() { ret; }");
    let (ran, peak) = run(folder, &large, &["--memory", "20G"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(peak < OWN, "{peak} bytes");
    let two = module(".entry k(.param .u64 a, .param .u64 b) { ret; }");
    let buffers = ["--memory", "20G", "--arg", "zero=u8[1000000000]", "--arg", "out=a.bin:u8[100000000]"];
    let (ran, peak) = run(folder, &two, &buffers);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(fs::metadata(folder.join("a.bin")).unwrap().len(), 100_000_000);
    assert!(peak < OWN, "{peak} bytes");
}

#[test]
fn a_module_that_is_too_large_is_refused_with_the_variable() {
    let folder = tempfile::tempdir().unwrap();
    let many: String = (0..100).map(|k| format!(".global .b8 a{k}[12000000000];\n")).collect();
    let (ran, peak) =
        run(folder.path(), &module(&format!("{many}.entry k() {{ ret; }}")), &["--memory", "30G"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(
        ran.err,
        "error: no room for 12000000000 bytes of variable `a2`\n  k.ptx:6: it is declared here\nhelp: the device has \
         32212254720 bytes, 24000000000 of them in use; `--memory` gives it another size (in Python `memory=`, in C \
         `margay_device_set_memory`)\n"
    );
    assert!(peak < OWN, "{peak} bytes");
}

/// Kernels that take what they can get, and how each ends on a device of 100 MiB.
const GREEDY: &[(&str, &str, &[&str], &str)] = &[
    (
        "every byte is written",
        ".entry k(.param .u64 a) {
            .reg .b64 %rd<4>; .reg .b32 %r<5>;
            ld.param.u64 %rd1, [a];
            mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
            mad.lo.u32 %r1, %r1, %r2, %r3;
            mul.wide.u32 %rd2, %r1, 8;
            add.u64 %rd1, %rd1, %rd2;
            st.global.u64 [%rd1], %rd1;
        }",
        &["--arg", "zero=u64[13000000]", "--grid", "12695", "--block", "1024"],
        "instructions in",
    ),
    (
        "local memory of a full block",
        ".entry k() { .local .b8 a[500000]; .reg .b64 %rd<2>; mov.u64 %rd1, a; st.local.u8 [%rd1+499999], 1; }",
        &["--grid", "64", "--block", "1024"],
        "no room for",
    ),
    (
        "local memory that fits, on all workers",
        ".entry k() { .local .b8 a[40000]; .reg .b64 %rd<2>; mov.u64 %rd1, a; st.local.u8 [%rd1+39999], 1; }",
        &["--grid", "64", "--block", "1024"],
        "instructions in",
    ),
    (
        "deep recursion of 65,536 threads",
        ".func deep(.param .b32 n) {
            .reg .b32 %r<3>; .local .b8 a[1000];
            ld.param.u32 %r1, [n]; add.u32 %r2, %r1, 1;
            { .param .b32 p; st.param.b32 [p], %r2; call deep, (p); }
            ret;
        }
        .entry k() { { .param .b32 p; st.param.b32 [p], 0; call deep, (p); } ret; }",
        &["--grid", "64", "--block", "1024"],
        "stack overflow",
    ),
    (
        "memory of the stack, held by blocks that wait",
        ".global .u32 flag;
        .entry k() {
            .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .pred %p;
            mov.u64 %rd0, 3000;
            mov.u32 %r1, 0;
          more:
            alloca.u64 %rd1, %rd0;
            add.u32 %r1, %r1, 1;
            setp.lt.u32 %p, %r1, 20;
            @%p bra more;
          wait:
            ld.volatile.global.u32 %r2, [flag];
            setp.eq.u32 %p, %r2, 0;
            @%p bra wait;
        }",
        &["--grid", "256", "--block", "256", "--max-steps", "20000000"],
        "20000000",
    ),
    (
        "the heap",
        ".extern .func (.param .b64 to) malloc(.param .b64 bytes);
        .entry k() {
            .reg .b64 %rd<2>; .reg .pred %p;
          more:
            { .param .b64 n; .param .b64 to; st.param.b64 [n], 1; call (to), malloc, (n); ld.param.b64 %rd1, [to]; }
            setp.ne.u64 %p, %rd1, 0;
            @%p bra more;
        }",
        &["--grid", "2", "--block", "32"],
        "instructions in",
    ),
    (
        "lines that never end",
        ".extern .func (.param .b32 n) vprintf(.param .b64 format, .param .b64 values);
        .global .align 1 .b8 text[] = {37, 52, 48, 48, 48, 100, 0};
        .entry k() {
            .reg .b64 %rd<2>; .reg .b32 %r<2>;
            mov.u64 %rd1, text; cvta.global.u64 %rd1, %rd1;
          more:
            { .param .b64 f; .param .b64 v; .param .b32 n;
              st.param.b64 [f], %rd1; st.param.b64 [v], %rd1; call (n), vprintf, (f, v); }
            bra more;
        }",
        &["--grid", "4", "--block", "32"],
        "prints more than",
    ),
];

#[test]
fn a_greedy_kernel_stays_within_the_devices_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (what, text, options, ends) in GREEDY {
        for engine in ["batch", "golden"] {
            // One engine is enough where it would take long.
            if engine == "golden" && what.starts_with("every") {
                continue;
            }
            let options = [options, &["--memory", "100M", "--engine", engine][..]].concat();
            let (ran, peak) = run(folder.path(), &module(text), &options);
            if !ran.err.contains(ends) {
                wrong.push(format!("{what} on {engine}: {}", ran.err));
            }
            if peak >= (100 << 20) + OWN {
                wrong.push(format!("{what} on {engine}: {} MiB", peak >> 20));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
