//! An operation of any family, and those that belong to none.

use super::facts::{AffineRule, Facts};
use super::float::convert::{add_to_f32, fma_f32};
use super::float::directed::directed;
use super::float::{Approx, Convert, Float, FloatCmp, Flush, Rounding, double, single};
use super::scalar::*;
use super::{Cmp, Dot, Int, Logic, Packed, Type};

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// On 32-bit numbers.
    Int32(Int),
    /// On 64-bit numbers; amounts of shifts and results of counts have 32 bits.
    Int64(Int),
    /// A comparison of 32-bit numbers.
    Cmp32(Cmp),
    /// A comparison of 64-bit numbers.
    Cmp64(Cmp),
    /// On four bytes in 32 bits.
    Bytes(Packed),
    /// On two half-words in 32 bits.
    Halves(Packed),
    /// A sum over the elements of two packed numbers, added to the third operand.
    Dot(Dot),
    /// On predicates.
    Pred(Logic),
    /// The second operand where the first, a predicate, is 1; else the third.
    Select(Type),
    /// The bitwise function with this table: bit `4 a + 2 b + c` is the result.
    Lop3(u8),
    /// The high half of `b:a` shifted left by `c` modulo 32.
    FunnelLeft,
    /// The low half of `b:a` shifted right by `c` modulo 32.
    FunnelRight,
    /// Four bytes out of `b:a`: nibble `k` of `c` says which becomes byte `k`, and in its bit 3 whether only its sign does.
    Permute,
    /// The 64-bit product of two 32-bit numbers without sign.
    MulWideU,
    /// The 64-bit product of two 32-bit numbers with sign.
    MulWideS,
    /// 32 bits to 64, zeros above.
    Zext,
    /// 32 bits to 64, the sign above.
    Sext,
    /// The low half of 64 bits.
    Low,
    /// The high half of 64 bits.
    High,
    /// 64 bits from a low and a high half.
    Pack,
    /// A predicate as a number.
    FromPred,
    /// On patterns of `.f32`.
    F32(Float),
    /// On patterns of `.f64`.
    F64(Float),
    /// On patterns of `.f32`, with small results flushed.
    Flush(Flush),
    /// A comparison of patterns of `.f32`.
    CmpF32(FloatCmp),
    /// A comparison of patterns of `.f64`.
    CmpF64(FloatCmp),
    /// From format to format, or from or to integers.
    Convert(Convert),
    /// The sum of two patterns of `.f64` as one of `.f32`, [rounded](super::float::Rounding) once: towards 0, downwards or upwards.
    /// That of opposite numbers is +0.
    AddToF32(Rounding),
    /// `a * b + c` on patterns of `.f32`, [rounded](super::float::Rounding) once: towards 0, downwards or upwards.
    FmaF32(Rounding),
    /// An operation on patterns of `.f64`, [rounded](super::float::Rounding) towards 0, downwards or upwards: a sum, difference, product, fused
    /// product and sum, quotient or square root.
    DirectedF64(Float, Rounding),
    /// A pattern of `.f32`, with the one NaN for any.
    OneNan,
    /// A function of a pattern of `.f32` as a device approximates it.
    Approx(Approx),
}

