//! What `margay run` tells people and programs of a launch, and of one that cannot be.

mod common;

use common::{Ran, command, margay_in};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Stores 7 at its second buffer.
const BODY: &str = ".entry seven(.param .u64 from, .param .u64 to, .param .u32 n) {
.reg .u64 %to; ld.param.u64 %to, [to]; st.global.u8 [%to], 7; ret; }";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("k.ptx", format!("{HEAD}{BODY}").as_bytes());
        folder.write("in.raw", &[1; 16]);
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path().join(name), bytes).unwrap();
    }

    fn run(&self, words: &str) -> Ran {
        let words: Vec<&str> = ["run"].into_iter().chain(words.split_whitespace()).collect();
        margay_in(self.path(), &words)
    }
}

#[test]
fn a_forgotten_address_size_is_named() {
    let folder = Folder::new();
    folder.write("n.ptx", format!("{}{BODY}", HEAD.replace(".address_size 64\n", "")).as_bytes());
    for (file, words, message) in [
        (
            "n.ptx",
            "--arg in=in.raw --arg zero=u8[4] --arg u32=1",
            "argument 1 is a buffer, and addresses have 32 bits here: the module does not say `.address_size 64`",
        ),
        (
            "n.ptx",
            "--arg u64=0 --arg zero=u8[4] --arg u32=1",
            "argument 2 is a buffer, and addresses have 32 bits here",
        ),
        (
            "k.ptx",
            "--arg in=in.raw --arg zero=u8[4] --arg in=in.raw",
            "argument 3 is a buffer, but `.u32 n` takes a value of 4 bytes",
        ),
        (
            "k.ptx",
            "--arg u32=1 --arg zero=u8[4] --arg u32=1",
            "argument 1 has 4 bytes, but `.u64 from` has 8",
        ),
    ] {
        let ran = folder.run(&format!("{file} {words}"));
        assert_eq!(ran.code, Some(2), "{words}");
        assert!(ran.err.contains(message), "{words}: {}", ran.err);
    }
}

#[test]
fn what_was_read_is_told() {
    let folder = Folder::new();
    folder.write("in.pgm", b"P5 2 3 255\nabcdef");
    let ran = folder.run("k.ptx --arg in=in.pgm --arg out=out.npy:u16[2,2] --arg u32=1");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(lines[..2], ["seven of k.ptx: grid 1, block 1", "read in.pgm: u8[3,2]"], "{}", ran.err);
    let ran = folder.run("k.ptx --arg in=out.npy --arg out=o.raw:u8[1] --arg u32=1 --format json");
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["inputs"], json!([{"file": "out.npy", "type": "u16", "shape": [2, 2]}]));
}

#[test]
fn a_name_in_a_header_is_told_as_it_is_written() {
    let folder = Folder::new();
    let header = "// margay run: --arg in=in.raw --arg out=out.raw:u8[4] --arg u32=1\n";
    folder.write("k.ptx", format!("{header}{HEAD}{BODY}").as_bytes());
    let ran = folder.run("k.ptx");
    for line in ["seven of k.ptx: ", "\nread in.raw: ", "\nwrote out.raw: "] {
        assert!(format!("\n{}", ran.err).contains(line), "{}", ran.err);
    }
}

#[test]
fn an_input_can_be_held_to_a_type() {
    let folder = Folder::new();
    folder.write("named:u8", &[1; 3]);
    assert_eq!(folder.run("k.ptx --arg in=in.raw --arg out=a.npy:s16[2,2] --arg u32=1").code, Some(0));
    for (input, told) in [
        ("a.npy:s16", "read a.npy: s16[2,2]"),
        ("a.npy:s16[2,2]", "read a.npy: s16[2,2]"),
        ("in.raw:u32", "read in.raw: u32[4]"),
        ("in.raw:f64[2,1]", "read in.raw: f64[2,1]"),
        ("named:u8", "read named:u8: u8[3]"),
        ("a.npy:u16", "argument 1: `a.npy` holds `s16[2,2]`, not `u16`"),
        ("a.npy:s16[4]", "argument 1: `a.npy` holds `s16[2,2]`, not `s16[4]`"),
        ("in.raw:u8[15]", "argument 1: `in.raw` holds `u8[16]`, not `u8[15]`"),
        ("named:u8:u16", "argument 1: `named:u8` holds `u8[3]`, not `u16`"),
        ("none.npy:u8", "argument 1: cannot read `none.npy`: no such file or folder"),
    ] {
        let ran = folder.run(&format!("k.ptx --arg in={input} --arg zero=u8[1] --arg u32=1"));
        assert!(ran.err.contains(told), "{input}: {}", ran.err);
        assert_eq!(ran.code, Some(if told.starts_with("read") { 0 } else { 2 }), "{input}");
    }
}

#[test]
fn forgotten_dynamic_shared_memory_is_named() {
    let folder = Folder::new();
    let body = ".extern .shared .align 4 .b8 rows[];\n.entry k() { .reg .u32 %a; mov.u32 %a, rows; st.shared.u32 [%a+8], 1; ret; }";
    for (name, text) in [
        ("d.ptx", body.to_string()),
        (
            "s.ptx",
            format!(".shared .align 4 .b8 fixed[64];\n{}", body.replace("ret;", "mov.u32 %a, fixed; ret;")),
        ),
    ] {
        folder.write(name, format!("{HEAD}{text}").as_bytes());
        for engine in ["batch", "golden"] {
            let ran = folder.run(&format!("{name} --engine {engine}"));
            assert!(ran.err.contains("`margay run --shared BYTES`"), "{name}, {engine}: {}", ran.err);
            assert_eq!(folder.run(&format!("{name} --engine {engine} --shared 64")).code, Some(0));
        }
    }
}

