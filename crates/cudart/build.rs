//! Gives the library the name by which programs and loaders know NVIDIA's runtime library, and says whose functions it has.
//!
//! Programs name the version of its symbols, too, which is the same text; the loader says so on standard error where a library has
//! none. Linkers differ in how a version is asked for beside the list of symbols that rustc gives them: what this one takes is tried.

use std::path::Path;
use std::process::{Command, Stdio};

fn main() {
    // The crate of the version before has this script too, and none beside it: what is missing counts as changed each time.
    println!("cargo::rerun-if-changed=../cudart/build.rs");
    let major = if std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name.ends_with("12")) { 12 } else { 13 };
    println!("cargo::rustc-check-cfg=cfg(major, values(\"12\", \"13\"))");
    println!("cargo::rustc-cfg=major=\"{major}\"");
    if !std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        return;
    }
    let name = format!("libcudart.so.{major}");
    // The driver lies beside it.
    let named = [format!("-Wl,-soname,{name}"), "-Wl,-rpath,$ORIGIN".into(), "-Wl,-Bsymbolic".into()];
    let folder = std::env::var("OUT_DIR").unwrap_or_default();
    let script = Path::new(&folder).join("version");
    std::fs::write(&script, format!("{name} {{ global: cuda*; __cuda*; local: *; }};\n"))
        .expect("a file in `OUT_DIR`");
    let ways = ["-Wl,--default-symver".to_string(), format!("-Wl,--version-script={}", script.display())];
    let way = ways.iter().find(|way| links(&folder, &[&named[..], &[way.to_string()]].concat()));
    for argument in named.iter().chain(way) {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}

/// Whether the linker takes arguments for a library of one function.
fn links(folder: &str, arguments: &[String]) -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let source = Path::new(folder).join("tried.rs");
    let function = "#[unsafe(no_mangle)] pub extern \"C\" fn cudaTried() {}\n";
    std::fs::write(&source, format!("#![no_std]\nextern crate std;\n{function}"))
        .expect("a file in `OUT_DIR`");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--edition=2024", "--crate-type=cdylib", "--crate-name=tried"]);
    rustc.args(["--target", &variable("TARGET"), "--out-dir", folder]).arg(source);
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.args(variable("CARGO_ENCODED_RUSTFLAGS").split('\x1f').filter(|flag| !flag.is_empty()));
    rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    rustc.stdout(Stdio::null()).stderr(Stdio::null());
    rustc.status().is_ok_and(|status| status.success())
}
