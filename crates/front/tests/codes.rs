//! The example of every code of reading shows it, and its repair does not.

use margay_front::diag::codes;
use margay_front::{Code, Source, parse};

fn codes_of(text: &str) -> Vec<Code> {
    let bytes = text.split('\u{fffd}').map(str::as_bytes).collect::<Vec<_>>().join(&0xff);
    parse(&Source::from_bytes("example.ptx", bytes)).diagnostics.iter().map(|d| d.code).collect()
}

/// Codes whose example is too long to be written down: `tests/hostile.rs` shows them.
const GENERATED: &[Code] = &[codes::TOO_LARGE, codes::TOO_MANY, codes::TOO_DEEP, codes::TOO_LONG];

#[test]
fn examples_of_reading_show_their_code() {
    for code in codes::all().filter(|code| code.name().starts_with("P0") || code.name().starts_with("P1")) {
        let entry = code.entry();
        assert_eq!(codes_of(entry.good), [], "{code}: the good example");
        match GENERATED.contains(&code) {
            true => assert_eq!(entry.bad, "", "{code}"),
            false => assert!(codes_of(entry.bad).contains(&code), "{code}: {:?}", codes_of(entry.bad)),
        }
    }
}
