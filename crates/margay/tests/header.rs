//! What the header of a PTX file may do to files, and what it may not.

mod common;

use common::{Ran, command, margay_in};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// Writes 7 to the first byte of its second buffer.
const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
.global .align 4 .u8 table[4];
.visible .entry seven(.param .u64 from, .param .u64 to)
{
    .reg .u64 %to;
    ld.param.u64 %to, [to];
    st.global.u8 [%to], 7;
    ret;
}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("in.raw", b"in");
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let file = self.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path().join(name)).ok()
    }

    /// Writes `k.ptx` with these options in its header.
    fn kernel(&self, header: &str) {
        self.write("k.ptx", format!("// margay run: {header}\n{KERNEL}").as_bytes());
    }

    /// Runs `k.ptx` with these options in its header, and these words.
    fn run(&self, header: &str, words: &[&str]) -> Ran {
        self.kernel(header);
        margay_in(self.path(), &[&["run", "k.ptx"], words].concat())
    }

    /// All files below the folder, with their contents.
    fn all(&self) -> Vec<(String, Vec<u8>)> {
        fn walk(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let metadata = fs::symlink_metadata(&path).unwrap();
                let bytes = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
                found.push((path.display().to_string(), bytes));
                if metadata.is_dir() {
                    walk(&path, found);
                }
            }
        }
        let mut found = Vec::new();
        walk(self.path(), &mut found);
        found.sort();
        found
    }
}

fn out(name: &str) -> String {
    format!("--arg in=in.raw --arg 'out={name}:u8[4]'")
}

/// Runs the header and demands that it is refused for this reason, with nothing touched.
fn refused(folder: &Folder, header: &str, reason: &str) {
    folder.kernel(header);
    let before = folder.all();
    let ran = margay_in(folder.path(), &["run", "k.ptx"]);
    assert_eq!(ran.code, Some(2), "{header}: {}", ran.err);
    assert!(ran.err.contains(reason), "{header}: {}", ran.err);
    assert!(folder.all() == before, "{header}: files were touched");
}

#[test]
fn a_header_writes_new_data_and_replaces_it_again() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("sub")).unwrap();
    for name in ["a.npy", "a.pgm", "./a.png", "sub/a.raw", "a.BIN", "my a.txt"] {
        let shape = if name.contains(".p") { "u8[2,2]" } else { "u8[4]" };
        let header = format!("--arg in=in.raw --arg 'out={name}:{shape}'");
        for time in 0..3 {
            let ran = folder.run(&header, &[]);
            assert_eq!(
                (ran.code, ran.err.contains("warning")),
                (Some(0), false),
                "{name}, {time}: {}",
                ran.err
            );
        }
        assert!(folder.read(name).is_some_and(|bytes| name.ends_with("png") || bytes.contains(&7)), "{name}");
    }
    // What the command line wrote is an output, too.
    let words = ["--arg", "in=in.raw", "--arg", "out=b.raw:u8[4]"];
    assert_eq!(folder.run("", &words).code, Some(0));
    assert_eq!(folder.run(&out("b.raw"), &[]).code, Some(0));
    assert_eq!(folder.run("--arg in=in.raw --arg zero=u8[1] --get table=b.raw", &[]).code, Some(0));
    assert_eq!(folder.read("b.raw"), Some(vec![0; 4]));
}

#[test]
fn a_header_touches_nothing_else() {
    let folder = Folder::new();
    for name in [".bashrc", ".ssh/authorized_keys", "Makefile", "mine.txt", "sub/mine.npy", "K.PTX"] {
        folder.write(name, b"mine");
    }
    for (name, reason) in [
        (".bashrc", "begins with a dot"),
        (".new.npy", "begins with a dot"),
        (".ssh/authorized_keys", "begins with a dot"),
        (".ssh/x.npy", "begins with a dot"),
        ("sub/.x/y.npy", "begins with a dot"),
        ("Makefile", "does not end in"),
        ("conftest.py", "does not end in"),
        ("build.rs", "does not end in"),
        ("K.PTX", "does not end in"),
        ("k.ptx", "is the PTX file itself"),
        ("CMakeLists.txt", "build tools obey"),
        ("mine.txt", "is there already"),
        ("sub/mine.npy", "is there already"),
        ("in.raw", "is there already"),
        ("../x.npy", "leads out of"),
        ("sub/../x.npy", "leads out of"),
        ("/tmp/margay-header.npy", "leads out of"),
        ("/dev/null", "leads out of"),
        ("sub", "does not end in"),
        ("none/x.npy", "no such file or folder"),
    ] {
        refused(&folder, &out(name), reason);
        refused(&folder, &format!("--arg inout=in.raw:{name} --arg zero=u8[1]"), reason);
        let get = format!("--arg in=in.raw --arg zero=u8[1] --get table={name}");
        refused(&folder, &get, reason);
    }
    refused(&folder, "--arg inout=in.raw:in.raw --arg zero=u8[1]", "is there already");
}

