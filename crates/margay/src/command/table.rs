//! Tab-separated tables, read row by row, compressed by gzip or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use margay::problem::Problem;

/// A longer line is taken for no table at all, so that memory stays bounded.
const MAX_LINE: u64 = 1 << 24;

/// A table whose first line names the columns, possibly after `#`; later lines that begin with `#` are comments, and
/// empty lines are left out.
pub struct Table {
    source: Box<dyn BufRead>,
    name: String,
    columns: Vec<String>,
    line: Vec<u8>,
    number: usize,
}

impl Table {
    /// Opens a file, or standard input for `-`, and reads the columns' names.
    pub fn open(file: &Path) -> Result<Self, Problem> {
        if file.as_os_str() == "-" {
            return Table::new(Box::new(io::stdin()), "standard input");
        }
        let named = |reason: &str| Problem::new(format!("cannot read `{}`: {reason}", file.display()));
        let opened = File::open(file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => named("no such file or folder"),
            io::ErrorKind::PermissionDenied => named("permission denied"),
            _ => named(&error.to_string()),
        })?;
        if opened.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(named("it is a folder"));
        }
        Table::new(Box::new(opened), &file.display().to_string())
    }

    fn new(source: Box<dyn Read>, name: &str) -> Result<Self, Problem> {
        let mut source = BufReader::with_capacity(1 << 16, source);
        let start =
            source.fill_buf().map_err(|error| Problem::new(format!("cannot read `{name}`: {error}")))?;
        let source: Box<dyn BufRead> = if start.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(source)))
        } else {
            Box::new(source)
        };
        let mut table =
            Table { source, name: name.to_string(), columns: Vec::new(), line: Vec::new(), number: 0 };
        if !table.read_line()? {
            return Err(Problem::new(format!("`{name}` is empty")).help("its first line names the columns"));
        }
        let line = table.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&table.line);
        let line = line.strip_prefix(b"#").unwrap_or(line);
        let names = String::from_utf8_lossy(line);
        table.columns = names.split('\t').map(|name| name.trim().to_string()).collect();
        Ok(table)
    }

    /// The place of a column that must be there.
    pub fn column(&self, name: &str) -> Result<usize, Problem> {
        self.columns.iter().position(|column| column == name).ok_or_else(|| {
            Problem::new(format!("`{}` has no column `{name}`", self.name)).help(format!(
                "its first line names {}",
                self.columns.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ")
            ))
        })
    }

    /// The columns' names.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The next row, or none after the last.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>, Problem> {
        while self.read_line()? {
            if !self.line.is_empty() && self.line[0] != b'#' {
                return Ok(Some(Row { table: self }));
            }
        }
        Ok(None)
    }

    /// Reads a line without its end.
    fn read_line(&mut self) -> Result<bool, Problem> {
        self.number += 1;
        self.line.clear();
        let read = (&mut self.source).take(MAX_LINE + 1).read_until(b'\n', &mut self.line);
        let count = read.map_err(|error| {
            self.located(match error.kind() {
                io::ErrorKind::UnexpectedEof => "the gzip data ends too early".to_string(),
                io::ErrorKind::IsADirectory => "it is a folder".to_string(),
                _ => error.to_string(),
            })
        })?;
        if count as u64 > MAX_LINE {
            return Err(self.located(format!("the line is longer than {MAX_LINE} bytes")));
        }
        if self.line.ends_with(b"\n") {
            self.line.pop();
        }
        if self.line.ends_with(b"\r") {
            self.line.pop();
        }
        Ok(count > 0)
    }

    fn located(&self, message: impl Into<String>) -> Problem {
        Problem::new(format!("{}:{}: {}", self.name, self.number, message.into()))
    }
}

/// One row of a table.
pub struct Row<'a> {
    table: &'a Table,
}

