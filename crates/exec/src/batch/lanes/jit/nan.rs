//! NaN as PTX has it and as the machine does: raw results of `.f32`, the same with PTX's one NaN, comparisons.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::lowering::Lowering;
use crate::batch::lanes::jit::machine::{Arg, Reg};
use crate::batch::lanes::jit::values::words;
use iced_x86::Code;

/// The numbers of comparisons in instructions that hold for no NaN: greater, at least, less, unequal; and that neither, or either, is one.
pub(super) const GREATER: u8 = 0x1e;
pub(super) const AT_LEAST: u8 = 0x1d;
pub(super) const LESS: u8 = 0x11;
pub(super) const UNEQUAL: u8 = 0x0c;
pub(super) const ORDERED: u8 = 0x07;
pub(super) const UNORDERED: u8 = 0x03;

pub(super) const COMPARE: Code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
pub(super) const COMPARE_WIDE: Code = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
/// Puts in the place of a value what the class of another says.
pub(super) const FIX_UP: Code = Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae;

/// What an instruction of `.f32` reads at a place: any NaN will do.
pub(super) fn raw(s: &mut Lowering, place: Place) -> Reg {
    let reg = s.word(place);
    s.raws.get(&reg).copied().unwrap_or(reg)
}

/// The same as an operand: in memory where it is read but once.
pub(super) fn raw_arg(s: &mut Lowering, place: Place) -> Arg {
    match s.word_arg(place) {
        Arg::Whole(reg) => Arg::Whole(s.raws.get(&reg).copied().unwrap_or(reg)),
        arg => arg,
    }
}

/// A raw result with PTX's NaN.
pub(super) fn canonical(s: &mut Lowering, raw: Reg) -> Reg {
    // By class: NaNs leave the place of the result as it is, anything else goes there.
    const CLASSES: u32 = 0x1111_1100;
    let (nan, classes) = (words(s, 0x7fff_ffff), words(s, CLASSES));
    let result = s.onto(FIX_UP, nan, &[Arg::Whole(raw), Arg::Whole(classes), Arg::Number(0)]);
    s.raws.insert(result, raw);
    result
}

/// The same of any bits, which are no result: a NaN among them may signal.
pub(super) fn canonical_of_bits(s: &mut Lowering, bits: Reg) -> Reg {
    s.signalling.insert(bits);
    canonical(s, bits)
}

/// Any bits with PTX's NaN, which results have.
pub(super) fn one_nan(s: &mut Lowering, place: Place) -> Reg {
    let reg = s.word(place);
    match s.raws.get(&reg).copied() {
        Some(raw) => canonical(s, raw),
        None => canonical_of_bits(s, reg),
    }
}

/// Whether the operands of an instruction are in the same order as numbers; of NaNs, none is.
pub(super) fn compared(s: &mut Lowering, code: Code, [a, b]: [Reg; 2], number: u8) -> Reg {
    s.emit(code, &[Arg::Whole(a), Arg::Whole(b), Arg::Number(number)])
}
