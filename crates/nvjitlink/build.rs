//! Gives the library the name by which programs and loaders know NVIDIA's linker, and says whose functions it has.

fn main() {
    // The crate of the version before has this script too, and none beside it: what is missing counts as changed each time.
    println!("cargo::rerun-if-changed=../nvjitlink/build.rs");
    let major = if std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name.ends_with("12")) { 12 } else { 13 };
    println!("cargo::rustc-check-cfg=cfg(major, values(\"12\", \"13\"))");
    println!("cargo::rustc-cfg=major=\"{major}\"");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libnvJitLink.so.{major}");
    }
}
