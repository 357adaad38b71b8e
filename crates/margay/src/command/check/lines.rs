//! `margay check --lines`: a verdict for each row of a table of instructions.

use std::io::{self, Write};
use std::path::Path;

use margay::count::counted;
use margay::problem::Problem;
use margay_front::Source;
use margay_front::judge::Judge;

use crate::command::table::Table;
use crate::command::{Outcome, Stop, show};

pub fn run(file: &Path, prelude: &str, expect: Option<&str>, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let mut judge = Judge::new(prelude).map_err(|diagnostics| {
        show(&Source::new("prelude", prelude), &diagnostics);
        Problem::new("the declarations of `--prelude` are wrong")
    })?;
    let mut table = Table::open(file)?;
    let columns = [table.column("instruction")?, table.column("version")?, table.column("target")?];
    let expect = expect.map(|name| table.column(name)).transpose()?;
    let (mut rows, mut differences) = (0u64, 0u64);
    while let Some(row) = table.next_row()? {
        let cells = row.cells(columns)?;
        let [instruction, version, target] = cells.map(String::from_utf8_lossy);
        let verdict = judge.judge(&instruction, &version, &target);
        rows += 1;
        if let Some(column) = expect {
            let [wanted] = row.cells([column])?;
            let wanted = match wanted {
                b"1" => true,
                b"0" => false,
                other => {
                    let other = String::from_utf8_lossy(other);
                    return Err(row.problem(format!("`{other}` is not a verdict: expected 1 or 0")).into());
                }
            };
            differences += u64::from(wanted != verdict.accepted);
        }
        for cell in cells {
            out.write_all(cell)?;
            out.write_all(b"\t")?;
        }
        let codes: Vec<_> = verdict.codes.iter().map(|code| code.name()).collect();
        // A message may quote the row, and the row may hold anything.
        let message: String = verdict.message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(out, "{}\t{}\t{message}", u8::from(verdict.accepted), codes.join(","))?;
    }
    if expect.is_none() {
        return Ok(Outcome::Clean);
    }
    out.flush()?;
    let _ = writeln!(io::stderr(), "{}, {}", counted(rows, "row"), counted(differences, "difference"));
    Ok(if differences == 0 { Outcome::Clean } else { Outcome::Findings })
}
