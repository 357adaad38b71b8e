//! Numbers of 32 and 64 bits: what their operations become.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::isel::{Lowering, Value};
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::operate::{narrowed, widened};
use iced_x86::Code;
use margay_isa::uop::Int;
use std::array::from_fn;

/// A value moved by a number of bits.
pub(super) fn shifted(s: &mut Lowering, code: Code, value: Arg, by: u8) -> Reg {
    s.emit(code, &[value, Arg::Number(by)])
}

pub(super) fn int32(s: &mut Lowering, int: Int, [a, b, c]: [Place; 3]) -> Option<Reg> {
    let simple = match int {
        Int::Add => Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
        Int::Sub => Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
        Int::And => Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
        Int::Or => Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        Int::Xor => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        Int::MinU => Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
        Int::MinS => Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
        Int::MaxU => Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
        Int::MaxS => Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
        Int::Shl => match s.constant(b) {
            Some(by) => return Some(shift32(s, Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, a, by)),
            None => Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
        },
        Int::Shr => match s.constant(b) {
            Some(by) => return Some(shift32(s, Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, a, by)),
            None => Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
        },
        Int::Sar => match s.constant(b) {
            Some(by) => return Some(shift32(s, Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, a, by)),
            None => Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
        },
        Int::Mul => return Some(product32(s, a, b)),
        Int::MulAdd => {
            let product = product32(s, a, b);
            let rest = s.word_arg(c);
            return Some(s.emit(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, &[Arg::Whole(product), rest]));
        }
        Int::AddAdd => {
            let first = s.word(a);
            let second = s.word_arg(b);
            let sum = s.emit(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, &[Arg::Whole(first), second]);
            let rest = s.word_arg(c);
            return Some(s.emit(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, &[Arg::Whole(sum), rest]));
        }
        Int::MulHighU => return Some(high_product(s, Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64, a, b)),
        Int::MulHighS => return Some(high_product(s, Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64, a, b)),
        Int::AbsDiffU => {
            let codes = [
                Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
            ];
            return Some(difference(s, codes, a, b));
        }
        Int::AbsDiffS => {
            let codes = [
                Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
            ];
            return Some(difference(s, codes, a, b));
        }
        Int::Popc => {
            let value = s.word_arg(a);
            return Some(s.emit(Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32, &[value]));
        }
        Int::Clz => {
            let value = s.word_arg(a);
            return Some(s.emit(Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32, &[value]));
        }
        Int::ExtractU(position, length) => {
            let right = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
            let left = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
            let value = s.word_arg(a);
            return Some(extract(s, [left, right], value, [32, position, length]));
        }
        Int::ExtractS(position, length) => {
            let right = Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;
            let left = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
            let value = s.word_arg(a);
            return Some(extract(s, [left, right], value, [32, position, length]));
        }
        Int::Brev | Int::DivU | Int::DivS | Int::RemU | Int::RemS => return None,
    };
    let first = s.word(a);
    let second = s.word_arg(b);
    if let (Int::And, Arg::Whole(second)) = (int, second) {
        for (elements, other) in [(first, second), (second, first)] {
            if let Some((mask, code)) = s.spreads.get(&elements).copied() {
                return Some(s.kept(code, &[Arg::Whole(other)], mask));
            }
        }
    }
    let result = s.emit(simple, &[Arg::Whole(first), second]);
    if let (Int::And, Arg::Whole(second)) = (int, second) {
        let constant = s.constant(a).or(s.constant(b));
        s.ands.insert(result, (first, second, constant));
    }
    Some(result)
}

fn shift32(s: &mut Lowering, code: Code, place: Place, by: u64) -> Reg {
    let value = s.word_arg(place);
    shifted(s, code, value, by.min(255) as u8)
}

/// A field: moved up so that nothing lies above it, then down.
fn extract(s: &mut Lowering, [left, right]: [Code; 2], value: Arg, [width, at, length]: [u8; 3]) -> Reg {
    let (up, down) = (width - at - length, width - length);
    match (up, down) {
        (0, _) => shifted(s, right, value, down),
        _ => {
            let moved = shifted(s, left, value, up);
            shifted(s, right, Arg::Whole(moved), down)
        }
    }
}

pub(super) fn difference(s: &mut Lowering, [greater, lesser, sub]: [Code; 3], a: Place, b: Place) -> Reg {
    let (x, y) = (s.word(a), s.word(b));
    difference_of(s, [greater, lesser, sub], x, y)
}

pub(super) fn difference_of(s: &mut Lowering, [greater, lesser, sub]: [Code; 3], x: Reg, y: Reg) -> Reg {
    let operands = [Arg::Whole(x), Arg::Whole(y)];
    let most = s.emit(greater, &operands);
    let least = s.emit(lesser, &operands);
    s.emit(sub, &[Arg::Whole(most), Arg::Whole(least)])
}

fn product32(s: &mut Lowering, a: Place, b: Place) -> Reg {
    for (factor, other) in [(a, b), (b, a)] {
        if let Some(power) = s.constant(factor).filter(|factor| factor.is_power_of_two()) {
            let value = s.word_arg(other);
            let by = power.trailing_zeros() as u8;
            return shifted(s, Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, value, by);
        }
    }
    let first = s.word(a);
    let second = s.word_arg(b);
    s.emit(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, &[Arg::Whole(first), second])
}

