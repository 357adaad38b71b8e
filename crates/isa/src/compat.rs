//! Which registers an operand accepts: PTX's rules of type agreement, once for all pages (manual, section 9.4 and readings of ptxas).

use crate::operand::{Immediate, TypeRule};
use crate::types::{Kind, Ty};

impl TypeRule {
    /// Whether a register declared as `register` fits an operand of type `want` under this rule.
    ///
    /// Sizes must agree. Integers and untyped registers mix freely; an untyped operand also takes floating-point
    /// registers; operands of packed elements take only untyped registers, as do bfloat16 and its kin. A register of two
    /// packed halves counts as 32 untyped bits, but not for `.f32`. Where a load, store or conversion allows it, the register may be wider, but for a
    /// floating-point operand only an untyped one.
    pub fn takes_register(self, want: Ty, register: Ty) -> bool {
        if want.kind == Kind::Predicate || register.kind == Kind::Predicate {
            return want.kind == register.kind;
        }
        if matches!(self, TypeRule::Pointer) {
            return register.is_integer() && register.lanes == 1 && matches!(register.width(), 32 | 64);
        }
        let wider = register.width() > want.width();
        let may_be_wider = matches!(self, TypeRule::AtLeast(_));
        if register.width() != want.width() && !(wider && may_be_wider) {
            return false;
        }
        let packed_halves = register.lanes == 2 && register.bits == 16;
        let untyped = register.kind == Kind::Untyped || packed_halves;
        match want.kind {
            Kind::Untyped => true,
            Kind::OtherFloat => register.kind == Kind::Untyped && !wider,
            _ if want.lanes > 1 => untyped || register == want,
            Kind::Unsigned | Kind::Signed if matches!(self, TypeRule::Is(_) | TypeRule::By(_)) => {
                register.is_integer() && !packed_halves
            }
            Kind::Unsigned | Kind::Signed => register.is_integer() || packed_halves,
            Kind::Float => register.kind == Kind::Untyped || (register == want && !wider),
            Kind::Predicate => false,
        }
    }
}

impl Immediate {
    /// Whether an integer constant may stand for an operand of type `want`: never for packed and floating-point types.
    pub fn takes_integer(self, want: Ty) -> bool {
        match self {
            Immediate::No => false,
            _ => want.lanes == 1 && (want.is_integer() || want.kind == Kind::Predicate),
        }
    }

    /// Whether a floating-point constant may stand for an operand of type `want`: for `.f32` and `.f64` where the manual
    /// takes numbers, and for untyped bits of the constant's own size (32 as `0f…`, else 64).
    pub fn takes_float(self, want: Ty) -> bool {
        let kind = match want.kind {
            Kind::Float => self == Immediate::Number,
            Kind::Untyped => matches!(self, Immediate::Number | Immediate::Integer),
            _ => false,
        };
        kind && want.lanes == 1 && matches!(want.bits, 32 | 64)
    }

    /// Whether a register may stand there too.
    pub fn takes_register(self) -> bool {
        !matches!(self, Immediate::Only(..) | Immediate::OneOf(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{Slot, Word};

    fn fits(rule: TypeRule, want: Word, register: Word) -> bool {
        rule.takes_register(want.ty().unwrap(), register.ty().unwrap())
    }

    #[test]
    fn integers_of_one_size_mix_and_sizes_never_do() {
        let of = TypeRule::Of(Slot::Type);
        assert!(
            fits(of, Word::U32, Word::S32)
                && fits(of, Word::S32, Word::B32)
                && fits(of, Word::U32, Word::F16x2)
        );
        assert!(
            !fits(of, Word::U32, Word::U64)
                && !fits(of, Word::U32, Word::F32)
                && !fits(of, Word::U16, Word::F16)
        );
    }

    #[test]
    fn untyped_operands_take_any_kind_and_fixed_ones_only_integers() {
        assert!(fits(TypeRule::Of(Slot::Type), Word::B32, Word::F32));
        assert!(!fits(TypeRule::Is(Word::U32), Word::U32, Word::F16x2));
    }

    #[test]
    fn packed_integers_need_untyped_registers() {
        let of = TypeRule::Of(Slot::Type);
        assert!(fits(of, Word::U16x2, Word::B32) && fits(of, Word::S16x2, Word::F16x2));
        assert!(!fits(of, Word::U16x2, Word::U32));
    }

    #[test]
    fn floats_need_their_own_size_or_untyped_bits() {
        let of = TypeRule::Of(Slot::Type);
        assert!(fits(of, Word::F32, Word::F32) && fits(of, Word::F32, Word::B32));
        assert!(!fits(of, Word::F32, Word::U32) && !fits(of, Word::F16x2, Word::F32));
        assert!(fits(of, Word::F16x2, Word::B32) && fits(of, Word::Bf16x2, Word::B32));
        assert!(fits(of, Word::F32x2, Word::B64) && !fits(of, Word::F32x2, Word::F64));
    }

    #[test]
    fn memory_accesses_take_wider_registers() {
        let at_least = TypeRule::AtLeast(Slot::Type);
        assert!(fits(at_least, Word::U8, Word::S64) && fits(at_least, Word::B8, Word::F32));
        assert!(fits(at_least, Word::F32, Word::B64) && !fits(at_least, Word::F32, Word::F64));
        assert!(!fits(at_least, Word::U16, Word::F32) && fits(at_least, Word::B64, Word::B128));
    }
}
