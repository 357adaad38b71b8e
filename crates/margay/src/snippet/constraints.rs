//! Constraints of inline assembly: what each operand of a template is.

use margay_front::{Source, Span};
use margay_isa::{Kind, Ty};

use super::Refusal;
use crate::problem::Problem;

/// What constraints say, and the constants that they want.
pub struct Constraints {
    /// In the order in which templates number them.
    pub operands: Vec<Operand>,
}

/// One operand.
pub struct Operand {
    pub role: Role,
    /// The type of its register: a size and, for floating point, a kind.
    pub ty: Ty,
    /// The result whose register it has too.
    pub tied: Option<usize>,
    /// The text of a constant.
    pub constant: String,
}

/// What is done with an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Result,
    Both,
    Source,
    Constant,
}

const fn ty(kind: Kind, bits: u32) -> Ty {
    Ty { kind, bits, lanes: 1 }
}

/// The letters of CUDA (`h r l q f d n`) and of LLVM (`b c N` beside them).
const LETTERS: &[(&str, Ty)] = &[
    ("h", ty(Kind::Untyped, 16)),
    ("c", ty(Kind::Untyped, 16)),
    ("r", ty(Kind::Untyped, 32)),
    ("l", ty(Kind::Untyped, 64)),
    ("N", ty(Kind::Untyped, 64)),
    ("q", ty(Kind::Untyped, 128)),
    ("f", ty(Kind::Float, 32)),
    ("d", ty(Kind::Float, 64)),
    ("b", ty(Kind::Predicate, 1)),
];

const KNOWN: &str = "write `h` (16 bits), `r` (32), `l` (64), `q` (128), `f` (`.f32`), `d` (`.f64`), `b` (a predicate) or `n` (a constant), with `=` before a result";

/// What says that an asm touches more than its operands: snippets have nothing else that it could touch.
const CLOBBERS: &[&str] = &["memory", "cc", "~{memory}", "~{cc}"];

/// More operands than the parameters of a kernel leave room for.
const MOST: usize = 256;

impl Constraints {
    /// Reads constraints, and gives their constants to those that want one.
    pub fn parse(text: &str, constants: &[i128]) -> Result<Constraints, Refusal> {
        let mut constraints = Constraints::read(text)?;
        let mut wanting: Vec<_> =
            constraints.operands.iter_mut().filter(|o| o.role == Role::Constant).collect();
        if wanting.len() != constants.len() {
            let (wanted, given) = (wanting.len(), constants.len());
            let constants = if wanted == 1 { "constant" } else { "constants" };
            let are = if given == 1 { "is" } else { "are" };
            let message = format!("the constraints need {wanted} {constants} (`n`), but {given} {are} given");
            return Err(Refusal::problem(Source::new("constraints", text), Problem::new(message)));
        }
        for (operand, constant) in wanting.iter_mut().zip(constants) {
            operand.constant = constant.to_string();
        }
        Ok(constraints)
    }

    /// Reads constraints.
    pub fn read(text: &str) -> Result<Constraints, Refusal> {
        let source = Source::new("constraints", text);
        let mut operands: Vec<Operand> = Vec::new();
        let mut clobbered = false;
        let mut start = 0;
        for part in text.split(',') {
            let word = part.trim();
            let at = start + part.len() - part.trim_start().len();
            let span = Span::new(at as u32, (at + word.len()) as u32);
            start += part.len() + 1;
            let refuse = |message: String, help: &str, label: &str| {
                Err(Refusal::problem(source.clone(), Problem::new(message).help(help)).at(span, label))
            };
            if CLOBBERS.contains(&word) {
                clobbered = true;
                continue;
            }
            let (operand, label) = (operand(word, &operands), format!("constraint {}", operands.len()));
            let operand = match operand {
                Ok(operand) => operand,
                Err((message, help)) => return refuse(message, help, &label),
            };
            if clobbered {
                return refuse(format!("`{word}` comes after a clobber"), "write clobbers last", "too late");
            }
            let late = |o: &Operand| matches!(o.role, Role::Source | Role::Constant);
            if !late(&operand) && operands.iter().any(late) {
                let message = format!("the result `{word}` comes after a source");
                return refuse(message, "write results first, then sources", "too late");
            }
            operands.push(operand);
            if operands.len() > MOST {
                let message = format!("there are more than {MOST} operands");
                return refuse(message, "use fewer", "one too many");
            }
        }
        if !operands.iter().any(|o| matches!(o.role, Role::Result | Role::Both)) {
            let problem = Problem::new("the constraints have no output");
            let help = "start with an output constraint, such as `=r` for 32 bits";
            return Err(Refusal::problem(source, problem.help(help)));
        }
        Ok(Constraints { operands })
    }
}

