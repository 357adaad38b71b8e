//! Damaged instructions, templates and constraints: refused or run, never a panic or a hang.

use crate::forms::random;
use margay::snippet::{Input, Options, Snippet};

const TEMPLATES: &[(&str, &str)] = &[
    ("vmax.s32.s32.s32.add $0, $1, $2, $3;", "=r,r,r,r"),
    ("{ .reg .pred p; setp.lt.s32 p, %1, %2; @p bra L%=; mov.b64 %0, {%1, %2}; L%=: }", "=&l,r,r,~{memory}"),
    ("add.cc.u32 $0, $2, $3; addc.u32 $1, ${2}, 0; // $$ %%", "=r,+r,r,0"),
    ("mov.b128 $0, {$1, $1}; .shared .b32 s[4]; st.shared.b32 [s], 1;", "=q,l"),
];

const PARTS: &[&str] = &[
    "$",
    "%",
    "$0",
    "%1",
    "${1}",
    "%%",
    "$$",
    "%=",
    "{",
    "}",
    ";",
    ",",
    "=",
    "+",
    "&",
    "r",
    "l",
    "q",
    "b",
    "n",
    "0",
    "memory",
    "~{",
    "\"",
    "/*",
    "//",
    "\n",
    "é",
    "\0",
    "99999999999",
    ".reg",
    "ret",
    "[",
    "]",
    ".entry k() {",
    "@p",
    "bra",
    "L:",
    "margay$",
    "-1",
    "|",
    "_",
    ".b128",
    "bar.sync 0;",
    "\u{feff}",
];

fn mutate(text: &str, random: &mut impl FnMut() -> u64) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..=random() % 2 {
        let at = random() as usize % (text.len() + 1);
        match random() % 4 {
            0 if at < text.len() => drop(text.remove(at)),
            1 if !text.is_empty() => {
                let end = (at + random() as usize % 8).min(text.len());
                text.drain(at.min(end)..end);
            }
            _ => {
                let part = PARTS[random() as usize % PARTS.len()];
                text.splice(at..at, part.chars());
            }
        }
    }
    text.into_iter().collect()
}

/// Applies what was accepted to a few elements; it may go wrong, and has to end.
fn run(snippet: &Snippet) {
    let inputs: Vec<Input> = snippet.inputs().iter().map(|_| Input::Same(1)).collect();
    let mut outputs: Vec<Vec<u8>> = snippet.outputs().iter().map(|c| vec![0; 3 * c.bytes()]).collect();
    let mut slices: Vec<&mut [u8]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    let options = Options { max_steps: Some(10_000), workers: 1, ..Options::default() };
    let _ = snippet.apply(3, &inputs, &mut slices, &options);
}

#[test]
fn damaged_assembly_is_refused_or_runs() {
    for (template, constraints) in TEMPLATES {
        run(&Snippet::asm(template, constraints).unwrap_or_else(|e| panic!("{}", e.human(false))));
    }
    let mut random = random(3);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..4000 {
        let (template, constraints) = TEMPLATES[round % TEMPLATES.len()];
        let template = mutate(template, &mut random);
        let constraints =
            if random() & 3 > 0 { constraints.to_string() } else { mutate(constraints, &mut random) };
        match Snippet::asm(&template, &constraints) {
            Ok(snippet) => {
                run(&snippet);
                accepted += 1;
            }
            Err(refusal) => {
                assert!(!refusal.message().is_empty(), "{template:?} {constraints:?}");
                assert!(refusal.human(false).starts_with("error"), "{template:?} {constraints:?}");
                refused += 1;
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 100 && refused > 1000, "{accepted} {refused}");
}

#[test]
fn damaged_instructions_are_refused_or_run() {
    let mut random = random(4);
    for round in 0..3000 {
        let text = [
            "vadd4.s32.u32.s32.sat d.b20, a.b1234, b, c",
            "addc.cc.u64 %d, %a, b",
            "setp.lt.and.u32 p|q, a, 7, !c",
        ][round % 3];
        if let Ok(snippet) = Snippet::instruction(&mutate(text, &mut random)) {
            run(&snippet);
        }
    }
}
