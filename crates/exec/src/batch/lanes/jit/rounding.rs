//! Rounding in other directions than to the nearest: sums to odd, and numbers of `.f64` to `.f32`. What is nearest is mended by one
//! unit where it lies on the wrong side.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::floats::fused;
use crate::batch::lanes::jit::lowering::{Lowering, Predicate};
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::nan::{
    COMPARE, COMPARE_WIDE, GREATER, LESS, UNEQUAL, canonical, compared, raw,
};
use crate::batch::lanes::jit::values::{joined, shifted, two, wides, words};
use iced_x86::Code;
use margay_isa::uop::float::Rounding;
use std::array::from_fn;

const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const SUB: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
const LESS_WIDE: Code = Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8;
const UPPER: Code = Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
const BOTH: Code = Code::VEX_Kandw_kr_kr_kr;

/// The number of a comparison of integers in instructions: less.
const INTEGER_LESS: u8 = 1;

/// The instructions of a format by which a sum is rounded to odd, and 1 as an integer of its length.
pub(super) struct Odd {
    add: Code,
    sub: Code,
    compare: Code,
    xor: Code,
    or: Code,
    less: Code,
    decrease: Code,
    one: fn(&mut Lowering) -> Reg,
    test: Code,
    choose: Code,
    fix_up: Code,
}

pub(super) const ODD_SINGLE: Odd = Odd {
    add: Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
    sub: Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
    compare: COMPARE,
    xor: Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
    or: OR,
    less: Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
    decrease: SUB,
    one: |s| words(s, 1),
    test: Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
    choose: Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
    fix_up: Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae,
};

pub(super) const ODD_DOUBLE: Odd = Odd {
    add: Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
    sub: Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
    compare: COMPARE_WIDE,
    xor: Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
    or: Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
    less: LESS_WIDE,
    decrease: Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
    one: |s| wides(s, 1),
    test: Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64,
    choose: Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
    fix_up: Code::EVEX_Vfixupimmpd_zmm_k1z_zmm_zmmm512b64_imm8_sae,
};

/// The nearest sum of two numbers, and what it lost; of two NaNs the sum is the second.
fn nearest(s: &mut Lowering, format: &Odd, x: Reg, y: Reg) -> [Reg; 2] {
    let Odd { add, sub, .. } = *format;
    let sum = two(s, add, y, x);
    let taken = two(s, sub, sum, x);
    let of_x = two(s, sub, sum, taken);
    let of_x = two(s, sub, x, of_x);
    let of_y = two(s, sub, y, taken);
    [sum, two(s, add, of_x, of_y)]
}

/// The sum of two numbers rounded to odd; what is too great for the format is infinite.
pub(super) fn odd(s: &mut Lowering, format: &Odd, x: Reg, y: Reg) -> Reg {
    if s.body.machine.has_masks {
        return odd_of_two(s, format, x, y);
    }
    let [sum, lost] = nearest(s, format, x, y);
    let (zero, one) = (words(s, 0), (format.one)(s));
    let inexact = compared(s, format.compare, [lost, zero], UNEQUAL);
    // What is lost and the sum have other signs.
    let signs = two(s, format.xor, lost, sum);
    let other = compared(s, format.less, [signs, zero], INTEGER_LESS);
    let beyond = two(s, BOTH, other, inexact);
    let before = s.masked(format.decrease, sum, &[sum, one].map(Arg::Whole), beyond);
    s.masked(format.or, before, &[before, one].map(Arg::Whole), inexact)
}

/// The same by instructions that round in a direction: of the neighbours below and above, which are one number if that is the sum, the
/// odd one.
fn odd_of_two(s: &mut Lowering, format: &Odd, x: Reg, y: Reg) -> Reg {
    /// By class of the nearest sum: infinities go to the result, anything else leaves it as it is.
    const CLASSES: u32 = 0x0011_0000;
    let toward = |s: &mut Lowering, rounding: Rounding| {
        s.emit(format.add, &[Arg::Whole(y), Arg::Whole(x), Arg::Rounding(rounding)])
    };
    let (below, above) = (toward(s, Rounding::Down), toward(s, Rounding::Up));
    let nearest = two(s, format.add, y, x);
    let one = (format.one)(s);
    let is_odd = s.emit(format.test, &[below, one].map(Arg::Whole));
    let odd = s.masked(format.choose, above, &[Arg::Whole(below)], is_odd);
    // An element of 64 bits has its table in the lower word.
    let classes = words(s, CLASSES);
    s.onto(format.fix_up, odd, &[Arg::Whole(nearest), Arg::Whole(classes), Arg::Number(0)])
}

