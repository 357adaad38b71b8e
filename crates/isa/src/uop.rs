//! Micro-ops: what instructions are lowered to, so that engines need not know an opcode.
//!
//! A micro-op takes up to three values and gives one. Values are predicates, 32-bit or 64-bit numbers; narrower ones live in
//! 32 bits, zeros above. Every operation is total and the same on every machine. Bytes and half-words packed in 32 bits have
//! operations of their own, so that an engine with wide registers can carry out many at once.

mod cmp;
mod dot;
mod emit;
mod facts;
pub mod float;
mod int;
mod logic;
mod op;
mod packed;
pub mod scalar;
mod show;

pub use cmp::Cmp;
pub use dot::Dot;
pub use emit::{Def, Emit, Val};
pub use facts::{AffineRule, Facts};
pub use int::Int;
pub use logic::Logic;
pub use op::{Op, eval};
pub use packed::Packed;

/// What an instruction's sources become: `None` if the form has no micro-ops; engines then ask the page's meaning.
pub type Lower = fn(&crate::Inst, &mut Emit) -> Option<()>;

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// 0 or 1.
    Pred,
    /// 32 bits.
    U32,
    /// 64 bits.
    U64,
}

impl Type {
    /// The bits that a value can have.
    pub const fn mask(self) -> u64 {
        match self {
            Type::Pred => 1,
            Type::U32 => u32::MAX as u64,
            Type::U64 => u64::MAX,
        }
    }

    /// The type of values of so many bits, at most 64.
    pub const fn of_width(bits: u32) -> Type {
        match bits {
            1 => Type::Pred,
            2..=32 => Type::U32,
            _ => Type::U64,
        }
    }
}
