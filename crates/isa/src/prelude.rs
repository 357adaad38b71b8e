//! What the pages are written with.

pub(crate) use crate::contraction::Part;
pub(crate) use crate::elements::Elements;
pub(crate) use crate::fidelity::Fidelity;
pub(crate) use crate::floor::{Floor, Target};
pub(crate) use crate::fragments::{Held, Tiles, Whole};
pub(crate) use crate::handle::Handle;
pub(crate) use crate::inst::Inst;
pub(crate) use crate::operand::{Immediate, Operand, Role, TypeRule, Within, Zero};
pub(crate) use crate::page::{
    Args, AtomicSpace, Carry, Effect, Erratum, FormFloor, Lanes, Meaning, Order, Page, Rule, Syntax, erratum,
    line,
};
pub(crate) use crate::set::Set;
pub(crate) use crate::tensor_memory::{FromShared, Movement, Multiply, TensorMemoryOp};
pub(crate) use crate::trace::Trace;
pub(crate) use crate::types::{Bits, Kind, Ty};
pub(crate) use crate::uop::{Dot, Emit, Packed, Type, Val};
pub(crate) use crate::warp::{Choices, Gains, Gather, Warp};
pub(crate) use crate::warpgroup::Warpgroup;
pub(crate) use crate::words::Word::*;
pub(crate) use crate::words::{Slot, Word};
pub(crate) use TypeRule::{Address, AtLeast, By, DoubledIfWide, Is, Label, Of, Pointer, TensorAddress};

/// The six integer types of 16 bits and more.
pub(crate) const INTEGERS: Set = Set::Of(&[U16, U32, U64, S16, S32, S64]);
/// The 32-bit integers.
pub(crate) const U32_S32: Set = Set::Of(&[U32, S32]);
/// The wider untyped types.
pub(crate) const B32_B64: Set = Set::Of(&[B32, B64]);
/// The signed integers.
pub(crate) const SIGNED: Set = Set::Of(&[S16, S32, S64]);

/// A register that is written.
pub(crate) const fn dst(names: &'static str, ty: TypeRule) -> Operand {
    Operand::dst(names, ty)
}

/// A register or integer constant that is read.
pub(crate) const fn src(names: &'static str, ty: TypeRule) -> Operand {
    Operand::src(names, ty)
}

/// Bit `n` of a value.
pub(crate) fn bit(value: Bits, n: u128) -> Bits {
    value >> n & 1
}
