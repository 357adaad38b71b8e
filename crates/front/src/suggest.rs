//! The nearest of several words, for misspelt ones.

use std::cmp::Reverse;

/// Words longer than this are not compared.
const MAX_LENGTH: usize = 64;

/// The candidate nearest to `word`, if one is near enough to be meant: less than a third of its letters may differ.
///
/// Of candidates equally near, one with the same digits is meant, then the longer: a letter is left out more often than mistaken
/// for another.
///
/// ```
/// use margay_front::suggest::nearest;
/// assert_eq!(nearest("vabsdif4", ["vabsdiff", "vabsdiff2", "vabsdiff4"]), Some("vabsdiff4"));
/// assert_eq!(nearest("shared", ["sured"]), None);
/// ```
pub fn nearest<T: AsRef<str>>(word: &str, candidates: impl IntoIterator<Item = T>) -> Option<T> {
    if word.len() > MAX_LENGTH {
        return None;
    }
    let limit = (word.len().saturating_sub(1) / 3).max(1);
    let near = candidates.into_iter().filter_map(|candidate| {
        let text = candidate.as_ref();
        let short = word.len() < 3 && text.bytes().next() != word.bytes().next();
        let plausible = text != word && text.len().abs_diff(word.len()) <= limit && !short;
        let distance = plausible.then(|| distance(word.as_bytes(), text.as_bytes()))?;
        let differs_in_case_only = text.eq_ignore_ascii_case(word);
        (distance <= limit || differs_in_case_only).then_some((distance, candidate))
    });
    let order = |(distance, candidate): &(usize, T)| {
        let text = candidate.as_ref();
        (*distance, digits(text).ne(digits(word)), Reverse(text.len()))
    };
    near.min_by_key(order).map(|(_, candidate)| candidate)
}

fn digits(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(u8::is_ascii_digit)
}

/// What other languages call types, and PTX's words for them.
const TYPES: &[(&str, &str)] = &[
    ("bool", "pred"),
    ("char", "s8"),
    ("double", "f64"),
    ("float", "f32"),
    ("half", "f16"),
    ("i8", "s8"),
    ("i16", "s16"),
    ("i32", "s32"),
    ("i64", "s64"),
    ("int", "s32"),
    ("long", "s64"),
    ("short", "s16"),
    ("uint", "u32"),
    ("unsigned", "u32"),
];

/// PTX's word for what another language calls a type.
pub(crate) fn type_of_other_languages(word: &str) -> Option<&'static str> {
    TYPES.iter().find(|(name, _)| *name == word).map(|(_, word)| *word)
}

/// Letters inserted, left out, replaced, or two neighbours swapped.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_word_that_was_meant() {
        let words = ["sat", "s32", "wide", "vadd4", "vabsdiff4"];
        for (slip, meant) in
            [("sta", "sat"), ("sa", "sat"), ("SAT", "sat"), ("vabsdif4", "vabsdiff4"), ("s23", "s32")]
        {
            assert_eq!(nearest(slip, words), Some(meant), "{slip}");
        }
    }

    #[test]
    fn what_is_far_from_all_words_finds_none() {
        assert_eq!(nearest("frobnicate", ["sat", "wide"]), None);
        assert_eq!(nearest("u32", ["sat"]), None);
        assert_eq!(nearest("g", ["x", "y"]), None);
        assert_eq!(nearest("", ["x"]), None);
        assert_eq!(nearest("é", ["x"]), None);
        assert_eq!(nearest(&"x".repeat(1000), [&"x".repeat(999)]), None);
    }

    /// Message, label and help of the only diagnostic.
    fn only(text: &str) -> (String, String, String) {
        let found = crate::compile(text).unwrap_err();
        assert_eq!(found.len(), 1, "{found:?}");
        let diagnostic = &found[0];
        let help = diagnostic.help.clone().unwrap_or_default();
        (diagnostic.message.clone(), diagnostic.labels[0].text.clone(), help)
    }

    fn in_kernel(statement: &str) -> (String, String, String) {
        only(&format!(
            ".version 8.0 .target sm_80 .entry k() {{ .reg .u32 %r<4>; .reg .pred %p<2>; {statement} }}"
        ))
    }

    #[test]
    fn a_name_without_its_percent_sign_finds_it() {
        assert_eq!(in_kernel("add.u32 %r0, r1, 2;").2, "did you mean `%r1`?");
        assert_eq!(in_kernel("@p1 add.u32 %r0, %r1, 2;").2, "did you mean `%p1`?");
        assert_eq!(in_kernel("mov.u32 %r0, laneid;").2, "did you mean `%laneid`?");
        assert_eq!(in_kernel("mov.u32 %r0, %lanid;").2, "did you mean `%laneid`?");
    }

    #[test]
    fn types_of_other_languages_find_those_of_ptx() {
        assert_eq!(in_kernel("add.i32 %r0, %r1, 2;").1, "did you mean `.s32`?");
        assert_eq!(in_kernel(".reg .float %f;").2, "did you mean `.f32`?");
    }

    #[test]
    fn a_directive_that_cannot_be_read_is_not_missing() {
        assert!(only(".version 8 .target sm_80").0.starts_with("expected a version"));
        assert!(only(".version 8.0 .target 80").0.starts_with("expected a target"));
    }
}
