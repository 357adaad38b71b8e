//! The builder with which pages write micro-ops; what is known already is computed at once.

use super::float::{Approx, Convert, Float, FloatCmp, Flush};
use super::{Cmp, Dot, Int, Logic, Op, Packed, Type, eval};

/// A value of the instruction that is being lowered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Val(u16);

impl Val {
    /// Its place among the values in the order in which they are made.
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Def {
    /// The instruction's source with this number.
    Source(usize),
    /// A constant.
    Const(u64),
    /// An operation on earlier values; of three, those beyond its operands mean nothing.
    Op(Op, [Val; 3]),
}

/// The micro-ops of one instruction, as they are written down.
///
/// Values are used by the kind they have: `add` of two 64-bit values is a 64-bit addition.
///
/// ```
/// use margay_isa::uop::{Def, Emit, Int, Op, Type};
/// let mut e = Emit::new(&[(Type::U32, None), (Type::U32, Some(8))]);
/// let [a, b] = e.sources();
/// let (twice, sum) = (e.add(b, b), e.add(a, a));
/// assert_eq!(e.def(twice), Def::Const(16));
/// assert_eq!(e.def(sum), Def::Op(Op::Int32(Int::Add), [a, a, a]));
/// ```
pub struct Emit {
    defs: Vec<(Type, Def)>,
    sources: usize,
    results: Vec<Val>,
}

impl Emit {
    /// Nothing yet. The type of each source, and its value where that is known.
    pub fn new(sources: &[(Type, Option<u64>)]) -> Emit {
        let def = |(k, (ty, known)): (usize, &(Type, Option<u64>))| match known {
            Some(value) => (*ty, Def::Const(value & ty.mask())),
            None => (*ty, Def::Source(k)),
        };
        let defs = sources.iter().enumerate().map(def).collect();
        Emit { defs, sources: sources.len(), results: Vec::new() }
    }

    /// The first `N` sources.
    ///
    /// # Panics
    /// If the instruction has fewer; every form of every page is lowered by a test.
    pub fn sources<const N: usize>(&self) -> [Val; N] {
        std::array::from_fn(|k| self.source(k))
    }

    /// Source number `k`.
    ///
    /// # Panics
    /// If the instruction has no such source.
    pub fn source(&self, k: usize) -> Val {
        assert!(k < self.sources, "source {k} of {}", self.sources);
        Val(k as u16)
    }

    /// How many sources the instruction has.
    pub fn source_count(&self) -> usize {
        self.sources
    }

    /// Adds a result, in the order of the destinations. It has zeros above the width of its destination.
    pub fn result(&mut self, value: Val) {
        self.results.push(value);
    }

    /// Adds the last result: the instruction has been written down.
    pub fn done(&mut self, value: Val) -> Option<()> {
        self.result(value);
        Some(())
    }

    /// The results.
    pub fn results(&self) -> &[Val] {
        &self.results
    }

    /// How many values there are.
    pub fn count(&self) -> usize {
        self.defs.len()
    }

    /// All values in the order in which they were made, sources first.
    pub fn values(&self) -> impl Iterator<Item = (Val, Type, Def)> {
        self.defs.iter().enumerate().map(|(k, (ty, def))| (Val(k as u16), *ty, *def))
    }

    /// The type of a value.
    pub fn ty(&self, value: Val) -> Type {
        self.defs[usize::from(value.0)].0
    }

    /// Where a value comes from.
    pub fn def(&self, value: Val) -> Def {
        self.defs[usize::from(value.0)].1
    }

