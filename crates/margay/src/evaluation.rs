//! One instruction on one set of values: what came of it, and by which stages.

use margay_isa::float::{Format, Shown};
use margay_isa::{Args, AtomicSpace, Bits, Kind, Semantics};

use crate::statement::{Statement, errata, result_type};

/// An instruction, evaluated.
///
/// ```
/// use margay::{evaluation::Evaluation, statement::Statement};
/// use margay_isa::Semantics;
/// let statement = Statement::parse("vset.s32.u32.lt d, a.b3, b.h1").unwrap();
/// let args = statement.bind(&["a=0x80ff7f01".into(), "b=0x01020304".into()]).unwrap();
/// let evaluation = Evaluation::new(&statement, Semantics::Manual, &args);
/// assert_eq!(evaluation.results[0].text, "d = 0x00000001");
/// assert_eq!(evaluation.stages[2].text(), "ta = -128    (.b3, signed)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// What the instruction is for, in a phrase.
    pub purpose: &'static str,
    /// The values that came in, then the stages as the manual has them.
    pub stages: Vec<Stage>,
    /// The results that somebody wants.
    pub results: Vec<Outcome>,
    /// What another reading gives, and the errata that show with these values: a line each.
    pub differences: Vec<String>,
}

/// A value on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Its name, with its element if it is one of several (`ta[2]`).
    pub name: String,
    /// Its value: `0x0000002a = 42`.
    pub value: String,
    /// What is to be said of it; may be empty.
    pub note: String,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Name and bits: `d = 0x0000002a`.
    pub text: String,
    /// As a number, if it is an integer.
    pub number: Option<i128>,
    /// As a number, if it is a floating-point one: the shortest decimal that rounds to it, with its class where that is a
    /// special one (`1e-45 (subnormal)`).
    pub floating: Option<String>,
    /// Its elements, if it has several, the highest first as in the hex digits: `.b3 0x00 = 0`.
    pub elements: Vec<String>,
}

impl Stage {
    /// As a line.
    pub fn text(&self) -> String {
        let note = if self.note.is_empty() { String::new() } else { format!("    ({})", self.note) };
        format!("{} = {}{note}", self.name, self.value)
    }
}

impl Evaluation {
    /// Evaluates a statement on the values of its sources.
    pub fn new(statement: &Statement, semantics: Semantics, args: &Args) -> Evaluation {
        Evaluation {
            purpose: statement.inst().page().purpose,
            stages: stages(statement, semantics, args),
            results: results(statement, semantics, args),
            differences: differences(statement, semantics, args),
        }
    }

    /// As text with all stages; `bold` marks results.
    pub fn text(&self, bold: impl Fn(&str) -> String) -> String {
        let stages: String = self.stages.iter().map(|stage| format!("    {}\n", stage.text())).collect();
        let results: String = self.results.iter().map(|result| result.show(&bold)).collect();
        let differences: String = self.differences.iter().map(|line| format!("{line}\n")).collect();
        format!("{}\n{stages}{results}{differences}", self.purpose)
    }
}

impl Outcome {
    /// As lines; `bold` marks name and bits.
    pub fn show(&self, bold: impl Fn(&str) -> String) -> String {
        let number = self.number.map(|number| number.to_string()).or(self.floating.clone());
        let number = number.map_or_else(String::new, |number| format!(" = {number}"));
        let elements: String = self.elements.iter().map(|element| format!("    {element}\n")).collect();
        format!("{}{number}\n{elements}", bold(&self.text))
    }
}

