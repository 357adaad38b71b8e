//! What shards of a sweep found, and how reports of several become one.

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// What was asked, so far as answers depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The first side.
    pub a: Answered,
    /// The second side.
    pub b: Answered,
    /// Name, type and values of each input.
    pub inputs: Vec<[String; 3]>,
    /// Name and type of each output of the first side that has some.
    pub outputs: Vec<[String; 2]>,
    /// How inputs are drawn, if not all are taken.
    pub random: Option<Sampled>,
    /// The most differences that are kept.
    pub keep: usize,
    /// How many inputs there are.
    pub total: u64,
}

/// One side of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The text of a snippet, or the name of a function.
    pub text: String,
    /// Whose reading of the manual; empty for functions.
    pub semantics: String,
}

/// How inputs are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampled {
    /// How many.
    pub count: u64,
    /// What they depend on.
    pub seed: u64,
}

/// What was found on some of the inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// What was asked.
    pub question: Question,
    /// Numbers of inputs: where each run of them begins, and the one behind its end; in order, none touches the next.
    pub covered: Vec<[u64; 2]>,
    /// How many inputs that are.
    pub inputs: u64,
    /// On how many of them the sides differ.
    pub differences: u64,
    /// The first differences, by the numbers of their inputs.
    pub first: Vec<Difference>,
    /// For each side a digest of all its results: a sum of hashes of parts, 128 bits in hex.
    pub digests: [String; 2],
}

/// An input on which the sides differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The input's number.
    pub input: u64,
    /// The values of the inputs in hex.
    pub values: Vec<String>,
    /// The outputs of the first side in hex.
    pub a: Vec<String>,
    /// Those of the second.
    pub b: Vec<String>,
}

impl Report {
    /// The report on the inputs of both.
    ///
    /// # Errors
    /// Reports on different questions, inputs that both have covered, a report that says something impossible.
    pub fn merge(&self, other: &Report) -> Result<Report, Problem> {
        if let Some(what) = different(&self.question, &other.question) {
            return Err(Problem::new(format!("the reports are on different questions: {what}")));
        }
        let mut all: Vec<[u64; 2]> = [self.covered.as_slice(), other.covered.as_slice()].concat();
        all.sort();
        let mut covered: Vec<[u64; 2]> = Vec::new();
        for [start, end] in all {
            match covered.last_mut() {
                Some(last) if start < last[1] => {
                    let both = end.min(last[1]);
                    return Err(Problem::new(format!("inputs {start} to {} are in both reports", both - 1))
                        .help("a shard was given twice, or shards of different numbers are mixed"));
                }
                Some(last) if start == last[1] => last[1] = end,
                _ => covered.push([start, end]),
            }
        }
        let mut first = [self.first.as_slice(), other.first.as_slice()].concat();
        first.sort_by_key(|difference| difference.input);
        first.truncate(self.question.keep);
        let mut digests = [String::new(), String::new()];
        for (sum, (one, other)) in digests.iter_mut().zip(self.digests.iter().zip(&other.digests)) {
            *sum = hex(digest(one)?.wrapping_add(digest(other)?));
        }
        let too_many = || Problem::new("the reports count more than there can be");
        Ok(Report {
            question: self.question.clone(),
            covered,
            inputs: self.inputs.checked_add(other.inputs).ok_or_else(too_many)?,
            differences: self.differences.checked_add(other.differences).ok_or_else(too_many)?,
            first,
            digests,
        })
    }

    /// The inputs that are not covered, as [`Report::covered`] has those that are.
    pub fn missing(&self) -> Vec<[u64; 2]> {
        let ends = self.covered.iter().map(|run| run[1]);
        let starts = self.covered.iter().map(|run| run[0]).chain([self.question.total]);
        let gaps = std::iter::once(0).chain(ends).zip(starts).map(|(start, end)| [start, end]);
        gaps.filter(|[start, end]| start < end).collect()
    }

    /// Reads a report from JSON.
    ///
    /// # Errors
    /// Text that is no report, a report that contradicts itself.
    pub fn from_json(text: &str) -> Result<Report, Problem> {
        let report: Report = serde_json::from_str(text)
            .map_err(|error| Problem::new(format!("it is not a sweep report: {error}")))?;
        report.sound().then_some(report).ok_or_else(|| Problem::new("the report contradicts itself"))
    }

    /// The report as JSON, the same text for the same report.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists always have a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Whether what it says can be.
    fn sound(&self) -> bool {
        let Question { total, keep, inputs, outputs, .. } = &self.question;
        let ordered = self.covered.windows(2).all(|pair| pair[0][1] < pair[1][0]);
        let runs = self.covered.iter().all(|[start, end]| start < end && end <= total);
        let counted =
            self.covered.iter().try_fold(0u64, |sum, [start, end]| sum.checked_add(end.checked_sub(*start)?));
        let inside = |input: &u64| self.covered.iter().any(|[start, end]| (start..end).contains(&input));
        let found = self.first.windows(2).all(|pair| pair[0].input < pair[1].input)
            && self.first.iter().all(|d| inside(&d.input) && d.values.len() == inputs.len())
            && self.first.iter().all(|d| d.a.len() == outputs.len() && d.b.len() == outputs.len())
            && self.first.len() as u64 == self.differences.min(*keep as u64);
        let digests = self.digests.iter().all(|text| digest(text).is_ok());
        ordered && runs && counted == Some(self.inputs) && self.differences <= self.inputs && found && digests
    }
}

/// Which part of two questions is different.
fn different(one: &Question, other: &Question) -> Option<&'static str> {
    let parts = [
        (one.a == other.a && one.b == other.b, "the sides"),
        (one.inputs == other.inputs, "the values of the inputs"),
        (one.outputs == other.outputs, "the outputs"),
        (one.random == other.random, "how inputs are drawn"),
        (one.keep == other.keep, "how many differences are kept"),
        (one.total == other.total, "the number of inputs"),
    ];
    parts.into_iter().find(|(same, _)| !same).map(|(_, what)| what)
}

/// The text of a digest.
pub(super) fn hex(digest: u128) -> String {
    format!("{digest:032x}")
}

fn digest(text: &str) -> Result<u128, Problem> {
    let digits = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let digest = u128::from_str_radix(text, 16).ok().filter(|_| digits);
    digest.ok_or_else(|| Problem::new(format!("`{text}` is not a digest")))
}
