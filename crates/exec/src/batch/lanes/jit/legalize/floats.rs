//! Floating point: PTX's NaN, the lesser and the greater, and conversions between integers and numbers.

use super::Legalizer;
use crate::batch::lanes::jit::machine::{Arg, Instr, Reg};
use iced_x86::Code;

const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
const OR: Code = Code::VEX_Vpor_ymm_ymm_ymmm256;
const XOR: Code = Code::VEX_Vpxor_ymm_ymm_ymmm256;
const DOWN_WIDE: Code = Code::VEX_Vpsrlq_ymm_ymm_imm8;
const COMPARE: Code = Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
const COMPARE_WIDE: Code = Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8;
const ADD_WIDE: Code = Code::VEX_Vaddpd_ymm_ymm_ymmm256;
const SUB_WIDE: Code = Code::VEX_Vsubpd_ymm_ymm_ymmm256;
const UNORDERED: u8 = 0x03;
const AT_LEAST: u8 = 0x1d;

/// 2^52: a double precision number whose lowest bit counts ones.
const ONES: u64 = 0x4330 << 48;
/// 2^32 and what it is divided by.
const UP: u64 = (1023 + 32) << 52;
const DOWN: u64 = (1023 - 32) << 52;

/// What an instruction becomes, if it is one of these.
pub(super) fn made(s: &mut Legalizer, instr: &Instr) -> Option<Reg> {
    let value = |s: &mut Legalizer| s.reg(instr.from[0]?);
    Some(match instr.code {
        // Where it is not a number, PTX's NaN, which lies in the place of the result.
        Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae => {
            let value = value(s)?;
            let is_nan = s.emit_by(COMPARE, [value; 2], UNORDERED);
            s.chosen(value, instr.onto?, is_nan)
        }
        Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae => {
            let codes = [Code::VEX_Vminps_ymm_ymm_ymmm256, Code::VEX_Vmaxps_ymm_ymm_ymmm256];
            extreme(s, instr, codes)?
        }
        Code::EVEX_Vrangepd_zmm_k1z_zmm_zmmm512b64_imm8_sae => {
            let codes = [Code::VEX_Vminpd_ymm_ymm_ymmm256, Code::VEX_Vmaxpd_ymm_ymm_ymmm256];
            extreme(s, instr, codes)?
        }
        // The high and the low half by themselves are exact, so that one instruction rounds their sum.
        Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er => {
            let (value, low_half, up) = (value(s)?, s.words(0xffff), s.words((127 + 16) << 23));
            let high = s.emit_by(Code::VEX_Vpsrld_ymm_ymm_imm8, [value], 16);
            let low = s.emit(AND, [value, low_half]);
            let [high, low] = [high, low].map(|half| one(s, Code::VEX_Vcvtdq2ps_ymm_ymmm256, half));
            fused(s, Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256, low, [high, up])
        }
        Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er => {
            let value = value(s)?;
            let wide = s.widened(Code::VEX_Vpmovzxdq_ymm_xmmm128, value);
            small(s, wide)
        }
        Code::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er => {
            let value = value(s)?;
            let high = s.emit_by(DOWN_WIDE, [value], 32);
            let high = small(s, high);
            joined(s, value, high)
        }
        Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er => {
            let (value, sign) = (value(s)?, s.wides(1 << 31));
            let high = s.emit_by(DOWN_WIDE, [value], 32);
            let high = s.emit(XOR, [high, sign]);
            let ones = s.wides(ONES);
            let high = s.emit(OR, [high, ones]);
            let bias = s.wides(ONES | 1 << 31);
            let high = s.emit(SUB_WIDE, [high, bias]);
            joined(s, value, high)
        }
        Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae => {
            let value = value(s)?;
            single_to_unsigned(s, value)
        }
        Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae => {
            let (value, most, ones) = (value(s)?, s.wides(f64::from(u32::MAX).to_bits()), s.wides(ONES));
            let whole = truncated(s, value);
            let whole = s.emit(Code::VEX_Vminpd_ymm_ymm_ymmm256, [whole, most]);
            let bits = s.emit(ADD_WIDE, [whole, ones]);
            s.narrowed([bits; 2], 0)
        }
        Code::EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae => {
            let (value, limit) = (value(s)?, s.wides(18446744073709551616f64.to_bits()));
            let whole = truncated(s, value);
            let (high, low) = halves(s, whole);
            let bits = s.wides(ONES);
            let result = packed(s, high, low, bits);
            let beyond = s.emit_by(COMPARE_WIDE, [value, limit], AT_LEAST);
            s.emit(OR, [result, beyond])
        }
        // What is below all numbers becomes the least one; what is above, something that is not read.
        Code::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae => {
            let (value, least) = (value(s)?, s.wides((-9223372036854775808f64).to_bits()));
            let whole = truncated(s, value);
            let whole = s.emit(Code::VEX_Vmaxpd_ymm_ymm_ymmm256, [whole, least]);
            let (high, low) = halves(s, whole);
            // With 2^51 more, negative numbers have their bits, too.
            let bits = s.wides(ONES | 1 << 51);
            packed(s, high, low, bits)
        }
        _ => return None,
    })
}

