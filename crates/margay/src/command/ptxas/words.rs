//! From the words of an assembler's command line to the options and inputs that they give.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;

use margay_isa::Target;

use super::options::{Entry, OPTIONS, Takes};

/// So many options files are read: more name each other in a circle.
const MAX_FILES: usize = 100;

/// What a command line gives.
#[derive(Debug, Default)]
pub struct Given {
    /// Values by the option's long name, in their order; options that take nothing have one empty value.
    values: BTreeMap<&'static str, Vec<OsString>>,
    /// Files in their order; `-` is standard input.
    pub inputs: Vec<OsString>,
    /// What is to be said although all can be carried out.
    pub warnings: Vec<String>,
}

impl Given {
    /// Whether the option was given.
    pub fn has(&self, long: &str) -> bool {
        self.values.contains_key(long)
    }

    /// All values of an option.
    pub fn all(&self, long: &str) -> &[OsString] {
        self.values.get(long).map_or(&[], Vec::as_slice)
    }

    /// The value of an option, the last if it was given several times.
    pub fn last(&self, long: &str) -> Option<&OsStr> {
        self.all(long).last().map(OsString::as_os_str)
    }

    fn add(&mut self, entry: &Entry, value: OsString) {
        let scalar = !matches!(entry.takes, Takes::Nothing | Takes::List) && entry.long != "input-as-string";
        let values = self.values.entry(entry.long).or_default();
        if scalar && values.last().is_some_and(|before| *before != value) {
            let long = entry.long;
            self.warnings
                .push(format!("option '{long}' is given more than once; the last value of it is used"));
        }
        values.push(value);
    }
}

/// The device of a name such as `sm_90a`, `compute_80`, `lto_80`, and whether code is written for it.
pub fn device(name: &str) -> Option<(Target, bool)> {
    let (kind, number) = name.split_once('_')?;
    let target = format!("sm_{number}").parse().ok()?;
    matches!(kind, "sm" | "compute" | "lto").then_some((target, kind == "sm"))
}

/// Reads the words of a command line.
///
/// # Errors
/// What is wrong with the first wrong word, as the assembler would say it.
pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Given, String> {
    let mut given = Given::default();
    let mut files = 0;
    // The next word is the last one, so that an options file's words can be put before the rest.
    let mut words: Vec<OsString> = words.into_iter().collect();
    words.reverse();
    while let Some(word) = words.pop() {
        let Some(option) = word.to_str().and_then(|w| w.strip_prefix('-')).filter(|o| !o.is_empty()) else {
            if word.to_string_lossy().starts_with('-') && word != "-" {
                return Err(format!("option '{}' is not UTF-8", word.to_string_lossy()));
            }
            given.inputs.push(word);
            continue;
        };
        let (name, value) =
            option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let Some((entry, value)) = find(name, value) else {
            return Err(format!("Unknown option '{name}'"));
        };
        let value: OsString = match (entry.takes, value) {
            (Takes::Nothing, None) => OsString::new(),
            (Takes::Nothing, Some(_)) => return Err(format!("no argument expected after '-{name}'")),
            (_, Some(value)) => value.into(),
            // `-O` may stand alone, and never takes the next word.
            (_, None) if name == "O" => "3".into(),
            (_, None) => words.pop().ok_or_else(|| format!("argument expected after '-{name}'"))?,
        };
        let value = judged(entry, value)?;
        if entry.long != "options-file" {
            given.add(entry, value);
            continue;
        }
        let mut found = Vec::new();
        for file in split(&value) {
            files += 1;
            if files > MAX_FILES {
                return Err(format!("Too many options files: '{}' is one more", file.display()));
            }
            found.extend(words_of(&file)?);
        }
        words.extend(found.into_iter().rev());
    }
    let optimised = given.last("opt-level").is_some_and(|level| !matches!(level.to_str(), Some("" | "0")));
    if given.has("device-debug") && optimised {
        return Err("-g goes with -O0 only: optimised code cannot be debugged".to_string());
    }
    Ok(given)
}

/// The option of this name, the first dash gone, and the value behind `=` or right after the name.
fn find<'a>(name: &'a str, value: Option<&'a str>) -> Option<(&'static Entry, Option<&'a str>)> {
    let named = |entry: &&Entry| match name.strip_prefix('-') {
        Some(long) => entry.long == long,
        None => entry.short == name,
    };
    if let Some(entry) = OPTIONS.iter().find(named) {
        return Some((entry, value));
    }
    // Only these two take a value without anything between: `-O3`, `-m64`.
    let attached = |short: &str| {
        let rest = name.strip_prefix(short).filter(|rest| rest.trim_start().starts_with(is_number_start));
        let entry = OPTIONS.iter().find(|entry| entry.short == short);
        entry.zip(rest.filter(|_| value.is_none()).map(Some))
    };
    attached("O").or_else(|| attached("m"))
}

fn is_number_start(c: char) -> bool {
    c.is_ascii_digit() || c == '-'
}

