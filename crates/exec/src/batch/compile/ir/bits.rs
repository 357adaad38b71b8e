//! What is known of values' bits while a block's values are made, and what operations become by it.

use crate::batch::compile::ir::{BlockIr, Context, Value, ValueDef, ValueId, slot_type};
use margay_isa::special::SpecialValue;
use margay_isa::uop::float::Convert;
use margay_isa::uop::{AffineRule, Int, Op, Type};

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    /// Bits that are 0 in every thread.
    pub(crate) zeros: u64,
    /// Whether it is computed from threads' places, parameters and constants alone, by operations that may keep it affine.
    pub(crate) is_place: bool,
}

impl Known {
    /// Of any value of a type.
    fn nothing(ty: Type) -> Known {
        Known { zeros: !ty.mask(), is_place: false }
    }

    fn most(self) -> u64 {
        !self.zeros
    }
}

/// The bits above what a number may be at most.
fn above(most: u64) -> u64 {
    u64::MAX.checked_shl(64 - most.leading_zeros()).unwrap_or(0)
}

/// Zeros at the low end.
fn low_zeros(zeros: u64) -> u32 {
    zeros.trailing_ones()
}

fn below(bits: u32) -> u64 {
    1u64.checked_shl(bits).map_or(u64::MAX, |bit| bit - 1)
}

impl BlockIr {
    /// Whether a value is computed from threads' places, parameters and constants alone.
    pub(crate) fn is_place(&self, node: ValueId) -> bool {
        self.facts[node as usize].is_place
    }

    /// What is known of a value's bits.
    pub(crate) fn known_bits_of(&self, node: ValueId) -> Known {
        self.facts[node as usize]
    }

    fn zeros(&self, node: ValueId) -> u64 {
        self.facts[node as usize].zeros
    }

    /// What is known of a value that a block begins with.
    pub(crate) fn known_of_slot(context: &Context, slot: u32) -> Known {
        let nothing = Known::nothing(slot_type(context.code, slot));
        context
            .known
            .get(&slot)
            .map_or(nothing, |known| Known { zeros: known.zeros | nothing.zeros, ..*known })
    }

    /// What is known of a new value.
    pub(super) fn known_of(&self, value: Value) -> Known {
        let nothing = Known::nothing(value.ty);
        let place = |most: u64| Known { zeros: above(most) | nothing.zeros, is_place: true };
        match value.from {
            ValueDef::Const(bits) => Known { zeros: !bits, is_place: true },
            ValueDef::Special(special) => match special {
                SpecialValue::Tid(axis) => place(self.block.axis(axis).saturating_sub(1).into()),
                SpecialValue::Ctaid(_) => place(i32::MAX as u64),
                SpecialValue::Laneid => place(31),
                _ => nothing,
            },
            ValueDef::Op(op, operands) => {
                let operands = &operands[..op.operands().len()];
                let is_place = !matches!(
                    op.affine(),
                    AffineRule::Never
                        | AffineRule::Bitwise
                        | AffineRule::Comparison
                        | AffineRule::SignedField { .. }
                ) && operands.iter().all(|node| self.is_place(*node));
                Known { zeros: self.zeros_of(op, operands) | nothing.zeros, is_place }
            }
            ValueDef::Slot(_) | ValueDef::Step(_) => nothing,
        }
    }

    /// An element that is loaded has so many bytes, and zeros above.
    pub(super) fn know_element(&mut self, node: ValueId, bytes: u32) {
        self.facts[node as usize].zeros |= !below(8 * bytes);
    }

    fn zeros_of(&self, op: Op, operands: &[ValueId]) -> u64 {
        let zeros = |k: usize| self.zeros(operands[k]);
        let known = |k: usize| self.known_bits(operands[k]);
        let most = |k: usize| self.facts[operands[k] as usize].most();
        match op {
            Op::Int32(Int::And) | Op::Int64(Int::And) => zeros(0) | zeros(1),
            Op::Int32(Int::Or | Int::Xor) | Op::Int64(Int::Or | Int::Xor) => zeros(0) & zeros(1),
            Op::Int32(Int::Add) | Op::Int64(Int::Add) => {
                let high = most(0).checked_add(most(1)).filter(|most| *most <= op.result().mask());
                high.map_or(0, above) | below(low_zeros(zeros(0)).min(low_zeros(zeros(1))))
            }
            Op::Int32(Int::Mul) | Op::Int64(Int::Mul) | Op::MulWideU => {
                let high = most(0).checked_mul(most(1)).filter(|most| *most <= op.result().mask());
                high.map_or(0, above) | below(low_zeros(zeros(0)) + low_zeros(zeros(1)))
            }
            Op::Int32(Int::Shl) | Op::Int64(Int::Shl) => {
                known(1).map_or(0, |by| zeros(0).checked_shl(by as u32).unwrap_or(0) | below(by as u32))
            }
            Op::Int32(Int::ExtractU(at, length)) | Op::Int64(Int::ExtractU(at, length)) => {
                zeros(0) >> at | !below(length.into())
            }
            Op::Zext => zeros(0),
            Op::Low => zeros(0),
            Op::High => zeros(0) >> 32,
            Op::FromPred => !1,
            Op::Select(_) => zeros(1) & zeros(2),
            Op::Convert(Convert::F32ToF16(_) | Convert::F32ToBf16(_)) => !below(16),
            _ => 0,
        }
    }