impl Op {
    /// Every operation; of those with numbers in them (`ExtractU(8, 4)`), some.
    ///
    /// ```
    /// use margay_isa::uop::{Int, Op};
    /// assert!(Op::all().contains(&Op::Int32(Int::Add)));
    /// ```
    pub fn all() -> Vec<Op> {
        let mut all: Vec<Op> = Vec::new();
        all.extend(Int::all(Type::U32).into_iter().map(Op::Int32));
        all.extend(Int::all(Type::U64).into_iter().map(Op::Int64));
        all.extend(Cmp::ALL.into_iter().flat_map(|cmp| [Op::Cmp32(cmp), Op::Cmp64(cmp)]));
        all.extend(Packed::ALL.into_iter().flat_map(|packed| [Op::Bytes(packed), Op::Halves(packed)]));
        all.extend(Dot::ALL.map(Op::Dot));
        all.extend(Logic::ALL.map(Op::Pred));
        all.extend([Type::Pred, Type::U32, Type::U64].map(Op::Select));
        all.extend((0..=255).map(Op::Lop3));
        all.extend([Op::FunnelLeft, Op::FunnelRight, Op::Permute, Op::MulWideU, Op::MulWideS]);
        all.extend([Op::Zext, Op::Sext, Op::Low, Op::High, Op::Pack, Op::FromPred]);
        all.extend(Float::ALL.into_iter().flat_map(|float| [Op::F32(float), Op::F64(float)]));
        all.extend(Flush::ALL.map(Op::Flush));
        all.extend(Approx::ALL.map(Op::Approx));
        all.extend(FloatCmp::ALL.into_iter().flat_map(|cmp| [Op::CmpF32(cmp), Op::CmpF64(cmp)]));
        all.extend(Convert::all().into_iter().map(Op::Convert));
        let directed = [Rounding::Zero, Rounding::Down, Rounding::Up];
        all.extend(directed.into_iter().flat_map(|rounding| [Op::AddToF32(rounding), Op::FmaF32(rounding)]));
        all.extend(
            Float::DIRECTED
                .into_iter()
                .flat_map(|float| directed.map(|rounding| Op::DirectedF64(float, rounding))),
        );
        all.push(Op::OneNan);
        all
    }

    /// What is known of it.
    pub const fn facts(self) -> Facts {
        use Type::{Pred, U32, U64};
        match self {
            Op::Int32(int) => int.facts(U32),
            Op::Int64(int) => int.facts(U64),
            Op::Cmp32(cmp) => cmp.facts(U32),
            Op::Cmp64(cmp) => cmp.facts(U64),
            Op::Bytes(packed) | Op::Halves(packed) => packed.facts(),
            Op::Dot(dot) => dot.facts(),
            Op::Pred(logic) => logic.facts(),
            Op::Select(ty) => {
                let operands: &[Type] = match ty {
                    Pred => &[Pred, Pred, Pred],
                    U32 => &[Pred, U32, U32],
                    U64 => &[Pred, U64, U64],
                };
                Facts::new(operands, ty).affine(AffineRule::Choice)
            }
            Op::Lop3(_) => Facts::alike(3, U32).affine(AffineRule::Bitwise),
            Op::FunnelLeft | Op::FunnelRight | Op::Permute => Facts::alike(3, U32),
            Op::MulWideU => {
                Facts::new(&[U32, U32], U64).commuting().affine(AffineRule::WideProduct { signed: false })
            }
            Op::MulWideS => {
                Facts::new(&[U32, U32], U64).commuting().affine(AffineRule::WideProduct { signed: true })
            }
            Op::Zext => Facts::new(&[U32], U64).affine(AffineRule::Widened { signed: false }),
            Op::Sext => Facts::new(&[U32], U64).affine(AffineRule::Widened { signed: true }),
            Op::Low => Facts::new(&[U64], U32).affine(AffineRule::Same),
            Op::High => Facts::new(&[U64], U32),
            Op::Pack => Facts::new(&[U32, U32], U64),
            Op::FromPred => Facts::new(&[Pred], U32),
            Op::F32(float) => float.facts(U32),
            Op::F64(float) | Op::DirectedF64(float, _) => float.facts(U64),
            Op::Flush(flush) => flush.facts(),
            Op::CmpF32(cmp) => cmp.facts(U32),
            Op::CmpF64(cmp) => cmp.facts(U64),
            Op::Convert(convert) => convert.facts(),
            Op::AddToF32(_) => Facts::new(&[U64, U64], U32),
            Op::FmaF32(_) => Facts::alike(3, U32).commuting(),
            Op::OneNan => Facts::alike(1, U32),
            Op::Approx(_) => Facts::new(&[U32], U32),
        }
    }

