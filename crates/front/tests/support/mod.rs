//! Reads the test data.

use flate2::read::GzDecoder;
use margay_front::Source;
use std::io::Read;

/// The text of a compressed file in `tests/data`.
pub fn read(name: &str) -> String {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap_or_else(|error| panic!("{path}: {error}"));
    text
}

/// Name and text of every module that a real compiler wrote. Where its debug data was cut away, an empty section stands for it:
/// without any, `debug` behind the target is an error.
#[allow(dead_code, reason = "not every test that shares this module needs it")]
pub fn corpus() -> Vec<(String, String)> {
    let all = read("corpus.ptx.gz");
    let parts = all.split("//// ").skip(1).filter_map(|part| part.split_once('\n'));
    let whole = |text: &str| match text.trim_end().ends_with(CUT) {
        true => format!("{text}\n.section .debug_str {{ }}\n"),
        false => text.to_string(),
    };
    parts.map(|(name, text)| (name.to_string(), whole(text))).collect()
}

/// What stands at the end of a module whose debug data was cut away.
const CUT: &str = "// debug sections cut";

/// The files of a text that holds several, each after a line `//// NAME`, and where they begin; none if it is one file itself.
#[allow(dead_code, reason = "not every test that shares this module needs it")]
pub fn files(text: &str) -> Option<Vec<(usize, Source)>> {
    const MARK: &str = "//// ";
    text.starts_with(MARK).then(|| {
        let mut files = Vec::new();
        let mut at = 0;
        for part in text.split_inclusive('\n') {
            match part.strip_prefix(MARK) {
                Some(name) => files.push((at + part.len(), Source::new(name.trim(), ""))),
                None => {
                    files.last_mut().into_iter().for_each(|(_, file): &mut (usize, Source)| file.text += part)
                }
            }
            at += part.len();
        }
        files
    })
}

/// xorshift64*: random numbers that are the same in every run.
#[allow(dead_code, reason = "not every test that shares this module needs it")]
pub struct Random(pub u64);

#[allow(dead_code, reason = "not every test that shares this module needs it")]
impl Random {
    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

/// What mutants get put in.
const PIECES: &[&[u8]] = &[
    b"{",
    b"}",
    b"(",
    b")",
    b"[",
    b"]",
    b",",
    b";",
    b":",
    b".",
    b"@",
    b"!",
    b"|",
    b"<",
    b">",
    b"=",
    b"-",
    b"+",
    b"%",
    b"\"",
    b"/*",
    b"*/",
    b"//",
    b"@@",
    b"\n",
    b"\r\n",
    b"\t",
    b"\0",
    b"\xff",
    b"\xc3\xa9",
    b"\xef\xbb\xbf",
    b"0x",
    b"0f",
    b"08",
    b"9999999999999999999999",
    b".entry",
    b".func",
    b".reg",
    b".section",
    b".loc",
    b".global",
    b".version",
    b".param",
    b".b32",
    b"%r1",
    b"_",
    b"WARP_SZ",
    b"::",
];

/// Deletes, doubles, swaps, inserts and overwrites some places of a text.
#[allow(dead_code, reason = "not every test that shares this module needs it")]
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(6) {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(40)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            2 => bytes[at] = random.below(256) as u8,
            3 => bytes.truncate(at),
            _ => {
                let piece = PIECES[random.below(PIECES.len())].iter().copied();
                bytes.splice(at..at, piece);
            }
        }
    }
}
