//! Quotients and remainders of integers, by way of `.f64`.
//!
//! A quotient of 32-bit numbers that is not whole lies further below the next whole number than its nearest number of `.f64` is away
//! from it, so cutting that off is exact. Of 64-bit numbers a quotient is taken a little too small, twice, and mended by one.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::lowering::{Lowering, Value};
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::nan::compared;
use crate::batch::lanes::jit::values::{joined, pairwise, shifted, two, widened_by, wides, words};
use iced_x86::Code;
use std::array::from_fn;

const DIVIDE: Code = Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er;
const ADD: Code = Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
const SUB: Code = Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64;
const XOR: Code = Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64;
/// The number of a comparison in instructions: not more.
const AT_MOST: u8 = 2;

/// What is asked of a division.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Quotient,
    Remainder,
}

/// The quotient of 32-bit numbers, or what remains; all ones where the divisor is 0.
pub(super) fn divided32(s: &mut Lowering, [a, b]: [Place; 2], signed: bool, wanted: Wanted) -> Value {
    let (widen, cut) = match signed {
        true => (Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er, Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae),
        false => (Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er, Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae),
    };
    let [x, y] = [a, b].map(|place| widened_by(s, place, widen));
    let halves = pairwise(s, DIVIDE, x, y).map(|half| s.emit(cut, &[Arg::Whole(half)]));
    let quotient = joined(s, halves);
    let (dividend, divisor) = (s.word(a), s.word(b));
    let result = match wanted {
        Wanted::Quotient => quotient,
        Wanted::Remainder => {
            let product = two(s, Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, quotient, divisor);
            two(s, Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, dividend, product)
        }
    };
    if s.constant(b).is_some_and(|divisor| divisor != 0) {
        return Value::U32(result);
    }
    let nothing = two(s, Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, divisor, divisor);
    let ones = words(s, u32::MAX);
    let operands = [result, ones].map(Arg::Whole);
    Value::U32(s.blend(Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, &operands, nothing))
}

/// The same of 64-bit numbers.
pub(super) fn divided64(s: &mut Lowering, [a, b]: [Place; 2], signed: bool, wanted: Wanted) -> Value {
    let (x, y) = (s.wide(a), s.wide(b));
    Value::U64(from_fn(|k| match signed {
        false => unsigned(s, x[k], y[k], wanted),
        true => {
            let signs = [x[k], y[k]]
                .map(|value| shifted(s, Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8, Arg::Whole(value), 63));
            let [x, y] = [(x[k], signs[0]), (y[k], signs[1])].map(|(value, sign)| negated(s, value, sign));
            let size = unsigned(s, x, y, wanted);
            let sign = match wanted {
                Wanted::Quotient => two(s, XOR, signs[0], signs[1]),
                Wanted::Remainder => signs[0],
            };
            let result = negated(s, size, sign);
            without_divisor(s, result, y)
        }
    }))
}

/// The number itself, or if its sign's bits are all 1, 0 less that.
fn negated(s: &mut Lowering, value: Reg, sign: Reg) -> Reg {
    let turned = two(s, XOR, value, sign);
    two(s, SUB, turned, sign)
}

fn unsigned(s: &mut Lowering, x: Reg, y: Reg, wanted: Wanted) -> Reg {
    let multiply = Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64;
    let number = |s: &mut Lowering, value: Reg| {
        s.emit(Code::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er, &[Arg::Whole(value)])
    };
    let divisor = number(s, y);
    // So much less than 1 that no rounding makes a quotient too great, four of 2^-53 each.
    let less = wides(s, (1.0 - f64::EPSILON * 4.0).to_bits());
    let inverse = two(s, DIVIDE, less, divisor);
    let mut rest = x;
    // What remains after the first is at most 2^15 more than the divisor.
    let parts: [Reg; 2] = from_fn(|_| {
        let dividend = number(s, rest);
        let quotient = two(s, Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er, dividend, inverse);
        let part = s.emit(Code::EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae, &[Arg::Whole(quotient)]);
        let product = two(s, multiply, part, y);
        rest = two(s, SUB, rest, product);
        part
    });
    let more = compared(s, Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8, [y, rest], AT_MOST);
    let result = match wanted {
        Wanted::Quotient => {
            let sum = two(s, ADD, parts[0], parts[1]);
            let one = wides(s, 1);
            s.masked(ADD, sum, &[sum, one].map(Arg::Whole), more)
        }
        Wanted::Remainder => s.masked(SUB, rest, &[rest, y].map(Arg::Whole), more),
    };
    without_divisor(s, result, y)
}

