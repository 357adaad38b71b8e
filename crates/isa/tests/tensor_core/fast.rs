//! The fast path against the specification, by random patterns.

use crate::draw::{Draw, forms, pattern};
use crate::support::Random;
use margay_isa::tensor_core::{Form, Multiplier, NO_SCALES, multiply_add};
use margay_isa::{Bits, MatrixShape, Word};

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

/// Products of every way and shape: rows in several blocks of lanes, more columns than rows, C and D of other types than the sum.
fn various() -> Vec<Form> {
    let of = |(m, n, k), types| Form::plain(MatrixShape { m, n, k }, types);
    let same = |d, a| [d, a, a, d];
    let mut forms = Vec::new();
    for (m, n) in [(16, 8), (8, 8), (8, 32), (32, 8), (16, 16)] {
        for types in [
            same(Word::F32, Word::F16),
            same(Word::F16, Word::F16),
            [Word::F32, Word::F16, Word::F16, Word::F16],
            [Word::F16, Word::F16, Word::F16, Word::F32],
            same(Word::F32, Word::Bf16),
        ] {
            let form = of((m, n, 16), types);
            forms.extend([form, Form { clamped: true, ..form }]);
        }
        forms.push(of((m, n, 8), same(Word::F32, Word::Tf32)));
        forms.push(of((m, n, 32), [Word::F32, Word::E4m3, Word::E5m2, Word::F32]));
        forms.push(of((m, n, 32), [Word::F16, Word::E2m3, Word::E2m1, Word::F16]));
        forms.push(of((m, n, 16), [Word::S32, Word::S8, Word::U8, Word::S32]));
        let bits = of((m, n, 128), same(Word::S32, Word::B1));
        forms.extend([Word::Xor, Word::And].map(|combine| Form { combine, ..bits }));
        forms.push(of((m, n, 4), [Word::F64; 4]));
    }
    // What devices without an instruction for it make of four products at once.
    forms.extend([
        of((8, 8, 4), same(Word::F32, Word::F16)),
        of((8, 8, 4), same(Word::F16, Word::F16)),
        of((8, 8, 4), [Word::F32, Word::F16, Word::F16, Word::F16]),
        of((8, 8, 4), [Word::F16, Word::F16, Word::F16, Word::F32]),
    ]);
    forms
}

#[test]
fn every_shape_and_way_is_as_specified() {
    let mut random = Random(0x5aa9e);
    for form in various() {
        let (m, n) = (usize::from(form.shape.m), usize::from(form.shape.n));
        let depth = if form.a == Word::B1 { 2 } else { usize::from(form.shape.k) };
        for device in ["sm_70", "sm_80", "sm_89", "sm_90"] {
            let target = device.parse().expect("a target");
            let multiplier = Multiplier::new(&form, target);
            for draw in [Draw::Any, Draw::Close, Draw::Special] {
                let mut many = |word, count| -> Vec<u64> {
                    (0..count).map(|_| pattern(&mut random, word, draw) as u64).collect()
                };
                let (a, b, mut c) = (many(form.a, m * depth), many(form.b, n * depth), many(form.c, m * n));
                if form.c == Word::S32 {
                    c.iter_mut().for_each(|c| *c &= 0xffff_ffff);
                }
                let mut d = c.clone();
                multiplier.multiply_add(&a, &b, [&[], &[]], &mut d);
                let wide = |all: &[u64]| -> Vec<Bits> { all.iter().map(|bits| Bits::from(*bits)).collect() };
                for at in 0..m * n {
                    let (row, column) = (&a[at / n * depth..][..depth], &b[at % n * depth..][..depth]);
                    let specified =
                        multiply_add(&form, target, &wide(row), &wide(column), NO_SCALES, c[at].into());
                    assert_eq!(
                        Bits::from(d[at]),
                        specified,
                        "{:x} not {specified:x} on {device}: {form:?} {row:x?} {column:x?} {:x}",
                        d[at],
                        c[at]
                    );
                }
            }
        }
    }
}
