//! Text that may be shown on a terminal: what would control it is written as escapes.

use std::borrow::Cow;

/// Text without control characters and marks that turn the direction of writing: they are written as escapes. Line ends
/// and tabs stay.
///
/// ```
/// assert_eq!(margay_front::visible::visible("a\u{1b}[0m\n"), "a\\u{1b}[0m\n");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| {
        c.is_control() && c != '\n' && c != '\t'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let written = |c: char| match is_hidden(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    Cow::Owned(text.chars().map(written).collect())
}