/// All ones where the divisor is 0.
fn without_divisor(s: &mut Lowering, result: Reg, divisor: Reg) -> Reg {
    let nothing = two(s, Code::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64, divisor, divisor);
    let ones = wides(s, u64::MAX);
    let operands = [result, ones].map(Arg::Whole);
    s.blend(Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64, &operands, nothing)
}

#[cfg(test)]
mod tests {
    use crate::batch::lanes::random_runs::{GROUPS, Random};
    use crate::batch::lanes::{GROUP, Lines, Place, RunKind, Runs, Simd, VectorOp, VectorOps, What, width};
    use margay_isa::uop::{Int, Op, Type, eval};

    /// A number of any length.
    fn number(random: &mut Random) -> u64 {
        let bits = (random.next() >> 40) % 65;
        let ones = u64::MAX.checked_shr(64 - bits as u32).unwrap_or(0);
        match random.next() >> 61 {
            0 => ones,
            1 => ones.wrapping_add(1),
            _ => random.next() & ones,
        }
    }

    /// A dividend and a divisor whose quotient is whole, or nearly so, half of the time.
    fn operands(random: &mut Random) -> [u64; 2] {
        let (divisor, quotient) = (number(random), number(random));
        let near = [0, 1, divisor.wrapping_sub(1)][(random.next() >> 40) as usize % 3];
        let dividend = if random.next() >> 63 == 0 { number(random) } else { divisor.wrapping_mul(quotient) };
        let [dividend, divisor] = [dividend.wrapping_add(near), divisor];
        match random.next() >> 61 {
            0 => [dividend.wrapping_neg(), divisor],
            1 => [dividend, divisor.wrapping_neg()],
            _ => [dividend, divisor],
        }
    }

    #[test]
    fn quotients_and_remainders_are_those_of_single_values() {
        let ops = [Int::DivU, Int::DivS, Int::RemU, Int::RemS];
        let ops = ops.iter().flat_map(|int| [Op::Int32(*int), Op::Int64(*int)]);
        for (simd, op) in ops.flat_map(|op| Simd::available().iter().map(move |simd| (*simd, op))) {
            if !simd.compiles() {
                continue;
            }
            let (ty, stride) = (op.result(), width(op.result()));
            let [a, b, to] = [0, 32, 64].map(|line| Place { line, stride });
            let vector_op = VectorOp { what: What::Op(op), to, from: [a, b, a] };
            let runs = Runs { ranges: vec![(0..1, RunKind::Alone)], lasts: vec![true], ..Runs::default() };
            let vector_ops = VectorOps::new(96, GROUPS, vec![vector_op], runs);
            let mut lines = Lines::new(&vector_ops, simd, None);
            let mut random = Random(3);
            for _ in 0..400 {
                let mask = if ty == Type::U64 { u64::MAX } else { u64::from(u32::MAX) };
                let values: Vec<[u64; 2]> =
                    (0..GROUPS * GROUP).map(|_| operands(&mut random).map(|value| value & mask)).collect();
                for (t, [dividend, divisor]) in values.iter().enumerate() {
                    lines.set(ty, a, t, *dividend);
                    lines.set(ty, b, t, *divisor);
                }
                lines.run(0..1);
                for (t, [dividend, divisor]) in values.iter().enumerate() {
                    let wanted = eval(op, [*dividend, *divisor, 0]);
                    assert_eq!(lines.get(ty, to, t), wanted, "{simd}: {op:?} of {dividend:#x}, {divisor:#x}");
                }
            }
        }
    }
}
