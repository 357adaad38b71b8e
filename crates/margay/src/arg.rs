//! Kernel arguments as written after `--arg`: values, structures, buffers from and to files.

use crate::count::counted;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::element::Element;
use crate::problem::Problem;
use crate::shape::{Shape, TYPES};

/// The largest structure that a kernel parameter can hold, in bytes (manual, 5.1.6: 32764 from PTX 8.1).
const MAX_STRUCT: usize = 32764;

/// One argument of a launch.
///
/// | written | means |
/// |---|---|
/// | `u32=7` | a value: `u8` to `u64`, `s8` to `s64`, `f16 f32 f64`, `bf16` and so on; decimal, or `0x` and the bits |
/// | `bytes=01ff` | a structure by value, hex bytes in memory order |
/// | `in=FILE` | a buffer holding the file's data |
/// | `in=FILE:f32` | the same, of elements of this type; also `in=FILE:f32[480,640]` |
/// | `out=FILE:u8[480,640]` | a zeroed buffer, written to the file after the launch; also `FILE:u8:480,640` |
/// | `inout=FILE:FILE` | a buffer read from the first file, written to the second |
/// | `zero=u32[1024]` | a zeroed buffer that no file sees |
///
/// A file's name may contain `:`, since the last part is the type. Where both parts of `inout` do, the first cut whose
/// left part is a file counts.
///
/// # Examples
/// ```
/// use margay::arg::Argument;
///
/// let Ok(Argument::Output { file, shape }) = "out=a:b.npy:f32[2,3]".parse() else { panic!() };
/// assert_eq!((file.to_str(), shape.bytes()), (Some("a:b.npy"), 24));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A value: its type and its bits.
    Value {
        /// The type.
        element: Element,
        /// The value's bits, zero above the type's width.
        bits: u64,
    },
    /// A structure by value.
    Bytes(Vec<u8>),
    /// A buffer holding a file's data.
    Input {
        /// The file, if all that is written is its name.
        file: PathBuf,
        /// The file, and what it has to hold, if the last part is a type.
        typed: Option<(PathBuf, Wanted)>,
    },
    /// A zeroed buffer, written to the file after the launch.
    Output {
        /// Where to.
        file: PathBuf,
        /// What of.
        shape: Shape,
    },
    /// A buffer read from one file and written to another: every cut of the text into two names, of which there is
    /// more than one if a name contains `:`.
    InOut(Vec<(PathBuf, PathBuf)>),
    /// A zeroed buffer that no file sees.
    Zero(Shape),
}

impl FromStr for Argument {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let Some((kind, rest)) = text.split_once('=') else {
            return Err(Problem::new(format!("`{text}` is not an argument")).help(KINDS));
        };
        match kind.trim() {
            "bytes" => parse_bytes(rest).map(Argument::Bytes),
            "in" => parse_in(rest),
            "out" => parse_out(rest),
            "inout" => parse_inout(rest),
            "zero" => rest.parse().map(Argument::Zero),
            name => match Element::named(name) {
                Some(element) => Ok(Argument::Value { element, bits: element.bits_of(rest.trim())? }),
                None => Err(Problem::new(format!("unknown kind of argument `{name}`"))
                    .help(format!("{KINDS}; {TYPES}"))),
            },
        }
    }
}

impl Argument {
    /// What stands before `=` although it is no kind of argument: the name of a parameter, perhaps.
    ///
    /// ```
    /// use margay::arg::Argument;
    ///
    /// assert_eq!(Argument::unknown_kind("count=7"), Some("count"));
    /// assert_eq!(Argument::unknown_kind("u32=7"), None);
    /// ```
    pub fn unknown_kind(text: &str) -> Option<&str> {
        let kind = text.split_once('=')?.0.trim();
        let is_known = WORDS.contains(&kind) || Element::named(kind).is_some();
        (!is_known).then_some(kind)
    }
}

/// The kinds that are no values of a type.
const WORDS: [&str; 5] = ["bytes", "in", "out", "inout", "zero"];

const KINDS: &str =
    "write `u32=7`, `bytes=HEX`, `in=FILE`, `out=FILE:u32[N]`, `inout=FILE:FILE` or `zero=u32[N]`";

fn file_name(text: &str) -> Result<PathBuf, Problem> {
    if text.is_empty() {
        return Err(Problem::new("the file's name is missing"));
    }
    if text.contains('\0') {
        return Err(Problem::new("a file name cannot contain a NUL byte"));
    }
    Ok(Path::new(text).to_path_buf())
}

