//! Numbers of 64 bits: the greater, the lesser, and products.

use super::Legalizer;
use crate::batch::lanes::jit::machine::{Instr, Reg};
use iced_x86::Code;

/// What an instruction becomes, if it is one of these.
pub(super) fn made(s: &mut Legalizer, instr: &Instr) -> Option<Reg> {
    let (signed, greater) = match instr.code {
        Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64 => (true, false),
        Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64 => (true, true),
        Code::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64 => (false, false),
        Code::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64 => (false, true),
        Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64 => {
            let [a, b] = s.both(instr)?;
            return Some(product(s, a, b));
        }
        _ => return None,
    };
    let [a, b] = s.both(instr)?;
    let compare = Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256;
    let a_is_greater = if signed {
        s.emit(compare, [a, b])
    } else {
        let sign = s.wides(1 << 63);
        let turned = [a, b].map(|value| s.emit(Code::VEX_Vpxor_ymm_ymm_ymmm256, [value, sign]));
        s.emit(compare, turned)
    };
    let (no, yes) = if greater { (b, a) } else { (a, b) };
    Some(s.chosen(no, yes, a_is_greater))
}

/// The low halves' product, and the products of a low and a high half moved up.
fn product(s: &mut Legalizer, a: Reg, b: Reg) -> Reg {
    let (multiply, add) = (Code::VEX_Vpmuludq_ymm_ymm_ymmm256, Code::VEX_Vpaddq_ymm_ymm_ymmm256);
    let low = s.emit(multiply, [a, b]);
    let [high_a, high_b] = [a, b].map(|value| s.emit_by(Code::VEX_Vpsrlq_ymm_ymm_imm8, [value], 32));
    let crossed = [s.emit(multiply, [high_a, b]), s.emit(multiply, [a, high_b])];
    let crossed = s.emit(add, crossed);
    let crossed = s.emit_by(Code::VEX_Vpsllq_ymm_ymm_imm8, [crossed], 32);
    s.emit(add, [low, crossed])
}
