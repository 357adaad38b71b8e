//! An operation on places: a micro-op, or a move.

use crate::batch::lanes::place::Place;
use margay_isa::uop::{Op, Type};

/// An operation on places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorOp {
    pub(crate) what: What,
    /// Where the result goes; it has the stride of its type, or is the same in all threads.
    pub(crate) to: Place,
    pub(crate) from: [Place; 3],
}

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// A micro-op.
    Op(Op),
    /// A value as it is.
    Move(Type),
}

impl What {
    /// The types of operands and of the result.
    pub(crate) fn types(&self) -> (&[Type], Type) {
        match self {
            What::Op(op) => (op.operands(), op.result()),
            What::Move(ty) => (std::slice::from_ref(ty), *ty),
        }
    }
}
