//! Every command shown in the docs runs, and prints what the docs say it prints.
//!
//! In Markdown files, ```` ```sh ```` blocks hold commands that must succeed. ```` ```console ```` blocks hold commands
//! behind `$ `, each followed by exactly what it prints (`…` stands for anything on its line); a command whose last line
//! is `[exit N]` must end with that status.

#[path = "../../capi/tests/common/built.rs"]
mod built;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository's root")
}

/// A copy of what commands in the docs work on, so that they can write beside their inputs.
fn workplace() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for folder in ["examples", "docs"] {
        copy(&root().join(folder), &dir.path().join(folder));
    }
    for folder in ["examples", "docs/examples"] {
        remove_ignored(&dir.path().join(folder));
    }
    dir
}

/// What commands by hand have left in the source tree is not there on a fresh clone.
fn remove_ignored(folder: &Path) {
    let text = std::fs::read_to_string(folder.join(".gitignore")).expect("a list of ignored files");
    let ignored: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let files = |folder: &Path| -> Vec<PathBuf> {
        folder.read_dir().expect("a readable folder").map(|entry| entry.expect("an entry").path()).collect()
    };
    let all =
        files(folder).into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    for file in all {
        let name = file.strip_prefix(folder).expect("a file in the folder").to_string_lossy().into_owned();
        if ignored
            .iter()
            .any(|line| name == *line || line.strip_prefix('*').is_some_and(|end| name.ends_with(end)))
        {
            std::fs::remove_file(file).expect("a file that can be removed");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).expect("a folder");
        for entry in from.read_dir().expect("a readable folder") {
            let name = entry.expect("an entry").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else if from.is_file() {
        std::fs::copy(from, to).expect("a copy");
    }
}

fn pages() -> Vec<PathBuf> {
    fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = dir.read_dir() else { return };
        for path in entries.filter_map(|e| Some(e.ok()?.path())) {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            if path.is_dir() && !matches!(name, "target" | ".git" | "tests" | "src") {
                walk(&path, found);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root(), &mut found);
    found.sort();
    found
}

struct Shown {
    place: String,
    command: String,
    /// What must be printed; `None` if only success counts.
    output: Option<Vec<String>>,
}

fn commands(page: &Path) -> Vec<Shown> {
    let text = std::fs::read_to_string(page).expect("a readable page");
    let name = page.strip_prefix(root()).unwrap_or(page).display().to_string();
    let (mut shown, mut kind): (Vec<Shown>, Option<String>) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", number + 1);
        match (line.strip_prefix("```"), kind.as_deref()) {
            (Some(_), Some(_)) => kind = None,
            (Some(language), None) => kind = Some(language.trim().to_string()),
            (None, Some("sh")) if !line.trim().is_empty() && !line.starts_with('#') => {
                match shown.last_mut().filter(|s| s.command.ends_with('\\')) {
                    Some(first) => first.command = format!("{}\n{line}", first.command),
                    None => shown.push(Shown { place, command: line.to_string(), output: None }),
                }
            }
            (None, Some("console")) => match line.strip_prefix("$ ") {
                Some(command) => {
                    shown.push(Shown { place, command: command.to_string(), output: Some(Vec::new()) });
                }
                None => {
                    let output = shown.last_mut().and_then(|s| s.output.as_mut());
                    output
                        .unwrap_or_else(|| panic!("{place}: output without a command"))
                        .push(line.to_string());
                }
            },
            _ => {}
        }
    }
    shown
}

/// Commands that build; what they do is proved elsewhere: by the test run itself, by the tests of the examples, by `.ci/run`.
const BUILDS: &[&str] = &[
    "cargo test",
    "cargo build --release -p margay",
    "cargo install --path ",
    "cargo run -p margay --example ",
    ".ci/run",
    "cd bench",
];

/// Tools that commands in the docs call and that not every machine has; `.ci/run` installs them.
const TOOLS: &[&str] = &["llc", "python3"];

/// The tool that a command needs and that is not there.
fn missing(command: &str) -> Option<&'static str> {
    let needs = |tool: &str| command.split_whitespace().any(|word| word == tool);
    TOOLS.iter().find(|tool| needs(tool) && !built::has(tool)).copied()
}

fn run(shown: &Shown, dir: &Path) {
    if let Some(tool) = missing(&shown.command) {
        // Not `println!`: the harness shows that for failed tests only.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {}: `{tool}` is not there", shown.place);
        return;
    }
    let command = shown.command.replace("cargo run --release -- ", "margay ");
    let command = command.replace("cargo run --release -p margay -- ", "margay ");
    if BUILDS.iter().any(|b| command.trim_start_matches("BLESS=1 ").starts_with(b)) {
        return;
    }
    if command.contains("margay cuda") {
        // It lies beside the command then.
        built::built(&root(), "cuda");
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_margay")).parent().expect("the binary's folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let ran = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(dir)
        .env("PATH", path)
        .env("XDG_STATE_HOME", dir.join("state"))
        .env("XDG_CACHE_HOME", dir.join("cache"))
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    let status = ran.status.code().unwrap_or(-1);
    let Some(mut wanted) = shown.output.clone() else {
        assert!(ran.status.success(), "{}: `{command}` ended with {status}:\n{printed}", shown.place);
        return;
    };
    let wanted_status = match wanted.last().and_then(|l| l.strip_prefix("[exit ")?.strip_suffix(']')) {
        Some(number) => {
            let number = number.parse().expect("a status");
            wanted.pop();
            number
        }
        None => 0,
    };
    assert_eq!(status, wanted_status, "{}: `{command}` printed:\n{printed}", shown.place);
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    while wanted.last().is_some_and(|l| l.is_empty()) {
        wanted.pop();
    }
    let same =
        lines.len() == wanted.len() && lines.iter().zip(&wanted).all(|(line, w)| matches(w.trim_end(), line));
    assert!(
        same,
        "{}: `{command}` is said to print\n{}\nbut prints\n{printed}",
        shown.place,
        wanted.join("\n")
    );
}

/// Whether a line is what was shown, `…` standing for anything.
fn matches(shown: &str, line: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    for part in parts {
        match rest.rfind(part).filter(|_| part.is_empty()).or_else(|| rest.find(part)) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    shown.ends_with('…') || rest.is_empty()
}

#[test]
fn every_command_in_the_docs_does_what_they_say() {
    let dir = workplace();
    let all: Vec<Shown> = pages().iter().flat_map(|page| commands(page)).collect();
    assert!(all.len() > 10, "the docs show hardly any command: {}", all.len());
    for shown in &all {
        run(shown, dir.path());
    }
}

#[test]
fn an_ellipsis_stands_for_anything_on_its_line() {
    assert!(
        matches("ran … in … ms", "ran k in 1.2 ms") && matches("all …", "all right") && matches("x", "x")
    );
    assert!(!matches("ran … ms", "ran k in 1.2 s") && !matches("x", "xy") && !matches("a … b", "a c"));
}
