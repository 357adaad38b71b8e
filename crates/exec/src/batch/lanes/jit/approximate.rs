//! The functions that a device approximates: its unit's interpolation in lanes of 32 bits ([`Interpolation`]), and around it what
//! their pages' unit does with signs, exponents and what is no number. Coefficients come by permutations of registers that hold the
//! table, or are gathered where vectors are short.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::lowering::Lowering;
use crate::batch::lanes::jit::machine::{Arg, Memory, Reg};
use crate::batch::lanes::jit::nan::{COMPARE, FIX_UP, UNORDERED, canonical, compared, raw};
use crate::batch::lanes::jit::packed::{DOT, DOT_OF_HALVES};
use crate::batch::lanes::jit::roots::{Small, reciprocal_root, root};
use crate::batch::lanes::jit::values::{joined, shifted, two, wides, words};
use iced_x86::Code;
use margay_isa::uop::float::Approx;
use margay_isa::uop::float::interpolation::Interpolation;
use margay_isa::uop::float::single::NAN;
use std::array::from_fn;

pub(super) const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
pub(super) const SUB: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
pub(super) const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
pub(super) const XOR: Code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
const UP: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
pub(super) const DOWN: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
const DOWN_SIGNED: Code = Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;
const PAIRS: Code = Code::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512;
pub(super) const MOVE: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
pub(super) const MUL: Code = Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
const TO_INTEGER: Code = Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
const SIGNED: Code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
pub(super) const UNSIGNED: Code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
const TEST: Code = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
const TEST_NOT: Code = Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32;
const FMA_213: Code = Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
const FMA_231: Code = Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er;
/// Eight bits from each of eight places in 64.
const BYTES_OF_BITS: Code = Code::EVEX_Vpmultishiftqb_zmm_k1z_zmm_zmmm512b64;

/// The numbers of comparisons of integers in instructions; the last two where what is compared is the second operand.
pub(super) const EQUAL: u8 = 0;
pub(super) const GREATER: u8 = 1;
const AT_LEAST: u8 = 2;

pub(super) const SIGN: u32 = 1 << 31;
pub(super) const INFINITY: u32 = 0x7f80_0000;
pub(super) const FRACTION: u32 = 0x007f_ffff;
pub(super) const LEAST_NORMAL: u32 = 0x0080_0000;

/// Adds a function; none if there are no instructions for it.
pub(super) fn approximate(s: &mut Lowering, function: Approx, place: Place) -> Option<Reg> {
    let sum = function.interpolation()?;
    // All NaNs are one to these functions.
    let x = raw(s, place);
    Some(match function {
        Approx::Reciprocal => reciprocal(s, &sum, x),
        Approx::Root => root(s, sum, x, Small::Zero),
        Approx::RootWithSubnormals => root(s, sum, x, Small::Number),
        Approx::ReciprocalRoot => reciprocal_root(s, sum, x, Small::Zero),
        Approx::ReciprocalRootWithSubnormals => reciprocal_root(s, sum, x, Small::Number),
        Approx::Logarithm => logarithm(s, &sum, x),
        Approx::Power => power(s, &sum, x),
        Approx::Sine => circular(s, &sum, x, false),
        Approx::Cosine => circular(s, &sum, x, true),
        Approx::Tangent | Approx::ReciprocalUpper | Approx::ReciprocalRootUpper => return None,
    })
}

/// An operation with a number that is the same in all lanes.
pub(super) fn with(s: &mut Lowering, code: Code, a: Reg, bits: u32) -> Reg {
    let b = words(s, bits);
    two(s, code, a, b)
}

pub(super) fn moved(s: &mut Lowering, code: Code, a: Reg, by: u32) -> Reg {
    if by == 0 { a } else { shifted(s, code, Arg::Whole(a), by as u8) }
}

/// Where an integer is as a number says beside another.
pub(super) fn is(s: &mut Lowering, code: Code, a: Reg, number: u8, bits: u32) -> Reg {
    let b = words(s, bits);
    compared(s, code, [b, a], number)
}

/// A number in the lanes of a mask.
pub(super) fn replaced(s: &mut Lowering, value: Reg, bits: u32, by: Reg) -> Reg {
    let other = words(s, bits);
    s.masked(MOVE, value, &[Arg::Whole(other)], by)
}

