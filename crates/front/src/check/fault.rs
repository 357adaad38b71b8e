//! Why an instruction fits no syntax line, as a diagnostic at the exact word or operand.

use std::collections::HashSet;

use super::{Checker, instead};
use crate::ast;
use crate::diag::{Diagnostic, codes};
use crate::source::Span;
use margay_isa::{Fault, Mismatch, Page, Set, Word};

impl Checker {
    /// Reports a mismatch against the line that came nearest.
    pub(super) fn mismatch(&mut self, ast: &ast::Instruction, mismatch: &Mismatch) {
        let opcode = &ast.opcode.text;
        let (fault, operands) = innermost(&mismatch.fault, &ast.operands);
        let word = |k: usize| &ast.words[k];
        let operand = |k: usize| operands[k].span;
        let selector = |k: usize| selector_span(&operands[k]);
        let head = ast.words.last().map_or(ast.opcode.span, |last| ast.opcode.span.to(last.span));
        let diagnostic = match fault {
            Fault::UnknownWord { word: k } => {
                let message = format!("unknown modifier `.{}`", word(*k).text);
                Diagnostic::error(codes::UNKNOWN_WORD, message)
                    .label(word(*k).span, meant(&word(*k).text, mismatch.page))
            }
            Fault::MisplacedWord { word: k, .. } | Fault::ModeNotFirst { word: k } if repeated(ast, *k) => {
                let message = format!("`.{}` is given twice in `{opcode}`", word(*k).text);
                Diagnostic::error(codes::MISPLACED_WORD, message).label(word(*k).span, "remove it")
            }
            Fault::MisplacedWord { word: k, .. }
                if self.may_suggest()
                    && let Some(diagnostic) = instead::clash(ast, *k) =>
            {
                return self.report(diagnostic);
            }
            Fault::MisplacedWord { word: k, expected } => {
                let message = format!("`{opcode}` does not take `.{}` here", word(*k).text);
                let cased = self.may_suggest().then(|| instead::cased(ast, *k)).flatten();
                let label = match cased {
                    Some(cased) => format!("did you mean `.{cased}`?"),
                    None => could_be(expected),
                };
                Diagnostic::error(codes::MISPLACED_WORD, message).label(word(*k).span, label)
            }
            Fault::ModeNotFirst { word: k } => {
                let message = format!("`.{}` must be the first modifier of `{opcode}`", word(*k).text);
                let label = format!("write `{opcode}.{}`, then the other modifiers", word(*k).text);
                Diagnostic::error(codes::MODE_NOT_FIRST, message).label(word(*k).span, label)
            }
            Fault::MissingWord { set, .. } => {
                let message = format!("`{opcode}` is missing a modifier");
                let whole = match set {
                    Set::Of(missing @ [_]) => instead::whole(ast, missing),
                    _ => None,
                };
                let label = match whole {
                    Some(whole) => format!("did you mean `{whole}`?"),
                    None => format!("add {}", choices(&[*set])),
                };
                Diagnostic::error(codes::MISSING_WORD, message).label(head.after(), label)
            }
            Fault::OperandCount { least, most } => {
                let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
                let (n, plural) = (ast.operands.len(), if count == "1" { "" } else { "s" });
                let message = format!("`{opcode}` takes {count} operand{plural} here, not {n}");
                let last = ast.operands.last().map_or(head, |last| last.span);
                let (span, label) = match ast.operands.get(*most) {
                    Some(first) => (first.span.to(last), "too many"),
                    None => (last.after(), "too few operands"),
                };
                Diagnostic::error(codes::OPERAND_COUNT, message).label(span, label)
            }
            Fault::Selector { operand: k, set: None } => {
                let message = format!("this operand of `{opcode}` does not take a selector");
                Diagnostic::error(codes::SELECTOR, message).label(selector(*k), "remove it")
            }
            Fault::Selector { operand: k, set: Some(set) } => {
                let message = format!("this operand of `{opcode}` does not take this selector");
                Diagnostic::error(codes::SELECTOR, message)
                    .label(selector(*k), format!("expected {}", choices(&[*set])))
            }
            Fault::MissingSelector { operand: k, set } => {
                let message = format!("this operand of `{opcode}` is missing its selector");
                let label = format!("add {}", choices(&[*set]));
                Diagnostic::error(codes::SELECTOR, message).label(operand(*k).after(), label)
            }
            Fault::Sign { operand: k } => {
                let message = format!("this operand of `{opcode}` cannot be negated");
                let diagnostic = Diagnostic::error(codes::SIGN, message);
                let first = Span::new(operand(*k).start, operand(*k).start + 1);
                diagnostic.label(first, "remove it")
            }
            Fault::AddressExpected { operand: k, wanted: true } => {
                let message = format!("this operand of `{opcode}` must be an address");
                Diagnostic::error(codes::ADDRESS_EXPECTED, message)
                    .label(operand(*k), "write it in brackets: `[...]`")
            }
            Fault::AddressExpected { operand: k, wanted: false } => {
                let message = format!("this operand of `{opcode}` is not an address");
                Diagnostic::error(codes::ADDRESS_EXPECTED, message)
                    .label(operand(*k), "brackets are not allowed here")
            }
            Fault::Coordinates { operand: k, wanted } => coordinates(opcode, &operands[*k], *wanted),
            Fault::Inside { operand: k, .. } => {
                let message = format!("`{opcode}` does not take this address");
                Diagnostic::error(codes::ADDRESS_BASE, message).label(operand(*k), "wrong kind of address")
            }
            Fault::NoResult { operand: k } => {
                let message = format!("this form of `{opcode}` has no result");
                Diagnostic::error(codes::SINK, message).label(operand(*k), "write `_`")
            }
            Fault::Pair { operand: k } => {
                let pair = matches!(operands[*k].kind, ast::OperandKind::Pair(..));
                let (message, label) = match pair {
                    true => (
                        format!("this operand of `{opcode}` is a single register"),
                        "`|` is not allowed here",
                    ),
                    false => (format!("`{opcode}` has two destinations here"), "write `d|p`"),
                };
                Diagnostic::error(codes::PAIR, message).label(operand(*k), label)
            }
            Fault::Elements { operand: k, wanted } => {
                let message = match &operands[*k].kind {
                    ast::OperandKind::Vector(items) => {
                        format!("`{opcode}` does not take a vector of {} elements here", items.len())
                    }
                    _ => format!("this operand of `{opcode}` is a vector"),
                };
                let label = match wanted {
                    0 => "expected one register".to_string(),
                    1 => "expected one element: `{...}`".to_string(),
                    n => format!("expected {n} elements: `{{...}}`"),
                };
                Diagnostic::error(codes::VECTOR, message).label(operand(*k), label)
            }
            Fault::List { operand: k, wanted } => {
                let message =
                    format!("this operand of `{opcode}` is {} list", if *wanted { "a" } else { "not a" });
                let label = if *wanted {
                    "write it in parentheses: `(...)`"
                } else {
                    "parentheses are not allowed here"
                };
                Diagnostic::error(codes::WRONG_OPERAND, message).label(operand(*k), label)
            }
            Fault::Rule { text, word: k } => {
                let message = format!("`{opcode}` does not allow this: {text}");
                let span = k.map_or(head, |k| word(k).span);
                Diagnostic::error(codes::RULE, message).label(span, *text)
            }
        };
        let help =
            format!("the nearest form is `{}` (manual section {})", mismatch.line, mismatch.page.section);
        self.report(diagnostic.help(help));
    }
}