/// The value if the option takes such a one, blanks around a word or a number gone.
fn judged(entry: &Entry, value: OsString) -> Result<OsString, String> {
    let shown = value.to_string_lossy().into_owned();
    let word = shown.trim();
    let long = entry.long;
    let undefined = || format!("Value '{word}' is not defined for option '{long}'");
    match entry.takes {
        Takes::Truth if !matches!(word, "true" | "false") => Err(format!("'{word}': expected true or false")),
        Takes::Number => number(word).map(|()| word.into()),
        Takes::Registers if !matches!(word, "archmax" | "archmin") && number(word).is_err() => {
            Err(format!("Invalid value '{word}' for option '{long}'"))
        }
        Takes::Word(words) if words.contains(&word) => Ok(word.into()),
        Takes::Word(words) => Err(format!("{}; it takes {}", undefined(), words.join(", "))),
        Takes::Device if device(word).is_none() => {
            Err(format!("{}; --list-arch prints those that are", undefined()))
        }
        Takes::File if !fs::metadata(&value).is_ok_and(|file| file.is_file()) => {
            Err(format!("File '{shown}' could not be opened"))
        }
        Takes::Nothing
        | Takes::Truth
        | Takes::Registers
        | Takes::Device
        | Takes::File
        | Takes::Text
        | Takes::List => Ok(value),
    }
}

/// Nothing at all counts as 0.
fn number(word: &str) -> Result<(), String> {
    let (sign, digits) = word.strip_prefix('-').map_or((1, word), |rest| (-1, rest));
    let (digits, radix) = digits.strip_prefix("0x").map_or((digits, 10), |hex| (hex, 16));
    if word.is_empty() {
        return Ok(());
    }
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(format!("'{word}': expected a number"));
    }
    let value = i64::from_str_radix(digits, radix).ok().map(|value| sign * value);
    match value.filter(|value| (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(value)) {
        Some(_) => Ok(()),
        None => Err(format!("32-bit integer value ({word}) out of range")),
    }
}

/// The parts of a value between its commas, empty ones left out.
pub fn split(value: &OsStr) -> Vec<OsString> {
    match value.to_str() {
        Some(text) => text.split(',').filter(|part| !part.is_empty()).map(OsString::from).collect(),
        None => vec![value.to_os_string()],
    }
}

