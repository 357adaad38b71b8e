//! `margay run --trace` and `--watch` as a user meets them.

mod common;

use common::{Ran, margay_in};

/// Doubles what a thread brings, shares it by a shuffle, counts in shared memory and adds to a global sum.
const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
.global .u32 sum;
.visible .entry k(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    .shared .u32 count;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    add.u32 %r2, %r1, %r1;
    setp.eq.u32 %p, %r1, 3;
    @%p mov.u32 %r2, 0xfffffff5;
    shfl.sync.idx.b32 %r3, %r2, 3, 31, 0xffffffff;
    atom.shared.add.u32 %r4, [count], 1;
    bar.sync 0;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r3;
    red.global.add.u32 [sum], %r2;
    ret;
}
";

fn run(arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), KERNEL).unwrap();
    let common = ["run", "k.ptx", "-q", "--block", "32", "--arg", "zero=u32[32]"];
    margay_in(folder.path(), &[&common[..], arguments].concat())
}

#[test]
fn a_thread_is_followed_with_its_registers() {
    let ran = run(&["--trace", "3", "--lines", "13-17"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<_> = ran.out.lines().collect();
    assert_eq!(
        lines,
        [
            "3,0,0@0,0,0 line 13: add.u32 %r2, %r1, %r1;  %r1 = 0x00000003 (3)  =>  %r2 = 0x00000006 (6)",
            "3,0,0@0,0,0 line 14: setp.eq.u32 %p, %r1, 3;  %r1 = 0x00000003 (3)  =>  %p = 1",
            "3,0,0@0,0,0 line 15: @%p mov.u32 %r2, 0xfffffff5;  %p = 1  =>  %r2 = 0xfffffff5 (-11)",
            "3,0,0@0,0,0 line 16: shfl.sync.idx.b32 %r3, %r2, 3, 31, 0xffffffff;  %r2 = 0xfffffff5 (-11)  =>  %r3 = 0xfffffff5 (-11)",
            "3,0,0@0,0,0 line 17: atom.shared.add.u32 %r4, [count], 1;  at [0x0]  =>  %r4 = 0x00000003 (3)",
        ]
    );
    let skipped = run(&["--trace", "2", "--lines", "15"]);
    assert!(skipped.out.contains("(skipped)  %p = 0"), "{}", skipped.out);
}

#[test]
fn accesses_to_a_variable_a_buffer_and_an_address_are_told() {
    let shared = run(&["--watch", "count"]);
    assert_eq!(shared.out.lines().count(), 32, "{}{}", shared.out, shared.err);
    assert!(shared.out.lines().next().unwrap().ends_with("atomic [0x0] = 01000000"), "{}", shared.out);
    let global = run(&["--watch", "sum"]);
    assert_eq!(global.out.lines().count(), 32, "{}", global.err);
    let element = run(&["--watch", "out+8:4"]);
    assert_eq!(element.out.lines().count(), 1, "{}{}", element.out, element.err);
    assert!(element.out.starts_with("2,0,0@0,0,0 line 21: st.global.u32 [%rd1], %r3;"), "{}", element.out);
    assert!(element.out.trim_end().ends_with("= f5ffffff"), "{}", element.out);
    let address = element.out.split(['[', ']']).nth(3).unwrap().to_string();
    assert_eq!(run(&["--watch", &format!("{address}:4")]).out, element.out);
}

#[test]
fn programs_get_the_same_as_objects() {
    let ran = run(&["--trace", "3", "--lines", "15", "--watch", "out+8:4", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let trace = report["trace"].as_array().unwrap();
    assert_eq!(trace.len(), 2, "{}", ran.out);
    assert_eq!((trace[0]["kind"].as_str(), trace[0]["line"].as_u64()), (Some("step"), Some(15)));
    assert_eq!(trace[0]["writes"][0]["number"], -11);
    assert_eq!((trace[1]["access"].as_str(), trace[1]["bytes"].as_str()), (Some("write"), Some("f5ffffff")));
}

#[test]
fn what_names_nothing_is_refused() {
    for (arguments, text) in [
        (&["--trace", "x"][..], "does not name threads"),
        (&["--trace", "0", "--lines", "9-3"], "does not name lines"),
        (&["--watch", "nothing"], "neither a variable of the module nor a buffer"),
        (&["--watch", "sum:0"], "does not name memory"),
        (&["--lines", "3"], "--trace"),
    ] {
        let ran = run(arguments);
        assert!(ran.code == Some(2) && ran.err.contains(text), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn results_are_those_of_an_unobserved_launch() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), KERNEL).unwrap();
    let result = |more: &[&str]| {
        let common =
            ["run", "k.ptx", "-q", "--block", "32", "--arg", "out=o.raw:u32[32]", "--get", "sum=s.raw"];
        let ran = margay_in(folder.path(), &[&common[..], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ["o.raw", "s.raw"].map(|name| std::fs::read(folder.path().join(name)).unwrap())
    };
    assert_eq!(result(&[]), result(&["--trace", "0-31", "--watch", "sum"]));
    // Threads take their turns in the same order, followed or not.
    let counted = |out: String| {
        out.lines().filter(|line| line.contains("atomic [0x0]")).map(str::to_string).collect::<Vec<_>>()
    };
    let alone = counted(run(&["--watch", "count"]).out);
    assert_eq!(alone.len(), 32);
    assert_eq!(alone, counted(run(&["--watch", "count", "--trace", "0-31"]).out));
}
