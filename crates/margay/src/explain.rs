//! What there is to know about an instruction or a diagnostic, as text under headings.

use std::cmp::Reverse;

use margay_front::{Code, diag::codes};
use margay_isa::{Page, Semantics, opcodes, pages_of};

use crate::problem::Problem;
use crate::random;
use crate::statement::Statement;

/// What there is to know about one page of the manual or one diagnostic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// What it is called, such as `vadd4` or `P303: words in a wrong place`.
    pub name: String,
    /// What it is, in a phrase; may be empty.
    pub purpose: String,
    /// What there is to say.
    pub paragraphs: Vec<String>,
    /// Lists below it.
    pub sections: Vec<Section>,
}

/// Lines under a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading, in small letters.
    pub heading: &'static str,
    /// The lines; an empty one parts groups.
    pub lines: Vec<String>,
}

/// Everything that an opcode (`vadd4`) or a code (`P303`) stands for: a page each, those that run first.
///
/// ```
/// let pages = margay::explain::explain("vadd4").unwrap();
/// assert_eq!(pages[0].name, "vadd4, vsub4, vavrg4, vabsdiff4, vmin4, vmax4");
/// assert_eq!(margay::explain::explain("P303").unwrap()[0].sections[0].heading, "not like this");
/// assert_eq!(margay::explain::explain("vad4").unwrap_err().help.unwrap(), "did you mean `vadd4`?");
/// ```
///
/// # Errors
/// If it is neither.
pub fn explain(what: &str) -> Result<Vec<Explanation>, Problem> {
    if let Some(code) = Code::find(what) {
        return Ok(vec![diagnostic(code.entry())]);
    }
    let mut pages = pages_of(what).to_vec();
    pages.sort_by_cached_key(|page| (!page.runs(), section(page)));
    if !pages.is_empty() {
        return Ok(pages.into_iter().map(|page| self::page(page, what)).collect());
    }
    let known = opcodes::known(what).ok_or_else(|| unknown(what))?;
    Ok(vec![Explanation {
        name: what.to_string(),
        purpose: format!("{} (section {} of the manual)", known.title, known.section),
        paragraphs: vec!["margay knows it by name only: legal, but neither described nor run yet.".into()],
        sections: Vec::new(),
    }])
}

impl Explanation {
    /// As text; `bold` marks names and headings.
    pub fn text(&self, bold: impl Fn(&str) -> String) -> String {
        let mut out = bold(&self.name);
        if !self.purpose.is_empty() {
            out += &format!(": {}", self.purpose);
        }
        out.push('\n');
        for paragraph in &self.paragraphs {
            out += &format!("\n{paragraph}\n");
        }
        for section in &self.sections {
            out += &format!("\n{}\n", bold(&section.heading.to_uppercase()));
            for line in &section.lines {
                out += &if line.is_empty() { "\n".to_string() } else { format!("    {line}\n") };
            }
        }
        out
    }
}

/// The manual's section as numbers, for sorting.
fn section(page: &Page) -> Vec<u32> {
    page.section.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect()
}

/// The problem with a name that is neither an instruction nor a code, with the names nearest to it.
pub fn unknown(name: &str) -> Problem {
    if let Some(known) = opcodes::known(name) {
        return Problem::new(format!("margay knows `{name}` by name only"))
            .help(format!("{}: section {} of the manual", known.title, known.section));
    }
    let names = opcodes::OPCODES.iter().map(|opcode| opcode.name).chain(codes::all().map(Code::name));
    // Of names equally near, the longer: a letter is left out more often than mistaken for another.
    let nearest = names.map(|other| (distance(name, other), Reverse(other.len()), other)).min();
    let problem = Problem::new(format!("`{name}` is neither an instruction of PTX nor a code of margay"));
    match nearest {
        Some((distance, _, other)) if distance <= 1 + other.len() / 4 => {
            problem.help(format!("did you mean `{other}`?"))
        }
        _ => problem,
    }
}

