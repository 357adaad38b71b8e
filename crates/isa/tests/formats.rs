//! Formats: their ends by the manual's table, every pattern against decoding and rounding, and how numbers are shown.

mod support;

use margay_isa::float::{
    BF16, E2M1, E2M3, E3M2, E4M3, E5M2, Exact, F16, F32, F64, FORMATS, Format, Mode, Real, Shown, TF32,
    UE5M3, UE8M0, encode, round, rounding,
};
use margay_isa::{Bits, Ty, Word};
use std::cmp::Ordering;
use support::Random;
use support::numbers::number;

const MODES: [Mode; 5] = [Mode::Nearest, Mode::NearestAway, Mode::Zero, Mode::Down, Mode::Up];

/// m·2^e.
fn exact(m: u128, e: i32) -> Real {
    Real::Finite(Exact { negative: false, m, e, more: false })
}

#[test]
fn ends_are_those_of_the_table() {
    for (format, least, greatest, pattern) in [
        (&F64, (1, -1074), ((1 << 53) - 1, 971), 0x7fef_ffff_ffff_ffff),
        (&F32, (1, -149), ((1 << 24) - 1, 104), 0x7f7f_ffff),
        (&F16, (1, -24), (65504, 0), 0x7bff),
        (&BF16, (1, -133), (255, 120), 0x7f7f),
        (&TF32, (1, -136), (2047, 117), 0x7f7f_e000),
        (&E5M2, (1, -16), (57344, 0), 0x7b),
        (&E4M3, (1, -9), (448, 0), 0x7e),
        (&E3M2, (1, -4), (28, 0), 0x1f),
        (&E2M3, (1, -3), (15, -1), 0x1f),
        (&E2M1, (1, -1), (6, 0), 0x7),
        (&UE8M0, (1, -127), (1, 127), 0xfe),
        (&UE5M3, (1, -17), (114_688, 0), 0xfe),
    ] {
        let name = format.name;
        assert_eq!(format.greatest(), pattern, "{name}");
        assert_eq!(
            format.decode(pattern).compare(exact(greatest.0, greatest.1)),
            Some(Ordering::Equal),
            "{name}"
        );
        let first = if format.precision == 1 { 0 } else { 1 << format.unused };
        assert_eq!(format.decode(first).compare(exact(least.0, least.1)), Some(Ordering::Equal), "{name}");
        assert_eq!(format.decode(format.one()).compare(Real::ONE), Some(Ordering::Equal), "{name}");
    }
    assert_eq!(F16.infinity(), Some(0x7c00));
    assert_eq!(TF32.infinity(), Some(0x7f80_0000));
    assert_eq!([E4M3.infinity(), E2M1.infinity(), UE8M0.infinity()], [None; 3]);
    assert!(E4M3.is_nan(0x7f) && E4M3.is_nan(0xff) && !E4M3.is_nan(0x7e) && !E2M1.is_nan(0xf));
    assert!(UE8M0.is_nan(0xff) && E5M2.is_nan(0x7d) && !E5M2.is_nan(0x7c) && TF32.is_nan(0x7f80_2000));
    assert_eq!(Ty::of(Word::F16x2).and_then(Format::of), Some(&F16));
    assert_eq!(Ty::of(Word::E4m3).and_then(Format::of), None);
}

/// Every pattern of a small format, many of a large one.
fn patterns(format: &Format) -> Vec<Bits> {
    match format.bits {
        ..=16 => (0..1 << format.bits).collect(),
        bits => {
            let mut random = Random(u64::from(bits));
            let unused = (1 << format.unused) - 1;
            (0..50_000)
                .map(|_| (number(format, &mut random) << format.unused) & format.mask() & !unused)
                .collect()
        }
    }
}

#[test]
fn a_number_of_the_format_is_rounded_to_itself() {
    for format in FORMATS {
        for bits in patterns(format) {
            let value = format.decode(bits);
            for mode in MODES {
                let want = if value.is_nan() { format.nan(&[bits]) } else { bits };
                assert_eq!(
                    encode(format, mode, false, value, &[bits]),
                    want,
                    "{}, {mode:?}: {bits:#x}",
                    format.name
                );
                let flushed = if format.is_subnormal(bits) { bits & format.sign_bit() } else { want };
                assert_eq!(
                    encode(format, mode, true, value, &[bits]),
                    flushed,
                    "{}, {mode:?}: {bits:#x}",
                    format.name
                );
            }
        }
    }
}

