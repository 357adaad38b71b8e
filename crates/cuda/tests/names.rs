//! `names.rs`, `per_thread.rs` and `absent.rs` in `src/door` are made of `names.tsv` and the functions that are here:
//! `BLESS=1 cargo test -p margay-cuda --test names`.
//! What the library exports is what the list names, and nothing else.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A function that is here.
struct Here {
    module: String,
    /// The parameters as they are written, and their names.
    parameters: String,
    names: Vec<String>,
}

fn source(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Symbols and versions.
fn listed() -> Vec<(String, u32)> {
    let text = std::fs::read_to_string(source("names.tsv")).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once('\t').unwrap());
    rows.map(|(symbol, since)| (symbol.to_string(), since.parse().unwrap())).collect()
}

fn here() -> BTreeMap<String, Here> {
    let mut found = BTreeMap::new();
    for file in source("src/door").read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        let module = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        for rest in text.split("\npub extern \"C\" fn ").skip(1).filter(|_| module != "per_thread") {
            let (name, rest) = rest.split_once('(').unwrap();
            let (parameters, _) = rest.split_once(") -> Status").unwrap();
            let parameters: Vec<&str> =
                parameters.split(',').map(str::trim).filter(|p| !p.is_empty()).collect();
            let bare = |p: &str| {
                p.split_once(':').map(|(name, ty)| {
                    (
                        name.trim_start_matches("mut ").trim_start_matches('_').to_string(),
                        ty.trim().to_string(),
                    )
                })
            };
            let parts: Vec<_> = parameters.into_iter().filter_map(bare).collect();
            let written: Vec<_> = parts.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
            let names = parts.into_iter().map(|(name, _)| name).collect();
            let here = Here { module: module.clone(), parameters: written.join(", "), names };
            assert!(found.insert(name.to_string(), here).is_none(), "{name} twice");
        }
    }
    found
}

/// What a symbol is called where streams are each thread's own.
fn without_suffix(symbol: &str) -> Option<&str> {
    symbol.strip_suffix("_ptds").or(symbol.strip_suffix("_ptsz"))
}

/// The table, the functions where streams are each thread's own, and those that are not here.
fn generated() -> [String; 3] {
    let here = here();
    let listed = listed();
    let names: BTreeSet<&str> = listed.iter().map(|(symbol, _)| symbol.as_str()).collect();
    let strange: Vec<_> = here.keys().filter(|name| !names.contains(name.as_str())).collect();
    assert!(strange.is_empty(), "not in names.tsv: {strange:?}");
    let mut rows = Vec::new();
    let mut others = Vec::new();
    let mut forwards = String::new();
    for (symbol, since) in &listed {
        let plain = without_suffix(symbol).and_then(|plain| Some((plain, here.get(plain)?)));
        let module = match (here.get(symbol), plain) {
            (Some(Here { module, .. }), _) => format!("super::{module}::"),
            (None, Some((plain, Here { module, parameters, names }))) => {
                let names = names.join(", ");
                let head = format!("pub extern \"C\" fn {symbol}({parameters}) -> Status");
                write!(
                    forwards,
                    "\n#[unsafe(no_mangle)]\n{head} {{\n    super::{module}::{plain}({names})\n}}\n"
                )
                .unwrap();
                String::new()
            }
            (None, None) => {
                others.push(symbol.as_str());
                String::new()
            }
        };
        rows.push(format!("name!({since}, {module}{symbol}),"));
    }
    [
        format!("{TABLE}{}];\n", lines(&rows)),
        format!("{PER_THREAD}{forwards}"),
        format!("{ABSENT}{}}}\n", lines(&others)),
    ]
}

/// Words in lines that are not too long.
fn lines(words: &[impl AsRef<str>]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in words.iter().map(AsRef::as_ref) {
        if width + word.len() > 110 {
            text.push('\n');
            width = 0;
        }
        text += if width == 0 { "    " } else { " " };
        text += word;
        width += word.len() + 1;
    }
    text + "\n"
}

const TABLE: &str =
    "//! Every function of `cuda.h` with its version and address. Made from `names.tsv` by `tests/names.rs`: do not edit.

#![cfg_attr(rustfmt, rustfmt::skip)]

use super::absent::*;
use super::name::{Name, name};
use super::per_thread::*;

/// All of them.
pub const NAMES: &[Name] = &[
";

const PER_THREAD: &str =
    "//! Functions where streams are each thread's own: the same as the others. Made from `names.tsv` by `tests/names.rs`: do not edit.

#![cfg_attr(rustfmt, rustfmt::skip)]

use super::Status;
use super::layout::{Config, Copy2d, Copy3d, EdgeData, Instantiate};
use super::pass::{Address, Host, HostFunction, In, Out, Text};
use super::stream::Callback;
use std::ffi::c_void;
";

const ABSENT: &str =
    "//! Functions that are not here, and say so. Made from `names.tsv` by `tests/names.rs`: do not edit.

#![cfg_attr(rustfmt, rustfmt::skip)]

use super::name::not_here;
use super::{Status, not_supported};

not_here! {
";

#[test]
fn the_table_is_what_the_list_says() {
    for (file, wanted) in ["names", "per_thread", "absent"].into_iter().zip(generated()) {
        let path = source(&format!("src/door/{file}.rs"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &wanted).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), wanted, "run it with BLESS=1");
    }
}

#[test]
fn what_is_exported_is_what_the_list_names() {
    if !common::has("nm") {
        return;
    }
    let said = common::good(Command::new("nm").args(["-D", "--defined-only"]).arg(common::library()), "nm");
    let exported: BTreeSet<String> =
        said.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_string).collect();
    assert_eq!(exported, listed().into_iter().map(|(symbol, _)| symbol).collect());
    let said = common::good(Command::new("readelf").arg("-d").arg(common::library()), "readelf");
    assert!(said.contains("[libcuda.so.1]"), "{said}");
}
