//! Words that do not go with the type that an instruction names: which of them is at fault, and what to write instead.

use super::fault::either;
use crate::ast;
use crate::diag::{Diagnostic, codes};
use margay_isa::{Fault, Mismatch, Word, select, syntax::Line};

/// So many choices are listed at most.
const MOST: usize = 8;

/// What is to be said of an instruction whose type, the word `k`, has no place: another word that is one of other types.
pub(super) fn clash(ast: &ast::Instruction, k: usize) -> Option<Diagnostic> {
    let opcode = ast.opcode.text.as_str();
    let words: Vec<&str> = ast.words.iter().map(|word| word.text.as_str()).collect();
    Word::parse(words[k])?.ty()?;
    let with = |at: usize, word: &str| takes(opcode, &[&words[..at], &[word], &words[at + 1..]].concat());
    let types: Vec<String> = Word::ALL
        .iter()
        .filter(|word| word.ty().is_some())
        .map(Word::to_string)
        .filter(|word| with(k, word))
        .collect();
    let (at, instead) = (0..words.len()).filter(|at| *at != k).find_map(|at| {
        let word = Word::parse(words[at]).filter(|word| word.ty().is_none())?;
        let alike = Word::ALL.iter().filter(|other| other.home() == word.home() && **other != word);
        let fit: Vec<String> = alike.map(Word::to_string).filter(|other| with(at, other)).collect();
        (!fit.is_empty()).then_some((at, fit))
    })?;
    let message = format!("`.{}` of `{opcode}` does not go with `.{}`", words[at], words[k]);
    let label = match crate::suggest::nearest(words[at], &instead) {
        Some(nearest) => format!("did you mean `.{nearest}`?"),
        None => format!("expected {} here", listed(&instead)),
    };
    let diagnostic = Diagnostic::error(codes::MISPLACED_WORD, message).label(ast.words[at].span, label);
    Some(match types.is_empty() {
        true => diagnostic,
        false => diagnostic.help(format!("`.{}` goes with {}", words[at], listed(&types))),
    })
}

/// The word in the place of word `k` that differs from it in upper and lower case alone and makes it a form.
pub(super) fn cased(ast: &ast::Instruction, k: usize) -> Option<String> {
    let words: Vec<&str> = ast.words.iter().map(|word| word.text.as_str()).collect();
    let alike = |word: &String| *word != words[k] && word.eq_ignore_ascii_case(words[k]);
    let with = |word: &str| takes(&ast.opcode.text, &[&words[..k], &[word], &words[k + 1..]].concat());
    Word::ALL.iter().map(Word::to_string).filter(alike).find(|word| with(word))
}

/// The instruction with one word more, if its words are those of no form now and of one form with that word: an older form
/// that is gone, or one whose name is not whole.
pub(super) fn whole(ast: &ast::Instruction, missing: &[Word]) -> Option<String> {
    let opcode = ast.opcode.text.as_str();
    let words: Vec<&str> = ast.words.iter().map(|word| word.text.as_str()).collect();
    let with = |word: &Word| {
        let word = word.to_string();
        let first = [&[word.as_str()], &words[..]].concat();
        // It stands where the nearest form has it.
        let line = match select(opcode, &first, &[]) {
            Some(Err(Mismatch { line, .. })) => line,
            _ => String::new(),
        };
        let place = |word: &str| line.find(&format!(".{word}"));
        let later = |other: &str| place(other).zip(place(&word)).is_none_or(|(other, own)| other > own);
        let at = words.iter().position(|other| later(other)).unwrap_or(words.len());
        format!("{opcode}.{}", [&words[..at], &[word.as_str()], &words[at..]].concat().join("."))
    };
    let mut fit = missing.iter().filter(|word| {
        let text = word.to_string();
        !words.contains(&text.as_str()) && fits_so_far(opcode, &[&[text.as_str()], &words[..]].concat())
    });
    let (first, second) = (fit.next()?, fit.next());
    second.is_none().then(|| with(first))
}

/// Whether a form has these words, and lacks none.
fn takes(opcode: &str, words: &[&str]) -> bool {
    fits_so_far(opcode, words)
        && !matches!(select(opcode, words, &[]), Some(Err(mismatch)) if matches!(mismatch.fault, Fault::MissingWord { .. }))
}

/// Whether a form that no version and no target has lost has these words, and perhaps more.
fn fits_so_far(opcode: &str, words: &[&str]) -> bool {
    match select(opcode, words, &[]) {
        None => false,
        Some(Ok(inst)) => inst.until().is_none(),
        Some(Err(Mismatch { page, line, fault })) => {
            let mut lines = page.lines().iter();
            let lasting = |nearest: &Line| nearest.source.until.is_none();
            let misfit = matches!(
                fault,
                Fault::UnknownWord { .. } | Fault::MisplacedWord { .. } | Fault::ModeNotFirst { .. }
            );
            !misfit && lines.find(|other| other.text_for(opcode) == line).is_some_and(lasting)
        }
    }
}

fn listed(words: &[String]) -> String {
    let shown: Vec<String> = words.iter().take(MOST).map(|word| format!("`.{word}`")).collect();
    match words.len() > MOST {
        true => format!("{} and {} more", shown.join(", "), words.len() - MOST),
        false => either(&shown),
    }
}
