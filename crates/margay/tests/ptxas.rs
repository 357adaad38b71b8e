//! `margay ptxas` from the outside: what it prints, ends with and leaves behind, and that its output is read back.
//!
//! What NVIDIA's assembler 13.5 does in each case was seen by running it; where margay does otherwise, the test says so.

mod common;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use common::{Ran, command, margay_in};

const GOOD: &str = ".version 8.0
.target sm_80
.address_size 64
.const .u32 table[3] = {1, 2, 3};
.global .b8 bytes[8];
.visible .entry k(.param .u64 out)
{
    .shared .b32 tile[4];
    .local .b32 own[2];
    .reg .u64 %rd<3>;
    .reg .u32 %r<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

/// A wrong operand in line 6, an unknown opcode in line 8 (a line with `\\r`, and behind a comment of two lines).
const BAD: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{ .reg .u32 %r<3>;
    mov.u32 %r1, %r9; /* of two
    lines */\r
    foo.u32 %r1;
    ret;
}
";

/// A literal that is cut: a warning.
const WARNED: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k() { .reg .u32 %r<3>;
    add.u32 %r1, %r2, 0x1ffffffff;
    ret; }
";

/// A call of what another module defines.
const CALLS: &str = ".version 8.0\n.target sm_80\n.extern .func f(); .entry k() { call f; ret; }\n";

const DEVICE: &str = ".version 7.0\n.target sm_70\n.visible .func f() { ret; }\n";

const ABORTED: &str = "ptxas fatal   : Ptx assembly aborted due to errors\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in [
            ("good.ptx", GOOD),
            ("bad.ptx", BAD),
            ("warned.ptx", WARNED),
            ("calls.ptx", CALLS),
            ("device.ptx", DEVICE),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs `margay ptxas` with these words.
    fn ptxas(&self, words: &str) -> Ran {
        let words: Vec<&str> = std::iter::once("ptxas").chain(words.split_whitespace()).collect();
        margay_in(self.path(), &words)
    }

    fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).unwrap()
    }
}

#[test]
fn all_errors_are_told_in_the_assemblers_lines() {
    let folder = Folder::new();
    let ran = folder.ptxas("-arch=sm_80 bad.ptx -o out.o");
    let wanted = format!(
        "ptxas bad.ptx, line 6; error   : register `%r9` is not declared [P201]; write `%r<10>`\n\
         ptxas bad.ptx, line 8; error   : unknown instruction `foo` [P301]\n{ABORTED}"
    );
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(255), "", wanted.as_str()));
    assert!(!folder.has("out.o") && !folder.has("elf.o"));
    let ran = margay_in(folder.path(), &["check", "--format", "ptxas", "bad.ptx", "good.ptx"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(1), wanted.as_str(), ""));
}

#[test]
fn a_good_text_passes_in_silence_and_leaves_the_default_output() {
    let folder = Folder::new();
    let ran = folder.ptxas("-arch=sm_80 good.ptx");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
    let text = String::from_utf8(folder.bytes("elf.o")).unwrap();
    let head = format!("MARGAY-PTX 1\nptx 8.0\ntarget sm_80\nbytes {}\ncrc32 ", GOOD.len());
    assert!(text.starts_with(&head) && text.ends_with(&format!("\n\n{GOOD}")), "{text}");
}

