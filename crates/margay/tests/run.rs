//! `margay run` on real files, and everything that can go wrong with them.

mod common;

use common::{Ran, margay_in, margay_with_input};
use std::fs;
use std::path::Path;

/// Adds 1 to each of `n` words, from one buffer to another; `k` words of a table are added too.
const KERNEL: &str = r#".version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 table[4] = {10, 20, 30, 40};
.visible .entry plus(.param .u64 from, .param .u64 to, .param .u32 n)
{
    .reg .pred %p;
    .reg .u32 %i, %n, %x;
    .reg .u64 %from, %to, %at;
    mov.u32 %i, %tid.x;
    ld.param.u32 %n, [n];
    setp.ge.u32 %p, %i, %n;
    @%p ret;
    ld.param.u64 %from, [from];
    ld.param.u64 %to, [to];
    mul.wide.u32 %at, %i, 4;
    add.u64 %from, %from, %at;
    add.u64 %to, %to, %at;
    ld.global.u32 %x, [%from];
    add.u32 %x, %x, 1;
    st.global.u32 [%to], %x;
    st.global.u32 [table], %x;
    ret;
}
"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("k.ptx", KERNEL.as_bytes());
        folder.write("in.raw", &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path().join(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// `margay run k.ptx` with these words, split at blanks.
    fn run(&self, words: &str) -> Ran {
        self.run_file("k.ptx", words)
    }

    fn run_file(&self, file: &str, words: &str) -> Ran {
        let words: Vec<&str> = ["run", file].into_iter().chain(words.split_whitespace()).collect();
        margay_in(self.path(), &words)
    }
}

const FOUR: &str = "--block 4 --arg in=in.raw --arg out=out.raw:u32[4] --arg u32=4";

#[test]
fn a_kernel_runs_on_files() {
    let folder = Folder::new();
    let ran = folder.run(FOUR);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert_eq!(folder.read("out.raw"), [2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0]);
    assert!(
        ran.err.starts_with("plus of k.ptx: grid 1, block 4\nread in.raw: u8[16]\nran 4 threads, "),
        "{}",
        ran.err
    );
    assert!(ran.err.ends_with("wrote out.raw: u32[4] 2 3 4 5 (min 2, max 5)\n"), "{}", ran.err);
    assert_eq!(folder.run(&format!("{FOUR} --quiet")).err, "");
}

#[test]
fn a_text_comes_from_standard_input_too() {
    let ran = margay_with_input(
        KERNEL.as_bytes(),
        &["run", "-", "--arg", "zero=u8[4]", "--arg", "zero=u8:4", "--arg", "u32=1"],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn npy_files_keep_type_and_shape() {
    let folder = Folder::new();
    let ran = folder.run("--block 4 --arg in=in.raw --arg out=a.npy:s32[2,2] --arg u32=4");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = folder.run("--block 4 --arg inout=a.npy:b.npy --arg zero=u32[4] --arg u32=4");
    assert!(ran.err.contains("wrote b.npy: s32[2,2] 2 3 4 5"), "{}", ran.err);
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
    let header = String::from_utf8_lossy(&folder.read("b.npy")[10..70]).into_owned();
    assert!(header.contains("'<i4'") && header.contains("(2, 2)"), "{header}");
}

#[test]
fn pictures_are_read_and_written() {
    let folder = Folder::new();
    folder.write("in.pgm", b"P5 4 1 255\n\x01\x02\x03\x04");
    let ran = folder.run("--arg inout=in.pgm:out.png --arg zero=u32[1] --arg u32=1");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = folder.run("--arg inout=out.png:again.pgm --arg zero=u32[1] --arg u32=0");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(folder.read("again.pgm"), b"P5\n4 1\n255\n\x01\x02\x03\x04");
}

#[test]
fn variables_are_loaded_and_saved() {
    let folder = Folder::new();
    let one = "--arg in=in.raw --arg out=out.raw:u32[4] --arg u32=1";
    let ran = folder.run(&format!("{one} --get table=t.npy"));
    assert!(ran.err.contains("wrote t.npy: u32[4] 2 20 30 40"), "{}", ran.err);
    let ran = folder.run(&format!("{one} --set table=in.raw --get table=t.npy"));
    assert!(ran.err.contains("wrote t.npy: u32[4] 2 2 3 4"), "{}", ran.err);
    for (words, message) in [
        ("--get tabel=x", "no variable `tabel`"),
        ("--set table=k.ptx", "variable `table` has 16"),
        ("--get table=t.png", "is not an image"),
        ("--get table", "does not name a variable"),
    ] {
        let ran = folder.run(&format!("{FOUR} {words}"));
        assert_eq!(ran.code, Some(2), "{words}");
        assert!(ran.err.contains(message), "{words}: {}", ran.err);
    }
}

#[test]
fn json_is_one_object() {
    let folder = Folder::new();
    let ran = folder.run(&format!("{FOUR} --format json"));
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!((report["entry"].as_str(), report["threads"].as_u64()), (Some("plus"), Some(4)));
    assert_eq!(report["outputs"][0]["first"], serde_json::json!([2, 3, 4, 5]));
    assert!(report["instructions"].as_u64() > Some(20) && report["error"].is_null(), "{}", ran.out);
    let ran = folder.run("--block 8 --arg in=in.raw --arg out=o.raw:u32[4] --arg u32=8 --format json");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, report["error"]["line"].as_u64()), (Some(1), Some(19)));
    assert_eq!(report["error"]["thread"], serde_json::json!([4, 0, 0]));
}

#[test]
fn a_trap_shows_the_source_lines_of_its_place_and_of_the_calls() {
    let folder = Folder::new();
    let text = ".version 8.0\n.target sm_80\n.func stop() {\n.loc 1 12 5\ntrap; }\n.entry k() {\n.loc 1 30 1\ncall stop; }\n.file 1 \"sum.cu\"";
    folder.write("loc.ptx", text.as_bytes());
    let err = margay_in(folder.path(), &["run", "loc.ptx"]).err;
    assert!(err.contains("in thread (0, 0, 0) of block (0, 0, 0), function `stop` (sum.cu:12)\n"), "{err}");
    assert!(err.contains("called here, in `k` (sum.cu:30)\n"), "{err}");
}

#[test]
fn nothing_is_written_where_a_launch_is_stopped() {
    let folder = Folder::new();
    folder.write("out.raw", b"old");
    let before = folder.names();
    let ran = folder.run("--block 8 --arg in=in.raw --arg out=out.raw:u32[8] --arg u32=8");
    assert_eq!(ran.code, Some(1));
    for part in [
        "--> k.ptx:19:5",
        "ld.global.u32 %x, [%from];",
        "in thread (4, 0, 0) of block (0, 0, 0)",
        "argument 1",
    ] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert_eq!((folder.read("out.raw"), folder.names()), (b"old".to_vec(), before));
    let ran = folder.run(&format!("{FOUR} --max-steps 10"));
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("error: kernel `plus` hit the step limit of 10 (`--max-steps`)"), "{}", ran.err);
}

