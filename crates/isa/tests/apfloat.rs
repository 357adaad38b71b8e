//! Floating-point results against LLVM's APFloat, as `rustc_apfloat` has it: all operations, modes and formats.
//!
//! What `.ftz` does to results is judged in another way than the pages go: APFloat computes in formats with the same precision and
//! far more exponents, and what then is below the least normal number is zero.

mod support;

use margay_isa::Bits;
use margay_isa::float::{BF16, F16, F32, F64, Format};
use rustc_apfloat::ieee::{BFloat, Double, Half, IeeeFloat, Quad, Semantics, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;
use support::Random;
use support::numbers::{compute, inst, is_finite, number, partner};

/// f32 with exponents of 15 bits.
#[derive(Clone, Copy)]
struct WideSingle;

impl Semantics for WideSingle {
    const BITS: usize = 1 + 15 + 23;
    const EXP_BITS: usize = 15;
}

/// f16 with exponents of 15 bits.
#[derive(Clone, Copy)]
struct WideHalf;

impl Semantics for WideHalf {
    const BITS: usize = 1 + 15 + 10;
    const EXP_BITS: usize = 15;
}

const MODES: [(&str, Round); 4] = [
    ("rn", Round::NearestTiesToEven),
    ("rz", Round::TowardZero),
    ("rm", Round::TowardNegative),
    ("rp", Round::TowardPositive),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Rcp,
}

use Operation::*;

impl Operation {
    fn name(self) -> &'static str {
        ["add", "sub", "mul", "fma", "div", "rcp"][self as usize]
    }

    fn sources(self) -> usize {
        [2, 2, 2, 3, 2, 1][self as usize]
    }

    fn apply<F: Float>(self, [a, b, c]: [F; 3], round: Round) -> F {
        match self {
            Add => a.add_r(b, round),
            Sub => a.sub_r(b, round),
            Mul => a.mul_r(b, round),
            Fma => a.mul_add_r(b, c, round),
            Div => a.div_r(b, round),
            Rcp => F::from_u128(1).value.div_r(a, round),
        }
        .value
    }
}

/// What a result is where APFloat says NaN.
fn nan(format: &Format, operation: Operation, sources: &[Bits]) -> Bits {
    match format.bits {
        64 => {
            // As an H200 has it: the first operand's last, of a quotient first.
            let order: &[usize] = match operation {
                Rcp => &[0],
                Div => &[0, 1],
                Add | Sub | Mul => &[1, 0],
                Fma => &[1, 2, 0],
            };
            let kept = order.iter().map(|k| sources[*k]).find(|bits| f64::from_bits(*bits as u64).is_nan());
            kept.map_or(0xfff8_0000_0000_0000, |bits| bits | 1 << 51)
        }
        32 => 0x7fff_ffff,
        _ => 0x7fff,
    }
}

/// The result in the format itself.
fn plain<F: Float>(format: &Format, operation: Operation, sources: &[Bits], round: Round) -> Bits {
    let operands = std::array::from_fn(|k| F::from_bits(sources.get(k).copied().unwrap_or(0)));
    let d = operation.apply(operands, round);
    if d.is_nan() { nan(format, operation, sources) } else { d.to_bits() }
}

/// The result with subnormal operands as zeros, rounded with wide exponents, zero if below the least normal number.
fn flushed<S: Semantics, W: Semantics>(
    format: &Format,
    operation: Operation,
    sources: &[Bits],
    round: Round,
) -> Bits {
    let widen = |bits: Bits| -> IeeeFloat<W> {
        let number = IeeeFloat::<S>::from_bits(bits);
        let number = if number.is_denormal() { IeeeFloat::<S>::ZERO.copy_sign(number) } else { number };
        number.convert_r(round, &mut false).value
    };
    let d = operation.apply(std::array::from_fn(|k| widen(sources.get(k).copied().unwrap_or(0))), round);
    if d.is_nan() {
        return nan(format, operation, sources);
    }
    let least: IeeeFloat<W> = IeeeFloat::<S>::smallest_normalized().convert_r(round, &mut false).value;
    let below = d.is_finite_non_zero() && d.cmp_abs_normal(least) == Ordering::Less;
    let d = if below { IeeeFloat::<W>::ZERO.copy_sign(d) } else { d };
    FloatConvert::<IeeeFloat<S>>::convert_r(d, round, &mut false).value.to_bits()
}

