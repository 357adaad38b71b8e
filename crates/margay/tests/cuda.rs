//! `margay cuda` and `margay cuda-path`, as a user meets them. The driver here is a file with what tells it from NVIDIA's.

#![cfg(target_os = "linux")]

mod common;

use common::{Ran, command};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder with the command in `bin` and a driver in `driver`.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        for folder in ["bin", "driver", "lib/margay"] {
            fs::create_dir_all(place.at(folder)).unwrap();
        }
        // The command finds itself by this name.
        fs::hard_link(env!("CARGO_BIN_EXE_margay"), place.at("bin/margay")).unwrap();
        place.put("driver/libcuda.so", "… MARGAY_CUDA_ARCH …");
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.at(name), text).unwrap();
    }

    /// The command, which nobody tells where the driver lies.
    fn command(&self, words: &[&str]) -> Command {
        let mut ours = Command::new(self.at("bin/margay"));
        let like = command(self.0.path(), &[]);
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => ours.env(name, value),
                None => ours.env_remove(name),
            };
        }
        for name in
            ["MARGAY_CUDA_ARCH", "MARGAY_SANITIZE", "MARGAY_CUDA_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD"]
        {
            ours.env_remove(name);
        }
        ours.args(words)
            .current_dir(self.0.path())
            .env("XDG_CACHE_HOME", self.at("cache"))
            .stdin(Stdio::null());
        ours
    }

    fn output(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    fn margay(&self, words: &[&str]) -> Ran {
        self.output(words).into()
    }

    /// The same with the driver.
    fn with_driver(&self, words: &[&str]) -> Ran {
        self.command(words).env("MARGAY_CUDA_PATH", self.at("driver")).output().unwrap().into()
    }
}

#[test]
fn without_a_driver_it_is_said_how_one_is_built() {
    let place = Place::new();
    for words in [&["cuda-path"][..], &["cuda", "--", "true"]] {
        let ran = place.margay(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.starts_with("error: margay's driver, `libcuda.so.1`, is not there\nhelp: `cargo build -p margay-cuda --release`"), "{}", ran.err);
    }
    assert!(!place.at("cache").exists());
}

#[test]
fn the_driver_lies_beside_the_command() {
    let place = Place::new();
    for name in ["bin/libcuda.so", "lib/margay/libcuda.so", "lib/margay/libcuda.so.1", "bin/libcuda.so.1"] {
        // The last one of these that was put there is the first that is looked for.
        if name == "lib/margay/libcuda.so" {
            fs::remove_file(place.at("bin/libcuda.so")).unwrap();
        }
        place.put(name, name);
        let ran = place.margay(&["cuda-path"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}");
        let folder = Path::new(ran.out.strip_suffix('\n').unwrap());
        assert_eq!(fs::read_to_string(folder.join("libcuda.so.1")).unwrap(), name);
        assert_eq!(folder == place.at(name).parent().unwrap(), name.ends_with(".1"), "{name}: {folder:?}");
        assert_eq!(place.margay(&["cuda-path"]).out, ran.out, "{name}");
    }
}

#[test]
fn the_environment_names_a_folder_or_the_file() {
    let place = Place::new();
    place.put("bin/libcuda.so.1", "another");
    for given in ["driver", "driver/libcuda.so"] {
        for form in [Path::new(given), &place.at(given)] {
            let ran: Ran =
                place.command(&["cuda-path"]).env("MARGAY_CUDA_PATH", form).output().unwrap().into();
            let file = Path::new(ran.out.trim_end()).join("libcuda.so.1");
            assert_eq!(file.canonicalize().unwrap(), place.at("driver/libcuda.so"), "{form:?}: {}", ran.err);
        }
    }
    place.put("driver/other", "NVIDIA's own");
    let wrong = [
        ("nowhere", "`nowhere`, but there is no driver"),
        ("lib/margay", "`lib/margay`, but there is no driver"),
        ("driver/other", "`driver/other`, but the driver there is not margay's"),
    ];
    for (given, told) in wrong {
        let ran: Ran =
            place.command(&["cuda", "true"]).env("MARGAY_CUDA_PATH", given).output().unwrap().into();
        let told =
            format!("error: the environment variable `MARGAY_CUDA_PATH` is {told}\nhelp: name the folder");
        assert!(ran.code == Some(2) && ran.err.starts_with(&told), "{}", ran.err);
    }
}

/// What the program sees of a variable.
fn seen<'a>(out: &'a str, variable: &str) -> Option<&'a str> {
    out.lines().find_map(|line| line.strip_prefix(variable)?.strip_prefix('='))
}

