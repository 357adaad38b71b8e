//! What there is to know about instructions and diagnostics, and evaluations with their stages, as Python's plain values.

use margay::evaluation::Evaluation;
use margay::explain::{explain as explanations, unknown};
use margay::front::Source;
use margay::isa::{Semantics, forms as all, pages_of};
use margay::problem::Problem;
use margay::random;
use margay::statement::{Refusal, Statement};
use pyo3::prelude::*;

use crate::raise;

/// Name, purpose, paragraphs, sections (heading and lines), text.
type Page = (String, String, Vec<String>, Vec<(&'static str, Vec<String>)>, String);

/// The pages of an opcode or a code; see `margay.explain`.
#[pyfunction]
pub fn explain(py: Python, what: &str) -> PyResult<Vec<Page>> {
    let pages = explanations(what).map_err(|problem| raise::call_error(py, &problem))?;
    let page = |page: margay::explain::Explanation| {
        let text = page.text(|name| name.to_string());
        let sections = page.sections.into_iter().map(|section| (section.heading, section.lines)).collect();
        (page.name, page.purpose, page.paragraphs, sections, text)
    };
    Ok(pages.into_iter().map(page).collect())
}

/// Purpose, stages (name, value, note), results (text, number, elements), differences, text.
type Evaluated = (
    &'static str,
    Vec<(String, String, String)>,
    Vec<(String, Option<i128>, Vec<String>)>,
    Vec<String>,
    String,
);

/// Evaluates one instruction on values, `NAME=VALUE` each or in the order of its placeholders; see `margay.explain`.
#[pyfunction]
#[pyo3(signature = (text, values, named, semantics, approx=None))]
pub fn evaluate(
    py: Python,
    text: &str,
    values: Vec<String>,
    named: Vec<String>,
    semantics: &str,
    approx: Option<&str>,
) -> PyResult<Evaluated> {
    let semantics = self::semantics(py, semantics, approx, raise::call_error)?;
    let statement = Statement::parse(text).map_err(|refusal| match refusal {
        Refusal::Form(problem) => raise::call_error(py, &problem),
        Refusal::Text(found) => raise::ptx_error(py, &Source::new("statement", text), &found),
    })?;
    let wrong = |problem: Problem| raise::call_error(py, &problem);
    let names = statement.placeholders();
    if values.len() > names.len() {
        let (wanted, given) = (names.len(), values.len());
        let plural = if wanted == 1 { "" } else { "s" };
        let message = format!("the instruction takes {wanted} value{plural}, but {given} are given");
        return Err(wrong(Problem::new(message).help(format!("in this order: {}", names.join(", ")))));
    }
    let ordered = names.iter().zip(values).map(|(name, value)| format!("{name}={value}"));
    let args = statement.bind(&ordered.chain(named).collect::<Vec<_>>()).map_err(wrong)?;
    let evaluation = Evaluation::new(&statement, semantics, &args);
    let text = evaluation.text(|result| result.to_string());
    let stages = evaluation.stages.into_iter().map(|stage| (stage.name, stage.value, stage.note));
    let results = evaluation.results.into_iter().map(|r| (r.text, r.number, r.elements));
    Ok((evaluation.purpose, stages.collect(), results.collect(), evaluation.differences, text))
}

/// The forms of an opcode; see `margay.forms`.
#[pyfunction]
pub fn forms(py: Python, name: &str, sample: Option<usize>, seed: u64) -> PyResult<Vec<String>> {
    let pages = pages_of(name);
    if pages.is_empty() {
        return Err(raise::call_error(py, &unknown(name)));
    }
    let mut random = random::generator(seed);
    let Some(count) = sample else {
        let forms = pages.iter().flat_map(|page| all::forms(page, name, 0, &mut random));
        // The debug form is the statement with the manual's operand names.
        return Ok(forms.map(|form| format!("{form:?}")).collect());
    };
    let mut drawn = Vec::new();
    for _ in 0..count {
        let page = pages[random() as usize % pages.len()];
        let opcode = page.opcodes.iter().find(|opcode| **opcode == name).copied().unwrap_or_default();
        drawn.push(format!("{:?}", all::random_form(page, opcode, &mut random)));
    }
    Ok(drawn)
}

/// The reading that both names choose; without the second, approximate functions are as the first has them.
pub fn semantics(
    py: Python,
    name: &str,
    approx: Option<&str>,
    wrong: fn(Python, &Problem) -> PyErr,
) -> PyResult<Semantics> {
    let refused = |message: String, help: &str| Err(wrong(py, &Problem::new(message).help(help)));
    if let Some(other) = approx.filter(|approx| !["device", "rounded"].contains(approx)) {
        let message = format!("there are no results `{other}` of approximate functions");
        return refused(message, "write `device` or `rounded`");
    }
    match (name, approx) {
        ("manual", Some("rounded")) => Ok(Semantics::Rounded),
        ("manual", _) => Ok(Semantics::Manual),
        ("ptxas-13.5", None) => Ok(Semantics::Ptxas13_5),
        ("ptxas-13.5", Some(approx)) => refused(
            format!("`approx=\"{approx}\"` does not go with `semantics=\"ptxas-13.5\"`"),
            "leave out one of them: ptxas rounds approximate functions of literals, others are a device's",
        ),
        _ => refused(format!("there are no semantics `{name}`"), "write `manual` or `ptxas-13.5`"),
    }
}
