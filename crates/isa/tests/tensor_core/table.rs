//! A table of products with random and special numbers on each architecture. The specification made it; it holds that and the fast
//! path to what they are, where what devices compute is not there to judge them. `BLESS=1 cargo test -p margay-isa --test tensor_core`
//! writes it anew.

use crate::draw::{Draw, forms, pattern};
use crate::support::Random;
use margay_isa::tensor_core::{Form, Multiplier, multiply_add};
use margay_isa::{Bits, Word};
use std::fmt::Write as _;

const TABLE: &str = include_str!("../data/products.tsv");

const HEADER: &str = "\
# Elements of matrix products on each architecture's tensor cores, made by the specification (`margay_isa::tensor_core::multiply_add`).
# device\ttypes of d, a, b, c, and of scales with the kind; w: by a warpgroup or into tensor memory\ta\tb\tscales of a\tscales of b\tc\td; all numbers are bits
";

const DEVICES: [&str; 7] = ["sm_70", "sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"];

fn cell(numbers: &[Bits]) -> String {
    let numbers: Vec<_> = numbers.iter().map(|bits| format!("{bits:x}")).collect();
    if numbers.is_empty() { "-".to_string() } else { numbers.join(" ") }
}

/// One row: what a form makes of numbers on a device.
fn row(device: &str, form: &Form, [a, b, of_a, of_b, c]: [&[Bits]; 5]) -> String {
    let target = device.parse().expect("a target");
    let d = multiply_add(form, target, a, b, [of_a, of_b], c[0]);
    let words = |all: &[Bits], times: usize| -> Vec<u64> {
        all.repeat(times).iter().map(|bits| *bits as u64).collect()
    };
    let mut fast = words(c, 8);
    Multiplier::new(form, target).multiply_add(
        &words(a, 1),
        &words(b, 8),
        [&words(of_a, 1), &words(of_b, 8)],
        &mut fast,
    );
    assert_eq!(fast, [d as u64; 8], "{form:?} on {device}: {a:x?} {b:x?} {of_a:x?} {of_b:x?} {c:x?}");
    let mut types = [form.d, form.a, form.b, form.c].map(|word| word.to_string()).join(".");
    if form.scales != Word::Absent {
        write!(types, ".{} {}", form.scales, form.kind).expect("room");
    }
    if form.asynchronous {
        types += " w";
    }
    [device.to_string(), types, cell(a), cell(b), cell(of_a), cell(of_b), cell(c), cell(&[d])].join("\t")
}

#[test]
fn products_are_those_of_the_table() {
    let mut made = HEADER.to_string();
    let mut random = Random(0x7ab1e);
    for device in DEVICES {
        for (at, (form, scales)) in forms().iter().enumerate() {
            // Of the many pairs of small types one in seven, another one for each device.
            let number = device[3..].parse::<usize>().expect("a number");
            let small =
                ![Word::F16, Word::Bf16, Word::Tf32].contains(&form.a) && form.kind != Word::KindMxf4nvf4;
            if small && (at + number) % 7 != 0 {
                continue;
            }
            for draw in [Draw::Any, Draw::Close, Draw::Special, Draw::Special] {
                let k = usize::from(form.shape.k);
                let mut many = |word, count| -> Vec<Bits> {
                    (0..count).map(|_| pattern(&mut random, word, draw)).collect()
                };
                let scale = if form.scales == Word::Ue4m3 { Word::E4m3 } else { form.scales };
                let numbers = [
                    many(form.a, k),
                    many(form.b, k),
                    many(scale, *scales),
                    many(scale, *scales),
                    many(form.c, 1),
                ];
                made += &row(device, form, numbers.each_ref().map(|numbers| &numbers[..]));
                made.push('\n');
            }
        }
    }
    if std::env::var_os("BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/products.tsv");
        std::fs::write(path, &made).expect("the table is written");
        return;
    }
    for (made, row) in made.lines().zip(TABLE.lines()) {
        assert_eq!(made, row);
    }
    assert_eq!(made.lines().count(), TABLE.lines().count());
}