/// How many letters must be changed, added, taken away or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    // No name is as long as this, and the text may be.
    if a.len() > 64 {
        return usize::MAX;
    }
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let changed = rows[i][j] + usize::from(a[i] != b[j]);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && (a[i], a[i - 1]) == (b[j - 1], b[j]) {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

fn diagnostic(entry: &codes::Entry) -> Explanation {
    let shown = [("not like this", entry.bad), ("but like this", entry.good)].into_iter();
    let shown = shown.filter(|(_, text)| !text.is_empty());
    Explanation {
        name: format!("{}: {}", entry.code, entry.title),
        purpose: String::new(),
        paragraphs: vec![entry.explanation.to_string()],
        sections: shown.map(|(heading, text)| lines(heading, text.lines().map(String::from))).collect(),
    }
}

fn lines(heading: &'static str, lines: impl Iterator<Item = String>) -> Section {
    Section { heading, lines: lines.collect() }
}

fn page(page: &'static Page, opcode: &str) -> Explanation {
    let mut paragraphs = Vec::new();
    if !page.text.is_empty() {
        paragraphs.push(page.text.to_string());
    }
    if !page.runs() {
        paragraphs.push("margay checks it, but does not run it yet.".to_string());
    }
    let mut sections = vec![lines("forms", forms(page, opcode).into_iter())];
    let floors = page.word_floors.iter().map(|(word, floor)| format!(".{word}: {floor}"));
    sections.push(lines("since", [page.since.to_string()].into_iter().chain(floors)));
    let refused = page
        .refused
        .iter()
        .flat_map(|(example, reason)| [example.to_string(), format!("    refused: {reason}")]);
    sections.push(lines("examples", page.examples.iter().map(|e| e.to_string()).chain(refused)));
    if let Some((command, result)) = try_it(page, opcode) {
        sections.push(lines("try it", [format!("$ {command}"), result].into_iter()));
    }
    sections.push(lines("errata", page.errata.iter().flat_map(told)));
    sections.retain(|section| !section.lines.is_empty());
    Explanation {
        name: page.opcodes.join(", "),
        purpose: format!("{} (section {} of the manual)", page.purpose, page.section),
        paragraphs,
        sections,
    }
}

/// The syntax lines of an opcode, then what the sets in them hold and which rules bind them.
fn forms(page: &Page, opcode: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for line in page.lines().iter().filter(|line| line.covers(opcode)) {
        let since = line.source.since.map_or_else(String::new, |floor| format!("    ({floor})"));
        let until = line.source.until.map_or_else(String::new, |floor| format!("    (gone from {floor} on)"));
        forms.push(format!("{}{since}{until}", line.text_for(opcode)));
    }
    if !page.sets.is_empty() {
        forms.push(String::new());
    }
    for (name, slot, set) in page.sets {
        let default = page.defaults.iter().find(|(other, _)| other == slot);
        let default = default.map_or_else(String::new, |(_, word)| format!("    (else .{word})"));
        forms.push(format!(".{name}: {}{default}", set.describe()));
    }
    forms.extend(page.rules.iter().map(|rule| rule.text.to_string()));
    forms
}

fn told(erratum: &margay_isa::Erratum) -> Vec<String> {
    let mut lines = vec![format!("the manual: {}", erratum.manual), format!("margay: {}", erratum.margay)];
    lines.extend(erratum.ptxas.map(|ptxas| format!("ptxas 13.5: {ptxas}")));
    lines.push(String::new());
    lines
}

/// A command that evaluates an example of the page, and what it prints first.
fn try_it(page: &Page, opcode: &str) -> Option<(String, String)> {
    let of_opcode = page.examples.iter().filter(|text| text.split(['.', ' ']).next() == Some(opcode));
    let statement = of_opcode.filter_map(|text| Statement::parse(text).ok()).next()?;
    let mut random = random::generator(1);
    let elements = statement.element(&statement.results()[0]).width() < statement.results()[0].ty.width();
    let names: Vec<_> = statement.inst().line().operands.iter().map(|operand| operand.name).collect();
    let text = statement.inst().statement(&names);
    let statement = Statement::parse(&text).ok()?;
    let values: Vec<_> = statement
        .sources()
        .map(|place| {
            let digits = place.ty.width() as usize / 4;
            // Small numbers where an operand may count something, so that the result is worth a look.
            let value = if elements || place.name == "a" {
                random() >> (64 - 4 * digits.min(16))
            } else {
                random() % 16
            };
            format!("{}=0x{value:0digits$x}", place.name)
        })
        .collect();
    let args = statement.bind(&values).ok()?;
    let place = statement.results().first()?;
    let result = *statement.compute(Semantics::Manual, &args).first()?;
    Some((
        format!("margay eval '{text}' {}", values.join(" ")),
        format!("{} = {}", place.name, place.hex(result)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::PAGES;

    #[test]
    fn every_page_and_every_code_explains_itself() {
        for opcode in PAGES.iter().flat_map(|page| page.opcodes) {
            for explanation in explain(opcode).unwrap() {
                assert!(explanation.text(|name| name.to_string()).contains("\nSINCE\n"), "{opcode}");
            }
        }
        for code in codes::all() {
            assert!(explain(code.name()).unwrap()[0].name.starts_with(code.name()));
        }
    }

    #[test]
    fn a_slip_is_repaired() {
        assert_eq!(unknown("vad4").help.unwrap(), "did you mean `vadd4`?");
        assert_eq!(unknown("p10").help.unwrap(), "did you mean `P100`?");
        assert_eq!(unknown("somethingelse").help, None);
        assert_eq!(unknown(&"x".repeat(1 << 20)).help, None);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("vmda", "VMAD"), 1);
    }
}