    /// A value's constant, if it is one.
    pub fn known(&self, value: Val) -> Option<u64> {
        match self.def(value) {
            Def::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// A constant of a type.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Val {
        self.push(ty, Def::Const(bits & ty.mask()))
    }

    /// A constant of 32 bits.
    pub fn u32(&mut self, bits: u32) -> Val {
        self.constant(Type::U32, bits.into())
    }

    /// A constant of 64 bits.
    pub fn u64(&mut self, bits: u64) -> Val {
        self.constant(Type::U64, bits)
    }

    fn push(&mut self, ty: Type, def: Def) -> Val {
        self.defs.push((ty, def));
        Val((self.defs.len() - 1) as u16)
    }

    /// Any operation.
    ///
    /// # Panics
    /// If operands of other types or another number are given; every form of every page is lowered by a test.
    pub fn op(&mut self, op: Op, operands: &[Val]) -> Val {
        let types = operands.iter().map(|v| self.ty(*v));
        assert!(types.eq(op.operands().iter().copied()), "operands of {op:?}");
        let mut known = [0; 3];
        let mut all = true;
        for (k, operand) in operands.iter().enumerate() {
            match self.known(*operand) {
                Some(bits) => known[k] = bits,
                None => all = false,
            }
        }
        if all {
            return self.constant(op.result(), eval(op, known));
        }
        if let Some(value) = self.simpler(op, operands) {
            return value;
        }
        let mut three = [operands[0]; 3];
        three[..operands.len()].copy_from_slice(operands);
        self.push(op.result(), Def::Op(op, three))
    }

    /// What an operation amounts to where one operand is known, if that is something simpler.
    fn simpler(&mut self, op: Op, operands: &[Val]) -> Option<Val> {
        let known = |k: usize| operands.get(k).and_then(|v| self.known(*v));
        let (a, b) = (known(0), known(1));
        match op {
            Op::Int32(int) | Op::Int64(int) => {
                let ones = op.result().mask();
                match (int, a, b) {
                    (Int::Add | Int::Or | Int::Xor, Some(0), _) => Some(operands[1]),
                    (Int::Add | Int::Sub | Int::Or | Int::Xor, _, Some(0)) => Some(operands[0]),
                    (Int::Shl | Int::Shr | Int::Sar, _, Some(0)) => Some(operands[0]),
                    (Int::Mul, Some(1), _) => Some(operands[1]),
                    (Int::Mul, _, Some(1)) => Some(operands[0]),
                    (Int::And, Some(x), _) if x == ones => Some(operands[1]),
                    (Int::And, _, Some(x)) if x == ones => Some(operands[0]),
                    (Int::And | Int::Mul, Some(0), _) => Some(operands[0]),
                    (Int::And | Int::Mul, _, Some(0)) => Some(operands[1]),
                    _ => None,
                }
            }
            Op::Pred(logic) => match (logic, a, b) {
                (Logic::And, Some(1), _) | (Logic::Or | Logic::Xor, Some(0), _) => Some(operands[1]),
                (Logic::And, _, Some(1)) | (Logic::Or | Logic::Xor | Logic::AndNot, _, Some(0)) => {
                    Some(operands[0])
                }
                _ => None,
            },
            Op::Select(_) => match a {
                Some(condition) => Some(if condition != 0 { operands[1] } else { operands[2] }),
                None if operands[1] == operands[2] => Some(operands[1]),
                None => None,
            },
            _ => None,
        }
    }

    /// An integer operation in the width of its first operand.
    fn int(&mut self, int: Int, operands: &[Val]) -> Val {
        match self.ty(operands[0]) {
            Type::U64 => self.op(Op::Int64(int), operands),
            Type::U32 | Type::Pred => self.op(Op::Int32(int), operands),
        }
    }

    /// `a + b`.
    pub fn add(&mut self, a: Val, b: Val) -> Val {
        self.int(Int::Add, &[a, b])
    }

    /// `a - b`.
    pub fn sub(&mut self, a: Val, b: Val) -> Val {
        self.int(Int::Sub, &[a, b])
    }

    /// `0 - a`.
    pub fn neg(&mut self, a: Val) -> Val {
        let zero = self.constant(self.ty(a), 0);
        self.sub(zero, a)
    }

    /// The low half of `a * b`.
    pub fn mul(&mut self, a: Val, b: Val) -> Val {
        self.int(Int::Mul, &[a, b])
    }

    /// The high half of `a * b`.
    pub fn mul_high(&mut self, signed: bool, a: Val, b: Val) -> Val {
        self.int(if signed { Int::MulHighS } else { Int::MulHighU }, &[a, b])
    }

    /// The low half of `a * b + c`.
    pub fn mul_add(&mut self, a: Val, b: Val, c: Val) -> Val {
        self.int(Int::MulAdd, &[a, b, c])
    }

    /// The 64-bit product of two 32-bit numbers.
    pub fn mul_wide(&mut self, signed: bool, a: Val, b: Val) -> Val {
        self.op(if signed { Op::MulWideS } else { Op::MulWideU }, &[a, b])
    }

    /// Bits that are in both; of predicates too.
    pub fn and(&mut self, a: Val, b: Val) -> Val {
        self.logic(Logic::And, Int::And, a, b)
    }

    /// Bits that are in either; of predicates too.
    pub fn or(&mut self, a: Val, b: Val) -> Val {
        self.logic(Logic::Or, Int::Or, a, b)
    }

    /// Bits that are in one of the two; of predicates too.
    pub fn xor(&mut self, a: Val, b: Val) -> Val {
        self.logic(Logic::Xor, Int::Xor, a, b)
    }

    /// The opposite bits; of predicates too.
    pub fn not(&mut self, a: Val) -> Val {
        let ones = self.constant(self.ty(a), u64::MAX);
        self.xor(a, ones)
    }

    /// Bits that are in `a` but not in `b`; of predicates too.
    pub fn and_not(&mut self, a: Val, b: Val) -> Val {
        match self.ty(a) {
            Type::Pred => self.op(Op::Pred(Logic::AndNot), &[a, b]),
            Type::U32 if self.known(b).is_none() => self.lop3(0x30, a, b, b),
            Type::U32 | Type::U64 => {
                let others = self.not(b);
                self.and(a, others)
            }
        }
    }

    fn logic(&mut self, logic: Logic, int: Int, a: Val, b: Val) -> Val {
        match self.ty(a) {
            Type::Pred => self.op(Op::Pred(logic), &[a, b]),
            Type::U32 | Type::U64 => self.int(int, &[a, b]),
        }
    }

    /// `a` shifted left by a 32-bit amount; 0 from the width on.
    pub fn shl(&mut self, a: Val, amount: Val) -> Val {
        self.int(Int::Shl, &[a, amount])
    }

    /// `a` shifted right by a 32-bit amount, zeros or the sign moving in.
    pub fn shr(&mut self, signed: bool, a: Val, amount: Val) -> Val {
        self.int(if signed { Int::Sar } else { Int::Shr }, &[a, amount])
    }

    /// `a` shifted left by a constant.
    pub fn shl_by(&mut self, a: Val, amount: u32) -> Val {
        let amount = self.u32(amount);
        self.shl(a, amount)
    }

    /// `a` shifted right by a constant, zeros or the sign moving in.
    pub fn shr_by(&mut self, signed: bool, a: Val, amount: u32) -> Val {
        let amount = self.u32(amount);
        self.shr(signed, a, amount)
    }

    /// The lesser.
    pub fn min(&mut self, signed: bool, a: Val, b: Val) -> Val {
        self.int(if signed { Int::MinS } else { Int::MinU }, &[a, b])
    }

    /// The greater.
    pub fn max(&mut self, signed: bool, a: Val, b: Val) -> Val {
        self.int(if signed { Int::MaxS } else { Int::MaxU }, &[a, b])
    }

    /// `|a - b|`, a number without sign.
    pub fn abs_diff(&mut self, signed: bool, a: Val, b: Val) -> Val {
        self.int(if signed { Int::AbsDiffS } else { Int::AbsDiffU }, &[a, b])
    }

    /// How many bits are 1, in 32 bits.
    pub fn popc(&mut self, a: Val) -> Val {
        self.int(Int::Popc, &[a])
    }

    /// How many zeros stand above the highest 1, in 32 bits.
    pub fn clz(&mut self, a: Val) -> Val {
        self.int(Int::Clz, &[a])
    }

    /// The bits in opposite order.
    pub fn brev(&mut self, a: Val) -> Val {
        self.int(Int::Brev, &[a])
    }

    /// `a / b`, as [`Int::DivU`] and [`Int::DivS`] say.
    pub fn div(&mut self, signed: bool, a: Val, b: Val) -> Val {
        self.int(if signed { Int::DivS } else { Int::DivU }, &[a, b])
    }

    /// The remainder of `a / b`, as [`Int::RemU`] and [`Int::RemS`] say.
    pub fn rem(&mut self, signed: bool, a: Val, b: Val) -> Val {
        self.int(if signed { Int::RemS } else { Int::RemU }, &[a, b])
    }

    /// `length` bits from `position` on, zeros or the highest of them above. Both lie within the width; a length of 0 is 0.
    pub fn extract(&mut self, signed: bool, a: Val, position: u32, length: u32) -> Val {
        let width = if self.ty(a) == Type::U64 { 64 } else { 32 };
        match length {
            0 => self.constant(self.ty(a), 0),
            _ if length == width => a,
            _ => {
                let (position, length) = (position as u8, length as u8);
                let int =
                    if signed { Int::ExtractS(position, length) } else { Int::ExtractU(position, length) };
                self.int(int, &[a])
            }
        }
    }

    /// A comparison.
    pub fn cmp(&mut self, cmp: Cmp, a: Val, b: Val) -> Val {
        match self.ty(a) {
            Type::U64 => self.op(Op::Cmp64(cmp), &[a, b]),
            Type::U32 | Type::Pred => self.op(Op::Cmp32(cmp), &[a, b]),
        }
    }

    /// `a < b`.
    pub fn lt(&mut self, signed: bool, a: Val, b: Val) -> Val {
        self.cmp(if signed { Cmp::LtS } else { Cmp::LtU }, a, b)
    }

    /// `a <= b`.
    pub fn le(&mut self, signed: bool, a: Val, b: Val) -> Val {
        self.cmp(if signed { Cmp::LeS } else { Cmp::LeU }, a, b)
    }

    /// `a == b`.
    pub fn eq(&mut self, a: Val, b: Val) -> Val {
        self.cmp(Cmp::Eq, a, b)
    }

    /// Whether `a` is not 0.
    pub fn nonzero(&mut self, a: Val) -> Val {
        let zero = self.constant(self.ty(a), 0);
        self.cmp(Cmp::Ne, a, zero)
    }

    /// `yes` where the predicate is 1, else `no`.
    pub fn select(&mut self, predicate: Val, yes: Val, no: Val) -> Val {
        self.op(Op::Select(self.ty(yes)), &[predicate, yes, no])
    }

    /// The bitwise function of three with this table.
    pub fn lop3(&mut self, table: u8, a: Val, b: Val, c: Val) -> Val {
        self.op(Op::Lop3(table), &[a, b, c])
    }

    /// The high half of `high:low` shifted left by an amount modulo 32.
    pub fn funnel_left(&mut self, low: Val, high: Val, amount: Val) -> Val {
        self.op(Op::FunnelLeft, &[low, high, amount])
    }

    /// The low half of `high:low` shifted right by an amount modulo 32.
    pub fn funnel_right(&mut self, low: Val, high: Val, amount: Val) -> Val {
        self.op(Op::FunnelRight, &[low, high, amount])
    }

    /// Four bytes out of `b:a`, as [`Op::Permute`] says.
    pub fn permute(&mut self, a: Val, b: Val, selection: Val) -> Val {
        self.op(Op::Permute, &[a, b, selection])
    }

    /// Four bytes out of `b:a`, chosen by a constant.
    pub fn permute_by(&mut self, a: Val, b: Val, selection: u32) -> Val {
        if selection == 0x3210 {
            return a;
        }
        let selection = self.u32(selection);
        self.permute(a, b, selection)
    }

    /// An operation on packed bytes.
    pub fn bytes(&mut self, packed: Packed, a: Val, b: Val) -> Val {
        self.op(Op::Bytes(packed), &[a, b])
    }

    /// An operation on packed half-words.
    pub fn halves(&mut self, packed: Packed, a: Val, b: Val) -> Val {
        self.op(Op::Halves(packed), &[a, b])
    }

    /// A sum over packed elements, plus `c`.
    pub fn dot(&mut self, dot: Dot, a: Val, b: Val, c: Val) -> Val {
        self.op(Op::Dot(dot), &[a, b, c])
    }

    /// 32 bits to 64, zeros or the sign above.
    pub fn widen(&mut self, signed: bool, a: Val) -> Val {
        self.op(if signed { Op::Sext } else { Op::Zext }, &[a])
    }

    /// The low half of 64 bits.
    pub fn low(&mut self, a: Val) -> Val {
        self.op(Op::Low, &[a])
    }

    /// The high half of 64 bits.
    pub fn high(&mut self, a: Val) -> Val {
        self.op(Op::High, &[a])
    }

    /// 64 bits from their halves.
    pub fn pack(&mut self, low: Val, high: Val) -> Val {
        self.op(Op::Pack, &[low, high])
    }

    /// A predicate as a number of 32 bits.
    pub fn number(&mut self, predicate: Val) -> Val {
        self.op(Op::FromPred, &[predicate])
    }

    /// A floating-point operation in the width of its first operand.
    pub fn float(&mut self, float: Float, operands: &[Val]) -> Val {
        match self.ty(operands[0]) {
            Type::U64 => self.op(Op::F64(float), operands),
            Type::U32 | Type::Pred => self.op(Op::F32(float), operands),
        }
    }

    /// A floating-point operation on 32 bits with small results flushed.
    pub fn flush(&mut self, flush: Flush, operands: &[Val]) -> Val {
        self.op(Op::Flush(flush), operands)
    }

    /// A comparison of floating-point numbers.
    pub fn float_cmp(&mut self, cmp: FloatCmp, a: Val, b: Val) -> Val {
        match self.ty(a) {
            Type::U64 => self.op(Op::CmpF64(cmp), &[a, b]),
            Type::U32 | Type::Pred => self.op(Op::CmpF32(cmp), &[a, b]),
        }
    }

    /// A conversion.
    pub fn convert(&mut self, convert: Convert, a: Val) -> Val {
        self.op(Op::Convert(convert), &[a])
    }

    /// A function as a device approximates it.
    pub fn approx(&mut self, function: Approx, a: Val) -> Val {
        self.op(Op::Approx(function), &[a])
    }
}
