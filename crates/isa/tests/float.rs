//! Every recorded result of a floating-point instruction that is exact by the manual.
//!
//! Columns: the form, its operands' bits (`a b c e`), what ptxas 13.5 folds (not judged), the manual's result, whether the two agree,
//! bounds of approximate results, and whether NaN is any NaN (`any`), the canonical one (`canon`) or laid down (`-`). `p|q` is
//! recorded as `p` in bit 0 and `q` in bit 1.

use flate2::read::GzDecoder;
use margay_isa::float::Format;
use margay_isa::{Args, AtomicSpace, Bits, Inst, Meaning, Role, Semantics, Shape, Slot, Ty, Word, select};
use std::io::{BufRead, BufReader};

const VECTORS: &[u8] = include_bytes!("data/float.tsv.gz");

fn instruction(form: &str) -> Option<Inst> {
    let (head, operands) = form.split_once(' ').expect("operands");
    let mut words = head.split('.');
    let opcode = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let shapes: Vec<Shape> = operands
        .split(',')
        .map(|operand| Shape {
            not: operand.contains('!'),
            pair: operand.contains('|'),
            address: operand.contains('['),
            ..Shape::default()
        })
        .collect();
    select(opcode, &words, &shapes)?.ok()
}

/// The results as one number: `q`, where the form has it, above `p`; what memory holds after an atomic operation.
fn compute(form: &str, inst: &Inst, args: &Args) -> Option<Bits> {
    if let Meaning::Atomic(changed) = inst.meaning(Semantics::Manual) {
        let shared = inst[Slot::Space] == Word::Shared;
        return Some(changed(inst, if shared { AtomicSpace::Shared } else { AtomicSpace::Global }, args));
    }
    let mut d = [0; 2];
    inst.compute(Semantics::Manual, args, &mut d)
        .then(|| if form.contains('|') { d[0] | d[1] << 1 } else { d[0] })
}

/// Whether a result is the recorded one, where any NaN is as good as another.
fn same(ty: Ty, any_nan: bool, got: Bits, want: Bits) -> bool {
    let element = |bits: Bits, lane: u32| bits >> (lane * ty.bits) & ty.mask();
    let Some(format) = Format::of(ty).filter(|_| any_nan) else { return got == want };
    (0..ty.lanes).all(|lane| {
        let (got, want) = (element(got, lane), element(want, lane));
        got == want || format.is_nan(got) && format.is_nan(want)
    })
}

#[test]
fn every_exact_vector_has_the_recorded_result() {
    let (mut rows, mut wrong, mut last) = (0, Vec::new(), None::<(String, Option<Inst>)>);
    for line in BufReader::new(GzDecoder::new(VECTORS)).lines() {
        let line = line.expect("readable data");
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        rows += 1;
        let fields: Vec<&str> = line.split('\t').collect();
        // `tests/approximate.rs` judges approximate forms.
        if fields[8] != "-" {
            continue;
        }
        let bits = |s: &str| Bits::from_str_radix(s.trim_start_matches("0x"), 16).unwrap_or(0);
        if last.as_ref().is_none_or(|(form, _)| form != fields[0]) {
            last = Some((fields[0].to_string(), instruction(fields[0])));
        }
        let mut args: Args = [0; 8];
        let given = fields[1..5].iter().filter(|field| **field != "-");
        args.iter_mut().zip(given).for_each(|(arg, field)| *arg = bits(field));
        let inst = &last.as_ref().expect("just set").1;
        let computed = inst.as_ref().and_then(|inst| Some((inst, compute(fields[0], inst, &args)?)));
        let Some((inst, got)) = computed else {
            wrong.push(format!("{line}: is not run"));
            continue;
        };
        let ty = inst.operands().find(|(_, o)| o.role == Role::Destination);
        let ty = ty.map_or_else(|| inst[Slot::Type].ty(), |(_, o)| inst.operand_type(o.ty));
        let ty = ty.expect("a result with a type");
        if !same(ty, fields[10] == "any", got, bits(fields[6])) {
            wrong.push(format!("{line}: got {got:#x}"));
        }
    }
    assert_eq!(rows, 67_573);
    let sample: Vec<_> = wrong.iter().step_by(wrong.len() / 60 + 1).cloned().collect();
    assert!(wrong.is_empty(), "{} mismatches, among them:\n{}", wrong.len(), sample.join("\n"));
}
