//! What users read keeps to the words of docs/glossary.md: none of the old habits stands in a string literal, in the docs or in `--help`.

use std::fs;
use std::path::{Path, PathBuf};

/// Phrases that no message, help or page of docs may contain, in lower case.
const HABITS: &[&str] = &[
    "` is no ",
    " is no instruction",
    " is no number",
    " is no target",
    " is no picture",
    " is no multiple",
    " is no power of",
    " is no legal",
    " is no register",
    " is no address",
    " is no constraint",
    " is no input",
    " is no shard",
    " is no kernel",
    " is no word",
    " is no type",
    " is no list",
    "which is no ",
    "it is no ",
    "` meant?",
    "may stand",
    "must stand",
    "is wanted here",
    "are wanted here",
    "does not fit `{opcode}`",
    "a word of `",
    "comes behind",
    "write it behind",
    "behind the end",
    "behind it",
    "behind the name",
    "behind the opcode",
    "directly behind",
    "lie behind",
    "is gone on",
    "is gone from",
    "no more on",
    "name such a target",
    "threads wait for each other: ",
    "lent only to be read",
    "nothing that a kernel takes",
    "does more than compute",
    "not like this",
    "but like this",
    "ptx texts",
    "ptx text",
    "say nothing on standard error",
    "whose reading",
    "so many inputs",
    "look again",
    "as cupy has it",
    "give up meaning",
    "ways on:",
    "belong into",
    "belongs into",
];

/// The text that a reader may see, on one line and in lower case: code without its comments and tests, of `--help` with those that it
/// shows.
fn shown(path: &Path, text: &str) -> String {
    let rust = path.extension().is_some_and(|e| e == "rs");
    let text = if rust { text.split("\n#[cfg(test)]\nmod ").next().unwrap_or(text) } else { text };
    let is_help = path.components().any(|part| part.as_os_str() == "command");
    let comment = |line: &str| line.starts_with("//") && !(is_help && line.starts_with("/// "));
    let lines = text.lines().map(str::trim).filter(|line| !(rust && comment(line)));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).filter(|word| *word != "\\").collect();
    words.join(" ").to_lowercase().replace("there is no ", "")
}

fn habits_in(path: &Path, text: &str) -> Vec<String> {
    let shown = shown(path, text);
    HABITS
        .iter()
        .filter_map(|habit| Some((habit, shown.find(habit)?)))
        .map(|(habit, at)| {
            let around = shown[at..].chars().take(60).collect::<String>();
            format!("{}: `{}` in `{around}`", path.display(), habit.trim())
        })
        .collect()
}

fn files(path: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| files(entry, extension, found));
    } else if path.extension().is_some_and(|e| e == extension) && !path.ends_with("tests.rs") {
        found.push(path.to_path_buf());
    }
}

#[test]
fn what_users_read_has_none_of_the_old_habits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for name in ["isa", "front", "exec", "margay", "capi", "cuda"] {
        files(&root.join("crates").join(name).join("src"), "rs", &mut found);
    }
    files(&root.join("python/src"), "rs", &mut found);
    files(&root.join("python/margay"), "py", &mut found);
    files(&root.join("python/margay"), "pyi", &mut found);
    files(&root.join("docs"), "md", &mut found);
    found.retain(|path| !path.ends_with("glossary.md"));
    found.push(root.join("README.md"));
    assert!(found.len() > 300, "{} files", found.len());
    let habits: Vec<String> =
        found.iter().flat_map(|path| habits_in(path, &fs::read_to_string(path).unwrap())).collect();
    assert!(habits.is_empty(), "docs/glossary.md says what to write instead:\n{}", habits.join("\n"));
}

#[test]
fn habits_are_found_across_lines_and_not_in_comments() {
    let code = "// this is no number\nlet a = \"this is \\\n    no number\";\n";
    assert_eq!(habits_in(Path::new("a.rs"), code), ["a.rs: `is no number` in ` is no number\";`"]);
    assert_eq!(habits_in(Path::new("a.rs"), "/// this is no number\n"), [""; 0]);
    assert_eq!(habits_in(Path::new("command/a.rs"), "/// Whose reading to take\n").len(), 1);
    assert_eq!(habits_in(Path::new("a.rs"), "\n#[cfg(test)]\nmod tests { \"it is no number\" }\n"), [""; 0]);
}
