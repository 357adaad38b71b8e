//! Matrices as people give them: one number for all elements, rows in braces, or a file.

use std::path::Path;

use super::{Entry, Input};
use crate::arg::Wanted;
use crate::count::counted;
use crate::element::Element;
use crate::format::{Layout, insist, load};
use crate::problem::Problem;
use crate::shape::Shape;

/// The elements of a matrix, row by row.
pub fn elements(input: &Input, text: &str) -> Result<Vec<u64>, Problem> {
    let text = text.trim();
    if text.starts_with('{') {
        return literal(input, text);
    }
    let number = input.entry.read(text);
    match number {
        Ok(bits) => Ok(vec![bits; input.count()]),
        Err(problem) if looks_like_a_number(text) && !Path::new(text).exists() => {
            Err(problem.within(format!("`{}`", input.name)))
        }
        Err(_) => file(input, Path::new(text)),
    }
}

/// What the input takes, for help.
pub fn wanted(input: &Input) -> String {
    let Input { rows, columns, entry, .. } = input;
    let number = match entry {
        Entry::Float(..) => "1.5",
        _ => "1",
    };
    match (rows, columns) {
        (1, 1) => format!("write a number, as in `{}={number}`", input.name),
        (_, 1) => format!("write a number, {rows} of them in braces, or a file of `{}`", input.shape()),
        _ => format!(
            "write a number for all elements, rows as in `{{{{1,2}},{{3,4}}}}`, of which what is left out is zero, or a file of `{}`",
            input.shape()
        ),
    }
}

fn looks_like_a_number(text: &str) -> bool {
    text.is_empty()
        || text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
            && !text.starts_with("./")
            && !text.starts_with("..")
}

/// Rows in braces, zeros where they end early, as in C.
fn literal(input: &Input, text: &str) -> Result<Vec<u64>, Problem> {
    let Input { name, rows, columns, .. } = input;
    let unreadable = || Problem::new(format!("the matrix of `{name}` cannot be read")).help(wanted(input));
    let lines = items(text).ok_or_else(unreadable)?;
    let is_flat = lines.iter().all(|line| !line.starts_with('{'));
    let lines: Vec<Vec<&str>> = match (is_flat, rows, columns) {
        (true, 1, _) => vec![lines],
        (true, _, 1) => lines.into_iter().map(|item| vec![item]).collect(),
        (true, ..) => {
            let problem = Problem::new(format!("the matrix of `{name}` has no rows in braces"));
            return Err(problem.help(wanted(input)));
        }
        _ => lines.into_iter().map(|line| items(line).ok_or_else(unreadable)).collect::<Result<_, _>>()?,
    };
    let longest = lines.iter().map(Vec::len).max().unwrap_or(0);
    if lines.len() > *rows || longest > *columns {
        let message = format!(
            "`{name}` has {} of {} at most, not {}",
            counted(*rows, "row"),
            counted(*columns, "element"),
            given(lines.len(), longest)
        );
        return Err(Problem::new(message).help(wanted(input)));
    }
    let mut elements = vec![0; input.count()];
    for (row, line) in lines.iter().enumerate() {
        for (column, item) in line.iter().enumerate() {
            let at = || format!("row {row}, column {column} of `{name}`");
            elements[row * columns + column] =
                input.entry.read(item).map_err(|problem| problem.within(at()))?;
        }
    }
    Ok(elements)
}

fn given(rows: usize, longest: usize) -> String {
    format!("{} of {}", rows, longest)
}

/// What stands between a text's braces, cut at its own commas. None if braces do not match.
fn items(text: &str) -> Option<Vec<&str>> {
    let inside = text.strip_prefix('{')?.strip_suffix('}')?;
    let (mut items, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                items.push(inside[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = inside[start..].trim();
    if !last.is_empty() {
        items.push(last);
    }
    (depth == 0 && items.iter().all(|item| !item.is_empty())).then_some(items)
}

/// The elements in a file of exactly this type and shape.
fn file(input: &Input, file: &Path) -> Result<Vec<u64>, Problem> {
    let Input { rows, columns, entry, name, .. } = input;
    let help = |problem: Problem| problem.help(wanted(input));
    let loaded = load(file).map_err(|problem| match problem.help {
        None => help(problem),
        Some(_) => problem,
    })?;
    let mut stored = entry.stored();
    // What a `.tf32` register holds may be any `.f32`.
    let single = Element::named("f32").filter(|single| {
        stored.is_foreign() && stored.bits() == 32 && loaded.layout.element() == Some(*single)
    });
    stored = single.unwrap_or(stored);
    let shape = Shape::new(stored, vec![*rows as u64, *columns as u64])?;
    insist(&loaded.layout, &Wanted::Shape(shape), file).map_err(|problem| {
        let message = format!("{}, as `{name}` wants", problem.message);
        Problem::new(message).help("convert the file, or cut it to the matrix's shape")
    })?;
    let by_columns = matches!(&loaded.layout, Layout::Npy(header) if header.column_major());
    if !by_columns {
        return of_bytes(input, &loaded.bytes);
    }
    let items: Vec<&[u8]> = loaded.bytes.chunks_exact(stored.bytes()).collect();
    let by_rows = (0..items.len()).flat_map(|at| items[at % columns * rows + at / columns]);
    of_bytes(input, &by_rows.copied().collect::<Vec<u8>>())
}

/// The elements that bytes hold, row by row and little-endian, each in as many bytes as it has in files.
pub fn of_bytes(input: &Input, bytes: &[u8]) -> Result<Vec<u64>, Problem> {
    let Input { columns, entry, name, .. } = input;
    let stored = entry.stored();
    if bytes.len() != input.count() * stored.bytes() {
        let message = format!("`{name}` has {}, not {}", input.shape(), counted(bytes.len(), "byte"));
        return Err(Problem::new(message));
    }
    let taken = |(at, bytes): (usize, &[u8])| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word);
        entry.taken(bits).ok_or_else(|| {
            let (row, column) = (at / columns, at % columns);
            let shown = stored.value(bits);
            Problem::new(format!(
                "row {row}, column {column} of `{name}`: `{shown}` does not fit `{}`",
                entry.name()
            ))
        })
    };
    bytes.chunks_exact(stored.bytes()).enumerate().map(taken).collect()
}