#[test]
fn what_was_changed_since_is_not_replaced() {
    let folder = Folder::new();
    let header = out("a.txt");
    let again = || {
        let _ = fs::remove_file(folder.path().join("a.txt"));
        let ran = folder.run(&header, &[]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    };
    again();
    folder.write("a.txt", b"mine");
    refused(&folder, &header, "is there already");
    again();
    // Written anew with the same size, by a rename.
    folder.write("b", &[7, 0, 0, 0]);
    fs::rename(folder.path().join("b"), folder.path().join("a.txt")).unwrap();
    refused(&folder, &header, "is there already");
    again();
    // A copy under another name was written by no launch.
    fs::copy(folder.path().join("a.txt"), folder.path().join("copy.txt")).unwrap();
    refused(&folder, &out("copy.txt"), "is there already");
    // What a launch reads is not its output, whoever wrote it.
    refused(&folder, "--arg in=a.txt --arg out=a.txt:u8[4]", "read by the same launch");
    refused(&folder, "--arg inout=a.txt:a.txt --arg zero=u8[1]", "read by the same launch");
}

#[cfg(unix)]
#[test]
fn links_modes_and_further_names_do_not_help_a_header() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (folder, outside) = (Folder::new(), Folder::new());
    let place = |name: &str| folder.path().join(name);
    folder.kernel(&out("a.npy"));
    for name in ["a.raw", "tool.bin"] {
        assert_eq!(folder.run(&out(name), &[]).code, Some(0));
    }
    fs::set_permissions(place("tool.bin"), PermissionsExt::from_mode(0o755)).unwrap();
    refused(&folder, &out("tool.bin"), "is executable");
    fs::hard_link(place("k.ptx"), place("kernel.txt")).unwrap();
    refused(&folder, &out("kernel.txt"), "is the PTX file itself");
    fs::hard_link(place("a.raw"), place("b.raw")).unwrap();
    refused(&folder, "--arg in=b.raw --arg out=a.raw:u8[4]", "read by the same launch");
    symlink(outside.path(), place("way")).unwrap();
    symlink(outside.path().join("in.raw"), place("c.raw")).unwrap();
    symlink(outside.path().join("new.raw"), place("d.raw")).unwrap();
    symlink("in.raw", place("e.raw")).unwrap();
    symlink("Makefile", place("f.raw")).unwrap();
    for (name, reason) in [
        ("way/x.raw", "leads out of"),
        ("c.raw", "leads out of"),
        ("d.raw", "leads out of"),
        ("e.raw", "is there already"),
        ("f.raw", "does not end in"),
    ] {
        refused(&folder, &out(name), reason);
    }
    for (name, reason) in [("way/in.raw", "leads out of"), ("c.raw", "leads out of")] {
        refused(&folder, &format!("--arg in={name} --arg zero=u8[1]"), reason);
        refused(&folder, &format!("--arg zero=u8[1] --arg zero=u8[1] --set table={name}"), reason);
    }
    assert_eq!(outside.all().len(), 1);
    // A pipe that nobody writes to would never end.
    let made = std::process::Command::new("mkfifo").arg(place("pipe.raw")).status().unwrap();
    assert!(made.success());
    refused(&folder, "--arg in=pipe.raw --arg zero=u8[1]", "is not a plain file");
    refused(&folder, &out("pipe.raw"), "is not a plain file");
}

