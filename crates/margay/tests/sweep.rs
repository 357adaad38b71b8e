//! Sweeps: shards that merge into what one run gives, inputs that are covered, and `margay sweep` as a user meets it.

mod common;

#[cfg(target_os = "linux")]
use common::{catches_interrupts, command};
use common::{margay, margay_in};
use margay::problem::Problem;
use margay::snippet::{Failure, Snippet};
use margay::sweep::{CHUNK, Options, Report, Side, Sweep, Values};
use margay_isa::Semantics;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

fn instruction(text: &str) -> Snippet {
    Snippet::instruction(text).unwrap_or_else(|e| panic!("{}", e.human(false)))
}

fn values(text: &str) -> Values {
    Values::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn shards(sweep: &Sweep, n: u64) -> Vec<Report> {
    (1..=n).map(|i| sweep.shard(i, n, &Options::default()).unwrap()).collect()
}

#[test]
fn any_number_of_shards_and_workers_gives_the_same_report() {
    let (a, b) = (instruction("mul.lo.u32 d, a, b"), instruction("mul.wide.u16 d, x, y"));
    assert!(Sweep::new(Side::snippet(&a), Side::snippet(&b)).is_ok_and(|sweep| sweep.axes().len() == 4));
    let b = instruction("mul24.lo.u32 d, a, b");
    let mut sweep = Sweep::new(Side::snippet(&a), Side::snippet(&b)).unwrap();
    sweep.set("a", values("0xfffff0..0x1001000:3")).unwrap();
    sweep.set("b", values("-60..60")).unwrap();
    sweep.keep(100);
    let whole = sweep.shard(1, 1, &Options::default()).unwrap();
    assert_eq!(whole.inputs, 120 * 0x1010u64.div_ceil(3));
    assert!(whole.differences > 1000 && whole.first.len() == 100 && whole.missing().is_empty());
    for n in [2, 7, 1000] {
        let mut all = shards(&sweep, n);
        // Any order of merging.
        all.reverse();
        let middle = all.len() / 2;
        let (late, early) = all.split_at(middle);
        let merged = |some: &[Report]| {
            some.iter().skip(1).fold(some[0].clone(), |one, other| one.merge(other).unwrap())
        };
        assert_eq!(merged(late).merge(&merged(early)).unwrap().to_json(), whole.to_json(), "{n} shards");
    }
    for workers in [1, 5] {
        assert_eq!(sweep.shard(1, 1, &Options { workers, ..Options::default() }).unwrap(), whole);
    }
}

#[test]
fn every_input_is_computed_once_in_order() {
    let a = instruction("prmt.b32 d, a, b, c");
    let seen = Mutex::new(Vec::new());
    let look = |count: usize, inputs: &[&[u8]], outputs: &mut [&mut [u8]]| {
        let value =
            |column: &[u8], k: usize| u32::from_le_bytes(column[4 * k..4 * k + 4].try_into().unwrap());
        seen.lock().unwrap().extend((0..count).map(|k| [0, 1, 2].map(|axis| value(inputs[axis], k))));
        outputs[0].fill(0);
        Ok(())
    };
    let mut sweep = Sweep::new(Side::snippet(&a), Side::Function("look", &look)).unwrap();
    sweep.set("a", values("-2..=2")).unwrap();
    sweep.set("b", values("0x10..0x8010:64")).unwrap();
    sweep.set("c", values("..:0x1000001")).unwrap();
    let inputs = sweep.inputs().unwrap();
    assert_eq!(inputs, 5 * 512 * 256);
    sweep.shard(1, 1, &Options { workers: 1, ..Options::default() }).unwrap();
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    let mut wanted = Vec::new();
    for a in -2i32..=2 {
        for b in (0x10..0x8010).step_by(64) {
            wanted.extend((0..256).map(|c: u32| [a as u32, b, c * 0x1000001]));
        }
    }
    assert!(seen == wanted, "the inputs are others");
    assert_eq!(sweep.input(777).iter().map(|v| *v as u32).collect::<Vec<_>>(), wanted[777]);
}

#[test]
fn differences_are_found_and_the_first_ones_kept() {
    let a = instruction("add.u32 d, a, 0");
    let wrong = |count: usize, inputs: &[&[u8]], outputs: &mut [&mut [u8]]| {
        outputs[0].copy_from_slice(inputs[0]);
        for k in 0..count {
            let value = u32::from_le_bytes(inputs[0][4 * k..4 * k + 4].try_into().unwrap());
            outputs[0][4 * k] ^= u8::from(value % 100_000 == 99_999);
        }
        Ok(())
    };
    let mut sweep = Sweep::new(Side::snippet(&a), Side::Function("wrong", &wrong)).unwrap();
    sweep.set("a", values("0..2^20")).unwrap();
    sweep.keep(3);
    let report = sweep.shard(1, 1, &Options::default()).unwrap();
    assert_eq!((report.inputs, report.differences), (1 << 20, 10));
    let first: Vec<_> =
        report.first.iter().map(|d| (d.input, d.values[0].as_str(), d.b[0].as_str())).collect();
    assert_eq!(
        first,
        [
            (99_999, "0x0001869f", "0x0001869e"),
            (199_999, "0x00030d3f", "0x00030d3e"),
            (299_999, "0x000493df", "0x000493de")
        ]
    );
    assert_ne!(report.digests[0], report.digests[1]);

    let refuses = |_: usize, _: &[&[u8]], _: &mut [&mut [u8]]| Err(Problem::new("no"));
    let sweep = Sweep::new(Side::snippet(&a), Side::Function("refuses", &refuses)).unwrap();
    let ended = sweep.shard(1, 1, &Options::default());
    assert_eq!(ended, Err(Failure::Call(Problem::new("no"))));
}

#[test]
fn samples_have_all_corners_and_do_not_depend_on_shards() {
    let (a, b) = (instruction("add.u64 d, a, b"), instruction("sub.u64 d, a, b"));
    let mut sweep = Sweep::new(Side::snippet(&a), Side::snippet(&b)).unwrap();
    assert!(sweep.inputs().unwrap_err().message.contains("2^128"));
    sweep.sample(3 * CHUNK + 5, 42);
    let whole = sweep.shard(1, 1, &Options::default()).unwrap();
    let merged = shards(&sweep, 3).into_iter().reduce(|a, b| a.merge(&b).unwrap()).unwrap();
    assert_eq!(merged, whole);
    let drawn: Vec<_> = (0..2000).map(|k| sweep.input(k)).collect();
    for corner in [0, 1, u128::from(u64::MAX), 1 << 63, (1 << 63) - 1] {
        for other in [0, u128::from(u64::MAX)] {
            assert!(drawn.contains(&vec![corner, other]), "{corner:#x} {other:#x}");
        }
    }
    let distinct: BTreeSet<_> = drawn.iter().map(|input| input[0]).collect();
    assert!(distinct.len() > 500, "{}", distinct.len());
    sweep.sample(3 * CHUNK + 5, 43);
    assert_ne!(sweep.shard(1, 1, &Options::default()).unwrap().digests, whole.digests);

    sweep.set("a", values("1000..=1000000:7")).unwrap();
    let inside = |value: u128| (1000..=1_000_000).contains(&value) && (value - 1000).is_multiple_of(7);
    assert!((0..5000).all(|k| inside(sweep.input(k)[0])));
}

#[test]
fn readings_of_the_manual_can_be_compared() {
    let a = instruction("vset.s32.u32.lt.max d, a.b3, b.h1, c");
    let sides = [Side::Snippet(&a, Semantics::Manual), Side::Snippet(&a, Semantics::Ptxas13_5)];
    let mut sweep = Sweep::new(sides[0], sides[1]).unwrap();
    sweep.sample(10_000, 0);
    assert!(sweep.shard(1, 1, &Options::default()).unwrap().differences > 0);
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let a = instruction("shl.b16 d, a, b");
    let mut sweep = Sweep::new(Side::snippet(&a), Side::snippet(&a)).unwrap();
    for (name, text, message) in [
        ("c", "1", "`c` is not an input"),
        ("a", "65536", "`a`: the values `0x10000` do not fit"),
        ("a", "-32769", "`a`: the values `-32769` do not fit"),
        ("a", "-1..=65536", "`a`: the values `-1..=0x10000` do not fit"),
        ("a", "0..2^17:65536", "`a`: the values `0..=0x10000:65536` do not fit"),
        ("a", "-32768..=32767", ""),
        ("a", "..", ""),
    ] {
        let said = sweep.set(name, values(text)).map_or_else(|problem| problem.message, |()| String::new());
        assert_eq!(said, message, "{text}");
    }
    for text in ["", "x", "1..x", "5..5", "5..=4", "0..10:0", "0..10:-1", "2^128", "0x", "1..2..3", "-", "٣"]
    {
        assert!(Values::parse(text).is_err(), "{text}");
    }
}

#[test]
fn sides_that_cannot_be_compared_are_refused() {
    let refused = |a: &str, b: &str| {
        let (a, b) = (instruction(a), instruction(b));
        Sweep::new(Side::snippet(&a), Side::snippet(&b)).map(|_| ()).unwrap_err().message
    };
    assert_eq!(
        refused("add.u32 d, a, b", "add.u64 d, a, c"),
        "`a` is `.u32` on one side and `.u64` on the other"
    );
    assert_eq!(
        refused("add.u32 d, a, b", "add.u64 e, x, y"),
        "output `d` is `.u32` on one side, and `e` is `.u64` on the other"
    );
    assert_eq!(refused("add.u32 d, a, b", "setp.lt.u32 p|q, a, b"), "one side has 1 output, the other has 2");
}

#[test]
fn sweeps_can_be_stopped() {
    let a = instruction("add.u32 d, a, b");
    let sweep = Sweep::new(Side::snippet(&a), Side::snippet(&a)).unwrap();
    let cancel = AtomicBool::new(false);
    let told = |done: u64| cancel.store(done >= 2 * CHUNK, Ordering::Relaxed);
    let mut sweep = sweep;
    sweep.set("b", values("7")).unwrap();
    let options = Options { cancel: Some(&cancel), progress: Some(&told), workers: 2, ..Options::default() };
    assert_eq!(sweep.shard(1, 1, &options), Err(Failure::Cancelled));
}

#[test]
fn reports_that_do_not_belong_together_are_refused() {
    let (a, b) = (instruction("add.u32 d, a, b"), instruction("or.b32 d, a, b"));
    let mut sweep = Sweep::new(Side::snippet(&a), Side::snippet(&b)).unwrap();
    sweep.set("a", values("0..2^10")).unwrap();
    sweep.set("b", values("0..2^10")).unwrap();
    let [one, two, three] = shards(&sweep, 3).try_into().unwrap();
    assert_eq!(one.merge(&three).unwrap().missing(), two.covered);
    let message = |a: &Report, b: &Report| a.merge(b).unwrap_err().message;
    assert_eq!(message(&one, &one), format!("inputs 0 to {} are in both reports", one.inputs - 1));
    let half = sweep.shard(2, 2, &Options::default()).unwrap();
    assert!(message(&two, &half).contains("are in both reports"));
    sweep.set("a", values("1..=2^10")).unwrap();
    let other = sweep.shard(3, 3, &Options::default()).unwrap();
    assert_eq!(message(&one, &other), "the reports are on different questions: the values of the inputs");

    // Whatever a damaged report says, it is refused or taken, and merging ends.
    let text = one.to_json();
    assert_eq!(Report::from_json(&text).unwrap(), one);
    let mut refused = 0;
    for at in 0..text.len() {
        for byte in ["", "9", "-", "\"", "]"] {
            let damaged = format!("{}{byte}{}", &text[..at], &text[at + 1..]);
            match Report::from_json(&damaged) {
                Ok(report) => drop(report.merge(&two)),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > text.len());
}

#[test]
fn the_command_compares_and_merges() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| margay_in(folder.path(), arguments);
    let question = [
        "sweep",
        "vabsdiff4.u32.u32.u32 d, a, b, c",
        "vsub4.u32.u32.u32.sat d, a, b, c",
        "--range",
        "a=0..=1023",
        "--range",
        "b=0..=255",
        "--range",
        "c=0",
    ];
    let whole = run(&[&question[..], &["--keep", "2", "--out", "whole.json"]].concat());
    assert_eq!(whole.code, Some(1), "{}", whole.err);
    assert!(
        whole.out.starts_with("a=0x00000000 b=0x00000001 c=0x00000000: d = 0x00000001 and 0x00000000\n"),
        "{}",
        whole.out
    );
    assert!(whole.out.contains("\n262144 inputs, 130560 differences\n"), "{}", whole.out);
    for i in ["1", "2", "3"] {
        let out = format!("{i}.json");
        let ran =
            run(&[&question[..], &["--keep", "2", "--shard", &format!("{i}/3"), "--out", &out]].concat());
        assert_eq!(ran.code, Some(1), "{}", ran.err);
    }
    let merged = run(&["sweep", "--merge", "3.json", "1.json", "2.json"]);
    assert_eq!((merged.code, merged.out), (Some(1), whole.out));
    let json = run(&["sweep", "--merge", "3.json", "1.json", "2.json", "--format", "json"]);
    assert_eq!(json.out, std::fs::read_to_string(folder.path().join("whole.json")).unwrap());

    let gap = run(&["sweep", "--merge", "3.json", "1.json"]);
    assert_eq!(gap.code, Some(2));
    assert!(gap.err.contains("no report covers inputs 65536 to 131071"), "{}", gap.err);
    let twice = run(&["sweep", "--merge", "3.json", "1.json", "3.json"]);
    assert!(
        twice.code == Some(2) && twice.err.contains("`3.json`: inputs 131072 to 262143 are in both"),
        "{}",
        twice.err
    );
}

#[test]
fn the_command_says_what_is_wrong() {
    for (arguments, message) in [
        (&["sweep"][..], "required arguments"),
        (&["sweep", "add.u32 d, a, b"], "required arguments"),
        (&["sweep", "add.u32 d, a, b", "or.b32 d, a, b", "--range", "a=0..2^9"], "inputs take about"),
        (
            &["sweep", "add.u64 d, a, b", "or.b64 d, a, b"],
            "there are 2^128 inputs, too many to take them all",
        ),
        (&["sweep", "add.u33 d, a, b", "or.b32 d, a, b", "--random", "9"], " --> instruction:1:4"),
        (&["sweep", "bar.sync 0", "bar.sync 0", "--random", "9"], "has side effects"),
        (&["sweep", "add.u32 d, a, b", "or.b32 d, a, b", "--range", "a"], "`a` names no values"),
        (&["sweep", "add.u32 d, a, b", "or.b32 d, a, b", "--range", "z=1"], "`z` is not an input"),
        (&["sweep", "add.u32 d, a, b", "or.b32 d, a, b", "--range", "a=1.."], "`` is not a number"),
        (
            &["sweep", "add.u32 d, a, b", "or.b32 d, a, b", "--random", "9", "--shard", "0/3"],
            "there is no shard 0/3",
        ),
        (
            &["sweep", "add.u32 d, a, b", "or.b32 d, a, b", "--random", "9", "--shard", "x"],
            "`x` is not a shard",
        ),
        (
            &["sweep", "not.b32 $0, $1;", "not.b32 $0, $2;", "--constraints", "=r,r"],
            "`$2` does not name an operand",
        ),
        (
            &["sweep", "not.b32 $0, $1;", "neg.s32 $0, $1;", "--constraints", "=r,k"],
            "`k` is not a constraint",
        ),
        (
            &[
                "sweep",
                "ld.global.u32 $0, [$1];",
                "mov.b32 $0, 1;",
                "--constraints",
                "=r,l",
                "--range",
                "1=64",
            ],
            "$1=0x40",
        ),
        (&["sweep", "--merge", "missing.json"], "cannot read `missing.json`"),
        (&["sweep", "--merge", "Cargo.toml"], "`Cargo.toml`: it is not a sweep report"),
        (&["sweep", "add.u32 d, a, b", "--merge", "x"], "cannot be used with"),
        (&["sweep", "abs.s16 d, a", "abs.s16 d, a", "--out", "/nowhere/x"], "cannot write `/nowhere/x`"),
    ] {
        let ran = margay(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn equal_sides_are_clean() {
    let ran = margay(&[
        "sweep",
        "abs.s16 $0, $1;",
        "{ .reg .s16 t; neg.s16 t, $1; max.s16 $0, t, $1; }",
        "--constraints",
        "=h,h",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("65536 inputs, 0 differences\n"), "{}", ran.out);
    let one = margay(&["sweep", "abs.s16 d, a", "neg.s16 d, a", "--range", "a=1"]);
    assert!(one.out.contains("\n1 input, 1 difference\n"), "{}", one.out);
    let digests: Vec<_> = ran.out.lines().skip(1).map(|line| &line[..32]).collect();
    assert_eq!(digests[0], digests[1]);
    let ran = margay(&["sweep", "abs.s16 d, a", "--against", "ptxas-13.5", "--format", "json"]);
    let report = Report::from_json(&ran.out).unwrap();
    assert_eq!((ran.code, report.question.b.semantics.as_str()), (Some(0), "ptxas-13.5"));
}

#[test]
fn approximate_functions_of_sweeps_are_a_devices_or_correctly_rounded() {
    let results = |options: &[&str]| {
        let form = ["sweep", "rcp.approx.f32 d, a", "--range", "a=0x40ff82fe"];
        let second: &[&str] = if options.contains(&"--against") { &[] } else { &["rcp.rn.f32 d, a"] };
        let ran = margay(&[&form, second, options, &["--format", "json"]].concat());
        let report = Report::from_json(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
        let readings = [report.question.a.semantics, report.question.b.semantics];
        (readings.join(" "), report.differences)
    };
    // The correctly rounded number is that of `rcp.rn`, the device's another.
    assert_eq!(results(&[]), ("manual manual".into(), 1));
    assert_eq!(results(&["--approx", "device"]), ("manual manual".into(), 1));
    assert_eq!(results(&["--approx", "rounded"]), ("rounded rounded".into(), 0));
    assert_eq!(results(&["--against", "rounded"]), ("manual rounded".into(), 1));
    assert_eq!(results(&["--approx", "rounded", "--against", "manual"]), ("rounded manual".into(), 1));
    assert_eq!(results(&["--approx", "rounded", "--against", "rounded"]), ("rounded rounded".into(), 0));
    assert_eq!(results(&["--approx", "rounded", "--against", "ptxas-13.5"]).0, "rounded ptxas-13.5");
    let ran = margay(&[
        "sweep",
        "rcp.approx.f32 d, a",
        "--against",
        "manual",
        "--semantics",
        "ptxas-13.5",
        "--approx",
        "rounded",
    ]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`--approx` does not go with `--semantics ptxas-13.5`"), "{}", ran.err);
    assert!(ran.err.contains("help: leave out one of them"), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_sweep_ends_with_130_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let sweep =
        ["sweep", "add.u32 d, a, b", "or.b32 d, a, b", "--range", "a=0..2^30", "--long", "--out", "r.json"];
    let mut child = command(folder.path(), &sweep).spawn().unwrap();
    while !catches_interrupts(child.id()) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let signalled =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.path().join("r.json").exists());
}

#[test]
fn a_template_that_loops_for_ever_ends_at_the_limit() {
    let ran = margay(&[
        "sweep",
        "again: add.u32 $0, $1, 1; bra again;",
        "add.u32 $0, $1, 1;",
        "--constraints",
        "=r,r",
        "--range",
        "$1=0..4",
        "--max-steps",
        "100000",
    ]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("a side stopped: ") && ran.err.contains("step limit of 100000"), "{}", ran.err);
    let ran = margay(&[
        "sweep",
        "add.u32 d, a, 1",
        "add.u32 d, a, 1",
        "--range",
        "a=0..4",
        "--max-steps",
        "100000",
    ]);
    assert_eq!((ran.code, ran.out.contains("4 inputs, 0 differences")), (Some(0), true), "{}", ran.out);
}