type Judge = fn(&Format, Operation, &[Bits], Round) -> Bits;

/// So many operands for each form.
const ROUNDS: usize = 6_000;

fn judge(format: &'static Format, operation: Operation, text: &str, round: Round, expected: Judge) {
    let form = inst(text, operation.sources() + 1);
    let mut random = Random(0x1bad_5eed ^ (text.len() as u64) << 40);
    for _ in 0..ROUNDS {
        let a = number(format, &mut random);
        let b = partner(format, a, &mut random);
        // Of a product, the opposite or something near: what is left of it is what is judged.
        let product = plain_product(format, a, b);
        let c = if random.next().is_multiple_of(4) {
            number(format, &mut random)
        } else {
            partner(format, product, &mut random)
        };
        let sources = &[a, b, c][..operation.sources()];
        let (got, want) = (compute(&form, sources), expected(format, operation, sources, round));
        assert_eq!(got, want, "{text} of {sources:x?} gives {got:#x}, not {want:#x}");
    }
}

fn plain_product(format: &Format, a: Bits, b: Bits) -> Bits {
    let judge: Judge = if *format == F64 {
        plain::<Double>
    } else if *format == F32 {
        plain::<Single>
    } else if *format == F16 {
        plain::<Half>
    } else {
        plain::<BFloat>
    };
    judge(format, Mul, &[a, b], Round::NearestTiesToEven)
}

#[test]
fn arithmetic_is_correctly_rounded_in_every_mode() {
    for operation in [Add, Sub, Mul, Fma, Div, Rcp] {
        for (mode, round) in MODES {
            let name = operation.name();
            judge(&F32, operation, &format!("{name}.{mode}.f32"), round, plain::<Single>);
            judge(&F64, operation, &format!("{name}.{mode}.f64"), round, plain::<Double>);
            let flushed = flushed::<rustc_apfloat::ieee::SingleS, WideSingle>;
            judge(&F32, operation, &format!("{name}.{mode}.ftz.f32"), round, flushed);
        }
    }
}

#[test]
fn half_precision_is_correctly_rounded() {
    let nearest = Round::NearestTiesToEven;
    for operation in [Add, Sub, Mul, Fma] {
        let name = operation.name();
        judge(&F16, operation, &format!("{name}.rn.f16"), nearest, plain::<Half>);
        judge(&BF16, operation, &format!("{name}.rn.bf16"), nearest, plain::<BFloat>);
        let flushed = flushed::<rustc_apfloat::ieee::HalfS, WideHalf>;
        judge(&F16, operation, &format!("{name}.rn.ftz.f16"), nearest, flushed);
    }
    for (mode, round) in MODES {
        judge(&BF16, Fma, &format!("fma.{mode}.bf16"), round, plain::<BFloat>);
    }
}

/// All numbers with some others, so many that no pattern of either operand is left out.
#[test]
fn half_precision_pairs_in_strides() {
    for (format, ty, expected) in [(&F16, "f16", plain::<Half> as Judge), (&BF16, "bf16", plain::<BFloat>)] {
        for operation in [Add, Mul] {
            let form = inst(&format!("{}.{ty}", operation.name()), 3);
            for a in 0..0x1_0000 {
                for k in 0..4 {
                    let b = (a * 40_503 + k * 16_411) & 0xffff;
                    let want = expected(format, operation, &[a, b], Round::NearestTiesToEven);
                    assert_eq!(compute(&form, &[a, b]), want, "{form} of {a:#x}, {b:#x}");
                }
            }
        }
    }
}

/// A root is right if its square, and that of the middle between it and its neighbour, are on the right sides of the number.
/// Both squares are numbers of a format with 113 bits.
#[test]
fn roots_are_correctly_rounded() {
    for (mode, round) in MODES {
        root::<Single>(&F32, &format!("sqrt.{mode}.f32"), round);
        root::<Double>(&F64, &format!("sqrt.{mode}.f64"), round);
    }
}

