//! Floating-point operations: the machine's instructions, with NaN as PTX has it.
//!
//! An operation on `.f32` gives one NaN, the machine any. What has come out of the machine is *raw*; what it is with PTX's NaN
//! takes an instruction more, which goes away where nothing but such operations reads the result. On `.f64` the NaN is that of
//! an operand, and the instructions take theirs in the order in which the machine prefers them.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::lowering::{Lowering, Predicate, Value};
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::nan::{
    AT_LEAST, COMPARE, COMPARE_WIDE, FIX_UP, GREATER, LESS, ORDERED, UNEQUAL, UNORDERED, canonical, compared,
    raw, raw_arg,
};
use crate::batch::lanes::jit::rounding::{ODD_DOUBLE, ODD_SINGLE, odd, rounded};
use crate::batch::lanes::jit::values::{joined, pairwise, shifted, widened_by, wides, words};
use iced_x86::Code;
use margay_isa::uop::float::{Convert, Float, FloatCmp, Flush, Rounding};
use std::array::from_fn;

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;

const RANGE: Code = Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae;
const MOVE: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
const MOVE_WIDE: Code = Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512;
const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;

/// Adds an operation on `.f32`.
pub(super) fn single(s: &mut Lowering, float: Float, [a, b, c]: [Place; 3]) -> Reg {
    let result = match float {
        Float::Add => two(s, Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, a, b),
        Float::AddOdd => {
            let (x, y) = (raw(s, a), raw(s, b));
            odd(s, &ODD_SINGLE, x, y)
        }
        Float::Sub => two(s, Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er, a, b),
        Float::Mul => two(s, Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, a, b),
        Float::Div => two(s, Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, a, b),
        Float::Fma => {
            let (x, y, z) = (raw(s, a), raw(s, b), raw(s, c));
            fused(s, [x, y, z], [a, b, c], None)
        }
        Float::Sqrt => {
            let value = raw_arg(s, a);
            s.emit(Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, &[value])
        }
        Float::Min | Float::Max if s.body.machine.has_masks => {
            let values = [a, b].map(|place| Arg::Whole(quiet(s, place)));
            let number = Arg::Number(lesser_or_greater(float == Float::Max));
            s.emit(RANGE, &[values[0], values[1], number])
        }
        Float::Min | Float::Max => {
            let values = [raw(s, a), raw(s, b)];
            let codes = [RANGE, COMPARE, MOVE];
            let (_, [_, both]) = chosen(s, codes, values, float == Float::Max);
            both
        }
        Float::Saturate => {
            let value = raw(s, a);
            let (zero, one) = (words(s, 0), words(s, 1f32.to_bits()));
            // Of a NaN and a number, and of two zeros, the machine takes the second.
            let codes =
                [Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae];
            let least = s.emit(codes[0], &[value, zero].map(Arg::Whole));
            let result = s.emit(codes[1], &[least, one].map(Arg::Whole));
            s.saturated.insert(result);
            return result;
        }
        Float::Even | Float::Trunc | Float::Floor | Float::Ceil => {
            let value = raw_arg(s, a);
            s.emit(Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, &[value, whole(float)])
        }
    };
    canonical(s, result)
}

fn two(s: &mut Lowering, code: Code, a: Place, b: Place) -> Reg {
    let first = raw(s, a);
    let second = raw_arg(s, b);
    s.emit(code, &[Arg::Whole(first), second])
}

/// How an instruction rounds to whole numbers.
fn whole(float: Float) -> Arg {
    Arg::Number(match float {
        Float::Floor => 9,
        Float::Ceil => 10,
        Float::Trunc => 11,
        _ => 8,
    })
}

/// `x * y + z` on `.f32`, rounded to nearest or, with AVX-512, as is said. It takes the place of `z`, a sum that grows, unless that is the same in all threads.
pub(super) fn fused(
    s: &mut Lowering,
    [x, y, z]: [Reg; 3],
    [a, b, c]: [Place; 3],
    rounding: Option<Rounding>,
) -> Reg {
    let (code, onto, others) = match c.step() {
        1.. => (Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er, z, [x, y]),
        0 => {
            let (x, y) = if a.step() == 0 && b.step() > 0 { (y, x) } else { (x, y) };
            (Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er, x, [y, z])
        }
    };
    let [first, second] = others.map(Arg::Whole);
    match rounding {
        None => s.onto(code, onto, &[first, second]),
        Some(rounding) => s.onto(code, onto, &[first, second, Arg::Rounding(rounding)]),
    }
}

