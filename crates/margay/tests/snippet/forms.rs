//! Every form that computes, over columns of values, against its page.

use crate::columns::{apply, corner};
use margay::snippet::{Options, Snippet};
use margay::statement::Statement;
use margay_isa::{Bits, Immediate, Inst, Meaning, PAGES, Page, Semantics, Slot, forms};

/// Numbers that look random.
pub fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(2) + 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let folded = (state >> 33) ^ state;
        folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8
    }
}

fn computes(page: &Page) -> bool {
    page.runs() && matches!(page.meaning, Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_))
}

/// A form with the manual's operand names, and constants where nothing else may stand.
pub fn written(inst: &Inst, random: &mut impl FnMut() -> u64) -> String {
    let mut text = format!("{inst:?}");
    for (template, operand) in inst.operands() {
        if let Immediate::Only(least, most) = operand.immediate {
            let value = least + i128::from(random()) % (most - least + 1);
            text = text.replace(&format!(" {}", template.name), &format!(" {value}"));
        }
    }
    text
}

/// Values for each placeholder of a statement, and what the page gives for them.
pub fn expected(
    statement: &Statement,
    inputs: &[Vec<Bits>],
    semantics: Semantics,
) -> Vec<Vec<(String, Bits)>> {
    let names = statement.placeholders();
    (0..inputs.first().map_or(1, Vec::len))
        .map(|k| {
            let texts: Vec<String> = inputs.iter().map(|values| format!("{:#x}", values[k])).collect();
            let value =
                |name: &str| names.iter().position(|n| *n == name).map_or("", |at| texts[at].as_str());
            let results = statement.compute(semantics, &statement.args(value).unwrap());
            let named = statement.results().iter().map(|place| place.name.clone()).zip(results);
            named.filter(|(name, _)| name != "_").collect()
        })
        .collect()
}

#[test]
fn every_form_over_columns_is_what_its_page_says() {
    let mut random = random(1);
    let (mut judged, mut opcodes) = (0, 0);
    // 2026-11-22: a column is one register, so what copies vectors of registers has none.
    let of_vectors = |page: &Page| page.sets.iter().any(|set| set.1 == Slot::Vec);
    for page in PAGES.iter().filter(|page| computes(page) && !of_vectors(page)) {
        for opcode in page.opcodes {
            let before = judged;
            for inst in forms::forms(page, opcode, 1, &mut random) {
                let text = written(&inst, &mut random);
                let Ok(statement) = Statement::parse(&text) else { continue };
                let snippet =
                    Snippet::instruction(&text).unwrap_or_else(|e| panic!("{text}: {}", e.human(false)));
                let widths: Vec<u32> = snippet.inputs().iter().map(|column| column.ty.width()).collect();
                let inputs: Vec<Vec<Bits>> =
                    widths.iter().map(|w| (0..19).map(|_| corner(&mut random, *w)).collect()).collect();
                let semantics = if random() & 1 == 0 { Semantics::Manual } else { Semantics::Ptxas13_5 };
                let options = Options { semantics, workers: 1, ..Options::default() };
                let outputs = apply(&snippet, &inputs, &options).unwrap_or_else(|e| panic!("{text}: {e}"));
                // A statement's values are literals; a column's are in registers, where ptxas leaves approximate
                // functions to the device.
                let meant = if page.approximate.is_some() { Semantics::Manual } else { semantics };
                for (k, results) in expected(&statement, &inputs, meant).into_iter().enumerate() {
                    for (column, values) in snippet.outputs().iter().zip(&outputs) {
                        let wanted = results.iter().rev().find(|(name, _)| *name == column.name).unwrap().1;
                        let given: Vec<String> = inputs.iter().map(|v| format!("{:#x}", v[k])).collect();
                        assert_eq!(values[k], wanted, "{text} {semantics:?} of {given:?}: {}", column.name);
                    }
                }
                judged += 1;
            }
            assert!(judged > before, "no form of {opcode} was judged");
            opcodes += 1;
        }
    }
    println!("{judged} forms of {opcodes} opcodes");
    assert!(opcodes >= 47, "{opcodes}");
}
