//! `margay explain`: what there is to know about an instruction or a diagnostic.

use std::cmp::Reverse;
use std::io::{self, Write};

use margay::problem::Problem;
use margay::statement::Statement;
use margay_front::{Code, diag::codes};
use margay_isa::{Page, Semantics, opcodes, pages_of};

use super::{Outcome, Stop, bold, random};

/// Explain an instruction, or the code of a diagnostic
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  margay explain vadd4
  margay explain P101")]
pub struct Options {
    /// An opcode such as `vadd4`, or a code such as `P101`
    what: String,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let bold = bold();
    let what = options.what.as_str();
    if let Some(code) = Code::find(what) {
        diagnostic(code.entry(), out)?;
        return Ok(Outcome::Clean);
    }
    let mut pages = pages_of(what).to_vec();
    pages.sort_by_cached_key(|page| (!page.runs(), section(page)));
    for (at, page) in pages.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        self::page(page, what, out)?;
    }
    if !pages.is_empty() {
        return Ok(Outcome::Clean);
    }
    let Some(known) = opcodes::known(what) else { return Err(unknown(what).into()) };
    writeln!(out, "{bold}{what}{bold:#}: {} (section {} of the manual)", known.title, known.section)?;
    writeln!(out, "\nmargay knows it by name only: legal, but neither described nor run yet.")?;
    Ok(Outcome::Clean)
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

fn diagnostic(entry: &codes::Entry, out: &mut dyn Write) -> io::Result<()> {
    let bold = bold();
    writeln!(out, "{bold}{}: {}{bold:#}\n\n{}", entry.code, entry.title, entry.explanation)?;
    for (title, text) in [("not like this", entry.bad), ("but like this", entry.good)] {
        if !text.is_empty() {
            heading(out, title)?;
            text.lines().try_for_each(|line| writeln!(out, "    {line}"))?;
        }
    }
    Ok(())
}

fn heading(out: &mut dyn Write, title: &str) -> io::Result<()> {
    let bold = bold();
    writeln!(out, "\n{bold}{}{bold:#}", title.to_uppercase())
}

fn page(page: &'static Page, opcode: &str, out: &mut dyn Write) -> io::Result<()> {
    let bold = bold();
    writeln!(
        out,
        "{bold}{}{bold:#}: {} (section {} of the manual)",
        page.opcodes.join(", "),
        page.purpose,
        page.section
    )?;
    if !page.text.is_empty() {
        writeln!(out, "\n{}", page.text)?;
    }
    if !page.runs() {
        writeln!(out, "\nmargay checks it, but does not run it yet.")?;
    }
    heading(out, "forms")?;
    for line in page.lines().iter().filter(|line| line.covers(opcode)) {
        let since = line.source.since.map_or_else(String::new, |floor| format!("    ({floor})"));
        let until = line.source.until.map_or_else(String::new, |floor| format!("    (gone from {floor} on)"));
        writeln!(out, "    {}{since}{until}", line.text_for(opcode))?;
    }
    if !page.sets.is_empty() {
        writeln!(out)?;
    }
    for (name, slot, set) in page.sets {
        let default = page.defaults.iter().find(|(other, _)| other == slot);
        let default = default.map_or_else(String::new, |(_, word)| format!("    (else .{word})"));
        writeln!(out, "    .{name}: {}{default}", set.describe())?;
    }
    for rule in page.rules {
        writeln!(out, "    {}", rule.text)?;
    }
    heading(out, "since")?;
    writeln!(out, "    {}", page.since)?;
    for (word, floor) in page.word_floors {
        writeln!(out, "    .{word}: {floor}")?;
    }
    if !page.examples.is_empty() || !page.refused.is_empty() {
        heading(out, "examples")?;
    }
    for example in page.examples {
        writeln!(out, "    {example}")?;
    }
    for (example, reason) in page.refused {
        writeln!(out, "    {example}\n        refused: {reason}")?;
    }
    if let Some((command, result)) = try_it(page, opcode) {
        heading(out, "try it")?;
        writeln!(out, "    $ {command}\n    {result}")?;
    }
    if !page.errata.is_empty() {
        heading(out, "errata")?;
    }
    for erratum in page.errata {
        writeln!(out, "    the manual: {}\n    margay: {}", erratum.manual, erratum.margay)?;
        if let Some(ptxas) = erratum.ptxas {
            writeln!(out, "    ptxas 13.5: {ptxas}")?;
        }
        writeln!(out)?;
    }
    Ok(())
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
    let digits = place.ty.width().div_ceil(4) as usize;
    Some((
        format!("margay eval '{text}' {}", values.join(" ")),
        format!("{} = 0x{result:0digits$x}", place.name),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::PAGES;

    #[test]
    fn every_page_and_every_code_explains_itself() {
        for page in PAGES {
            for opcode in page.opcodes {
                let mut out = Vec::new();
                self::page(page, opcode, &mut out).unwrap();
                assert!(String::from_utf8(out).unwrap().contains("SINCE"), "{opcode}");
            }
        }
        for code in codes::all() {
            diagnostic(code.entry(), &mut Vec::new()).unwrap();
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
