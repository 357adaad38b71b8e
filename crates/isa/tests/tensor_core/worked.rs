//! Results worked out by hand, and integers against plain arithmetic.

use crate::support::Random;
use margay_isa::float::Mode;
use margay_isa::tensor_core::{Form, Multiplier, NO_SCALES, arithmetic, multiply_add};
use margay_isa::{Bits, MatrixShape, Word};

fn shape(k: u16) -> MatrixShape {
    MatrixShape { m: 16, n: 8, k }
}

/// An element of D on a device, of a product of equally typed factors.
fn element(device: &str, form: &Form, a: &[Bits], b: &[Bits], c: Bits) -> Bits {
    multiply_add(form, device.parse().expect("a target"), a, b, NO_SCALES, c)
}

/// Fast sums of integers beside the specification, and that beside plain arithmetic.
#[test]
fn integers_wrap_or_are_clamped_once() {
    let mut random = Random(0x17);
    for (a, b) in [Word::S8, Word::U8, Word::S4, Word::U4]
        .into_iter()
        .flat_map(|a| [Word::S8, Word::U8, Word::S4, Word::U4].map(|b| (a, b)))
    {
        for clamped in [false, true] {
            let form = Form {
                clamped,
                ..Form::plain(MatrixShape { m: 1, n: 8, k: 32 }, [Word::S32, a, b, Word::S32])
            };
            let multiplier = Multiplier::new(&form, "sm_80".parse().expect("a target"));
            for round in 0..300 {
                // Every third time all products are as great as they can be, and C is at an end.
                let extreme = round % 3 == 0;
                let mut draw = |count: usize| -> Vec<u64> {
                    (0..count)
                        .map(|_| {
                            if extreme {
                                [0x80, 0x7f, 0xff, 0x88, 0xf7][round / 3 % 5]
                            } else {
                                random.next()
                            }
                        })
                        .collect()
                };
                let (row, columns) = (draw(32), draw(256));
                let c: Vec<u64> = (0..8)
                    .map(|n| match n % 4 {
                        0 => 0x7fff_ffff - random.next() % 99,
                        1 => 0x8000_0000 + random.next() % 99,
                        _ => random.next() & 0xffff_ffff,
                    })
                    .collect();
                let mut d = c.clone();
                multiplier.multiply_add(&row, &columns, NO_SCALES.map(|_| &[][..]), &mut d);
                for n in 0..8 {
                    let value = |word: Word, bits: u64| match word {
                        Word::S8 => i64::from(bits as i8),
                        Word::U8 => i64::from(bits as u8),
                        Word::S4 => i64::from((bits as i8) << 4 >> 4),
                        _ => bits as i64 & 15,
                    };
                    let column = &columns[n * 32..][..32];
                    let sum: i64 = row.iter().zip(column).map(|(x, y)| value(a, *x) * value(b, *y)).sum();
                    let sum = sum + i64::from(c[n] as u32 as i32);
                    let wanted =
                        if clamped { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum } as u32;
                    assert_eq!(d[n], u64::from(wanted), "{form:?} {row:x?} {column:x?} {:x}", c[n]);
                    let wide =
                        |all: &[u64]| -> Vec<Bits> { all.iter().map(|bits| Bits::from(*bits)).collect() };
                    let specified = element("sm_80", &form, &wide(&row), &wide(column), c[n].into());
                    assert_eq!(specified, Bits::from(wanted), "{form:?}");
                }
            }
        }
    }
}

#[test]
fn single_bits_are_combined_and_counted() {
    let form = Form::plain(shape(128), [Word::S32, Word::B1, Word::B1, Word::S32]);
    let (a, b) = ([0xffff_0000, 0x0f], [0x00ff_ff00, 0xff]);
    let counted = |combine| element("sm_80", &Form { combine, ..form }, &a, &b, 0xffff_ffff);
    assert_eq!((counted(Word::Xor), counted(Word::And)), (16 + 4 - 1, 8 + 4 - 1));
}

/// Each step rounds as the form says; the first NaN stays, made quiet.
#[test]
fn doubles_are_a_chain_of_rounded_steps() {
    let bits = |value: f64| Bits::from(value.to_bits());
    let chain = |rounding, a: &[f64], b: &[f64], c: f64| {
        let form = Form { rounding, ..Form::plain(shape(4), [Word::F64; 4]) };
        let all = |values: &[f64]| -> Vec<Bits> { values.iter().map(|value| bits(*value)).collect() };
        element("sm_80", &form, &all(a), &all(b), bits(c))
    };
    let tiny = (2f64).powi(-53);
    // 1 + 2^-53 three times: to nearest nothing happens, upwards each adds a last place.
    let thrice = |rounding| chain(rounding, &[tiny; 3], &[1.0; 3], 1.0);
    assert_eq!(thrice(Mode::Nearest), bits(1.0));
    assert_eq!(thrice(Mode::Zero), bits(1.0));
    assert_eq!(thrice(Mode::Down), bits(1.0));
    assert_eq!(thrice(Mode::Up), bits(1.0) + 3);
    // The order matters: what cancels first leaves room for what is small.
    assert_eq!(chain(Mode::Nearest, &[-1.0, tiny], &[1.0, 1.0], 1.0), bits(tiny));
    assert_eq!(chain(Mode::Nearest, &[tiny, -1.0], &[1.0, 1.0], 1.0), 0);
    assert_eq!(chain(Mode::Down, &[-1.0], &[1.0], 1.0), bits(-0.0));
    let form = Form::plain(shape(4), [Word::F64; 4]);
    let quiet = element("sm_80", &form, &[bits(1.0)], &[0x7ff0_0000_0000_0123], 0x7ff0_0000_0000_0456);
    assert_eq!(quiet, 0x7ff8_0000_0000_0123);
}

