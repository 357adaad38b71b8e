//! Comparisons.

use super::facts::AffineRule;
use super::{Facts, Type};

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cmp {
    /// `a == b`.
    Eq,
    /// `a != b`.
    Ne,
    /// `a < b`, without sign.
    LtU,
    /// `a <= b`, without sign.
    LeU,
    /// `a < b`, with sign.
    LtS,
    /// `a <= b`, with sign.
    LeS,
}

impl Cmp {
    pub(super) const ALL: [Cmp; 6] = [Cmp::Eq, Cmp::Ne, Cmp::LtU, Cmp::LeU, Cmp::LtS, Cmp::LeS];

    /// What is known of it on numbers of a type.
    pub(super) const fn facts(self, ty: Type) -> Facts {
        let two = Facts { result: Type::Pred, ..Facts::alike(2, ty) }.affine(AffineRule::Comparison);
        match self {
            Cmp::Eq | Cmp::Ne => two.commuting(),
            Cmp::LtU | Cmp::LeU | Cmp::LtS | Cmp::LeS => two,
        }
    }

    pub(super) fn eval32(self, a: u32, b: u32) -> bool {
        match self {
            Cmp::Eq => a == b,
            Cmp::Ne => a != b,
            Cmp::LtU => a < b,
            Cmp::LeU => a <= b,
            Cmp::LtS => (a as i32) < b as i32,
            Cmp::LeS => a as i32 <= b as i32,
        }
    }

    pub(super) fn eval64(self, a: u64, b: u64) -> bool {
        match self {
            Cmp::Eq => a == b,
            Cmp::Ne => a != b,
            Cmp::LtU => a < b,
            Cmp::LeU => a <= b,
            Cmp::LtS => (a as i64) < b as i64,
            Cmp::LeS => a as i64 <= b as i64,
        }
    }
}
