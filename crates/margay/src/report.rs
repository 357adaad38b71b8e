//! What a launch was and did: for people on standard error, for programs as JSON.

pub(crate) mod stopped;

use std::fmt;

use serde::Serialize;

use crate::element::Value;
use crate::fidelity::Fidelity;
use crate::format::Layout;
use crate::observed::Event;
use crate::problem::visible;
use crate::profile::Profile;
pub use stopped::{Act, Call, Failure, Finding, SourceLine, Warning};

/// How many values a view of a buffer shows.
const FIRST: usize = 8;

/// The account of one launch.
///
/// As JSON it is one object with the fields' names; the numbers of a buffer that JSON does not have (`inf`, `nan`) are
/// strings.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The PTX file, `-` for standard input.
    pub file: String,
    /// The entry that ran.
    pub entry: String,
    /// CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a CTA along x, y, z.
    pub block: [u32; 3],
    /// CTAs of a cluster along x, y, z, if it was launched in clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[u32; 3]>,
    /// Dynamic shared memory of a CTA in bytes.
    pub shared: u64,
    /// Whose reading of the instructions: `manual`, or a toolchain's.
    pub semantics: String,
    /// Whether products were added unrounded where nothing forbids it.
    pub contract: bool,
    /// The name of the engine that ran it.
    pub engine: &'static str,
    /// The vector instructions that the engine used, if it uses any.
    pub simd: Option<&'static str>,
    /// Why it was not the engine that was asked for.
    pub engine_reason: Option<&'static str>,
    /// Blocks that the engine began and the golden engine went on with; not known of a launch that was stopped.
    pub handed_over: Option<u64>,
    /// Threads of the whole grid.
    pub threads: u64,
    /// Instructions executed, over all threads; not known of a launch that was stopped.
    pub instructions: Option<u64>,
    /// Time from start to end of the launch, in seconds.
    pub seconds: f64,
    /// What the kernel printed.
    pub stdout: String,
    /// The files read into buffers and variables, in the order of the arguments.
    pub inputs: Vec<Input>,
    /// The buffers and variables written to files, in the order of the arguments.
    pub outputs: Vec<View>,
    /// What was seen of chosen threads and memory, in the order in which it happened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Event>,
    /// Remarks, in the order of the lines they are about.
    pub warnings: Vec<Warning>,
    /// Why the launch was stopped; then no output was written.
    pub error: Option<Failure>,
    /// What was watched for: `memory` always, and the sanitizers that were asked for.
    pub sanitizers: Vec<&'static str>,
    /// What sanitizers found; a memory error is the launch's `error`.
    pub findings: Vec<Finding>,
    /// What it executed, if it was profiled and not stopped.
    pub profile: Option<Profile>,
    /// What stands behind its results, if that was asked for and it was not stopped.
    pub fidelity: Option<Fidelity>,
}

/// A file that was read.
///
/// # Examples
/// ```
/// use margay::{format::Layout, report::Input};
/// let input = Input::new("in.npy", &Layout::Array("f64[386,514]".parse().unwrap()));
/// assert_eq!(input.to_string(), "in.npy: f64[386,514]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Input {
    /// The file.
    pub file: String,
    /// The element type: PTX's name, or NumPy's where PTX has none.
    #[serde(rename = "type")]
    pub element: String,
    /// The dimensions, slowest first.
    pub shape: Vec<u64>,
}

impl Input {
    /// What a file holds.
    pub fn new(file: impl Into<String>, layout: &Layout) -> Self {
        Input { file: file.into(), element: layout.element_name(), shape: layout.dims().to_vec() }
    }

    /// Type and dimensions, as in `f64[386,514]`.
    pub fn data(&self) -> String {
        data(&self.element, &self.shape)
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", visible(&self.file), self.data())
    }
}

fn data(element: &str, shape: &[u64]) -> String {
    let shape: Vec<_> = shape.iter().map(u64::to_string).collect();
    format!("{element}[{}]", shape.join(","))
}

/// A short view of a buffer.
///
/// # Examples
/// ```
/// use margay::format::Layout;
/// use margay::report::View;
///
/// let view = View::new("out.npy", &Layout::Array("s16[2,2]".parse().unwrap()), &[1, 0, 2, 0, 255, 255, 3, 0]);
/// assert_eq!(view.to_string(), "out.npy: s16[2,2] 1 2 -1 3 (min -1, max 3)");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// The file it was written to.
    pub file: String,
    /// The element type: PTX's name, or NumPy's where PTX has none.
    #[serde(rename = "type")]
    pub element: String,
    /// The dimensions, slowest first.
    pub shape: Vec<u64>,
    /// The first values; none if the elements are of no PTX type.
    pub first: Vec<Value>,
    /// The smallest value, not-a-number aside.
    pub min: Option<Value>,
    /// The largest value, not-a-number aside.
    pub max: Option<Value>,
}