/// A result with the sign of a number.
pub(super) fn signed(s: &mut Lowering, value: Reg, sign: Reg) -> Reg {
    /// The first, or the second where the third is 1.
    const OR_AND: u8 = 0xf8;
    let mask = words(s, SIGN);
    let from = [Arg::Whole(sign), Arg::Whole(mask), Arg::Number(OR_AND)];
    s.onto(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, value, &from)
}

fn is_nan(s: &mut Lowering, x: Reg) -> Reg {
    compared(s, COMPARE, [x, x], UNORDERED)
}

/// Where a number is zero or less than the least normal one.
pub(super) fn is_small(s: &mut Lowering, x: Reg) -> Reg {
    with(s, TEST_NOT, x, INFINITY)
}

/// A positive number, 0 where it is below the least normal one.
fn flushed(s: &mut Lowering, number: Reg) -> Reg {
    let normal = is(s, SIGNED, number, AT_LEAST, LEAST_NORMAL);
    s.kept(MOVE, &[Arg::Whole(number)], normal)
}

/// The reciprocal: 2^(127 - exponent) times a significand from 1/2 to 1.
fn reciprocal(s: &mut Lowering, sum: &Interpolation, x: Reg) -> Reg {
    let significand = significand(s, sum, x);
    let (field, all) = (with(s, AND, x, INFINITY), words(s, 252 << 23));
    let field = two(s, SUB, all, field);
    let number = two(s, ADD, significand, field);
    let number = flushed(s, number);
    let small = is_small(s, x);
    let number = replaced(s, number, INFINITY, small);
    let number = signed(s, number, x);
    let nan = is_nan(s, x);
    replaced(s, number, NAN, nan)
}

/// A number, or 0 with its sign where it is less than the least normal one.
pub(super) fn zero_if_small(s: &mut Lowering, x: Reg) -> Reg {
    let (small, sign) = (is_small(s, x), words(s, SIGN));
    s.masked(AND, x, &[x, sign].map(Arg::Whole), small)
}

/// A value, or what takes its place by the class of another: four bits for each class.
pub(super) fn by_class(s: &mut Lowering, value: Reg, of: Reg, classes: u32) -> Reg {
    let classes = words(s, classes);
    s.onto(FIX_UP, value, &[Arg::Whole(of), Arg::Whole(classes), Arg::Number(0)])
}

/// The logarithm: exponent and sum as one number, of which the device leaves out what is below 2^-36.
fn logarithm(s: &mut Lowering, sum: &Interpolation, x: Reg) -> Reg {
    let [above, below] = interpolated(s, sum, x);
    let exponent = moved(s, DOWN, x, 23);
    let exponent = with(s, SUB, exponent, 127);
    let [exponent, above, below] = [exponent, above, below].map(|part| doubles(s, part));
    // In units of 2^-36: those of what is below are a quarter of that, and its bias has half a unit more than it says.
    let numbers = [0.25, 0.125, 1024f64, (1u64 << 36) as f64];
    let [quarter, half, by_above, unit] = numbers.map(|number| wides(s, number.to_bits()));
    let halves = from_fn(|k| {
        let value = s.onto(FMA_213, below[k], &[quarter, half].map(Arg::Whole));
        let value = s.onto(FMA_231, value, &[above[k], by_above].map(Arg::Whole));
        let value = s.onto(FMA_231, value, &[exponent[k], unit].map(Arg::Whole));
        let code = Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae;
        s.emit(code, &[Arg::Whole(value), Arg::Number(11)])
    });
    let number = cut(s, halves, -36);
    if s.body.machine.has_masks {
        /// No number of what is none or negative, -infinity of 0, 0 of 1, and infinity of that.
        const CLASSES: u32 = 0x0353_8433;
        let x = zero_if_small(s, x);
        let number = by_class(s, number, x, CLASSES);
        return canonical(s, number);
    }
    let one = is(s, UNSIGNED, x, EQUAL, 1f32.to_bits());
    let number = replaced(s, number, 0, one);
    let infinite = is(s, UNSIGNED, x, EQUAL, INFINITY);
    let number = replaced(s, number, INFINITY, infinite);
    let none = is(s, UNSIGNED, x, GREATER, INFINITY);
    let number = replaced(s, number, NAN, none);
    let small = is_small(s, x);
    replaced(s, number, SIGN | INFINITY, small)
}