impl<'a> Row<'a> {
    /// The cells of these columns as they came.
    pub fn cells<const N: usize>(&self, columns: [usize; N]) -> Result<[&'a [u8]; N], Problem> {
        let mut cells = [None; N];
        for (at, cell) in self.table.line.split(|&c| c == b'\t').enumerate() {
            for (place, &column) in columns.iter().enumerate() {
                if column == at {
                    cells[place] = Some(cell);
                }
            }
        }
        if let Some(place) = cells.iter().position(Option::is_none) {
            return Err(self.problem(format!(
                "the row has no cell for column `{}`",
                self.table.columns[columns[place]]
            )));
        }
        Ok(cells.map(Option::unwrap_or_default))
    }

    /// A problem with this row, located.
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        self.table.located(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};

    fn table(text: impl AsRef<[u8]>) -> Result<Table, String> {
        Table::new(Box::new(Cursor::new(text.as_ref().to_vec())), "t").map_err(|p| p.message)
    }

    fn rows(text: impl AsRef<[u8]>, columns: [&str; 2]) -> Result<Vec<(usize, String)>, String> {
        let mut table = table(text)?;
        let columns = [table.column(columns[0]), table.column(columns[1])];
        let [Ok(a), Ok(b)] = columns else { return Err("column".into()) };
        let mut rows = Vec::new();
        while let Some(row) = table.next_row().map_err(|p| p.message)? {
            let [a, b] = row.cells([a, b]).map_err(|p| p.message)?;
            rows.push((
                row.table.number,
                format!("{}|{}", String::from_utf8_lossy(a), String::from_utf8_lossy(b)),
            ));
        }
        Ok(rows)
    }

    #[test]
    fn columns_are_found_by_name() {
        let text = "#x\ty\tz\n# comment\n1\t2\t3\n\n4\t\t6\r\n7\t8\t9";
        let expected = [(3, "3|1".to_string()), (5, "6|4".into()), (6, "9|7".into())];
        assert_eq!(rows(text, ["z", "x"]).unwrap(), expected);
        assert_eq!(rows(text, ["y", "y"]).unwrap()[1].1, "|");
        assert_eq!(rows(&text[1..], ["z", "x"]).unwrap(), expected);
        assert_eq!(rows(text.replace("\r", "").replace("\n", "\r\n"), ["z", "x"]).unwrap(), expected);
    }

    #[test]
    fn what_is_missing_is_said_with_its_line() {
        let problem = table("#x\ty\n").unwrap().column("z").unwrap_err();
        assert_eq!(problem.message, "`t` has no column `z`");
        assert_eq!(problem.help.unwrap(), "its first line names `x`, `y`");
        assert_eq!(
            rows("x\ty\n1\t2\n3\n", ["x", "y"]).unwrap_err(),
            "t:3: the row has no cell for column `y`"
        );
        assert_eq!(table("").err().unwrap(), "`t` is empty");
        assert_eq!(rows("x\ty", ["x", "y"]).unwrap(), []);
    }

    #[test]
    fn gzip_is_known_by_its_first_bytes() {
        let gzip = |text: &str| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let two = [gzip("x\ty\n1\t2\n"), gzip("3\t4\n")].concat();
        assert_eq!(rows(&two, ["x", "y"]).unwrap(), [(2, "1|2".to_string()), (3, "3|4".to_string())]);
        let cut = gzip("x\ty\n1\t2\n");
        let error = rows(&cut[..cut.len() - 4], ["x", "y"]).unwrap_err();
        assert!(error.ends_with("the gzip data ends too early"), "{error}");
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_memory() {
        let endless = io::repeat(b'x');
        let error = Table::new(Box::new(endless), "t").err().unwrap();
        assert!(error.message.contains("longer than"), "{}", error.message);
    }

    #[test]
    fn bytes_that_are_no_text_come_through() {
        let mut table = table(b"x\n\xff\xfe\n").unwrap();
        let row = table.next_row().unwrap().unwrap();
        assert_eq!(row.cells([0]).unwrap(), [&[0xff, 0xfe][..]]);
    }
}