#[test]
fn a_header_reads_plain_files_in_its_folder() {
    let folder = Folder::new();
    folder.write(".ssh/id_rsa", b"key");
    folder.write("sub/in.raw", b"in");
    for (name, reason) in [
        ("/etc/passwd", "leads out of"),
        ("../in.raw", "leads out of"),
        ("sub/../in.raw", "leads out of"),
        ("/dev/zero", "leads out of"),
        (".ssh/id_rsa", "begins with a dot"),
        ("sub", "is not a plain file"),
        ("none.npy", "no such file or folder"),
    ] {
        refused(&folder, &format!("--arg in={name} --arg out=x.raw:u8[4]"), reason);
        refused(&folder, &format!("--arg zero=u8[1] --arg out=x.raw:u8[4] --set table={name}"), reason);
        refused(&folder, &format!("--arg inout={name}:x.raw --arg zero=u8[1]"), reason);
    }
    let ran = folder.run("--arg in=./sub/in.raw --arg out=x.raw:u8[4]", &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn the_command_line_is_the_users_own() {
    let folder = Folder::new();
    folder.write("mine.txt", b"mine");
    folder.kernel("--grid 2");
    let ran =
        margay_in(folder.path(), &["run", "k.ptx", "--arg", "in=.bashrc", "--arg", "out=.bashrc:u8[4]"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    for name in ["mine.txt", ".bashrc", "Makefile"] {
        let file = format!("out={name}:u8[4]");
        let ran = margay_in(folder.path(), &["run", "k.ptx", "--arg", "in=in.raw", "--arg", &file]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(folder.read(name), Some(vec![7, 0, 0, 0]));
    }
}

#[test]
fn a_trusted_header_may_do_more_but_not_leave_its_folder() {
    let folder = Folder::new();
    folder.write("sub/mine.txt", b"mine");
    folder.write("sub/.hidden", b"mine");
    let run = |header: &str| {
        folder.write("sub/k.ptx", format!("// margay run: {header}\n{KERNEL}").as_bytes());
        margay_in(folder.path(), &["run", "sub/k.ptx", "--trust-header"])
    };
    for name in ["mine.txt", ".hidden", "new"] {
        let ran = run(&format!("--arg in=../in.raw --arg out={name}:u8[4]"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(folder.read(&format!("sub/{name}")), Some(vec![7, 0, 0, 0]));
    }
    for name in ["../x.npy", "/tmp/margay-header.npy", "k.ptx"] {
        assert_eq!(run(&format!("--arg in=../in.raw --arg out={name}:u8[4]")).code, Some(2), "{name}");
    }
    let ran = folder.run("--grid 1 --trust-header", &[]);
    assert!(ran.err.contains("unexpected argument '--trust-header'"), "{}", ran.err);
}

fn piped(folder: &Folder, words: &[&str]) -> Ran {
    let mut child = command(folder.path(), &[&["run"], words].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = folder.read("k.ptx").unwrap();
    let _ = child.stdin.take().unwrap().write_all(&text);
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_stream_has_no_header() {
    let folder = Folder::new();
    folder.kernel(&out("x.raw"));
    let streams: &[&str] =
        if cfg!(target_os = "linux") { &["-", "/dev/stdin", "/proc/self/fd/0"] } else { &["-"] };
    for stream in streams {
        let ran = piped(&folder, &[stream]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("takes 2 arguments, but 0 are given"), "{}", ran.err);
        assert!(ran.err.contains("`--trust-header` obeys them"), "{}", ran.err);
        assert_eq!(folder.read("x.raw"), None);
        let own = ["--arg", "in=in.raw", "--arg", "out=y.raw:u8[4]"];
        let ran = piped(&folder, &[&[*stream], own.as_slice()].concat());
        assert_eq!((ran.code, ran.err.contains("warning")), (Some(0), true), "{}", ran.err);
        let ran = piped(&folder, &[&[*stream, "--no-header"], own.as_slice()].concat());
        assert_eq!((ran.code, ran.err.contains("warning")), (Some(0), false), "{}", ran.err);
    }
    let ran = piped(&folder, &["-", "--trust-header"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(folder.read("x.raw").is_some());
    let json = piped(&folder, &["-", "--format", "json", "--arg", "in=in.raw", "--arg", "out=y.raw:u8[4]"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["warnings"][0]["line"], 1);
    // A file that comes in by redirection is a stream all the same.
    let file = fs::File::open(folder.path().join("k.ptx")).unwrap();
    let ran: Ran = command(folder.path(), &["run", "/dev/stdin"]).stdin(file).output().unwrap().into();
    assert!(!cfg!(target_os = "linux") || ran.err.contains("`--trust-header` obeys them"), "{}", ran.err);
}

#[test]
fn a_header_can_be_left_aside() {
    let folder = Folder::new();
    folder.kernel(&format!("{} --grid nonsense 'and a quote", out("x.raw")));
    let own = ["run", "k.ptx", "--arg", "in=in.raw", "--arg", "out=y.raw:u8[4]"];
    assert_eq!(margay_in(folder.path(), &own).code, Some(2));
    let ran = margay_in(folder.path(), &[own.as_slice(), &["--no-header"]].concat());
    assert_eq!((ran.code, folder.read("x.raw")), (Some(0), None), "{}", ran.err);
    let ran = margay_in(folder.path(), &["run", "k.ptx", "--no-header", "--trust-header"]);
    assert!(ran.err.contains("cannot be used with"), "{}", ran.err);
}

#[test]
fn without_a_place_for_records_outputs_are_written_with_a_warning() {
    let folder = Folder::new();
    folder.write("plain", b"");
    folder.kernel(&out("x.raw"));
    let run = || -> Ran {
        let state = folder.path().join("plain");
        let mut command = command(folder.path(), &["run", "k.ptx"]);
        command.env("XDG_STATE_HOME", state).output().unwrap().into()
    };
    let ran = run();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("warning: it could not be recorded that `x.raw` is an output"), "{}", ran.err);
    assert!(run().err.contains("is there already"));
}
