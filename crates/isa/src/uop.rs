//! Micro-ops: what instructions are lowered to, so that engines need not know an opcode.
//!
//! A micro-op takes up to three values and gives one. Values are predicates, 32-bit or 64-bit numbers; narrower ones live in
//! 32 bits, zeros above. Every operation is total and the same on every machine. Bytes and half-words packed in 32 bits have
//! operations of their own, so that an engine with wide registers can carry out many at once.

mod emit;
mod eval;
pub mod float;
pub mod scalar;
mod show;

pub use emit::{Def, Emit, Val};
pub use eval::eval;
use float::{Approx, Convert, Float, FloatCmp, Flush};

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
    /// The sum of two patterns of `.f64`, [rounded to odd](float::Rounding::Odd); 0 is positive where opposite numbers are added.
    AddOdd,
    /// A function of a pattern of `.f32` as a device approximates it.
    Approx(Approx),
}

/// Integer operations of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Int {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// The low half of `a * b`.
    Mul,
    /// The high half of `a * b`, without sign.
    MulHighU,
    /// The high half of `a * b`, with sign.
    MulHighS,
    /// The low half of `a * b + c`.
    MulAdd,
    /// `a + b + c`.
    AddAdd,
    /// Bits that are in both.
    And,
    /// Bits that are in either.
    Or,
    /// Bits that are in one of the two.
    Xor,
    /// `a` shifted left by `b`; 0 if that is the width or more.
    Shl,
    /// `a` shifted right by `b`, zeros moving in.
    Shr,
    /// `a` shifted right by `b`, the sign moving in.
    Sar,
    /// The lesser, without sign.
    MinU,
    /// The lesser, with sign.
    MinS,
    /// The greater, without sign.
    MaxU,
    /// The greater, with sign.
    MaxS,
    /// `|a - b|`, without sign.
    AbsDiffU,
    /// `|a - b|` of numbers with sign; the result has none.
    AbsDiffS,
    /// How many bits are 1.
    Popc,
    /// How many zeros stand above the highest 1.
    Clz,
    /// The bits in opposite order.
    Brev,
    /// `a / b` without sign; all ones if `b` is 0.
    DivU,
    /// `a / b` with sign, towards zero; all ones if `b` is 0; the least number divided by -1 is itself.
    DivS,
    /// The remainder of `DivU`; all ones if `b` is 0.
    RemU,
    /// The remainder of `DivS`, with the sign of `a`; all ones if `b` is 0.
    RemS,
    /// So many bits from this one on, zeros above: position, length (at least 1, and both within the width).
    ExtractU(u8, u8),
    /// So many bits from this one on, the highest of them above: position, length.
    ExtractS(u8, u8),
}

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

/// Operations on packed elements, each by itself. `U` and `S` say how elements are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Packed {
    /// `a + b`, modulo the element's width.
    Add,
    /// `a - b`, modulo the element's width.
    Sub,
    /// `a + b`, clamped.
    AddSatU,
    /// `a + b`, clamped.
    AddSatS,
    /// `a - b`, clamped.
    SubSatU,
    /// `a - b`, clamped.
    SubSatS,
    /// `|a - b|`.
    AbsDiffU,
    /// `|a - b|` of numbers with sign; the result has none.
    AbsDiffS,
    /// Half of `a + b`, exact sums, rounded up.
    AvgU,
    /// Half of `a + b`, exact sums, rounded away from zero.
    AvgS,
    /// The lesser.
    MinU,
    /// The lesser.
    MinS,
    /// The greater.
    MaxU,
    /// The greater.
    MaxS,
    /// All ones where `a == b`, else 0.
    Eq,
    /// All ones where `a < b`, else 0.
    LtU,
    /// All ones where `a < b`, else 0.
    LtS,
}

/// Sums over packed elements, added to `c` modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dot {
    /// Of the products of bytes; whether those of `a` and of `b` have signs.
    Bytes(bool, bool),
    /// Of the products of half-words; whether those of `a` and of `b` have signs.
    Halves(bool, bool),
    /// Of the absolute differences of bytes without sign.
    AbsDiffBytesU,
    /// Of the absolute differences of bytes with sign.
    AbsDiffBytesS,
}

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

impl Int {
    /// How many operands it takes.
    pub const fn arity(self) -> usize {
        match self {
            Int::MulAdd | Int::AddAdd => 3,
            Int::Popc | Int::Clz | Int::Brev | Int::ExtractU(..) | Int::ExtractS(..) => 1,
            _ => 2,
        }
    }

