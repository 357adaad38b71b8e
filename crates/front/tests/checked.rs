//! What real compilers write checks clean; what is damaged or made to exhaust the checker is an error, never a panic.

mod support;

use margay_front::module::{FunctionId, InstructionId};

use margay_front::check::{Checked, Options, check, check_anywhere};
use margay_front::diag::codes;
use margay_front::judge::Judge;
use margay_front::{Code, Diagnostic, Severity, Source, diag};
use support::{Random, mutate};

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

fn checked(name: &str, text: &str) -> (Source, Checked) {
    let source = Source::new(name, text);
    let checked = check(&source, Options::default());
    (source, checked)
}

fn codes_of(text: &str) -> Vec<Code> {
    checked("hostile.ptx", text).1.diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn the_corpus_checks_clean() {
    for (name, text) in support::corpus() {
        let (source, Checked { module, diagnostics }) = checked(&name, &text);
        let (notes, other): (Vec<_>, Vec<_>) =
            diagnostics.into_iter().partition(|d| d.severity == Severity::Note);
        assert!(other.is_empty(), "{}", diag::human(&source, &other, false, 5));
        assert!(notes.iter().all(|d| d.code.name().starts_with("P9")), "{name}: {notes:?}");
        let module = module.unwrap();
        assert!(module.functions().iter().any(|f| f.is_defined), "{name}");
    }
}

#[test]
fn every_instruction_of_the_corpus_has_the_source_line_of_the_loc_before_it() {
    let mut found = 0;
    for (name, text) in support::corpus() {
        let module = checked(&name, &text).1.module.unwrap_or_else(|| panic!("{name}"));
        for (f, function) in module.functions().iter().enumerate() {
            for (k, span) in function.spans.iter().enumerate() {
                let body = &text[function.span.start as usize..span.start as usize];
                let loc = body.rfind("\t.loc").map(|at| body[at..].split_whitespace().skip(1));
                let said = loc.and_then(|mut words| {
                    let [number, line] = [words.next()?, words.next()?];
                    let file = text.split_once(&format!(".file\t{number} \""))?.1;
                    Some((file.split('"').next()?, line.parse().ok()?)).filter(|(_, line)| *line > 0)
                });
                let origin = module.origin(FunctionId(f as u32), InstructionId(k as u32));
                let line = origin.map(|origin| (origin.line.file, origin.line.line));
                assert_eq!(line, said, "{name}: {} {k}", function.name);
                found += u32::from(said.is_some());
            }
        }
    }
    assert!(found > 1000, "only {found} instructions have a source line");
}

#[test]
fn every_instruction_of_the_corpus_is_in_the_module() {
    for (name, text) in support::corpus() {
        let Some(module) = checked(&name, &text).1.module else { panic!("{name}") };
        for function in module.functions() {
            assert_eq!(function.spans.len(), function.code.len(), "{name}: {}", function.name);
            for (instruction, span) in function.code.iter().zip(&function.spans) {
                let written = &text[span.range()];
                let opcode = instruction.inst.opcode();
                assert!(written.contains(opcode), "{name}: `{written}` is {opcode}");
            }
        }
    }
}

#[test]
fn legal_statements_check_clean() {
    let (source, Checked { diagnostics, .. }) = checked("legal.ptx", include_str!("data/legal.ptx"));
    // Each stands alone: what writes the registers that it reads is not there.
    let alone = |d: &Diagnostic| [codes::NEVER_WRITTEN, codes::MAYBE_UNWRITTEN].contains(&d.code);
    let wrong: Vec<_> =
        diagnostics.into_iter().filter(|d| d.severity != Severity::Note && !alone(d)).collect();
    assert!(wrong.is_empty(), "{}", diag::human(&source, &wrong, false, 9));
}

#[test]
fn illegal_statements_have_the_error_they_should() {
    let prelude = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>; .reg .b16 %rs<9>;";
    let mut judge = Judge::new(prelude).unwrap();
    for line in include_str!("data/illegal.tsv").lines().filter(|line| !line.starts_with('#')) {
        let (instruction, code) = line.split_once('\t').unwrap();
        let verdict = judge.judge(instruction, "8.5", "sm_90");
        let found: Vec<_> = verdict.codes.iter().map(|c| c.name()).filter(|c| !c.starts_with("P9")).collect();
        assert_eq!(found, [code], "{instruction}: {}", verdict.message);
    }
}

/// Checks a text; a module must come of it exactly if there is no error, and everything must be printable.
fn try_check(bytes: Vec<u8>) {
    let source = Source::from_bytes("mutant.ptx", bytes);
    let Checked { module, diagnostics } = check(&source, Options::default());
    let errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(module.is_some(), !errors, "{}", source.text);
    for label in diagnostics.iter().flat_map(|d| &d.labels) {
        assert!(source.text.get(label.span.range()).is_some(), "a label outside of the text");
    }
    let _ = diag::human(&source, &diagnostics, false, 3);
    let _ = diag::json(&source, &diagnostics[..diagnostics.len().min(3)]);
}

/// How many mutants of each kind: few in every run of the tests, more by `MARGAY_MUTANTS=100000`.
fn mutants(least: usize) -> usize {
    std::env::var("MARGAY_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(least)
}

#[test]
fn mutated_corpus_files_never_panic() {
    let corpus = support::corpus();
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let small: Vec<_> = corpus.iter().filter(|(_, text)| text.len() < 20_000).collect();
    for _ in 0..mutants(2000) {
        let mut bytes = small[random.below(small.len())].1.clone().into_bytes();
        mutate(&mut bytes, &mut random);
        try_check(bytes);
    }
}

#[test]
fn words_swapped_between_places_never_panic() {
    let corpus = support::corpus();
    let mut random = Random(11);
    let small: Vec<_> = corpus.iter().filter(|(_, text)| text.len() < 20_000).collect();
    for _ in 0..mutants(2000) {
        let text = &small[random.below(small.len())].1;
        let mut words: Vec<&str> = text.split_inclusive([' ', ',', ';', '.', '\t', '\n', '[', '{']).collect();
        for _ in 0..1 + random.below(4) {
            let (a, b) = (random.below(words.len()), random.below(words.len()));
            match random.below(3) {
                0 => words.swap(a, b),
                1 => words[a] = words[b],
                _ => drop(words.remove(a)),
            }
        }
        try_check(words.concat().into_bytes());
    }
}

#[test]
fn mutated_instructions_never_panic() {
    let rows = support::read("accept.tsv.gz");
    let (_, prelude) = rows.lines().nth(1).unwrap().split_once("registers: ").unwrap();
    let mut judge = Judge::new(prelude).unwrap();
    let mut random = Random(5);
    for row in rows.lines().filter(|row| !row.starts_with('#')) {
        let mut bytes = row.split('\t').next().unwrap_or("").as_bytes().to_vec();
        mutate(&mut bytes, &mut random);
        let text = String::from_utf8_lossy(&bytes);
        let verdict = judge.judge(&text, "9.3", "sm_90");
        assert!(verdict.accepted || !verdict.codes.is_empty(), "{text}");
    }
}

fn body(text: &str) -> String {
    format!("{HEAD}.entry k() {{\n.reg .u32 %r<4>;\n{text}\n}}\n")
}

#[test]
fn a_range_of_four_billion_registers_is_one_error() {
    for count in ["4294967295", "4294967296", "99999999999", "18446744073709551615"] {
        assert_eq!(codes_of(&body(&format!(".reg .u32 %x<{count}>;"))), [codes::TOO_MANY_REGISTERS]);
    }
    assert_eq!(
        codes_of(&body(".reg .u32 %x<16777216>; mov.u32 %x16777215, 1; add.u32 %r1, %x16777215, 2;")),
        []
    );
}

#[test]
fn sizes_beyond_the_address_space_are_errors() {
    for text in [
        ".global .u32 x[0x4000000000000000];",
        ".global .u32 x[4294967296][4294967296];",
        ".global .b8 x[1000][1000][1000][1000][1000][1000][1000];",
        ".global .u32 x[-1];",
        ".global .u32 x[18446744073709551615] = {1};",
    ] {
        assert_eq!(codes_of(&format!("{HEAD}{text}")), [codes::SIZE], "{text}");
    }
    // Legal as a size, which no device has; the initial values are too far apart.
    let far = ".global .u32 x[2][0x100000000000000] = {{1}, {2}};";
    assert_eq!(codes_of(&format!("{HEAD}{far}")), [codes::NO_ROOM, codes::SIZE]);
}

#[test]
fn initial_values_far_apart_take_no_memory() {
    let many: String =
        (0..1000).map(|k| format!(".global .u8 x{k}[2][60000000] = {{{{1}}, {{2}}}};\n")).collect();
    let found = codes_of(&format!("{HEAD}{many}"));
    assert!(found.len() > 900 && found.iter().all(|code| *code == codes::SIZE));
}

#[test]
fn as_many_errors_as_lines_take_no_longer_than_reading() {
    for line in [
        "add.u32 %r1, %r2, %undefined;",
        "ad.u32 %r1, %r2, %r3;",
        "bra nowhere;",
        "add.wide.u23 %r1;",
        "lab: { lab: }",
        ".reg .u32 %r<4>;",
        "add.u16 %r1, 70000, 1.5;",
    ] {
        assert!(codes_of(&body(&line.repeat(50_000))).len() <= 1001, "{line}");
    }
}

#[test]
fn many_declarations_are_no_trouble() {
    let each = |make: fn(usize) -> String| (0..100_000).map(make).collect::<String>();
    assert_eq!(codes_of(&body(&each(|k| format!(".reg .u32 a{k};")))), []);
    assert_eq!(codes_of(&body(&each(|k| format!(".reg .u32 a{k}b<9>;")))), []);
    assert_eq!(codes_of(&body(&each(|k| format!("l{k}: bra l{};", 99_999 - k)))), []);
    assert_eq!(codes_of(&format!("{HEAD}{}", each(|k| format!(".global .u32 a{k};")))), []);
    assert_eq!(codes_of(&format!("{HEAD}{}", each(|k| format!(".extern .func f{k}();")))), []);
    let clashes = codes_of(&body(&each(|k| format!(".reg .u32 x{}<9>;", "1".repeat(k % 50)))));
    assert!(clashes.iter().all(|code| [codes::DUPLICATE, codes::TOO_MANY].contains(code)));
}

#[test]
fn what_is_long_once_may_be_named_often() {
    let names = |n: usize| (0..n).map(|k| format!("l{k}")).collect::<Vec<_>>().join(", ");
    let places: String = (0..20_000).map(|k| format!("l{k}: ")).collect();
    let branches = "brx.idx %r1, list; ".repeat(5_000);
    let found = codes_of(&body(&format!("list: .branchtargets {}; {branches} {places} ret;", names(20_000))));
    assert!(
        found.iter().all(|code| [codes::SIZE, codes::TOO_MANY, codes::NOT_RUN].contains(code)),
        "{found:?}"
    );
    let parameters = (0..50_000).map(|k| format!(".reg .u32 a{k}")).collect::<Vec<_>>().join(", ");
    let calls = "call f; ".repeat(50_000);
    let found = codes_of(&format!("{HEAD}.func f({parameters});\n.entry k() {{ {calls} }}"));
    assert!(
        found.iter().all(|code| [codes::CALL, codes::TOO_MANY, codes::NOT_RUN].contains(code)),
        "{found:?}"
    );
    let sums: String = (0..2000).map(|k| format!(".global .u64 y{k} = x{};", "+1".repeat(900))).collect();
    assert_eq!(codes_of(&format!("{HEAD}.global .u32 x; {sums}")), []);
}

#[test]
fn a_giant_line_of_instructions_is_checked() {
    assert_eq!(
        codes_of(&body(&format!("mov.u32 %r1, 0; {}", "add.u32 %r1, %r1, %r1; ".repeat(200_000)))),
        []
    );
}

#[test]
fn around_a_text_that_margay_completes_semicolons_may_end_nothing() {
    let text = ".version 8.0\n.target sm_80\n.entry k() {\nret;;\n;\n}\n";
    assert_eq!(check_anywhere(&Source::new("kernel", text)).diagnostics, []);
    assert_eq!(codes_of(text), [codes::EXPECTED]);
}

#[test]
fn short_addresses_end_with_a_target() {
    let kernel =
        ".entry k() { .reg .b32 %r<3>; mov.b32 %r1, 0; ld.global.u32 %r0, [%r1]; st.u32 [%r1], %r0; }";
    let on = |target: &str, size: &str| codes_of(&format!(".version 8.0\n.target {target}\n{size}{kernel}"));
    for size in ["", ".address_size 32\n", ".address_size 64\n"] {
        assert_eq!(on("sm_89", size), [], "{size}");
    }
    assert_eq!(on("sm_90", ""), [codes::SHORT_ADDRESS; 2]);
    assert_eq!(on("sm_90a", ".address_size 32\n"), [codes::SHORT_ADDRESS; 3]);
    assert_eq!(on("sm_90", ".address_size 64\n"), [codes::SHORT_ADDRESS; 2]);
}

#[test]
fn debug_wants_a_version_and_data() {
    let data = ".section .debug_str { .b8 1 }";
    assert_eq!(codes_of(&format!(".version 3.0\n.target sm_20, debug\n{data}")), []);
    assert_eq!(codes_of(&format!(".version 2.3\n.target sm_20, debug\n{data}")), [codes::NEEDS_VERSION]);
    assert_eq!(codes_of(".version 3.0\n.target sm_20, debug\n.entry k() { ret; }"), [codes::NO_DEBUG_DATA]);
}