/// The fault itself, and the operands that it counts.
fn innermost<'a>(fault: &'a Fault, operands: &'a [ast::Operand]) -> (&'a Fault, &'a [ast::Operand]) {
    if let Fault::Inside { operand, fault: inner } = fault
        && let Some(ast::OperandKind::Address(address)) = operands.get(*operand).map(|o| &o.kind)
    {
        return innermost(inner, &address.rest);
    }
    (fault, operands)
}

/// Another number of operands is wanted after the base of an address, or no offset.
fn coordinates(opcode: &str, operand: &ast::Operand, wanted: usize) -> Diagnostic {
    let ast::OperandKind::Address(address) = &operand.kind else {
        let message = format!("this operand of `{opcode}` must be an address");
        return Diagnostic::error(codes::ADDRESS_EXPECTED, message).label(operand.span, "not an address");
    };
    let few = address.rest.len() < wanted;
    let (span, message, label) = match (address.rest.as_slice(), address.offsets.as_slice()) {
        ([first, ..], _) if wanted == 0 => (
            first.span,
            format!("the address of `{opcode}` is a base and an offset"),
            "`,` is not allowed in these brackets",
        ),
        (rest, [first, ..]) if rest.len() == wanted => {
            let message = format!("the address of `{opcode}` has coordinates, so it cannot have an offset");
            (first.span, message, "add it to the base register first")
        }
        _ if few => {
            let message = format!("the address of `{opcode}` is missing its coordinates");
            (operand.span, message, "expected coordinates: `[base, {...}]`")
        }
        _ => {
            let message = format!("too many operands in an address of `{opcode}`");
            (operand.span, message, "expected only coordinates: `[base, {...}]`")
        }
    };
    Diagnostic::error(codes::ADDRESS_BASE, message).label(span, label)
}

