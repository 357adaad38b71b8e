//! Linking: NVIDIA's verdicts, names that collide, what is folded, and what the result says.

mod support;

use margay_front::check::{Options as CheckOptions, check};
use margay_front::diag::across;
use margay_front::link::{Linked, Options, link};
use margay_front::module::Module;
use margay_front::{Severity, Source, compile};

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// Links bodies of modules, called `a.ptx`, `b.ptx` and so on.
fn link_bodies(bodies: &[&str]) -> Linked {
    let named = bodies.iter().zip('a'..).map(|(body, name)| {
        let text = if body.contains(".version") { body.to_string() } else { format!("{HEAD}{body}\n") };
        Source::new(format!("{name}.ptx"), text)
    });
    link(named.collect(), Options::default())
}

fn shown(linked: &Linked) -> String {
    across::human(&linked.inputs, &linked.diagnostics, false, 10)
}

/// The text of a link without a finding; the ordinary checker accepts it.
fn text_of(linked: &Linked) -> &str {
    let text = linked.text.as_ref().unwrap_or_else(|| panic!("{}", shown(linked)));
    let checked = check(&Source::new("linked.ptx", text.as_str()), CheckOptions::default());
    assert!(checked.module.is_some(), "{text}\n{:?}", checked.diagnostics);
    text
}

fn text(bodies: &[&str]) -> String {
    let linked = link_bodies(bodies);
    assert_eq!(linked.diagnostics, [], "{}", shown(&linked));
    text_of(&linked).to_string()
}

fn module(bodies: &[&str]) -> Module {
    compile(&text(bodies)).unwrap()
}

fn codes(linked: &Linked) -> Vec<&'static str> {
    linked.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code.name()).collect()
}

#[test]
fn verdicts_are_those_of_nvlink() {
    let table = include_str!("data/link.tsv");
    let rows: Vec<Vec<&str>> = table.lines().skip(2).map(|row| row.split('\t').collect()).collect();
    assert!(rows.len() > 75);
    for row in rows {
        let [name, verdict, instead, why, inputs @ ..] = row.as_slice() else { panic!("{row:?}") };
        let code = match (*instead, *verdict) {
            ("", "ok") => None,
            ("", "undefined") => Some("P701"),
            ("", "duplicate") => Some("P702"),
            ("", "prototype" | "size" | "space" | "managed") => Some("P703"),
            ("", "kind") => Some("P704"),
            (instead, _) => (!why.is_empty()).then_some(instead),
        };
        let linked = link_bodies(inputs);
        assert_eq!(codes(&linked), Vec::from_iter(code), "{name}\n{}\n{:?}", shown(&linked), linked.text);
        assert_eq!(linked.text.is_none(), code.is_some(), "{name}");
        if code.is_none() {
            text_of(&linked);
        }
        // In the other order, too.
        let backwards: Vec<&str> = inputs.iter().rev().copied().collect();
        assert_eq!(codes(&link_bodies(&backwards)), Vec::from_iter(code), "{name}, backwards");
    }
}

