//! Inline assembly: operands of every letter, several statements, and mistakes at their places.

use crate::columns::{apply, corner};
use crate::forms::{expected, random, written};
use margay::snippet::{Failure, Input, Options, Snippet};
use margay::statement::Statement;
use margay_isa::{Bits, Meaning, PAGES, Semantics, forms};

fn asm(template: &str, constraints: &str) -> Snippet {
    Snippet::asm(template, constraints).unwrap_or_else(|e| panic!("{}", e.human(false)))
}

fn results(snippet: &Snippet, inputs: &[Vec<Bits>]) -> Vec<Vec<Bits>> {
    apply(snippet, inputs, &Options::default()).unwrap()
}

#[test]
fn both_styles_of_operands_are_the_same() {
    let inputs = [vec![1, 0xffff_fff0], vec![2, 3], vec![10, 10]];
    let wanted = [vec![12, 13]];
    assert_eq!(results(&asm("vmax.s32.s32.s32.add $0, $1, $2, $3;", "=r,r,r,r"), &inputs), wanted);
    assert_eq!(results(&asm("vmax.s32.s32.s32.add %0, %1, %2, %3;", "=r, r, r, r"), &inputs), wanted);
}

#[test]
fn statements_share_temporaries_and_branch() {
    let collatz = "{
        .reg .pred %p<3>;
        .reg .b32 %r<2>;
        mov.u32 %0, 0;
        mov.u32 %r0, %1;
    again%=:
        setp.le.u32 %p1, %r0, 1;
        @%p1 bra done%=;
        and.b32 %r1, %r0, 1;
        setp.eq.u32 %p2, %r1, 0;
        shr.u32 %r1, %r0, 1;
        mad.lo.u32 %r0, %r0, 3, 1;
        selp.u32 %r0, %r1, %r0, %p2;
        add.u32 %0, %0, 1;
        bra again%=;
    done%=:
    }";
    let snippet = asm(&collatz.replace("3, 1;", "3, 1; // %%"), "=&r,r,~{memory}");
    assert_eq!(results(&snippet, &[vec![1, 2, 3, 27, 97]]), [vec![0, 1, 7, 111, 118]]);
}

#[test]
fn letters_name_sizes_and_operands_can_be_read_and_written() {
    let wide = asm("mov.b64 $0, {$2, $2}; mov.b128 $1, {$3, $3};", "=l,=q,r,d");
    assert_eq!(results(&wide, &[vec![5], vec![7]]), [vec![5 << 32 | 5], vec![7 << 64 | 7]]);
    let in_out = asm("add.u32 %0, %0, %1;", "+r,r");
    assert_eq!(results(&in_out, &[vec![1, 2], vec![10, 20]]), [vec![11, 22]]);
    let tied = asm("add.u32 $0, $1, $2;", "=r,0,r");
    assert_eq!(results(&tied, &[vec![1, 2], vec![10, 20]]), [vec![11, 22]]);
    let predicates = asm("setp.ne.u32 $0, $3, 0; @$2 mov.b16 $1, 7;", "=b,+h,b,r");
    assert_eq!(results(&predicates, &[vec![1, 2], vec![0, 1], vec![0, 9]]), [vec![0, 1], vec![1, 7]]);
    let floats = asm("mov.b32 $0, $2; mov.f32 $1, $2;", "=r,=&f,f");
    assert_eq!(results(&floats, &[vec![0x7fc0_0001]]), [vec![0x7fc0_0001], vec![0x7fc0_0001]]);
}

#[test]
fn constants_are_part_of_the_text() {
    let shift = Snippet::asm_with("shf.l.wrap.b32 $0, $1, $1, $2;", "=r,r,n", &[8]).unwrap();
    assert_eq!(shift.inputs().len(), 1);
    assert_eq!(results(&shift, &[vec![0x1234_5678]]), [vec![0x3456_7812]]);
    let negative = Snippet::asm_with("add.s32 %0, %1, %2;", "=r,r,n", &[-3]).unwrap();
    assert_eq!(results(&negative, &[vec![2]]), [vec![0xffff_ffff]]);
    let missing = Snippet::asm("add.s32 %0, %1, %2;", "=r,r,n").unwrap_err();
    assert_eq!(missing.message(), "the constraints need 1 constant (`n`), but 0 are given");
}

/// Every opcode's forms again, through operands of inline assembly.
#[test]
fn fragments_are_what_their_instructions_are() {
    let mut random = random(2);
    let mut judged = 0;
    let computes = |meaning| matches!(meaning, Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_));
    for page in PAGES.iter().filter(|page| page.runs() && computes(page.meaning)) {
        for opcode in page.opcodes {
            for _ in 0..6 {
                let text = written(&forms::random_form(page, opcode, &mut random), &mut random);
                let Ok(alone) = Snippet::instruction(&text) else { continue };
                if alone.inputs().iter().chain(alone.outputs()).any(|column| column.name == "CC.CF") {
                    continue;
                }
                let statement = Statement::parse(&text).unwrap();
                let Some((template, constraints)) = fragment(&text, &alone) else { continue };
                let snippet = asm(&template, &constraints);
                let inputs: Vec<Vec<Bits>> = (alone.inputs().iter())
                    .map(|column| (0..5).map(|_| corner(&mut random, column.ty.width())).collect())
                    .collect();
                let outputs = results(&snippet, &inputs);
                for (k, wanted) in expected(&statement, &inputs, Semantics::Manual).into_iter().enumerate() {
                    for (column, values) in alone.outputs().iter().zip(&outputs) {
                        let wanted = wanted.iter().find(|(name, _)| *name == column.name).unwrap().1;
                        assert_eq!(values[k], wanted, "{template} ({constraints})");
                    }
                }
                judged += 1;
            }
        }
    }
    println!("{judged} fragments");
    assert!(judged > 200);
}

