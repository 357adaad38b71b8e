//! What engines must know of an operation beside what it computes.

use super::Type;

/// What is known of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The types of the operands.
    pub operands: &'static [Type],
    /// The type of the result.
    pub result: Type,
    /// Whether the first two operands may change places.
    pub commutes: bool,
    /// What becomes of affine operands.
    pub affine: AffineRule,
}

/// What an operation makes of affine operands: of numbers that are a base plus, along each axis of the block, the thread's
/// place times a step. Where it asks for operands that are the same in all threads and they are not, its result is not affine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AffineRule {
    /// Nothing that is affine.
    Never,
    /// The operand, cut to the type of the result.
    Same,
    /// `a + b`.
    Sum,
    /// `a - b`.
    Difference,
    /// `a + b + c`.
    SumOfThree,
    /// `a * b`, one of which is the same in all threads.
    Product,
    /// `a * b + c`, of which `a` or `b` is the same in all threads.
    ProductSum,
    /// `a` shifted left by `b`, which is the same in all threads.
    Shift,
    /// The 64-bit product of two 32-bit numbers, one of which is the same in all threads.
    WideProduct {
        /// Whether they have signs.
        signed: bool,
    },
    /// 32 bits as 64.
    Widened {
        /// Whether the sign is spread.
        signed: bool,
    },
    /// `b` or `c`, by `a`, which is the same in all threads.
    Choice,
    /// `a & b`, one of which is the same in all threads: ones from some bit on, or up to one.
    Mask,
    /// A comparison: nothing that is affine; of what only lanes of a warp tell apart, another such.
    Comparison,
    /// Each bit by itself: nothing that is affine, but what repeats from warp to warp still does.
    Bitwise,
    /// So many bits from this one on.
    Field {
        /// The lowest of them.
        at: u8,
        /// How many.
        length: u8,
    },
    /// So many bits from this one on with the highest of them above: nothing that is affine, but what repeats from warp to warp.
    SignedField {
        /// The lowest of them.
        at: u8,
        /// How many.
        length: u8,
    },
    /// `a` shifted right by `b`, which is the same in all threads; in none of them `a` has a sign.
    ShiftOfPositive,
}

impl Facts {
    /// Operands and a result; nothing more is known.
    pub(super) const fn new(operands: &'static [Type], result: Type) -> Facts {
        Facts { operands, result, commutes: false, affine: AffineRule::Never }
    }

    /// So many operands and a result, all of one type.
    pub(super) const fn alike(arity: usize, ty: Type) -> Facts {
        let three: &[Type; 3] = match ty {
            Type::Pred => &[Type::Pred; 3],
            Type::U32 => &[Type::U32; 3],
            Type::U64 => &[Type::U64; 3],
        };
        Facts::new(three.split_at(arity).0, ty)
    }

    /// The first two operands may change places.
    pub(super) const fn commuting(self) -> Facts {
        Facts { commutes: true, ..self }
    }

    /// What becomes of affine operands.
    pub(super) const fn affine(self, affine: AffineRule) -> Facts {
        Facts { affine, ..self }
    }
}