/// The lesser or the greater of two numbers; of zeros, -0 is the lesser. The machine takes its second operand where the two are equal.
fn extreme(s: &mut Legalizer, instr: &Instr, codes: [Code; 2]) -> Option<Reg> {
    let [a, b] = s.both(instr)?;
    let Some(Arg::Number(number)) = instr.from[2] else { return None };
    let greater = number & 1 == 1;
    let code = codes[usize::from(greater)];
    let both = [s.emit(code, [a, b]), s.emit(code, [b, a])];
    Some(s.emit(if greater { AND } else { OR }, both))
}

fn one(s: &mut Legalizer, code: Code, value: Reg) -> Reg {
    s.push(code, None, &[Some(Arg::Whole(value)), None, None], None)
}

fn fused(s: &mut Legalizer, code: Code, sum: Reg, factors: [Reg; 2]) -> Reg {
    let [a, b] = factors.map(|factor| Some(Arg::Whole(factor)));
    s.push(code, Some(sum), &[a, b, None], None)
}

/// Integers below 2^32 in 64 bits, as numbers.
fn small(s: &mut Legalizer, value: Reg) -> Reg {
    let ones = s.wides(ONES);
    let number = s.emit(OR, [value, ones]);
    s.emit(SUB_WIDE, [number, ones])
}

/// The number of 64 bits whose high half is a number already; its low one is exact, so one instruction rounds the sum.
fn joined(s: &mut Legalizer, value: Reg, high: Reg) -> Reg {
    let low_half = s.wides(u64::from(u32::MAX));
    let low = s.emit(AND, [value, low_half]);
    let low = small(s, low);
    let up = s.wides(UP);
    fused(s, Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256, low, [high, up])
}

fn truncated(s: &mut Legalizer, value: Reg) -> Reg {
    s.push(
        Code::VEX_Vroundpd_ymm_ymmm256_imm8,
        None,
        &[Some(Arg::Whole(value)), Some(Arg::Number(11)), None],
        None,
    )
}

/// A whole number as multiples of 2^32 and the rest, from 0 on; both are exact.
fn halves(s: &mut Legalizer, whole: Reg) -> (Reg, Reg) {
    let (down, up) = (s.wides(DOWN), s.wides(UP));
    let high = s.emit(Code::VEX_Vmulpd_ymm_ymm_ymmm256, [whole, down]);
    let from = [Some(Arg::Whole(high)), Some(Arg::Number(9)), None];
    let high = s.push(Code::VEX_Vroundpd_ymm_ymmm256_imm8, None, &from, None);
    let low = fused(s, Code::VEX_Vfnmadd231pd_ymm_ymm_ymmm256, whole, [high, up]);
    (high, low)
}

/// The bits of both halves, which are the lowest where a great number has been added.
fn packed(s: &mut Legalizer, high: Reg, low: Reg, great: Reg) -> Reg {
    let [high, low] = [high, low].map(|half| s.emit(ADD_WIDE, [half, great]));
    let high = s.emit_by(Code::VEX_Vpsllq_ymm_ymm_imm8, [high], 32);
    s.emit_by(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, [high, low], 0x55)
}

/// Numbers from 2^31 on are converted after 2^31 has been taken away; from 2^32 on all bits are 1.
fn single_to_unsigned(s: &mut Legalizer, value: Reg) -> Reg {
    let convert = Code::VEX_Vcvttps2dq_ymm_ymmm256;
    let (half, limit) = (s.words(0x4f00_0000), s.words(0x4f80_0000));
    let small = one(s, convert, value);
    let less = s.emit(Code::VEX_Vsubps_ymm_ymm_ymmm256, [value, half]);
    let great = one(s, convert, less);
    // What the machine cannot convert has the sign alone, which these numbers have.
    let is_great = s.emit_by(Code::VEX_Vpsrad_ymm_ymm_imm8, [small], 31);
    let great = s.emit(AND, [great, is_great]);
    let result = s.emit(OR, [small, great]);
    let beyond = s.emit_by(COMPARE, [value, limit], AT_LEAST);
    s.emit(OR, [result, beyond])
}
