//! Which registers an operand accepts: PTX's rules of type agreement, once for all pages (manual, section 9.4 and readings of ptxas).

use crate::page::TypeRule;
use crate::types::{Kind, Ty};

impl TypeRule {
    /// Whether a register declared as `register` fits an operand of type `want` under this rule.
    ///
    /// Sizes must agree. Integers and untyped registers mix freely; an untyped operand also takes floating-point
    /// registers; operands of packed integers take only untyped registers. A register of two packed halves counts as 32 bits.
    /// Where a load, store or conversion allows it, the register may be wider.
    pub fn takes_register(self, want: Ty, register: Ty) -> bool {
        if want.kind == Kind::Predicate || register.kind == Kind::Predicate {
            return want.kind == register.kind;
        }
        let wider = matches!(self, TypeRule::AtLeast(_)) && register.width() > want.width();
        if register.width() != want.width() && !wider {
            return false;
        }
        if matches!(self, TypeRule::SizeOf(_)) {
            return true;
        }
        let packed_halves = register.lanes == 2;
        match want.kind {
            Kind::Unsigned | Kind::Signed if want.lanes > 1 => {
                register.kind == Kind::Untyped || packed_halves
            }
            Kind::Unsigned | Kind::Signed if matches!(self, TypeRule::Is(_)) => {
                register.is_integer() && !packed_halves
            }
            Kind::Unsigned | Kind::Signed => register.is_integer() || packed_halves,
            Kind::Untyped => true,
            Kind::Float | Kind::OtherFloat => register.kind == want.kind || register.kind == Kind::Untyped,
            Kind::Predicate => false,
        }
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
}