/// Between a number and the next: a quarter, the half and three quarters of the way.
#[test]
fn what_lies_between_two_numbers_goes_where_the_mode_says() {
    for format in FORMATS.into_iter().filter(|format| format.bits <= 16) {
        for low in (0..format.greatest()).filter(|low| format.unused == 0 || low % (1 << format.unused) == 0)
        {
            let high = low + 1;
            let numbers = [low, high].map(|bits| match format.decode(bits) {
                Real::Finite(number) => number,
                _ => Exact { negative: false, m: 0, e: format.decode(high).finite().unwrap().e, more: false },
            });
            let e = numbers[0].e - 2;
            let [first, last] = numbers.map(|number| number.m << (number.e - e));
            for quarter in 1..4 {
                let m = first + (last - first) / 4 * quarter;
                for (negative, more) in [(false, false), (true, false), (false, true)] {
                    if negative && !format.signed {
                        continue;
                    }
                    let value = Exact { negative, m, e, more };
                    // Powers of two have no last bit that could be even.
                    let modes = MODES.iter().filter(|mode| format.precision > 1 || **mode != Mode::Nearest);
                    for mode in modes.copied() {
                        let up = match mode {
                            Mode::Zero => false,
                            Mode::Down => negative,
                            Mode::Up => !negative,
                            Mode::NearestAway => quarter >= 2,
                            Mode::Nearest => quarter == 3 || quarter == 2 && (more || low & 1 == 1),
                        };
                        let sign = if negative { format.sign_bit() } else { 0 };
                        let want = sign | if up { high } else { low };
                        let got = round(format, mode, false, value);
                        assert_eq!(got, want, "{}, {mode:?}: {low:#x} and {quarter} quarters", format.name);
                    }
                }
            }
        }
    }
}

#[test]
fn beyond_the_greatest_number_the_mode_decides() {
    let huge = |negative| Exact { negative, m: 3, e: 2000, more: false };
    for (negative, mode, want) in [
        (false, Mode::Nearest, 0x7c00),
        (false, Mode::NearestAway, 0x7c00),
        (false, Mode::Zero, 0x7bff),
        (false, Mode::Down, 0x7bff),
        (false, Mode::Up, 0x7c00),
        (true, Mode::Down, 0xfc00),
        (true, Mode::Up, 0xfbff),
    ] {
        assert_eq!(round(&F16, mode, false, huge(negative)), want, "{mode:?}");
        // A format without infinity has NaN instead, one without NaN its greatest number.
        let (beyond, sign) = (want & 0x7fff == 0x7c00, if negative { 0x80 } else { 0 });
        assert_eq!(
            round(&E4M3, mode, false, huge(negative)),
            sign | if beyond { 0x7f } else { 0x7e },
            "{mode:?}"
        );
        assert_eq!(round(&E2M1, mode, false, huge(negative)), if negative { 0xf } else { 0x7 }, "{mode:?}");
    }
    // Half a unit above the greatest number of f16 is a tie: to the even one, which is infinity.
    let tie = |m| Exact { negative: false, m, e: 0, more: false };
    assert_eq!([65_519, 65_520].map(|m| round(&F16, Mode::Nearest, false, tie(m))), [0x7bff, 0x7c00]);
}

#[test]
fn what_is_shown_is_read_back_as_the_same_number() {
    for format in FORMATS {
        for bits in patterns(format).into_iter().step_by(if format.bits == 16 { 7 } else { 1 }) {
            let Real::Finite(_) = format.decode(bits) else { continue };
            let text = Shown { format, bits }.to_string();
            let read = match format.precision {
                24 => F32.decode(text.parse::<f32>().unwrap().to_bits().into()),
                _ => F64.decode(text.parse::<f64>().unwrap().to_bits().into()),
            };
            let Real::Finite(read) = read else { panic!("{}: {bits:#x} is shown as {text}", format.name) };
            assert_eq!(round(format, Mode::Nearest, false, read), bits, "{}: {text}", format.name);
        }
    }
}

#[test]
fn exact_numbers_in_decimal() {
    let shown = |m, e, more| Exact { negative: false, m, e, more }.to_string();
    assert_eq!(shown(1, 0, false), "1");
    assert_eq!(shown(10, 1, false), "20");
    assert_eq!(shown(3, -1, false), "1.5");
    assert_eq!(shown(1, -20, false), "9.5367431640625e-7");
    assert_eq!(shown(5, -10, false), "0.0048828125");
    assert_eq!(shown(1, 70, false), "1180591620717411303424");
    assert_eq!(shown(1, 100, false), "1.267650600228229401496703205376e30");
    assert_eq!(shown(1, -1074, false), "4.9406564584124654417656879286822137236505980261432…e-324");
    assert_eq!(shown(1 << 60, -60, true), "1…");
    assert_eq!(F32.decode(0x8000_0000).to_string(), "-0");
}

#[test]
fn what_rounding_did_is_told() {
    let told = |format, m, e, more| {
        let value = Exact { negative: false, m, e, more };
        rounding(format, round(format, Mode::Nearest, false, value), &value)
    };
    assert_eq!(told(&F32, 3, 0, false), "exact");
    assert_eq!(told(&F32, (1 << 26) + 1, 0, false), "rounded down by 0.125 ulp");
    assert_eq!(told(&F32, (1 << 26) + 7, 0, false), "rounded up by 0.125 ulp");
    assert_eq!(told(&F32, 1 << 60, 0, true), "rounded down by less than 0.001 ulp");
    assert_eq!(told(&F32, 1, 200, false), "more than the greatest number");
    assert_eq!(told(&E4M3, 1, 200, false), "more than the greatest number");
    assert_eq!(told(&F32, 1, -2000, false), "rounded down by less than 0.001 ulp");
    let below = Exact { negative: true, m: (1 << 26) + 7, e: 0, more: false };
    assert_eq!(rounding(&F32, round(&F32, Mode::Nearest, false, below), &below), "rounded down by 0.125 ulp");
}
