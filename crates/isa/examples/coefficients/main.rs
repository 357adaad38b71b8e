//! Finds the coefficients of the hardware's approximate functions from what a device computes, and writes their tables.
//!
//! `cargo run --release -p margay-isa --example coefficients -- VALUES.npz [FOLDER]`
//!
//! With the structure of the interpolation given (`src/float/mufu/shape.rs`), every result bounds one sum of three products,
//! and the three coefficients of a row are the integers that satisfy the bounds of all its results. Without a folder it
//! compares what it found with the tables in the source; with one it writes them there.

mod archive;
mod bounds;
#[allow(dead_code, reason = "rows of the hyperbolic tangent were found in another way")]
#[path = "../../src/float/mufu/shape.rs"]
mod shape;
mod solve;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(values), folder, None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("usage: coefficients VALUES.npz [FOLDER]");
        return ExitCode::FAILURE;
    };
    match run(&values, folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(values: &std::path::Path, folder: Option<PathBuf>) -> Result<(), String> {
    let archive = archive::Archive::open(values)?;
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/float/mufu/tables");
    let mut differ = Vec::new();
    for table in table::TABLES {
        let mut rows = Vec::new();
        for part in table.parts {
            let bounds = bounds::of_rows(&archive, table.shape, part)?;
            for (index, bounds) in bounds.iter().enumerate() {
                let solutions = solve::solve(table.shape, bounds);
                let Some(row) = solutions.first() else {
                    return Err(format!(
                        "{} row {index}: no coefficients give all {} results",
                        table.file,
                        bounds.len()
                    ));
                };
                if bounds
                    .iter()
                    .any(|bound| !bound.allows(table.shape.interpolate(*row, bound.low) - table.shape.bias()))
                {
                    return Err(format!("{} row {index}: {row:x?} does not give all results", table.file));
                }
                if solutions.len() > 1 {
                    println!("{} row {index}: {} solutions {solutions:?}", table.file, solutions.len());
                }
                rows.push(*row);
            }
        }
        let text = table::text(table, &rows);
        let name = format!("{}.rs", table.file);
        let (to, write) = match &folder {
            Some(folder) => (folder.join(&name), true),
            None => (here.join(&name), false),
        };
        if write {
            std::fs::write(&to, text).map_err(|e| format!("{}: {e}", to.display()))?;
            println!("wrote {} ({} rows)", to.display(), rows.len());
        } else if std::fs::read_to_string(&to).is_ok_and(|there| there == text) {
            println!("{} holds what was found ({} rows)", to.display(), rows.len());
        } else {
            differ.push(to.display().to_string());
        }
    }
    if differ.is_empty() { Ok(()) } else { Err(format!("not what was found: {}", differ.join(", "))) }
}
