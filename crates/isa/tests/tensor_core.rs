//! Matrix multiply-accumulate: against what devices compute, and the fast path against the specification.
//!
//! What devices compute is not part of the project. The tests look for it in the folder that `MARGAY_DEVICE_VALUES` names, else in
//! `../shared/vectors` beside the checkout; without it they say so and judge nothing.

mod support;

use flate2::read::GzDecoder;
use margay_isa::float::Format;
use margay_isa::tensor_core::{Form, Multiplier, NO_SCALES, multiply_add};
use margay_isa::{Bits, MatrixShape, Word};
use std::fs::File;
use std::io::{BufRead, BufReader};
use support::{Random, device_values};

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
                let form = Form { warpgroup: plain != name, ..Form::plain(shape, [cd, ab, ab, cd]) };
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

/// How random numbers are drawn.
#[derive(Clone, Copy)]
enum Draw {
    /// Any pattern.
    Any,
    /// Exponents close to each other, so that sums are long and cancel.
    Close,
    /// Zeros, subnormal numbers, the greatest and the least; now and then infinities and NaN.
    Special,
}

fn pattern(random: &mut Random, word: Word, draw: Draw) -> Bits {
    let bits = Bits::from(random.next());
    let Some(format) = Format::named(word) else { return bits };
    let (stored, choice) = (format.precision - 1 + format.unused, random.next() % 480);
    let sign = bits & format.sign_bit();
    let fraction = bits & ((1 << stored) - 1);
    let drawn = match draw {
        Draw::Any => bits,
        Draw::Close => {
            sign | (format.bias as Bits + Bits::from(choice % 4)).saturating_sub(2) << stored | fraction
        }
        Draw::Special => match choice {
            0..120 => sign,
            120..280 => sign | fraction,
            280..340 => sign | format.greatest(),
            340..400 => sign | 1 << stored,
            400 => sign | format.beyond(),
            401 => sign | format.nan(&[]),
            _ => bits,
        },
    };
    drawn & format.mask()
}

const HALVES: [Word; 2] = [Word::F32, Word::F16];
const SMALL: [Word; 5] = [Word::E4m3, Word::E5m2, Word::E3m2, Word::E2m3, Word::E2m1];

/// Every combination of types, deepness, kind and scales that some device multiplies as numbers.
fn forms() -> Vec<(Form, usize)> {
    let plain = |m, k, d, a, b| Form::plain(MatrixShape { m, n: 8, k }, [d, a, b, d]);
    let mut forms = Vec::new();
    for d in HALVES {
        forms.extend([4, 8, 16].map(|k| (plain(1, k, d, Word::F16, Word::F16), 0)));
        for a in SMALL {
            for b in SMALL {
                forms.extend([16, 32].map(|k| (plain(1, k, d, a, b), 0)));
            }
        }
        for small in [Word::E4m3, Word::E5m2] {
            forms.push((Form { warpgroup: true, ..plain(1, 32, d, small, small) }, 0));
        }
    }
    forms.extend([8, 16].map(|k| (plain(1, k, Word::F32, Word::Bf16, Word::Bf16), 0)));
    forms.extend([4, 8].map(|k| (plain(1, k, Word::F32, Word::Tf32, Word::Tf32), 0)));
    for (a, b) in SMALL.into_iter().flat_map(|a| SMALL.map(|b| (a, b))) {
        let kind = Word::KindMxf8f6f4;
        forms.push((Form { kind, scales: Word::Ue8m0, ..plain(1, 32, Word::F32, a, b) }, 1));
    }
    for (kind, scales, count) in [
        (Word::KindMxf4, Word::Ue8m0, 2),
        (Word::KindMxf4nvf4, Word::Ue8m0, 2),
        (Word::KindMxf4nvf4, Word::Ue8m0, 4),
        (Word::KindMxf4nvf4, Word::Ue4m3, 4),
    ] {
        forms.push((Form { kind, scales, ..plain(1, 64, Word::F32, Word::E2m1, Word::E2m1) }, count));
    }
    forms
}

/// The fast path beside the specification: a million random patterns of each type of A with each type of D and each kind.
fn fast_is_as_specified(device: &str) {
    let target = device.parse().expect("a target");
    let mut random = Random(0x5eed);
    let forms = forms();
    for (form, scales) in &forms {
        let type_of = |form: &Form| (form.a, form.d, form.kind);
        let patterns = 1_000_000 / forms.iter().filter(|(other, _)| type_of(other) == type_of(form)).count();
        let multiplier = Multiplier::new(form, target);
        let k = usize::from(form.shape.k);
        for round in 0..patterns / (9 * k + 8) {
            let draw = [Draw::Any, Draw::Close, Draw::Special][round % 3];
            let mut many =
                |word, count| -> Vec<Bits> { (0..count).map(|_| pattern(&mut random, word, draw)).collect() };
            let (a, b, c) = (many(form.a, k), many(form.b, 8 * k), many(form.c, 8));
            let scale = if form.scales == Word::Ue4m3 { Word::E4m3 } else { form.scales };
            let (of_a, of_b) = (many(scale, *scales), many(scale, 8 * scales));
            let words = |all: &[Bits]| -> Vec<u64> { all.iter().map(|bits| *bits as u64).collect() };
            let mut d = words(&c);
            multiplier.multiply_add(&words(&a), &words(&b), [&words(&of_a), &words(&of_b)], &mut d);
            for n in 0..8 {
                let column = &b[n * k..][..k];
                let of_column = &of_b[n * scales..][..*scales];
                let specified = multiply_add(form, target, &a, column, [&of_a, of_column], c[n]);
                assert_eq!(
                    Bits::from(d[n]),
                    specified,
                    "{:x} not {specified:x} on {device}: {form:?} {a:x?} {column:x?} {:x} {of_a:x?} {of_column:x?}",
                    d[n],
                    c[n]
                );
            }
        }
    }
}

#[test]
fn fast_sums_are_as_specified_on_volta_and_turing() {
    ["sm_70", "sm_75"].into_iter().for_each(fast_is_as_specified);
}

#[test]
fn fast_sums_are_as_specified_on_ampere_and_ada() {
    ["sm_80", "sm_89"].into_iter().for_each(fast_is_as_specified);
}

#[test]
fn fast_sums_are_as_specified_on_hopper() {
    fast_is_as_specified("sm_90");
}

#[test]
fn fast_sums_are_as_specified_on_blackwell() {
    ["sm_100", "sm_120a"].into_iter().for_each(fast_is_as_specified);
}