#[test]
fn findings_decide_the_exit_code_and_leave_the_output() {
    let folder = Folder::new();
    // `table` is written by all threads; the first buffer has no data.
    let watched = "--block 4 --arg zero=u32[4] --arg out=out.raw:u32[4] --arg u32=4 --sanitize";
    for (options, code, errors, summary) in [
        ("memory", 0, 0, ""),
        ("init", 0, 0, "sanitizers (memory, init): nothing found\n"),
        ("race", 0, 0, "sanitizers (memory, race): nothing found\n"),
        ("memory,sync", 0, 0, "sanitizers (memory, sync): nothing found\n"),
    ] {
        let ran = folder.run(&format!("{watched} {options}"));
        assert_eq!((ran.code, ran.err.matches("error: ").count()), (Some(code), errors), "{}", ran.err);
        assert!(ran.err.ends_with(summary), "{}", ran.err);
    }
    let watched = "--block 4 --arg in=in.raw --arg inout=in.raw:out.raw --arg u32=4 --sanitize all";
    for (options, code, errors, summary) in [
        ("", 1, 1, "sanitizers (memory, race, init, sync): 1 finding, seen 3 times\n"),
        ("--error-exitcode 77", 77, 1, "seen 3 times\n"),
        ("--error-exitcode 0", 0, 1, "seen 3 times\n"),
        ("--quiet", 1, 1, ""),
        ("--print-limit 0", 1, 0, "seen 3 times\n"),
    ] {
        folder.write("out.raw", b"old");
        let ran = folder.run(&format!("{watched} {options}"));
        assert_eq!((ran.code, ran.err.matches("error: ").count()), (Some(code), errors), "{}", ran.err);
        assert!(ran.err.ends_with(summary), "{}", ran.err);
        assert_eq!(folder.read("out.raw")[..4], [2, 0, 0, 0]);
    }
    let ran = folder.run(
        "--block 4 --arg in=in.raw --arg out=o.raw:u32[2] --arg u32=4 --error-exitcode 5 --sanitize race",
    );
    assert_eq!(ran.code, Some(5));
    assert!(ran.err.contains("data race") && ran.err.contains("out of bounds"), "{}", ran.err);
    assert!(ran.err.ends_with("sanitizers (memory, race): stopped; 1 finding, seen 1 time\n"), "{}", ran.err);
}

