//! What machine instructions each micro-op becomes.

use super::super::Place;
use super::machine::{Arg, Reg};
use super::select::{Predicate, Selection, Value};
use iced_x86::Code;
use margay_isa::uop::{Cmp, Dot, Int, Logic, Op, Packed, Type};
use std::array::from_fn;

/// Whether there are machine instructions for an operation.
pub(crate) fn is_known(op: Op) -> bool {
    !matches!(
        op,
        Op::Int32(Int::DivU | Int::DivS | Int::RemU | Int::RemS)
            | Op::Int64(
                Int::DivU | Int::DivS | Int::RemU | Int::RemS | Int::MulHighU | Int::MulHighS | Int::Brev
            )
            | Op::Int32(Int::Brev)
            | Op::Dot(Dot::Halves(false, _) | Dot::Halves(_, false))
    )
}

/// Adds an operation, and gives its result; none if there are no instructions for it.
pub(super) fn operate(s: &mut Selection, op: Op, from: &[Place; 3]) -> Option<Value> {
    let [a, b, c] = *from;
    Some(match op {
        Op::Int32(int) => Value::U32(int32(s, int, *from)?),
        Op::Int64(int) => return int64(s, int, *from),
        Op::Cmp32(cmp) => Value::Pred(Predicate::Whole(compare32(s, cmp, a, b))),
        Op::Cmp64(cmp) => Value::Pred(Predicate::Halves(compare64(s, cmp, a, b))),
        Op::Bytes(packed) => Value::U32(bytes(s, packed, a, b)),
        Op::Halves(packed) => Value::U32(halves(s, packed, a, b)),
        Op::Dot(sum) => Value::U32(dot(s, sum, *from)?),
        Op::Pred(logic) => Value::Pred(logical(s, logic, a, b)),
        Op::Select(ty) => select(s, ty, *from),
        Op::Lop3(table) => {
            let (x, y) = (s.word(a), s.word(b));
            let z = s.word_arg(c);
            let code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
            Value::U32(s.onto(code, x, &[Arg::Whole(y), z, Arg::Number(table)]))
        }
        Op::FunnelLeft => Value::U32(funnel(s, *from, true)),
        Op::FunnelRight => Value::U32(funnel(s, *from, false)),
        Op::Permute => Value::U32(permute(s, *from)),
        Op::MulWideU => {
            let [x, y] = [a, b].map(|place| widened(s, place, false));
            Value::U64(from_fn(|k| {
                let code = Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64;
                s.emit(code, &[Arg::Whole(x[k]), Arg::Whole(y[k])])
            }))
        }
        Op::MulWideS => {
            let [x, y] = [a, b].map(|place| widened(s, place, true));
            Value::U64(from_fn(|k| {
                let code = Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64;
                s.emit(code, &[Arg::Whole(x[k]), Arg::Whole(y[k])])
            }))
        }
        Op::Zext => Value::U64(widened(s, a, false)),
        Op::Sext => Value::U64(widened(s, a, true)),
        Op::Low => {
            let wide = s.wide(a);
            Value::U32(narrowed(s, wide, 0))
        }
        Op::High => {
            let wide = s.wide(a);
            Value::U32(narrowed(s, wide, 1))
        }
        Op::Pack => {
            let [low, high] = [a, b].map(|place| widened(s, place, false));
            Value::U64(from_fn(|k| {
                let up = shifted(s, Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8, Arg::Whole(high[k]), 32);
                s.emit(Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64, &[Arg::Whole(up), Arg::Whole(low[k])])
            }))
        }
        Op::FromPred => {
            let ones = s.word(a);
            Value::U32(shifted(s, Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, Arg::Whole(ones), 31))
        }
    })
}

fn shifted(s: &mut Selection, code: Code, value: Arg, by: u8) -> Reg {
    s.emit(code, &[value, Arg::Number(by)])
}

