//! Profiles and coverage of launches, by the command.

mod common;

use common::margay_in;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Odd threads branch, two of three functions are called, accesses of all kinds.
const KERNEL: &str = ".version 8.0 .target sm_80 .address_size 64
.func half() { .loc 2 7 1
    ret; }
.func never() {
    ret; }
.entry k(.param .u64 data) {
    .reg .b64 %rd<6>; .reg .b32 %r<6>; .reg .pred %p<3>;
    .loc 1 3 5
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2;
    .loc 1 4 5
    ld.global.u32 %r2, [%rd2];
    mul.wide.u32 %rd3, %r1, 8;
    add.s64 %rd3, %rd1, %rd3;
    ld.global.u32 %r3, [%rd3];
    mul.lo.u32 %r4, %r1, %r1;
    and.b32 %r4, %r4, 31;
    mul.wide.u32 %rd4, %r4, 4;
    add.s64 %rd4, %rd1, %rd4;
    ld.global.u32 %r4, [%rd4];
    .loc 1 5 5
    and.b32 %r5, %r1, 1;
    setp.eq.u32 %p1, %r5, 1;
    @%p1 bra done;
    .loc 1 6 5
    st.global.u32 [%rd2], %r1;
done:
    .loc 1 7 5
    setp.eq.u32 %p2, %r1, 5;
    @%p2 call half;
    ret;
}
.entry other() { ret; }
.file 1 \"k.cu\" .file 2 \"half.cuh\"
";

const LAUNCH: &[&str] =
    &["run", "k.ptx", "--entry", "k", "--grid", "2", "--block", "32", "--arg", "zero=u32[64]"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), KERNEL).unwrap();
    folder
}

fn run(folder: &Path, words: &[&str]) -> common::Ran {
    let ran = margay_in(folder, &[LAUNCH, words].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran
}

/// A tracefile as a reader of the format takes it: by file, the kinds of lines with what they say.
fn read(text: &str) -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    let mut files: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    let mut file = None;
    for line in text.lines() {
        if line == "end_of_record" {
            assert!(file.take().is_some(), "a record ends that did not begin");
            continue;
        }
        let (kind, rest) = line.split_once(':').expect("a kind and a colon");
        match (kind, &file) {
            ("TN", None) => {}
            ("SF", None) => file = Some(rest.to_string()),
            (kind, Some(file)) => {
                let kinds = files.entry(file.clone()).or_default();
                kinds.entry(kind.to_string()).or_default().push(rest.to_string());
            }
            (kind, None) => panic!("`{kind}` outside of a record"),
        }
    }
    assert!(file.is_none(), "a record does not end");
    for kinds in files.values() {
        let count = |kind: &str| kinds.get(kind).map_or(0, Vec::len);
        let hit = |kind: &str, hit: &dyn Fn(&str) -> bool| {
            kinds.get(kind).map_or(0, |l| l.iter().filter(|l| hit(l)).count())
        };
        let said = |kind: &str| kinds.get(kind).map_or(0, |list| list[0].parse::<usize>().unwrap());
        let last = |line: &str| !matches!(line.rsplit(',').next(), Some("0" | "-"));
        let first = |line: &str| !line.starts_with("0,");
        assert_eq!((said("LF"), said("LH")), (count("DA"), hit("DA", &last)));
        assert_eq!((said("BRF"), said("BRH")), (count("BRDA"), hit("BRDA", &last)));
        assert_eq!((said("FNF"), said("FNH")), (count("FN"), hit("FNDA", &first)));
        assert_eq!(count("FN"), count("FNDA"));
    }
    files
}

#[test]
fn coverage_is_exact_and_the_same_on_both_engines() {
    let folder = folder();
    let texts = ["golden", "batch"].map(|engine| {
        run(folder.path(), &["--engine", engine, "--coverage", "k.lcov"]);
        std::fs::read_to_string(folder.path().join("k.lcov")).unwrap()
    });
    assert_eq!(texts[0], texts[1]);
    let files = read(&texts[0]);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["half.cuh", "k.cu", "k.ptx"]);
    assert_eq!(files["k.cu"]["DA"], ["3,64", "4,64", "5,64", "6,32", "7,64"]);
    assert_eq!(files["half.cuh"]["DA"], ["7,2"]);
    let ptx = &files["k.ptx"];
    assert_eq!(ptx["FNDA"], ["2,half", "0,never", "64,k", "0,other"]);
    assert_eq!(ptx["BRDA"], ["26,0,0,32", "26,0,1,32"]);
    assert!(
        ["3,2", "5,0", "9,64", "28,32", "32,64"].iter().all(|line| ptx["DA"].iter().any(|l| l == line)),
        "{ptx:?}"
    );
}

#[test]
fn coverage_of_a_stopped_launch_is_not_written() {
    let folder = folder();
    std::fs::write(folder.path().join("k.lcov"), "before").unwrap();
    let words =
        ["run", "k.ptx", "--entry", "k", "--block", "32", "--arg", "zero=u32[2]", "--coverage", "k.lcov"];
    assert_eq!(margay_in(folder.path(), &words).code, Some(1));
    assert_eq!(std::fs::read_to_string(folder.path().join("k.lcov")).unwrap(), "before");
}

#[test]
fn coverage_replaces_nothing_that_matters() {
    let folder = folder();
    for (words, part) in [
        (&["--coverage", "k.ptx"][..], "is the PTX file itself"),
        (&["--coverage", "missing/k.lcov"], "cannot write"),
        (&["--coverage", "a.npy", "--arg", "out=a.npy:u32[1]"], "written twice"),
    ] {
        let ran = margay_in(folder.path(), &[LAUNCH, words].concat());
        assert!(ran.code == Some(2) && ran.err.contains(part), "{}", ran.err);
    }
}

#[test]
fn a_profile_says_how_addresses_lie_and_what_was_handed_over() {
    let folder = folder();
    let json = run(folder.path(), &["--profile", "--format", "json", "--engine", "batch"]);
    let report: Value = serde_json::from_str(&json.out).unwrap();
    let profile = &report["profile"];
    let access = |line: u64, kind: &str| {
        let accesses = profile["accesses"].as_array().unwrap();
        accesses.iter().find(|access| access["line"] == line).expect("an access")[kind].as_u64().unwrap()
    };
    assert_eq!(
        (access(9, "uniform"), access(14, "contiguous"), access(17, "strided"), access(22, "gathered")),
        (64, 64, 64, 64)
    );
    let blocks = profile["blocks"].as_array().unwrap();
    let block = blocks.iter().find(|block| block["first_line"] == 28).unwrap();
    assert_eq!((block["threads"].as_u64(), block["idle"].as_f64()), (Some(32), Some(0.5)));
    let handed = &profile["hand_overs"][0];
    assert_eq!((handed["line"].as_u64(), handed["blocks"].as_u64()), (Some(32), Some(2)));
    assert!(profile["lines"].as_array().unwrap().is_empty());

    let text = run(folder.path(), &["--profile-lines", "--engine", "batch"]).err;
    for part in [
        "idle lanes",
        "50.0%",
        "100.0%",
        "2 blocks at line 32 `@%p2 call half;`",
        "mul.wide.u32 %rd2, %r1, 4;",
        "k.cu:4",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = run(folder.path(), &["--profile", "--engine", "golden"]).err;
    assert!(text.contains("profile by blocks") && !text.contains("contiguous"), "{text}");
    assert!(!run(folder.path(), &["--quiet", "--profile"]).err.contains("profile"));
    assert!(!run(folder.path(), &[]).err.contains("profile"));
}
