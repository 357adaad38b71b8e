//! Launch options that PTX source carries in comment lines: `// margay run: OPTIONS`.

mod base;

use crate::problem::Problem;

pub use base::Base;

/// One comment line's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line's number, from 1.
    pub number: usize,
    /// The options as words, shell quoting undone.
    pub words: Vec<String>,
}

/// The options in PTX source, line by line. A line counts if it begins with `//` and then `margay run:`.
///
/// # Errors
/// The number of a line whose quotes are not closed, and what is wrong with it.
///
/// # Examples
/// ```
/// let lines = margay::header::lines("// margay run: --grid 4 --arg 'in=two words.npy'\n.version 8.0\n").unwrap();
/// assert_eq!(lines[0].words, ["--grid", "4", "--arg", "in=two words.npy"]);
/// ```
pub fn lines(text: &str) -> Result<Vec<Line>, (usize, Problem)> {
    written(text)
        .map(|(number, options)| match shlex::split(options) {
            Some(words) => Ok(Line { number, words }),
            None => Err((number, Problem::new("a quote in the options of `margay run:` is not closed"))),
        })
        .collect()
}

/// The number of the first line that carries options, well written or not.
pub fn first_line(text: &str) -> Option<usize> {
    written(text).map(|(number, _)| number).next()
}

/// The options as they are written, with the numbers of their lines.
fn written(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(at, line)| {
        let options = line.trim_start().strip_prefix("//")?.trim_start().strip_prefix("margay run:")?;
        Some((at + 1, options))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        lines(text).unwrap().into_iter().map(|line| line.words).collect()
    }

    #[test]
    fn only_whole_comment_lines_count() {
        let text = "//margay run: --grid 2\r\n  //  margay run:--block 32 # all\n// a margay run: --x\nadd; // margay run: --y\n";
        assert_eq!(words(text), [vec!["--grid", "2"], vec!["--block", "32"]]);
        assert_eq!(lines(text).unwrap()[1].number, 2);
        assert_eq!(words(""), Vec::<Vec<String>>::new());
        assert_eq!(words("// margay run:"), [Vec::<String>::new()]);
        assert_eq!((first_line("\n// margay run: 'a"), first_line("// run: --grid 2")), (Some(2), None));
    }

    #[test]
    fn quoting_is_the_shells() {
        assert_eq!(words(r#"// margay run: 'a b' "c\"d" e\ f"#), [["a b", "c\"d", "e f"]]);
        let (number, problem) = lines("\n// margay run: 'a").unwrap_err();
        assert_eq!((number, problem.message.contains("not closed")), (2, true));
    }
}