/// The power of 2, of a fixed-point number with 23 places.
fn power(s: &mut Lowering, sum: &Interpolation, x: Reg) -> Reg {
    // Beyond these ends the result is 0 or infinite, as it is there.
    let [least, most, places] = [-127f32, 128f32, (1u32 << 23) as f32].map(|end| words(s, end.to_bits()));
    let number = two(s, Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, x, least);
    let number = two(s, Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, number, most);
    let number = two(s, MUL, number, places);
    let fixed = s.emit(TO_INTEGER, &[Arg::Whole(number)]);
    // What is negative and not whole is the complement of its size, one less than its negative.
    let broken = with(s, TEST, fixed, FRACTION);
    let one_less = moved(s, DOWN_SIGNED, fixed, 31);
    let fixed = s.masked(ADD, fixed, &[fixed, one_less].map(Arg::Whole), broken);
    let significand = significand(s, sum, fixed);
    let whole = with(s, AND, fixed, !FRACTION);
    let field = with(s, ADD, whole, 126 << 23);
    let number = two(s, ADD, significand, field);
    let number = flushed(s, number);
    let nan = is_nan(s, x);
    replaced(s, number, NAN, nan)
}

/// The sine of so many turns, or the cosine, which is the sine of a quarter more.
fn circular(s: &mut Lowering, sum: &Interpolation, x: Reg, ahead: bool) -> Reg {
    let turns = with(s, AND, x, !SIGN);
    let code = Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae;
    let whole = s.emit(code, &[Arg::Whole(turns), Arg::Number(9)]);
    let rest = two(s, Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er, turns, whole);
    // Quarters with 23 places below them.
    let rest = with(s, MUL, rest, ((1u32 << 25) as f32).to_bits());
    let quarters = s.emit(TO_INTEGER, &[Arg::Whole(rest)]);
    let quarters = if ahead { with(s, ADD, quarters, 1 << 23) } else { quarters };
    // In odd quarters the table is read from its other end.
    let odd = moved(s, UP, quarters, 8);
    let odd = moved(s, DOWN_SIGNED, odd, 31);
    let argument = two(s, XOR, quarters, odd);
    let [above, below] = interpolated(s, sum, argument).map(|part| doubles(s, part));
    let unit = wides(s, 4096f64.to_bits());
    let halves = from_fn(|k| s.onto(FMA_231, below[k], &[above[k], unit].map(Arg::Whole)));
    let number = cut(s, halves, -37);
    let sign = moved(s, UP, quarters, 7);
    let sign = if ahead { sign } else { two(s, XOR, sign, x) };
    let number = signed(s, number, sign);
    let none = is(s, UNSIGNED, turns, AT_LEAST, INFINITY);
    replaced(s, number, NAN, none)
}

/// Integers with sign as numbers of `.f64`.
fn doubles(s: &mut Lowering, word: Reg) -> [Reg; 2] {
    let code = Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er;
    let first = s.emit(code, &[Arg::Lower(word)]);
    let upper = s.emit(Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, &[Arg::Whole(word), Arg::Number(1)]);
    [first, s.emit(code, &[Arg::Lower(upper)])]
}

/// Numbers of `.f64` times 2^exponent as `.f32`, cut to 24 bits.
fn cut(s: &mut Lowering, halves: [Reg; 2], exponent: i32) -> Reg {
    let kept = wides(s, u64::MAX << 29);
    let halves = halves.map(|half| {
        let half = two(s, Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, half, kept);
        s.emit(Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er, &[Arg::Whole(half)])
    });
    let number = joined(s, halves);
    with(s, MUL, number, ((127 + exponent) as u32) << 23)
}

/// A sum cut to 24 bits, with the highest in the place of an exponent's lowest, where the sum is in one binade or the next one's
/// first number.
pub(super) fn significand(s: &mut Lowering, sum: &Interpolation, argument: Reg) -> Reg {
    let [above, below] = interpolated(s, sum, argument);
    let carried = moved(s, DOWN, below, sum.places);
    let all = two(s, ADD, above, carried);
    moved(s, DOWN, all, 2)
}