fn stages(statement: &Statement, semantics: Semantics, args: &Args) -> Vec<Stage> {
    let mut stages = Vec::new();
    for (place, bits) in statement.given(args) {
        let value = match (place.ty.kind, Format::of(place.ty)) {
            (Kind::Unsigned | Kind::Signed, _) if place.ty.lanes == 1 => {
                format!("{} = {}", place.hex(bits), place.ty.value(bits))
            }
            (_, Some(format)) if place.ty.lanes == 1 && statement.changes_memory().is_some() => {
                format!("{} = {}", place.hex(bits), floating(format, bits))
            }
            _ => place.hex(bits),
        };
        stages.push(Stage { name: place.name.clone(), value, note: String::new() });
    }
    // The first source is the value at the address.
    if let (Some(space), Some(first)) = (statement.changes_memory(), stages.first_mut()) {
        first.note = match space {
            AtomicSpace::Global => "in global memory before".to_string(),
            AtomicSpace::Shared => "in shared memory before".to_string(),
        };
    }
    for step in statement.stages(semantics, args) {
        let name = match step.element {
            None => step.name.to_string(),
            Some(element) if step.name.contains(' ') && !step.name.contains('=') => {
                format!("({})[{element}]", step.name)
            }
            Some(element) => format!("{}[{element}]", step.name),
        };
        stages.push(Stage { name, value: step.value.to_string(), note: step.note });
    }
    stages
}

/// The results in hex and as numbers: one, or one for each element.
fn results(statement: &Statement, semantics: Semantics, args: &Args) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for (place, bits) in statement.results().iter().zip(statement.compute(semantics, args)) {
        if place.name == "_" {
            continue;
        }
        let mut outcome = Outcome {
            text: format!("{} = {}", place.name, place.hex(bits)),
            number: None,
            floating: None,
            elements: Vec::new(),
        };
        let element = statement.element(place);
        if element.is_integer() {
            let ty = result_type(statement.inst(), element);
            let count = place.ty.width() / ty.bits;
            let letter = if ty.bits == 8 { 'b' } else { 'h' };
            let digits = ty.bits as usize / 4;
            let part = |at: u32| {
                let part = bits >> (at * ty.bits) & ty.mask();
                format!(".{letter}{at} 0x{part:0digits$x} = {}", ty.value(part))
            };
            match count {
                // An untyped result is shown as the unsigned number it is.
                0 | 1 => outcome.number = Some(ty.value(bits)),
                _ => outcome.elements = (0..count).rev().map(part).collect(),
            }
        }
        if let Some(format) = place.format().filter(|format| format.bits <= element.bits) {
            let digits = element.bits.div_ceil(4) as usize;
            let part = |at: u32| {
                let part = bits >> (at * element.bits) & format.mask();
                format!("[{at}] 0x{part:0digits$x} = {}", floating(format, part))
            };
            match place.ty.width() / element.bits {
                0 | 1 => outcome.floating = Some(floating(format, bits)),
                count => outcome.elements = (0..count).rev().map(part).collect(),
            }
        }
        outcomes.push(outcome);
    }
    outcomes
}

/// A pattern as a number, with what is special about it.
fn floating(format: &'static Format, bits: Bits) -> String {
    let class = if format.is_subnormal(bits) { " (subnormal)" } else { "" };
    format!("{}{class}", Shown { format, bits })
}

/// What the other reading gives, and the errata that show.
fn differences(statement: &Statement, semantics: Semantics, args: &Args) -> Vec<String> {
    let approximate = statement.inst().page().approximate.is_some();
    let (other, whose) = match semantics {
        Semantics::Manual if approximate => {
            (Semantics::Ptxas13_5, "ptxas 13.5, where operands are literals,")
        }
        Semantics::Manual => (Semantics::Ptxas13_5, "ptxas 13.5"),
        Semantics::Rounded | Semantics::Ptxas13_5 if approximate => (Semantics::Manual, "a device"),
        Semantics::Rounded | Semantics::Ptxas13_5 => (Semantics::Manual, "the manual"),
    };
    let mut lines = Vec::new();
    let (ours, theirs) = (statement.compute(semantics, args), statement.compute(other, args));
    for (place, (ours, theirs)) in statement.results().iter().zip(ours.into_iter().zip(theirs)) {
        if ours != theirs {
            lines.push(format!("{whose} gives {} = {}", place.name, place.hex(theirs)));
        }
    }
    let differs = !lines.is_empty();
    let inst = statement.inst();
    let shown = errata(inst).filter(|erratum| erratum.shows(inst, args, differs));
    lines.extend(shown.map(|erratum| format!("erratum: {}", erratum.told())));
    lines
}