/// What an instruction of `.f32` reads that takes a number rather than a NaN, if that is quiet.
fn quiet(s: &mut Lowering, place: Place) -> Reg {
    /// A NaN that signals becomes a quiet one.
    const CLASSES: u32 = 0x20;
    let reg = s.word(place);
    let raw = s.raws.get(&reg).copied();
    if let Some(raw) = raw.filter(|raw| !s.signalling.contains(raw)) {
        return raw;
    }
    let reg = raw.unwrap_or(reg);
    let signals = |word: &u32| word & !SIGN > INFINITY && word & 1 << 22 == 0;
    if s.body.line_of(reg).is_some_and(|line| !line.iter().any(signals)) {
        return reg;
    }
    let classes = words(s, CLASSES);
    s.onto(FIX_UP, reg, &[Arg::Whole(reg), Arg::Whole(classes), Arg::Number(0)])
}

/// The number of a range that is the lesser or the greater of two numbers, with its sign.
fn lesser_or_greater(greater: bool) -> u8 {
    4 + u8::from(greater)
}

/// The lesser or the greater, a number rather than a NaN, and -0 below +0: range, comparison, move. Gives the masks of NaNs
/// among the first and the second, and what there is before and after the first has replaced NaNs of the second.
fn chosen(s: &mut Lowering, codes: [Code; 3], values: [Reg; 2], greater: bool) -> ([Reg; 2], [Reg; 2]) {
    let [range, compare, move_] = codes;
    let [x, y] = values;
    let number = Arg::Number(lesser_or_greater(greater));
    let nans = values.map(|value| compared(s, compare, [value, value], UNORDERED));
    let either = s.emit(range, &[Arg::Whole(x), Arg::Whole(y), number]);
    let some = s.masked(move_, either, &[Arg::Whole(x)], nans[1]);
    (nans, [some, s.masked(move_, some, &[Arg::Whole(y)], nans[0])])
}

/// Adds an operation on `.f32` whose small results are flushed.
pub(super) fn flush(s: &mut Lowering, flush: Flush, places: [Place; 3]) -> Reg {
    /// 2^64, and the least normal number times that.
    const UP: u32 = (127 + 64) << 23;
    const LEAST: u32 = (127 - 126 + 64) << 23;
    if flush == Flush::Value {
        let value = s.word(places[0]);
        let result = flushed_value(s, value);
        if let Some(raw) = s.raws.get(&value).copied() {
            let flushed = flushed_value(s, raw);
            s.raws.insert(result, flushed);
            if s.signalling.contains(&raw) {
                s.signalling.insert(flushed);
            }
        }
        return result;
    }
    let mul = Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
    let div = Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er;
    let up = words(s, UP);
    let (x, y) = (raw(s, places[0]), raw(s, places[1]));
    let x_up = s.emit(mul, &[x, up].map(Arg::Whole));
    let [value, scaled] = match flush {
        Flush::Value | Flush::Mul => [x, x_up].map(|x| s.emit(mul, &[x, y].map(Arg::Whole))),
        Flush::Div => [x, x_up].map(|x| s.emit(div, &[x, y].map(Arg::Whole))),
        Flush::Fma => {
            let z = raw(s, places[2]);
            let z_up = s.emit(mul, &[z, up].map(Arg::Whole));
            [[x, z], [x_up, z_up]].map(|[x, z]| fused(s, [x, y, z], places, None))
        }
    };
    let (size, least) = (words(s, !SIGN), words(s, LEAST));
    let scaled = s.emit(AND, &[scaled, size].map(Arg::Whole));
    let small = compared(s, COMPARE, [scaled, least], LESS);
    let sign = words(s, SIGN);
    let result = s.masked(AND, value, &[value, sign].map(Arg::Whole), small);
    canonical(s, result)
}