/// A template and constraints that say the same as an instruction; none where a letter is wanting.
fn fragment(text: &str, alone: &Snippet) -> Option<(String, String)> {
    let columns = alone.outputs().iter().map(|c| ("=", c)).chain(alone.inputs().iter().map(|c| ("", c)));
    let (opcode, operands) = text.split_once(' ')?;
    let mut operands = format!(" {operands} ");
    let mut constraints = Vec::new();
    for (number, (sign, column)) in columns.enumerate() {
        let letter = match column.ty.width() {
            1 => "b",
            16 => "h",
            32 => "r",
            64 => "l",
            128 => "q",
            _ => return None,
        };
        constraints.push(format!("{sign}{letter}"));
        // Names stand between signs and blanks.
        let mut replaced = String::new();
        let mut rest = operands.as_str();
        while let Some(at) = rest.find(column.name.as_str()) {
            let end = at + column.name.len();
            let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_$%.".contains(c));
            let whole = !inside(rest[..at].chars().last())
                && !rest[end..].chars().next().is_some_and(|c| c.is_alphanumeric() || "_$%".contains(c));
            replaced.push_str(&rest[..at]);
            match whole {
                true => replaced.push_str(&format!("${number}")),
                false => replaced.push_str(&rest[at..end]),
            }
            rest = &rest[end..];
        }
        operands = replaced + rest;
    }
    Some((format!("{opcode}{operands};"), constraints.join(",")))
}

fn refused(template: &str, constraints: &str) -> (String, Option<String>) {
    let refusal = Snippet::asm(template, constraints).unwrap_err();
    let other = refusal.other.as_ref().and_then(|other| other.labels.first());
    let label = other.or(refusal.diagnostics.first().and_then(|d| d.labels.first()));
    let place = label.map(|label| refusal.source.text[label.span.range()].to_string());
    (refusal.message().to_string(), place)
}

#[test]
fn mistakes_are_located_in_what_the_user_wrote() {
    for (template, constraints, message, place) in [
        ("add.u32 $0, $1, $2", "=r,r,z", "`z` is not a constraint", Some("z")),
        ("add.u32 $0, $1, $2;", "r,r,r", "the constraints have no output", None),
        ("add.u32 $0, $1, $7;", "=r,r,r", "`$7` does not name an operand", Some("$7")),
        ("mov.u32 $0, %%tid.x; add.u32 $0, %r1, $1;", "=r,r", "register `%r1` is not declared", Some("%r1")),
        ("{ .reg .b32 t; \n add.u33 $0, t, $1; }", "=r,r", "unknown modifier `.u33`", Some(".u33")),
        (
            "add.u32 %0, %1, %2;",
            "=r,r,h",
            "register `%2` has the wrong type for operand `b` of `add.u32`",
            Some("%2"),
        ),
        (
            "add.u32 $0, $1, $2;",
            "=r,f,r",
            "register `$1` has the wrong type for operand `a` of `add.u32`",
            Some("$1"),
        ),
        (
            "multimem.ld_reduce.add.u32 $0, [$1];",
            "=r,l",
            "`multimem.ld_reduce.add.u32` is legal, but margay does not run it yet",
            Some("multimem.ld_reduce.add.u32 $0, [$1];"),
        ),
        ("add.u32 $0, $1, 1; }", "=r,r", "unmatched `}`", Some("}")),
        ("{ add.u32 $0, $1, 1;", "=r,r", "`{` is not closed", Some("{")),
        ("add.u32 $0, $1, 1; ret;", "=r,r", "`ret` leaves before the results are kept", Some("ret;")),
        ("add.u32 $0, $1, 1; /* ", "=r,r", "comment is not closed", Some("/*")),
        ("mov.u32 $0, $1 // nothing", "=r,r", "", None),
        (".global .b32 x; ld.global.b32 $0, [x];", "=r", "variable `x` outlives the snippet", None),
    ] {
        if message.is_empty() {
            asm(template, constraints);
            continue;
        }
        let (said, at) = refused(template, constraints);
        assert_eq!((said.as_str(), at.as_deref()), (message, place), "{template} ({constraints})");
    }
}

#[test]
fn an_element_that_goes_wrong_is_named_with_its_place() {
    let template = "setp.eq.u32 p, $1, 3; @p trap; mov.u32 $0, $1;";
    let snippet = asm(&format!(".reg .pred p; {template}"), "=r,r");
    let values: Vec<u8> = (0..70_000u32).flat_map(|k| (k % 40_000).to_le_bytes()).collect();
    let mut outputs = vec![0; values.len()];
    let inputs = [Input::Each(&values)];
    match snippet.apply(70_000, &inputs, &mut [&mut outputs], &Options::default()) {
        Err(Failure::Stopped(stopped)) => {
            assert_eq!(stopped.element, 3);
            assert_eq!(&snippet.source().text[stopped.span.unwrap().range()], "@p trap;");
        }
        other => panic!("{other:?}"),
    }
    let stray = asm("ld.global.u32 $0, [$1];", "=r,l");
    let ended = stray.apply(1, &[Input::Same(64)], &mut [&mut [0; 4]], &Options::default());
    assert!(ended.unwrap_err().to_string().contains("null"), "a stray address");
}