#[test]
fn private_names_are_renamed_at_every_use_and_what_hides_them_is_not() {
    let first =
        ".func f() { ret; } .global .u32 x = 1; .global .u32 y0; .visible .entry k() { call f; ret; }";
    let second = "
.global .u32 x = 2;
.global .u64 p[2] = {x, generic(x)+4};
.global .u32 y<2>;
.func f() { ret; }
.visible .func g();
.alias g, f;
.visible .entry j(.param .u64 x)
{
    .reg .u64 %rd;
    .reg .u32 %r;
    ld.param.u64 %rd, [x];
    call f;
    {
        .local .u32 x;
        mov.u64 %rd, x;
        bra f;
        f: mov.u64 %rd, y0;
    }
    ret;
}
.visible .entry i()
{
    .reg .u64 %rd<3>;
    .reg .u32 x<9>;
    mov.u64 %rd1, x;
    ld.global.u32 x8, [x+0];
    { .reg .u32 y<1>; mov.u32 y0, 1; }
    mov.u64 %rd2, y0;
    lst: .calltargets f, g;
    mov.u64 %rd1, f;
    call (), %rd1, (), lst;
    ret;
}";
    let text = text(&[first, second]);
    let wanted = [
        ".global .u32 x$b = 2;",
        "p[2] = {x$b, generic(x$b) + 4};",
        ".global .u32 y0$b;",
        ".global .u32 y1;",
        ".func f$b()",
        ".alias g, f$b;",
        "ld.param.u64 %rd, [x];",
        "call f$b;",
        ".local .u32 x;",
        "mov.u64 %rd, x;",
        "bra f;",
        "f:",
        "mov.u64 %rd, y0$b;",
        "mov.u64 %rd1, x$b;",
        "ld.global.u32 x8, [x$b + 0];",
        "mov.u32 y0, 1;",
        "mov.u64 %rd2, y0$b;",
        ".calltargets f$b, g;",
        "mov.u64 %rd1, f$b;",
    ];
    let tail = text.split_once("x$b = 2").unwrap().1;
    for line in wanted {
        let spaced = |text: &str| text.replace('+', " + ").replace("  ", " ");
        assert!(spaced(&text).contains(&spaced(line)), "`{line}` is missing in\n{text}");
    }
    assert_eq!(tail.matches("x$b").count(), 4, "{text}");
    assert_eq!(tail.matches("f$b").count(), 5, "{text}");
}

#[test]
fn messages_call_what_is_renamed_as_its_file_does() {
    let body = |kernel: &str| {
        format!(
            ".global .u32 x; .visible .entry {kernel}() {{ .reg .u32 %r; ld.global.u32 %r, [x+4]; st.global.u32 [x], %r; ret; }}"
        )
    };
    let linked = link_bodies(&[&body("k"), &body("j")]);
    assert!(text_of(&linked).contains("x$b"));
    assert_eq!(linked.diagnostics.len(), 2, "{}", shown(&linked));
    for diagnostic in &linked.diagnostics {
        assert_eq!(diagnostic.message, "`ld.global.u32` accesses bytes outside `x`");
        assert_eq!(diagnostic.labels[1].text, "`x` has 4 bytes");
    }
}

#[test]
fn a_new_name_is_one_that_no_input_has() {
    let taken = ".func f() { ret; } .visible .func f$b() { call f; ret; } .visible .global .u32 f$b_1;";
    let text = text(&[".func f() { ret; } .visible .entry k() { call f; ret; }", taken]);
    assert!(text.contains(".visible .func f$b()") && text.contains(".func f$b__()"), "{text}");
}

#[test]
fn registers_of_a_whole_module_are_private() {
    let head = ".version 2.3\n.target sm_20\n.address_size 64\n";
    let body = |kernel: &str| {
        format!(
            "{head}.reg .u32 %r<3>; .reg .u32 v;\n.visible .entry {kernel}() {{ mov.u32 %r2, v; {{ .reg .u32 %r<2>; mov.u32 %r1, %r2; }} ret; }}"
        )
    };
    let linked = link_bodies(&[&body("k"), &body("j")]);
    let text = text_of(&linked);
    for line in [".reg .u32 %r$b<3>;", ".reg .u32 v$b;", "mov.u32 %r$b2, v$b;", "mov.u32 %r1, %r$b2;"] {
        assert!(text.contains(line), "`{line}` is missing in\n{text}");
    }
    // From PTX 3.0 on there are none, and the message says which file has them.
    let new = link_bodies(&[&body("k"), ".visible .func f() { ret; }"]);
    assert!(codes(&new).contains(&"P207") || !codes(&new).is_empty(), "{}", shown(&new));
    assert!(shown(&new).contains("--> a.ptx:"), "{}", shown(&new));
}