/// A zero of its sign if it is subnormal.
fn flushed_value(s: &mut Lowering, value: Reg) -> Reg {
    let (exponent, sign) = (words(s, INFINITY), words(s, SIGN));
    let small = s.emit(Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, &[value, exponent].map(Arg::Whole));
    s.masked(AND, value, &[value, sign].map(Arg::Whole), small)
}

/// Adds an operation on `.f64`.
pub(super) fn double(s: &mut Lowering, float: Float, [a, b, c]: [Place; 3]) -> [Reg; 2] {
    let x = s.wide(a);
    match float {
        Float::Add => {
            let y = s.wide(b);
            pairwise(s, Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er, y, x)
        }
        Float::AddOdd => {
            let y = s.wide(b);
            from_fn(|k| odd(s, &ODD_DOUBLE, x[k], y[k]))
        }
        Float::Mul => {
            let y = s.wide(b);
            pairwise(s, Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er, y, x)
        }
        // The machine's own subtraction prefers the NaN of the first.
        Float::Sub => {
            let (y, one) = (s.wide(b), wides(s, 1f64.to_bits()));
            let code = Code::EVEX_Vfnmadd231pd_zmm_k1z_zmm_zmmm512b64_er;
            from_fn(|k| s.onto(code, x[k], &[y[k], one].map(Arg::Whole)))
        }
        Float::Fma => {
            let (y, z) = (s.wide(b), s.wide(c));
            let sum: [Reg; 2] = from_fn(|k| match c.step() > 0 {
                true => {
                    let code = Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er;
                    s.onto(code, z[k], &[y[k], x[k]].map(Arg::Whole))
                }
                false => {
                    let code = Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
                    s.onto(code, x[k], &[y[k], z[k]].map(Arg::Whole))
                }
            });
            // The machine prefers the NaN of either factor to that of what is added, PTX that of the second alone.
            from_fn(|k| {
                let nan = compared(s, COMPARE_WIDE, [z[k]; 2], UNORDERED);
                let add = Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er;
                s.masked(add, sum[k], &[y[k], z[k]].map(Arg::Whole), nan)
            })
        }
        Float::Div => {
            let y = s.wide(b);
            pairwise(s, Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er, x, y)
        }
        Float::Sqrt => x.map(|half| s.emit(Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er, &[Arg::Whole(half)])),
        Float::Min | Float::Max => {
            let (y, one) = (s.wide(b), wides(s, 1f64.to_bits()));
            let codes = [Code::EVEX_Vrangepd_zmm_k1z_zmm_zmmm512b64_imm8_sae, COMPARE_WIDE, MOVE_WIDE];
            from_fn(|k| {
                let ([nan, _], [some, _]) = chosen(s, codes, [x[k], y[k]], float == Float::Max);
                // Where the first is NaN, the second, made quiet.
                let mul = Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er;
                s.masked(mul, some, &[y[k], one].map(Arg::Whole), nan)
            })
        }
        Float::Saturate => {
            let (zero, one) = (wides(s, 0), wides(s, 1f64.to_bits()));
            x.map(|half| {
                let codes = [
                    Code::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae,
                    Code::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae,
                ];
                let least = s.emit(codes[0], &[half, zero].map(Arg::Whole));
                s.emit(codes[1], &[least, one].map(Arg::Whole))
            })
        }
        Float::Even | Float::Trunc | Float::Floor | Float::Ceil => {
            let code = Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae;
            x.map(|half| s.emit(code, &[Arg::Whole(half), whole(float)]))
        }
    }
}

/// The number that stands for a comparison in the instruction.
fn number_of(cmp: FloatCmp) -> u8 {
    match cmp {
        FloatCmp::Eq => 0x00,
        FloatCmp::Ne => UNEQUAL,
        FloatCmp::Lt => LESS,
        FloatCmp::Le => 0x12,
        FloatCmp::Num => ORDERED,
        FloatCmp::Equ => 0x08,
        FloatCmp::Neu => 0x04,
        FloatCmp::Ltu => 0x19,
        FloatCmp::Leu => 0x1a,
        FloatCmp::Nan => UNORDERED,
    }
}

/// Adds a comparison of `.f32`.
pub(super) fn compare_single(s: &mut Lowering, cmp: FloatCmp, a: Place, b: Place) -> Reg {
    let first = raw(s, a);
    let second = raw_arg(s, b);
    s.emit(COMPARE, &[Arg::Whole(first), second, Arg::Number(number_of(cmp))])
}

