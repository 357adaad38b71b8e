//! Texts that are made to exhaust stack, memory or time get a diagnostic.

use margay_front::diag::codes;
use margay_front::{Code, Source, compile, diag, parse, parse_statement, print};

const HEAD: &str = ".version 8.0\n.target sm_80\n";

/// The codes that a text yields; rendering and printing must work too.
fn codes_of(text: String) -> Vec<Code> {
    let source = Source::new("hostile.ptx", text);
    let parsed = parse(&source);
    let _ = print(&parsed.file);
    assert!(diag::human(&source, &parsed.diagnostics, false, 20).len() < 100_000);
    assert!(diag::short(&source, &parsed.diagnostics, 1000).len() < 1_000_000);
    parsed.diagnostics.iter().map(|d| d.code).collect()
}

fn body(text: &str) -> String {
    format!("{HEAD}.entry k() {{\n{text}\n}}\n")
}

#[test]
fn blocks_100_000_deep_are_one_error() {
    let deep = format!("{}ret;{}", "{".repeat(100_000), "}".repeat(100_000));
    assert_eq!(codes_of(body(&deep)), [codes::TOO_DEEP]);
    assert_eq!(codes_of(body(&"{".repeat(100_000))), [codes::TOO_DEEP, codes::UNCLOSED]);
}

#[test]
fn nested_operands_and_expressions_are_one_error() {
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("(1+", ")"),
        ("-", ""),
        ("!~", ""),
        ("1?", ":2"),
        ("a[", "]"),
        ("(.s64)", ""),
    ] {
        let text = format!("mov.u32 a, {}1{};\nret;", open.repeat(100_000), close.repeat(100_000));
        let found = codes_of(body(&text));
        assert_eq!(found.len(), 1, "{open}: {found:?}");
    }
    for value in ["{", "(", "-", "1+(", "generic(", "0xff("] {
        let text = format!("{HEAD}.global .u32 x = {};", value.repeat(100_000));
        assert_eq!(codes_of(text), [codes::TOO_DEEP], "{value}");
    }
}

#[test]
fn chains_of_operators_and_lists_are_bounded() {
    assert_eq!(codes_of(body(&format!("mov.u32 a, 1{};", "+1".repeat(100_000)))), [codes::TOO_DEEP]);
    assert_eq!(codes_of(body(&format!("mov.u32 a{};", "+1".repeat(100_000)))), [codes::TOO_LONG]);
    assert_eq!(codes_of(body(&format!("mov.u32 a{};", ",a".repeat(100_000)))), [codes::TOO_LONG]);
    assert_eq!(codes_of(format!("{HEAD}.global .u32 x{};", "[1]".repeat(100_000))), [codes::TOO_DEEP]);
    assert_eq!(codes_of(body(&format!("mov.u32 a, 1{};", "?1:1".repeat(100_000)))), [codes::TOO_DEEP]);
}

#[test]
fn the_deepest_legal_nesting_is_read_and_printed() {
    let deep = format!("{}ret;{}", "{".repeat(128), "}".repeat(128));
    assert_eq!(codes_of(body(&deep)), []);
    assert_eq!(codes_of(body(&format!("mov.u32 a, 1{};", "+1".repeat(1000)))), []);
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let sum = format!("mov.u32 a, 1{};", "+1".repeat(1000));
    thread.spawn(move || assert_eq!(codes_of(body(&sum)), [])).unwrap().join().unwrap();
}

#[test]
fn checking_goes_no_deeper_for_many_words() {
    let words = |head: &str, word: &str| body(&format!("{head}{}.s32 a, b, c;", word.repeat(100_000)));
    for (text, errors) in [
        (words(".reg .s32 a, b, c; add", ".sat"), 0),
        (words(".reg .s32 a, b, c; add", ".s32"), 1),
        (words(".reg .s32 a, b, c; vadd", ".sat.add"), 1),
        (words(".reg .s32 a, b, c; cvt", ".ftz"), 1),
        (words(".reg .s32 a, b, c; tex", ".v4"), 1),
    ] {
        let found = compile(&text).map_or_else(|diagnostics| diagnostics.len(), |_| 0);
        assert_eq!(found, errors, "{}", &text[..80]);
    }
}

#[test]
fn a_giant_line_of_statements_is_read() {
    let statements = "add.u32 a, b, c; ".repeat(200_000);
    assert_eq!(codes_of(body(&statements)), []);
}

#[test]
fn giant_tokens_are_one_error_at_most() {
    let giant = |c: &str| c.repeat(3_000_000);
    assert_eq!(codes_of(format!("{HEAD}// {}", giant("x"))), []);
    assert_eq!(codes_of(body(&format!("mov.u32 a, {};", giant("9")))), [codes::CONSTANT_OVERFLOW]);
    assert_eq!(codes_of(body(&format!("mov.u32 a, {};", giant("a")))), []);
    assert_eq!(codes_of(body(&format!("mov.u32 a, {};", giant("ä")))), [codes::UNKNOWN_CHARACTER]);
    assert_eq!(
        codes_of(format!("{HEAD}.pragma \"{}", giant("x"))),
        [codes::UNCLOSED_STRING, codes::EXPECTED]
    );
    assert_eq!(codes_of(format!("{HEAD}{}", giant("\0"))), [codes::UNKNOWN_CHARACTER]);
    assert_eq!(codes_of(format!("{HEAD}{}", giant("\n"))), []);
}

#[test]
fn a_text_of_nothing_but_errors_is_cut_short() {
    for junk in [
        "} ",
        "x; ",
        "ä € ",
        "' x ",
        "@ ",
        "@@\n}",
        "\" \n",
        "{ ",
        ".a ",
        ".entry ",
        ".entry k( ",
        ".reg\n",
        "/*",
    ] {
        let found = codes_of(format!("{HEAD}{}", junk.repeat(300_000)));
        assert!(!found.is_empty() && found.len() <= 1001, "{junk}");
        let found = codes_of(body(&junk.repeat(300_000)));
        assert!(found.len() <= 1001, "{junk}");
    }
}

#[test]
fn empty_and_binary_texts_are_no_trouble() {
    assert_eq!(codes_of(String::new()), []);
    assert_eq!(codes_of("\u{feff}.version 8.0\r\n".into()), []);
    let elf: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let source = Source::from_bytes("a.cubin", elf);
    assert!(parse(&source).diagnostics.iter().any(|d| d.code == codes::INVALID_UTF8));
    for text in ["", ";", "@", "@!", "@%p", "%r1", ".u32", "add.u32 a,", "add a b", "add a; b", "\0"] {
        let (instruction, diagnostics) = parse_statement(text);
        assert!(
            instruction.is_none() && diagnostics.len() <= 2 && !diagnostics.is_empty(),
            "{text}: {diagnostics:?}"
        );
    }
}
