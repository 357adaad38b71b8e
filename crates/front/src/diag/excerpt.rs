//! The few lines of a text that a diagnostic shows: bounded, however long the text or a line of it is.

use super::Label;
use crate::source::{LineIndex, Span};
use std::ops::Range;

/// A line longer than this many bytes is shown in part.
const LONG: usize = 300;
/// So much of a long line is shown before the first label on it.
const BEFORE: usize = 60;
/// So much of a long line is shown in all.
const WINDOW: usize = 200;
/// Labels further apart than this many lines are shown apart.
const GAP: usize = 8;

/// Consecutive lines, and where the labels stand in them.
pub(super) struct Excerpt {
    pub text: String,
    /// Number of the first line, from 1.
    pub line: usize,
    /// Place in `text` and number of the label.
    pub marks: Vec<(Range<usize>, usize)>,
}

/// The lines that show `labels`, the primary label's first.
pub(super) fn excerpts(source: &str, index: &LineIndex, labels: &[Label]) -> Vec<Excerpt> {
    let end = source.len() as u32;
    let mut places: Vec<(usize, Span, usize)> = Vec::with_capacity(labels.len());
    for (number, label) in labels.iter().enumerate() {
        let span = Span::new(label.span.start.min(end), label.span.end.clamp(label.span.start.min(end), end));
        places.push((index.line_of(span.start), span, number));
    }
    places.sort_by_key(|place| (place.1, place.2));
    let mut excerpts: Vec<Excerpt> =
        places.chunk_by(|a, b| b.0 - a.0 <= GAP).map(|group| excerpt(source, index, group)).collect();
    excerpts.sort_by_key(|excerpt| !excerpt.marks.iter().any(|(_, number)| *number == 0));
    excerpts
}

fn excerpt(source: &str, index: &LineIndex, places: &[(usize, Span, usize)]) -> Excerpt {
    let first = places[0].0;
    let last = places[places.len() - 1].0;
    let mut result = Excerpt { text: String::new(), line: first + 1, marks: Vec::new() };
    for line in first..=last {
        let here: Vec<_> = places.iter().filter(|place| place.0 == line).collect();
        let whole = index.line_span(line);
        let shown = window(source, whole, here.first().map_or(whole.start, |place| place.1.start));
        if shown.start > whole.start {
            result.text.push('…');
        }
        let offset = result.text.len();
        result.text.push_str(&source[shown.range()]);
        for (_, span, number) in here {
            let start = floor(source, span.start.clamp(shown.start, shown.end));
            let end = ceil(source, span.end.clamp(start, shown.end.max(start)));
            let place = |at: u32| offset + (at - shown.start) as usize;
            result.marks.push((place(start)..place(end), *number));
        }
        result.text.push_str(if shown.end < whole.end { "…\n" } else { "\n" });
    }
    result
}

/// The part of a line around `focus` that is shown.
fn window(source: &str, line: Span, focus: u32) -> Span {
    if line.range().len() <= LONG {
        return line;
    }
    let start = (focus as usize).saturating_sub(BEFORE).clamp(line.start as usize, line.end as usize);
    let end = (start + WINDOW).min(line.end as usize);
    Span::new(floor(source, start as u32), floor(source, end as u32))
}

fn floor(source: &str, offset: u32) -> u32 {
    source.floor_char_boundary(offset as usize) as u32
}

fn ceil(source: &str, offset: u32) -> u32 {
    source.ceil_char_boundary(offset as usize) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: u32, end: u32) -> Label {
        Label { span: Span::new(start, end), text: String::new() }
    }

    #[test]
    fn a_giant_line_is_cut_around_the_label() {
        let source = format!("{}é{}", "x".repeat(100_000), "y".repeat(100_000));
        let found = excerpts(&source, &LineIndex::new(&source), &[at(100_000, 100_002)]);
        assert!(found[0].text.len() < 250);
        assert_eq!(&found[0].text[found[0].marks[0].0.clone()], "é");
    }

    #[test]
    fn labels_far_apart_are_shown_apart_with_the_primary_first() {
        let source = "x\n".repeat(100);
        let found = excerpts(&source, &LineIndex::new(&source), &[at(180, 181), at(2, 3)]);
        assert_eq!(found.iter().map(|e| e.line).collect::<Vec<_>>(), [91, 2]);
    }

    #[test]
    fn a_label_outside_the_text_or_inside_a_character_does_no_harm() {
        let source = "é";
        let found = excerpts(source, &LineIndex::new(source), &[at(1, 1), at(7, 9), at(9, 7)]);
        assert_eq!(found[0].marks.len(), 3);
    }
}