fn repeated(ast: &ast::Instruction, k: usize) -> bool {
    let is_type = Word::parse(&ast.words[k].text).is_some_and(|word| word.ty().is_some());
    !is_type && ast.words[..k].iter().any(|before| before.text == ast.words[k].text)
}

fn could_be(expected: &[Set]) -> String {
    match expected {
        [] => "no modifier is allowed here".to_string(),
        sets => format!("expected {} here", choices(&sets[..sets.len().min(4)])),
    }
}

/// The modifiers or selectors that the sets hold.
fn choices(sets: &[Set]) -> String {
    let mut all: Vec<String> = Vec::new();
    for set in sets {
        match set {
            Set::Of(words) => all.extend(words.iter().map(|word| format!("`.{word}`"))),
            pattern => all.push(pattern.describe()),
        }
    }
    let mut seen = HashSet::new();
    all.retain(|choice| seen.insert(choice.clone()));
    either(&all)
}

/// The choices as a list that ends with "or".
pub(super) fn either(choices: &[String]) -> String {
    match choices {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => choices.concat(),
    }
}

/// The word that was meant, of those that the page knows, else of all.
fn meant(text: &str, page: &Page) -> String {
    if let Some(word) = crate::suggest::type_of_other_languages(text) {
        return format!("did you mean `.{word}`?");
    }
    let of_page = page.lines().iter().flat_map(|line| &line.items).flat_map(|item| match item.set {
        Set::Of(words) => words,
        _ => &[],
    });
    let near = |words: Vec<Word>| crate::suggest::nearest(text, words.iter().map(|w| w.to_string()));
    let nearest = near(of_page.copied().collect()).or_else(|| near(Word::ALL.to_vec()));
    nearest.map_or_else(|| "not a PTX modifier".to_string(), |nearest| format!("did you mean `.{nearest}`?"))
}

fn selector_span(operand: &ast::Operand) -> Span {
    match &operand.kind {
        ast::OperandKind::Name(reference) | ast::OperandKind::Negated(_, reference) => {
            reference.selector.as_ref().map_or(operand.span, |word| word.span)
        }
        ast::OperandKind::Address(address) => address.words.first().map_or(operand.span, |word| word.span),
        _ => operand.span,
    }
}