/// Adds a comparison of `.f64`.
pub(super) fn compare_double(s: &mut Lowering, cmp: FloatCmp, a: Place, b: Place) -> [Reg; 2] {
    let (x, y) = (s.wide(a), s.wide(b));
    from_fn(|k| compared(s, COMPARE_WIDE, [x[k], y[k]], number_of(cmp)))
}

/// What a conversion becomes; none if there are no instructions for it.
pub(super) fn convert(convert: Convert) -> Option<fn(&mut Lowering, Place) -> Value> {
    Some(match convert {
        Convert::F32ToF64 => |s, a| Value::U64(widened_by(s, a, Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae)),
        Convert::S32ToF64 => |s, a| Value::U64(widened_by(s, a, Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er)),
        Convert::U32ToF64 => |s, a| Value::U64(widened_by(s, a, Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er)),
        Convert::F64ToF32(Rounding::Nearest) => |s, a| Value::U32(rounded(s, a, Rounding::Nearest)),
        Convert::F64ToF32(Rounding::Zero) => |s, a| Value::U32(rounded(s, a, Rounding::Zero)),
        Convert::F64ToF32(Rounding::Down) => |s, a| Value::U32(rounded(s, a, Rounding::Down)),
        Convert::F64ToF32(Rounding::Up) => |s, a| Value::U32(rounded(s, a, Rounding::Up)),
        Convert::F64ToF32(Rounding::Odd) => |s, a| Value::U32(rounded(s, a, Rounding::Odd)),
        Convert::S32ToF32 => |s, a| number(s, Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, a),
        Convert::U32ToF32 => |s, a| number(s, Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, a),
        Convert::S64ToF64(Rounding::Nearest) => {
            |s, a| wide_number(s, Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er, a)
        }
        Convert::U64ToF64(Rounding::Nearest) => {
            |s, a| wide_number(s, Code::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er, a)
        }
        Convert::F16ToF32 => |s, a| Value::U32(widened(s, a)),
        Convert::F32ToF16(Rounding::Nearest) => |s, a| half(s, a, 0),
        Convert::F32ToF16(Rounding::Down) => |s, a| half(s, a, 1),
        Convert::F32ToF16(Rounding::Up) => |s, a| half(s, a, 2),
        Convert::F32ToF16(Rounding::Zero) => |s, a| half(s, a, 3),
        Convert::F32ToBf16(Rounding::Nearest) => |s, a| {
            let value = raw(s, a);
            let (below, one) = (words(s, 0x7fff), words(s, 1));
            let down = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
            let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
            let units = shifted(s, down, Arg::Whole(value), 16);
            let odd = s.emit(AND, &[units, one].map(Arg::Whole));
            let sum = s.emit(add, &[value, below].map(Arg::Whole));
            let sum = s.emit(add, &[sum, odd].map(Arg::Whole));
            let rounded = shifted(s, down, Arg::Whole(sum), 16);
            Value::U32(no_half(s, value, rounded).0)
        },
        Convert::F32ToBf16(Rounding::Zero) => |s, a| {
            let value = raw(s, a);
            let cut = shifted(s, Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, Arg::Whole(value), 16);
            Value::U32(no_half(s, value, cut).0)
        },
        // What is too great for the machine becomes the least number with sign, the greatest without; NaN and, without sign,
        // negative numbers are left out.
        Convert::F32ToS32 => |s, a| {
            let value = raw(s, a);
            let (limit, most) = (words(s, 0x4f00_0000), words(s, i32::MAX as u32));
            let is_number = compared(s, COMPARE, [value, value], ORDERED);
            let beyond = compared(s, COMPARE, [value, limit], AT_LEAST);
            let code = Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
            let integer = s.kept(code, &[Arg::Whole(value)], is_number);
            Value::U32(s.masked(MOVE, integer, &[Arg::Whole(most)], beyond))
        },
        Convert::F32ToU32 => |s, a| {
            let (value, zero) = (raw(s, a), words(s, 0));
            let positive = compared(s, COMPARE, [value, zero], GREATER);
            let code = Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae;
            Value::U32(s.kept(code, &[Arg::Whole(value)], positive))
        },
        Convert::F64ToS32 => |s, a| {
            let value = s.wide(a);
            let (limit, most) = (wides(s, 0x41e0 << 48), words(s, i32::MAX as u32));
            let beyond = value.map(|half| compared(s, COMPARE_WIDE, [half, limit], AT_LEAST));
            let integers = value.map(|half| {
                let is_number = compared(s, COMPARE_WIDE, [half, half], ORDERED);
                s.kept(Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae, &[Arg::Whole(half)], is_number)
            });
            let (integers, beyond) = (joined(s, integers), s.whole(Predicate::Halves(beyond)));
            Value::U32(s.masked(MOVE, integers, &[Arg::Whole(most)], beyond))
        },
        Convert::F64ToU32 => |s, a| {
            let (value, zero) = (s.wide(a), wides(s, 0));
            let integers = value.map(|half| {
                let positive = compared(s, COMPARE_WIDE, [half, zero], GREATER);
                s.kept(Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae, &[Arg::Whole(half)], positive)
            });
            Value::U32(joined(s, integers))
        },
        Convert::F64ToS64 => |s, a| {
            let value = s.wide(a);
            let (limit, most) = (wides(s, 0x43e0 << 48), wides(s, i64::MAX as u64));
            Value::U64(value.map(|half| {
                let is_number = compared(s, COMPARE_WIDE, [half, half], ORDERED);
                let beyond = compared(s, COMPARE_WIDE, [half, limit], AT_LEAST);
                let code = Code::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae;
                let integer = s.kept(code, &[Arg::Whole(half)], is_number);
                s.masked(MOVE_WIDE, integer, &[Arg::Whole(most)], beyond)
            }))
        },
        Convert::F64ToU64 => |s, a| {
            let (value, zero) = (s.wide(a), wides(s, 0));
            Value::U64(value.map(|half| {
                let positive = compared(s, COMPARE_WIDE, [half, zero], GREATER);
                s.kept(Code::EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae, &[Arg::Whole(half)], positive)
            }))
        },
        Convert::S64ToF64(_) | Convert::U64ToF64(_) => return None,
        Convert::F32ToF16(_) | Convert::F32ToBf16(_) => return None,
    })
}