#[test]
fn another_order_gives_an_orderly_kernel_the_same_result() {
    let folder = Folder::new();
    assert_eq!(folder.run(FOUR).code, Some(0));
    let wanted = folder.read("out.raw");
    for order in [
        "--schedule-seed 0",
        "--schedule-seed 18446744073709551615",
        "--unordered",
        "--unordered --schedule-seed 3",
    ] {
        folder.write("out.raw", b"old");
        let ran = folder.run(&format!("{FOUR} {order}"));
        assert_eq!((ran.code, folder.read("out.raw")), (Some(0), wanted.clone()), "{order}: {}", ran.err);
    }
}

#[test]
fn a_null_pointer_comes_with_a_guess() {
    let folder = Folder::new();
    let ran = folder.run("--arg u64=0 --arg zero=u32[1] --arg u32=1");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("null pointer: read of 4 bytes at 0x0"), "{}", ran.err);
    assert!(ran.err.contains("= help: a register that was never written is 0"), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_an_endless_kernel_with_its_place() {
    let folder = Folder::new();
    folder.write("loop.ptx", b".version 8.0 .target sm_80 .entry spin() {\nL:\nbra L;\n}");
    use std::io::Read;
    use std::process::{Command, Stdio};
    let mut child =
        common::command(folder.path(), &["run", "loop.ptx"]).stderr(Stdio::piped()).spawn().unwrap();
    while !common::catches_interrupts(child.id()) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{err}");
    assert!(err.contains("kernel `spin` stopped: interrupted\n --> loop.ptx:3:1"), "{err}");
}

#[test]
fn options_in_the_text_make_a_run_of_its_own() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let header = "// margay run: --block 4 --arg in=in.raw\n// margay run: --arg out='my out.raw:u32[4]' --arg u32=4\n";
    folder.write("sub/k.ptx", format!("{header}{KERNEL}").as_bytes());
    fs::copy(folder.path().join("in.raw"), folder.path().join("sub/in.raw")).unwrap();
    let ran = margay_in(folder.path(), &["run", "sub/k.ptx"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(folder.read("sub/my out.raw")[0], 2);

    let words = ["run", "sub/k.ptx", "--arg", "in=in.raw", "--arg", "out=here.raw:u32[4]", "--arg", "u32=2"];
    let ran = margay_in(folder.path(), &words);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(folder.read("here.raw")[..12], [2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn options_in_the_text_write_only_beside_it() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("sub")).unwrap();
    for out in ["../out.raw", "/tmp/margay-test-out.raw", "x/../../out.raw", "k.ptx"] {
        let text = format!("// margay run: --arg zero=u32[4] --arg out={out}:u32[4] --arg u32=4\n{KERNEL}");
        folder.write("sub/k.ptx", text.as_bytes());
        let ran = margay_in(folder.path(), &["run", "sub/k.ptx"]);
        assert_eq!(ran.code, Some(2), "{out}");
        assert!(
            ran.err.contains("leads out of") || ran.err.contains("is the PTX file itself"),
            "{out}: {}",
            ran.err
        );
        assert!(
            !Path::new("/tmp/margay-test-out.raw").exists() && folder.read("sub/k.ptx") == text.as_bytes()
        );
    }
    for (header, message) in [
        ("--arg u8=300", "k.ptx:1: in the options of `margay run:`: invalid value 'u8=300'"),
        ("--arg 'u32=1", "k.ptx:1: a quote"),
        ("--grid 0", "k.ptx:1:"),
        ("other.ptx", "k.ptx:1:"),
    ] {
        folder.write("k.ptx", format!("// margay run: {header}\n{KERNEL}").as_bytes());
        let ran = folder.run("");
        assert_eq!(ran.code, Some(2), "{header}");
        assert!(ran.err.contains(message), "{header}: {}", ran.err);
    }
}

#[test]
fn requests_that_cannot_be_carried_out_are_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("folder.npy")).unwrap();
    folder.write("empty.npy", b"");
    folder.write("empty.png", b"");
    folder.write("text.png", b"no picture");
    let before = folder.names();
    for (words, message) in [
        ("", "takes 3 arguments, but 0 are given"),
        ("--arg u32=1 --arg u32=1 --arg u32=1", "argument 1 has 4 bytes"),
        ("--arg in=missing.npy", "argument 1: cannot read `missing.npy`: no such file"),
        ("--arg in=folder.npy", "argument 1: cannot read `folder.npy`: it is a folder"),
        ("--arg in=empty.npy", "it is not a `.npy` file"),
        ("--arg in=empty.png", "it is empty"),
        ("--arg in=text.png", "it is not a PNG image"),
        ("--arg in=/dev/zero", "it is a device"),
        ("--arg out=missing/out.npy:u32[4]", "cannot write `missing/out.npy`: no such file or folder"),
        ("--arg out=folder.npy:u32[4]", "cannot write `folder.npy`: it is a folder"),
        ("--arg out=out.png:u32[4]", "is not an image"),
        ("--arg out=out.raw:u32[1099511627776]", "too large"),
        ("--arg zero=u8[18446744073709551616]", "too large"),
        ("--arg zero=u64[4294967296,4294967296]", "too large"),
        ("--arg out=a.raw:u8[1] --arg out=./a.raw:u8[1]", "would be written twice"),
        ("--arg out=k.ptx:u8[1]", "is the PTX file itself"),
        ("--arg inout=in.raw", "`inout` takes two files"),
        ("--arg 7", "`7` is not an argument"),
        ("--grid 1099511627776", "too large"),
        ("--grid 1000000000000000000000000000000", "too large"),
        ("--grid 1,2,3,4", "more than three"),
        ("--grid 1,65536", ""),
        ("--block 0", "too small"),
        ("--block 2048", ""),
        ("--block 1024,2", ""),
        ("--shared -1", "invalid value"),
        ("--shared 99999999999", ""),
        ("--max-steps x", "invalid value"),
        ("--sanitize everything", "invalid value"),
        ("--error-exitcode 256", "invalid value"),
        ("--print-limit -1", "invalid value"),
        ("--schedule-seed -1", "invalid value"),
        ("--unordered=yes", "unexpected value"),
        ("--entry minus", "no kernel `minus`"),
        ("--engine fast", "invalid value"),
        ("--simd sse", "invalid value"),
        ("--semantics nvcc", "invalid value"),
        ("--frobnicate", "unexpected argument"),
    ] {
        let rest = if words.contains("--arg") || words.is_empty() { "" } else { FOUR };
        let rest = if words.contains("--block") { rest.trim_start_matches("--block 4") } else { rest };
        let ran = folder.run(&format!("{words} {rest}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{words}: {}", ran.err);
        assert!(ran.err.contains(message), "{words}: {}", ran.err);
    }
    assert_eq!(folder.names(), before);
}

#[test]
fn an_argument_by_a_parameters_name_is_told_what_to_write() {
    let folder = Folder::new();
    const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let parameters = ".param .u64 o, .param .u32 n, .param .f32 by, .param .align 4 .b8 s[8]";
    folder.write("named.ptx", format!("{HEAD}.entry k({parameters}) {{ ret; }}\n").as_bytes());
    let order = "arguments stand in the order of the parameters, without names; write";
    for (given, help) in [
        (
            "o=u32:1",
            format!("`o` is parameter 1, a `.u64`: {order} `--arg zero=u32[1]`, or `--arg out=FILE:u32[1]`"),
        ),
        ("o=out=b.raw:u8[4]", format!("{order} `--arg out=b.raw:u8[4]`")),
        ("o=what", format!("{order} `--arg in=FILE`, `--arg out=FILE:u32[N]`")),
        ("n=-7", format!("`n` is parameter 2, a `.u32`: {order} `--arg u32=VALUE`")),
        ("n=7", format!("{order} `--arg u32=7`")),
        ("by=0.5", format!("{order} `--arg f32=0.5`")),
        ("s=0102", format!("{order} `--arg bytes=HEX`")),
        ("u33=7", "help: write `u32=7`, `bytes=HEX`, `in=FILE`".to_string()),
    ] {
        let ran = folder.run_file("named.ptx", &format!("--arg {given}"));
        let kind = given.split('=').next().unwrap();
        let message = format!("error: argument 1: unknown kind of argument `{kind}`");
        assert!(
            ran.code == Some(2) && ran.err.contains(&message) && ran.err.contains(&help),
            "{given}: {}",
            ran.err
        );
    }
    folder.write("header.ptx", format!("// margay run: --arg n=7\n{HEAD}.entry k() {{ ret; }}\n").as_bytes());
    let ran = folder.run_file("header.ptx", "");
    assert!(
        ran.err.contains("header.ptx:1: in the options of `margay run:`: unknown kind of argument `n`"),
        "{}",
        ran.err
    );
}

#[test]
fn what_looks_like_an_argument_is_told_of_the_option() {
    let folder = Folder::new();
    for (word, tip) in [
        ("u32=7", "tip: an argument of the kernel follows `--arg`: write `--arg u32=7`"),
        ("a=in.raw", "tip: arguments of the kernel are written `--arg KIND=VALUE`, such as `--arg u32=7`"),
    ] {
        let ran = folder.run(word);
        assert!(ran.code == Some(2) && ran.err.contains(tip), "{word}: {}", ran.err);
    }
    assert!(!folder.run("other.ptx").err.contains("tip"));
}

#[test]
fn the_kernel_is_chosen_by_name_where_there_are_several() {
    let folder = Folder::new();
    folder.write("k.ptx", format!("{KERNEL}.entry other() {{ ret; }}\n").as_bytes());
    let ran = folder.run("");
    assert!(ran.code == Some(2) && ran.err.contains("it has `plus`, `other`"), "{}", ran.err);
    let ran = folder.run("--entry other");
    assert!(ran.code == Some(0) && ran.err.starts_with("other of k.ptx"), "{}", ran.err);
    folder.write("k.ptx", b".version 8.0\n.target sm_80\n");
    assert!(folder.run("").err.contains("the module has no kernel"));
}

#[test]
fn errors_in_the_text_are_shown_and_nothing_runs() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNEL.replace("%x, 1;", "%y, 1;").as_bytes());
    let ran = folder.run(FOUR);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("`%y`"), "{}", ran.err);
    for text in [&b""[..], b"\0\0\0", b"\xff\xfa"] {
        folder.write("k.ptx", text);
        assert_eq!(folder.run(FOUR).code, Some(1));
    }
}

