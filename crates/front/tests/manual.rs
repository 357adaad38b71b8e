//! The manual's own examples: accepted, but for the three that contradict their page.

use margay_front::ast::{Instruction, OperandKind};
use margay_front::judge::Judge;
use margay_front::parse_statement;
use margay_isa::{Shape, select};
use std::collections::BTreeMap;

/// Names and selectors of the operands that name registers.
fn registers(instruction: &Instruction) -> Vec<Option<(&str, Option<&str>)>> {
    let places = instruction.operands.iter().map(|operand| match &operand.kind {
        OperandKind::Name(r) | OperandKind::Negated(_, r) => {
            Some((r.name.text.as_str(), r.selector.as_ref().map(|word| word.text.as_str())))
        }
        _ => None,
    });
    places.collect()
}

/// Declarations that fit the statement's operands: `.b32` where its words are wrong.
fn declarations(instruction: &Instruction) -> String {
    let words: Vec<_> = instruction.words.iter().map(|word| word.text.as_str()).collect();
    let names = registers(instruction);
    let selectors: Vec<Vec<&str>> =
        names.iter().map(|n| n.iter().filter_map(|(_, selector)| *selector).collect()).collect();
    let shapes: Vec<_> = instruction
        .operands
        .iter()
        .zip(&selectors)
        .map(|(operand, selectors)| Shape {
            selectors,
            minus: matches!(operand.kind, OperandKind::Negated(..)),
            ..Shape::default()
        })
        .collect();
    let inst = select(&instruction.opcode.text, &words, &shapes).unwrap().ok();
    let mut types = BTreeMap::new();
    for (k, name) in names.iter().enumerate() {
        let Some((name, _)) = name else { continue };
        let bits = inst.as_ref().map_or(32, |inst| {
            let (_, operand) = inst.operands().nth(k).unwrap();
            inst.operand_type(operand.ty).unwrap().width()
        });
        types.insert(name.to_string(), format!(".b{bits}"));
    }
    types.extend(
        instruction.guard.iter().map(|guard| (guard.predicate.text.to_string(), ".pred".to_string())),
    );
    types.iter().map(|(name, ty)| format!(".reg {ty} {name};")).collect()
}

#[test]
fn each_example_of_the_manual_is_accepted_or_refused_on_purpose() {
    let mut counts = (0, 0);
    for line in include_str!("data/manual.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let statement = columns.next().unwrap();
        let expected: Vec<_> = columns.next().into_iter().collect();
        let (instruction, _) = parse_statement(statement);
        let mut judge = Judge::new(&declarations(&instruction.unwrap())).unwrap();
        let verdict = judge.judge(statement, "9.1", "sm_90");
        let found: Vec<_> = verdict.codes.iter().map(|code| code.name()).collect();
        assert_eq!(found, expected, "{statement}: {}", verdict.message);
        assert_eq!(verdict.accepted, expected.is_empty());
        assert!(
            expected.is_empty() || columns.next().is_some_and(|reason| !reason.is_empty()),
            "{statement}"
        );
        if verdict.accepted { counts.0 += 1 } else { counts.1 += 1 }
    }
    assert_eq!(counts, (61, 3));
}