/// What the assembler does with options, inputs and outputs: words, exit code, the last line but the one that says `aborted`,
/// and the output file.
#[test]
fn calls_end_as_the_assemblers_do() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("folder")).unwrap();
    let none = "";
    for (words, code, said, written) in [
        ("-arch=sm_80 good.ptx -o a.o", 0, "", "a.o"),
        ("good.ptx -arch sm_90a --output-file=b.o", 0, "", "b.o"),
        ("-arch=sm_80 -o - good.ptx", 0, "", "-"),
        ("-arch=sm_80 -o=c.o -c -v -O3 -lineinfo --fmad false -m64 good.ptx", 0, "ptxas info    : ", "c.o"),
        ("-arch=compute_80 good.ptx -o d.o", 0, "", none),
        ("-arch=lto_80 good.ptx -o e.o", 0, "", none),
        ("good.ptx", 255, "no `-arch` is given, so sm_75 is assumed", none),
        ("-arch=sm_75 good.ptx", 255, "target `sm_80` does not assemble for sm_75; give `-arch=sm_80`", none),
        (
            "-arch=sm_81 good.ptx",
            255,
            "ptxas fatal   : Value 'sm_81' is not defined for option 'gpu-name'",
            none,
        ),
        ("-arch=sm_80 --bogus good.ptx", 255, "ptxas fatal   : Unknown option '-bogus'\n", none),
        ("-arch=sm_80 missing.ptx", 255, "ptxas fatal   : cannot read `missing.ptx`: no such file", none),
        ("-arch=sm_80 folder", 255, "ptxas fatal   : cannot read `folder`: it is a folder", none),
        ("-arch=sm_80 good.ptx -o none/a.o", 255, "ptxas fatal   : cannot write `none/a.o`: no such", none),
        (
            "-arch=sm_80 good.ptx -o folder",
            255,
            "ptxas fatal   : cannot write `folder`: it is a folder",
            none,
        ),
        ("-arch=sm_80 -e k good.ptx -o f.o", 0, "", "f.o"),
        ("-arch=sm_80 -e k,l good.ptx -o g.o", 255, "ptxas fatal   : the input has no kernel `l`", none),
        ("-arch=sm_80 -arch=sm_86 good.ptx -o h.o", 0, "ptxas warning : option 'gpu-name' is given", "h.o"),
        ("-arch=sm_80 -g -O2 good.ptx -o i.o", 255, "-g goes with -O0 only", none),
        ("-arch=sm_80 -g -O0 good.ptx -o j.o", 0, "", "j.o"),
        ("-arch=sm_80 warned.ptx -o k.o", 0, "ptxas warned.ptx, line 5; warning : ", "k.o"),
        ("-arch=sm_80 -w warned.ptx -o l.o", 0, "", "l.o"),
        ("-arch=sm_80 -Werror warned.ptx -o m.o", 255, "ptxas warned.ptx, line 5; error   : ", none),
        // Beyond the assembler: devices that it has dropped, 32 bits.
        ("-arch=sm_20 good.ptx", 255, "does not assemble for sm_20", none),
        ("-arch=sm_80 -m32 good.ptx -o n.o", 0, "", "n.o"),
        // What another module defines is left to whoever links.
        (
            "-arch=sm_80 calls.ptx",
            255,
            "line 3; error   : function `f` is called, but has no body here",
            none,
        ),
        ("-arch=sm_80 calls.ptx -c -o p.o", 0, "", "p.o"),
        ("-arch=sm_80 calls.ptx --extensible-whole-program -o q.o", 0, "", "q.o"),
        // Several inputs are linked; the assembler takes them for parts of one text.
        (
            "-arch=sm_80 good.ptx calls.ptx -o o.o",
            255,
            "calls.ptx, line 3; error   : `f` is not defined in",
            none,
        ),
        (
            "-arch=sm_80 good.ptx calls.ptx -c -o r.o",
            0,
            "line 3; warning : kernel `k` is called `k$b`",
            "r.o",
        ),
        ("-arch=sm_80 calls.ptx device.ptx -o s.o", 0, "", "s.o"),
        ("-arch=sm_80 device.ptx calls.ptx -e k -o t.o", 0, "", "t.o"),
        (
            "-arch=sm_80 device.ptx device.ptx -o u.o",
            255,
            "device.ptx, line 3; error   : `f` is defined in two",
            none,
        ),
    ] {
        let ran = folder.ptxas(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{words}: {}", ran.err);
        assert!(
            if said.is_empty() { ran.err.is_empty() } else { ran.err.contains(said) },
            "{words}: {}",
            ran.err
        );
        assert!(written.is_empty() || folder.has(written), "{words}");
        let outputs =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let fresh: Vec<_> = outputs.filter(|name| !name.ends_with(".ptx") && name != "folder").collect();
        assert_eq!(fresh, if written.is_empty() { vec![] } else { vec![written] }, "{words}");
        fresh.iter().for_each(|name| fs::remove_file(folder.path().join(name)).unwrap());
    }
}

