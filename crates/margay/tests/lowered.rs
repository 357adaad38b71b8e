//! What the batch engine's compiler makes of small kernels: compared with what stands beside them, rewritten with `BLESS=1`.
//!
//! `x.txt` is `x.ptx` after the stage `uniformity`, `x.plan.txt` after the stage `plan`, `x.asm-avx2.txt` after the stage `asm` of level
//! `jit-avx2`, and so on; a file more is a test more.

mod common;

use common::margay_in;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowered")
}

fn texts() -> Vec<String> {
    let names = std::fs::read_dir(folder()).expect("the folder").flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut found: Vec<String> = names.filter(|name| name.ends_with(".ptx")).collect();
    found.sort();
    assert!(found.len() >= 6, "only {found:?}");
    found
}

fn lowered(name: &str) -> (Option<i32>, String) {
    let ran = margay_in(&folder(), &["fmt", "--lowered", name]);
    assert!(!ran.err.contains("error"), "{name}: {}", ran.err);
    (ran.code, ran.out)
}

#[test]
fn kernels_become_what_stands_beside_them() {
    let mut different = Vec::new();
    for name in texts() {
        let file = folder().join(&name).with_extension("txt");
        let (_, text) = lowered(&name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &text).expect("a written file");
        }
        let wanted = std::fs::read_to_string(&file).unwrap_or_default();
        if wanted != text {
            different.push(format!("{name} becomes\n{text}"));
        }
    }
    assert!(different.is_empty(), "{}\n(BLESS=1 accepts this)", different.join("\n"));
}

#[test]
fn stages_are_what_stands_beside_kernels() {
    let names = std::fs::read_dir(folder()).expect("the folder").flatten();
    let mut names: Vec<String> =
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let (mut different, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
    for name in names.iter().filter(|name| name.matches('.').count() == 2) {
        let parts: Vec<&str> = name.split('.').collect();
        let kernel = format!("{}.ptx", parts[0]);
        let (stage, simd) = match parts[1].split_once('-') {
            Some((stage, machine)) => (stage, format!("jit-{machine}")),
            None => (parts[1], "jit".to_string()),
        };
        seen.insert(parts[1].to_string());
        // Machine code is made on one kind of processor.
        if cfg!(not(target_arch = "x86_64")) && ["isel", "regs", "asm"].contains(&stage) {
            continue;
        }
        let ran = margay_in(&folder(), &["fmt", "--stage", stage, "--simd", &simd, &kernel]);
        assert!(!ran.err.contains("error"), "{name}: {}", ran.err);
        let file = folder().join(name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &ran.out).expect("a written file");
        }
        if std::fs::read_to_string(&file).unwrap_or_default() != ran.out {
            different.push(format!("{name} becomes\n{}", ran.out));
        }
    }
    assert_eq!(
        seen.into_iter().collect::<Vec<_>>(),
        [
            "asm",
            "asm-avx2",
            "asm-neon",
            "ir",
            "isel",
            "isel-avx2",
            "isel-skylake",
            "plan",
            "regs",
            "regs-neon"
        ]
    );
    assert!(different.is_empty(), "{}\n(BLESS=1 accepts this)", different.join("\n"));
}

#[test]
fn the_text_is_the_same_each_time() {
    for name in texts() {
        assert_eq!(lowered(&name), lowered(&name), "{name}");
    }
}

/// The lines of a kernel's text, and whether any of them holds all of these.
fn has(text: &str, kernel: &str, parts: &[&str]) -> bool {
    let kernel = text.split("kernel ").find(|part| part.starts_with(kernel)).expect("the kernel");
    kernel.lines().any(|line| parts.iter().all(|part| line.contains(part)))
}

#[test]
fn addresses_of_compilers_stay_affine() {
    for name in ["addresses.ptx", "pointer_in_loop.ptx"] {
        let (_, text) = lowered(name);
        assert!(text.matches(": affine]").count() >= 2 && !text.contains(": varying]"), "{text}");
    }
}

#[test]
fn what_nothing_needs_is_gone_and_what_is_known_is_computed() {
    let (_, text) = lowered("selection.ptx");
    assert!(!text.contains("popc") && has(&text, "choose", &["0x28"]), "{text}");
    assert_eq!(text.matches("mul.wide.u").count(), 1, "{text}");
    assert!(has(&text, "choose", &["load.global", " if %"]) && has(&text, "choose", &["= select"]), "{text}");
}

#[test]
fn kernels_are_refused_as_a_launch_refuses_them() {
    let (code, text) = lowered("handed_over.ptx");
    assert_eq!(code, Some(1));
    assert!(text.contains("refused: kernel `reduced` cannot run: ") && text.contains("[P9"), "{text}");
    assert!(has(&text, "calls", &["hand over line", "calls are made thread by thread"]), "{text}");
}

#[test]
fn one_kernel_is_printed_for_the_block_that_is_asked_for() {
    let words = ["fmt", "--lowered", "addresses.ptx", "--kernel", "clang", "--block", "32,4"];
    let ran = margay_in(&folder(), &words);
    assert!(
        ran.out.starts_with("kernel clang in blocks of 32,4,1: ") && !ran.out.contains("nvcc"),
        "{}",
        ran.out
    );
    for (words, part) in [
        (&["--kernel", "other"][..], "no kernel `other`"),
        (&["--block", "0"], "too small"),
        (&["--check"], "cannot be used with"),
        (&["--stage", "isel"], "cannot be used with"),
        (&["--stage", "regalloc"], "possible values: ir, uniformity, plan, isel, regs, asm"),
    ] {
        let ran = margay_in(&folder(), &[&["fmt", "--lowered", "addresses.ptx"], words].concat());
        assert!(ran.code == Some(2) && ran.err.contains(part), "{}", ran.err);
    }
    let ran = margay_in(&folder(), &["fmt", "addresses.ptx", "--kernel", "clang"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

/// Several blocks of a grid run together, and have values of their own in what is uniform in each.
#[test]
fn blocks_of_a_grid_are_planned_together() {
    let of = |grid: &str| {
        let words =
            ["fmt", "--stage", "plan", "addresses.ptx", "--kernel", "clang", "--block", "32", "--grid", grid];
        margay_in(&folder(), &words)
    };
    let (one, many) = (of("1"), of("64"));
    assert!(one.out.contains(", in 4 groups\n") && many.out.contains(", in 128 groups\n"), "{}", many.out);
    let none = of("0");
    assert!(none.code == Some(2) && none.err.contains("too small"), "{}", none.err);
}
