//! Bits: shifts with sign of 64 bits, functions of three operands, zeros above the highest 1.

use super::Legalizer;
use crate::batch::lanes::jit::machine::{Arg, Instr, Reg};
use iced_x86::Code;

const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
const AND_NOT: Code = Code::VEX_Vpandn_ymm_ymm_ymmm256;
const OR: Code = Code::VEX_Vpor_ymm_ymm_ymmm256;
const XOR: Code = Code::VEX_Vpxor_ymm_ymm_ymmm256;

/// What an instruction becomes, if it is one of these.
pub(super) fn made(s: &mut Legalizer, instr: &Instr) -> Option<Reg> {
    match instr.code {
        Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8 => {
            let value = s.reg(instr.from[0]?)?;
            let Some(Arg::Number(by)) = instr.from[1] else { return None };
            Some(signed(s, value, |s, value| s.emit_by(Code::VEX_Vpsrlq_ymm_ymm_imm8, [value], by)))
        }
        Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64 => {
            let [value, by] = s.both(instr)?;
            Some(signed(s, value, |s, value| s.emit(Code::VEX_Vpsrlvq_ymm_ymm_ymmm256, [value, by])))
        }
        Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8 => {
            let Some(Arg::Number(table)) = instr.from[2] else { return None };
            let operands = [instr.onto?, s.reg(instr.from[0]?)?, s.reg(instr.from[1]?)?];
            Some(ternary(s, table, operands))
        }
        Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32 => {
            let value = s.reg(instr.from[0]?)?;
            Some(leading_zeros(s, value))
        }
        Code::EVEX_Vplzcntq_zmm_k1z_zmmm512b64 => {
            let value = s.reg(instr.from[0]?)?;
            let counts = leading_zeros(s, value);
            let high = s.emit_by(Code::VEX_Vpsrlq_ymm_ymm_imm8, [counts], 32);
            // The low half counts where there is nothing in the high one.
            let all = s.wides(32);
            let nothing = s.emit(Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256, [high, all]);
            let (low_half, sum) = (s.wides(u64::from(u32::MAX)), Code::VEX_Vpaddq_ymm_ymm_ymmm256);
            let low = s.emit(AND, [counts, low_half]);
            let low = s.emit(AND, [low, nothing]);
            Some(s.emit(sum, [high, low]))
        }
        _ => None,
    }
}

/// A shift down with sign: what is negative is turned, moved and turned again.
fn signed(s: &mut Legalizer, value: Reg, down: impl Fn(&mut Legalizer, Reg) -> Reg) -> Reg {
    let zero = s.words(0);
    let sign = s.emit(Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256, [zero, value]);
    let turned = s.emit(XOR, [value, sign]);
    let moved = down(s, turned);
    s.emit(XOR, [moved, sign])
}

/// Zeros above the highest 1 of each word, by the exponent that it has as a number. What lies 8 bits below another 1 is taken away,
/// so that the number is not rounded up to the next power of two.
fn leading_zeros(s: &mut Legalizer, value: Reg) -> Reg {
    let down = Code::VEX_Vpsrld_ymm_ymm_imm8;
    let below = s.emit_by(down, [value], 8);
    let upper = s.emit(AND_NOT, [below, value]);
    let number = s.push(Code::VEX_Vcvtdq2ps_ymm_ymmm256, None, &[Some(Arg::Whole(upper)), None, None], None);
    let exponent = s.emit_by(down, [number], 23);
    // A negative number's sign lies above its exponent, so that less than nothing is left; of 0, more than there is.
    let (bias, all) = (s.words(127 + 31), s.words(32));
    let count = s.emit(Code::VEX_Vpsubusw_ymm_ymm_ymmm256, [bias, exponent]);
    s.emit(Code::VEX_Vpminsd_ymm_ymm_ymmm256, [count, all])
}

/// A function of two operands as a table: bit 2x + y says what it gives.
fn binary(s: &mut Legalizer, table: u8, [x, y]: [Reg; 2]) -> Reg {
    let negated = |s: &mut Legalizer, reg: Reg| {
        let ones = s.words(u32::MAX);
        s.emit(XOR, [reg, ones])
    };
    match table & 0xf {
        0b0000 => s.words(0),
        0b1111 => s.words(u32::MAX),
        0b1100 => x,
        0b1010 => y,
        0b1000 => s.emit(AND, [x, y]),
        0b0100 => s.emit(AND_NOT, [y, x]),
        0b0010 => s.emit(AND_NOT, [x, y]),
        0b1110 => s.emit(OR, [x, y]),
        0b0110 => s.emit(XOR, [x, y]),
        other => {
            let rest = binary(s, !other, [x, y]);
            negated(s, rest)
        }
    }
}