impl View {
    /// The view of a buffer written to a file.
    pub fn new(file: impl Into<String>, layout: &Layout, bytes: &[u8]) -> Self {
        let element = layout.element();
        let extremes = element.and_then(|element| element.extremes(bytes));
        View {
            file: file.into(),
            element: layout.element_name(),
            shape: layout.dims().to_vec(),
            first: element.map_or(Vec::new(), |element| element.values(bytes).take(FIRST).collect()),
            min: extremes.map(|(min, _)| min),
            max: extremes.map(|(_, max)| max),
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", visible(&self.file), data(&self.element, &self.shape))?;
        for value in &self.first {
            write!(f, " {value}")?;
        }
        let empty = self.shape.contains(&0);
        let count = if empty { 0 } else { self.shape.iter().fold(1u64, |n, &dim| n.saturating_mul(dim)) };
        if count > self.first.len() as u64 && !self.first.is_empty() {
            f.write_str(" …")?;
        }
        match (self.min, self.max) {
            (Some(min), Some(max)) => write!(f, " (min {min}, max {max})"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims = |[x, y, z]: [u32; 3]| match (y, z) {
            (1, 1) => x.to_string(),
            (_, 1) => format!("{x},{y}"),
            _ => format!("{x},{y},{z}"),
        };
        write!(
            f,
            "{} of {}: grid {}, block {}",
            self.entry,
            visible(&self.file),
            dims(self.grid),
            dims(self.block)
        )?;
        if let Some(cluster) = self.cluster {
            write!(f, ", cluster {}", dims(cluster))?;
        }
        if self.shared > 0 {
            write!(f, ", shared {}", crate::count::counted(self.shared, "byte"))?;
        }
        writeln!(f)?;
        for input in &self.inputs {
            writeln!(f, "read {input}")?;
        }
        let time = duration(self.seconds);
        let semantics = format!("{}{}", self.semantics, if self.contract { ", contracted" } else { "" });
        let threads = counted(self.threads, "thread");
        match self.instructions {
            Some(n) => writeln!(
                f,
                "ran {threads}, {} in {time} ({}, {})",
                counted(n, "instruction"),
                self.ran_by(),
                semantics
            )?,
            None => writeln!(f, "stopped {threads} after {time} ({}, {})", self.ran_by(), semantics)?,
        }
        for view in &self.outputs {
            writeln!(f, "wrote {view}")?;
        }
        if self.sanitizers.len() > 1 || !self.findings.is_empty() {
            writeln!(f, "sanitizers ({}): {}", self.sanitizers.join(", "), self.summary())?;
        }
        if let Some(profile) = &self.profile {
            profile.fmt(f)?;
        }
        if let Some(fidelity) = &self.fidelity {
            fidelity.fmt(f)?;
        }
        Ok(())
    }
}

impl Report {
    /// The engine, with what it used or why it was this one.
    fn ran_by(&self) -> String {
        let with = self.simd.map_or_else(String::new, |simd| format!(" with {simd}"));
        let reason = self.engine_reason.map_or_else(String::new, |reason| format!(" because {reason}"));
        let ended = match self.handed_over {
            None | Some(0) => String::new(),
            Some(n) => format!(", {} by golden", counted(n, "block")),
        };
        format!("{}{with}{reason}{ended}", self.engine)
    }

    /// What sanitizers found, in one phrase.
    fn summary(&self) -> String {
        let stopped = if self.error.is_some() { "stopped; " } else { "" };
        if self.findings.is_empty() {
            return format!("{stopped}nothing found");
        }
        let seen = self.findings.iter().fold(0u64, |sum, finding| sum.saturating_add(finding.count));
        let findings = counted(self.findings.len() as u64, "finding");
        format!("{stopped}{findings}, seen {}", counted(seen, "time"))
    }
}

/// `1 thread`, `12 345 threads`.
fn counted(n: u64, what: &str) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    format!("{text} {what}{}", if n == 1 { "" } else { "s" })
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.2} s"),
        s => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), (s % 60.0).floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(shape: &str, bytes: &[u8]) -> View {
        View::new("f", &Layout::Array(shape.parse().unwrap()), bytes)
    }

    #[test]
    fn a_long_buffer_shows_its_beginning_and_range() {
        let bytes: Vec<u8> = (0..100).collect();
        assert_eq!(view("u8[10,10]", &bytes).to_string(), "f: u8[10,10] 0 1 2 3 4 5 6 7 … (min 0, max 99)");
        assert_eq!(view("u8[0]", &[]).to_string(), "f: u8[0]");
    }

    #[test]
    fn not_a_number_is_shown_but_is_no_extreme() {
        let bytes: Vec<u8> =
            [f32::NAN, 1.5, -2.0, f32::INFINITY].iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = view("f32[4]", &bytes);
        assert_eq!(view.to_string(), "f: f32[4] nan 1.5 -2 inf (min -2, max inf)");
        let json = serde_json::to_value(&view).unwrap();
        assert_eq!(json["first"], serde_json::json!(["nan", 1.5, -2.0, "inf"]));
    }

    #[test]
    fn large_integers_are_exact_in_json() {
        let view = view("u64[1]", &u64::MAX.to_le_bytes());
        assert_eq!(
            serde_json::to_string(&view).unwrap(),
            r#"{"file":"f","type":"u64","shape":[1],"first":[18446744073709551615],"min":18446744073709551615,"max":18446744073709551615}"#
        );
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(counted(1, "thread"), "1 thread");
        assert_eq!(counted(1234567, "thread"), "1 234 567 threads");
        assert_eq!(counted(123, "thread"), "123 threads");
        assert_eq!(duration(0.0000123), "12 µs");
        assert_eq!(duration(0.0123), "12.3 ms");
        assert_eq!(duration(3.456), "3.46 s");
        assert_eq!(duration(125.9), "2 min 05 s");
    }
}