/// Sums of `.f64` as `.f32`, rounded once: what the number nearest to the nearest sum lost is what both have lost, and its sign is right
/// since the first is nothing or more than the second.
pub(super) fn sum(s: &mut Lowering, a: Place, b: Place, rounding: Rounding) -> Reg {
    let (x, y) = (s.wide(a), s.wide(b));
    sum_of(s, x, y, rounding)
}

/// `a * b + c` on `.f32`, rounded once in a direction: by an instruction that rounds so, or as a sum of `.f64`, in which the product is
/// exact.
pub(super) fn product_sum(s: &mut Lowering, from: [Place; 3], rounding: Rounding) -> Reg {
    let numbers = from.map(|place| raw(s, place));
    if s.body.machine.has_masks {
        let result = fused(s, numbers, from, Some(rounding));
        return canonical(s, result);
    }
    if let Some(result) = beside_constant(s, numbers, from, rounding) {
        return result;
    }
    // Downwards is upwards of what has the other sign, and so is the sign of a sum that is 0.
    let is_down = rounding == Rounding::Down;
    let negative = |s: &mut Lowering, number: Reg| {
        let sign = words(s, 1 << 31);
        if is_down { two(s, ODD_SINGLE.xor, number, sign) } else { number }
    };
    let [x, y, z] = numbers;
    // Of the factors one that is the same in all threads if there is one: that is done once.
    let [x, y] = if from[1].step() == 0 { [y, x] } else { [x, y] };
    let (x, z) = (negative(s, x), negative(s, z));
    let [x, y, z] = [x, y, z].map(|number| {
        let upper = s.emit(UPPER, &[Arg::Whole(number), Arg::Number(1)]);
        [number, upper].map(|half| widened(s, half))
    });
    let product = from_fn(|k| two(s, Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er, x[k], y[k]));
    let up = if is_down { Rounding::Up } else { rounding };
    let sum = sum_of(s, product, z, up);
    let result = negative(s, sum);
    canonical(s, result)
}

/// The same for a number from 0 to 1 times a constant, and a constant from which the sum has the same exponent: then the nearest sum less
/// that constant is exact, and one more instruction tells on which side of the sum it lies. CUDA's `expf` finds the whole part of a logarithm so.
fn beside_constant(s: &mut Lowering, numbers: [Reg; 3], from: [Place; 3], rounding: Rounding) -> Option<Reg> {
    let factor = if s.saturated.contains(&numbers[0]) { 1 } else { 0 };
    let [x, y, z] = [numbers[1 - factor], numbers[factor], numbers[2]];
    let constant = |place: Place| s.constant(place).map(|bits| f32::from_bits(bits as u32));
    let (by, base) = (constant(from[factor])?, constant(from[2])?);
    // Nothing is lost to numbers that are subnormal.
    let is_usual = s.saturated.contains(&x) && by >= 1.0 && base >= 1.0 && base.is_finite();
    let greatest = f64::from(by) + f64::from(base);
    if !is_usual || greatest > f64::from(f32::from_bits(base.to_bits() | 0x007f_ffff)) {
        return None;
    }
    let fused = |s: &mut Lowering, onto: Reg| {
        s.onto(Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er, onto, &[x, y].map(Arg::Whole))
    };
    let nearest = fused(s, z);
    let left = two(s, ODD_SINGLE.sub, z, nearest);
    let left = fused(s, left);
    let (zero, one) = (words(s, 0), words(s, 1));
    let (number, step) = if rounding == Rounding::Up { (GREATER, ADD) } else { (LESS, SUB) };
    let wrong = compared(s, COMPARE, [left, zero], number);
    Some(s.masked(step, nearest, &[nearest, one].map(Arg::Whole), wrong))
}

