//! Conversions against LLVM's APFloat, against the nearest of all patterns of a small format, there and back, and the laws of
//! random bits.

mod support;

use margay_isa::float::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, Format, Real, UE8M0};
use margay_isa::{Args, Bits, Inst, Semantics, Shape, Ty, Word, select};
use rustc_apfloat::ieee::{BFloat, Double, Half, IeeeFloat, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;
use support::Random;
use support::numbers::{compute, inst, number};

const MODES: [(&str, Round); 4] = [
    ("rn", Round::NearestTiesToEven),
    ("rz", Round::TowardZero),
    ("rm", Round::TowardNegative),
    ("rp", Round::TowardPositive),
];
const ROUNDS: usize = 4_000;
const SMALL: [(&str, &Format); 5] =
    [("e5m2", &E5M2), ("e4m3", &E4M3), ("e3m2", &E3M2), ("e2m3", &E2M3), ("e2m1", &E2M1)];
const INTEGERS: [&str; 8] = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"];

/// tf32 without the bits that mean nothing.
#[derive(Clone, Copy)]
struct Tf32;

impl rustc_apfloat::ieee::Semantics for Tf32 {
    const BITS: usize = 19;
    const EXP_BITS: usize = 8;
}

/// f32 with exponents of 15 bits.
#[derive(Clone, Copy)]
struct WideSingle;

impl rustc_apfloat::ieee::Semantics for WideSingle {
    const BITS: usize = 1 + 15 + 23;
    const EXP_BITS: usize = 15;
}

fn ty(word: &str) -> Ty {
    Word::parse(word).and_then(Word::ty).expect("a type")
}

/// What `form` makes of numbers of a format, against what the judge says; NaN is left out.
fn judge(form: &str, from: &Format, random: &mut Random, want: impl Fn(Bits) -> Bits) {
    let instruction = inst(form, 2);
    for _ in 0..ROUNDS {
        let a = number(from, random);
        if !from.is_nan(a) {
            assert_eq!(compute(&instruction, &[a]), want(a), "{form} of {a:#x}");
        }
    }
}

fn convert<F: Float + FloatConvert<T>, T: Float>(bits: Bits, round: Round) -> Bits {
    F::from_bits(bits).convert_r(round, &mut false).value.to_bits()
}

#[test]
fn numbers_become_numbers_with_fewer_bits_as_apfloat_rounds_them() {
    let mut random = Random(21);
    for (mode, round) in MODES {
        judge(&format!("cvt.{mode}.f32.f64"), &F64, &mut random, |a| convert::<Double, Single>(a, round));
        judge(&format!("cvt.{mode}.f16.f64"), &F64, &mut random, |a| convert::<Double, Half>(a, round));
        judge(&format!("cvt.{mode}.bf16.f64"), &F64, &mut random, |a| convert::<Double, BFloat>(a, round));
        judge(&format!("cvt.{mode}.f16.f32"), &F32, &mut random, |a| convert::<Single, Half>(a, round));
        judge(&format!("cvt.{mode}.bf16.f32"), &F32, &mut random, |a| convert::<Single, BFloat>(a, round));
        judge(&format!("cvt.{mode}.bf16.f16"), &F16, &mut random, |a| convert::<Half, BFloat>(a, round));
        judge(&format!("cvt.{mode}.f16.bf16"), &BF16, &mut random, |a| convert::<BFloat, Half>(a, round));
    }
    let away = ("rna", Round::NearestTiesToAway);
    for (mode, round) in [MODES[0], MODES[1], away] {
        judge(&format!("cvt.{mode}.tf32.f32"), &F32, &mut random, |a| {
            convert::<Single, IeeeFloat<Tf32>>(a, round) << 13
        });
    }
}

#[test]
fn results_are_flushed_if_they_are_too_small_with_wider_exponents() {
    let mut random = Random(22);
    let mut flushed = 0;
    for (mode, round) in MODES {
        let instruction = inst(&format!("cvt.{mode}.ftz.f32.f64"), 2);
        for _ in 0..ROUNDS {
            // Around 2^-126, with many bits set.
            let near = 0x380f_ffff_0000_0000 + (u128::from(random.next()) & 0x1_ffff_ffff);
            let a = near ^ if random.next() & 1 == 1 { 1 << 63 } else { 0 } | 0x1000_0000;
            let wide: IeeeFloat<WideSingle> = Double::from_bits(a).convert_r(round, &mut false).value;
            let least: IeeeFloat<WideSingle> =
                Single::smallest_normalized().convert_r(round, &mut false).value;
            let below = wide.cmp_abs_normal(least) == Ordering::Less;
            let single = convert::<Double, Single>(a, round);
            let want = if below { single & 0x8000_0000 } else { single };
            flushed += usize::from(below);
            assert_eq!(compute(&instruction, &[a]), want, "{mode} of {a:#x}");
        }
    }
    assert!(flushed > ROUNDS && flushed < 3 * ROUNDS, "{flushed}");
}

#[test]
fn numbers_become_integers_as_apfloat_rounds_them_and_are_clamped() {
    fn all<F: Float>(name: &str, format: &Format, random: &mut Random) {
        for to in INTEGERS {
            let ty = ty(to);
            for (mode, round) in MODES {
                let instruction = inst(&format!("cvt.{mode}i.{to}.{name}"), 2);
                for _ in 0..ROUNDS / 4 {
                    let a = number(format, random);
                    let given = F::from_bits(a);
                    let want = match ty.signed() {
                        _ if given.is_nan() => {
                            Bits::from(format.bits == 64 || ty.bits == 64) << (ty.bits - 1)
                        }
                        true => ty.wrap(given.to_i128_r(ty.bits as usize, round, &mut false).value),
                        false => given.to_u128_r(ty.bits as usize, round, &mut false).value,
                    };
                    assert_eq!(compute(&instruction, &[a]), want, "{instruction} of {a:#x}");
                }
            }
        }
    }
    let mut random = Random(23);
    all::<Half>("f16", &F16, &mut random);
    all::<BFloat>("bf16", &BF16, &mut random);
    all::<Single>("f32", &F32, &mut random);
    all::<Double>("f64", &F64, &mut random);
}

#[test]
fn integers_become_numbers_as_apfloat_rounds_them() {
    fn all<F: Float>(name: &str, random: &mut Random) {
        for from in INTEGERS {
            let ty = ty(from);
            for (mode, round) in MODES {
                let instruction = inst(&format!("cvt.{mode}.{name}.{from}"), 2);
                for _ in 0..ROUNDS / 8 {
                    // Of any length, with ones or zeros at the end.
                    let bits = Bits::from(random.next() >> (random.next() % 64));
                    let bits = (bits << (random.next() % 8) ^ Bits::from(random.next() % 3)) & ty.mask();
                    let want = F::from_i128_r(ty.value(bits), round).value.to_bits();
                    assert_eq!(compute(&instruction, &[bits]), want, "{instruction} of {bits:#x}");
                }
            }
        }
    }
    let mut random = Random(24);
    all::<Half>("f16", &mut random);
    all::<BFloat>("bf16", &mut random);
    all::<Single>("f32", &mut random);
    all::<Double>("f64", &mut random);
}

#[test]
fn integral_numbers_are_those_of_apfloat() {
    fn all<F: Float>(name: &str, format: &Format, random: &mut Random) {
        for (mode, round) in MODES {
            judge(&format!("cvt.{mode}i.{name}.{name}"), format, random, |a| {
                F::from_bits(a).round_to_integral(round).value.to_bits()
            });
        }
    }
    let mut random = Random(25);
    all::<Half>("f16", &F16, &mut random);
    all::<BFloat>("bf16", &BF16, &mut random);
    all::<Single>("f32", &F32, &mut random);
    all::<Double>("f64", &F64, &mut random);
}

/// The number that a pattern of at most 16 bits is, by the definition of formats; `None` of NaN.
fn value(format: &Format, bits: Bits) -> Option<f64> {
    if format.is_nan(bits) {
        return None;
    }
    let stored = format.precision - 1;
    let size = bits & !format.sign_bit();
    let (field, fraction) = ((size >> stored) as i32, (size & ((1 << stored) - 1)) as f64);
    let unit = 2f64.powi(field.max(1) - format.bias - stored as i32);
    let whole = if field == 0 { fraction } else { fraction + 2f64.powi(stored as i32) };
    let sign = if bits & format.sign_bit() == 0 { 1.0 } else { -1.0 };
    let infinite = format.infinity() == Some(size);
    Some(sign * if infinite { f64::INFINITY } else { whole * unit })
}

/// The pattern whose number is nearest, of two equally near the even one; the greatest finite one beyond all.
fn nearest(format: &Format, x: f64) -> Bits {
    let last = format.greatest();
    let size = |bits: Bits| value(format, bits).unwrap_or(f64::NAN);
    let (mut low, mut high) = (0, last);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if size(middle) <= x.abs() { low = middle } else { high = middle }
    }
    let (below, above) = (x.abs() - size(low), size(high) - x.abs());
    let even = if low % 2 == 0 { low } else { high };
    let found = match below.total_cmp(&above) {
        Ordering::Less => low,
        Ordering::Greater => high,
        Ordering::Equal => even,
    };
    found | if x.is_sign_negative() { format.sign_bit() } else { 0 }
}

