//! Programs in C use the built driver, a family of functions each; those in the middle of a process, of several, and under valgrind.

mod common;

use common::{good, has, library};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a program in a folder where the driver lies by the name that programs know.
fn compiled(name: &str, folder: &Path) -> PathBuf {
    let driver = folder.join("libcuda.so.1");
    std::fs::copy(library(), &driver).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"));
    let program = folder.join(name);
    let mut compile = Command::new("cc");
    compile.args(["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror"]).arg(source).arg("-o").arg(&program);
    compile.arg(driver).arg("-lpthread").arg(format!("-Wl,-rpath,{}", folder.display()));
    good(&mut compile, &format!("cc {name}.c"));
    program
}

fn is_good(name: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    if has("cc") {
        let program = compiled(name, folder.path());
        assert_eq!(good(Command::new(program).args(arguments), name), "all good\n");
    }
}

/// A program is good, and valgrind finds nothing in it.
fn is_clean(name: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    if has("cc") {
        let program = compiled(name, folder.path());
        assert_eq!(good(Command::new(&program).args(arguments), name), "all good\n");
        if has("valgrind") {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
            valgrind.arg(program).args(arguments);
            assert_eq!(good(&mut valgrind, &format!("valgrind {name}")), "all good\n");
        }
    }
}

#[test]
fn starting_names_and_the_device() {
    is_clean("init", &[]);
}

#[test]
fn contexts() {
    is_clean("context", &[]);
}

#[test]
fn modules_libraries_kernels_and_links() {
    is_clean("module", &[]);
}

#[test]
fn memory_copies_pools_and_pointers() {
    is_clean("memory", &[]);
}

#[test]
fn memory_and_events_of_several_processes() {
    is_clean("interprocess", &[]);
}

#[test]
fn launches_streams_events_and_occupancy() {
    is_clean("launch", &[]);
}

#[test]
fn graphs_and_their_nodes() {
    let folder = tempfile::tempdir().unwrap();
    is_clean("graph", &[folder.path().join("graph.dot").to_str().unwrap()]);
}

#[test]
fn captures_of_streams() {
    is_clean("capture", &[]);
}

#[test]
fn the_log_of_what_is_told() {
    let folder = tempfile::tempdir().unwrap();
    is_good("log", &[folder.path().join("log.txt").to_str().unwrap()]);
}

#[test]
fn threads_processes_and_many_launches() {
    is_good("many", &["100000"]);
}

/// What a program does with an environment of its own.
fn with(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Option<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    if !has("cc") {
        return None;
    }
    let mut program = Command::new(compiled(name, folder.path()));
    let output = program.args(arguments).envs(environment.iter().copied()).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(output.status.success(), "{name} {arguments:?} {environment:?}: {out}{err}");
    Some((out, err))
}

#[test]
fn the_environment_chooses() {
    let settings: [(&str, &[(&str, &str)]); 14] = [
        ("device", &[]),
        ("device", &[("MARGAY_SEMANTICS", "ptxas-13.5")]),
        ("manual", &[("MARGAY_SEMANTICS", "manual")]),
        ("manual", &[("MARGAY_APPROX", "device")]),
        ("manual", &[("MARGAY_APPROX", "rounded")]),
        ("plain", &[]),
        ("plain", &[("MARGAY_CUDA_ARCH", ""), ("MARGAY_CUDA_MEMORY", "checked"), ("MARGAY_STICKY", "0")]),
        ("hopper", &[("MARGAY_CUDA_ARCH", "sm_90")]),
        ("open", &[("MARGAY_CUDA_MEMORY", "open")]),
        ("sticky", &[("MARGAY_STICKY", "1")]),
        ("open", &[("MARGAY_CUDA_MEMORY", "open"), ("MARGAY_STICKY", "1")]),
        ("rounded", &[]),
        ("rounded", &[("MARGAY_CONTRACT", "0")]),
        ("contracted", &[("MARGAY_CONTRACT", "1")]),
    ];
    for (expected, environment) in settings {
        let said = with("settings", &[expected], environment);
        // Where the manual is asked for, lines of which a device makes something else are warned of.
        let warned = |err: &str| err.contains("warning: ") == (expected == "manual");
        assert!(said.is_none_or(|(out, err)| out == "all good\n" && warned(&err)), "{expected}");
    }
    for (variable, value) in [
        ("MARGAY_CUDA_ARCH", "sm_81"),
        ("MARGAY_CUDA_MEMORY", "Open"),
        ("MARGAY_SEMANTICS", "x"),
        ("MARGAY_CONTRACT", "2"),
    ] {
        let said = with("settings", &["wrong"], &[(variable, value)]);
        let told = format!("the environment variable `{variable}` is `{value}`");
        assert!(said.is_none_or(|(_, err)| err.contains(&told)), "{variable}");
    }
}