#[test]
fn programs_get_one_object_where_nothing_is_launched() {
    let folder = Folder::new();
    folder.write("wrong.ptx", format!("{HEAD}.entry k() {{ retn; add.u32 %a, 1, 2; }}").as_bytes());
    let header = "// margay run: --format json --arg in=/etc/passwd\n";
    folder.write("header.ptx", format!("{header}{HEAD}{BODY}").as_bytes());
    let object = |words: &str, code: i32| -> Value {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(code), "{words}: {}", ran.err);
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{words}: {error}: {}", ran.out))
    };
    let wrong = object("wrong.ptx --format json", 1);
    let found = wrong["diagnostics"].as_array().unwrap();
    assert_eq!((wrong["file"].as_str(), found.len()), (Some("wrong.ptx"), 2));
    assert_eq!(wrong["error"]["message"], "2 errors in the PTX");
    assert_eq!(
        (found[0]["severity"].as_str(), found[0]["labels"][0]["line"].as_u64()),
        (Some("error"), Some(4))
    );
    for (words, message) in [
        ("k.ptx --format json", "takes 3 arguments, but 0 are given"),
        ("none.ptx --format json", "no such file"),
        ("k.ptx --entry no --format json", "no kernel `no`"),
        ("k.ptx --arg in=none --format json", "cannot read `none`"),
        ("header.ptx", "leads out of"),
        ("k.ptx --format json --arg in=in.raw --arg out=/dev/full:u8[4] --arg u32=1 --max-steps 0", ""),
    ] {
        let code = if message.is_empty() { 1 } else { 2 };
        let refused = object(words, code);
        assert!(refused["error"]["message"].as_str().unwrap().contains(message), "{words}: {refused}");
    }
}

#[cfg(unix)]
#[test]
fn names_of_files_do_not_reach_the_terminal_as_they_are() {
    let folder = Folder::new();
    let name = "z\u{1b}[31mb.ptx";
    folder.write(name, format!("{HEAD}.entry k() {{ retn; }}").as_bytes());
    folder.write("good\u{1b}[31m.ptx", format!("// margay run: --grid 0\n{HEAD}{BODY}").as_bytes());
    folder.write("run\u{7}.ptx", format!("{HEAD}{BODY}").as_bytes());
    for words in [
        &["check", name] as &[&str],
        &["check", "--format", "short", name],
        &["check", "no\u{1b}[31mpe.ptx"],
        &["run", name],
        &["run", "no\u{1b}[31mpe.ptx"],
        &["run", "good\u{1b}[31m.ptx"],
        &[
            "run",
            "run\u{7}.ptx",
            "--arg",
            "in=in.raw",
            "--arg",
            "out=\u{1b}[31mo.raw:u8[4]",
            "--arg",
            "u32=1",
        ],
        &["run", "k.ptx", "--arg", "in=\u{1b}[31mx"],
        &["run", "k.ptx", "--arg", "\u{1b}[31mx"],
        &["run", "k.ptx", "\u{1b}[31mx"],
        &["fmt", "no\u{1b}[31mpe.ptx"],
    ] {
        for color in ["always", "never"] {
            let ran = margay_in(folder.path(), &[words, &["--color", color]].concat());
            let shown = format!("{}{}", ran.out, ran.err);
            assert!(!shown.contains("\u{1b}[31mb") && !shown.contains("\u{1b}[31mpe"), "{words:?}: {shown}");
            assert!(!shown.contains("\u{1b}[31mo") && !shown.contains("\u{1b}[31mx"), "{words:?}: {shown}");
            assert!(!shown.contains("\u{1b}[31m.ptx") && !shown.contains('\u{7}'), "{words:?}: {shown}");
            assert!(shown.contains(r"\u{1b}[31m") || shown.contains(r"\u{7}"), "{words:?}: {shown}");
        }
    }
}

#[test]
fn the_environment_says_whether_there_is_colour() {
    let folder = Folder::new();
    let colored = |variables: &[(&str, &str)], words: &[&str]| {
        let mut command = command(folder.path(), words);
        let ran: Ran = command.envs(variables.iter().copied()).output().unwrap().into();
        (ran.out + &ran.err).contains('\u{1b}')
    };
    for words in
        [&["check", "none.ptx"] as &[&str], &["explain", "vadd4"], &["run", "--nonsense"], &["--help"]]
    {
        assert!(!colored(&[], words), "{words:?}");
        assert!(colored(&[("FORCE_COLOR", "1")], words), "{words:?}");
        assert!(!colored(&[("FORCE_COLOR", "")], words), "{words:?}");
        assert!(!colored(&[("FORCE_COLOR", "0")], words), "{words:?}");
        assert!(!colored(&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], words), "{words:?}");
    }
    assert!(!colored(&[("FORCE_COLOR", "1")], &["check", "none.ptx", "--color", "never"]));
}

#[test]
fn an_empty_variable_is_unset() {
    let folder = Folder::new();
    let words = ["run", "k.ptx", "--arg", "in=in.raw", "--arg", "zero=u8[4]", "--arg", "u32=1"];
    let ran: Ran = command(folder.path(), &words).env("MARGAY_SIMD", "").output().unwrap().into();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}
