//! Comparisons: what they become, bit tests among them.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::lowering::Lowering;
use crate::batch::lanes::jit::machine::{Arg, Reg};
use iced_x86::Code;
use margay_isa::uop::Cmp;
use std::array::from_fn;

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
fn test(s: &Lowering, cmp: Cmp, value: Reg, constant: u64) -> Option<([Arg; 2], bool)> {
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

pub(super) fn compare32(s: &mut Lowering, cmp: Cmp, a: Place, b: Place) -> Reg {
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

pub(super) fn compare64(s: &mut Lowering, cmp: Cmp, a: Place, b: Place) -> [Reg; 2] {
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