#[test]
fn the_result_has_the_highest_version_and_target_that_all_are_fit_for() {
    for (first, second, wanted) in [
        ("7.0 sm_70", "8.0 sm_80", Ok("8.0 sm_80")),
        ("8.5 sm_70", "7.0 sm_80", Ok("8.5 sm_80")),
        ("8.0 sm_80", "8.5 sm_90a", Ok("8.5 sm_90a")),
        ("8.5 sm_90", "8.5 sm_90a", Ok("8.5 sm_90a")),
        ("8.8 sm_100f", "8.6 sm_100", Ok("8.8 sm_100f")),
        ("8.8 sm_100f", "8.8 sm_103", Ok("8.8 sm_103f")),
        ("8.8 sm_100f", "8.8 sm_103a", Ok("8.8 sm_103a")),
        ("8.6 sm_100a", "8.6 sm_100", Ok("8.6 sm_100a")),
        ("8.5 sm_90a", "8.6 sm_100", Err(())),
        ("8.8 sm_100f", "8.8 sm_120", Err(())),
        ("8.8 sm_103f", "8.8 sm_100f", Ok("8.8 sm_103f")),
        ("8.8 sm_100a", "8.8 sm_103", Err(())),
    ] {
        let body = |said: &str, name: &str| {
            let (version, target) = said.split_once(' ').unwrap();
            format!(
                ".version {version}\n.target {target}\n.address_size 64\n.visible .func {name}() {{ ret; }}\n"
            )
        };
        let (a, b) = (body(first, "f"), body(second, "g"));
        for pair in [[&a, &b], [&b, &a]] {
            let linked = link_bodies(&pair.map(String::as_str));
            match wanted {
                Ok(said) => {
                    let module = compile(text_of(&linked)).unwrap();
                    assert_eq!(
                        format!("{} {}", module.version(), module.target()),
                        said,
                        "{first}, {second}"
                    );
                }
                Err(()) => assert_eq!(codes(&linked), ["P705"], "{first}, {second}"),
            }
        }
    }
}

#[test]
fn files_are_numbered_anew_and_every_loc_follows() {
    let body = |kernel: &str, files: &str, file: u32| {
        format!(
            "{files}\n.visible .entry {kernel}() {{ .loc {file} 7 1\n bar.sync 0; .loc 2 9 1, function_name name, inlined_at {file} 8 1\n\
             ret; }}\n.section .debug_str {{ name: .b8 102, 0 }}"
        )
    };
    let module = module(&[
        &body("k", ".file 1 \"a.cu\"\n.file 2 \"common.h\"", 1),
        &body("j", ".file 1 \"common.h\"\n.file 2 \"b.cu\", 12, 34", 2),
        &body("i", ".file 3 \"c.cu\"\n.file 2 \"b.cu\", 12, 34", 3),
    ]);
    let origin = |name: &str, at: u32| {
        let id = module.entry(name).unwrap();
        module.origin(id, margay_front::module::InstructionId(at)).unwrap().to_string()
    };
    assert_eq!((origin("k", 0), origin("k", 1)), ("a.cu:7".into(), "common.h:9, inlined at a.cu:8".into()));
    assert_eq!((origin("j", 0), origin("j", 1)), ("b.cu:7".into(), "b.cu:9, inlined at b.cu:8".into()));
    assert_eq!((origin("i", 0), origin("i", 1)), ("c.cu:7".into(), "b.cu:9, inlined at c.cu:8".into()));
}

#[test]
fn a_file_without_a_name_gets_none() {
    let named = ".file 1 \"a.cu\"\n.visible .entry k() { .loc 1 7 1\n ret; }";
    let module = module(&[named, ".visible .entry j() { .loc 1 7 1\n ret; }"]);
    let id = module.entry("j").unwrap();
    assert_eq!(module.origin(id, margay_front::module::InstructionId(0)), None);
}

