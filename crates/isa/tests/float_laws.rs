//! Laws that tie floating-point instructions and their modifiers to each other, on all or on random numbers.

mod support;

use margay_isa::float::{BF16, F16, F32, F64, Format, Shown};
use margay_isa::forms::forms;
use margay_isa::{Bits, Inst, PAGES, Semantics, Slot, Word};
use support::numbers::{compute, inst, key, number, partner};
use support::{Random, random};

const ROUNDS: usize = 3_000;
const FORMATS: [(&Format, &str); 4] = [(&F32, "f32"), (&F64, "f64"), (&F16, "f16"), (&BF16, "bf16")];
const MODES: [&str; 4] = ["rn", "rz", "rm", "rp"];

fn three(format: &Format, random: &mut Random) -> [Bits; 3] {
    let a = number(format, random);
    [a, partner(format, a, random), number(format, random)]
}

#[test]
fn multiplying_by_one_adds_and_subtracting_adds_the_opposite() {
    let mut random = Random(3);
    for (format, ty) in FORMATS {
        for mode in MODES {
            // Half precision knows the nearest alone.
            if format.bits == 16 && mode != "rn" {
                continue;
            }
            let [add, sub] = ["add", "sub"].map(|name| inst(&format!("{name}.{mode}.{ty}"), 3));
            let fma = inst(&format!("fma.{mode}.{ty}"), 4);
            for _ in 0..ROUNDS {
                let [a, b, _] = three(format, &mut random);
                let sum = compute(&add, &[a, b]);
                if !format.is_nan(sum) {
                    assert_eq!(compute(&fma, &[a, format.one(), b]), sum, "{a:#x} + {b:#x}, {mode}.{ty}");
                    assert_eq!(
                        compute(&sub, &[a, b ^ format.sign_bit()]),
                        sum,
                        "{a:#x} + {b:#x}, {mode}.{ty}"
                    );
                    assert_eq!(compute(&add, &[b, a]), sum, "{a:#x} + {b:#x}, {mode}.{ty}");
                }
            }
        }
    }
}

#[test]
fn directed_roundings_bracket_the_others() {
    let mut random = Random(4);
    for (format, ty) in [(&F32, "f32"), (&F64, "f64"), (&F32, "ftz.f32")] {
        for (name, sources) in [("add", 2), ("mul", 2), ("fma", 3), ("div", 2), ("rcp", 1), ("sqrt", 1)] {
            let [rn, rz, rm, rp] = MODES.map(|mode| inst(&format!("{name}.{mode}.{ty}"), sources + 1));
            for _ in 0..ROUNDS {
                let operands = three(format, &mut random);
                let operands = &operands[..sources];
                let bits = [&rn, &rz, &rm, &rp].map(|form| compute(form, operands));
                if bits.iter().any(|bits| format.is_nan(*bits)) {
                    assert!(bits.iter().all(|bits| format.is_nan(*bits)), "{name}.{ty} of {operands:x?}");
                    continue;
                }
                let [n, z, m, p] = bits.map(|bits| key(format, bits));
                assert!(m <= n && n <= p, "{name}.{ty} of {operands:x?}: {bits:x?}");
                assert!(z == m || z == p, "{name}.{ty} of {operands:x?}: {bits:x?}");
                // The ends are one number or neighbours, +0 and -0 apart.
                assert!(p - m <= 2 || ty.starts_with("ftz"), "{name}.{ty} of {operands:x?}: {bits:x?}");
            }
        }
    }
}

#[test]
fn a_greater_operand_gives_no_lesser_result() {
    let mut random = Random(5);
    for (format, ty) in
        [(&F32, "f32"), (&F64, "f64"), (&F32, "ftz.f32"), (&F16, "f16"), (&F16, "ftz.f16"), (&BF16, "bf16")]
    {
        let [add, fma] = [("add", 3), ("fma", 4)].map(|(name, n)| inst(&format!("{name}.rn.{ty}"), n));
        for _ in 0..ROUNDS {
            let [a, b, c] = three(format, &mut random);
            let more = if a & format.sign_bit() == 0 { a + 1 } else { a - 1 };
            for [less, more] in [
                [vec![a, b], vec![more, b]],
                [vec![a, b & !format.sign_bit(), c], vec![more, b & !format.sign_bit(), c]],
            ] {
                let form = if less.len() == 2 { &add } else { &fma };
                let [d, e] = [&less, &more].map(|operands| compute(form, operands));
                let nan = [&less[..], &more, &[d, e]].concat().iter().any(|bits| format.is_nan(*bits));
                assert!(
                    nan || key(format, d) <= key(format, e),
                    "{form} of {less:x?} and {more:x?}: {d:#x}, {e:#x}"
                );
            }
        }
    }
}