#[test]
fn all_inputs_are_judged_before_it_gives_up() {
    let folder = Folder::new();
    let ran = folder.ptxas("-arch=sm_80 bad.ptx missing.ptx -Werror warned.ptx");
    let starts = [
        "ptxas bad.ptx, line 6;",
        "ptxas bad.ptx, line 8;",
        "ptxas fatal   : cannot read",
        "ptxas warned.ptx, line 5; error   :",
        "ptxas warned.ptx, line 5; error   :",
        "ptxas fatal   : Ptx",
    ];
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!((ran.code, lines.len()), (Some(255), starts.len()), "{}", ran.err);
    assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{}", ran.err);
}

#[test]
fn texts_come_from_standard_input_and_from_the_command_line() {
    let folder = Folder::new();
    let run = |words: &[&str], file: &str| -> Ran {
        let input = fs::File::open(folder.path().join(file)).unwrap();
        command(folder.path(), words).stdin(Stdio::from(input)).output().unwrap().into()
    };
    let ran = run(&["ptxas", "-arch=sm_80", "-", "-o", "a.o"], "good.ptx");
    assert_eq!((ran.code, ran.err.as_str(), folder.has("a.o")), (Some(0), "", true));
    let ran = run(&["ptxas", "-arch=sm_80", "-"], "bad.ptx");
    assert!(ran.err.starts_with("ptxas stdin, line 6; error   : "), "{}", ran.err);
    let ran = margay_in(folder.path(), &["ptxas", "-arch=sm_80", "-ias", BAD]);
    assert!(ran.err.starts_with("ptxas application ptx input, line 6; error   : "), "{}", ran.err);
    assert_eq!(ran.code, Some(255));
}

#[test]
fn an_output_that_is_there_stays_when_something_is_wrong() {
    let folder = Folder::new();
    fs::write(folder.path().join("out.o"), "old").unwrap();
    for words in ["-arch=sm_80 bad.ptx", "-arch=sm_75 good.ptx", "-bogus", "-arch=compute_80 good.ptx"] {
        folder.ptxas(&format!("{words} -o out.o"));
        assert_eq!(folder.bytes("out.o"), b"old", "{words}");
    }
    assert_eq!(folder.ptxas("-arch=sm_80 good.ptx -o out.o").code, Some(0));
    assert!(folder.bytes("out.o").starts_with(b"MARGAY-PTX 1\n"));
}

#[test]
fn verbose_tells_what_is_known() {
    let folder = Folder::new();
    let ran = folder.ptxas("-arch=sm_86 -v good.ptx");
    let wanted = "ptxas info    : 8 bytes gmem, 12 bytes cmem[3]
ptxas info    : Checked entry function 'k' for 'sm_86'
ptxas info    : 4 instructions, 8 bytes parameters, 16 bytes smem, 8 bytes lmem
";
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), wanted));
    let unrun = ".version 8.1\n.target sm_90\n.entry k() { .reg .pred %p; .reg .u64 %rd; mov.u64 %rd, 8; multimem.red.add.u32 [%rd], 1; }\n";
    fs::write(folder.path().join("unrun.ptx"), unrun).unwrap();
    assert_eq!(folder.ptxas("-arch=sm_90 unrun.ptx").err, "");
    let ran = folder.ptxas("-arch=sm_90 -v unrun.ptx");
    assert!(
        ran.err.starts_with("ptxas unrun.ptx, line 3; info    : `multimem.red.add.u32` is legal"),
        "{}",
        ran.err
    );
}

#[test]
fn questions_about_the_assembler_are_answered_on_standard_output() {
    let folder = Folder::new();
    for words in ["--help", "-h", "", "-arch=sm_80", "-V -h"] {
        let ran = folder.ptxas(words);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words}");
        assert!(
            ran.out.contains("\n--gpu-name <gpu name>                               (-arch)\n"),
            "{words}"
        );
    }
    // Compilers find the release and the devices by such patterns.
    let version = folder.ptxas("--version").out;
    assert!(version.contains("release 13.5") && version.contains("margay"), "{version}");
    let help = folder.ptxas("--help").out;
    let devices = help.split("--gpu-name").nth(1).unwrap().split("--").next().unwrap();
    assert!(devices.contains("'sm_20'") && devices.contains("'sm_121f'") && devices.contains("'compute_75'"));
    assert!(help.lines().all(|line| line.chars().count() <= 104));
    let lines = |words: &str| -> Vec<String> { folder.ptxas(words).out.lines().map(String::from).collect() };
    let versions = lines("--list-version");
    assert_eq!((versions.len(), versions[0].as_str(), versions[48].as_str()), (49, "1.0", "9.5"));
    assert!(lines("--list-arch").contains(&"120".to_string()));
    assert_eq!(folder.ptxas("--version --bogus").code, Some(255));
}