#[test]
fn labels_of_debug_data_do_not_collide() {
    let plain = ".visible .func f() { start: bra start; } .section .debug_str { name: .b8 97 }";
    let kept = ".visible .func g() { start: .loc 1 1 1, function_name name, inlined_at 1 2 3\n bra start; }
.section .debug_str { name: .b8 98 }\n.section .debug_info { begin: .b64 start\n.b32 name\n.b64 g\n.b32 begin }";
    let linked = link_bodies(&[plain, kept]);
    let text = text_of(&linked);
    for line in [
        "start$a:\n",
        "bra start$a;",
        "name$b:\n",
        ".b64 start\n",
        ".b32 name$b\n",
        "function_name name$b",
        ".b64 g\n",
    ] {
        assert!(text.contains(line), "`{line}` is missing in\n{text}");
    }
}

#[test]
fn elements_of_an_array_are_counted_as_they_were() {
    let user =
        ".extern .global .align 4 .b8 x[16]; .visible .entry k() { .reg .u64 %rd; mov.u64 %rd, x[4]; ret; }";
    let text = text(&[user, ".visible .global .u32 x[4];"]);
    assert!(text.contains("mov.u64 %rd, x+(4) * 1;") || text.contains("x + (4) * 1"), "{text}");
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let first = "// Header of the first.\n.version 8.0 // so new\n.target sm_80\n.address_size 64\n\n// About f.\n.visible .func f() { ret; } // the end of f\n// Last words.\n";
    let text = text(&[first, "// About g.\n.visible .func g()\n{\n    ret; // inside\n}"]);
    let comments: Vec<_> =
        text.lines().filter_map(|line| line.split_once("//")).map(|(_, c)| c.trim()).collect();
    assert_eq!(
        comments,
        ["Header of the first.", "so new", "About f.", "the end of f", "Last words.", "About g.", "inside"]
    );
}

#[test]
fn one_module_is_itself() {
    let source = Source::new("a.ptx", format!("{HEAD}\n.visible   .entry k ( ) {{ret;}}"));
    assert_eq!(link(vec![source.clone()], Options::default()).text, Some(source.text));
    let calls =
        Source::new("a.ptx", format!("{HEAD}.extern .func f(); .visible .entry k() {{ call f; ret; }}"));
    let linked = link(vec![calls.clone()], Options { allow_undefined: true, to_run: false });
    assert_eq!((linked.text, linked.diagnostics[0].code.name()), (Some(calls.text), "P903"));
    let none = link(Vec::new(), Options::default());
    assert_eq!((none.text.is_none(), codes(&none)), (true, vec!["P501"]));
}

/// What a function computes, numbers of variables and functions aside, with the source lines it is from.
fn meaning(module: &Module, index: usize) -> String {
    let function = &module.functions()[index];
    let plain = |name: &str| name.trim_end_matches("$b").trim_end_matches("$a").to_string();
    let mut shown = String::new();
    for (at, instruction) in function.code.iter().enumerate() {
        let mut line = format!("{} {:?} {:?}", instruction.inst, instruction.guard, instruction.operands);
        for (mark, variables) in [("VariableId(", true), ("FunctionId(", false)] {
            while let Some(begin) = line.find(mark) {
                let digits = &line[begin + mark.len()..];
                let end = digits.find(')').unwrap();
                let id: usize = digits[..end].parse().unwrap();
                let name = match variables {
                    true => &module.variables()[id].name,
                    false => &module.functions()[id].name,
                };
                line = format!("{}<{}>{}", &line[..begin], plain(name), &digits[end + 1..]);
            }
        }
        let id = margay_front::module::FunctionId(index as u32);
        let origin = module.origin(id, margay_front::module::InstructionId(at as u32));
        shown += &format!("{line} {}\n", origin.map(|origin| origin.to_string()).unwrap_or_default());
    }
    shown
}

fn private(text: &str) -> String {
    text.replace(".visible ", "").replace(".weak ", "").replace(".common ", "")
}