#[test]
fn clusters_of_blocks() {
    for arch in ["sm_80", "sm_90"] {
        let way = if arch == "sm_90" { "hopper" } else { "plain" };
        let said = with("cluster", &[way], &[("MARGAY_CUDA_ARCH", arch)]);
        assert!(said.is_none_or(|(out, _)| out == "all good\n"), "{arch}");
    }
}

#[test]
fn parts_of_tensors() {
    for arch in ["sm_80", "sm_90"] {
        let way = if arch == "sm_90" { "hopper" } else { "plain" };
        let said = with("tensor", &[way], &[("MARGAY_CUDA_ARCH", arch)]);
        assert!(said.is_none_or(|(out, _)| out == "all good\n"), "{arch}");
    }
}

#[test]
fn arrays_and_their_levels() {
    is_clean("array", &[]);
}

#[test]
fn textures_and_surfaces() {
    is_clean("texture", &[]);
}

#[test]
fn references_to_textures_and_surfaces() {
    is_clean("reference", &[]);
}

/// Lines that begin with a phrase.
fn lines<'a>(text: &'a str, phrase: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(phrase)).collect()
}

#[test]
fn what_sanitizers_find_is_told_with_kernel_and_launch() {
    let Some((out, err)) = with("noted", &["findings"], &[("MARGAY_SANITIZE", "race,init")]) else { return };
    assert_eq!(out, "all good\n");
    assert_eq!(lines(&err, "launch "), ["launch 1, kernel `clash`:", "launch 8, kernel `fresh`:"], "{err}");
    let found = lines(&err, "error: ");
    assert!(found[0].starts_with("error: data race on 4 bytes"), "{err}");
    assert!(found[1].starts_with("error: read of never-written memory"), "{err}");
    assert!(err.contains("--> <ptx>:5:22") && found.len() == 2, "{err}");
    assert!(err.ends_with("margay: 4 findings in 4 launches; each place is shown once, 2 in all\n"), "{err}");
    // So is what stops a launch.
    let (_, err) = with("noted", &["ended"], &[("MARGAY_SANITIZE", "memory")]).unwrap();
    assert!(err.starts_with("launch 5, kernel `read`:\nerror: kernel `read` stopped"), "{err}");
    for environment in [&[("MARGAY_SANITIZE", "sync")][..], &[("MARGAY_SANITIZE", "")], &[]] {
        assert_eq!(with("noted", &["findings"], environment).unwrap().1, "", "{environment:?}");
    }
}

#[test]
fn profile_and_coverage_add_launches_up() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let files = [at("profile.txt"), at("p.json"), at("lines.lcov")];
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    for way in ["ended", "killed", "forked"] {
        for profile in &files[..2] {
            let both = [("MARGAY_PROFILE", profile.as_str()), ("MARGAY_COVERAGE", files[2].as_str())];
            let Some((_, err)) = with("noted", &[way, &files[2]], &both) else { return };
            assert!(!err.contains("forked off"), "{err}");
            assert!(
                err.starts_with("error: kernel `read` stopped") && lines(&err, "error").len() == 1,
                "{err}"
            );
        }
        let profile = read(&files[0]);
        let headings = lines(&profile, "kernel ");
        let ptx = headings[0].split(' ').nth(3).unwrap().trim_end_matches(':');
        assert_eq!(headings[0], format!("kernel `scale` of {ptx}: 3 launches"), "{profile}");
        // The kernels of one module stand together.
        let ended = |kernel: &str| {
            headings.iter().find(|line| line.starts_with(&format!("kernel `{kernel}` of "))).unwrap()
        };
        assert!(ended("clash").ends_with(": 1 launch"), "{profile}");
        assert!(ended("read").ends_with(": 1 launch, 1 of them stopped and not counted here"), "{profile}");
        assert_eq!(lines(&profile, "profile by").len(), headings.len() - 1, "{profile}");
        assert_eq!(headings.len(), if way == "forked" { 4 } else { 3 }, "{profile}");
        // 128 threads, three times; the line of the guard, which 100 of them pass.
        assert!(profile.contains("  384 "), "{profile}");
        let text = read(ptx);
        assert!(text.contains(".entry scale(") && ptx.starts_with(&at("profile.txt.ptx/scale-")), "{ptx}");

        let json = read(&files[1]);
        assert!(json.contains("\"kernel\": \"scale\"") && json.contains("\"launches\": 3"), "{json}");
        assert!(json.contains("\"threads\": 384") && json.contains("\"stopped\": 1"), "{json}");

        let lcov = read(&files[2]);
        let source = lines(&lcov, "SF:")[0].trim_start_matches("SF:");
        assert_eq!(read(source), text);
        assert_eq!(lines(&lcov, "FNDA:384,"), ["FNDA:384,scale"], "{lcov}");
        assert_eq!(lines(&lcov, "FNDA:0,read").len(), 1, "{lcov}");
        assert_eq!(lines(&lcov, "FNDA:1,count").len(), usize::from(way == "forked"), "{lcov}");
        let guard = text.lines().position(|line| line.contains("@%p bra end")).unwrap() + 1;
        let branch = [format!("BRDA:{guard},0,0,84"), format!("BRDA:{guard},0,1,300")];
        assert_eq!(lines(&lcov, "BRDA:"), branch, "{lcov}");
        assert_eq!(lines(&lcov, "end_of_record").len(), 2, "{lcov}");
        // Nothing unfinished is left beside them.
        let names = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.count(), 6);
    }
}

