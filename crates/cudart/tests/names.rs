//! `per_thread.rs` and `absent.rs` in `src/door` are made of `names.tsv` and the functions that are here:
//! `BLESS=1 cargo test -p margay-cudart --test names`.
//! What the libraries export is what the list names, and nothing else.

#[path = "../../capi/tests/common/built.rs"]
mod built;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const MAJORS: [&str; 2] = ["12", "13"];

/// A function that is here: its file, its parameters as they are written, and their names.
struct Here {
    module: String,
    parameters: String,
    names: Vec<String>,
}

fn source(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The symbols of a version.
fn listed(major: &str) -> Vec<String> {
    let text = std::fs::read_to_string(source("names.tsv")).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once('\t').unwrap());
    rows.filter(|(_, majors)| majors.split(' ').any(|one| one == major))
        .map(|(name, _)| name.to_string())
        .collect()
}

/// The functions of a version. Those that only one has stand in a file of their own.
fn here(major: &str) -> BTreeMap<String, Here> {
    let mut found = BTreeMap::new();
    let files = source("src/door").read_dir().unwrap().map(|entry| entry.unwrap().path());
    for file in files {
        let module = file.file_stem().unwrap().to_string_lossy().into_owned();
        let of_another = MAJORS.iter().any(|other| *other != major && module == format!("version{other}"));
        if of_another || module == "per_thread" {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for rest in text.split("\npub extern \"C\" fn ").skip(1) {
            let (name, rest) = rest.split_once('(').unwrap();
            let (parameters, _) = rest.split_once(')').unwrap();
            let parts: Vec<_> =
                parameters.split(',').filter_map(|part| part.trim().split_once(": ")).collect();
            let bare = |name: &str| name.trim_start_matches('_').to_string();
            let written: Vec<_> = parts.iter().map(|(name, ty)| format!("{}: {ty}", bare(name))).collect();
            let names = parts.iter().map(|(name, _)| bare(name)).collect();
            let here = Here { module: module.clone(), parameters: written.join(", "), names };
            assert!(found.insert(name.to_string(), here).is_none(), "{name} twice");
        }
    }
    found
}

/// What a symbol is called where streams are not each thread's own.
fn plain(symbol: &str) -> Option<&str> {
    symbol.strip_suffix("_ptds").or(symbol.strip_suffix("_ptsz"))
}

/// What a version has: the functions that call another for streams of each thread's own, and those that are not here.
fn of(major: &str) -> (BTreeMap<String, String>, BTreeSet<String>) {
    let (here, listed) = (here(major), listed(major));
    let strange: Vec<_> = here.keys().filter(|name| !listed.contains(name)).collect();
    assert!(strange.is_empty(), "not in names.tsv: {strange:?}");
    let (mut forwards, mut absent) = (BTreeMap::new(), BTreeSet::new());
    for symbol in listed.into_iter().filter(|symbol| !here.contains_key(symbol)) {
        match plain(&symbol).and_then(|plain| Some((plain, here.get(plain)?))) {
            Some((plain, Here { module, parameters, names })) => {
                let head = format!("pub extern \"C\" fn {symbol}({parameters}) -> Status");
                let call = format!("super::{module}::{plain}({})", names.join(", "));
                forwards.insert(symbol, format!("#[unsafe(no_mangle)]\n{head} {{\n    {call}\n}}\n"));
            }
            None => _ = absent.insert(symbol),
        }
    }
    (forwards, absent)
}

fn generated() -> [String; 2] {
    let [(first, first_absent), (second, second_absent)] = MAJORS.map(of);
    let mut forwards = PER_THREAD.to_string();
    let both = |text: &str| first.values().any(|f| f == text) && second.values().any(|s| s == text);
    for (major, texts) in MAJORS.into_iter().zip([&first, &second]) {
        for text in texts.values().filter(|text| major == MAJORS[0] || !both(text)) {
            let condition = if both(text) { String::new() } else { format!("#[cfg(major = \"{major}\")]\n") };
            write!(forwards, "\n{condition}{text}").unwrap();
        }
    }
    let common: Vec<_> = first_absent.intersection(&second_absent).collect();
    let mut absent = format!("{ABSENT}not_here! {{\n{}}}\n", lines(&common));
    for (major, only) in [
        (MAJORS[0], first_absent.difference(&second_absent)),
        (MAJORS[1], second_absent.difference(&first_absent)),
    ] {
        let only: Vec<_> = only.collect();
        write!(absent, "\n#[cfg(major = \"{major}\")]\nnot_here! {{\n{}}}\n", lines(&only)).unwrap();
    }
    [forwards, absent]
}

/// Words in lines that are not too long.
fn lines(words: &[&String]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in words {
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

const PER_THREAD: &str =
    "//! Functions where streams are each thread's own: the same as the others. Made from `names.tsv` by `tests/names.rs`: do not edit.

#![cfg_attr(rustfmt, rustfmt::skip)]

use super::Status;
use super::copy::{Parameters3d, PeerParameters3d};
use super::launch::Config;
use super::memory::{Extent, Pitched};
use super::pass::{Extent3, In, Place, Pointer, Text};
";

const ABSENT: &str =
    "//! Functions that are not here, and say so. Made from `names.tsv` by `tests/names.rs`: do not edit.

#![cfg_attr(rustfmt, rustfmt::skip)]

use super::name::not_here;
use super::{Status, not_supported};

";

#[test]
fn generated_files_are_what_the_list_says() {
    for (file, wanted) in ["per_thread", "absent"].into_iter().zip(generated()) {
        let path = source(&format!("src/door/{file}.rs"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &wanted).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), wanted, "run it with BLESS=1");
    }
}

#[test]
fn what_is_exported_is_what_the_list_names() {
    if !built::has("nm") {
        return;
    }
    for (major, name) in MAJORS.into_iter().zip(["cudart12", "cudart"]) {
        let library = built::built(&source(""), name);
        let said = built::good(Command::new("nm").args(["-D", "--defined-only"]).arg(&library), "nm");
        let symbols = said.lines().filter_map(|line| {
            let mut words = line.split_whitespace().skip(1);
            let (kind, symbol) = (words.next()?, words.next()?);
            // The version itself is a symbol, too.
            (kind != "A").then(|| symbol.split('@').next().unwrap_or_default().to_string())
        });
        assert_eq!(symbols.collect::<BTreeSet<_>>(), listed(major).into_iter().collect(), "{name}");
        let said = built::good(Command::new("readelf").args(["-d", "-V"]).arg(&library), "readelf");
        assert!(said.contains(&format!("soname: [libcudart.so.{major}]")), "{said}");
        assert!(said.contains(&format!("Name: libcudart.so.{major}")), "{said}");
    }
}