#[test]
fn the_program_finds_driver_and_assembler() {
    let place = Place::new();
    let ran: Ran = place
        .command(&["cuda", "env"])
        .envs([("MARGAY_CUDA_PATH", place.at("driver")), ("LD_LIBRARY_PATH", "/before:/too".into())])
        .output()
        .unwrap()
        .into();
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let folder = seen(&ran.out, "TRITON_LIBCUDA_PATH").unwrap();
    let driver = Path::new(folder).join("libcuda.so.1");
    assert_eq!(driver.canonicalize().unwrap(), place.at("driver/libcuda.so"));
    assert_eq!(seen(&ran.out, "LD_LIBRARY_PATH"), Some(format!("{folder}:/before:/too").as_str()));
    assert_eq!(seen(&ran.out, "PATH").unwrap().split(':').next(), Some(folder));
    assert_eq!(seen(&ran.out, "NUMBA_CUDA_DRIVER").map(Path::new), Some(driver.as_path()));
    for variable in ["TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"] {
        assert_eq!(seen(&ran.out, variable), Some(format!("{folder}/ptxas").as_str()));
    }
    assert_eq!(seen(&ran.out, "MARGAY_CUDA_ARCH"), None);
    let alone = place.with_driver(&["cuda", "env"]).out;
    assert_eq!(seen(&alone, "LD_LIBRARY_PATH"), Some(folder));
    // Commands in the program find the same.
    let inner = place.with_driver(&["cuda", "--", "sh", "-c", "bin/margay cuda bin/margay cuda-path"]);
    assert_eq!(inner.out.trim_end(), folder, "{}", inner.err);
    let assembled = place.with_driver(&["cuda", "--", "ptxas", "--version"]);
    assert!(
        assembled.code == Some(0) && assembled.out.contains("ptxas"),
        "{}{}",
        assembled.out,
        assembled.err
    );
}

#[test]
fn options_are_what_the_driver_reads() {
    let place = Place::new();
    let words = "cuda --device sm_90a --memory open --sanitize race,init --profile p.txt --coverage /c.lcov \
                 --semantics manual --approx rounded --contract --sticky env --device sm_70 -- --memory";
    let words: Vec<&str> = words.split_whitespace().collect();
    // What comes after the program is its own.
    let ran = place.with_driver(&words);
    assert!(ran.code != Some(0) && ran.code != Some(2) && ran.err.contains("--device"), "{}", ran.err);
    let ran = place.with_driver(&words[..words.len() - 4]);
    let file = place.at("p.txt").display().to_string();
    let expected = [
        ("MARGAY_CUDA_ARCH", "sm_90a"),
        ("MARGAY_CUDA_MEMORY", "open"),
        ("MARGAY_SANITIZE", "race,init"),
        ("MARGAY_PROFILE", &file),
        ("MARGAY_COVERAGE", "/c.lcov"),
        ("MARGAY_SEMANTICS", "manual"),
        ("MARGAY_APPROX", "rounded"),
        ("MARGAY_CONTRACT", "1"),
        ("MARGAY_STICKY", "1"),
    ];
    for (variable, value) in expected {
        assert_eq!(seen(&ran.out, variable), Some(value), "{}", ran.err);
    }
    for (wrong, told) in [
        (&["--device", "sm_81"][..], "there is no such device"),
        (&["--sanitize", "racy"], "invalid value 'racy'"),
        (&["--sanitise", "race"], "unexpected argument '--sanitise'"),
        (&[], "required"),
    ] {
        let words: Vec<&str> = [&["cuda"], wrong].concat();
        let ran = place.with_driver(&words);
        assert!(ran.code == Some(2) && ran.err.contains(told), "{wrong:?}: {}", ran.err);
    }
}

#[test]
fn the_program_takes_the_commands_place() {
    let place = Place::new();
    let mut child = place
        .command(&["cuda", "--", "sh", "-c", "echo $$; cat; exit 7"])
        .env("MARGAY_CUDA_PATH", place.at("driver"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let id = child.id();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"through\n").unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), format!("{id}\nthrough\n"));
    assert_eq!(ended.status.code(), Some(7));
    let status = |signal: &str| {
        let script = format!("kill -{signal} $$");
        let words = ["cuda", "sh", "-c", &script];
        place.command(&words).env("MARGAY_CUDA_PATH", place.at("driver")).status().unwrap()
    };
    // Who runs tests in the background may have them ignore Ctrl-C.
    let ignored = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = ignored.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    let interrupts = u64::from_str_radix(ignored, 16).unwrap() & 0b10 == 0;
    assert_eq!(
        [status("TERM"), status("INT"), status("KILL")].map(|status| status.signal()),
        [Some(15), interrupts.then_some(2), Some(9)]
    );
    // A shell that began it in the background wants it to outlive Ctrl-C.
    let script = "trap '' INT; bin/margay cuda -- grep SigIgn /proc/self/status";
    let ran: Output = Command::new("sh")
        .args(["-c", script])
        .current_dir(place.0.path())
        .env("XDG_CACHE_HOME", place.at("cache"))
        .env("MARGAY_CUDA_PATH", place.at("driver"))
        .output()
        .unwrap();
    let mask = String::from_utf8(ran.stdout).unwrap();
    let mask = u64::from_str_radix(mask.split_whitespace().last().unwrap(), 16).unwrap();
    assert_eq!(mask & 0b10, 0b10, "{mask:x}");
}