/// What is above and what is below, for an argument with any bits above it.
fn interpolated(s: &mut Lowering, sum: &Interpolation, argument: Reg) -> [Reg; 2] {
    let low = with(s, AND, argument, (1 << sum.low_bits) - 1);
    let [constant, factors] = coefficients(s, sum, argument);
    let slope = moved(s, if sum.signed { DOWN_SIGNED } else { DOWN }, factors, 16);
    let factor = if sum.halved { moved(s, DOWN, low, 1) } else { low };
    let first = two(s, Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, slope, factor);
    let square = square(s, sum, low);
    // The square has 15 bits, so the upper half of the factors meets nothing.
    let below = match (sum.falls, sum.bends_down) {
        (false, false) if s.body.machine.has(DOT_OF_HALVES) => {
            s.onto(DOT_OF_HALVES, first, &[factors, square].map(Arg::Whole))
        }
        (falls, bends_down) => {
            let second = two(s, PAIRS, factors, square);
            let (code, [a, b]) = match (falls, bends_down) {
                (true, _) => (SUB, [second, first]),
                (false, true) => (SUB, [first, second]),
                (false, false) => (ADD, [first, second]),
            };
            two(s, code, a, b)
        }
    };
    let below = if sum.added == 0 { below } else { with(s, ADD, below, sum.added) };
    let below = if sum.halved {
        let (odd, all) = (with(s, TEST, low, 1), words(s, 0xffff));
        let rest = s.masked(SUB, all, &[all, slope].map(Arg::Whole), odd);
        let rest = moved(s, DOWN, rest, 1);
        two(s, ADD, below, rest)
    } else {
        below
    };
    let [of_first, of_second] = sum.multiples;
    let multiple = of_first.min(of_second);
    let places = (0..u32::BITS).filter(|k| multiple >> k & 1 == 1);
    let above = places.fold(constant, |above, k| {
        let part = moved(s, UP, low, k);
        two(s, ADD, above, part)
    });
    let above = if of_second == of_first {
        above
    } else {
        // One more for rows of one half.
        let test = if of_second > of_first { TEST } else { TEST_NOT };
        let more = with(s, test, argument, (sum.rows.len() as u32 / 2) << sum.low_bits);
        s.masked(ADD, above, &[above, low].map(Arg::Whole), more)
    };
    [above, below]
}

/// Both words of the rows that arguments choose.
fn coefficients(s: &mut Lowering, sum: &Interpolation, argument: Reg) -> [Reg; 2] {
    if !s.body.machine.has_masks {
        return gathered(s, sum, argument);
    }
    let lines: [Vec<[u32; 16]>; 2] = from_fn(|word| {
        let rows = sum.rows.chunks_exact(16);
        rows.map(|rows| from_fn(|k| rows[k][word])).collect()
    });
    let row = moved(s, DOWN, argument, sum.low_bits);
    let upper = sum.rows.len().ilog2();
    let masks: Vec<Reg> = (5..upper).map(|bit| with(s, TEST, argument, 1 << (sum.low_bits + bit))).collect();
    lines.map(|lines| {
        let mut parts: Vec<Reg> = lines
            .chunks_exact(2)
            .map(|pair| {
                let [first, second] = [pair[0], pair[1]].map(|line| s.line(line));
                let code = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
                s.onto(code, row, &[first, second].map(Arg::Whole))
            })
            .collect();
        for mask in &masks {
            parts = parts
                .chunks_exact(2)
                .map(|pair| {
                    let operands = [pair[0], pair[1]].map(Arg::Whole);
                    s.blend(Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, &operands, *mask)
                })
                .collect();
        }
        parts[0]
    })
}

/// The same from memory, both words of a row at a time: four rows for each half of the lanes.
fn gathered(s: &mut Lowering, sum: &Interpolation, argument: Reg) -> [Reg; 2] {
    const SHUFFLE: Code = Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8;
    let lines: Vec<[u32; 16]> =
        sum.rows.chunks_exact(8).map(|rows| from_fn(|k| rows[k / 2][k % 2])).collect();
    let memory = s.body.block(&lines);
    let by = moved(s, DOWN, argument, sum.low_bits - 3);
    let by = with(s, AND, by, (sum.rows.len() as u32 - 1) << 3);
    // Shuffles stay in quarters of vectors, so lanes 0, 1, 4 and 5 come first.
    let by = s.emit(Code::EVEX_Vpermq_zmm_k1z_zmmm512b64_imm8, &[Arg::Whole(by), Arg::Number(0b11_01_10_00)]);
    let others = s.emit(Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, &[Arg::Whole(by), Arg::Number(1)]);
    let [first, second] = [by, others].map(|by| pairs(s, memory, by));
    [0b10_00_10_00, 0b11_01_11_01]
        .map(|words| s.emit(SHUFFLE, &[Arg::Whole(first), Arg::Whole(second), Arg::Number(words)]))
}