#[test]
fn forms_that_the_assembler_reads_differently_are_warned_of() {
    let folder = Folder::new();
    let text = KERNEL.replace("add.u32 %x, %x, 1;", "vadd.s32.s32.s32.sat %x.h0, %x, 1, %x;");
    folder.write("k.ptx", text.as_bytes());
    let ran = folder.run(FOUR);
    assert!(ran.err.contains("warning: k.ptx:20: `vadd.s32.s32.s32.sat`"), "{}", ran.err);
    let ran = folder.run(&format!("{FOUR} --format json --quiet"));
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((report["warnings"][0]["line"].as_u64(), ran.err.as_str()), (Some(20), ""));
}

#[test]
fn of_warnings_of_one_code_few_are_shown() {
    let folder = Folder::new();
    for (count, more) in [
        (3, ""),
        (4, "1 more warning of code `P603` not shown"),
        (9, "6 more warnings of code `P603` not shown"),
    ] {
        let reads: String =
            (0..count).map(|k| format!("@%p mov.u32 %u{k}, 1; add.u32 %x, %x, %u{k};")).collect();
        let text = KERNEL.replace("add.u32 %x, %x, 1;", &format!(".reg .u32 %u<{count}>; {reads}"));
        folder.write("k.ptx", text.as_bytes());
        let ran = folder.run(FOUR);
        assert_eq!((ran.code, ran.err.matches("warning[P603]").count()), (Some(0), 3), "{}", ran.err);
        let said = ran.err.lines().find(|line| line.contains("not shown")).unwrap_or("");
        assert_eq!(said.trim_start_matches("warning: "), more);
        assert_eq!(ran.err.contains("`margay check --format json k.ptx` tells all"), count > 3);
        assert_eq!(folder.run(&format!("{FOUR} -q")).err, "");
    }
}

