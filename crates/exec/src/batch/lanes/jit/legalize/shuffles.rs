//! Lanes in another order: halves of 64-bit values, half-words.

use super::Legalizer;
use crate::batch::lanes::jit::machine::{Arg, Instr, Reg};
use iced_x86::Code;
use std::array::from_fn;

/// What an instruction becomes, if it is one of these.
pub(super) fn made(s: &mut Legalizer, instr: &Instr) -> Option<Reg> {
    match instr.code {
        Code::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32 => {
            let places = *s.body.line_of(instr.from[0]?.reg()?)?;
            let half = (0..2).find(|half| places == from_fn(|k| 2 * k as u32 + half))?;
            let pair = [instr.onto?, s.reg(instr.from[1]?)?];
            Some(s.narrowed(pair, half as u8))
        }
        Code::EVEX_Vpmovdw_ymmm256_k1z_zmm => {
            let (value, low_half) = (s.reg(instr.from[0]?)?, s.words(0xffff));
            let halves = s.emit(Code::VEX_Vpand_ymm_ymm_ymmm256, [value, low_half]);
            let packed = s.emit(Code::VEX_Vpackusdw_ymm_ymm_ymmm256, [halves; 2]);
            Some(permuted_wides(s, packed))
        }
        _ => None,
    }
}

/// The first and the third 64 bits.
fn permuted_wides(s: &mut Legalizer, value: Reg) -> Reg {
    let from = [Some(Arg::Whole(value)), Some(Arg::Number(0xd8)), None];
    s.push(Code::VEX_Vpermq_ymm_ymmm256_imm8, None, &from, None)
}

impl Legalizer {
    /// The low or the high halves of 64-bit values.
    pub(super) fn narrowed(&mut self, pair: [Reg; 2], half: u8) -> Reg {
        let order = if half == 0 { 0x88 } else { 0xdd };
        let halves = self.emit_by(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, pair, order);
        permuted_wides(self, halves)
    }

    /// The upper half of a vector.
    pub(super) fn upper(&mut self, value: Reg) -> Reg {
        self.emit_by(Code::VEX_Vextracti128_xmmm128_ymm_imm8, [value], 1)
    }
}
