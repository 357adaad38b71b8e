//! `margay eval`, `explain`, `forms`, `fmt`, `completions`, `man` as a user meets them.

mod common;

use common::{command, margay, margay_in, margay_with_input};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

#[test]
fn eval_prints_the_result_in_hex_and_by_element() {
    let ran = margay(&["eval", "vadd4.s32.s32.u32.sat d, a, b, c", "a=0x80ff7f01", "b=0x01020304", "c=0"]);
    let expected =
        "d = 0x81017f05\n    .b3 0x81 = -127\n    .b2 0x01 = 1\n    .b1 0x7f = 127\n    .b0 0x05 = 5\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), expected, ""));
    let ran = margay(&["eval", "sub.s32 %r1, x, y", "x=-5", "y=2147483647"]);
    assert_eq!(ran.out, "%r1 = 0x7ffffffc = 2147483644\n");
}

#[test]
fn eval_explains_its_stages_and_where_the_assembler_differs() {
    let ran =
        margay(&["eval", "--explain", "vadd.s32.s32.s32.sat d.h0, a, b.b0, c", "a=-40000", "b=0xff", "c=0"]);
    assert!(ran.out.contains("ta = -40000"), "{}", ran.out);
    assert!(ran.out.contains("tb = -1 "), "{}", ran.out);
    assert!(ran.out.contains("d = 0x00008000"), "{}", ran.out);
    assert!(ran.out.contains("ptxas 13.5 gives d = 0x00007fff"), "{}", ran.out);
    let other = margay(&[
        "eval",
        "--semantics",
        "ptxas-13.5",
        "vadd.s32.s32.s32.sat d.h0, a, b, c",
        "a=-40000",
        "b=-1",
        "c=0",
    ]);
    assert!(other.out.starts_with("d = 0x00007fff"), "{}", other.out);
}