    /// What an operation is by what is known of its operands' bits, if that is simpler or may be affine.
    pub(super) fn by_bits(&mut self, op: Op, operands: &[ValueId]) -> Option<ValueId> {
        let ty = op.result();
        let zeros = |k: usize| self.zeros(operands[k]);
        let known = |k: usize| self.known_bits(operands[k]);
        match op {
            // Bits that only one of the two has: a sum, which can be affine.
            Op::Int32(Int::Or | Int::Xor) | Op::Int64(Int::Or | Int::Xor)
                if zeros(0) | zeros(1) == u64::MAX && operands.iter().all(|node| self.is_place(*node)) =>
            {
                let add = if ty == Type::U64 { Op::Int64(Int::Add) } else { Op::Int32(Int::Add) };
                Some(self.op(add, operands))
            }
            // The first where a mask has ones, else the second.
            Op::Lop3(0xca) => {
                let mask = known(0)?;
                let apart = zeros(1) | mask | !ty.mask() == u64::MAX && zeros(2) | !mask == u64::MAX;
                let are_places = self.is_place(operands[1]) && self.is_place(operands[2]);
                if apart && are_places { Some(self.op(Op::Int32(Int::Add), &operands[1..])) } else { None }
            }
            Op::Int32(Int::And) | Op::Int64(Int::And) => match (known(0), known(1)) {
                (_, Some(mask)) => self.masked_by_bits(ty, operands[0], mask),
                (Some(mask), _) => self.masked_by_bits(ty, operands[1], mask),
                _ => None,
            },
            // A number that is never negative.
            Op::Int32(Int::Sar) if zeros(0) >> 31 & 1 == 1 => Some(self.op(Op::Int32(Int::Shr), operands)),
            Op::Int64(Int::Sar) if zeros(0) >> 63 & 1 == 1 => Some(self.op(Op::Int64(Int::Shr), operands)),
            Op::Int32(Int::ExtractU(at, length)) => self.field_by_bits(operands[0], at, length),
            _ => None,
        }
    }

    /// What a mask leaves of a value: all of it, or as a field, which can be affine.
    fn masked_by_bits(&mut self, ty: Type, from: ValueId, mask: u64) -> Option<ValueId> {
        let all = ty.mask();
        let keeps = (mask | self.zeros(from)) & all;
        if keeps == all {
            return Some(from);
        }
        let left = mask & !self.zeros(from) & all;
        if left == 0 {
            return Some(self.constant(ty, 0));
        }
        let (at, length) = (left.trailing_zeros(), left.count_ones());
        let is_field = at > 0 && left >> at == below(length);
        // All above some bits may be affine as it is.
        if !self.is_place(from) || !is_field || mask == all & !below(at) {
            return None;
        }
        let (field, shift) = match ty {
            Type::U64 => (Op::Int64(Int::ExtractU(at as u8, length as u8)), Op::Int64(Int::Shl)),
            _ => (Op::Int32(Int::ExtractU(at as u8, length as u8)), Op::Int32(Int::Shl)),
        };
        let field = self.op(field, &[from]);
        let at = self.constant(Type::U32, at.into());
        Some(self.op(shift, &[field, at]))
    }

    /// Some bits of 32, if they are another value's.
    fn field_by_bits(&mut self, from: ValueId, at: u8, length: u8) -> Option<ValueId> {
        let wanted = below(length.into()) << at;
        if wanted & !self.zeros(from) == 0 {
            return Some(self.constant(Type::U32, 0));
        }
        if at == 0 && self.zeros(from) | wanted == u64::MAX {
            return Some(from);
        }
        let ValueDef::Op(op, operands) = self.values[from as usize].from else { return None };
        match op {
            Op::Int32(Int::Or | Int::Add | Int::Xor) => {
                // Nothing carries where no bit is in both.
                let [a, b, _] = operands;
                if self.zeros(a) | self.zeros(b) != u64::MAX {
                    return None;
                }
                let other = match (wanted & !self.zeros(a), wanted & !self.zeros(b)) {
                    (_, 0) => a,
                    (0, _) => b,
                    _ => return None,
                };
                Some(self.op(Op::Int32(Int::ExtractU(at, length)), &[other]))
            }
            Op::Int32(Int::ExtractU(at_there, length_there)) => {
                let length = length.min(length_there.checked_sub(at)?);
                Some(self.op(Op::Int32(Int::ExtractU(at + at_there, length)), &operands[..1]))
            }
            Op::Int32(Int::Shl) => {
                let by = self.known_bits(operands[1])?;
                let lower = at.checked_sub(u8::try_from(by).ok()?)?;
                Some(self.op(Op::Int32(Int::ExtractU(lower, length)), &operands[..1]))
            }
            _ => None,
        }
    }
}
