//! What of an instruction matters to the arithmetic of a product.

use crate::float::Mode;
use crate::inst::Inst;
use crate::shape::MatrixShape;
use crate::tensor_core::Form;
use crate::words::{Slot, Word};

impl Form {
    /// That of an instruction that multiplies matrices; where it names no type of A and B, that is `.f16`.
    pub fn of(inst: &Inst) -> Form {
        let or = |word, other| if word == Word::Absent { other } else { word };
        let d = inst[Slot::DType];
        Form {
            shape: match inst[Slot::Shape] {
                Word::Shape(shape) => shape,
                _ => MatrixShape { m: 0, n: 0, k: 0 },
            },
            d,
            a: or(inst[Slot::AType], Word::F16),
            b: or(inst[Slot::BType], Word::F16),
            c: or(inst[Slot::CType], d),
            rounding: Mode::of(inst[Slot::Rnd]),
            clamped: inst[Slot::Sat] == Word::SatFinite,
            combine: inst[Slot::Bool],
            kind: inst[Slot::Kind],
            scales: inst[Slot::SType],
            sparse: inst.has(Slot::Sparse),
            asynchronous: inst[Slot::Mode] == Word::MmaAsync,
        }
    }
}