/// The high halves of products: those of the even lanes, moved down, and those of the odd ones.
fn high_product(s: &mut Lowering, code: Code, a: Place, b: Place) -> Reg {
    let (x, y) = (s.word(a), s.word(b));
    let down = Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8;
    let even = s.emit(code, &[Arg::Whole(x), Arg::Whole(y)]);
    let (odd_x, odd_y) = (shifted(s, down, Arg::Whole(x), 32), shifted(s, down, Arg::Whole(y), 32));
    let odd = s.emit(code, &[Arg::Whole(odd_x), Arg::Whole(odd_y)]);
    let even = shifted(s, down, Arg::Whole(even), 32);
    let upper = s.line(from_fn(|k| if k % 2 == 1 { u32::MAX } else { 0 }));
    let table = Arg::Number(0xca);
    let code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
    s.onto(code, upper, &[Arg::Whole(odd), Arg::Whole(even), table])
}

pub(super) fn int64(s: &mut Lowering, int: Int, [a, b, c]: [Place; 3]) -> Option<Value> {
    let simple = match int {
        Int::Add => Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
        Int::Sub => Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
        Int::And => Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
        Int::Or => Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
        Int::Xor => Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
        Int::MinU => Code::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64,
        Int::MinS => Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64,
        Int::MaxU => Code::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64,
        Int::MaxS => Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64,
        Int::Shl => {
            let [by_constant, by_lane] =
                [Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8, Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64];
            return Some(Value::U64(shift64(s, [by_constant, by_lane], a, b)));
        }
        Int::Shr => {
            let [by_constant, by_lane] =
                [Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64];
            return Some(Value::U64(shift64(s, [by_constant, by_lane], a, b)));
        }
        Int::Sar => {
            let [by_constant, by_lane] =
                [Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8, Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64];
            return Some(Value::U64(shift64(s, [by_constant, by_lane], a, b)));
        }
        Int::Mul => return Some(Value::U64(product64(s, a, b))),
        Int::MulAdd => {
            let product = product64(s, a, b);
            let rest = s.wide(c);
            return Some(Value::U64(pairwise(s, Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, product, rest)));
        }
        Int::AddAdd => {
            let (x, y) = (s.wide(a), s.wide(b));
            let sum = pairwise(s, Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, x, y);
            let rest = s.wide(c);
            return Some(Value::U64(pairwise(s, Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, sum, rest)));
        }
        Int::AbsDiffU | Int::AbsDiffS => {
            let (x, y) = (s.wide(a), s.wide(b));
            let [greater, lesser] = match int {
                Int::AbsDiffU => {
                    [Code::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64]
                }
                _ => [Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64],
            };
            let codes = [greater, lesser, Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64];
            return Some(Value::U64(from_fn(|k| difference_of(s, codes, x[k], y[k]))));
        }
        Int::Popc | Int::Clz => {
            let code = match int {
                Int::Popc => Code::EVEX_Vpopcntq_zmm_k1z_zmmm512b64,
                _ => Code::EVEX_Vplzcntq_zmm_k1z_zmmm512b64,
            };
            let counts = s.wide(a).map(|half| s.emit(code, &[Arg::Whole(half)]));
            return Some(Value::U32(narrowed(s, counts, 0)));
        }
        Int::ExtractU(position, length) => {
            let codes =
                [Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8, Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8];
            let value = s.wide(a);
            let field = value.map(|half| extract(s, codes, Arg::Whole(half), [64, position, length]));
            return Some(Value::U64(field));
        }
        Int::ExtractS(position, length) => {
            let codes =
                [Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8, Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8];
            let value = s.wide(a);
            let field = value.map(|half| extract(s, codes, Arg::Whole(half), [64, position, length]));
            return Some(Value::U64(field));
        }
        Int::MulHighU | Int::MulHighS | Int::Brev | Int::DivU | Int::DivS | Int::RemU | Int::RemS => {
            return None;
        }
    };
    let (x, y) = (s.wide(a), s.wide(b));
    let result = pairwise(s, simple, x, y);
    if int == Int::And {
        let constant = s.constant(a).or(s.constant(b));
        (0..2).for_each(|k| {
            s.ands.insert(result[k], (x[k], y[k], constant));
        });
    }
    Some(Value::U64(result))
}

/// An instruction on both halves.
pub(super) fn pairwise(s: &mut Lowering, code: Code, x: [Reg; 2], y: [Reg; 2]) -> [Reg; 2] {
    from_fn(|k| s.emit(code, &[Arg::Whole(x[k]), Arg::Whole(y[k])]))
}

fn shift64(s: &mut Lowering, [by_constant, by_lane]: [Code; 2], a: Place, b: Place) -> [Reg; 2] {
    let value = s.wide(a);
    if let Some(by) = s.constant(b) {
        return value.map(|half| shifted(s, by_constant, Arg::Whole(half), by.min(255) as u8));
    }
    let by = widened(s, b, false);
    pairwise(s, by_lane, value, by)
}

/// A product; by a few bits it is made of shifts, as multiplication takes long.
fn product64(s: &mut Lowering, a: Place, b: Place) -> [Reg; 2] {
    let up = Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8;
    for (factor, other) in [(a, b), (b, a)] {
        let Some(factor) = s.constant(factor).filter(|factor| (1..=2).contains(&factor.count_ones())) else {
            continue;
        };
        let (low, high) = (factor.trailing_zeros() as u8, 63 - factor.leading_zeros() as u8);
        let value = s.wide(other);
        return value.map(|half| {
            let moved = shifted(s, up, Arg::Whole(half), high);
            if low == high {
                return moved;
            }
            let rest = if low == 0 { half } else { shifted(s, up, Arg::Whole(half), low) };
            s.emit(Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, &[Arg::Whole(moved), Arg::Whole(rest)])
        });
    }
    let (x, y) = (s.wide(a), s.wide(b));
    pairwise(s, Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64, x, y)
}