    /// Whether its second operand is an amount, of 32 bits in any width.
    const fn shifts(self) -> bool {
        matches!(self, Int::Shl | Int::Shr | Int::Sar)
    }

    /// Whether it counts, giving 32 bits in any width.
    const fn counts(self) -> bool {
        matches!(self, Int::Popc | Int::Clz)
    }
}

impl Op {
    /// The types of the operands.
    pub const fn operands(self) -> &'static [Type] {
        use Type::{Pred, U32, U64};
        match self {
            Op::Int32(int) => words(int.arity()),
            Op::Int64(int) if int.shifts() => &[U64, U32],
            Op::Int64(int) => doubles(int.arity()),
            Op::Cmp64(_) => &[U64, U64],
            Op::Cmp32(_) | Op::Bytes(_) | Op::Halves(_) | Op::MulWideU | Op::MulWideS | Op::Pack => {
                &[U32, U32]
            }
            Op::Dot(_) | Op::Lop3(_) | Op::FunnelLeft | Op::FunnelRight | Op::Permute => &[U32, U32, U32],
            Op::Pred(_) => &[Pred, Pred],
            Op::Select(Pred) => &[Pred, Pred, Pred],
            Op::Select(U32) => &[Pred, U32, U32],
            Op::Select(U64) => &[Pred, U64, U64],
            Op::Zext | Op::Sext => &[U32],
            Op::Low | Op::High => &[U64],
            Op::FromPred => &[Pred],
            Op::F32(float) => words(float.arity()),
            Op::F64(float) => doubles(float.arity()),
            Op::Flush(flush) => words(flush.arity()),
            Op::CmpF32(_) => words(2),
            Op::CmpF64(_) | Op::AddOdd => doubles(2),
            Op::Convert(convert) if convert.is_from_64() => doubles(1),
            Op::Convert(_) | Op::Approx(_) => words(1),
        }
    }

    /// The type of the result.
    pub const fn result(self) -> Type {
        match self {
            Op::Int64(int) if !int.counts() => Type::U64,
            Op::MulWideU | Op::MulWideS | Op::Zext | Op::Sext | Op::Pack => Type::U64,
            Op::Cmp32(_) | Op::Cmp64(_) | Op::CmpF32(_) | Op::CmpF64(_) | Op::Pred(_) => Type::Pred,
            Op::F64(_) | Op::AddOdd => Type::U64,
            Op::Convert(convert) if convert.is_to_64() => Type::U64,
            Op::Select(ty) => ty,
            _ => Type::U32,
        }
    }

    /// Whether results are patterns of `.f32` none of which is subnormal.
    pub const fn is_never_subnormal(self) -> bool {
        use Float::{Ceil, Even, Floor, Sqrt, Trunc};
        matches!(
            self,
            Op::Flush(_)
                | Op::Approx(_)
                | Op::F32(Sqrt | Even | Trunc | Floor | Ceil)
                | Op::Convert(Convert::F16ToF32 | Convert::S32ToF32 | Convert::U32ToF32)
        )
    }

    /// Whether the first two operands may change places.
    pub const fn commutes(self) -> bool {
        match self {
            Op::Int32(int) | Op::Int64(int) => matches!(
                int,
                Int::Add
                    | Int::Mul
                    | Int::MulHighU
                    | Int::MulHighS
                    | Int::MulAdd
                    | Int::AddAdd
                    | Int::And
                    | Int::Or
                    | Int::Xor
                    | Int::MinU
                    | Int::MinS
                    | Int::MaxU
                    | Int::MaxS
                    | Int::AbsDiffU
                    | Int::AbsDiffS
            ),
            Op::Cmp32(cmp) | Op::Cmp64(cmp) => matches!(cmp, Cmp::Eq | Cmp::Ne),
            Op::MulWideU | Op::MulWideS => true,
            Op::Pred(logic) => !matches!(logic, Logic::AndNot),
            Op::F32(float) => float.commutes(),
            Op::Flush(flush) => matches!(flush, Flush::Mul | Flush::Fma),
            Op::CmpF32(cmp) | Op::CmpF64(cmp) => cmp.commutes(),
            _ => false,
        }
    }
}

/// So many operands of 32 bits, at most three.
const fn words(count: usize) -> &'static [Type] {
    match count {
        1 => &[Type::U32],
        2 => &[Type::U32, Type::U32],
        _ => &[Type::U32, Type::U32, Type::U32],
    }
}

/// So many operands of 64 bits, at most three.
const fn doubles(count: usize) -> &'static [Type] {
    match count {
        1 => &[Type::U64],
        2 => &[Type::U64, Type::U64],
        _ => &[Type::U64, Type::U64, Type::U64],
    }
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