/// Pairs of words, so many bytes from a table's start.
fn pairs(s: &mut Lowering, memory: Memory, by: Reg) -> Reg {
    // It replaces lanes of its result, and uses its mask up.
    let zero = words(s, 0);
    let all = s.emit(Code::VEX_Kxnorw_kr_kr_kr, &[Arg::AnyMask, Arg::AnyMask]);
    s.masked(Code::EVEX_Vpgatherdq_zmm_k1_vm32y, zero, &[Arg::Gathered { memory, by, lower: true }], all)
}

/// The sum of the upper bits, each time by one place more to the right, for the lower bits from the highest on that are set: seven of
/// them, from this place on. Bits that would be moved out are left out instead, so that all products have the same 7 places more.
fn products_of_bits(s: &mut Lowering, high: Reg, low: Reg, from: u32) -> Reg {
    const BYTES: Code = Code::EVEX_Vpmaddubsw_zmm_k1z_zmm_zmmm512;
    let low = moved(s, DOWN, low, from);
    let first_byte = s.line(from_fn(|word| (word as u32 % 4 * 4) * 0x0101_0101));
    let [high, low] =
        [high, low].map(|word| two(s, Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512, word, first_byte));
    let bytes = |of: fn(u32) -> u32, places: [u32; 4]| u32::from_le_bytes(places.map(|k| of(k) as u8));
    let parts = [[1, 2, 3, 4], [5, 6, 7, 8]].map(|places| {
        let kept = with(s, AND, high, bytes(|k| 0xff << k, places));
        [kept, with(s, AND, low, bytes(|k| 1 << 7 >> k, places))]
    });
    let sum = if s.body.machine.has(DOT) {
        let zero = words(s, 0);
        parts.into_iter().fold(zero, |sum, part| s.onto(DOT, sum, &part.map(Arg::Whole)))
    } else {
        let [first, second] = parts.map(|[kept, bits]| two(s, BYTES, kept, bits));
        let sums = two(s, Code::EVEX_Vpaddw_zmm_k1z_zmm_zmmm512, first, second);
        with(s, PAIRS, sums, 0x0001_0001)
    };
    moved(s, DOWN, sum, 7)
}

/// The squarer's 15 bits: of the upper bits all products but that of the lowest with itself; and of each bit below them with those
/// that stand high enough.
fn square(s: &mut Lowering, sum: &Interpolation, low: Reg) -> Reg {
    // In the squarer the low bits reach up to the 17th.
    let at = |bit: u32| bit - (17 - sum.low_bits);
    let high = moved(s, DOWN, low, at(9));
    let square = two(s, PAIRS, high, high);
    let square = moved(s, DOWN, square, 1);
    if ![BYTES_OF_BITS, DOT].iter().all(|code| s.body.machine.has(*code)) {
        let rest = products_of_bits(s, high, low, at(2));
        return two(s, ADD, square, rest);
    }
    // Bytes from given bits on, four such products at once; there is nothing from the 24th on.
    let nothing = 24;
    let parts = [
        [[10, 11, 12, 13].map(at), [8, 7, 6, 5].map(at)],
        [[at(14), at(15), at(16), nothing], [at(4), at(3), at(2), nothing]],
    ];
    parts.into_iter().fold(square, |square, pair| {
        let [parts, bits] = pair.map(|bits| {
            let line = from_fn(|k| u32::from_le_bytes(bits.map(|bit| bit as u8 + 32 * (k as u8 % 2))));
            let places = s.line(line);
            two(s, BYTES_OF_BITS, places, low)
        });
        let bits = with(s, AND, bits, 0x0101_0101);
        s.onto(DOT, square, &[parts, bits].map(Arg::Whole))
    })
}