fn parse_bytes(text: &str) -> Result<Vec<u8>, Problem> {
    let help = "write two hex digits for each byte, in memory order, as in `bytes=01ff`";
    let digits = text.as_bytes();
    if let Some(wrong) = text.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(Problem::new(format!("`{wrong}` is not a hex digit")).help(help));
    }
    if !digits.len().is_multiple_of(2) {
        return Err(Problem::new(format!(
            "not a whole number of bytes: {}",
            counted(digits.len(), "hex digit")
        ))
        .help(help));
    }
    if digits.is_empty() {
        return Err(Problem::new("the bytes are missing").help(help));
    }
    if digits.len() / 2 > MAX_STRUCT {
        return Err(Problem::new(format!("a structure of {} bytes is too large", digits.len() / 2)).help(
            format!("a kernel's parameters have at most {MAX_STRUCT} bytes; use `in=FILE` for a buffer"),
        ));
    }
    let nibble = |c: u8| (c as char).to_digit(16).unwrap_or(0) as u8;
    Ok(digits.chunks_exact(2).map(|pair| nibble(pair[0]) << 4 | nibble(pair[1])).collect())
}

/// What a file that is read has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Elements of this type.
    Element(Element),
    /// An array of this type and these dimensions.
    Shape(Shape),
}

fn parse_in(text: &str) -> Result<Argument, Problem> {
    let typed = text.rsplit_once(':').and_then(|(file, wanted)| {
        let element = || Element::named(wanted).map(Wanted::Element);
        let wanted = element().or_else(|| wanted.parse().ok().map(Wanted::Shape))?;
        Some((file_name(file).ok()?, wanted))
    });
    Ok(Argument::Input { file: file_name(text)?, typed })
}

/// `FILE:TYPE[N]` is cut at the last colon, `FILE:TYPE:N` at the last but one.
fn parse_out(text: &str) -> Result<Argument, Problem> {
    let help = "write `out=FILE:TYPE[N]` or `out=FILE:TYPE[H,W]`, as in `out=sums.npy:u32[1024]`";
    let Some((file, tail)) = text.rsplit_once(':') else {
        return Err(Problem::new("the type and size of the output are missing").help(help));
    };
    let counts_only = tail.bytes().all(|c| c.is_ascii_digit() || c == b',' || c == b' ');
    let (file, shape) = match file.rsplit_once(':') {
        Some((file, name)) if counts_only => (file, format!("{name}:{tail}")),
        _ => (file, tail.to_string()),
    };
    Ok(Argument::Output { shape: shape.parse()?, file: file_name(file).map_err(|p| p.help(help))? })
}

fn parse_inout(text: &str) -> Result<Argument, Problem> {
    let cuts: Vec<_> = text
        .match_indices(':')
        .map(|(at, _)| (&text[..at], &text[at + 1..]))
        .filter(|(from, to)| !from.is_empty() && !to.is_empty())
        .map(|(from, to)| Ok((file_name(from)?, file_name(to)?)))
        .collect::<Result<_, Problem>>()?;
    if cuts.is_empty() {
        let example = if text.is_empty() || text.contains(':') { "a.npy" } else { text };
        return Err(Problem::new("`inout` takes two files, the one to read and the one to write")
            .help(format!("write `inout={example}:b.npy`, or the same name twice to write over it")));
    }
    Ok(Argument::InOut(cuts))
}

/// A module variable and a file, as written after `--set` and `--get`: `VAR=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The variable's name.
    pub variable: String,
    /// The file to load it from, or to save it to.
    pub file: PathBuf,
}