/// 32-bit values as 64-bit ones.
fn widened(s: &mut Selection, place: Place, signed: bool) -> [Reg; 2] {
    let word = s.word(place);
    let code = match signed {
        true => Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256,
        false => Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256,
    };
    let first = s.emit(code, &[Arg::Lower(word)]);
    if place.step() == 0 {
        return [first; 2];
    }
    let upper = s.emit(Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, &[Arg::Whole(word), Arg::Number(1)]);
    [first, s.emit(code, &[Arg::Lower(upper)])]
}

/// The low or the high halves of 64-bit values.
fn narrowed(s: &mut Selection, [first, second]: [Reg; 2], half: u32) -> Reg {
    let places = s.line(from_fn(|k| 2 * k as u32 + half));
    s.onto(Code::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32, first, &[Arg::Whole(places), Arg::Whole(second)])
}

fn int32(s: &mut Selection, int: Int, [a, b, c]: [Place; 3]) -> Option<Reg> {
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

fn shift32(s: &mut Selection, code: Code, place: Place, by: u64) -> Reg {
    let value = s.word_arg(place);
    shifted(s, code, value, by.min(255) as u8)
}

/// A field: moved up so that nothing lies above it, then down.
fn extract(s: &mut Selection, [left, right]: [Code; 2], value: Arg, [width, at, length]: [u8; 3]) -> Reg {
    let (up, down) = (width - at - length, width - length);
    match (up, down) {
        (0, _) => shifted(s, right, value, down),
        _ => {
            let moved = shifted(s, left, value, up);
            shifted(s, right, Arg::Whole(moved), down)
        }
    }
}

fn difference(s: &mut Selection, [greater, lesser, sub]: [Code; 3], a: Place, b: Place) -> Reg {
    let (x, y) = (s.word(a), s.word(b));
    difference_of(s, [greater, lesser, sub], x, y)
}

fn difference_of(s: &mut Selection, [greater, lesser, sub]: [Code; 3], x: Reg, y: Reg) -> Reg {
    let operands = [Arg::Whole(x), Arg::Whole(y)];
    let most = s.emit(greater, &operands);
    let least = s.emit(lesser, &operands);
    s.emit(sub, &[Arg::Whole(most), Arg::Whole(least)])
}

fn product32(s: &mut Selection, a: Place, b: Place) -> Reg {
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
fn high_product(s: &mut Selection, code: Code, a: Place, b: Place) -> Reg {
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

fn int64(s: &mut Selection, int: Int, [a, b, c]: [Place; 3]) -> Option<Value> {
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
fn pairwise(s: &mut Selection, code: Code, x: [Reg; 2], y: [Reg; 2]) -> [Reg; 2] {
    from_fn(|k| s.emit(code, &[Arg::Whole(x[k]), Arg::Whole(y[k])]))
}

fn shift64(s: &mut Selection, [by_constant, by_lane]: [Code; 2], a: Place, b: Place) -> [Reg; 2] {
    let value = s.wide(a);
    if let Some(by) = s.constant(b) {
        return value.map(|half| shifted(s, by_constant, Arg::Whole(half), by.min(255) as u8));
    }
    let by = widened(s, b, false);
    pairwise(s, by_lane, value, by)
}

/// A product; by a few bits it is made of shifts, as multiplication takes long.
fn product64(s: &mut Selection, a: Place, b: Place) -> [Reg; 2] {
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

/// The number that stands for a comparison in the instruction, and whether it is one without sign.
fn predicate_of(cmp: Cmp) -> (u8, bool) {
    match cmp {
        Cmp::Eq => (0, true),
        Cmp::Ne => (4, true),
        Cmp::LtU => (1, true),
        Cmp::LeU => (2, true),
        Cmp::LtS => (1, false),
        Cmp::LeS => (2, false),
    }
}

/// Whether a comparison asks for some bit of a conjunction, or for its only one: then the operands of the conjunction, and
/// whether it asks for a bit that is 1.
fn test(s: &Selection, cmp: Cmp, value: Reg, constant: u64) -> Option<([Arg; 2], bool)> {
    let equal = match cmp {
        Cmp::Eq => true,
        Cmp::Ne => false,
        _ => return None,
    };
    let (x, y, bits) = *s.ands.get(&value)?;
    let operands = [x, y].map(Arg::Whole);
    match constant {
        0 => Some((operands, !equal)),
        _ => (constant.is_power_of_two() && bits == Some(constant)).then_some((operands, equal)),
    }
}

fn compare32(s: &mut Selection, cmp: Cmp, a: Place, b: Place) -> Reg {
    for (value, other) in [(a, b), (b, a)] {
        let Some(constant) = s.constant(other).filter(|_| s.constant(value).is_none()) else { continue };
        let reg = s.word(value);
        if let Some((operands, wanted)) = test(s, cmp, reg, constant) {
            let code = match wanted {
                true => Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
                false => Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32,
            };
            return s.emit(code, &operands);
        }
    }
    let (number, unsigned) = predicate_of(cmp);
    let code = match unsigned {
        true => Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
        false => Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
    };
    let first = s.word(a);
    let second = s.word_arg(b);
    s.emit(code, &[Arg::Whole(first), second, Arg::Number(number)])
}

fn compare64(s: &mut Selection, cmp: Cmp, a: Place, b: Place) -> [Reg; 2] {
    for (value, other) in [(a, b), (b, a)] {
        let Some(constant) = s.constant(other).filter(|_| s.constant(value).is_none()) else { continue };
        if let [Some(first), Some(second)] = s.wide(value).map(|reg| test(s, cmp, reg, constant)) {
            return [first, second].map(|(operands, wanted)| {
                let code = match wanted {
                    true => Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64,
                    false => Code::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64,
                };
                s.emit(code, &operands)
            });
        }
    }
    let (number, unsigned) = predicate_of(cmp);
    let code = match unsigned {
        true => Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
        false => Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8,
    };
    let (x, y) = (s.wide(a), s.wide(b));
    from_fn(|k| s.emit(code, &[Arg::Whole(x[k]), Arg::Whole(y[k]), Arg::Number(number)]))
}

fn logical(s: &mut Selection, logic: Logic, a: Place, b: Place) -> Predicate {
    let (x, y) = (s.predicate(a), s.predicate(b));
    let code = match logic {
        Logic::And => Code::VEX_Kandw_kr_kr_kr,
        Logic::Or => Code::VEX_Korw_kr_kr_kr,
        Logic::Xor => Code::VEX_Kxorw_kr_kr_kr,
        Logic::AndNot => Code::VEX_Kandnw_kr_kr_kr,
    };
    // The instruction negates its first operand.
    let (x, y) = if logic == Logic::AndNot { (y, x) } else { (x, y) };
    match (x, y) {
        (Predicate::Halves(x), Predicate::Halves(y)) => Predicate::Halves(pairwise(s, code, x, y)),
        _ => {
            let (x, y) = (s.whole(x), s.whole(y));
            Predicate::Whole(s.emit(code, &[Arg::Whole(x), Arg::Whole(y)]))
        }
    }
}

fn select(s: &mut Selection, ty: Type, [p, a, b]: [Place; 3]) -> Value {
    let by = s.predicate(p);
    match ty {
        Type::U32 => {
            let mask = s.whole(by);
            let (yes, no) = (s.word(a), s.word(b));
            let operands = [Arg::Whole(no), Arg::Whole(yes)];
            Value::U32(s.blend(Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, &operands, mask))
        }
        Type::U64 => {
            let masks = s.halves(by);
            let (yes, no) = (s.wide(a), s.wide(b));
            Value::U64(from_fn(|k| {
                let operands = [Arg::Whole(no[k]), Arg::Whole(yes[k])];
                s.blend(Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64, &operands, masks[k])
            }))
        }
        Type::Pred => {
            let (yes, no) = (s.predicate(a), s.predicate(b));
            let [mask, yes, no] = [by, yes, no].map(|predicate| s.whole(predicate));
            let taken = s.emit(Code::VEX_Kandw_kr_kr_kr, &[Arg::Whole(mask), Arg::Whole(yes)]);
            let other = s.emit(Code::VEX_Kandnw_kr_kr_kr, &[Arg::Whole(mask), Arg::Whole(no)]);
            let both = [Arg::Whole(taken), Arg::Whole(other)];
            Value::Pred(Predicate::Whole(s.emit(Code::VEX_Korw_kr_kr_kr, &both)))
        }
    }
}

fn funnel(s: &mut Selection, [low, high, by]: [Place; 3], left: bool) -> Reg {
    let constant = s.constant(by).map(|by| Arg::Number((by & 31) as u8));
    if low == high {
        let code = match (left, constant) {
            (true, Some(_)) => Code::EVEX_Vprold_zmm_k1z_zmmm512b32_imm8,
            (false, Some(_)) => Code::EVEX_Vprord_zmm_k1z_zmmm512b32_imm8,
            (true, None) => Code::EVEX_Vprolvd_zmm_k1z_zmm_zmmm512b32,
            (false, None) => Code::EVEX_Vprorvd_zmm_k1z_zmm_zmmm512b32,
        };
        let value = s.word(low);
        let amount = match constant {
            Some(amount) => amount,
            None => s.word_arg(by),
        };
        return s.emit(code, &[Arg::Whole(value), amount]);
    }
    let (x, y) = (s.word(low), s.word(high));
    let (kept, other) = if left { (y, x) } else { (x, y) };
    match (left, constant) {
        (true, Some(amount)) => {
            let code = Code::EVEX_Vpshldd_zmm_k1z_zmm_zmmm512b32_imm8;
            s.emit(code, &[Arg::Whole(kept), Arg::Whole(other), amount])
        }
        (false, Some(amount)) => {
            let code = Code::EVEX_Vpshrdd_zmm_k1z_zmm_zmmm512b32_imm8;
            s.emit(code, &[Arg::Whole(kept), Arg::Whole(other), amount])
        }
        (_, None) => {
            let code = match left {
                true => Code::EVEX_Vpshldvd_zmm_k1z_zmm_zmmm512b32,
                false => Code::EVEX_Vpshrdvd_zmm_k1z_zmm_zmmm512b32,
            };
            let amount = s.word_arg(by);
            s.onto(code, kept, &[Arg::Whole(other), amount])
        }
    }
}

/// The codes for packed elements: a simple instruction, or what is made of some.
enum Elements {
    Simple(Code),
    /// Greater, lesser, difference.
    Difference([Code; 3]),
    /// A comparison, and how masks become elements.
    Compare(Code, u8, Code),
    /// Half of a sum with sign: what halves sums without sign, compares with 0, and takes away; an element's sign and 1.
    Average([Code; 3], [u32; 2]),
}

fn packed(s: &mut Selection, elements: Elements, a: Place, b: Place) -> Reg {
    match elements {
        Elements::Simple(code) => {
            let first = s.word(a);
            let second = s.word_arg(b);
            s.emit(code, &[Arg::Whole(first), second])
        }
        Elements::Difference(codes) => difference(s, codes, a, b),
        Elements::Compare(code, number, spread) => {
            let first = s.word(a);
            let second = s.word_arg(b);
            let mask = s.emit(code, &[Arg::Whole(first), second, Arg::Number(number)]);
            let result = s.emit(spread, &[Arg::Whole(mask)]);
            let lanes = match spread {
                Code::EVEX_Vpmovm2b_zmm_kr => Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512,
                _ => Code::EVEX_Vmovdqu16_zmm_k1z_zmmm512,
            };
            s.spreads.insert(result, (mask, lanes));
            result
        }
        // With the signs turned, sums without sign are halved and rounded up; where an odd sum was below zero, that is one
        // too much.
        Elements::Average([average, compare, sub], [sign, one]) => {
            let xor = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
            let (x, y) = (s.word(a), s.word(b));
            let (sign, one) = (s.line([sign; 16]), s.line([one; 16]));
            let [up_x, up_y] = [x, y].map(|value| s.emit(xor, &[Arg::Whole(value), Arg::Whole(sign)]));
            let mean = s.emit(average, &[Arg::Whole(up_x), Arg::Whole(up_y)]);
            let mean = s.emit(xor, &[Arg::Whole(mean), Arg::Whole(sign)]);
            let parity = s.emit(xor, &[Arg::Whole(x), Arg::Whole(y)]);
            let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
            let odd = s.emit(and, &[Arg::Whole(parity), Arg::Whole(one)]);
            let zero = s.line([0; 16]);
            let below = s.emit(compare, &[Arg::Whole(mean), Arg::Whole(zero), Arg::Number(2)]);
            s.masked(sub, mean, &[Arg::Whole(mean), Arg::Whole(odd)], below)
        }
    }
}

fn bytes(s: &mut Selection, operation: Packed, a: Place, b: Place) -> Reg {
    use Elements::{Average, Compare, Difference, Simple};
    let spread = Code::EVEX_Vpmovm2b_zmm_kr;
    let sub = Code::EVEX_Vpsubb_zmm_k1z_zmm_zmmm512;
    let unsigned = [Code::EVEX_Vpmaxub_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminub_zmm_k1z_zmm_zmmm512];
    let signed = [Code::EVEX_Vpmaxsb_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminsb_zmm_k1z_zmm_zmmm512];
    let elements = match operation {
        Packed::Add => Simple(Code::EVEX_Vpaddb_zmm_k1z_zmm_zmmm512),
        Packed::Sub => Simple(sub),
        Packed::AddSatU => Simple(Code::EVEX_Vpaddusb_zmm_k1z_zmm_zmmm512),
        Packed::AddSatS => Simple(Code::EVEX_Vpaddsb_zmm_k1z_zmm_zmmm512),
        Packed::SubSatU => Simple(Code::EVEX_Vpsubusb_zmm_k1z_zmm_zmmm512),
        Packed::SubSatS => Simple(Code::EVEX_Vpsubsb_zmm_k1z_zmm_zmmm512),
        Packed::AbsDiffU => Difference([unsigned[0], unsigned[1], sub]),
        Packed::AbsDiffS => Difference([signed[0], signed[1], sub]),
        Packed::AvgU => Simple(Code::EVEX_Vpavgb_zmm_k1z_zmm_zmmm512),
        Packed::AvgS => {
            let codes =
                [Code::EVEX_Vpavgb_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpcmpb_kr_k1_zmm_zmmm512_imm8, sub];
            Average(codes, [0x8080_8080, 0x0101_0101])
        }
        Packed::MinU => Simple(unsigned[1]),
        Packed::MinS => Simple(signed[1]),
        Packed::MaxU => Simple(unsigned[0]),
        Packed::MaxS => Simple(signed[0]),
        Packed::Eq => Compare(Code::EVEX_Vpcmpub_kr_k1_zmm_zmmm512_imm8, 0, spread),
        Packed::LtU => Compare(Code::EVEX_Vpcmpub_kr_k1_zmm_zmmm512_imm8, 1, spread),
        Packed::LtS => Compare(Code::EVEX_Vpcmpb_kr_k1_zmm_zmmm512_imm8, 1, spread),
    };
    packed(s, elements, a, b)
}

fn halves(s: &mut Selection, operation: Packed, a: Place, b: Place) -> Reg {
    use Elements::{Average, Compare, Difference, Simple};
    let spread = Code::EVEX_Vpmovm2w_zmm_kr;
    let sub = Code::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512;
    let unsigned = [Code::EVEX_Vpmaxuw_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminuw_zmm_k1z_zmm_zmmm512];
    let signed = [Code::EVEX_Vpmaxsw_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminsw_zmm_k1z_zmm_zmmm512];
    let elements = match operation {
        Packed::Add => Simple(Code::EVEX_Vpaddw_zmm_k1z_zmm_zmmm512),
        Packed::Sub => Simple(sub),
        Packed::AddSatU => Simple(Code::EVEX_Vpaddusw_zmm_k1z_zmm_zmmm512),
        Packed::AddSatS => Simple(Code::EVEX_Vpaddsw_zmm_k1z_zmm_zmmm512),
        Packed::SubSatU => Simple(Code::EVEX_Vpsubusw_zmm_k1z_zmm_zmmm512),
        Packed::SubSatS => Simple(Code::EVEX_Vpsubsw_zmm_k1z_zmm_zmmm512),
        Packed::AbsDiffU => Difference([unsigned[0], unsigned[1], sub]),
        Packed::AbsDiffS => Difference([signed[0], signed[1], sub]),
        Packed::AvgU => Simple(Code::EVEX_Vpavgw_zmm_k1z_zmm_zmmm512),
        Packed::AvgS => {
            let codes =
                [Code::EVEX_Vpavgw_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpcmpw_kr_k1_zmm_zmmm512_imm8, sub];
            Average(codes, [0x8000_8000, 0x0001_0001])
        }
        Packed::MinU => Simple(unsigned[1]),
        Packed::MinS => Simple(signed[1]),
        Packed::MaxU => Simple(unsigned[0]),
        Packed::MaxS => Simple(signed[0]),
        Packed::Eq => Compare(Code::EVEX_Vpcmpuw_kr_k1_zmm_zmmm512_imm8, 0, spread),
        Packed::LtU => Compare(Code::EVEX_Vpcmpuw_kr_k1_zmm_zmmm512_imm8, 1, spread),
        Packed::LtS => Compare(Code::EVEX_Vpcmpw_kr_k1_zmm_zmmm512_imm8, 1, spread),
    };
    packed(s, elements, a, b)
}

/// Sums over packed elements by VNNI, which multiplies bytes without sign by bytes with sign.
fn dot(s: &mut Selection, sum: Dot, [a, b, c]: [Place; 3]) -> Option<Reg> {
    let code = Code::EVEX_Vpdpbusd_zmm_k1z_zmm_zmmm512b32;
    let (x, y, rest) = (s.word(a), s.word(b), s.word(c));
    let [unit, high] = [0x0101_0101, 0x8080_8080].map(|word| [word; 16]);
    Some(match sum {
        Dot::Bytes(false, true) => s.onto(code, rest, &[Arg::Whole(x), Arg::Whole(y)]),
        Dot::Bytes(true, false) => s.onto(code, rest, &[Arg::Whole(y), Arg::Whole(x)]),
        // One operand's sign is turned, and 128 times the sum of the other is taken away, or added, apart.
        Dot::Bytes(signed, _) => {
            let (high, zero) = (s.line(high), s.line([0; 16]));
            let xor = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
            let (turned, other) = if signed { (x, y) } else { (y, x) };
            let turned = s.emit(xor, &[Arg::Whole(turned), Arg::Whole(high)]);
            // As a byte without sign that is 128, as one with sign -128: both ways the sum is to be taken away.
            let (of_sum, of_products) = match signed {
                true => ([high, other], [turned, other]),
                false => ([other, high], [other, turned]),
            };
            let sum = s.onto(code, zero, &of_sum.map(Arg::Whole));
            let products = s.onto(code, rest, &of_products.map(Arg::Whole));
            let sub = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
            s.emit(sub, &[Arg::Whole(products), Arg::Whole(sum)])
        }
        Dot::Halves(true, true) => {
            let code = Code::EVEX_Vpdpwssd_zmm_k1z_zmm_zmmm512b32;
            s.onto(code, rest, &[Arg::Whole(x), Arg::Whole(y)])
        }
        Dot::Halves(..) => return None,
        Dot::AbsDiffBytesU | Dot::AbsDiffBytesS => {
            let [greater, lesser] = match sum {
                Dot::AbsDiffBytesU => {
                    [Code::EVEX_Vpmaxub_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminub_zmm_k1z_zmm_zmmm512]
                }
                _ => [Code::EVEX_Vpmaxsb_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminsb_zmm_k1z_zmm_zmmm512],
            };
            let codes = [greater, lesser, Code::EVEX_Vpsubb_zmm_k1z_zmm_zmmm512];
            let apart = difference_of(s, codes, x, y);
            let unit = s.line(unit);
            s.onto(code, rest, &[Arg::Whole(apart), Arg::Whole(unit)])
        }
    })
}

/// Bytes chosen from two registers: their places in both, then signs spread where the selection says so.
fn permute(s: &mut Selection, [a, b, by]: [Place; 3]) -> Reg {
    let (x, y) = (s.word(a), s.word(b));
    let code = Code::EVEX_Vpermt2b_zmm_k1z_zmm_zmmm512;
    // The place of thread k's first byte, in every byte of thread k.
    let base = |k: usize| 0x0404_0404 * k as u32;
    if let Some(selection) = s.constant(by).map(|bits| bits as u32).filter(|bits| bits & 0x8888 == 0) {
        // Bits 0 and 1 of a nibble choose the byte, bit 2 the register, which is bit 6 of a place.
        let place = |k: u32| {
            let nibble = selection >> (4 * k) & 7;
            (nibble & 3 | (nibble & 4) << 4) << (8 * k)
        };
        let places = place(0) | place(1) | place(2) | place(3);
        let places = s.line(from_fn(|k| places | base(k)));
        return s.onto(code, x, &[Arg::Whole(places), Arg::Whole(y)]);
    }
    let selection = s.word(by);
    let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
    let or = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
    let up = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
    // Nibble k to the low half of byte k.
    let mut nibbles = {
        let mask = s.line([0xf; 16]);
        s.emit(and, &[Arg::Whole(selection), Arg::Whole(mask)])
    };
    for k in 1..4u8 {
        let mask = s.line([0xf << (8 * k); 16]);
        let moved = shifted(s, up, Arg::Whole(selection), 4 * k);
        let table = Arg::Number(0xf8);
        let ternary = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
        nibbles = s.onto(ternary, nibbles, &[Arg::Whole(moved), Arg::Whole(mask), table]);
    }
    let byte_mask = s.line([0x0303_0303; 16]);
    let byte = s.emit(and, &[Arg::Whole(nibbles), Arg::Whole(byte_mask)]);
    let register_mask = s.line([0x0404_0404; 16]);
    let register = s.emit(and, &[Arg::Whole(nibbles), Arg::Whole(register_mask)]);
    let register = shifted(s, up, Arg::Whole(register), 4);
    let places = s.emit(or, &[Arg::Whole(byte), Arg::Whole(register)]);
    let base = s.line(from_fn(base));
    let places = s.emit(or, &[Arg::Whole(places), Arg::Whole(base)]);
    let bytes = s.onto(code, x, &[Arg::Whole(places), Arg::Whole(y)]);
    let sign = s.line([0x0808_0808; 16]);
    let signs = s.emit(Code::EVEX_Vptestmb_kr_k1_zmm_zmmm512, &[Arg::Whole(nibbles), Arg::Whole(sign)]);
    let negative = s.emit(Code::EVEX_Vpmovb2m_kr_zmm, &[Arg::Whole(bytes)]);
    let spread = s.emit(Code::EVEX_Vpmovm2b_zmm_kr, &[Arg::Whole(negative)]);
    s.blend(Code::EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512, &[Arg::Whole(bytes), Arg::Whole(spread)], signs)
}
