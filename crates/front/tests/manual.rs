//! The examples on the pages, the manual's own among them: each is accepted, or refused with its reason.

use margay_front::ast::{AddressBase, Instruction, Operand, OperandKind};
use margay_front::judge::Judge;
use margay_front::parse_statement;
use margay_isa::{Inst, PAGES, Page, Shape, Ty, select};
use std::collections::BTreeMap;

/// Names and selectors of an operand, as far as plain examples have them.
fn parts(operand: &Operand) -> (Vec<&str>, Shape<'_>) {
    let plain = Shape::default();
    match &operand.kind {
        OperandKind::Name(r) => (vec![&r.name.text], plain),
        OperandKind::Negated(_, r) => (vec![&r.name.text], Shape { minus: true, ..plain }),
        OperandKind::Address(a) => match &a.base {
            AddressBase::Name(r) => (vec![&r.name.text], Shape { address: true, ..plain }),
            AddressBase::Constant(_) => (vec![], Shape { address: true, ..plain }),
        },
        _ => (vec![], plain),
    }
}

fn selector(operand: &Operand) -> Option<&str> {
    match &operand.kind {
        OperandKind::Name(r) | OperandKind::Negated(_, r) => r.selector.as_ref().map(|w| w.text.as_str()),
        _ => None,
    }
}

fn inst_of(statement: &Instruction) -> Option<Inst> {
    let words: Vec<&str> = statement.words.iter().map(|w| w.text.as_str()).collect();
    let selectors: Vec<Vec<&str>> =
        statement.operands.iter().map(|o| selector(o).into_iter().collect()).collect();
    let shapes: Vec<Shape> = statement
        .operands
        .iter()
        .zip(&selectors)
        .map(|(o, selectors)| Shape { selectors, ..parts(o).1 })
        .collect();
    select(&statement.opcode.text, &words, &shapes)?.ok()
}

/// Declarations under which an example's operands have the types that its page asks for.
fn declarations(statement: &Instruction) -> String {
    let mut types: BTreeMap<&str, String> = BTreeMap::new();
    let inst = inst_of(statement);
    let wanted: Vec<Option<Ty>> = match &inst {
        Some(inst) => inst.operands().map(|(_, o)| inst.operand_type(o.ty)).collect(),
        None => vec![None; statement.operands.len()],
    };
    for (operand, ty) in statement.operands.iter().zip(wanted) {
        let width = ty.map_or(32, Ty::width);
        for name in parts(operand).0 {
            types.entry(name).or_insert_with(|| format!(".b{width}"));
        }
    }
    if let Some(guard) = &statement.guard {
        types.insert(&guard.predicate.text, ".pred".into());
    }
    types.iter().map(|(name, ty)| format!(".reg {ty} {name};")).collect()
}

fn accepted(example: &str) -> Result<(), String> {
    let (statement, errors) = parse_statement(example);
    let statement = statement.filter(|_| errors.is_empty()).ok_or_else(|| format!("{errors:?}"))?;
    let mut judge = Judge::new(&declarations(&statement)).map_err(|e| format!("{e:?}"))?;
    let verdict = judge.judge(example, "9.5", "sm_120a");
    if verdict.accepted { Ok(()) } else { Err(verdict.message) }
}

fn heart() -> impl Iterator<Item = &'static Page> {
    let in_chapter = |p: &&'static Page| p.section.starts_with("9.7.1.") || p.section.starts_with("9.7.18.");
    PAGES.iter().copied().filter(in_chapter)
}

#[test]
fn examples_of_the_integer_and_video_pages_are_accepted() {
    let mut count = 0;
    for example in heart().flat_map(|page| page.examples) {
        if let Err(why) = accepted(example) {
            panic!("`{example}` is refused: {why}");
        }
        count += 1;
    }
    assert!(count >= 61, "the manual has 61 legal examples in these chapters; the pages have {count}");
}

#[test]
fn three_examples_of_the_manual_are_refused_on_purpose() {
    let refused: Vec<_> =
        heart().flat_map(|page| page.refused).filter(|(_, why)| why.contains("manual's example")).collect();
    assert_eq!(refused.len(), 3);
    for (example, why) in refused {
        assert!(accepted(example).is_err(), "`{example}` is accepted, although {why}");
    }
}
