//! The file that stands where an assembler's output is expected: checked PTX after a few lines that say what it is.
//!
//! Five lines of ASCII and an empty one, each ended by one line feed, then the text:
//!
//! ```text
//! MARGAY-PTX 1
//! ptx 8.0
//! target sm_90
//! bytes 163
//! crc32 1c291ca3
//!
//! .version 8.0
//! …
//! ```
//!
//! `MARGAY-PTX` and the format's number come first. `ptx` is the text's version, `target` the device it was checked for,
//! `bytes` the text's length: with it, a reader of memory without an end knows where the text ends. `crc32` (as in zip and PNG,
//! eight lower-case hexadecimal digits) covers all bytes before its own line and all of the text.

use crate::count::counted;
use std::borrow::Cow;

use margay_isa::{Target, Version};

use crate::problem::Problem;

/// The bytes a container begins with; no PTX text does.
pub const MAGIC: &[u8] = b"MARGAY-PTX ";

/// Checked PTX, and what it was checked for.
///
/// # Examples
/// ```
/// use margay::container::Container;
/// let text = ".version 8.0\n.target sm_80\n";
/// let container =
///     Container { version: "8.0".parse().unwrap(), target: "sm_90".parse().unwrap(), text: text.into() };
/// let bytes = container.to_bytes();
/// assert_eq!(Container::from_bytes(&bytes).unwrap(), container);
/// assert!(Container::from_bytes(&bytes[..70]).unwrap_err().message.contains("of its 27 bytes"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// The PTX version that the text states.
    pub version: Version,
    /// The device it was checked for; the text's own `.target` may be an older one.
    pub target: Target,
    /// The PTX text, as it was given.
    pub text: String,
}

impl Container {
    /// The container as it stands in a file; the same for the same content.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Container { version, target, text } = self;
        let covered = format!("MARGAY-PTX 1\nptx {version}\ntarget {target}\nbytes {}\n", text.len());
        let sum = checksum(covered.as_bytes(), text.as_bytes());
        format!("{covered}crc32 {sum:08x}\n\n{text}").into_bytes()
    }

    /// How many bytes of PTX come after the header that some bytes are, if they are one.
    ///
    /// ```
    /// use margay::container::Container;
    /// assert_eq!(Container::announced(b"MARGAY-PTX 1\nptx 8.0\ntarget sm_80\nbytes 5\ncrc32 0\n\n"), Some(5));
    /// ```
    pub fn announced(header: &[u8]) -> Option<usize> {
        let mut rest = header;
        ["MARGAY-PTX", "ptx", "target"]
            .into_iter()
            .try_for_each(|key| field(&mut rest, key).map(|_| ()))
            .ok()?;
        field(&mut rest, "bytes").ok()?.parse().ok()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// Bytes that are not a container, one cut short or changed, one of a later format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Problem> {
        let mut rest = bytes;
        let mut line = |key: &str| field(&mut rest, key);
        let format = line("MARGAY-PTX")?;
        if format != "1" {
            let problem = Problem::new(format!("its format is `{format}`, and this margay reads format 1"));
            return Err(problem.help("read it with the margay that wrote it, or a later one"));
        }
        let version = line("ptx")?.parse().map_err(|()| damaged("its PTX version cannot be read"))?;
        let target = line("target")?.parse().map_err(|()| damaged("its target cannot be read"))?;
        let length: usize = line("bytes")?.parse().map_err(|_| damaged("its length cannot be read"))?;
        let before = bytes.len() - rest.len();
        let sum = field(&mut rest, "crc32")?;
        let text = rest.strip_prefix(b"\n").ok_or_else(|| damaged("it is cut short"))?;
        if text.len() < length {
            let wanted = counted(length, "byte");
            return Err(damaged(format!("it holds {} of its {wanted} of PTX", text.len())));
        }
        if text.len() > length {
            return Err(damaged(format!(
                "it continues for {} past its end",
                counted(text.len() - length, "byte")
            )));
        }
        if sum != format!("{:08x}", checksum(&bytes[..before], text)) {
            return Err(damaged("its checksum does not match its contents"));
        }
        let text = String::from_utf8(text.to_vec()).map_err(|_| damaged("its PTX is not UTF-8"))?;
        Ok(Container { version, target, text })
    }
}

