//! Templates of inline assembly: operands put in, and the way back from the text that comes of it.

use margay_front::{Source, Span};

use super::Refusal;
use super::constraints::{Constraints, Operand, Role};
use crate::problem::Problem;

/// PTX text that was made of a template.
#[derive(Debug)]
pub struct Expanded {
    /// The text.
    pub text: String,
    /// What it was made of, in order and without gaps.
    runs: Vec<Run>,
    /// What stands before the number in the names of registers.
    sign: char,
}

/// A part of the text.
#[derive(Debug)]
struct Run {
    /// Where it begins in the text.
    at: u32,
    /// The part of the template that it was made of.
    from: Span,
    /// Whether it is the same to the byte.
    verbatim: bool,
}

impl Expanded {
    /// The name of an operand's register.
    pub fn name(&self, number: usize) -> String {
        format!("{}{number}", self.sign)
    }

    /// The part of the template that a part of the text was made of.
    pub fn origin(&self, span: Span) -> Span {
        let start = self.place(span.start, false);
        Span::new(start, self.place(span.end, true).max(start))
    }

    /// Where a place lies in the template; as an end, it belongs to what stands before it. Behind the text is behind the
    /// template.
    fn place(&self, at: u32, end: bool) -> u32 {
        let end = end || at as usize >= self.text.len();
        let next = self.runs.partition_point(|run| if end { run.at < at } else { run.at <= at });
        let Some(run) = next.checked_sub(1).and_then(|k| self.runs.get(k)) else { return 0 };
        match run.verbatim {
            true => (run.from.start + (at - run.at)).min(run.from.end),
            false if end => run.from.end,
            false => run.from.start,
        }
    }

    fn push(&mut self, text: &str, from: Span, verbatim: bool) {
        if !text.is_empty() {
            self.runs.push(Run { at: self.text.len() as u32, from, verbatim });
            self.text.push_str(text);
        }
    }
}

/// A text without operands to be put in.
pub fn verbatim(text: &str) -> Expanded {
    let mut expanded = Expanded { text: String::new(), runs: Vec::new(), sign: '%' };
    expanded.push(text, Span::new(0, text.len() as u32), true);
    expanded
}

/// What a sign in a template begins.
enum Mark {
    Operand(usize),
    /// The sign itself, or a number that makes labels unique.
    Text(&'static str),
}

/// Puts operands in: registers by the names they have in the template, constants by their values.
pub fn expand(source: &Source, constraints: &Constraints) -> Result<Expanded, Refusal> {
    let template = source.text.as_str();
    let marks = marks(source, &constraints.operands)?;
    let first = marks.iter().find(|(_, mark)| matches!(mark, Mark::Operand(_)));
    let sign = if first.is_some_and(|(span, _)| template[span.range()].starts_with('%')) { '%' } else { '$' };
    let mut expanded = Expanded { text: String::new(), runs: Vec::new(), sign };
    let mut done = 0;
    for (span, mark) in marks {
        expanded.push(&template[done as usize..span.start as usize], Span::new(done, span.start), true);
        match mark {
            Mark::Text(text) => expanded.push(text, span, false),
            Mark::Operand(number) => {
                let operand = &constraints.operands[number];
                let text = match operand.role {
                    Role::Constant => operand.constant.clone(),
                    _ => expanded.name(operand.tied.unwrap_or(number)),
                };
                expanded.push(&text, span, false);
            }
        }
        done = span.end;
    }
    expanded.push(&template[done as usize..], Span::new(done, template.len() as u32), true);
    Ok(expanded)
}

/// Every place where something is to be put in, in order.
fn marks(source: &Source, operands: &[Operand]) -> Result<Vec<(Span, Mark)>, Refusal> {
    let template = source.text.as_str();
    let bytes = template.as_bytes();
    let mut marks = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|b| matches!(b, b'%' | b'$')) {
        let start = at + found;
        let rest = &template[start + 1..];
        let (length, mark) = match bytes[start] {
            b'%' if rest.starts_with('%') => (2, Mark::Text("%")),
            b'$' if rest.starts_with('$') => (2, Mark::Text("$")),
            b'%' if rest.starts_with('=') => (2, Mark::Text("0")),
            b'$' if rest.starts_with("{:uid}") => (7, Mark::Text("0")),
            _ => match number(rest) {
                Some((length, number)) => (1 + length, Mark::Operand(number)),
                // A register or a label of the template's own.
                None => {
                    at = start + 1;
                    continue;
                }
            },
        };
        at = start + length;
        let span = Span::new(start as u32, at as u32);
        if let Mark::Operand(number) = mark
            && number >= operands.len()
        {
            let problem = Problem::new(format!("`{}` does not name an operand", &template[span.range()]));
            let help = match operands.len() {
                1 => "the constraints name one operand, `$0`".to_string(),
                n => format!("the constraints name {n} operands, `$0` to `${}`", n - 1),
            };
            return Err(Refusal::problem(source.clone(), problem.help(help)).at(span, "no such operand"));
        }
        marks.push((span, mark));
    }
    Ok(marks)
}

/// `12` or `{12}` at the beginning of a text: its length and the number.
fn number(text: &str) -> Option<(usize, usize)> {
    let (inside, around) = match text.strip_prefix('{') {
        Some(inside) => (inside, 2),
        None => (text, 0),
    };
    let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
    let closed = around == 0 || inside[digits..].starts_with('}');
    (digits > 0 && closed).then(|| (digits + around, inside[..digits].parse().unwrap_or(usize::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(template: &str) -> Expanded {
        let constraints = Constraints::parse("=r,r,n,0", &[-7]).ok().unwrap();
        expand(&Source::new("template", template), &constraints).ok().unwrap()
    }

    #[test]
    fn operands_and_escapes_of_both_styles_are_put_in() {
        assert_eq!(expanded("add.u32 $0, $1, $2;").text, "add.u32 $0, $1, -7;");
        assert_eq!(expanded("mov.u32 %0, %%tid.x; L%=: x %3").text, "mov.u32 %0, %tid.x; L0: x %0");
        assert_eq!(expanded("${1} ${:uid} $$L %r1 $L_2 ${").text, "$1 0 $L %r1 $L_2 ${");
        assert_eq!(expanded("%1 $1").text, "%1 %1");
        assert_eq!(expanded("é%1é").text, "é%1é");
    }

    #[test]
    fn places_lead_back_to_the_template() {
        let text = "a %% $2 b $3";
        let expanded = expanded(text);
        assert_eq!(expanded.text, "a % -7 b $0");
        let origin = |part: &str| {
            let at = expanded.text.find(part).unwrap() as u32;
            &text[expanded.origin(Span::new(at, at + part.len() as u32)).range()]
        };
        assert_eq!(
            [origin("%"), origin("-7"), origin("7"), origin("b"), origin("$0")],
            ["%%", "$2", "$2", "b", "$3"]
        );
        assert_eq!(expanded.origin(Span::new(99, 99)), Span::new(12, 12));
    }
}