/// The words of an options file: blanks and line ends stand between them, double quotes keep them together, and a
/// backslash takes the next character as it is.
fn words_of(file: &OsStr) -> Result<Vec<OsString>, String> {
    let name = file.display();
    let text =
        fs::read_to_string(file).map_err(|error| format!("Could not open options file '{name}': {error}"))?;
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    if quoted {
        return Err(format!("Stray '\"' in options file '{name}'"));
    }
    words.extend(word);
    Ok(words.into_iter().map(OsString::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<Given, String> {
        read(text.split_whitespace().map(OsString::from))
    }

    fn last(text: &str, option: &str) -> String {
        let given = line(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        given.last(option).unwrap_or_default().to_string_lossy().into_owned()
    }

    /// A value that an option takes.
    fn good(takes: Takes) -> &'static str {
        match takes {
            Takes::Nothing => "",
            Takes::Truth => "true",
            Takes::Number => "4",
            Takes::Registers => "32",
            Takes::Word(words) => words[0],
            Takes::Device => "sm_80",
            Takes::File => "Cargo.toml",
            Takes::Text | Takes::List => "x",
        }
    }

    #[test]
    fn every_option_is_taken_by_both_names_and_in_both_ways() {
        for entry in OPTIONS.iter().filter(|entry| entry.long != "options-file") {
            let value = good(entry.takes);
            for name in [format!("-{}", entry.short), format!("--{}", entry.long)] {
                let ways = match entry.takes {
                    Takes::Nothing => vec![vec![name]],
                    _ if name == "-O" => vec![vec![format!("-O={value}")]],
                    _ => vec![vec![name.clone(), value.to_string()], vec![format!("{name}={value}")]],
                };
                for way in ways {
                    let given = read(way.iter().cloned().chain(["in.ptx".into()]).map(OsString::from));
                    let given = given.unwrap_or_else(|error| panic!("{way:?}: {error}"));
                    assert_eq!(given.last(entry.long), Some(OsStr::new(value)), "{way:?}");
                    assert_eq!(given.inputs, ["in.ptx"], "{way:?}");
                }
            }
        }
    }

    #[test]
    fn options_are_named_once_and_sorted_as_the_assembler_lists_them() {
        for (at, entry) in OPTIONS.iter().enumerate() {
            for other in &OPTIONS[..at] {
                assert!(entry.long != other.long && entry.short != other.short, "{}", entry.long);
            }
            assert_eq!(entry.takes == Takes::Nothing, entry.value.is_empty(), "{}", entry.long);
        }
        let listed = &OPTIONS[..OPTIONS.len() - 3];
        assert!(listed.is_sorted_by_key(|entry| entry.long));
    }

    #[test]
    fn a_level_and_a_width_may_stand_right_behind_the_name() {
        assert_eq!(last("-O3", "opt-level"), "3");
        assert_eq!(last("-O", "opt-level"), "3");
        assert_eq!(last("-O0x1", "opt-level"), "0x1");
        assert_eq!(last("-m64", "machine"), "64");
        assert_eq!(last("-m 32", "machine"), "32");
        assert_eq!(read([OsString::from("-m 32")]).unwrap().last("machine"), Some(OsStr::new("32")));
        assert_eq!(line("-O 2").unwrap().inputs, ["2"]);
    }

    #[test]
    fn a_value_is_the_next_word_whatever_it_looks_like() {
        assert_eq!(last("-o -c a", "output-file"), "-c");
        assert_eq!(last("-o - a", "output-file"), "-");
    }

    #[test]
    fn wrong_words_are_refused_as_the_assembler_refuses_them() {
        for (words, message) in [
            ("--bogus", "Unknown option '-bogus'"),
            ("-bogus=1", "Unknown option 'bogus'"),
            ("--", "Unknown option '-'"),
            ("--arch=sm_80", "Unknown option '-arch'"),
            ("-gpu-name sm_80", "Unknown option 'gpu-name'"),
            ("-archsm_80", "Unknown option 'archsm_80'"),
            ("-oOUT", "Unknown option 'oOUT'"),
            ("-v=1", "no argument expected after '-v'"),
            ("-o", "argument expected after '-o'"),
            ("--opt-level", "argument expected after '--opt-level'"),
            ("-fmad maybe", "'maybe': expected true or false"),
            ("-O=x", "'x': expected a number"),
            ("-O99999999999", "32-bit integer value (99999999999) out of range"),
            ("-maxrregcount=x", "Invalid value 'x' for option 'maxrregcount'"),
            ("-apply-controls=nowhere", "File 'nowhere' could not be opened"),
            (
                "-arch=sm_81",
                "Value 'sm_81' is not defined for option 'gpu-name'; --list-arch prints those that are",
            ),
            (
                "-arch=sm_80,sm_90",
                "Value 'sm_80,sm_90' is not defined for option 'gpu-name'; --list-arch prints those that are",
            ),
            ("-m16", "Value '16' is not defined for option 'machine'; it takes 32, 64"),
            ("-g -O1", "-g goes with -O0 only: optimised code cannot be debugged"),
        ] {
            assert_eq!(line(words).unwrap_err(), message, "{words}");
        }
    }

    #[test]
    fn the_last_value_counts_and_another_before_it_is_warned_of() {
        let given = line("-arch=sm_80 --gpu-name sm_90").unwrap();
        assert_eq!(given.last("gpu-name"), Some(OsStr::new("sm_90")));
        assert_eq!(given.warnings.len(), 1);
        assert_eq!(line("-arch=sm_80 -arch=sm_80 -e a -e b -v -v").unwrap().warnings, Vec::<String>::new());
    }

    #[test]
    fn devices_have_three_kinds_of_names() {
        let target = |name: &str| name.parse::<Target>().unwrap();
        assert_eq!(device("sm_90a"), Some((target("sm_90a"), true)));
        assert_eq!(device("compute_20"), Some((target("sm_20"), false)));
        assert_eq!(device("lto_120f"), Some((target("sm_120f"), false)));
        assert!(["SM_80", "sm_", "sm_80b", "80", "gpu_80", ""].iter().all(|name| device(name).is_none()));
    }

    #[test]
    fn options_files_are_read_in_place_and_their_quotes_undone() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("a"), "-arch=sm_80 \"one two\"\n\tback\\ slash -optf\r\n").unwrap();
        std::fs::write(path("b"), "-v three").unwrap();
        let given = line(&format!("-optf {} {} last", path("a"), path("b"))).unwrap();
        assert_eq!(given.inputs, ["one two", "back slash", "three", "last"]);
        assert!(given.has("verbose"));
        assert_eq!(line(&format!("-optf={0},{0}", path("b"))).unwrap().inputs, ["three", "three"]);
        std::fs::write(path("loop"), format!("-optf {}", path("loop"))).unwrap();
        assert!(line(&format!("-optf {}", path("loop"))).unwrap_err().starts_with("Too many options files"));
        std::fs::write(path("open"), "a \"b").unwrap();
        assert!(line(&format!("-optf {}", path("open"))).unwrap_err().starts_with("Stray"));
        assert!(line(&format!("-optf {}", path("none"))).unwrap_err().starts_with("Could not open"));
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_are_files_or_refused() {
        use std::os::unix::ffi::OsStringExt;
        let name = OsString::from_vec(b"a\xff.ptx".to_vec());
        assert_eq!(read([name.clone()]).unwrap().inputs, [name.as_os_str()]);
        assert_eq!(read(["-o".into(), name.clone()]).unwrap().last("output-file"), Some(name.as_os_str()));
        assert!(read([OsString::from_vec(b"-\xff".to_vec())]).unwrap_err().contains("not UTF-8"));
    }
}