#[test]
fn approximate_functions_are_a_devices_or_correctly_rounded() {
    let first = |options: &[&str]| {
        let ran = margay(&[&["eval", "rcp.approx.f32 d, a", "a=0x40ff82fe"], options].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out.split(' ').nth(2).unwrap_or_default().trim().to_string()
    };
    assert_eq!(first(&[]), "0x3e003e9f");
    assert_eq!(first(&["--approx", "device"]), "0x3e003e9f");
    assert_eq!(first(&["--approx", "rounded"]), "0x3e003ea0");
    assert_eq!(first(&["--semantics", "ptxas-13.5"]), "0x3e003ea0");
    let ran = margay(&["eval", "--explain", "rcp.approx.f32 d, a", "a=0x40ff82fe"]);
    let told = "ptxas 13.5, where operands are literals, gives d = 0x3e003ea0";
    assert!(ran.out.contains(told), "{}", ran.out);
    let ran =
        margay(&["eval", "--approx", "device", "--semantics", "ptxas-13.5", "rcp.approx.f32 d, a", "a=1"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`--approx` does not go with `--semantics ptxas-13.5`"), "{}", ran.err);
    let ran = margay(&["explain", "rcp"]);
    assert!(ran.out.contains("rcp.approx{.ftz}.f32 d, a: the device's bits, by a model"), "{}", ran.out);
}

#[test]
fn eval_names_each_of_several_results() {
    let ran = margay(&["eval", "mov.b32 {lo, hi}, a", "a=0x10002"]);
    assert_eq!(ran.out, "lo = 0x0002 = 2\nhi = 0x0001 = 1\n", "{}", ran.err);
    assert_eq!(margay(&["eval", "setp.lt.s32 p|_, a, b", "a=-1", "b=0"]).out, "p = 0x1\n");
}

#[test]
fn atomic_operations_take_what_memory_holds_and_give_what_it_holds_afterwards() {
    for (arguments, result) in [
        (&["atom.global.inc.u32 d, [a], b", "a=7", "b=9"][..], "d = 0x00000007 = 7\n[a] = 0x00000008 = 8\n"),
        (&["red.max.s32 [%rd1+8], -3;", "%rd1=-5"], "[%rd1] = 0xfffffffd = -3\n"),
        (&["atom.cas.b32 d, [a], b, c", "a=4", "b=4", "c=1"], "d = 0x00000004 = 4\n[a] = 0x00000001 = 1\n"),
        (&["atom.cas.b32 d, [a], b, c", "a=4", "b=5", "c=1"], "d = 0x00000004 = 4\n[a] = 0x00000004 = 4\n"),
        (&["atom.shared.exch.b32 _, [a], b", "a=1", "b=2"], "[a] = 0x00000002 = 2\n"),
        (
            &["atom.or.b64 a, [x], b", "x=1", "b=2"],
            "a = 0x0000000000000001 = 1\n[x] = 0x0000000000000003 = 3\n",
        ),
        // Sums are flushed in global memory, and where nothing says which it is.
        (&["red.global.add.f32 [a], b", "a=0x1", "b=0x1"], "[a] = 0x00000000 = 0.0\n"),
        (&["red.add.f32 [a], b", "a=0x1", "b=0x1"], "[a] = 0x00000000 = 0.0\n"),
        (&["red.shared::cta.add.f32 [a], b", "a=0x1", "b=0x1"], "[a] = 0x00000002 = 3e-45 (subnormal)\n"),
        (&["red.global.add.L2::cache_hint.f32 [a], b, policy", "a=1", "b=0.5"], "[a] = 0x3fc00000 = 1.5\n"),
        (
            &["atom.global.v2.f32.add {d, _}, [a], {b, 4.0}", "a={1.5,2}", "b=1"],
            "d = 0x3fc00000 = 1.5\n[a] = 0x40c0000040200000\n    [1] 0x40c00000 = 6.0\n    [0] 0x40200000 = 2.5\n",
        ),
        (
            &[
                "red.global.v8.f16.max.noftz [a], {b, c, b, c, b, c, b, e}",
                "a={1,2,3,4,5,6,7,8}",
                "b=4",
                "c=-1",
                "e=9.5",
            ],
            "[a] = 0x48c04700460045004400440040004400\n    [7] 0x48c0 = 9.5\n    [6] 0x4700 = 7.0\n    [5] 0x4600 = 6.0\n    \
             [4] 0x4500 = 5.0\n    [3] 0x4400 = 4.0\n    [2] 0x4400 = 4.0\n    [1] 0x4000 = 2.0\n    [0] 0x4400 = 4.0\n",
        ),
    ] {
        let ran = margay(&[&["eval"], arguments].concat());
        assert_eq!((ran.err.as_str(), ran.out), ("", result.to_string()), "{arguments:?}");
    }
    let ran = margay(&["eval", "--explain", "atom.shared.add.f32 d, [a], b", "a=1.5", "b=0.25"]);
    let stages = "    a = 0x3fc00000 = 1.5    (in shared memory before)\n    b = 0x3e800000 = 0.25\n";
    assert!(ran.out.contains(stages) && ran.out.contains("[a] = 0x3fe00000 = 1.75\n"), "{}", ran.out);
}

#[test]
fn atomic_operations_say_what_cannot_be_given_for_their_address() {
    for (statement, message) in [
        ("atom.or.b64 d, [a], a", "`a` is both an address and a value here"),
        ("red.add.u64 [a], a", "`a` is both an address and a value here"),
        ("red.add.u32 [16], b", "only addresses in `.local` may be constants"),
        ("redux.sync.add.s32 d, a, 3", "has side effects"),
    ] {
        let ran = margay(&["eval", statement, "a=1", "b=1"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{statement}");
        assert!(ran.err.contains(message), "{statement}: {}", ran.err);
    }
}

#[test]
fn recorded_vectors_of_floating_point_replay_without_a_mismatch() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../isa/tests/data/float.tsv.gz");
    let ran = margay(&["eval", "--vectors", table]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "67573 vectors, 0 mismatches\n"), "{}", ran.err);
}

#[test]
fn eval_says_what_is_wrong_with_a_request() {
    for (arguments, message) in [
        (&["eval"][..], "required arguments were not provided"),
        (&["eval", "add.u32 d, a, b", "a=1"], "operand `b` has no value"),
        (&["eval", "add.u32 d, a, b", "a=1", "b=1", "a=1"], "`a` is given twice"),
        (&["eval", "add.u32 d, a, b", "a=1", "b=1", "e=1"], "`e` is not an operand"),
        (&["eval", "add.u32 d, a, b", "a=1", "b=4294967296"], "does not fit `b`"),
        (&["eval", "add.u33 d, a, b", "a=1", "b=1"], "`.u33`"),
        (&["eval", "add.u32 d a b", "a=1"], "P101"),
        (&["eval", "", "a=1"], "not legal PTX"),
        (&["eval", "add.u32 d, a, %tid.x", "a=1"], "P405"),
        (&["eval", "mul.u32 d, a, b", "a=1"], "P304"),
        (&["eval", "--semantics", "nvcc", "add.u32 d, a, b"], "invalid value"),
        (&["eval", "--vectors", "t.tsv", "add.u32 d, a, b"], "cannot be used with"),
        (&["eval", "add.u32 d, a, b", "--expect", "doc"], "--vectors"),
        (&["eval", "add.u32 d, a, b", "--random", "-5"], "unexpected argument '--random' found\n\nUsage"),
        (&["eval", "add.u32 d, a, b", "--explian"], "a similar argument exists: '--explain'"),
    ] {
        let ran = margay(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn negative_counts_are_values_of_their_options() {
    for (arguments, option) in [
        (&["sweep", "add.u32 d, a, b", "or.b32 d, a, b", "--random", "-5"][..], "--random <COUNT>"),
        (&["sweep", "add.u32 d, a, b", "or.b32 d, a, b", "--keep", "-5"], "--keep <N>"),
        (&["forms", "add", "--sample", "-5"], "--sample <N>"),
    ] {
        let ran = margay(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.starts_with(&format!("error: invalid value '-5' for '{option}'")), "{}", ran.err);
    }
}

#[test]
fn vectors_are_compared_row_by_row() {
    let table =
        "#form\ta\tb\twant\n# comment\nadd.u32 d, a, b\t0x1\t0x2\t0x3\nneg.s32 d, a\t0x1\t-\t0xffffffff\n";
    let ran = margay_with_input(table.as_bytes(), &["eval", "--vectors", "-", "--expect", "want"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "2 vectors, 0 mismatches\n"), "{}", ran.err);

    let wrong = table.replace("0x3", "0x4").replace('\n', "\r\n");
    let ran = margay_with_input(wrong.as_bytes(), &["eval", "--vectors", "-", "--expect", "want"]);
    let expected =
        "standard input:3: add.u32 d, a, b: a=0x1 b=0x2 gives 0x3, not 0x4\n2 vectors, 1 mismatch\n";
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), expected));
}

#[test]
fn damaged_tables_are_located() {
    let run = |table: &str| margay_with_input(table.as_bytes(), &["eval", "--vectors", "-"]);
    for (table, message) in [
        ("", "`standard input` is empty"),
        ("form\ta\n", "no column `doc`"),
        ("form\ta\tdoc\nneg.s32 d, a\t0x1\n", "standard input:2: the row has no cell for column `doc`"),
        ("form\ta\tdoc\nneg.s32 d, a\t0x1\tx\n", "standard input:2: `x` is not a hex number"),
        ("form\ta\tdoc\nneg.s32 d, a\t-\t0x0\n", "standard input:2: the value `-` of `a` is not a number"),
    ] {
        let ran = run(table);
        assert_eq!(ran.code, Some(2), "{table:?}");
        assert!(ran.err.contains(message), "{table:?}: {}", ran.err);
    }
    let ran = run("form\ta\tdoc\nnegg.s32 d, a\t0x1\t0x0\nneg.s32 d, x\t0x1\t0x0\n");
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.out.contains("unknown instruction `negg`") && ran.out.contains("no column `x`"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("2 vectors, 2 mismatches\n"), "{}", ran.out);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty"), "").unwrap();
    for (arguments, message) in [
        (&["fmt", "missing.ptx"][..], "cannot read `missing.ptx`: no such file or folder"),
        (&["fmt", "."], "no PTX files below `.`"),
        (&["eval", "--vectors", "missing.tsv"], "cannot read `missing.tsv`: no such file or folder"),
        (&["eval", "--vectors", "."], "cannot read `.`: it is a folder"),
        (&["eval", "--vectors", "empty"], "`empty` is empty"),
    ] {
        let ran = margay_in(folder.path(), arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn explain_knows_instructions_and_codes() {
    let ran = margay(&["explain", "vmad"]);
    assert_eq!(ran.code, Some(0));
    for part in ["9.7.18.1.3", "FORMS", "SINCE", "EXAMPLES", "TRY IT", "ERRATA"] {
        assert!(ran.out.contains(part), "{part}");
    }
    assert!(margay(&["explain", "P101"]).out.contains("RIGHT"));
    let ran = margay(&["explain", "vmda"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("did you mean `vmad`?"), "{}", ran.err);
}

#[test]
fn explain_draws_matrices_of_a_form_that_there_is() {
    let drawn = margay(&["explain", "mma.m16n8k32.s8"]);
    assert!(drawn.out.contains("A: ROWS DOWN, COLUMNS ACROSS"), "{}", drawn.out);
    let refused = [
        ("mma.m16n8k23.s8", "no form of `mma` has `.m16n8k23`\nhelp: did you mean `.m16n8k32`?\n"),
        (
            "mma.m16n8k16.nonsense",
            "no form of `mma` has `.nonsense`\nhelp: `margay forms mma` lists the forms\n",
        ),
        (
            "mma.m8n8k4.s8",
            "no form of `mma` has `.m8n8k4.s8` together\nhelp: `margay forms mma` lists the forms\n",
        ),
        ("ldmatrix.x3", "no form of `ldmatrix` has `.x3`\nhelp: did you mean `.x1`?\n"),
    ];
    for (what, says) in refused {
        let ran = margay(&["explain", what]);
        assert_eq!((ran.code, ran.err), (Some(2), format!("error: {says}")), "{what}");
    }
}

#[test]
fn the_example_that_explain_shows_gives_what_it_says() {
    for opcode in ["add", "vadd4", "bfe", "dp4a", "vset2", "szext"] {
        let text = margay(&["explain", opcode]).out;
        let mut lines = text.lines().skip_while(|line| !line.contains("$ margay eval"));
        let words = shlex::split(lines.next().unwrap().trim().trim_start_matches("$ margay")).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = margay(&words);
        assert!(ran.out.starts_with(lines.next().unwrap().trim()), "{opcode}: {}", ran.out);
    }
}

#[test]
fn forms_are_listed_counted_and_drawn() {
    let all = margay(&["forms", "dp4a"]);
    let mut lines: Vec<_> = all.out.lines().collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            "dp4a.s32.s32 d, a, b, c",
            "dp4a.s32.u32 d, a, b, c",
            "dp4a.u32.s32 d, a, b, c",
            "dp4a.u32.u32 d, a, b, c"
        ]
    );
    assert_eq!(margay(&["forms", "dp4a", "--count"]).out, "4\n");
    let drawn = margay(&["forms", "vadd4", "--sample", "3"]);
    assert_eq!(drawn.out.lines().count(), 3);
    assert_eq!(drawn.out, margay(&["forms", "vadd4", "--sample", "3"]).out);
    assert_ne!(drawn.out, margay(&["forms", "vadd4", "--sample", "3", "--seed", "1"]).out);
    assert_eq!(margay(&["forms", "nothing"]).code, Some(2));
}

#[test]
fn fmt_prints_checks_and_writes_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.ptx");
    std::fs::write(&file, ".entry k ( ) {add .u32 a,b,c ;//sum\n}").unwrap();
    let tidy = ".entry k()\n{\n    add.u32 a, b, c; //sum\n}\n";
    assert_eq!(margay_in(folder.path(), &["fmt", "k.ptx"]).out, tidy);
    assert_eq!(margay_in(folder.path(), &["fmt", "--check", "k.ptx"]).code, Some(1));
    assert_eq!(margay_in(folder.path(), &["fmt", "--write", "k.ptx"]).code, Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), tidy);
    assert_eq!(margay_in(folder.path(), &["fmt", "--check", "k.ptx"]).code, Some(0));
    let ran = margay_with_input(b".entry k ( { }", &["fmt", "-"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("error[P1"), "{}", ran.err);
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let mut child = command(Path::new("."), &["forms", "vmad", "--sample", "100000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 16];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = command(Path::new("."), &["forms", "vmad"]).stdout(full).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("cannot write to standard output"));
}

#[test]
fn colour_only_where_it_is_wanted() {
    let colored = |arguments: &[&str], variable: Option<(&str, &str)>| {
        let mut command = command(Path::new("."), arguments);
        let ran = command.envs(variable).output().unwrap();
        (ran.stdout.contains(&0x1b), ran.stderr.contains(&0x1b))
    };
    assert_eq!(colored(&["explain", "add"], None), (false, false));
    assert_eq!(colored(&["--color", "always", "explain", "add"], None), (true, false));
    assert_eq!(colored(&["explain", "nothing", "--color", "always"], None), (false, true));
    assert_eq!(colored(&["explain", "nothing"], Some(("NO_COLOR", "1"))), (false, false));
}

#[test]
fn completions_are_made_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = margay(&["completions", shell]);
        assert!(ran.code == Some(0) && ran.out.contains("margay") && ran.out.contains("vectors"), "{shell}");
    }
}

#[test]
fn manual_pages_are_made_of_the_command_and_each_subcommand() {
    let ran = margay(&["man"]);
    assert!(ran.code == Some(0) && ran.out.contains(".TH margay 1"), "{}", ran.out);
    assert!(ran.out.contains("Exit codes: 0 done") && ran.out.contains("sweep"), "{}", ran.out);
    let ran = margay(&["man", "run"]);
    assert!(ran.out.contains(".TH margay-run 1") && ran.out.contains("schedule"), "{}", ran.out);
    let table = ran.out.split_once(".nf\n  u32=7 ").and_then(|(_, rest)| rest.split_once(".fi\nBuffers are"));
    assert!(ran.out.contains(".SH NOTES") && table.is_some(), "{}", ran.out);
    let ran = margay(&["man", "runs"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("there is no subcommand `runs`") && ran.err.contains("eval, sweep"),
        "{}",
        ran.err
    );
}

#[test]
fn large_tables_stream() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"#form\ta\tdoc\n").unwrap();
    for k in 0..20_000u32 {
        writeln!(encoder, "neg.s32 d, a\t{k:#x}\t{:#x}", k.wrapping_neg()).unwrap();
    }
    let ran = margay_with_input(&encoder.finish().unwrap(), &["eval", "--vectors", "-"]);
    assert_eq!(ran.out, "20000 vectors, 0 mismatches\n", "{}", ran.err);
}

#[test]
fn floating_point_values_are_written_and_printed_as_numbers() {
    let cases: [(&str, &[&str], &str); 6] = [
        ("add.rn.f32 d, a, b", &["a=1.5", "b=0x40000000"][..], "d = 0x40600000 = 3.5\n"),
        ("add.rn.f32 d, a, b", &["a=1", "b=-2e-3"], "d = 0x3f7f7cee = 0.998\n"),
        ("fma.rn.f32 d, a, b, c", &["a=0f3fc00000", "b=1e-3", "c=nan"], "d = 0x7fffffff = nan\n"),
        ("mul.f32 d, a, b", &["a=1e-30", "b=1e-12"], "d = 0x000002ca = 1e-42 (subnormal)\n"),
        ("div.rn.f64 d, a, b", &["a=-1", "b=0"], "d = 0xfff0000000000000 = -inf\n"),
        (
            "add.f16x2 d, a, b",
            &["a={1,2.5}", "b=0x3c003c00"],
            "d = 0x43004000\n    [1] 0x4300 = 3.5\n    [0] 0x4000 = 2.0\n",
        ),
    ];
    for (form, values, printed) in cases {
        let ran = margay(&[&["eval", form], values].concat());
        assert_eq!((ran.out.as_str(), ran.err.as_str()), (printed, ""), "{form}");
    }
    for (value, help) in [
        (
            "a=1.5f",
            "write a number such as `1.5`, `-2e-3`, `inf` or `nan`, or `0x` and the hex digits of its bits",
        ),
        ("a=0x1.8", "write a decimal number, or `0x` and hex digits"),
    ] {
        let ran = margay(&["eval", "neg.f32 d, a", value]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("is not a number") && ran.err.contains(help), "{}", ran.err);
    }
    let ran = margay(&["eval", "neg.f16x2 d, a", "a=1"]);
    assert!(ran.err.contains("write 2 numbers such as `{1.5,1.5}`, the lowest element first"), "{}", ran.err);
}

#[test]
fn rows_may_allow_several_results() {
    let table = "form\ta\tb\tptxas\tdoc\tlo\thi\tnan\n\
                 rcp.approx.f32 d, a\t0x40ff82fe\t-\t0x3e003ea0\t0x3e003ea0\t0x3e003e9f\t0x3e003ea1\t-\n\
                 rcp.approx.f32 d, a\t0x40ff82fe\t-\t-\t0x3e003ea0\t0x3e003ea0\t0x3e003ea1\t-\n\
                 rcp.approx.f32 d, a\t0x40ff82fe\t-\t-\t0x3e003ea0\tany\tany\t-\n\
                 add.rn.f32 d, a, b\t0x7fc00001\t0x0\t-\t0x7fc00001\t-\t-\tany\n\
                 add.rn.f32 d, a, b\t0x7fc00001\t0x0\t-\t0x7fc00001\t-\t-\tcanon\n\
                 setp.gt.f16x2 p|q, a, b\t0x3c000000\t0x0\t-\t0x2\t-\t-\t-\n";
    let judged = |options: &[&str]| {
        let ran = margay_with_input(table.as_bytes(), &[&["eval", "--vectors", "-"], options].concat());
        (ran.code, ran.out)
    };
    let (code, out) = judged(&[]);
    assert_eq!(code, Some(1));
    assert!(out.contains(":3: ") && out.contains("nor from 0x3e003ea0 to 0x3e003ea1"), "{out}");
    assert!(out.contains(":6: ") && out.ends_with("6 vectors, 2 mismatches\n"), "{out}");
    let (_, out) = judged(&["--approx", "rounded"]);
    assert!(out.contains(":6: ") && out.ends_with("6 vectors, 1 mismatch\n"), "{out}");
    let (code, out) = judged(&["--semantics", "ptxas-13.5"]);
    assert_eq!(
        (code, out.as_str()),
        (Some(0), "6 vectors, 0 mismatches, 5 without a result to compare with\n")
    );
    let wrong = "form\ta\tdoc\tnan\nneg.f32 d, a\t0x0\t0x80000000\tsome\n";
    let ran = margay_with_input(wrong.as_bytes(), &["eval", "--vectors", "-"]);
    assert!(ran.err.contains("`some` in column `nan` is none of `any`, `canon` and `-`"), "{}", ran.err);
}

#[test]
fn numbers_of_eight_bits_and_fewer_are_written_and_printed_as_such() {
    for (text, values, printed) in [
        (
            "cvt.rn.satfinite.e4m3x2.f32 d, a, b",
            &["a=0.1", "b=nan"][..],
            "d = 0x1d7f\n    [1] 0x1d = 0.1\n    [0] 0x7f = nan\n",
        ),
        (
            "cvt.rn.f16x2.e4m3x2 d, a",
            &["a={2,0.1}"],
            "d = 0x2e804000\n    [1] 0x2e80 = 0.10156\n    [0] 0x4000 = 2.0\n",
        ),
        (
            "cvt.rn.f16x2.e5m2x2 d, a",
            &["a=0x7c3c"],
            "d = 0x7c003c00\n    [1] 0x7c00 = inf\n    [0] 0x3c00 = 1.0\n",
        ),
        (
            "cvt.rn.satfinite.e2m1x2.f32 d, a, b",
            &["a=6", "b=-0.5"],
            "d = 0x79\n    [1] 0x7 = 6.0\n    [0] 0x9 = -0.5 (subnormal)\n",
        ),
    ] {
        let ran = margay(&[&["eval", text], values].concat());
        assert_eq!((ran.out.as_str(), ran.err.as_str()), (printed, ""), "{text}");
    }
    let ran = margay(&["eval", "cvt.rn.f16x2.e4m3x2 d, a", "a=1"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("write 2 numbers such as `{1.5,1.5}`, the lowest element first"), "{}", ran.err);
}