/// How many instructions a function of two operands takes.
fn cost(table: u8) -> u32 {
    match table & 0xf {
        0b0000 | 0b1111 | 0b1100 | 0b1010 => 0,
        0b1000 | 0b0100 | 0b0010 | 0b1110 | 0b0110 | 0b0011 | 0b0101 => 1,
        _ => 2,
    }
}

/// How a function of three operands is made of such of two.
#[derive(Clone, Copy)]
enum Way {
    /// The second function of the first one's result and of the operand that is left.
    Nested { left: usize, inner: u8, outer: u8 },
    /// Where the operand is 1, the second function is added to the first, without carries.
    Chosen { by: usize, first: u8, change: u8 },
}

/// The operands beside one of three.
fn others(operand: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][operand]
}

/// What a table gives for an operand's bit and the bits of the others.
fn entry(table: u8, operand: usize, bit: u8, [x, y]: [u8; 2]) -> u8 {
    let [first, second] = others(operand);
    let at = bit << (2 - operand) | x << (2 - first) | y << (2 - second);
    table >> at & 1
}

/// A function of two operands: what a table gives where the third is such.
fn part(table: u8, operand: usize, bit: u8) -> u8 {
    (0..4).map(|k| entry(table, operand, bit, [k >> 1, k & 1]) << k).sum()
}

/// The ways to make a function, with how many instructions each takes.
fn ways(table: u8) -> impl Iterator<Item = (u32, Way)> {
    let nested = (0..3).flat_map(move |left| {
        (0..16u8).flat_map(move |inner| (0..16u8).map(move |outer| (left, inner, outer))).filter_map(
            move |(left, inner, outer)| {
                let gives = |bit: u8, k: u8| outer >> (2 * (inner >> k & 1) + bit) & 1;
                let fits =
                    (0..2u8).all(|bit| (0..4).all(|k| gives(bit, k) == part(table, left, bit) >> k & 1));
                fits.then_some((cost(inner) + cost(outer), Way::Nested { left, inner, outer }))
            },
        )
    });
    let chosen = (0..3).map(move |by| {
        let (first, change) = (part(table, by, 0), part(table, by, 0) ^ part(table, by, 1));
        (cost(first) + cost(change) + 2, Way::Chosen { by, first, change })
    });
    nested.chain(chosen)
}

/// A function of three operands by the least instructions: bit 4a + 2b + c of the table says what it gives.
fn ternary(s: &mut Legalizer, table: u8, operands: [Reg; 3]) -> Reg {
    let [a, b, c] = operands;
    // Lanes of a constant that are all ones or 0 are chosen in one instruction.
    if let (0xca, Some(line)) = (table, s.body.line_of(a))
        && line.iter().all(|word| [0, u32::MAX].contains(word))
    {
        let lanes = (0..8).map(|k| u8::from(line[k] != 0) << k).sum();
        return s.emit_by(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, [c, b], lanes);
    }
    let best = ways(table).min_by_key(|(cost, _)| *cost).map(|(_, way)| way);
    match best.unwrap_or(Way::Chosen {
        by: 0,
        first: part(table, 0, 0),
        change: part(table, 0, 0) ^ part(table, 0, 1),
    }) {
        Way::Nested { left, inner, outer } => {
            let inner = binary(s, inner, others(left).map(|k| operands[k]));
            binary(s, outer, [inner, operands[left]])
        }
        Way::Chosen { by, first, change } => {
            let pair = others(by).map(|k| operands[k]);
            let first = binary(s, first, pair);
            let change = binary(s, change, pair);
            let change = s.emit(AND, [change, operands[by]]);
            s.emit(XOR, [first, change])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_three_operands_has_a_way_that_gives_it() {
        for table in 0..=u8::MAX {
            let (cost, _) = ways(table).min_by_key(|(cost, _)| *cost).expect("a way");
            assert!(cost <= 6, "{table:#x} takes {cost}");
            for (_, way) in ways(table) {
                for at in 0..8u8 {
                    let bits = [at >> 2 & 1, at >> 1 & 1, at & 1];
                    let of = |table: u8, [x, y]: [u8; 2]| table >> (2 * x + y) & 1;
                    let got = match way {
                        Way::Nested { left, inner, outer } => {
                            of(outer, [of(inner, others(left).map(|k| bits[k])), bits[left]])
                        }
                        Way::Chosen { by, first, change } => {
                            let pair = others(by).map(|k| bits[k]);
                            of(first, pair) ^ of(change, pair) & bits[by]
                        }
                    };
                    assert_eq!(got, table >> at & 1, "{table:#x} at {at}");
                }
            }
        }
    }

    #[test]
    fn what_cryptography_uses_takes_few() {
        let least = |table: u8| ways(table).map(|(cost, _)| cost).min();
        // Exclusive or of three, choice, majority.
        assert_eq!([0x96, 0xca, 0xe8].map(least), [Some(2), Some(3), Some(4)]);
    }
}