fn number(s: &mut Lowering, code: Code, place: Place) -> Value {
    let value = s.word_arg(place);
    Value::U32(s.emit(code, &[value]))
}

fn wide_number(s: &mut Lowering, code: Code, place: Place) -> Value {
    Value::U64(s.wide(place).map(|half| s.emit(code, &[Arg::Whole(half)])))
}

/// Half precision in 32 bits, rounded as a number says.
fn half(s: &mut Lowering, place: Place, rounding: u8) -> Value {
    let value = raw(s, place);
    let code = Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae;
    let packed = s.emit(code, &[Arg::Whole(value), Arg::Number(rounding)]);
    let halves = s.emit(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, &[Arg::Lower(packed)]);
    let (result, is_nan) = no_half(s, value, halves);
    s.halves.insert(result, [packed, is_nan]);
    Value::U32(result)
}

/// A number of 16 bits with PTX's NaN where the value is one, and where it is.
fn no_half(s: &mut Lowering, value: Reg, halves: Reg) -> (Reg, Reg) {
    let nan = words(s, 0x7fff);
    let is_nan = compared(s, COMPARE, [value, value], UNORDERED);
    (s.masked(MOVE, halves, &[Arg::Whole(nan)], is_nan), is_nan)
}

/// Half precision as `.f32`: of what was rounded to it without a way through 32 bits.
fn widened(s: &mut Lowering, place: Place) -> Reg {
    const WIDEN: Code = Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae;
    let value = s.word(place);
    let Some([packed, is_nan]) = s.halves.get(&value).copied() else {
        let packed = s.emit(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, &[Arg::Whole(value)]);
        return s.emit(WIDEN, &[Arg::Lower(packed)]);
    };
    let raw = s.emit(WIDEN, &[Arg::Lower(packed)]);
    let nan = words(s, 0x7fff_e000);
    let result = s.masked(MOVE, raw, &[Arg::Whole(nan)], is_nan);
    s.raws.insert(result, raw);
    result
}
