//! The built library, and programs that use it.

mod built;

pub use built::{built, good, has};
use std::path::{Path, PathBuf};
use std::process::Command;
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

/// The library's file.
pub fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built(crate_root(), "margay"))
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