/// The remarks in a report, each with its line.
fn remarks(out: &str) -> Vec<(u64, String)> {
    let report: serde_json::Value = serde_json::from_str(out).unwrap();
    let list = report["warnings"].as_array().unwrap();
    let remark = |w: &serde_json::Value| (w["line"].as_u64().unwrap(), w["message"].as_str().unwrap().into());
    list.iter().map(remark).collect()
}

#[test]
fn a_carry_that_is_read_as_a_borrow_is_warned_of_and_one_that_is_not_is_not() {
    let folder = Folder::new();
    let json = |code: &str, more: &str| {
        folder.write("k.ptx", KERNEL.replace("add.u32 %x, %x, 1;", code).as_bytes());
        remarks(&folder.run(&format!("{FOUR} --format json -q {more}")).out)
    };
    let told = json("add.cc.u32 %x, %x, 1;\nsubc.u32 %x, %x, 1;", "");
    let [(21, message)] = &told[..] else { panic!("{told:?}") };
    assert!(message.starts_with("`subc.u32` reads the carry flag of `add.cc.u32`, line 20: "), "{message}");
    assert!(message.contains("; ptxas 13.5: keeps \"no borrow\""), "{message}");
    let told = json("sub.cc.u32 %x, %x, 1;\nmadc.lo.u32 %x, %x, 1, %x;", "");
    assert!(matches!(&told[..], [(21, message)] if message.contains("`sub.cc.u32`, line 20")), "{told:?}");
    assert_eq!(json("sub.cc.u32 %x, %x, 1;\nmadc.lo.u32 %x, %x, 1, %x;", "--semantics ptxas-13.5"), []);
    assert_eq!(
        json("sub.cc.u32 %x, %x, 1; subc.u32 %x, %x, 1; add.cc.u32 %x, %x, 1; addc.u32 %x, %x, 1;", ""),
        []
    );
}

