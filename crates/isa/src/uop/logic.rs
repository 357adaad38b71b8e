//! Operations on predicates.

use super::facts::AffineRule;
use super::{Facts, Type};

/// Operations on predicates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Logic {
    /// Both.
    And,
    /// Either.
    Or,
    /// One of the two.
    Xor,
    /// `a`, but not `b`.
    AndNot,
}

impl Logic {
    pub(super) const ALL: [Logic; 4] = [Logic::And, Logic::Or, Logic::Xor, Logic::AndNot];

    pub(super) const fn facts(self) -> Facts {
        let two = Facts::alike(2, Type::Pred).affine(AffineRule::Bitwise);
        match self {
            Logic::And | Logic::Or | Logic::Xor => two.commuting(),
            Logic::AndNot => two,
        }
    }

    /// Of predicates, 0 or 1 each.
    pub(super) fn eval(self, a: u64, b: u64) -> u64 {
        match self {
            Logic::And => a & b,
            Logic::Or => a | b,
            Logic::Xor => a ^ b,
            Logic::AndNot => a & !b & 1,
        }
    }
}
