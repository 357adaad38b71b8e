//! Numbers of 32 and 64 bits: what their operations become.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::bits::{ones, ones_of_wides};
use crate::batch::lanes::jit::divide::{Wanted, divided32, divided64};
use crate::batch::lanes::jit::lowering::{Lowering, Value};
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::values::{narrowed, pairwise, shifted, widened};
use iced_x86::Code;
use margay_isa::uop::Int;
use std::array::from_fn;

/// What an operation on numbers becomes.
#[derive(Clone, Copy)]
pub(super) enum Numbers {
    /// An instruction of one operand.
    One(Code),
    /// An instruction of two operands.
    Two(Code),
    /// The same, which comparisons look into.
    And(Code),
    /// Of three operands: the first two by one instruction, its result and the third by another.
    Three([Code; 2]),
    /// By a constant, or by each lane's own amount.
    Shift([Code; 2]),
    /// Greater, lesser, difference.
    Difference([Code; 3]),
    /// Up, down; width, position and length.
    Field([Code; 2], [u8; 3]),
    Made(fn(&mut Lowering, [Place; 3]) -> Value),
}

/// On 32-bit numbers; none if there are no instructions.
pub(super) fn int32(int: Int) -> Option<Numbers> {
    use Numbers::{And, Difference, Field, Made, One, Shift, Three, Two};
    let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
    let sub = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
    let up = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
    let [min_u, max_u] =
        [Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32];
    let [min_s, max_s] =
        [Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32];
    let [down_u, down_s] =
        [Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8];
    Some(match int {
        Int::Add => Two(add),
        Int::Sub => Two(sub),
        Int::And => And(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32),
        Int::Or => Two(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32),
        Int::Xor => Two(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32),
        Int::MinU => Two(min_u),
        Int::MinS => Two(min_s),
        Int::MaxU => Two(max_u),
        Int::MaxS => Two(max_s),
        Int::Shl => Shift([up, Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32]),
        Int::Shr => Shift([down_u, Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32]),
        Int::Sar => Shift([down_s, Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32]),
        Int::Mul => Made(|s, [a, b, _]| Value::U32(product32(s, a, b))),
        Int::MulAdd => Made(|s, [a, b, c]| {
            let product = product32(s, a, b);
            let rest = s.word_arg(c);
            Value::U32(s.emit(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, &[Arg::Whole(product), rest]))
        }),
        Int::AddAdd => Three([add, add]),
        Int::MulHighU => {
            Made(|s, [a, b, _]| high_product(s, Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64, a, b))
        }
        Int::MulHighS => {
            Made(|s, [a, b, _]| high_product(s, Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64, a, b))
        }
        Int::AbsDiffU => Difference([max_u, min_u, sub]),
        Int::AbsDiffS => Difference([max_s, min_s, sub]),
        Int::Popc => Made(|s, [a, ..]| Value::U32(ones(s, a))),
        Int::Clz => One(Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32),
        Int::ExtractU(position, length) => Field([up, down_u], [32, position, length]),
        Int::ExtractS(position, length) => Field([up, down_s], [32, position, length]),
        Int::DivU => Made(|s, [a, b, _]| divided32(s, [a, b], false, Wanted::Quotient)),
        Int::DivS => Made(|s, [a, b, _]| divided32(s, [a, b], true, Wanted::Quotient)),
        Int::RemU => Made(|s, [a, b, _]| divided32(s, [a, b], false, Wanted::Remainder)),
        Int::RemS => Made(|s, [a, b, _]| divided32(s, [a, b], true, Wanted::Remainder)),
        Int::Brev => return None,
    })
}

/// On 64-bit numbers; none if there are no instructions.
pub(super) fn int64(int: Int) -> Option<Numbers> {
    use Numbers::{And, Difference, Field, Made, Shift, Three, Two};
    let add = Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
    let sub = Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64;
    let up = Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8;
    let [min_u, max_u] =
        [Code::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64];
    let [min_s, max_s] =
        [Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64];
    let [down_u, down_s] =
        [Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8];
    Some(match int {
        Int::Add => Two(add),
        Int::Sub => Two(sub),
        Int::And => And(Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64),
        Int::Or => Two(Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64),
        Int::Xor => Two(Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64),
        Int::MinU => Two(min_u),
        Int::MinS => Two(min_s),
        Int::MaxU => Two(max_u),
        Int::MaxS => Two(max_s),
        Int::Shl => Shift([up, Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64]),
        Int::Shr => Shift([down_u, Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64]),
        Int::Sar => Shift([down_s, Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64]),
        Int::Mul => Made(|s, [a, b, _]| Value::U64(product64(s, a, b))),
        Int::MulAdd => Made(|s, [a, b, c]| {
            let product = product64(s, a, b);
            let rest = s.wide(c);
            Value::U64(pairwise(s, Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, product, rest))
        }),
        Int::AddAdd => Three([add, add]),
        Int::AbsDiffU => Difference([max_u, min_u, sub]),
        Int::AbsDiffS => Difference([max_s, min_s, sub]),
        Int::Popc => Made(|s, [a, ..]| counted(s, ones_of_wides, a)),
        Int::Clz => Made(|s, [a, ..]| {
            counted(s, |s, half| s.emit(Code::EVEX_Vplzcntq_zmm_k1z_zmmm512b64, &[Arg::Whole(half)]), a)
        }),
        Int::ExtractU(position, length) => Field([up, down_u], [64, position, length]),
        Int::ExtractS(position, length) => Field([up, down_s], [64, position, length]),
        Int::DivU => Made(|s, [a, b, _]| divided64(s, [a, b], false, Wanted::Quotient)),
        Int::DivS => Made(|s, [a, b, _]| divided64(s, [a, b], true, Wanted::Quotient)),
        Int::RemU => Made(|s, [a, b, _]| divided64(s, [a, b], false, Wanted::Remainder)),
        Int::RemS => Made(|s, [a, b, _]| divided64(s, [a, b], true, Wanted::Remainder)),
        Int::MulHighU | Int::MulHighS | Int::Brev => return None,
    })
}

