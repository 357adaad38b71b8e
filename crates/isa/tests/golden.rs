//! Every recorded vector: the manual's result by default, ptxas's under its semantics.

use flate2::read::GzDecoder;
use margay_isa::{Args, Bits, Inst, Semantics, Shape, select};
use std::io::{BufRead, BufReader};

const VECTORS: &[u8] = include_bytes!("data/golden.tsv.gz");

fn instruction(form: &str) -> Inst {
    let (head, operands) = form.split_once(' ').expect("operands");
    let mut words = head.split('.');
    let opcode = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let parts: Vec<Vec<&str>> = operands.split(',').map(|o| o.trim().split('.').collect()).collect();
    let shapes: Vec<Shape> = parts
        .iter()
        .map(|p| Shape { selectors: &p[1..], minus: p[0].starts_with('-'), ..Shape::default() })
        .collect();
    match select(opcode, &words, &shapes) {
        Some(Ok(inst)) => inst,
        other => panic!("{form}: {other:?}"),
    }
}

/// Operands to which the manual gives no meaning: 64-bit bfe and bfi with a position or length above 255, fns with offset -2^31.
fn undefined(inst: &Inst, args: &Args) -> bool {
    match inst.opcode() {
        "bfe" => args[1] > 255 || args[2] > 255,
        "bfi" => args[2] > 255 || args[3] > 255,
        "fns" => args[2] == 0x8000_0000,
        _ => false,
    }
}

#[test]
fn every_vector_has_the_recorded_results() {
    let (mut rows, mut wrong, mut last) = (0, Vec::new(), None::<(String, Inst)>);
    for line in BufReader::new(GzDecoder::new(VECTORS)).lines() {
        let line = line.expect("readable data");
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        rows += 1;
        let fields: Vec<&str> = line.split('\t').collect();
        let bits = |s: &str| Bits::from_str_radix(s.trim_start_matches("0x"), 16).unwrap_or(0);
        if last.as_ref().is_none_or(|(form, _)| form != fields[0]) {
            last = Some((fields[0].to_string(), instruction(fields[0])));
        }
        let inst = &last.as_ref().expect("just set").1;
        let mut args: Args = [0; 8];
        for k in 0..4 {
            args[k] = bits(fields[1 + k]);
        }
        for (semantics, column) in [(Semantics::Manual, 6), (Semantics::Ptxas13_5, 5)] {
            let mut d = [0];
            assert!(inst.compute(semantics, &args, &mut d));
            let skip = semantics == Semantics::Ptxas13_5 && undefined(inst, &args);
            if d[0] != bits(fields[column]) && !skip {
                wrong.push(format!("{semantics:?} {line}: got {:#x}", d[0]));
            }
        }
    }
    assert_eq!(rows, 126_124);
    let sample: Vec<_> = wrong.iter().step_by(wrong.len() / 60 + 1).cloned().collect();
    assert!(wrong.is_empty(), "{} mismatches, among them:\n{}", wrong.len(), sample.join("\n"));
}