/// A form with a word more, if there is one.
fn with(inst: &Inst, word: Word, all: &[Inst]) -> Option<Inst> {
    let same = |other: &&Inst| {
        Slot::ALL.iter().all(|slot| match *slot == word.home() {
            true => other[*slot] == word,
            false => other[*slot] == inst[*slot],
        })
    };
    all.iter().find(same).copied()
}

/// Every form of every page here that computes numbers: of the words that say what becomes of a result, each does just that.
#[test]
fn sat_relu_and_pairs_do_to_results_what_they_say() {
    let mut draw = random(6);
    let mut random = Random(6);
    let (mut sat, mut relu, mut pairs) = (0, 0, 0);
    let chapters = ["9.7.3.", "9.7.4.", "9.7.5."];
    for page in
        PAGES.iter().filter(|page| page.runs() && chapters.iter().any(|c| page.section.starts_with(c)))
    {
        let all: Vec<Inst> = page
            .opcodes
            .iter()
            .flat_map(|opcode| forms(page, opcode, 1, &mut draw))
            .filter(Inst::runs)
            .collect();
        for form in &all {
            let ty = form.ty(Slot::Type);
            let Some(format) = Format::of(ty) else { panic!("{form} is of no format") };
            let sources = form.line().operands.len() - 1;
            let from = |k: usize| match form[Slot::AType] {
                Word::Absent => format,
                word if k + 1 < sources => Format::named(word).unwrap(),
                _ => format,
            };
            let plain = |bits: Bits| bits & !format.sign_bit();
            for _ in 0..200 {
                let one: Vec<Bits> = (0..sources).map(|k| number(from(k), &mut random)).collect();
                let d = compute(form, &one) & ty.mask();
                if let Some(form) = with(form, Word::Sat, &all).filter(|_| !form.has(Slot::Sat)) {
                    let negative = d & format.sign_bit() != 0 || format.is_nan(d);
                    let want = if negative { 0 } else { d.min(format.one()) };
                    assert_eq!(compute(&form, &one) & ty.mask(), want, "{form} of {one:x?}");
                    sat += 1;
                }
                if let Some(form) = with(form, Word::Relu, &all).filter(|_| !form.has(Slot::Relu)) {
                    let negative = d != plain(d) && !format.is_nan(d);
                    assert_eq!(
                        compute(&form, &one) & ty.mask(),
                        if negative { 0 } else { d },
                        "{form} of {one:x?}"
                    );
                    relu += 1;
                }
                if ty.lanes == 2 {
                    let two: Vec<Bits> = (0..sources).map(|k| number(from(k), &mut random)).collect();
                    let both: Vec<Bits> =
                        one.iter().zip(&two).map(|(low, high)| low | high << ty.bits).collect();
                    let want = d | (compute(form, &two) & ty.mask()) << ty.bits;
                    assert_eq!(compute(form, &both), want, "{form} of {both:x?}");
                    pairs += 1;
                }
            }
        }
    }
    println!("{sat} saturated, {relu} clipped, {pairs} pairs");
    assert!(sat > 10_000 && relu > 3_000 && pairs > 10_000, "{sat} {relu} {pairs}");
}

#[test]
fn flushing_is_that_of_operands_and_then_of_results_unless_rounding_lifts_them() {
    let mut random = Random(7);
    for (name, sources) in [("add", 2), ("mul", 2), ("fma", 3), ("div", 2), ("rcp", 1), ("sqrt", 1)] {
        for mode in MODES {
            let [plain, ftz] = ["", ".ftz"].map(|ftz| inst(&format!("{name}.{mode}{ftz}.f32"), sources + 1));
            for _ in 0..ROUNDS {
                let operands = three(&F32, &mut random);
                let flush = |bits: Bits| if F32.is_subnormal(bits) { bits & F32.sign_bit() } else { bits };
                let flushed = operands.map(flush);
                let d = compute(&plain, &flushed[..sources]);
                let got = compute(&ftz, &operands[..sources]);
                // The least normal number may have come of rounding to a multiple of the least subnormal one.
                let least = d & !F32.sign_bit() == 0x0080_0000;
                let fits = got == flush(d) || least && got == d & F32.sign_bit();
                assert!(fits, "{ftz} of {operands:x?}: {got:#x}, without .ftz {d:#x}");
            }
        }
    }
}