impl FromStr for Binding {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let help = "write `VAR=FILE`, the variable's name and the file";
        match text.split_once('=') {
            Some((variable, file)) if !variable.is_empty() && !file.is_empty() => {
                Ok(Binding { variable: variable.to_string(), file: file_name(file)? })
            }
            _ => Err(Problem::new(format!("`{text}` does not name a variable and a file")).help(help)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Argument, String> {
        text.parse().map_err(|p: Problem| p.message)
    }

    fn value(ty: &str, bits: u64) -> Result<Argument, String> {
        Ok(Argument::Value { element: Element::named(ty).unwrap(), bits })
    }

    fn out(file: &str, shape: &str) -> Result<Argument, String> {
        Ok(Argument::Output { file: file.into(), shape: shape.parse().unwrap() })
    }

    #[test]
    fn values() {
        assert_eq!(parse("u32=7"), value("u32", 7));
        assert_eq!(parse("s16=-2"), value("s16", 0xfffe));
        assert_eq!(parse("f32=0.5"), value("f32", 0x3f00_0000));
        assert_eq!(parse("f16=0x3c00"), value("f16", 0x3c00));
        assert_eq!(parse("u8=300"), Err("`300` does not fit `u8`".into()));
        assert_eq!(parse("u33=1"), Err("unknown kind of argument `u33`".into()));
        assert_eq!(parse("7"), Err("`7` is not an argument".into()));
        assert_eq!(parse(""), Err("`` is not an argument".into()));
        assert_eq!(parse("=7"), Err("unknown kind of argument ``".into()));
        assert!(parse("u32=").is_err());
    }

    #[test]
    fn a_kind_is_unknown_if_nothing_of_it_could_be_right() {
        for kind in WORDS.into_iter().chain(["u32", "f16", "e4m3", "u33", "n", ""]) {
            let refused = parse(&format!("{kind}=?"));
            let is_unknown = refused == Err(format!("unknown kind of argument `{kind}`"));
            assert_eq!(Argument::unknown_kind(&format!("{kind}=?")).is_some(), is_unknown, "{kind}");
        }
        assert_eq!(Argument::unknown_kind("7"), None);
    }

    #[test]
    fn structures() {
        assert_eq!(parse("bytes=01fF"), Ok(Argument::Bytes(vec![1, 255])));
        assert_eq!(parse("bytes="), Err("the bytes are missing".into()));
        assert_eq!(parse("bytes=123"), Err("not a whole number of bytes: 3 hex digits".into()));
        assert_eq!(parse("bytes=0x12"), Err("`x` is not a hex digit".into()));
        assert_eq!(parse("bytes=é1"), Err("`é` is not a hex digit".into()));
        assert!(parse(&format!("bytes={}", "00".repeat(MAX_STRUCT + 1))).unwrap_err().contains("too large"));
    }

    #[test]
    fn an_output_is_cut_where_its_type_begins() {
        assert_eq!(parse("out=a.npy:u32[4]"), out("a.npy", "u32[4]"));
        assert_eq!(parse("out=a.npy:u32:4"), out("a.npy", "u32[4]"));
        assert_eq!(parse("out=a.png:u8[3,4]"), out("a.png", "u8[3,4]"));
        assert_eq!(parse("out=a.png:u8:3,4"), out("a.png", "u8[3,4]"));
        assert_eq!(parse("out=C:\\x:y.raw:u8:3,4"), out("C:\\x:y.raw", "u8[3,4]"));
        assert_eq!(parse("out=12:30:u8[1]"), out("12:30", "u8[1]"));
        assert_eq!(parse("out=a[1]=b:u8[1]"), out("a[1]=b", "u8[1]"));
        for (text, message) in [
            ("out=", "the type and size of the output are missing"),
            ("out=a.npy", "the type and size of the output are missing"),
            ("out=a.npy:", "`` is not a type with a size"),
            ("out=:u8[4]", "the file's name is missing"),
            ("out=a.npy:u8", "`u8` is not a type with a size"),
            ("out=a.npy:4", "`4` is not a type with a size"),
            ("out=a.npy:v8:4", "unknown type `v8`"),
            ("out=a.npy:u8[99999999999999999999]", "a buffer of 99999999999999999999 elements is too large"),
        ] {
            assert_eq!(parse(text), Err(message.into()), "{text}");
        }
    }

    #[test]
    fn inout_keeps_every_cut_of_names_with_colons() {
        assert_eq!(parse("inout=a:b"), Ok(Argument::InOut(vec![("a".into(), "b".into())])));
        let cuts = vec![("a".into(), "b:c".into()), ("a:b".into(), "c".into())];
        assert_eq!(parse("inout=a:b:c"), Ok(Argument::InOut(cuts)));
        for bad in ["inout=", "inout=a", "inout=:a", "inout=a:", "inout=:"] {
            assert!(parse(bad).unwrap_err().contains("two files"), "{bad}");
        }
    }

    #[test]
    fn buffers_without_a_file_to_write() {
        let read = |file: &str, typed| Ok(Argument::Input { file: file.into(), typed });
        assert_eq!(parse("in=a:b=c.npy"), read("a:b=c.npy", None));
        let element = Wanted::Element(Element::named("f64").unwrap());
        assert_eq!(parse("in=a.npy:f64"), read("a.npy:f64", Some(("a.npy".into(), element))));
        let shape = Wanted::Shape("u8[2,3]".parse().unwrap());
        assert_eq!(parse("in=a:b.png:u8[2,3]"), read("a:b.png:u8[2,3]", Some(("a:b.png".into(), shape))));
        assert_eq!(parse("in=:u8"), read(":u8", None));
        assert_eq!(parse("in="), Err("the file's name is missing".into()));
        assert_eq!(parse("zero=u32[4]"), Ok(Argument::Zero("u32[4]".parse().unwrap())));
        assert_eq!(parse("zero=u32:4"), Ok(Argument::Zero("u32[4]".parse().unwrap())));
        assert_eq!(parse("zero=u32"), Err("`u32` is not a type with a size".into()));
    }

    #[test]
    fn bindings() {
        let binding = |text: &str| text.parse::<Binding>().map_err(|p| p.message);
        assert_eq!(binding("lut=a=b.npy"), Ok(Binding { variable: "lut".into(), file: "a=b.npy".into() }));
        for bad in ["", "lut", "lut=", "=x"] {
            assert!(binding(bad).is_err(), "{bad}");
        }
    }
}