#[cfg(unix)]
#[test]
fn called_by_the_assemblers_name_it_is_the_assembler() {
    let folder = Folder::new();
    let binary = env!("CARGO_BIN_EXE_margay");
    std::os::unix::fs::symlink(binary, folder.path().join("ptxas")).unwrap();
    fs::create_dir(folder.path().join("copied")).unwrap();
    fs::copy(binary, folder.path().join("copied/ptxas")).unwrap();
    for program in ["ptxas", "copied/ptxas"] {
        let run = |words: &[&str]| -> Ran {
            let program = folder.path().join(program);
            std::process::Command::new(program)
                .args(words)
                .current_dir(folder.path())
                .output()
                .unwrap()
                .into()
        };
        let ran = run(&["-arch=sm_80", "bad.ptx"]);
        assert_eq!((ran.code, ran.err.ends_with(ABORTED)), (Some(255), true), "{}", ran.err);
        assert_eq!(run(&["-arch=sm_80", "-c", "good.ptx", "-o", "/dev/null"]).code, Some(0));
        assert_eq!(run(&["check", "good.ptx"]).code, Some(255));
        assert!(run(&["--version"]).out.contains("release 13.5"));
    }
}

#[test]
fn what_was_written_is_read_wherever_ptx_is() {
    let folder = Folder::new();
    assert_eq!(folder.ptxas("-arch=sm_90 good.ptx -o good.o").code, Some(0));
    let run = |words: &str| margay_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
    assert_eq!(run("check good.o").code, Some(0));
    assert_eq!(run("fmt good.o").out, run("fmt good.ptx").out);
    let ran = run("run good.o --block 1 --arg out=out.raw:u32[1]");
    assert_eq!((ran.code, folder.bytes("out.raw")), (Some(0), vec![0; 4]), "{}", ran.err);
    assert_eq!(folder.ptxas("-arch=sm_90 good.o -o again.o").code, Some(0));
    assert_eq!(folder.bytes("again.o"), folder.bytes("good.o"));
    let before = folder.bytes("good.o");
    let ran = run("fmt --write good.o");
    assert_eq!((ran.code, folder.bytes("good.o") == before), (Some(2), true), "{}", ran.err);
}

#[test]
fn damaged_and_foreign_files_are_named_and_refused() {
    let folder = Folder::new();
    assert_eq!(folder.ptxas("-arch=sm_90 good.ptx -o good.o").code, Some(0));
    let whole = folder.bytes("good.o");
    let said = |bytes: &[u8]| {
        fs::write(folder.path().join("x.o"), bytes).unwrap();
        let ran = margay_in(folder.path(), &["run", "x.o"]);
        assert_eq!((ran.code, ran.err.contains("cannot read `x.o`")), (Some(2), true), "{}", ran.err);
        let assembled = folder.ptxas("-arch=sm_90 x.o");
        assert_eq!(assembled.code, Some(255), "{}", assembled.err);
        ran.err
    };
    for length in [11, 13, 30, 60, 80, whole.len() - 1] {
        assert!(said(&whole[..length]).contains("is damaged"), "{length}");
    }
    let mut changed = whole.clone();
    changed[100] ^= 1;
    assert!(said(&changed).contains("checksum"));
    let mut cubin = b"\x7fELF\x02\x01\x01\x33".to_vec();
    cubin.resize(64, 0);
    cubin[18] = 190;
    assert!(said(&cubin).contains("it is a cubin"));
    assert!(said(b"\x50\xed\x55\xba\x01\0\x10\0").contains("it is a fat binary"));
}