/// One operand from its constraint; else what is wrong and what to write instead.
fn operand(word: &str, before: &[Operand]) -> Result<Operand, (String, &'static str)> {
    let (role, rest) = match word.as_bytes().first() {
        None => return Err(("a constraint is empty".into(), KNOWN)),
        Some(b'=') => (Role::Result, &word[1..]),
        Some(b'+') => (Role::Both, &word[1..]),
        Some(_) => (Role::Source, word),
    };
    let (early, letter) = match rest.strip_prefix('&') {
        Some(letter) => (true, letter),
        None => (false, rest),
    };
    if early && role == Role::Source {
        return Err((format!("`{word}` is not an output"), "`&` is only allowed after `=` or `+`"));
    }
    let plain = |role, ty, tied| Operand { role, ty, tied, constant: String::new() };
    if let Some((_, ty)) = LETTERS.iter().find(|(known, _)| *known == letter) {
        return Ok(plain(role, *ty, None));
    }
    if matches!(letter, "n" | "i") {
        return match role {
            Role::Source => Ok(plain(Role::Constant, ty(Kind::Untyped, 64), None)),
            _ => Err((format!("`{word}` is a constant, not an output"), KNOWN)),
        };
    }
    if role == Role::Source && !letter.is_empty() && letter.bytes().all(|b| b.is_ascii_digit()) {
        let number = letter.parse().unwrap_or(usize::MAX);
        return match before.get(number).filter(|other| other.role == Role::Result) {
            Some(other) => Ok(plain(role, other.ty, Some(number))),
            None => Err((
                format!("`{word}` is not the number of an output"),
                "write the number of an output that has `=`, counted from 0",
            )),
        };
    }
    Err((format!("`{word}` is not a constraint"), KNOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(u32, Option<usize>)>, String> {
        let read = Constraints::read(text).map_err(|refusal| refusal.message().to_string())?;
        Ok(read.operands.iter().map(|o| (o.ty.width(), o.tied)).collect())
    }

    #[test]
    fn letters_of_cuda_and_llvm_are_known() {
        assert_eq!(
            read("=r,+l, h ,0,~{memory}"),
            Ok(vec![(32, None), (64, None), (16, None), (32, Some(0))])
        );
        assert_eq!(read("=&q,b,f,d,n,memory").unwrap().len(), 5);
    }

    #[test]
    fn what_is_wrong_is_said_in_the_users_words() {
        for (text, message) in [
            ("", "a constraint is empty"),
            ("=r,,r", "a constraint is empty"),
            ("=x", "`=x` is not a constraint"),
            ("\"=r\"", "`\"=r\"` is not a constraint"),
            ("=rr", "`=rr` is not a constraint"),
            ("=n", "`=n` is a constant, not an output"),
            ("r,r", "the constraints have no output"),
            ("r,=r", "the result `=r` comes after a source"),
            ("=r,&r", "`&r` is not an output"),
            ("=r,1", "`1` is not the number of an output"),
            ("=r,99999999999999999999", "`99999999999999999999` is not the number of an output"),
            ("=r,memory,r", "`r` comes after a clobber"),
        ] {
            assert_eq!(read(text), Err(message.to_string()), "{text}");
        }
    }
}