#[test]
fn files_are_named_by_process_and_written_only_where_something_ran() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("100%%-%p.txt").display().to_string();
    let named =
        || folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    if with("noted", &["idle"], &[("MARGAY_PROFILE", &file)]).is_none() {
        return;
    }
    assert_eq!(named().count(), 0);
    with("noted", &["ended"], &[("MARGAY_PROFILE", &file)]);
    let name = named().find(|name| name.ends_with(".txt")).unwrap();
    let number = name.strip_prefix("100%-").and_then(|name| name.strip_suffix(".txt")).unwrap();
    assert!(number.parse::<u32>().is_ok(), "{name}");
    let (_, err) = with("noted", &["ended"], &[("MARGAY_COVERAGE", "/dev/stderr")]).unwrap();
    assert_eq!((lines(&err, "FNDA:384,scale").len(), lines(&err, "TN:").len()), (1, 2), "{err}");
}

#[test]
fn what_the_environment_cannot_mean_is_told() {
    let wrong = [
        ("MARGAY_SANITIZE", "race,racy", "is `race,racy`, but there is no sanitizer `racy`"),
        ("MARGAY_SANITIZE", "race,", "is `race,`, but there is no sanitizer ``"),
        ("MARGAY_PROFILE", "/no/such/folder/p.txt", ": cannot write `/no/such/folder/p.txt`"),
        ("MARGAY_COVERAGE", "/", ": cannot write `/`"),
    ];
    for (variable, value, told) in wrong {
        let said = with("noted", &["wrong"], &[(variable, value)]);
        let told = match told.starts_with(':') {
            true => format!("error: the environment variable `{variable}`{told}"),
            false => format!("error: the environment variable `{variable}` {told}"),
        };
        assert!(said.is_none_or(|(_, err)| err.starts_with(&told)), "{variable}={value}");
    }
}

#[test]
fn processes_that_write_one_file_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.txt").display().to_string();
    let Some((_, err)) = with("many", &["1000"], &[("MARGAY_PROFILE", &file)]) else { return };
    let warned = format!("warning: `{file}` was written by another process, which this one replaces\n");
    assert!(err.contains(&warned) && err.contains("help: `%p` in the name"), "{err}");
    let (_, err) = with("many", &["1000"], &[("MARGAY_PROFILE", &file.replace("p.txt", "%p.txt"))]).unwrap();
    assert!(!err.contains("warning"), "{err}");
    // What an earlier run has left is nobody's.
    let (_, err) = with("noted", &["ended"], &[("MARGAY_PROFILE", &file)]).unwrap();
    assert!(!err.contains("another process"), "{err}");
}

#[test]
fn profile_and_coverage_cannot_be_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("both.txt").display().to_string();
    let both = [("MARGAY_PROFILE", file.as_str()), ("MARGAY_COVERAGE", file.as_str())];
    let told = format!("error: `MARGAY_PROFILE` and `MARGAY_COVERAGE` both name the file `{file}`\n");
    assert!(with("noted", &["wrong"], &both).is_none_or(|(_, err)| err.starts_with(&told)));
}

#[test]
fn what_kernels_print_and_how_they_go_wrong_is_told() {
    let Some((out, err)) = with("printing", &[], &[]) else { return };
    assert_eq!(out, "before\nhi\nhi\nafter\n");
    assert!(
        err.starts_with("error: kernel `read` stopped: near-null address: read of 4 bytes at 0x8"),
        "{err}"
    );
    assert!(err.contains("--> <ptx>:"), "{err}");
}