/// Folded by ptxas 13.5 as here; neither deciding before rounding nor after rounding to subnormal numbers gives all of them.
#[test]
fn flushing_is_decided_after_rounding_without_a_lower_end() {
    let [plain, ftz] = ["mul.rn.f32", "mul.rn.ftz.f32"].map(|text| inst(text, 3));
    for (a, b, rounded, flushed) in
        [(0x3f7f_ffff, 0x0080_0000, 0x0080_0000, 0), (0x3f00_0001, 0x00ff_fffe, 0x0080_0000, 0x0080_0000)]
    {
        assert_eq!([compute(&plain, &[a, b]), compute(&ftz, &[a, b])], [rounded, flushed], "{a:#x} * {b:#x}");
    }
}

/// All numbers of half precision, and many of the others: signs and NaN as bits say.
#[test]
fn signs_are_bits() {
    let mut random = Random(8);
    for (format, ty) in FORMATS {
        let [abs, neg] = ["abs", "neg"].map(|name| inst(&format!("{name}.{ty}"), 2));
        let all: Vec<Bits> = match format.bits {
            16 => (0..0x1_0000).collect(),
            _ => (0..100_000).map(|_| number(format, &mut random)).collect(),
        };
        for a in all {
            let [size, opposite] = match (format.is_nan(a), format.bits) {
                (false, _) => [a & !format.sign_bit(), a ^ format.sign_bit()],
                (true, 64) => [a | 1 << 51; 2],
                (true, _) => [format.nan(&[]); 2],
            };
            assert_eq!([compute(&abs, &[a]), compute(&neg, &[a])], [size, opposite], "{a:#x}, {ty}");
        }
    }
    for (ty, bits) in [("f32", 32), ("f64", 64)] {
        let format: &Format = if bits == 32 { &F32 } else { &F64 };
        let copysign = inst(&format!("copysign.{ty}"), 3);
        for _ in 0..ROUNDS {
            let [a, b, _] = three(format, &mut random);
            let want = a & format.sign_bit() | b & !format.sign_bit();
            assert_eq!(compute(&copysign, &[a, b]), want, "{a:#x}, {b:#x}");
        }
    }
}

/// Patterns in the order of their numbers decide, with -0 below +0.
#[test]
fn the_lesser_and_the_greater_of_patterns_in_order() {
    let mut random = Random(9);
    for (format, ty) in FORMATS {
        let forms = ["min", "max"].map(|name| inst(&format!("{name}.{ty}"), 3));
        for _ in 0..100_000 {
            let [a, b, _] = three(format, &mut random);
            let want = match (format.is_nan(a), format.is_nan(b)) {
                (false, false) if key(format, a) <= key(format, b) => [a, b],
                (false, false) => [b, a],
                (true, false) => [b, b],
                (false, true) => [a, a],
                (true, true) => [format.nan(&[b]); 2],
            };
            assert_eq!(forms.each_ref().map(|form| compute(form, &[a, b])), want, "{a:#x}, {b:#x}, {ty}");
        }
    }
    // Three numbers: the first two, then the third.
    for words in ["f32", "ftz.f32", "NaN.f32", "ftz.NaN.f32"] {
        for name in ["min", "max"] {
            let [two, three_of] = [3, 4].map(|n| inst(&format!("{name}.{words}"), n));
            let largest = inst(&format!("{name}.{}", words.replace("f32", "abs.f32")), 4);
            for _ in 0..ROUNDS {
                let [a, b, c] = three(&F32, &mut random);
                let chain = |a: Bits, b: Bits, c: Bits| compute(&two, &[compute(&two, &[a, b]), c]);
                assert_eq!(
                    compute(&three_of, &[a, b, c]),
                    chain(a, b, c),
                    "{three_of} of {a:#x}, {b:#x}, {c:#x}"
                );
                let [x, y, z] = [a, b, c].map(|bits| bits & !F32.sign_bit());
                assert_eq!(
                    compute(&largest, &[a, b, c]),
                    chain(x, y, z),
                    "{largest} of {a:#x}, {b:#x}, {c:#x}"
                );
            }
        }
    }
}

