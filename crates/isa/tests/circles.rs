//! Files that need each other: none of them can be understood alone, so such circles stay small.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files of a circle, at most. A page of the manual knows the instructions that its functions are for, and an instruction its page.
const MOST: &[(&str, usize)] =
    &[("exec", 4), ("front", 4), ("margay", 3), ("capi", 1), ("isa", 6), ("cuda", 4)];

/// By module, what it names of its crate: a path, and whether others are to have it from there.
type Uses = BTreeMap<String, Vec<(String, bool)>>;

/// The modules of a crate, by path.
fn modules(dir: &Path, path: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let file = entry.path();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let module = if path.is_empty() { stem.clone() } else { format!("{path}::{stem}") };
        if file.is_dir() {
            modules(&file, &module, found);
        } else if file.extension().is_some_and(|e| e == "rs")
            && stem != "lib"
            && stem != "main"
            && stem != "tests"
        {
            let text = std::fs::read_to_string(&file).expect("readable source");
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            found.insert(module, lines.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// The paths of a tree of names; none of what is no tree, but a line of a text.
fn paths(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((before, inner)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().trim().to_string()];
    };
    let Some((inner, _)) = inner.rsplit_once('}') else { return Vec::new() };
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.extend(paths(&inner[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    let full = |path: String| match path.as_str() {
        "self" => before.trim_end_matches("::").to_string(),
        _ => format!("{before}{path}"),
    };
    found.into_iter().filter(|path| !path.is_empty()).map(full).collect()
}

/// A path from the root of the crate, as a module has it; nothing if it leads to another crate.
fn from_root(modules: &BTreeMap<String, String>, module: &str, path: &str) -> Option<String> {
    if let Some(path) = path.strip_prefix("crate::") {
        return Some(path.to_string());
    }
    let (mut base, mut rest) = (Some(module), path);
    while let Some(path) = rest.strip_prefix("super::") {
        base = base.map(|base| base.rsplit_once("::").map_or("", |(parent, _)| parent));
        rest = path;
    }
    let below = |base: &str| if base.is_empty() { rest.to_string() } else { format!("{base}::{rest}") };
    let child = below(module).split("::").take(module.split("::").count() + 1).collect::<Vec<_>>().join("::");
    match base {
        Some(base) if rest != path => Some(below(base)),
        _ => modules.contains_key(&child).then(|| below(module)),
    }
}

fn uses(modules: &BTreeMap<String, String>) -> Uses {
    let mut uses = Uses::new();
    for (module, text) in modules {
        let named = uses.entry(module.clone()).or_default();
        // As whole items: a declaration begins a line, whoever may see it.
        for (at, _) in text.match_indices("use ") {
            let line = text[..at].rsplit('\n').next().unwrap_or_default().trim_start();
            let is_item = line.is_empty() || line.starts_with("pub") && !line.contains(['=', ';', '{']);
            let Some(end) = text[at..].find(';').filter(|_| is_item) else { continue };
            let found = paths(&text[at + 4..at + end]);
            let found = found.iter().filter_map(|path| from_root(modules, module, path));
            named.extend(found.map(|path| (path, !line.is_empty())));
        }
    }
    uses
}

/// The module that a path leads to, where it is declared.
fn home(modules: &BTreeMap<String, String>, uses: &Uses, path: &str) -> Option<String> {
    let mut path = path.to_string();
    for _ in 0..8 {
        let mut module = path.as_str();
        while !modules.contains_key(module) {
            module = module.rsplit_once("::")?.0;
        }
        let name = path[module.len()..].trim_start_matches("::").split("::").next().unwrap_or_default();
        let given_on =
            |(other, is_public): &&(String, bool)| *is_public && other.ends_with(&format!("::{name}"));
        match uses[module].iter().find(given_on).filter(|_| !name.is_empty()) {
            Some((next, _)) if *next != path => path = next.clone(),
            _ => return Some(module.to_string()),
        }
    }
    None
}

/// What each module can be led to from.
fn reached<'m>(needs: &'m BTreeMap<String, BTreeSet<String>>, from: &'m str) -> BTreeSet<&'m str> {
    let (mut found, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(module) = next.pop() {
        let new = needs[module].iter().filter(|other| found.insert(other.as_str()));
        next.extend(new.map(String::as_str).collect::<Vec<_>>());
    }
    found
}

#[test]
fn few_files_need_each_other() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates' directory");
    for (name, most) in MOST {
        let mut modules_of = BTreeMap::new();
        modules(&crates.join(name).join("src"), "", &mut modules_of);
        let uses = uses(&modules_of);
        let needs: BTreeMap<String, BTreeSet<String>> = uses
            .iter()
            .map(|(module, named)| {
                let own = named.iter().filter(|(_, is_public)| !is_public);
                let homes = own.filter_map(|(path, _)| home(&modules_of, &uses, path));
                (module.clone(), homes.filter(|other| other != module).collect())
            })
            .collect();
        assert!(
            needs.values().map(BTreeSet::len).sum::<usize>() > modules_of.len() / 2,
            "{name}: uses not found"
        );
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            needs.keys().map(|module| (module.as_str(), reached(&needs, module))).collect();
        for (module, others) in &reach {
            let circle: Vec<&&str> = others.iter().filter(|other| reach[**other].contains(module)).collect();
            assert!(circle.len() <= *most, "{name}: {} files need each other: {circle:?}", circle.len());
        }
    }
}

#[test]
fn paths_lead_to_where_things_are_declared() {
    let texts = [
        ("a", "use crate::b::{Thing, inner::{self, Other as Same}};\npub use inner::Deep;"),
        ("a::inner", "use super::super::b;\n    let x = 1; // use crate::c;"),
        ("b", "pub(crate) use crate::c::Thing;"),
        ("b::inner", ""),
        ("c", ""),
    ];
    let modules: BTreeMap<String, String> =
        texts.iter().map(|(module, text)| (module.to_string(), text.to_string())).collect();
    let uses = uses(&modules);
    let homes = |module: &str| -> Vec<String> {
        uses[module].iter().filter_map(|(path, _)| home(&modules, &uses, path)).collect()
    };
    assert_eq!(homes("a"), ["c", "b::inner", "b::inner", "a::inner"]);
    assert_eq!(homes("a::inner"), ["b"]);
    assert_eq!(homes("b"), ["c"]);
}