/// `.m8n8k4` is scalar arithmetic from sm_80 on, which keeps what a tensor core of Volta or Turing cuts off.
#[test]
fn eight_by_eight_by_four_is_scalar_on_newer_devices() {
    let shape = MatrixShape { m: 8, n: 8, k: 4 };
    let single = Form::plain(shape, [Word::F32, Word::F16, Word::F16, Word::F32]);
    // 1 + 3·2^-24, rounded to nearest after all products are added, or cut.
    let (a, b) = ([0x3c00, 0, 0, 0], [0x3c00; 4]);
    let d = |device| element(device, &single, &a, &b, 0x3440_0000);
    assert_eq!([d("sm_70"), d("sm_75")], [0x3f80_0001; 2]);
    assert_eq!([d("sm_80"), d("sm_90"), d("sm_120")], [0x3f80_0002; 3]);
    // In half precision products are added by twos: 2048 + (1 + 0) + (1 + 0) is 2050, not 2048 twice.
    let half = Form::plain(shape, [Word::F16; 4]);
    assert_eq!(element("sm_80", &half, &[0x3c00, 0, 0x3c00, 0], &[0x3c00; 4], 0x6800), 0x6801);
}

/// Results are never -0; NaN has one pattern; infinity is what goes beyond the greatest number.
#[test]
fn specials_are_as_published() {
    let mixed = |d, c| Form::plain(shape(16), [d, Word::F16, Word::F16, c]);
    let single = mixed(Word::F32, Word::F32);
    let half = mixed(Word::F16, Word::F16);
    let of = |form: &Form, a: Bits, b: Bits, c| {
        ["sm_70", "sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"]
            .map(|device| element(device, form, &[a, 0, 0, 0], &[b, 0, 0, 0], c))
    };
    assert_eq!(of(&single, 0x8000, 0x3c00, 0x8000_0000), [0; 7], "-0 + -0");
    assert_eq!(of(&half, 0x8001, 0x0001, 0x8000), [0; 7], "a sum below the least number");
    assert_eq!(of(&single, 0x7c00, 0, 0), [0x7fff_ffff; 7], "infinity times 0");
    assert_eq!(of(&single, 0x7c00, 0x3c00, 0xff80_0000), [0x7fff_ffff; 7], "infinity less infinity");
    assert_eq!(of(&half, 0x7e01, 0x3c00, 0), [0x7fff; 7]);
    assert_eq!(of(&single, 0xfc00, 0x3c00, 0x3f80_0000), [0xff80_0000; 7]);
    assert_eq!(of(&half, 0x7bff, 0x7bff, 0), [0x7c00; 7], "beyond the greatest number");
    let clamped = Form { clamped: true, ..half };
    assert_eq!(of(&clamped, 0x7bff, 0xfbff, 0), [0xfbff; 7]);
    assert_eq!(of(&clamped, 0x7c00, 0, 0), [0; 7]);
    // Products alone overflow nothing.
    let wide = Form::plain(shape(16), [Word::F32, Word::Bf16, Word::Bf16, Word::F32]);
    assert_eq!(element("sm_80", &wide, &[0x7f7f, 0xff7f], &[0x7f7f, 0x7f7f], 0), 0);
    // C of half precision is taken as single; D of half precision is rounded once more, from a sum of single precision: of
    // 1 + 2^-11 + 2^-34 that has lost what is beyond the tie.
    assert_eq!(element("sm_80", &mixed(Word::F32, Word::F16), &[0x3c00], &[0x3c00], 0x0003), 0x3f80_0001);
    assert_eq!(element("sm_80", &mixed(Word::F16, Word::F32), &[0x3c00], &[0x3c00], 0x3a00_0001), 0x3c00);
}

/// What stands behind arithmetic is told apart by device, type and form.
#[test]
fn evidence_is_told() {
    let evidence =
        |device: &str, form: Form| arithmetic(&form, device.parse().expect("a target")).evidence.to_string();
    let plain = |k, d, a| Form::plain(shape(k), [d, a, a, d]);
    let half = plain(16, Word::F32, Word::F16);
    assert_eq!(evidence("sm_86", half), "results of A100 (sm_80), A2 (sm_86)");
    assert_eq!(evidence("sm_87", half), "results of A100 (sm_80), A2 (sm_86); not verified on this target");
    assert_eq!(evidence("sm_75", half), "a published algorithm; not verified here by results of devices");
    assert_eq!(evidence("sm_80", Form { sparse: true, ..half }), "not verified on hardware");
    assert_eq!(evidence("sm_80", plain(32, Word::S32, Word::S8)), "exact by the manual");
    let asked = "results of H200 (sm_90)";
    assert_eq!(evidence("sm_90", plain(32, Word::F32, Word::E4m3)), asked);
    assert_eq!(evidence("sm_90", Form { sparse: true, ..half }), asked);
    let deep = Form { sparse: true, ..plain(32, Word::F32, Word::F16) };
    assert_eq!(evidence("sm_90", deep), "not verified on hardware");
    assert_eq!(evidence("sm_90", plain(8, Word::F32, Word::Tf32)), asked);
    let four = Form::plain(MatrixShape { m: 8, n: 8, k: 4 }, [Word::F32, Word::F16, Word::F16, Word::F32]);
    assert_eq!(evidence("sm_90", four), asked);
    assert_eq!(evidence("sm_100", four), "the code that ptxas 13.5 makes of it");
    assert_eq!(evidence("sm_90", plain(32, Word::F16, Word::E4m3)), "results of H100 (sm_90), H200 (sm_90)");
    let longer = "results of B200 (sm_100) for half as many products; else a published algorithm";
    assert_eq!(evidence("sm_100", plain(8, Word::F32, Word::Tf32)), longer);
}
