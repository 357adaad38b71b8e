//! The fast path against the specification, by random patterns.

use crate::draw::{Draw, forms, pattern};
use crate::support::Random;
use margay_isa::tensor_core::{Form, Multiplier, multiply_add};
use margay_isa::{Bits, Word};

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