fn checksum(before: &[u8], text: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(before);
    hasher.update(text);
    hasher.finalize()
}

/// No field's line is longer.
const MAX_LINE: usize = 40;

/// The value in the line `KEY VALUE` that `rest` begins with; `rest` is left behind it.
fn field<'a>(rest: &mut &'a [u8], key: &str) -> Result<&'a str, Problem> {
    let cut = || damaged("it is cut short");
    let end = rest.iter().take(MAX_LINE).position(|byte| *byte == b'\n');
    let end = end.ok_or_else(|| if rest.len() < MAX_LINE { cut() } else { damaged("a line is too long") })?;
    let line = std::str::from_utf8(&rest[..end]).unwrap_or_default();
    let value = line.strip_prefix(key).and_then(|line| line.strip_prefix(' '));
    let value = value.ok_or_else(|| damaged(format!("the line `{key}` is not where it belongs")))?;
    *rest = &rest[end + 1..];
    Ok(value)
}

fn damaged(what: impl std::fmt::Display) -> Problem {
    Problem::new(format!("the margay object is damaged: {what}")).help("assemble the PTX again")
}

/// Files that are met where PTX is expected: how they begin, what they are, what to do instead.
const FOREIGN: &[(&[u8], &str, &str)] = &[
    (
        b"\x50\xed\x55\xba",
        "it is a fat binary, which may hold PTX among other things",
        "`cuobjdump -xptx all FILE` takes the PTX out",
    ),
    (b"BC\xc0\xde", "it is LLVM bitcode", "`llc -march=nvptx64 -mcpu=sm_80 FILE -o OUT.ptx` makes PTX of it"),
    (b"!<arch>\n", "it is an archive of object files", "`cuobjdump -xptx all FILE` takes PTX out of them"),
    (b"\x1f\x8b", "it is compressed (gzip)", "`gunzip -c FILE` gives the PTX"),
    (b"PK\x03\x04", "it is a zip archive", "`unzip FILE` takes out what it holds"),
    (b"\xff\xfe", "it is text in UTF-16, not UTF-8", "`iconv -f UTF-16 -t UTF-8 FILE` gives the PTX"),
    (b"\xfe\xff", "it is text in UTF-16, not UTF-8", "`iconv -f UTF-16 -t UTF-8 FILE` gives the PTX"),
    (b"\x28\xb5\x2f\xfd", "it is compressed (zstd)", "`zstd -dc FILE` gives the PTX"),
];

/// The machine number of NVIDIA GPUs in ELF files.
const EM_CUDA: u8 = 190;

/// The PTX text in the bytes of a file: PTX itself as it is, the text of a container. Whether it is PTX at all is for the
/// parser to say.
///
/// # Errors
/// A damaged container, and files of other kinds that are known: what they are and what to do instead.
///
/// ```
/// assert_eq!(margay::container::ptx_in(b".version 8.0").unwrap().as_ref(), b".version 8.0");
/// assert!(margay::container::ptx_in(b"\x7fELF").is_err());
/// ```
pub fn ptx_in(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Problem> {
    if bytes.starts_with(MAGIC) {
        return Ok(Cow::Owned(Container::from_bytes(bytes)?.text.into_bytes()));
    }
    if bytes.starts_with(b"\x7fELF") {
        return Err(elf(bytes));
    }
    match FOREIGN.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        Some((_, what, help)) => Err(Problem::new(*what).help(*help)),
        None if is_binary(bytes) => Err(Problem::new("it is a binary file, not PTX")
            .help("margay reads PTX source: `nvcc -ptx` writes it")),
        None => Ok(Cow::Borrowed(bytes)),
    }
}

/// So much of a file shows whether it is text.
const LOOKED_AT: usize = 512;

/// Whether a file is no text at all: an eighth of its beginning and more are control characters, or bytes that are no
/// characters beside some of those. Zeros may end a text.
fn is_binary(bytes: &[u8]) -> bool {
    let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let shown = String::from_utf8_lossy(&bytes[..length.min(LOOKED_AT)]);
    let control = shown.chars().filter(|c| c.is_ascii_control() && !c.is_ascii_whitespace()).count();
    let broken = shown.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    control > 0 && (control + broken) * 8 >= shown.chars().count()
}