/// Adds an operation on 32-bit numbers.
pub(super) fn words(s: &mut Lowering, numbers: Numbers, [a, b, c]: [Place; 3]) -> Value {
    Value::U32(match numbers {
        Numbers::Made(make) => return make(s, [a, b, c]),
        Numbers::One(code) => {
            let value = s.word_arg(a);
            s.emit(code, &[value])
        }
        Numbers::Two(code) => {
            let first = s.word(a);
            let second = s.word_arg(b);
            s.emit(code, &[Arg::Whole(first), second])
        }
        Numbers::And(code) => conjunction(s, code, a, b),
        Numbers::Three([inner, outer]) => {
            let first = s.word(a);
            let second = s.word_arg(b);
            let both = s.emit(inner, &[Arg::Whole(first), second]);
            let rest = s.word_arg(c);
            s.emit(outer, &[Arg::Whole(both), rest])
        }
        Numbers::Shift([by_constant, by_lane]) => match s.constant(b) {
            Some(by) => {
                let value = s.word_arg(a);
                shifted(s, by_constant, value, by.min(255) as u8)
            }
            None => {
                let first = s.word(a);
                let second = s.word_arg(b);
                s.emit(by_lane, &[Arg::Whole(first), second])
            }
        },
        Numbers::Difference(codes) => difference(s, codes, a, b),
        Numbers::Field(codes, field) => {
            let value = s.word_arg(a);
            extract(s, codes, value, field)
        }
    })
}

/// Adds an operation on 64-bit numbers.
pub(super) fn wides(s: &mut Lowering, numbers: Numbers, [a, b, c]: [Place; 3]) -> Value {
    Value::U64(match numbers {
        Numbers::Made(make) => return make(s, [a, b, c]),
        Numbers::One(code) => s.wide(a).map(|half| s.emit(code, &[Arg::Whole(half)])),
        Numbers::Two(code) => {
            let (x, y) = (s.wide(a), s.wide(b));
            pairwise(s, code, x, y)
        }
        Numbers::And(code) => {
            let (x, y) = (s.wide(a), s.wide(b));
            let result = pairwise(s, code, x, y);
            let constant = s.constant(a).or(s.constant(b));
            (0..2).for_each(|k| {
                s.ands.insert(result[k], (x[k], y[k], constant));
            });
            result
        }
        Numbers::Three([inner, outer]) => {
            let (x, y) = (s.wide(a), s.wide(b));
            let both = pairwise(s, inner, x, y);
            let rest = s.wide(c);
            pairwise(s, outer, both, rest)
        }
        Numbers::Shift(codes) => shift64(s, codes, a, b),
        Numbers::Difference(codes) => {
            let (x, y) = (s.wide(a), s.wide(b));
            from_fn(|k| difference_of(s, codes, x[k], y[k]))
        }
        Numbers::Field(codes, field) => s.wide(a).map(|half| extract(s, codes, Arg::Whole(half), field)),
    })
}

/// Bits that are in both; where one is a packed comparison, its mask alone chooses.
fn conjunction(s: &mut Lowering, code: Code, a: Place, b: Place) -> Reg {
    let first = s.word(a);
    let second = s.word_arg(b);
    let Arg::Whole(other) = second else { return s.emit(code, &[Arg::Whole(first), second]) };
    for (elements, other) in [(first, other), (other, first)] {
        if let Some((mask, code)) = s.spreads.get(&elements).copied() {
            return s.kept(code, &[Arg::Whole(other)], mask);
        }
    }
    let result = s.emit(code, &[Arg::Whole(first), second]);
    let constant = s.constant(a).or(s.constant(b));
    s.ands.insert(result, (first, other, constant));
    result
}

/// Counts of 64-bit numbers, which have 32 bits.
fn counted(s: &mut Lowering, count: fn(&mut Lowering, Reg) -> Reg, place: Place) -> Value {
    let counts = s.wide(place).map(|half| count(s, half));
    Value::U32(narrowed(s, counts, 0))
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
fn high_product(s: &mut Lowering, code: Code, a: Place, b: Place) -> Value {
    let (x, y) = (s.word(a), s.word(b));
    let down = Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8;
    let even = s.emit(code, &[Arg::Whole(x), Arg::Whole(y)]);
    let (odd_x, odd_y) = (shifted(s, down, Arg::Whole(x), 32), shifted(s, down, Arg::Whole(y), 32));
    let odd = s.emit(code, &[Arg::Whole(odd_x), Arg::Whole(odd_y)]);
    let even = shifted(s, down, Arg::Whole(even), 32);
    let upper = s.line(from_fn(|k| if k % 2 == 1 { u32::MAX } else { 0 }));
    let table = Arg::Number(0xca);
    let code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
    Value::U32(s.onto(code, upper, &[Arg::Whole(odd), Arg::Whole(even), table]))
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