/// Whether every function of `part`, and every variable of its whole module, is in `whole` under a name with this end.
fn holds(whole: &Module, part: &Module, suffix: &[&str]) {
    let named = |name: &str| suffix.iter().map(|end| format!("{name}{end}")).collect::<Vec<_>>();
    for (index, function) in part.functions().iter().enumerate().filter(|(_, f)| f.is_defined) {
        let names = named(&function.name);
        let like =
            whole.functions().iter().enumerate().filter(|(_, f)| f.is_defined && names.contains(&f.name));
        let wanted = meaning(part, index);
        let like: Vec<_> = like.map(|(k, _)| meaning(whole, k)).collect();
        let differ = |found: &String| {
            wanted.lines().zip(found.lines()).find(|(a, b)| a != b).map(|(a, b)| format!("{a}\n{b}"))
        };
        assert!(
            like.contains(&wanted),
            "{}: {:?}",
            function.name,
            like.iter().map(differ).collect::<Vec<_>>()
        );
    }
    for variable in part.variables().iter().filter(|v| v.owner.is_none() && !v.is_extern) {
        let names = named(&variable.name);
        let mut like = whole.variables().iter().filter(|v| v.owner.is_none() && names.contains(&v.name));
        assert!(like.any(|v| v.initial == variable.initial && v.size == variable.size), "{}", variable.name);
    }
}

#[test]
fn modules_of_compilers_keep_their_code_beside_copies_and_others() {
    let corpus = support::corpus();
    let mut linked_pairs = 0;
    for (k, (name, text)) in corpus.iter().enumerate() {
        let (other_name, other) = &corpus[(k + 37) % corpus.len()];
        let module = compile(text).unwrap();
        for (copy, of) in [(private(text), name), (private(other), other_name)] {
            let copied = compile(&copy).unwrap();
            for copy_first in [false, true] {
                let mut sources = vec![Source::new(name, text.as_str()), Source::new(of, copy.as_str())];
                if copy_first {
                    sources.reverse();
                }
                let linked = link(sources, Options { to_run: true, ..Options::default() });
                if codes(&linked) == ["P705"] {
                    continue;
                }
                linked_pairs += 1;
                let whole =
                    compile(linked.text.as_ref().unwrap_or_else(|| panic!("{}", shown(&linked)))).unwrap();
                holds(&whole, &module, &["", "$b"]);
                holds(&whole, &copied, &["", "$b", "$a"]);
            }
        }
    }
    assert!(linked_pairs > 600, "{linked_pairs}");
}

#[test]
fn damaged_inputs_are_errors_and_never_panics() {
    let corpus: Vec<_> = support::corpus().into_iter().filter(|(_, text)| text.len() < 12_000).collect();
    let mut random = support::Random(11);
    let (mut good, mut bad) = (0, 0);
    for round in 0..600 {
        let (name, text) = &corpus[random.below(corpus.len())];
        let (_, other) = &corpus[random.below(corpus.len())];
        let mut damaged = text.clone().into_bytes();
        support::mutate(&mut damaged, &mut random);
        let mut sources = vec![Source::from_bytes(name, damaged), Source::new("other.ptx", private(other))];
        if round % 2 == 0 {
            sources.reverse();
        }
        let linked = link(sources, Options { allow_undefined: round % 3 == 0, to_run: true });
        assert_eq!(linked.text.is_none(), !codes(&linked).is_empty());
        for label in linked.diagnostics.iter().flat_map(|d| &d.labels) {
            let (number, span) = linked.inputs.locate(label.span);
            assert!(span.end as usize <= linked.inputs.sources()[number].text.len() + 1, "{label:?}");
        }
        across::human(&linked.inputs, &linked.diagnostics, true, 20);
        match &linked.text {
            Some(text) => {
                good += 1;
                compile(text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
            }
            None => bad += 1,
        }
    }
    assert!(good > 5 && bad > 200, "{good} links, {bad} refusals");
}
