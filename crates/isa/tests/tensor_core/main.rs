//! Matrix multiply-accumulate: against what devices compute, the fast path against the specification, and both against a table.
//!
//! What devices compute is not part of the project. The tests look for it in the folder that `MARGAY_DEVICE_VALUES` names;
//! where it names none they say so and judge nothing by it.

mod draw;
mod fast;
mod parts;
#[path = "../support/mod.rs"]
mod support;
mod table;
mod worked;

use flate2::read::GzDecoder;
use margay_isa::tensor_core::{Form, NO_SCALES, multiply_add};
use margay_isa::{Bits, MatrixShape, Word};
use std::fs::File;
use std::io::{BufRead, BufReader};
use support::device_values;

/// The numbers of a cell: bits, with spaces between them.
fn numbers(cell: &str) -> Vec<Bits> {
    let number = |text| Bits::from_str_radix(text, 16).unwrap_or_else(|_| panic!("`{text}`"));
    cell.split(' ').map(number).collect()
}

fn word(name: &str) -> Word {
    Word::parse(name).unwrap_or_else(|| panic!("`{name}`"))
}

/// Results of V100, A100, A2, RTX 1000 Ada, L40S, H100, H200 and B200.
#[test]
fn products_have_the_bits_of_devices() {
    let Some(path) = device_values("mma.tsv.gz") else { return };
    let (mut judged, mut wrong) = (0, Vec::new());
    for line in BufReader::new(GzDecoder::new(File::open(path).expect("a file"))).lines() {
        let line = line.expect("readable data");
        if line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        let [ab, cd] = [0, 1].map(|k| word(cells[k]));
        let (a, b, c) = (numbers(cells[2]), numbers(cells[3]), numbers(cells[4])[0]);
        for result in cells[5].split(' ') {
            let (d, devices) = result.split_once(':').expect("result:devices");
            for device in devices.split(',') {
                let name = device.split_once('/').expect("device/target").1;
                let plain = name.trim_end_matches('w');
                let shape = if plain == "sm_70" { (8, 8, 4) } else { (16, 8, a.len() as u16) };
                let shape = MatrixShape { m: shape.0, n: shape.1, k: shape.2 };
                let form = Form { asynchronous: plain != name, ..Form::plain(shape, [cd, ab, ab, cd]) };
                let target = plain.parse().expect("a target");
                judged += 1;
                let got = multiply_add(&form, target, &a, &b, NO_SCALES, c);
                if got != numbers(d)[0] {
                    wrong.push(format!("{got:x}: {line}"));
                }
            }
        }
    }
    eprintln!("{judged} results of devices");
    let sample: Vec<_> = wrong.iter().step_by(wrong.len() / 20 + 1).cloned().collect();
    assert!(wrong.is_empty(), "{} mismatches, among them:\n{}", wrong.len(), sample.join("\n"));
    assert!(judged > 0, "a file without rows");
}