#[test]
fn programs_that_cannot_be_started_are_named() {
    let place = Place::new();
    let ran = place.with_driver(&["cuda", "--", "no-such-program"]);
    assert_eq!(ran.err, "error: cannot start `no-such-program`: there is no such program\n");
    assert_eq!(ran.code, Some(127));
    place.put("text", "echo");
    let ran = place.with_driver(&["cuda", "--", "./text"]);
    assert_eq!(
        (ran.err.as_str(), ran.code),
        ("error: cannot start `./text`: permission denied\n", Some(126))
    );
}

#[test]
fn libraries_beside_the_driver_are_loaded_first() {
    let place = Place::new();
    let preloaded = |before: &str| {
        let mut command = place.command(&["cuda", "env"]);
        // Files that are no libraries are told by the loader, and left out.
        let ran: Ran = command
            .env("MARGAY_CUDA_PATH", place.at("driver"))
            .env("LD_PRELOAD", before)
            .output()
            .unwrap()
            .into();
        let folder = PathBuf::from(seen(&ran.out, "TRITON_LIBCUDA_PATH").unwrap());
        let found = seen(&ran.out, "LD_PRELOAD").unwrap().to_string();
        (found.replace(folder.to_str().unwrap(), "…"), folder)
    };
    assert_eq!(preloaded("").0, "");
    place.put("driver/libcudart12.so", "");
    place.put("driver/libnvJitLink.so", "");
    place.put("driver/libnvJitLink.so.12", "");
    let (found, folder) = preloaded("");
    assert_eq!(found, "…/libnvJitLink.so.13:…/libnvJitLink.so.12:…/libcudart.so.12");
    assert_eq!(fs::read_link(folder.join("libcudart.so.12")).unwrap(), place.at("driver/libcudart12.so"));
    assert_eq!(fs::read_link(folder.join("libnvJitLink.so.13")).unwrap(), place.at("driver/libnvJitLink.so"));
    fs::remove_file(place.at("driver/libnvJitLink.so")).unwrap();
    assert_eq!(preloaded("/before.so").0, "…/libnvJitLink.so.12:…/libcudart.so.12:/before.so");
    assert!(fs::symlink_metadata(folder.join("libnvJitLink.so.13")).is_err());
}

#[test]
fn links_lie_where_only_the_user_writes() {
    let place = Place::new();
    let folder = PathBuf::from(place.with_driver(&["cuda-path"]).out.trim_end());
    assert!(folder.starts_with(place.at("cache/margay/cuda")));
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    fs::remove_file(folder.join("libcuda.so.1")).unwrap();
    symlink("/elsewhere", folder.join("libcuda.so.1")).unwrap();
    assert_eq!(place.with_driver(&["cuda-path"]).code, Some(0));
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names: BTreeSet<_> = names.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(Vec::from_iter(&names), ["libcuda.so", "libcuda.so.1", "ptxas"]);
    for name in ["libcuda.so", "libcuda.so.1"] {
        assert_eq!(fs::read_link(folder.join(name)).unwrap(), place.at("driver/libcuda.so"));
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let ran = place.with_driver(&["cuda", "--", "true"]);
    assert!(ran.code == Some(2) && ran.err.contains("can be written to by others"), "{}", ran.err);
    place.put("file", "");
    let ran: Ran = place
        .command(&["cuda-path"])
        .envs([("MARGAY_CUDA_PATH", place.at("driver")), ("XDG_CACHE_HOME", place.at("file"))])
        .output()
        .unwrap()
        .into();
    assert!(ran.code == Some(2) && ran.err.contains("cannot write"), "{}", ran.err);
    let ran: Ran = place
        .command(&["cuda", "true"])
        .envs([("MARGAY_CUDA_PATH", place.at("driver")), ("XDG_CACHE_HOME", place.at("a:b"))])
        .output()
        .unwrap()
        .into();
    assert!(ran.code == Some(2) && ran.err.contains("cannot stand in a search path"), "{}", ran.err);
}
