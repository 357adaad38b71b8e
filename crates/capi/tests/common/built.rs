//! The built libraries, and the commands that use them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The file of a library that other languages load, by the library's name. Cargo builds no such library for a test, so this one does,
/// with the test's profile, where the test itself was built. It asks for a test, too, and for the whole workspace: cargo then
/// chooses the features of other crates as it did when all tests were built, and has built them already.
pub fn built(crate_root: &Path, name: &str) -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let profile = this.parent().and_then(Path::parent).expect("…/target/PROFILE/deps/test");
    let kind = profile.file_name().unwrap().to_str().unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--workspace", "--lib", "--test", "header", "--profile"]);
    build.arg(if kind == "debug" { "dev" } else { kind }).arg("--target-dir").arg(profile.parent().unwrap());
    good(build.current_dir(crate_root), "cargo build --workspace --lib");
    let file = format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    profile.join(file)
}

/// What a command prints that must succeed.
pub fn good(command: &mut Command, what: &str) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|e| panic!("{what}: {e}"));
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(status.success(), "{what} ended with {status}:\n{}\n{}", said(&stdout), said(&stderr));
    said(&stdout)
}

/// Whether a program is there; says so loudly if not.
pub fn has(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        // Not what a test prints, which is shown only where it fails.
        let _ = writeln!(std::io::stderr(), "SKIPPED: there is no `{program}` here");
    }
    there
}
