//! Reads the launches, their contents, and the PTX that compilers made of the kernels.

use flate2::read::GzDecoder;
use serde_json::Value;
use std::io::Read;

/// A launch, as `tests/data/README.md` describes it.
pub struct Case {
    pub json: Value,
}

/// A compiler's text of one source.
pub struct Text {
    pub compiler: String,
    pub source: String,
    pub ptx: String,
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("whole data");
    bytes
}

/// What buffers hold before and after, all of them.
pub fn contents() -> Vec<u8> {
    unpacked(include_bytes!("../data/cases.bin.gz"))
}

pub fn cases() -> Vec<Case> {
    let list: Value = serde_json::from_str(include_str!("../data/cases.json")).unwrap();
    list.as_array().unwrap().iter().map(|json| Case { json: json.clone() }).collect()
}

/// All texts of compilers.
pub fn all_texts() -> Vec<Text> {
    let all = String::from_utf8(unpacked(include_bytes!("../../../front/tests/data/corpus.ptx.gz"))).unwrap();
    let parts = all.split("//// ").skip(1).filter_map(|part| part.split_once('\n'));
    let text = |(name, ptx): (&str, &str)| {
        let (compiler, file) = name.split_once('/')?;
        let source = file.strip_suffix(".ptx")?;
        Some(Text { compiler: compiler.into(), source: source.into(), ptx: ptx.into() })
    };
    parts.filter_map(text).collect()
}

/// The texts of the kernels that the launches are of.
pub fn texts() -> Vec<Text> {
    let launched = |t: &Text| t.compiler.starts_with("nvcc") || t.compiler.starts_with("clang");
    all_texts().into_iter().filter(launched).collect()
}

/// A compiler's text of one source.
pub fn of(compiler: &str, source: &str) -> String {
    let found = all_texts().into_iter().find(|text| text.compiler == compiler && text.source == source);
    found.unwrap_or_else(|| panic!("{compiler} has no {source}")).ptx
}

impl Case {
    pub fn text(&self, key: &str) -> &str {
        self.json[key].as_str().unwrap_or("")
    }

    /// `source entry`, and the variant where there is one.
    pub fn name(&self) -> String {
        format!("{} {} {}", self.text("source"), self.text("entry"), self.text("variant"))
            .trim_end()
            .to_string()
    }

    pub fn shape(&self, key: &str) -> [u32; 3] {
        [0, 1, 2].map(|k| self.json[key][k].as_u64().unwrap() as u32)
    }

    pub fn params(&self) -> &[Value] {
        self.json["params"].as_array().unwrap()
    }

    pub fn globals(&self) -> &[Value] {
        self.json["globals"].as_array().map_or(&[], Vec::as_slice)
    }
}

/// The part of the contents that a parameter's `key` names, if it names one.
pub fn part<'c>(contents: &'c [u8], param: &Value, key: &str) -> Option<&'c [u8]> {
    let place = param[key].as_array()?;
    let [at, bytes] = [0, 1].map(|k| place[k].as_u64().unwrap() as usize);
    Some(&contents[at..at + bytes])
}

pub fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2).map(|c| std::str::from_utf8(c).unwrap());
    digits.map(|d| u8::from_str_radix(d, 16).unwrap()).collect()
}
