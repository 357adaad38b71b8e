//! Packed bytes and half-words: what their operations become, sums over them.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::integers::{difference, difference_of};
use crate::batch::lanes::jit::lowering::{Chain, Lowering};
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::values::shifted;
use iced_x86::Code;
use margay_isa::uop::{Dot, Packed};
use std::array::from_fn;

/// Products of bytes and of half-words, added to a sum.
pub(super) const DOT: Code = Code::EVEX_Vpdpbusd_zmm_k1z_zmm_zmmm512b32;
pub(super) const DOT_OF_HALVES: Code = Code::EVEX_Vpdpwssd_zmm_k1z_zmm_zmmm512b32;

/// What an operation on packed elements becomes: a simple instruction, or what is made of some.
#[derive(Clone, Copy)]
pub(super) enum Elements {
    Simple(Code),
    /// Greater, lesser, difference.
    Difference([Code; 3]),
    /// A comparison, and how masks become elements.
    Compare(Code, u8, Code),
    /// Half of a sum with sign: what halves sums without sign, compares with 0, and takes away; an element's sign and 1.
    Average([Code; 3], [u32; 2]),
}

/// Adds an operation on packed elements.
pub(super) fn packed(s: &mut Lowering, elements: Elements, a: Place, b: Place) -> Reg {
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

pub(super) fn bytes(operation: Packed) -> Elements {
    use Elements::{Average, Compare, Difference, Simple};
    let spread = Code::EVEX_Vpmovm2b_zmm_kr;
    let sub = Code::EVEX_Vpsubb_zmm_k1z_zmm_zmmm512;
    let unsigned = [Code::EVEX_Vpmaxub_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminub_zmm_k1z_zmm_zmmm512];
    let signed = [Code::EVEX_Vpmaxsb_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminsb_zmm_k1z_zmm_zmmm512];
    match operation {
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
    }
}

pub(super) fn halves(operation: Packed) -> Elements {
    use Elements::{Average, Compare, Difference, Simple};
    let spread = Code::EVEX_Vpmovm2w_zmm_kr;
    let sub = Code::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512;
    let unsigned = [Code::EVEX_Vpmaxuw_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminuw_zmm_k1z_zmm_zmmm512];
    let signed = [Code::EVEX_Vpmaxsw_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminsw_zmm_k1z_zmm_zmmm512];
    match operation {
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
    }
}

/// Sums over packed elements by VNNI, which multiplies bytes without sign by bytes with sign, and half-words with sign.
pub(super) fn dot(s: &mut Lowering, sum: Dot, [a, b, c]: [Place; 3]) -> Reg {
    if !s.body.machine.has(DOT) {
        return dot_by_halves(s, sum, [a, b, c]);
    }
    let (x, y, rest) = (s.word(a), s.word(b), s.word(c));
    let [unit, high] = [0x0101_0101, 0x8080_8080].map(|word| [word; 16]);
    match sum {
        Dot::Bytes(false, true) => grown(s, DOT, rest, [x, y], None),
        Dot::Bytes(true, false) => grown(s, DOT, rest, [y, x], None),
        // One operand's sign is turned, and 128 times the sum of the other is taken away, or added, apart.
        Dot::Bytes(signed, _) => {
            let high = s.line(high);
            let xor = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
            let (turned, other) = if signed { (x, y) } else { (y, x) };
            let turned = s.emit(xor, &[Arg::Whole(turned), Arg::Whole(high)]);
            // As a byte without sign that is 128, as one with sign -128: both ways the sum is to be taken away.
            match signed {
                true => grown(s, DOT, rest, [turned, other], Some([high, other])),
                false => grown(s, DOT, rest, [other, turned], Some([other, high])),
            }
        }
        Dot::Halves(..) => grown(s, DOT_OF_HALVES, rest, [x, y], None),
        Dot::AbsDiffBytesU | Dot::AbsDiffBytesS => {
            let apart = difference_of(s, differences(sum == Dot::AbsDiffBytesS), x, y);
            let unit = s.line(unit);
            grown(s, DOT, rest, [apart, unit], None)
        }
    }
}

/// The same without VNNI: products of half-words, of which two neighbours are added.
fn dot_by_halves(s: &mut Lowering, sum: Dot, [a, b, c]: [Place; 3]) -> Reg {
    let multiply = Code::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512;
    let (x, y, rest) = (s.word(a), s.word(b), s.word(c));
    let products = match sum {
        Dot::Bytes(x_signed, y_signed) => {
            let (x, y) = (half_words(s, x, x_signed), half_words(s, y, y_signed));
            from_fn(|k| Some(s.emit(multiply, &[x[k], y[k]].map(Arg::Whole))))
        }
        Dot::Halves(..) => [Some(s.emit(multiply, &[x, y].map(Arg::Whole))), None],
        // Two differences of bytes and a sum of two of them fit half-words.
        Dot::AbsDiffBytesU | Dot::AbsDiffBytesS => {
            let apart = difference_of(s, differences(sum == Dot::AbsDiffBytesS), x, y);
            let (bytes, halves) = (s.line([0x0101_0101; 16]), s.line([0x0001_0001; 16]));
            let code = Code::EVEX_Vpmaddubsw_zmm_k1z_zmm_zmmm512;
            let pairs = s.emit(code, &[apart, bytes].map(Arg::Whole));
            [Some(s.emit(multiply, &[pairs, halves].map(Arg::Whole))), None]
        }
    };
    let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
    products.into_iter().flatten().fold(rest, |sum, more| s.emit(add, &[sum, more].map(Arg::Whole)))
}

/// The bytes of even places as half-words, and those of odd ones.
fn half_words(s: &mut Lowering, value: Reg, signed: bool) -> [Reg; 2] {
    if let Some(known) = s.half_words.get(&(value, signed)) {
        return *known;
    }
    let up = Code::EVEX_Vpsllw_zmm_k1z_zmmm512_imm8;
    let [even, odd] = if signed {
        let down = Code::EVEX_Vpsraw_zmm_k1z_zmmm512_imm8;
        let moved = shifted(s, up, Arg::Whole(value), 8);
        [moved, value].map(|bytes| shifted(s, down, Arg::Whole(bytes), 8))
    } else {
        let low = s.line([0x00ff_00ff; 16]);
        let even = s.emit(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, &[value, low].map(Arg::Whole));
        [even, shifted(s, Code::EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8, Arg::Whole(value), 8)]
    };
    s.half_words.insert((value, signed), [even, odd]);
    [even, odd]
}

/// What makes the differences of bytes, with sign or without.
fn differences(signed: bool) -> [Code; 3] {
    let [greater, lesser] = match signed {
        false => [Code::EVEX_Vpmaxub_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminub_zmm_k1z_zmm_zmmm512],
        true => [Code::EVEX_Vpmaxsb_zmm_k1z_zmm_zmmm512, Code::EVEX_Vpminsb_zmm_k1z_zmm_zmmm512],
    };
    [greater, lesser, Code::EVEX_Vpsubb_zmm_k1z_zmm_zmmm512]
}

/// The sum of `rest` and of products, and of what is too much in them. A `rest` that is such a sum itself is not put together:
/// its parts go on growing.
fn grown(s: &mut Lowering, code: Code, rest: Reg, by: [Reg; 2], too_much: Option<[Reg; 2]>) -> Reg {
    let zero = s.line([0; 16]);
    let Chain { sums: [next, other], less } =
        s.dots.get(&rest).copied().unwrap_or(Chain { sums: [rest, zero], less: zero });
    let sums = [other, s.onto(code, next, &by.map(Arg::Whole))];
    let less = too_much.map_or(less, |by| s.onto(code, less, &by.map(Arg::Whole)));
    let mut result = sums[1];
    if sums[0] != zero {
        let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
        result = s.emit(add, &sums.map(Arg::Whole));
    }
    if less != zero {
        let sub = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
        result = s.emit(sub, &[result, less].map(Arg::Whole));
    }
    s.dots.insert(result, Chain { sums, less });
    result
}