fn elf(bytes: &[u8]) -> Problem {
    // `e_machine`, as long as all machines that matter here fit its low byte.
    match bytes.get(18) {
        Some(&EM_CUDA) => Problem::new("it is a cubin, machine code for an NVIDIA GPU, not PTX").help(
            "compile to PTX: `nvcc -ptx`, `clang --cuda-device-only -S`, or Triton's and numba's `asm[\"ptx\"]`",
        ),
        _ => Problem::new("it is an ELF file, not PTX")
            .help("`cuobjdump -xptx all FILE` takes out the PTX that nvcc put into a program"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Container {
        let text = ".version 8.0\n.target sm_80\n.entry k() { ret; } // é\n".to_string();
        Container { version: "8.0".parse().unwrap(), target: "sm_90a".parse().unwrap(), text }
    }

    #[test]
    fn what_was_written_is_read_back() {
        for text in ["", "\n", "MARGAY-PTX 1\n", "\r\n\0"] {
            let container = Container { text: text.to_string(), ..sample() };
            assert_eq!(Container::from_bytes(&container.to_bytes()).unwrap(), container);
        }
    }

    #[test]
    fn the_format_is_what_the_documentation_says() {
        let bytes = String::from_utf8(sample().to_bytes()).unwrap();
        let lines: Vec<&str> = bytes.lines().take(6).collect();
        let before = "MARGAY-PTX 1\nptx 8.0\ntarget sm_90a\nbytes 53\n";
        let sum = crc32fast::hash(format!("{before}{}", sample().text).as_bytes());
        assert_eq!(lines[..4].join("\n") + "\n", before);
        assert_eq!(lines[4..], [format!("crc32 {sum:08x}"), String::new()]);
    }

    #[test]
    fn every_truncation_is_refused() {
        let bytes = sample().to_bytes();
        for length in 0..bytes.len() {
            assert!(Container::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        assert!(Container::from_bytes(&[bytes.as_slice(), b"x"].concat()).is_err());
    }

    #[test]
    fn every_changed_byte_is_refused() {
        let bytes = sample().to_bytes();
        for at in 0..bytes.len() {
            for change in [1, 0x20, 0x80] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                assert!(Container::from_bytes(&changed).is_err(), "byte {at} changed by {change}");
            }
        }
    }

    #[test]
    fn a_later_format_and_lengths_beyond_all_bounds_are_named() {
        let bytes = String::from_utf8(sample().to_bytes()).unwrap();
        let message = |text: String| Container::from_bytes(text.as_bytes()).unwrap_err().message;
        assert!(message(bytes.replacen("PTX 1", "PTX 2", 1)).contains("its format is `2`"));
        for length in ["99999999999999999999999", "-1", "18446744073709551615", ""] {
            let changed = bytes.replacen("bytes 53", &format!("bytes {length}"), 1);
            assert!(message(changed).contains("damaged"), "{length}");
        }
        assert!(message("MARGAY-PTX ".to_string() + &"1".repeat(1000)).contains("too long"));
    }

    #[test]
    fn files_of_other_kinds_are_named() {
        let mut cubin = b"\x7fELF\x02\x01\x01".to_vec();
        cubin.resize(64, 0);
        let message = |bytes: &[u8]| ptx_in(bytes).unwrap_err().message;
        assert!(message(&cubin).contains("ELF"));
        cubin[18] = 190;
        assert!(message(&cubin).contains("cubin"));
        assert!(message(b"\x50\xed\x55\xba\x01\0").contains("fat binary"));
        assert!(message(b"BC\xc0\xde").contains("bitcode"));
        assert!(message(b"PK\x03\x04").contains("zip"));
        assert!(message(b"\xff\xfe.\0v\0").contains("UTF-16"));
        assert!(message(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0").contains("binary file"));
        assert!(message(b"\x01\0\0\0").contains("binary file"));
        let noise: Vec<u8> = (0..600u32).map(|k| (k * k % 251) as u8).collect();
        assert!(message(&noise).contains("binary file"));
        for text in [
            &b".version 8.0\0\0\0\0\0\0"[..],
            b".version 8.0\x01",
            b"\0\0",
            b"",
            b"// \xc3\xa4\n",
            b"// \xe4\xf6\xfc\n",
        ] {
            assert_eq!(ptx_in(text).unwrap().as_ref(), text);
        }
        assert!(message(&sample().to_bytes()[..40]).contains("damaged"));
    }
}
