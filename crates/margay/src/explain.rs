//! What there is to know about an instruction or a diagnostic, as text under headings.

use margay_front::{Code, diag::codes};
use margay_isa::{Page, fidelities, pages_of};

use crate::problem::Problem;

pub(crate) mod fragments;
mod shown;
mod topics;

use shown::try_it;
use topics::special_register;
pub use topics::{code_meant, topics, unknown};

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

/// Everything that an opcode (`vadd4`), a special register (`%tid`) or a code (`P303`) stands for: a page each, those that run first.
/// Modifiers after an opcode (`add.sat.s32`) are left aside, but for instructions on matrices: the first form that has them comes
/// first, with a table of who holds which element.
///
/// ```
/// let pages = margay::explain::explain("vadd4").unwrap();
/// assert_eq!(pages[0].name, "vadd4, vsub4, vavrg4, vabsdiff4, vmin4, vmax4");
/// assert_eq!(margay::explain::explain("P303").unwrap()[0].sections[0].heading, "wrong");
/// assert_eq!(margay::explain::explain("vad4").unwrap_err().help.unwrap(), "did you mean `vadd4`?");
/// ```
///
/// # Errors
/// If it is none of these, or an instruction on matrices with modifiers that no form of it has.
pub fn explain(what: &str) -> Result<Vec<Explanation>, Problem> {
    if let Some(code) = Code::find(what) {
        return Ok(vec![diagnostic(code.entry())]);
    }
    if let Some(special) = special_register(what) {
        return Ok(vec![special]);
    }
    let opcode = what.split('.').next().unwrap_or(what);
    let mut pages = pages_of(opcode).to_vec();
    pages.sort_by_cached_key(|page| (!page.runs(), section(page)));
    if !pages.is_empty() {
        let drawn = fragments::matrices(&pages, what.trim_end_matches(';'))?;
        return Ok(drawn.into_iter().chain(pages.into_iter().map(|page| self::page(page, opcode))).collect());
    }
    Err(unknown(what))
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

fn diagnostic(entry: &codes::Entry) -> Explanation {
    let shown = [("wrong", entry.bad), ("right", entry.good)].into_iter();
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
    } else if page.open.is_some() {
        paragraphs.push("margay checks all forms, but does not run all of them yet.".to_string());
    }
    let mut sections = vec![lines("forms", forms(page, opcode).into_iter())];
    let fidelities = fidelities(page, opcode);
    sections.push(lines(
        "results",
        fidelities.iter().map(|(line, fidelity)| format!("{}: {fidelity}", line.text_for(opcode))),
    ));
    let floors = page.word_floors.iter().map(|(word, floor)| format!(".{word}: {floor}"));
    sections.push(lines("since", [page.since.to_string()].into_iter().chain(floors)));
    let refused = page
        .refused
        .iter()
        .flat_map(|(example, reason)| [example.to_string(), format!("    refused: {reason}")]);
    sections.push(lines("examples", page.examples.iter().map(|e| e.to_string()).chain(refused)));
    if let Some((command, result)) = try_it(page, opcode) {
        sections.push(lines("try it", [format!("$ {command}")].into_iter().chain(result)));
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
        let until = line.source.until.map_or_else(String::new, |floor| format!("    (removed in {floor})"));
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
}
