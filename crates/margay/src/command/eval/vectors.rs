//! `margay eval --vectors`: a table of statements, values and results.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use margay::count::counted;
use margay::problem::Problem;
use margay::statement::Statement;
use margay_isa::{Bits, Semantics};

use super::bounds::Bounds;
use crate::command::table::{Row, Table};
use crate::command::{Outcome, Stop};

/// A statement of the table, and the column of each placeholder.
struct Form {
    statement: Statement,
    columns: Vec<(String, usize)>,
}

/// What tables call the last operand where the manual gives it a name of more than one letter, as `rbits`.
const LAST: &str = "e";

/// So many forms are kept read; real tables have a few thousand.
const KEPT: usize = 1 << 16;

pub fn run(
    file: &Path,
    semantics: Semantics,
    expect: Option<&str>,
    out: &mut dyn Write,
) -> Result<Outcome, Stop> {
    let mut table = Table::open(file)?;
    let expect = expect.unwrap_or(match semantics {
        Semantics::Manual | Semantics::Rounded => "doc",
        Semantics::Ptxas13_5 => "ptxas",
    });
    let wanted = [table.column("form")?, table.column(expect)?];
    let columns = table.columns().to_vec();
    let bounds = Bounds::of(&columns, expect, semantics);
    let mut forms: HashMap<Vec<u8>, Result<Form, String>> = HashMap::new();
    let (mut rows, mut mismatches, mut open) = (0u64, 0u64, 0u64);
    while let Some(row) = table.next_row()? {
        let [text, expected] = row.cells(wanted)?;
        if !forms.contains_key(text) {
            if forms.len() >= KEPT {
                forms.clear();
            }
            forms.insert(text.to_vec(), read(text, &columns));
        }
        rows += 1;
        if expected == b"-" {
            open += 1;
            continue;
        }
        let Some(verdict) = forms.get(text).map(|form| judge(form, &row, expected, &bounds, semantics))
        else {
            continue;
        };
        if let Some(difference) = verdict? {
            mismatches += 1;
            writeln!(out, "{}", row.problem(format!("{}: {difference}", String::from_utf8_lossy(text))))?;
        }
    }
    let left = if open == 0 { String::new() } else { format!(", {open} without a result to compare with") };
    writeln!(out, "{}, {}{left}", counted(rows, "vector"), counted(mismatches, "mismatch"))?;
    Ok(if mismatches == 0 { Outcome::Clean } else { Outcome::Findings })
}

fn read(text: &[u8], columns: &[String]) -> Result<Form, String> {
    let text = str::from_utf8(text).map_err(|_| "the form is not UTF-8".to_string())?;
    let statement = Statement::parse(text).map_err(|refusal| refusal.message().to_string())?;
    let names = statement.placeholders();
    let called = |name: &str| columns.iter().position(|column| column == name);
    let columns = names.iter().copied().map(|name| {
        let is_last = name.len() > 1 && names.last() == Some(&name) && !names.contains(&LAST);
        let column = called(name).or_else(|| called(LAST).filter(|_| is_last));
        column.map(|at| (name.to_string(), at)).ok_or_else(|| format!("the table has no column `{name}`"))
    });
    Ok(Form { columns: columns.collect::<Result<_, _>>()?, statement })
}

/// What is different, if something is.
fn judge(
    form: &Result<Form, String>,
    row: &Row,
    expected: &[u8],
    bounds: &Bounds,
    semantics: Semantics,
) -> Result<Option<String>, Problem> {
    let form = match form {
        Ok(form) => form,
        Err(reason) => return Ok(Some(reason.clone())),
    };
    let expected = hex(expected).ok_or_else(|| {
        let problem = row.problem(format!("`{}` is not a hex number", String::from_utf8_lossy(expected)));
        problem.help("write `0x` and hex digits")
    })?;
    let mut cells = Vec::with_capacity(form.columns.len());
    for (name, column) in &form.columns {
        let [cell] = row.cells([*column])?;
        cells.push((name.as_str(), String::from_utf8_lossy(cell)));
    }
    let cell = |name: &str| cells.iter().find(|(other, _)| *other == name).map_or("", |(_, cell)| cell);
    let args = form.statement.args(cell).map_err(|problem| row.problem(problem.message))?;
    let result = form.statement.in_one(semantics, &args);
    let allowed = bounds.of_row(row)?;
    if allowed.has(form.statement.judged().ty, result, expected) {
        return Ok(None);
    }
    let values: Vec<_> = cells.iter().map(|(name, cell)| format!("{name}={cell}")).collect();
    Ok(Some(format!("{} gives {result:#x}, not {expected:#x}{allowed}", values.join(" "))))
}

pub(super) fn hex(cell: &[u8]) -> Option<Bits> {
    let digits = cell.strip_prefix(b"0x").filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    Bits::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}