#[test]
fn mixed_precision_widens_and_rounds_once() {
    let mut random = Random(10);
    let fma = inst("fma.rn.f32", 4);
    for (format, ty) in [(&F16, "f16"), (&BF16, "bf16")] {
        // To multiply by 1 with nothing added gives the number itself, in the wider format.
        let widen = inst(&format!("fma.rn.f32.{ty}"), 4);
        let wide = |bits: Bits| compute(&widen, &[bits, format.one(), 0x8000_0000]);
        for _ in 0..ROUNDS {
            let [a, b, _] = three(format, &mut random);
            let c = number(&F32, &mut random);
            let want = compute(&fma, &[wide(a), wide(b), c]);
            assert_eq!(compute(&widen, &[a, b, c]), want, "{a:#x} * {b:#x} + {c:#x}, {ty}");
            for (name, mode) in [("add", "rz"), ("sub", "rp")] {
                let mixed = inst(&format!("{name}.{mode}.f32.{ty}"), 3);
                let alone = inst(&format!("{name}.{mode}.f32"), 3);
                assert_eq!(
                    compute(&mixed, &[a, c]),
                    compute(&alone, &[wide(a), c]),
                    "{mixed} of {a:#x}, {c:#x}"
                );
            }
        }
        if ty == "bf16" {
            for a in (0..0x1_0000).filter(|a| !BF16.is_nan(*a)) {
                assert_eq!(wide(a), a << 16, "{a:#x}");
            }
        }
    }
}

#[test]
fn selection_goes_by_the_sign_and_flushes_it() {
    let mut random = Random(11);
    let [plain, ftz] = ["slct.u32.f32", "slct.ftz.u32.f32"].map(|text| inst(text, 4));
    for _ in 0..20_000 {
        let c = number(&F32, &mut random);
        let number = f32::from_bits(c as u32);
        let chosen = Bits::from(number.is_nan() || number < 0.0);
        assert_eq!(compute(&plain, &[0, 1, c]), chosen, "{c:#x}");
        let tiny = F32.is_subnormal(c);
        assert_eq!(compute(&ftz, &[0, 1, c]), if tiny { 0 } else { chosen }, "{c:#x}");
    }
}

#[test]
fn sorts_of_numbers_are_those_of_rust() {
    use std::num::FpCategory::*;
    let mut random = Random(12);
    for (format, ty) in [(&F32, "f32"), (&F64, "f64")] {
        let tests = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
        let forms = tests.map(|test| inst(&format!("testp.{test}.{ty}"), 2));
        for _ in 0..20_000 {
            let a = number(format, &mut random);
            let sort = match format.bits {
                32 => f32::from_bits(a as u32).classify(),
                _ => f64::from_bits(a as u64).classify(),
            };
            let normal = matches!(sort, Normal | Zero);
            let want = [
                sort != Nan && sort != Infinite,
                sort == Infinite,
                sort != Nan,
                sort == Nan,
                normal,
                sort == Subnormal,
            ];
            assert_eq!(forms.each_ref().map(|form| compute(form, &[a]) == 1), want, "{a:#x}, {ty}");
        }
    }
}

/// The stages of every form end with the result, whether they are asked for or not.
#[test]
fn the_last_stage_is_the_result() {
    let mut draw = random(13);
    let mut random = Random(13);
    let mut staged = 0;
    for page in
        PAGES.iter().filter(|page| page.section.starts_with("9.7.3.") || page.section.starts_with("9.7.4."))
    {
        for form in
            page.opcodes.iter().flat_map(|opcode| forms(page, opcode, 1, &mut draw)).filter(Inst::runs)
        {
            let Some(format) = Format::of(form.ty(Slot::Type)).filter(|_| form.ty(Slot::Type).lanes == 1)
            else {
                continue;
            };
            for _ in 0..50 {
                let mut args = [0; 8];
                args[..3].fill_with(|| number(format, &mut random));
                let steps = form.stages(Semantics::Manual, &args);
                let Some(last) = steps.last() else { continue };
                let d = compute(&form, &args[..3]);
                let shown = Shown { format, bits: d }.to_string();
                // What is no number is not rounded.
                let text = last.value.to_string();
                assert!(text == shown || format!("{text}.0") == shown, "{form}: {shown}, {steps:?}");
                staged += 1;
            }
        }
    }
    assert!(staged > 5_000, "{staged}");
}
