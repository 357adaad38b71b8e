//! Declarations and definitions of one function, pragmas and the head of a module, against verdicts of ptxas 13.5 (`-c`).

use margay_front::compile;

const HEAD: &str = ".version 9.3\n.target sm_90\n.address_size 64\n";
const LINKAGES: [&str; 4] = ["", ".extern ", ".visible ", ".weak "];

fn accepts(text: &str) -> bool {
    compile(text).is_ok()
}

/// A declaration of `f`, or its definition.
fn function(linkage: &str, kind: &str, defined: bool) -> String {
    let body = if defined { "{ ret; }" } else { ";" };
    format!("{linkage}{kind} f(.param .b32 a) {body}\n")
}

#[test]
fn a_lone_function_is_defined_here_or_extern() {
    for (linkage, kind, defined) in combinations() {
        let text = format!("{HEAD}{}", function(linkage, kind, defined));
        assert_eq!(accepts(&text), defined != (linkage == ".extern "), "{text}");
    }
}

#[test]
fn a_later_declaration_says_the_same_or_leaves_out_that_others_see_it() {
    let definitions =
        [("", ""), (".visible ", ""), (".visible ", ".visible "), (".weak ", ""), (".weak ", ".weak ")];
    let call = ".entry k() { .param .b32 p; call f, (p); ret; }\n";
    for (first, kind, first_defined) in combinations() {
        for (later, later_kind, later_defined) in combinations() {
            let defines = !first_defined && later_defined && definitions.contains(&(first, later));
            let elsewhere = !first_defined && !later_defined && (first, later) == (".extern ", ".extern ");
            let wanted = kind == later_kind && (defines || elsewhere);
            let between: &[&str] = if kind == ".func" && later_kind == ".func" { &["", call] } else { &[""] };
            for between in between {
                let (a, b) =
                    (function(first, kind, first_defined), function(later, later_kind, later_defined));
                let text = format!("{HEAD}{a}{between}{b}");
                assert_eq!(accepts(&text), wanted, "{text}");
            }
        }
    }
}

/// Every linkage, kind, and whether there is a body.
fn combinations() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
    LINKAGES.into_iter().flat_map(|linkage| {
        [".func", ".entry"]
            .into_iter()
            .flat_map(move |kind| [false, true].map(|defined| (linkage, kind, defined)))
    })
}

#[test]
fn a_declaration_is_told_from_a_definition_by_more_than_its_words() {
    for (text, accepted) in [
        (
            ".visible .func (.reg .b32 r) f(.reg .b32 a); .visible .func (.reg .b32 r) f(.reg .b32 a) { ret; }",
            true,
        ),
        (".visible .func f(.param .b32 a); .visible .func f(.reg .b32 a) { ret; }", false),
        (".visible .func f(); .func f(); .visible .func f() { ret; }", true),
        (".visible .func f(); .func f(); .func f() { ret; }", true),
        (".func g() { ret; } .func f(); .alias f, g;", true),
        (".weak .func g() { ret; } .weak .func f(); .alias f, g;", false),
        (".func f() .noreturn;", false),
        (".extern .func f() .noreturn", true),
        (".func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);", true),
        (".common .global .b32 g;", true),
        (".common .shared .b32 g;", false),
        (".weak .shared .b32 g;", true),
        (".entry k() { .extern .shared .b32 g[]; ret; }", false),
        (".entry k() { .visible .shared .b32 g; ret; }", false),
        (".entry k() { .weak .global .b32 g; ret; }", false),
    ] {
        assert_eq!(accepts(&format!("{HEAD}{text}\n")), accepted, "{text}");
    }
}

#[test]
fn a_pragma_is_strings_and_a_semicolon() {
    for (strings, accepted) in [
        ("\"nounroll\";", true),
        ("\"a\", \"b\";", true),
        ("\"\";", true),
        ("\"nounroll\"", false),
        ("\"a\" \"b\";", false),
        ("\"a\",;", false),
        (";", false),
        ("", false),
        ("nounroll;", false),
        ("5;", false),
    ] {
        for text in [
            format!(".entry k() .pragma {strings} {{ ret; }}"),
            format!(".entry k() .maxntid 32 .pragma {strings} .minnctapersm 1 {{ ret; }}"),
            format!(".entry k() {{ .pragma {strings} ret; }}"),
        ] {
            assert_eq!(accepts(&format!("{HEAD}{text}\n")), accepted, "{text}");
        }
        assert!(!accepts(&format!("{HEAD}.func f() .pragma {strings} {{ ret; }}\n")), "{strings}");
    }
    assert!(accepts(&format!("{HEAD}.extern .func f() .pragma \"nounroll\";\n")));
    for pragma in [".pragma \"frequency 1\";", ".pragma \"used_bytes_mask 0xf\";"] {
        assert!(accepts(&format!("{HEAD}.entry k() {{ {pragma} ret; }}\n")), "{pragma}");
        for text in [format!("{pragma} .entry k() {{ ret; }}"), format!(".entry k() {pragma} {{ ret; }}")] {
            assert!(!accepts(&format!("{HEAD}{text}\n")), "{text}");
        }
    }
}

#[test]
fn version_target_and_address_size_come_first_and_in_this_order() {
    let (version, target, size) = (".version 9.3\n", ".target sm_90\n", ".address_size 64\n");
    let kernel = ".entry k() { ret; }\n";
    for (head, accepted) in [
        ([version, target, size].as_slice(), true),
        (&[version, target], true),
        (&[version, ".target sm_90, texmode_unified\n", size], true),
        (&[version, ".target texmode_unified, sm_90\n", size], false),
        (&[version, ".target texmode_unified\n", target, size], false),
        (&[version, size, target], false),
        (&[target, version, size], false),
        (&[version, ".file 1 \"a.c\"\n", target, size], false),
        (&[version, ".pragma \"nounroll\";\n", target, size], false),
        (&[version, target, ".pragma \"nounroll\";\n", size], false),
        (&[version, target, ".global .b32 g;\n", size], false),
        (&[version, target, ".entry q() { ret; }\n", size], false),
    ] {
        assert_eq!(accepts(&format!("{}{kernel}", head.concat())), accepted, "{head:?}");
    }
}