    /// The types of the operands.
    pub const fn operands(self) -> &'static [Type] {
        self.facts().operands
    }

    /// The type of the result.
    pub const fn result(self) -> Type {
        self.facts().result
    }

    /// Whether results are patterns of `.f32` none of which is subnormal.
    pub const fn is_never_subnormal(self) -> bool {
        use Approx::{Cosine, Logarithm, Power, Reciprocal, ReciprocalRoot, Root, Sine};
        use Float::{Ceil, Even, Floor, Sqrt, Trunc};
        matches!(
            self,
            Op::Flush(_)
                | Op::Approx(Reciprocal | Root | ReciprocalRoot | Logarithm | Power | Sine | Cosine)
                | Op::F32(Sqrt | Even | Trunc | Floor | Ceil)
                | Op::Convert(Convert::F16ToF32 | Convert::S32ToF32 | Convert::U32ToF32)
        )
    }

    /// Whether the first two operands may change places.
    pub const fn commutes(self) -> bool {
        self.facts().commutes
    }

    /// What becomes of affine operands.
    pub const fn affine(self) -> AffineRule {
        self.facts().affine
    }
}

/// The result of an operation on one thread's values, which fit the types of its operands: what constants are folded with,
/// and what engines are judged by.
///
/// ```
/// use margay_isa::uop::{Op, Packed, eval};
/// assert_eq!(eval(Op::Bytes(Packed::AddSatU), [0x01ff_0203, 0x0101_0101, 0]), 0x02ff_0304);
/// ```
pub fn eval(op: Op, [a, b, c]: [u64; 3]) -> u64 {
    let (x, y, z) = (a as u32, b as u32, c as u32);
    match op {
        Op::Int32(int) => u64::from(int.eval32(x, y, z)),
        Op::Int64(int) => int.eval64(a, b, c),
        Op::Cmp32(cmp) => u64::from(cmp.eval32(x, y)),
        Op::Cmp64(cmp) => u64::from(cmp.eval64(a, b)),
        Op::Bytes(packed) => u64::from(packed.eval_bytes(x, y)),
        Op::Halves(packed) => u64::from(packed.eval_halves(x, y)),
        Op::Dot(dot) => u64::from(dot.eval(x, y, z)),
        Op::Pred(logic) => logic.eval(a, b),
        Op::Select(Type::Pred | Type::U32 | Type::U64) => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Op::Lop3(table) => u64::from(lop3(table, x, y, z)),
        Op::FunnelLeft => u64::from(funnel_left(x, y, z)),
        Op::FunnelRight => u64::from(funnel_right(x, y, z)),
        Op::Permute => u64::from(permute(x, y, z)),
        Op::MulWideU => mul_wide_u(x, y),
        Op::MulWideS => mul_wide_s(x, y),
        Op::Zext => u64::from(x),
        Op::Sext => x as i32 as u64,
        Op::Low => u64::from(x),
        Op::High => a >> 32,
        Op::Pack => u64::from(y) << 32 | u64::from(x),
        Op::FromPred => a,
        Op::F32(float) => u64::from(float.eval32(x, y, z)),
        Op::F64(float) => float.eval64(a, b, c),
        Op::Flush(flush) => u64::from(flush.eval(x, y, z)),
        Op::CmpF32(cmp) => u64::from(single::compare(cmp, x, y)),
        Op::CmpF64(cmp) => u64::from(double::compare(cmp, a, b)),
        Op::Convert(convert) => convert.eval(a),
        Op::AddToF32(rounding) => add_to_f32(rounding, a, b).into(),
        Op::FmaF32(rounding) => fma_f32(rounding, x, y, z).into(),
        Op::DirectedF64(float, rounding) => directed(float, rounding, a, b, c),
        Op::OneNan => single::one_nan(x).into(),
        Op::Approx(function) => u64::from(function.eval(x)),
    }
}
