//! Any bytes: lexing, parsing, printing and checking give an answer, and what printing gives reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use margay_front::{Source, check, parse, print};

fuzz_target!(|bytes: &[u8]| {
    let source = Source::from_bytes("fuzz.ptx", bytes.to_vec());
    let parsed = parse(&source);
    if parsed.diagnostics.is_empty() {
        let printed = print(&parsed.file);
        let again = parse(&Source::new("fuzz.ptx", printed.clone()));
        assert_eq!(print(&again.file), printed);
    }
    check(&source, Default::default());
});