#[test]
fn functions_that_a_kernel_calls_are_warned_of_too() {
    let folder = Folder::new();
    let text = KERNEL.replace("add.u32 %x, %x, 1;", "call f;").replace(
        ".visible .entry",
        ".func f() { .reg .u32 %r; vadd.s32.s32.s32.sat %r.h0, 1, 1, 0; ret; }\n\
         .func g() { .reg .u32 %r; vadd.s32.s32.s32.sat %r.h0, 1, 1, 0; ret; }\n.visible .entry",
    );
    folder.write("k.ptx", text.as_bytes());
    let told = remarks(&folder.run(&format!("{FOUR} --format json")).out);
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn semantics_choose_the_reading() {
    let folder = Folder::new();
    let text = KERNEL.replace("add.u32 %x, %x, 1;", "vsub.s32.s32.s32.sat %x.h0, 0, 40000, 0;");
    folder.write("k.ptx", text.as_bytes());
    let first = |semantics: &str| {
        let ran = folder.run(&format!("{FOUR} --semantics {semantics}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        folder.read("out.raw")[..4].to_vec()
    };
    assert_eq!(first("manual"), [0, 0x80, 0, 0]);
    assert_eq!(first("ptxas-13.5"), [0xff, 0x7f, 0, 0]);
}

#[test]
fn approximate_functions_are_a_devices_or_correctly_rounded() {
    let folder = Folder::new();
    let code = ".reg .f32 %f<3>; mov.b32 %f1, 0x40ff82fe; rcp.approx.f32 %f2, %f1; mov.b32 %x, %f2;";
    let text = KERNEL.replace("add.u32 %x, %x, 1;", code);
    folder.write("k.ptx", text.as_bytes());
    let first = |options: &str| {
        let ran = folder.run(&format!("{FOUR} {options}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        folder.read("out.raw")[..4].to_vec()
    };
    assert_eq!(first(""), [0x9f, 0x3e, 0, 0x3e]);
    assert_eq!(first("--approx rounded"), [0xa0, 0x3e, 0, 0x3e]);
    assert_eq!(first("--semantics ptxas-13.5"), [0x9f, 0x3e, 0, 0x3e]);
    let ran = folder.run(&format!("{FOUR} --approx rounded --semantics ptxas-13.5"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`--approx` does not go with `--semantics ptxas-13.5`"), "{}", ran.err);
}

#[test]
fn the_account_says_which_engine_ran_and_why_it_was_not_the_one_asked_for() {
    let folder = Folder::new();
    for (words, engine, simd, reason) in [
        ("--simd baseline", "batch", Some("baseline"), None),
        ("--engine batch --simd baseline --max-steps 1000", "batch", Some("baseline"), None),
        ("--engine golden", "golden", None, None),
        ("--engine golden --schedule-seed 1", "golden", None, None),
        ("--schedule-seed 1", "golden", None, Some("a schedule seed was given")),
        ("--sanitize sync", "golden", None, Some("sanitizers were requested")),
    ] {
        let ran = folder.run(&format!("{FOUR} {words}"));
        let with = simd.map_or(String::new(), |simd| format!(" with {simd}"));
        let because = reason.map_or(String::new(), |reason| format!(" because {reason}"));
        let said = format!("({engine}{with}{because}, manual)");
        assert!(ran.code == Some(0) && ran.err.contains(&said), "{words}: {}", ran.err);
        let ran = folder.run(&format!("{FOUR} {words} --format json"));
        let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let found = [&report["engine"], &report["simd"], &report["engine_reason"]];
        assert_eq!(found.map(|value| value.as_str()), [Some(engine), simd, reason], "{words}");
    }
}

#[test]
fn blocks_that_another_engine_ended_are_counted() {
    let folder = Folder::new();
    let text = KERNEL.replace("add.u32 %x, %x, 1;", "call (%x), next, (%x);");
    // Functions that take memory of the stack are the golden engine's.
    let function = ".func (.reg .u32 %to) next(.reg .u32 %from) { .reg .b64 %at; alloca.u64 %at, 8;
        st.local.u32 [%at], %from; ld.local.u32 %to, [%at]; add.u32 %to, %to, 1; ret; }";
    let text = text.replacen(".entry", &format!("{function}\n.entry"), 1);
    folder.write("k.ptx", text.as_bytes());
    let ran = folder.run(&format!("{FOUR} --simd baseline"));
    assert!(ran.err.contains("(batch with baseline, 1 block by golden, manual)"), "{}", ran.err);
}

#[test]
fn the_environment_chooses_vector_instructions() {
    let folder = Folder::new();
    let run = |level: &str, words: &str| {
        let words: Vec<&str> = ["run", "k.ptx"].into_iter().chain(words.split_whitespace()).collect();
        let ran = common::command(folder.path(), &words).env("MARGAY_SIMD", level).output();
        common::Ran::from(ran.unwrap())
    };
    let ran = run("baseline", FOUR);
    assert!(ran.code == Some(0) && ran.err.contains("(batch with baseline,"), "{}", ran.err);
    let ran = run("mmx", FOUR);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("unknown level `mmx` of vector instructions in `MARGAY_SIMD`"), "{}", ran.err);
    assert_eq!(run("mmx", &format!("{FOUR} --simd baseline")).code, Some(0));
}

#[test]
fn products_are_added_unrounded_if_that_is_asked_for() {
    let folder = Folder::new();
    let code = ".reg .f32 %f<3>; mov.b32 %f1, 0x3f800800; mul.f32 %f2, %f1, %f1;\nsub.f32 %f2, %f2, 0f3F801000; mov.b32 %x, %f2;";
    let text = KERNEL.replace("add.u32 %x, %x, 1;", code);
    folder.write("k.ptx", text.as_bytes());
    for engine in ["", "--engine golden"] {
        let ran = folder.run(&format!("{FOUR} {engine}"));
        assert_eq!((ran.code, &folder.read("out.raw")[..4]), (Some(0), &[0, 0, 0, 0][..]), "{}", ran.err);
        let ran = folder.run(&format!("{FOUR} --contract {engine}"));
        assert_eq!(
            (ran.code, &folder.read("out.raw")[..4]),
            (Some(0), &[0, 0, 0x80, 0x33][..]),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("manual, contracted)"), "{}", ran.err);
    }
    let check = |options: &[&str]| margay_in(folder.path(), &[&["check", "k.ptx"], options].concat());
    let silent = check(&[]);
    assert_eq!((silent.code, silent.err.contains("P605")), (Some(0), false), "{}", silent.err);
    let told = check(&["--contract"]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(told.err.contains("note[P605]: `sub.f32` may take its product unrounded"), "{}", told.err);
    assert_eq!(check(&["--deny", "P605"]).code, Some(1));
    let lowered =
        |options: &[&str]| margay_in(folder.path(), &[&["fmt", "--lowered", "k.ptx"], options].concat()).out;
    assert!(!lowered(&[]).contains("fma.rn.f32") && lowered(&["--contract"]).contains("fma.rn.f32"));
}

#[test]
fn a_launch_tells_what_stands_behind_its_results() {
    let folder = Folder::new();
    let code = ".reg .f32 %f<3>; .reg .pred %q; mov.b32 %f1, 0x40ff82fe;\nrcp.approx.f32 %f2, %f1;\ntanh.approx.f32 %f2, %f2;\n\
                setp.lt.f32 %q, %f2, 0f00000000;\n@%q bra over;\nmov.b32 %x, %f2;\nbra done;\nover: sin.approx.f32 %f2, %f2;\ndone:";
    let text = KERNEL.replace("add.u32 %x, %x, 1;", code).replace(".target sm_50", ".target sm_80");
    folder.write("k.ptx", text.as_bytes());
    let ran = folder.run(&format!("{FOUR} --fidelity"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for line in [
        "  device: 8 executed; the device's bits, by a model validated on devices\n",
        ": rcp.approx.f32 %f2, %f1;  (4)\n",
        ": tanh.approx.f32 %f2, %f2;  (4)\n",
    ] {
        assert!(ran.err.contains(line), "{line}{}", ran.err);
    }
    assert!(!ran.err.contains("sin.approx"), "{}", ran.err);
    let ran = folder.run(&format!("{FOUR} --fidelity --approx rounded --format json"));
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let groups = report["fidelity"]["groups"].as_array().unwrap();
    let names: Vec<&str> = groups.iter().filter_map(|group| group["name"].as_str()).collect();
    assert_eq!(names, ["exact", "rounded"]);
    let plain = folder.run(&format!("{FOUR} --format json"));
    let report: serde_json::Value = serde_json::from_str(&plain.out).unwrap();
    assert!(report["fidelity"].is_null() && report["contract"] == false);
}
