//! `margay check` as a user meets it.

mod common;

use common::{Ran, margay_in, margay_with_input};
use std::path::Path;

const GOOD: &str = ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<3>; mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r0, %r1, %r2; }\n";

/// Legal, with an instruction that margay does not run yet.
const NOT_RUN: &str = ".version 8.1\n.target sm_90\n.entry k() { .reg .pred %p; .reg .u64 %d; mov.u64 %d, 0; multimem.red.add.u32 [%d], 1; }\n";

fn bad() -> String {
    GOOD.replace("%r2;", "%r9;")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("good.ptx", GOOD);
    write("bad.ptx", &bad());
    write("not_run.ptx", NOT_RUN);
    write("dot.ptx", &GOOD.replace("add.u32 %r0,", "dp4a.u32.u32 %r0, %r1,"));
    write("empty.ptx", "");
    write("zeros.ptx", "\0\0\0\0");
    folder
}

fn check(arguments: &[&str]) -> Ran {
    let folder = folder();
    let all: Vec<&str> = std::iter::once("check").chain(arguments.iter().copied()).collect();
    margay_in(folder.path(), &all)
}

#[test]
fn the_exit_code_says_whether_there_is_an_error() {
    for (file, code) in
        [("good.ptx", 0), ("bad.ptx", 1), ("not_run.ptx", 0), ("empty.ptx", 1), ("zeros.ptx", 1)]
    {
        let ran = check(&[file]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{file}: {}", ran.err);
    }
    assert_eq!(check(&["good.ptx", "bad.ptx"]).code, Some(1));
    assert_eq!(check(&["missing.ptx"]).code, Some(2));
    assert_eq!(check(&["."]).code, Some(1));
    assert_eq!(check(&[]).code, Some(2));
    assert_eq!(margay_with_input(GOOD.as_bytes(), &["check", "-"]).code, Some(0));
}

#[test]
fn people_see_the_place_and_programs_their_format() {
    let ran = check(&["bad.ptx"]);
    assert!(ran.err.contains("bad.ptx:3:") && ran.err.contains("`%r9`"), "{}", ran.err);
    assert!(ran.err.ends_with("1 file checked: 1 error\n"), "{}", ran.err);

    let ran = check(&["bad.ptx", "good.ptx", "--format", "short"]);
    assert!(ran.out.starts_with("bad.ptx:3:") && ran.out.lines().count() == 1, "{}", ran.out);

    let ran = check(&["bad.ptx", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((object["file"].as_str(), object["severity"].as_str()), (Some("bad.ptx"), Some("error")));

    let ran = check(&["bad.ptx", "good.ptx", "--format", "sarif"]);
    let log: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(log["version"], "2.1.0");
}

#[test]
fn the_target_can_be_another_than_the_texts() {
    assert_eq!(check(&["dot.ptx", "--target", "sm_60"]).code, Some(1));
    assert_eq!(check(&["dot.ptx", "--target", "sm_61"]).code, Some(0));
    let ran = check(&["good.ptx", "--target", "sm_81"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("unknown target"), "{}", ran.err);
}

const TABLE: &str = "#instruction\tversion\ttarget\taccepted\tmessage\n\
    # a comment\n\
    add.u32 %r1, %r2, %r3;\t9.3\tsm_75\t1\t\n\
    add.u32 %r1, %r2, %h3;\t9.3\tsm_75\t0\tno\n\
    tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7;\t9.3\tsm_75\t1\t\n\
    add.u32 %r1, %r2, %r3;\t9.3\tsm_7\t0\t\n\
    @\t9.3\tsm_75\t0\t";

const PRELUDE: &str =
    ".reg .u32 %r<10>; .reg .f32 %f<10>; .reg .u16 %h<10>; .reg .u64 %rd<2>; .reg .b128 %q<2>;";

fn lines(table: &str, rest: &[&str]) -> Ran {
    let all = [&["check", "--lines", "-", "--prelude", PRELUDE], rest].concat();
    margay_with_input(table.as_bytes(), &all)
}

#[test]
fn each_row_of_a_table_gets_its_verdict() {
    for table in [TABLE.to_string(), TABLE.replace('\n', "\r\n"), TABLE.trim_start_matches('#').to_string()] {
        let ran = lines(&table, &[]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let rows: Vec<Vec<&str>> = ran.out.lines().map(|line| line.split('\t').collect()).collect();
        assert!(rows.iter().all(|row| row.len() == 6), "{}", ran.out);
        let heads: Vec<_> = rows.iter().map(|row| row[..4].join(" ")).collect();
        assert_eq!(
            heads,
            [
                "add.u32 %r1, %r2, %r3; 9.3 sm_75 1",
                "add.u32 %r1, %r2, %h3; 9.3 sm_75 0",
                "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7; 9.3 sm_75 1",
                "add.u32 %r1, %r2, %r3; 9.3 sm_7 0",
                "@ 9.3 sm_75 0",
            ]
        );
        assert_eq!((rows[0][4], rows[0][5]), ("", ""));
        assert_eq!(rows[1][4], "P401");
        assert!(rows[2][4].starts_with("P9"), "{}", ran.out);
    }
}

#[test]
fn verdicts_are_compared_where_that_is_wanted() {
    let ran = lines(TABLE, &["--expect", "accepted"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), "5 rows, 0 differences\n"));
    let ran = lines(&TABLE.replace("\t1\t", "\t0\t"), &["--expect", "accepted"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), "5 rows, 2 differences\n"));
    assert_eq!(ran.out.lines().count(), 5);
    let one = "instruction\tversion\ttarget\taccepted\nret;\t9.3\tsm_75\t0\n";
    let ran = lines(one, &["--expect", "accepted"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), "1 row, 1 difference\n"));
}

#[test]
fn tables_that_are_wrong_are_located() {
    for (table, rest, message) in [
        ("", &[][..], "`standard input` is empty"),
        ("instruction\tversion\n", &[], "no column `target`"),
        (TABLE, &["--expect", "verdict"], "no column `verdict`"),
        (TABLE, &["--expect", "message"], "standard input:3: `` is not a verdict"),
        (
            "instruction\tversion\ttarget\nret;\t9.3\n",
            &[],
            "standard input:2: the row has no cell for column `target`",
        ),
    ] {
        let ran = lines(table, rest);
        assert_eq!(ran.code, Some(2), "{table:?}");
        assert!(ran.err.contains(message), "{table:?}: {}", ran.err);
    }
    let ran = margay_with_input(b"", &["check", "--lines", "-", "--prelude", ".reg .u33 %r;"]);
    assert!(ran.code == Some(2) && ran.err.contains("u33") && ran.err.contains("--prelude"), "{}", ran.err);
    for arguments in [
        &["check", "--lines", "-"][..],
        &["check", "x.ptx", "--expect", "y"],
        &["check", "x", "--lines", "y"],
    ] {
        assert_eq!(common::margay_in(Path::new("."), arguments).code, Some(2), "{arguments:?}");
    }
}

#[test]
fn cells_come_back_as_they_came() {
    let table = b"target\tx\tversion\tinstruction\nsm_75\t1\t9.3\tadd \xff;  \nsm_75\t\t9.3\t\n";
    let ran = common::command(Path::new("."), &["check", "--lines", "-", "--prelude", ""])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write;
    ran.stdin.as_ref().unwrap().write_all(table).unwrap();
    let out = ran.wait_with_output().unwrap().stdout;
    assert!(out.starts_with(b"add \xff;  \t9.3\tsm_75\t0\t"));
    assert_eq!(out.split(|&c| c == b'\n').nth(1).unwrap()[..14], *b"\t9.3\tsm_75\t0\tP");
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), "ret").unwrap();
    let ran =
        common::margay_in(folder.path(), &["check", "missing.ptx", "k.ptx", "gone.ptx", "--format", "short"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.contains("k.ptx:1:1: error"), "{}", ran.out);
    assert!(ran.err.contains("`missing.ptx`") && ran.err.contains("`gone.ptx`"), "{}", ran.err);
}

#[test]
fn findings_are_denied_and_allowed_by_code_and_by_severity() {
    for (arguments, code) in [
        (&["not_run.ptx"][..], 0),
        (&["not_run.ptx", "--deny", "P902"], 1),
        (&["not_run.ptx", "--deny", "notes"], 1),
        (&["not_run.ptx", "--deny", "notes", "--allow", "P902"], 0),
        (&["not_run.ptx", "--deny", "warnings"], 0),
        (&["bad.ptx", "--allow", "P201"], 1),
        (&["good.ptx", "--deny", "P902", "--allow", "P902"], 2),
        (&["good.ptx", "--deny", "P9999"], 2),
    ] {
        let ran = check(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.err);
    }
    let short = check(&["not_run.ptx", "--deny", "P902", "--format", "short"]);
    assert!(short.out.contains("error[P902]"), "{}", short.out);
    let allowed = check(&["not_run.ptx", "--allow", "P902", "--format", "short"]);
    assert_eq!(allowed.out, "");
}

#[test]
fn folders_are_searched_and_unread_files_are_counted() {
    let folder = folder();
    let inner = folder.path().join("inner");
    std::fs::create_dir_all(inner.join(".hidden")).unwrap();
    std::fs::write(inner.join("deep.PTX"), GOOD).unwrap();
    std::fs::write(inner.join(".hidden/bad.ptx"), "ret").unwrap();
    std::fs::write(inner.join("notes.txt"), "ret").unwrap();
    let ran = margay_in(folder.path(), &["check", "inner"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), "1 file checked: 0 errors\n"));
    let ran = margay_in(folder.path(), &["check", "gone.ptx", "good.ptx"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.ends_with("1 file checked, 1 not read: 0 errors\n"), "{}", ran.err);
    std::fs::remove_file(inner.join("deep.PTX")).unwrap();
    let ran = margay_in(folder.path(), &["check", "inner"]);
    assert!(ran.code == Some(2) && ran.err.contains("no PTX files below `inner`"), "{}", ran.err);
}

#[test]
fn a_sarif_log_says_what_could_not_be_read() {
    let ran = check(&["gone.ptx", "good.ptx", "--format", "sarif"]);
    assert_eq!(ran.code, Some(2));
    let log: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let text = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap();
    assert!(text.contains("`gone.ptx`"), "{text}");
    let whole: serde_json::Value =
        serde_json::from_str(&check(&["good.ptx", "--format", "sarif"]).out).unwrap();
    assert_eq!(whole["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn a_target_without_its_prefix_is_understood_as_a_slip() {
    let ran = check(&["good.ptx", "--target", "90"]);
    assert!(ran.code == Some(2) && ran.err.contains("did you mean `sm_90`?"), "{}", ran.err);
}
