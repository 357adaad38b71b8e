//! A command that evaluates an instruction with values that show what it does, and what the command prints.

use margay_isa::{Bits, Page, Semantics};

use crate::evaluation::Evaluation;
use crate::random;
use crate::statement::Statement;

/// The command for an opcode of a page and the lines that it prints; none where an example cannot be evaluated.
pub fn try_it(page: &Page, opcode: &str) -> Option<(String, Vec<String>)> {
    let (text, values) = chosen(page, opcode).or_else(|| drawn(page, opcode))?;
    let statement = Statement::parse(&text).ok()?;
    let values: Vec<_> = statement
        .sources()
        .zip(values)
        .map(|(place, value)| {
            format!("{}={}", place.name, if value < 256 { value.to_string() } else { place.hex(value) })
        })
        .collect();
    let args = statement.bind(&values).ok()?;
    let evaluation = Evaluation::new(&statement, Semantics::Manual, &args);
    let results: String = evaluation.results.iter().map(|result| result.show(str::to_string)).collect();
    Some((
        format!("margay eval '{text}' {}", values.join(" ")),
        results.lines().map(str::to_string).collect(),
    ))
}

fn is_of(text: &str, opcode: &str) -> bool {
    text.split(['.', ' ']).next() == Some(opcode)
}

/// The statement and the values that the page chose.
fn chosen(page: &Page, opcode: &str) -> Option<(String, Vec<Bits>)> {
    let (text, values) = page.shown.iter().find(|(text, _)| is_of(text, opcode))?;
    Some((text.to_string(), values.to_vec()))
}

/// The page's first example of the opcode that can be evaluated, with small numbers where an operand may count something.
fn drawn(page: &Page, opcode: &str) -> Option<(String, Vec<Bits>)> {
    let mut examples = page.examples.iter().filter(|text| is_of(text, opcode));
    let statement = examples.find_map(|text| Statement::parse(text).ok())?;
    let names: Vec<_> = statement.inst().line().operands.iter().map(|operand| operand.name).collect();
    let text = statement.inst().statement(&names);
    let statement = Statement::parse(&text).ok()?;
    let mut random = random::generator(1);
    let value = |place: &crate::statement::Place| match place.name == "a" {
        true => u128::from(random()) & u128::MAX >> (128 - place.ty.width().min(128)),
        false => u128::from(random() % 16) & ((1 << place.ty.width().min(4)) - 1),
    };
    let values = statement.sources().map(value).collect();
    Some((text, values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::PAGES;

    #[test]
    fn every_integer_and_video_instruction_is_shown_with_chosen_values_and_its_stages() {
        let judged = PAGES
            .iter()
            .filter(|page| page.section.starts_with("9.7.1.") || page.section.starts_with("9.7.18."));
        let mut count = 0;
        for (page, opcode) in judged.flat_map(|page| page.opcodes.iter().map(move |opcode| (page, opcode))) {
            let (text, values) = chosen(page, opcode).unwrap_or_else(|| panic!("{opcode} shows nothing"));
            let statement =
                Statement::parse(&text).unwrap_or_else(|refusal| panic!("{text}: {}", refusal.message()));
            assert_eq!(statement.sources().count(), values.len(), "{text}");
            let mut args = margay_isa::Args::default();
            args[..values.len()].copy_from_slice(&values);
            assert!(!statement.stages(Semantics::Manual, &args).is_empty(), "{text} has no stages");
            assert!(try_it(page, opcode).unwrap().0.contains(&text));
            count += 1;
        }
        assert_eq!(count, 48);
    }

    #[test]
    fn every_instruction_on_floating_point_that_runs_is_shown_with_chosen_values() {
        let chapters = ["9.7.3.", "9.7.4.", "9.7.5."];
        let judged = PAGES.iter().filter(|page| chapters.iter().any(|c| page.section.starts_with(c)));
        let mut count = 0;
        for page in judged.filter(|page| page.runs()) {
            let opcode = page.opcodes[0];
            let (text, values) = chosen(page, opcode).unwrap_or_else(|| panic!("{opcode} shows nothing"));
            let statement =
                Statement::parse(&text).unwrap_or_else(|refusal| panic!("{text}: {}", refusal.message()));
            assert_eq!(statement.sources().count(), values.len(), "{text}");
            assert!(try_it(page, opcode).unwrap().0.contains(&text));
            count += 1;
        }
        assert!(count >= 25, "{count}");
    }
}
