//! The built library, and programs that use it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

pub fn crate_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn docs() -> PathBuf {
    crate_root().join("../../docs")
}

pub fn kernel() -> PathBuf {
    docs().join("examples/scale.ptx")
}

/// The library's file. Cargo builds no such library for a test, so this one does, with the test's profile, where the test
/// itself was built. It asks for a test, too, and for the whole workspace: cargo then chooses the features of other crates as
/// it did when all tests were built, and has built them already.
pub fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let this = std::env::current_exe().unwrap();
        let profile = this.parent().and_then(Path::parent).expect("…/target/PROFILE/deps/test");
        let name = profile.file_name().unwrap().to_str().unwrap();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--workspace", "--lib", "--test", "header", "--profile"]);
        build
            .arg(if name == "debug" { "dev" } else { name })
            .arg("--target-dir")
            .arg(profile.parent().unwrap());
        good(build.current_dir(crate_root()), "cargo build --workspace --lib");
        let file = format!("{}margay{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        profile.join(file)
    })
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

/// Compiles and links a program with the library, in a folder that has `scale.ptx`; its file.
pub fn compiled(source: &Path, folder: &Path, compiler: &str, flags: &[&str]) -> PathBuf {
    let program = folder.join(source.file_stem().unwrap());
    let libraries = library().parent().unwrap();
    let mut compile = Command::new(compiler);
    compile.args(flags).args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]);
    compile.arg(crate_root().join("include")).arg(source).arg("-o").arg(&program);
    compile.arg("-L").arg(libraries).args(["-lmargay", "-lpthread"]);
    compile.arg(format!("-Wl,-rpath,{}", libraries.display()));
    good(&mut compile, &format!("{compiler} {}", source.display()));
    program
}

/// A folder with the kernel that all programs launch.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(kernel(), folder.path().join("scale.ptx")).unwrap();
    folder
}