/// What a number becomes where NaN and infinity have no place.
fn small(format: &Format, x: Option<f64>, relu: bool) -> Bits {
    match x {
        None if *format == E5M2 || *format == E4M3 => 0x7f,
        None => format.greatest(),
        Some(x) if relu && x.is_sign_negative() => 0,
        Some(x) if x.is_infinite() => nearest(format, f64::MAX.copysign(x)),
        Some(x) => nearest(format, x),
    }
}

#[test]
fn every_half_becomes_the_nearest_small_number() {
    for (name, format) in SMALL {
        for (from, source) in [("f16x2", &F16), ("bf16x2", &BF16)] {
            for (relu, word) in [(false, ""), (true, ".relu")] {
                let pair = inst(&format!("cvt.rn.satfinite{word}.{name}x2.{from}"), 2);
                let two = inst(&format!("cvt.rn.satfinite{word}.{name}x2.f32"), 3);
                let width = if *format == E2M1 { 4 } else { 8 };
                for bits in 0..0x1_0000 {
                    let want = small(format, value(source, bits), relu);
                    let other = bits ^ 0x5a5a;
                    let want_other = small(format, value(source, other), relu);
                    let both = want << width | want_other;
                    assert_eq!(compute(&pair, &[bits << 16 | other]), both, "{pair} of {bits:#x} {other:#x}");
                    // The same numbers as .f32.
                    if *source == BF16 && bits % 7 == 0 {
                        let singles = [bits << 16, other << 16];
                        assert_eq!(compute(&two, &singles), both, "{two} of {singles:x?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_half_and_every_small_number_comes_back() {
    let back = |wide: &str, narrow: &str| {
        [inst(&format!("cvt.{wide}.{narrow}"), 2), inst(&format!("cvt.rn.{narrow}.{wide}"), 2)]
    };
    for (wide, narrow, format) in
        [("f32", "f16", &F16), ("f64", "f16", &F16), ("f32", "bf16", &BF16), ("f64", "bf16", &BF16)]
    {
        let [widen, cut] = back(wide, narrow);
        for bits in 0..0x1_0000 {
            let widened = compute(&widen, &[bits]);
            let number = match wide {
                "f32" => f64::from(f32::from_bits(widened as u32)),
                _ => f64::from_bits(widened as u64),
            };
            assert_eq!(Some(number).filter(|x| !x.is_nan()), value(format, bits), "{widen} of {bits:#x}");
            // To and from `.f64` a NaN keeps what it has, made quiet.
            let quiet = 1 << (format.precision - 2);
            let want = match (format.is_nan(bits), wide) {
                (true, "f32") => 0x7fff,
                (true, _) => bits | quiet,
                (false, _) => bits,
            };
            assert_eq!(compute(&cut, &[widened]), want, "{cut} of {widened:#x}");
        }
    }
    for (name, format) in SMALL {
        for (wide, half) in [("f16x2", &F16), ("bf16x2", &BF16)] {
            let widen = inst(&format!("cvt.rn.{wide}.{name}x2"), 2);
            let cut = inst(&format!("cvt.rn.satfinite.{name}x2.{wide}"), 2);
            let width = if *format == E2M1 { 4 } else { 8 };
            for bits in 0..1 << format.bits {
                let other = bits ^ 3;
                let widened = compute(&widen, &[bits << width | other]);
                assert_eq!(value(half, widened >> 16), value(format, bits), "{widen} of {bits:#x}");
                // Infinity and NaN do not come back.
                let kept = |bits| match value(format, bits) {
                    None => 0x7f,
                    Some(x) if x.is_infinite() => format.greatest() | bits & format.sign_bit(),
                    _ => bits,
                };
                assert_eq!(
                    compute(&cut, &[widened]),
                    kept(bits) << width | kept(other),
                    "{cut} of {widened:#x}"
                );
            }
        }
    }
}

#[test]
fn powers_of_two_and_64ths_come_back_with_every_scale() {
    let widen = inst("cvt.rn.bf16x2.ue8m0x2", 2);
    for mode in ["rz", "rp"] {
        let cut = inst(&format!("cvt.{mode}.ue8m0x2.bf16x2"), 2);
        for bits in 0..0x100 {
            let widened = compute(&widen, &[bits << 8 | (bits ^ 1)]);
            assert_eq!(compute(&cut, &[widened]), bits << 8 | (bits ^ 1));
        }
    }
    let widen = inst("cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2", 3);
    let cut = inst("cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.bf16x2", 3);
    for scale in 7..0xf7 {
        for bits in 0..0x100 {
            let (both, scales) = (bits << 8 | (bits ^ 0xff), scale << 8 | 0x7f);
            let widened = compute(&widen, &[both, scales]);
            let want = f64::from(bits as u8 as i8) * 2f64.powi(scale as i32 - 127 - 6);
            assert_eq!(value(&BF16, widened >> 16), Some(want), "{bits:#x} by {scale}");
            assert_eq!(compute(&cut, &[widened, scales]), both, "{widened:#x} by {scale}");
        }
    }
    // What is scaled beyond the greatest number, and NaN as a scale.
    assert_eq!(compute(&widen, &[0x7f80, 0xfeff]), 0x7f7e_7fff);
    let saturated = inst("cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e4m3x2", 3);
    assert_eq!(compute(&saturated, &[0x7efe, 0xfefe]), 0x7f7f_ff7f);
    let infinite = inst("cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2", 3);
    assert_eq!(compute(&infinite, &[0x7efe, 0xfefe]), 0x7f80_ff80);
    assert_eq!(compute(&cut, &[0x7fff_c000, 0x7f7f]), 0x7f80);
    let relu = inst("cvt.rn.satfinite.relu.s2f6x2.bf16x2", 2);
    assert_eq!(compute(&relu, &[0xbf80_3f80]), 0x0040);
}

#[test]
fn one_scale_divides_both_numbers() {
    let form = |head: &str, operands| inst(head, operands);
    let cut = form("cvt.rz.satfinite.scaled::n1::ue8m0.e2m3x2.f32", 4);
    // 2.125 and 2.375, divided by 2.
    assert_eq!(compute(&cut, &[0x4008_0000, 0x4018_0000, 128]), 0x0809);
    let unsigned = form("cvt.rz.satfinite.scaled::n1::ue8m0.ue5m3x2.f16x2", 3);
    assert_eq!(compute(&unsigned, &[0x4040_40c0, 128]), 0x7879);
    let plain = form("cvt.rn.ue5m3x2.f32", 3);
    // Beyond the greatest number: half a unit more is still the greatest, what is more is none.
    assert_eq!(compute(&plain, &[0x47e8_0000, 0x47e8_0001]), 0xfeff);
    assert_eq!(compute(&plain, &[0xff80_0000, 0xbf80_0000]), 0xff78);
    let zeros = form("cvt.rn.satfinite.pzo.e4m3x2.f32", 3);
    assert_eq!(compute(&zeros, &[0x8000_0000, 0xbf80_0000]), 0x00b8);
}

/// The conversion of four numbers by random bits.
fn four(name: &str) -> Inst {
    let text = format!("rs.satfinite.{name}x4.f32");
    let words: Vec<&str> = text.split('.').collect();
    let vector = Shape { elements: 4, ..Shape::default() };
    let form = select("cvt", &words, &[Shape::default(), vector, Shape::default()]);
    form.and_then(Result::ok).expect("a form")
}

/// 1 + `fraction` 65536ths of the unit that follows 1 in a format.
fn above_one(format: &Format, fraction: u32) -> Bits {
    let discarded = 23 - (format.precision - 1);
    (0x3f80_0000 + (fraction << (discarded - 16))).into()
}

#[test]
fn random_bits_round_away_as_often_as_the_fraction_says() {
    for (name, format) in SMALL {
        let form = four(name);
        let (width, one) = (if *format == E2M1 { 4 } else { 8 }, format.one());
        for fraction in [0, 1, 0x1234, 0x8000, 0xffff] {
            let x = above_one(format, fraction);
            let mut raised = [0; 4];
            for random in 0..0x1_0000u128 {
                // Both halves alike: every element sees each pattern once.
                let spread = match *format == E2M1 {
                    true => ((random & 0xff) * 0x0101) | ((random >> 8) * 0x0101_0000),
                    false => random * 0x1_0001,
                };
                let d = compute(&form, &[x, x, x, x, spread]);
                for (k, count) in raised.iter_mut().enumerate() {
                    let element = (d >> (k * width)) & ((1 << width) - 1);
                    assert!(element == one || element == one + 1, "{form} of {x:#x} with {spread:#x}");
                    *count += (element - one) as u32;
                }
            }
            assert_eq!(raised, [fraction; 4], "{form}");
        }
    }
    let form = inst("cvt.rs.f16x2.f32", 4);
    let x = 0x3f80_0000 + 0x0abc;
    let raised = |random: Bits| compute(&form, &[x, 0x3f80_0000, random]) >> 16 == 0x3c01;
    assert_eq!((0..0x2000).filter(|random| raised(random << 16)).count(), 0x0abc);
}

#[test]
fn elements_take_the_random_bits_that_were_measured() {
    // On sm_100: the second of each pair as they are, the first in reverse.
    for (name, format, fields) in [
        ("e4m3", &E4M3, [0x2c48, 0x1234, 0x1e6a, 0x5678]),
        ("e5m2", &E5M2, [0x2c48, 0x1234, 0x1e6a, 0x5678]),
        ("e2m1", &E2M1, [0x6a48, 0x1256, 0x1e2c, 0x3478]),
    ] {
        let form = four(name);
        let width = if *format == E2M1 { 4 } else { 8 };
        // Just enough to be raised, and one less.
        for (less, up) in [(0, 1), (1, 0)] {
            let mut sources = fields.map(|field| above_one(format, 0x1_0000 - field - less)).to_vec();
            sources.push(0x1234_5678);
            let want = (0..4).fold(0, |d, k| d | (format.one() + up) << (k * width));
            assert_eq!(compute(&form, &sources), want, "{form}");
        }
    }
}

#[test]
fn no_random_bits_cut_and_saturation_ends_at_the_greatest_number() {
    let (rs, rz) = (inst("cvt.rs.bf16x2.f32", 4), inst("cvt.rz.bf16x2.f32", 3));
    let (half, half_rz) = (inst("cvt.rs.f16x2.f32", 4), inst("cvt.rz.f16x2.f32", 3));
    let mut random = Random(26);
    for _ in 0..ROUNDS {
        let [a, b] = [number(&F32, &mut random), number(&F32, &mut random)];
        assert_eq!(compute(&rs, &[a, b, 0]), compute(&rz, &[a, b]), "{a:#x} {b:#x}");
        // Beyond what .f16 holds .rz stays at the greatest number.
        let beyond = [a, b].iter().any(|x| matches!(F32.decode(*x), Real::Finite(n) if n.top() > 15));
        if !beyond {
            assert_eq!(compute(&half, &[a, b, 0]), compute(&half_rz, &[a, b]), "{a:#x} {b:#x}");
        }
    }
    let form = four("e4m3");
    assert_eq!(
        compute(&form, &[0x4500_0000, 0xff80_0000, 0x43ff_ffff, 0x7fc0_0000, Bits::MAX >> 96]),
        0x7efe_7e7f
    );
}

#[test]
fn ptxas_does_otherwise_where_it_is_told() {
    let both = |head: &str, a: Bits| {
        let form = inst(head, 2);
        [Semantics::Manual, Semantics::Ptxas13_5].map(|semantics| {
            let (mut args, mut d): (Args, _) = ([0; 8], [0; 1]);
            args[0] = a;
            assert!(form.compute(semantics, &args, &mut d));
            d[0]
        })
    };
    assert_eq!(both("cvt.rp.ftz.f16.f32", 1), [0, 1]);
    assert_eq!(both("cvt.rm.ftz.f16.f32", 0x8000_0001), [0x8000, 0x8001]);
    assert_eq!(both("cvt.rp.ftz.bf16.f32", 1), [0, 0]);
    assert_eq!(both("cvt.rna.tf32.f32", 0xff80_0001), [0x7fff_e000, 0xff80_0000]);
    assert_eq!(both("cvt.rna.satfinite.tf32.f32", 0x7fc0_0000), [0x7fff_e000, 0x7fbf_e000]);
    assert_eq!(both("cvt.rna.satfinite.tf32.f32", 0x7f80_0000), [0x7f7f_e000; 2]);
}

#[test]
fn nans_keep_what_there_is_room_for() {
    let one = |head: &str, a: Bits| compute(&inst(head, 2), &[a]);
    assert_eq!(one("cvt.rn.f32.f64", 0xfff0_0000_2000_0001), 0xffc0_0001);
    assert_eq!(one("cvt.f64.f32", 0xff80_0001), 0xfff8_0000_2000_0000);
    assert_eq!(one("cvt.ftz.f64.f32", 0xff80_0001), 0x7fff_ffff_e000_0000);
    assert_eq!(one("cvt.f64.f16", 0xfc01), 0xfff8_0400_0000_0000);
    assert_eq!(one("cvt.f64.bf16", 0xff81), 0xfff8_2000_0000_0000);
    assert_eq!(one("cvt.f32.bf16", 0xff81), 0xff81_0000);
    assert_eq!(one("cvt.f32.f16", 0xfc01), 0x7fff_ffff);
    assert_eq!(one("cvt.rn.f16.f64", 0xfff0_0400_0000_0000), 0xfe01);
    assert_eq!(one("cvt.rz.bf16.f64", 0xfff0_2000_0000_0000), 0xffc1);
    assert_eq!(one("cvt.rni.f64.f64", 0xfff0_0000_0000_0001), 0xfff8_0000_0000_0001);
    assert_eq!(one("cvt.f64.f64", 0xfff0_0000_0000_0001), 0xfff0_0000_0000_0001);
    assert_eq!(one("cvt.f32.f32", 0xff80_0001), 0xff80_0001);
    assert_eq!(one("cvt.ftz.f32.f32", 0xff80_0001), 0x7fff_ffff);
    assert_eq!(one("cvt.f16.f16", 0xfe01), 0x7fff);
    assert_eq!(one("cvt.sat.f32.f32", 0xff80_0001), 0);
    assert!(UE8M0.is_nan(one("cvt.rz.ue8m0x2.bf16x2", 0x7fc0_7fc0) & 0xff));
}