fn sum_of(s: &mut Lowering, x: [Reg; 2], y: [Reg; 2], rounding: Rounding) -> Reg {
    if s.body.machine.has_masks {
        let sums = from_fn(|k| odd(s, &ODD_DOUBLE, x[k], y[k]));
        return narrow_toward(s, sums, rounding);
    }
    let sums: [[Reg; 2]; 2] = from_fn(|k| nearest(s, &ODD_DOUBLE, x[k], y[k]));
    let singles = sums.map(|[sum, _]| narrow(s, sum));
    let bits = joined(s, singles);
    let zero = words(s, 0);
    let wrong = from_fn(|k| {
        let ([sum, lost], back) = (sums[k], widened(s, singles[k]));
        let apart = two(s, ODD_DOUBLE.sub, sum, back);
        let apart = two(s, ODD_DOUBLE.add, apart, lost);
        match rounding {
            Rounding::Up => compared(s, COMPARE_WIDE, [apart, zero], GREATER),
            Rounding::Down => compared(s, COMPARE_WIDE, [apart, zero], LESS),
            _ => {
                let inexact = compared(s, COMPARE_WIDE, [apart, zero], UNEQUAL);
                let signs = two(s, ODD_DOUBLE.xor, apart, sum);
                let beyond = compared(s, LESS_WIDE, [signs, zero], INTEGER_LESS);
                two(s, BOTH, beyond, inexact)
            }
        }
    });
    let wrong = s.whole(Predicate::Halves(wrong));
    match rounding {
        Rounding::Up | Rounding::Down => stepped(s, bits, rounding, wrong),
        _ => {
            let one = words(s, 1);
            s.masked(SUB, bits, &[bits, one].map(Arg::Whole), wrong)
        }
    }
}

fn narrow(s: &mut Lowering, half: Reg) -> Reg {
    s.emit(Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er, &[Arg::Whole(half)])
}

/// Both halves by instructions that round in a direction.
fn narrow_toward(s: &mut Lowering, halves: [Reg; 2], rounding: Rounding) -> Reg {
    let code = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
    let singles = halves.map(|half| s.emit(code, &[Arg::Whole(half), Arg::Rounding(rounding)]));
    joined(s, singles)
}

fn widened(s: &mut Lowering, half: Reg) -> Reg {
    s.emit(Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, &[Arg::Lower(half)])
}

/// Numbers of `.f64` as `.f32` by such instructions.
fn rounded_toward(s: &mut Lowering, numbers: [Reg; 2], rounding: Rounding) -> Reg {
    if rounding != Rounding::Odd {
        return narrow_toward(s, numbers, rounding);
    }
    let below = narrow_toward(s, numbers, Rounding::Down);
    let above = narrow_toward(s, numbers, Rounding::Up);
    let one = words(s, 1);
    let is_odd = s.emit(ODD_SINGLE.test, &[below, one].map(Arg::Whole));
    s.masked(ODD_SINGLE.choose, above, &[Arg::Whole(below)], is_odd)
}

/// The next number downwards or upwards where a mask says so.
fn stepped(s: &mut Lowering, bits: Reg, rounding: Rounding, by: Reg) -> Reg {
    let one = words(s, 1);
    // One unit of the number's sign.
    let sign = shifted(s, Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, Arg::Whole(bits), 31);
    let unit = two(s, OR, sign, one);
    let step = if rounding == Rounding::Down { SUB } else { ADD };
    s.masked(step, bits, &[bits, unit].map(Arg::Whole), by)
}

/// Numbers of `.f64` as `.f32`.
pub(super) fn rounded(s: &mut Lowering, place: Place, rounding: Rounding) -> Reg {
    let numbers = s.wide(place);
    if s.body.machine.has_masks && rounding != Rounding::Nearest {
        return rounded_toward(s, numbers, rounding);
    }
    let nearest = numbers.map(|half| narrow(s, half));
    let bits = joined(s, nearest);
    let number = match rounding {
        Rounding::Nearest => return bits,
        Rounding::Down => GREATER,
        Rounding::Up => LESS,
        Rounding::Zero | Rounding::Odd => UNEQUAL,
    };
    let back = nearest.map(|half| widened(s, half));
    let wrong: [Reg; 2] = from_fn(|k| compared(s, COMPARE_WIDE, [back[k], numbers[k]], number));
    if let Rounding::Down | Rounding::Up = rounding {
        let wrong = s.whole(Predicate::Halves(wrong));
        return stepped(s, bits, rounding, wrong);
    }
    let one = words(s, 1);
    // Of two numbers of one sign the one of greater size has the greater pattern.
    let beyond = from_fn(|k| {
        let beyond = compared(s, LESS_WIDE, [numbers[k], back[k]], INTEGER_LESS);
        two(s, BOTH, beyond, wrong[k])
    });
    let beyond = s.whole(Predicate::Halves(beyond));
    let before = s.masked(SUB, bits, &[bits, one].map(Arg::Whole), beyond);
    if rounding == Rounding::Zero {
        return before;
    }
    let inexact = s.whole(Predicate::Halves(wrong));
    s.masked(OR, before, &[before, one].map(Arg::Whole), inexact)
}