fn root<F: Float + FloatConvert<Quad>>(format: &Format, text: &str, round: Round) {
    let form = inst(text, 2);
    let mut random = Random(77);
    let wide = |bits: Bits| F::from_bits(bits).convert(&mut false).value;
    let exact = Round::TowardZero;
    for _ in 0..ROUNDS {
        // Squares and what is next to them, too: there the root, or the middle, is met.
        let base = number(format, &mut random);
        let square = plain_product(format, base, base);
        let a = if random.next().is_multiple_of(2) { base } else { square ^ Bits::from(random.next() % 3) };
        let d = compute(&form, &[a]);
        let number = wide(a);
        if number.is_nan() || number.is_negative() && !number.is_zero() {
            assert_eq!(d, nan(format, Rcp, &[a]), "{text} of {a:#x}");
            continue;
        }
        if number.is_zero() || number.is_infinite() {
            assert_eq!(d, a, "{text} of {a:#x}");
            continue;
        }
        let (root, up, down) = (wide(d), wide(d + 1), wide(d - 1));
        let square = |x: Quad| x.mul_r(x, exact).value;
        let middle = |x: Quad, y: Quad| square(x.add_r(y, exact).value.scalbn(-1));
        let right = match round {
            Round::TowardPositive => square(down) < number && number <= square(root),
            Round::TowardZero | Round::TowardNegative => square(root) <= number && number < square(up),
            _ => middle(down, root) < number && number < middle(root, up),
        };
        assert!(right, "{text} of {a:#x} gives {d:#x}");
    }
}

#[test]
fn comparisons_are_those_of_numbers() {
    let all = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];
    for (format, ty) in [(&F32, "f32"), (&F64, "f64"), (&F16, "f16"), (&BF16, "bf16")] {
        for cmp in all {
            let form = inst(&format!("setp.{cmp}.{ty}"), 3);
            let mut random = Random(5);
            for _ in 0..ROUNDS / 4 {
                let a = number(format, &mut random);
                let b = match random.next() % 4 {
                    0 => a,
                    1 => a ^ format.sign_bit(),
                    _ => partner(format, a, &mut random),
                };
                let order = match format.bits {
                    64 => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
                    32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
                    _ if *format == F16 => Half::from_bits(a).partial_cmp(&Half::from_bits(b)),
                    _ => BFloat::from_bits(a).partial_cmp(&BFloat::from_bits(b)),
                };
                let holds = match (cmp, order) {
                    ("num", order) => order.is_some(),
                    ("nan", order) => order.is_none(),
                    (cmp, None) => cmp.ends_with('u'),
                    (cmp, Some(order)) => match &cmp[..2] {
                        "eq" => order.is_eq(),
                        "ne" => order.is_ne(),
                        "lt" => order.is_lt(),
                        "le" => order.is_le(),
                        "gt" => order.is_gt(),
                        _ => order.is_ge(),
                    },
                };
                assert_eq!(compute(&form, &[a, b]), holds.into(), "{form} of {a:#x}, {b:#x}");
            }
        }
    }
}

/// What is drawn meets what matters: results below the least normal number, beyond the greatest, opposite sums.
#[test]
fn operands_meet_the_ends_of_the_format() {
    let mut random = Random(1);
    let (mut small, mut large, mut zero, mut flushes) = (0, 0, 0, 0);
    let form = inst("fma.rn.f32", 4);
    for _ in 0..ROUNDS {
        let a = number(&F32, &mut random);
        let b = partner(&F32, a, &mut random);
        let c = partner(&F32, plain_product(&F32, a, b), &mut random);
        if ![a, b, c].iter().all(|bits| is_finite(&F32, *bits)) {
            continue;
        }
        let d = compute(&form, &[a, b, c]);
        small += u32::from(F32.is_subnormal(d));
        large += u32::from(!is_finite(&F32, d));
        zero += u32::from(d << 97 == 0);
        let flushed = compute(&inst("fma.rn.ftz.f32", 4), &[a, b, c]);
        let met = [a, b, c].iter().any(|bits| F32.is_subnormal(*bits));
        flushes += u32::from(!met && flushed != d);
    }
    let met = [small, large, zero, flushes];
    assert!(met.iter().all(|count| *count > 30), "{met:?} of {ROUNDS}");
}
