//! `margay fmt` on many files, as a user meets it.

mod common;

use common::margay_in;

const UGLY: &str = ".version 8.0\n.target sm_80\n.entry k() { ret; }\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    for name in ["in/a.ptx", "in/b.ptx", "bad.ptx"] {
        std::fs::write(folder.path().join(name), UGLY).unwrap();
    }
    std::fs::write(folder.path().join("bad.ptx"), "ret").unwrap();
    let pretty = margay_in(folder.path(), &["fmt", "in/b.ptx"]).out;
    std::fs::write(folder.path().join("in/b.ptx"), pretty).unwrap();
    folder
}

#[test]
fn files_whose_layout_differs_are_named() {
    let folder = folder();
    let ran = margay_in(folder.path(), &["fmt", "--check", "in"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "would reformat: in/a.ptx\n"));
    let ran = margay_in(folder.path(), &["fmt", "--check", "in/b.ptx"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    let ran = margay_in(folder.path(), &["fmt", "--check", "gone.ptx", "in"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.contains("in/a.ptx") && ran.err.contains("`gone.ptx`"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_would_change_is_shown_as_a_diff() {
    let folder = folder();
    let ran = margay_in(folder.path(), &["fmt", "--diff", "in"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.starts_with("--- in/a.ptx\n+++ in/a.ptx\n@@ "), "{}", ran.out);
    assert!(ran.out.contains("-.entry k() { ret; }\n"), "{}", ran.out);
    assert_eq!(std::fs::read_to_string(folder.path().join("in/a.ptx")).unwrap(), UGLY);
}

#[test]
fn folders_are_written_back_and_what_cannot_be_read_is_left() {
    let folder = folder();
    let ran = margay_in(folder.path(), &["fmt", "--write", "."]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("bad.ptx")).unwrap(), "ret");
    assert_eq!(margay_in(folder.path(), &["fmt", "--check", "in"]).code, Some(0));
    let ran = margay_in(folder.path(), &["fmt", "in"]);
    assert!(ran.code == Some(2) && ran.err.contains("2 files cannot be printed"), "{}", ran.err);
}
