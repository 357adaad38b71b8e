//! What is made of values everywhere: numbers in all lanes, values moved by bits, longer and shorter ones.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::lowering::Lowering;
use crate::batch::lanes::jit::machine::{Arg, Reg};
use iced_x86::Code;
use std::array::from_fn;

/// A number in all lanes.
pub(super) fn words(s: &mut Lowering, bits: u32) -> Reg {
    s.line([bits; 16])
}

/// The same of 64 bits.
pub(super) fn wides(s: &mut Lowering, bits: u64) -> Reg {
    s.line(from_fn(|k| if k % 2 == 0 { bits as u32 } else { (bits >> 32) as u32 }))
}

/// An instruction on two registers.
pub(super) fn two(s: &mut Lowering, code: Code, a: Reg, b: Reg) -> Reg {
    s.emit(code, &[a, b].map(Arg::Whole))
}

/// A value moved by a number of bits.
pub(super) fn shifted(s: &mut Lowering, code: Code, value: Arg, by: u8) -> Reg {
    s.emit(code, &[value, Arg::Number(by)])
}

/// An instruction on both halves.
pub(super) fn pairwise(s: &mut Lowering, code: Code, x: [Reg; 2], y: [Reg; 2]) -> [Reg; 2] {
    from_fn(|k| s.emit(code, &[Arg::Whole(x[k]), Arg::Whole(y[k])]))
}

/// 32-bit values as 64-bit ones.
pub(super) fn widened(s: &mut Lowering, place: Place, signed: bool) -> [Reg; 2] {
    let code = match signed {
        true => Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256,
        false => Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256,
    };
    widened_by(s, place, code)
}

/// The same by an instruction for each half of them.
pub(super) fn widened_by(s: &mut Lowering, place: Place, code: Code) -> [Reg; 2] {
    let word = s.word(place);
    let first = s.emit(code, &[Arg::Lower(word)]);
    if place.step() == 0 {
        return [first; 2];
    }
    let upper = s.emit(Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, &[Arg::Whole(word), Arg::Number(1)]);
    [first, s.emit(code, &[Arg::Lower(upper)])]
}

/// The low or the high halves of 64-bit values.
pub(super) fn narrowed(s: &mut Lowering, [first, second]: [Reg; 2], half: u32) -> Reg {
    let places = s.line(from_fn(|k| 2 * k as u32 + half));
    s.onto(Code::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32, first, &[Arg::Whole(places), Arg::Whole(second)])
}

/// Two lower halves of vectors as one vector.
pub(super) fn joined(s: &mut Lowering, [low, high]: [Reg; 2]) -> Reg {
    let code = Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
    s.emit(code, &[Arg::Whole(low), Arg::Lower(high), Arg::Number(1)])
}
