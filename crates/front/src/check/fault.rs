//! Why an instruction fits no syntax line, as a diagnostic at the exact word or operand.

use super::Checker;
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
                let message = format!("`.{}` is no word of PTX", word(*k).text);
                Diagnostic::error(codes::UNKNOWN_WORD, message)
                    .label(word(*k).span, meant(&word(*k).text, mismatch.page))
            }
            Fault::MisplacedWord { word: k, .. } | Fault::ModeNotFirst { word: k } if repeated(ast, *k) => {
                let message = format!("`.{}` stands twice in `{opcode}`", word(*k).text);
                Diagnostic::error(codes::MISPLACED_WORD, message).label(word(*k).span, "leave it out")
            }
            Fault::MisplacedWord { word: k, expected } => {
                let message = format!("`.{}` does not fit `{opcode}` here", word(*k).text);
                Diagnostic::error(codes::MISPLACED_WORD, message).label(word(*k).span, could_be(expected))
            }
            Fault::ModeNotFirst { word: k } => {
                let message = format!("`.{}` must be the first word of `{opcode}`", word(*k).text);
                let label = format!("write `{opcode}.{}` and the other words behind it", word(*k).text);
                Diagnostic::error(codes::MODE_NOT_FIRST, message).label(word(*k).span, label)
            }
            Fault::MissingWord { set, .. } => {
                let message = format!("a word of `{opcode}` is missing");
                let label = format!("one of {} is missing", set.describe());
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
                let message = format!("this operand of `{opcode}` takes no selector");
                Diagnostic::error(codes::SELECTOR, message).label(selector(*k), "leave it out")
            }
            Fault::Selector { operand: k, set: Some(set) } => {
                let message = format!("this operand of `{opcode}` does not take this selector");
                Diagnostic::error(codes::SELECTOR, message)
                    .label(selector(*k), format!("it may be {}", set.describe()))
            }
            Fault::MissingSelector { operand: k, set } => {
                let message = format!("this operand of `{opcode}` needs a selector");
                let label = format!("one of {} is missing", set.describe());
                Diagnostic::error(codes::SELECTOR, message).label(operand(*k).after(), label)
            }
            Fault::Sign { operand: k } => {
                let message = format!("this operand of `{opcode}` takes no sign");
                let diagnostic = Diagnostic::error(codes::SIGN, message);
                let first = Span::new(operand(*k).start, operand(*k).start + 1);
                diagnostic.label(first, "leave it out")
            }
            Fault::AddressExpected { operand: k, wanted: true } => {
                let message = format!("this operand of `{opcode}` is an address");
                Diagnostic::error(codes::ADDRESS_EXPECTED, message)
                    .label(operand(*k), "write it in brackets: `[...]`")
            }
            Fault::AddressExpected { operand: k, wanted: false } => {
                let message = format!("this operand of `{opcode}` is no address");
                Diagnostic::error(codes::ADDRESS_EXPECTED, message).label(operand(*k), "no brackets here")
            }
            Fault::Coordinates { operand: k, wanted } => coordinates(opcode, &operands[*k], *wanted),
            Fault::Inside { operand: k, .. } => {
                let message = format!("this address does not fit `{opcode}`");
                Diagnostic::error(codes::ADDRESS_BASE, message).label(operand(*k), "not this address")
            }
            Fault::NoResult { operand: k } => {
                let message = format!("this form of `{opcode}` has no result");
                Diagnostic::error(codes::SINK, message).label(operand(*k), "write `_`")
            }
            Fault::Pair { operand: k } => {
                let pair = matches!(operands[*k].kind, ast::OperandKind::Pair(..));
                let (message, label) = match pair {
                    true => (format!("this operand of `{opcode}` is one register"), "no `|` here"),
                    false => (format!("`{opcode}` has two destinations here"), "write `d|p`"),
                };
                Diagnostic::error(codes::PAIR, message).label(operand(*k), label)
            }
            Fault::Elements { operand: k, wanted } => {
                let message = match &operands[*k].kind {
                    ast::OperandKind::Vector(items) => {
                        format!("vector of {} elements does not fit `{opcode}` here", items.len())
                    }
                    _ => format!("this operand of `{opcode}` is a vector"),
                };
                let label = match wanted {
                    0 => "one register is wanted here".to_string(),
                    1 => "one element is wanted here: `{...}`".to_string(),
                    n => format!("{n} elements are wanted here: `{{...}}`"),
                };
                Diagnostic::error(codes::VECTOR, message).label(operand(*k), label)
            }
            Fault::List { operand: k, wanted } => {
                let message =
                    format!("this operand of `{opcode}` is {} list", if *wanted { "a" } else { "no" });
                let label = if *wanted { "write it in parentheses: `(...)`" } else { "no parentheses here" };
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
        let message = format!("this operand of `{opcode}` is an address");
        return Diagnostic::error(codes::ADDRESS_EXPECTED, message).label(operand.span, "not an address");
    };
    let few = address.rest.len() < wanted;
    let (span, message, label) = match (address.rest.as_slice(), address.offsets.as_slice()) {
        ([first, ..], _) if wanted == 0 => {
            (first.span, format!("address of `{opcode}` is a base and an offset"), "no `,` in these brackets")
        }
        (rest, [first, ..]) if rest.len() == wanted => {
            let message = format!("address of `{opcode}` has coordinates, and so no offset");
            (first.span, message, "add it to the base register first")
        }
        _ if few => {
            let message = format!("address of `{opcode}` has no coordinates");
            (operand.span, message, "coordinates are wanted here: `[base, {...}]`")
        }
        _ => {
            let message = format!("too many operands in an address of `{opcode}`");
            (operand.span, message, "coordinates alone are wanted here: `[base, {...}]`")
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
        [] => "no further word may stand here".to_string(),
        sets => {
            let words: Vec<_> = sets.iter().take(4).map(|set| set.describe()).collect();
            format!("here may stand {}", words.join(", or "))
        }
    }
}

/// The word that was meant, of those that the page knows, else of all.
fn meant(text: &str, page: &Page) -> String {
    if let Some(word) = crate::suggest::type_of_other_languages(text) {
        return format!("is `.{word}` meant?");
    }
    let of_page = page.lines().iter().flat_map(|line| &line.items).flat_map(|item| match item.set {
        Set::Of(words) => words,
        _ => &[],
    });
    let near = |words: Vec<Word>| crate::suggest::nearest(text, words.iter().map(|w| w.to_string()));
    let nearest = near(of_page.copied().collect()).or_else(|| near(Word::ALL.to_vec()));
    nearest.map_or_else(|| "no such word".to_string(), |nearest| format!("is `.{nearest}` meant?"))
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
