//! How pages on floating-point numbers become micro-ops: from operands to a result as `arithmetic` has it, on numbers of the machine.
//!
//! Half-precision numbers are computed with as `.f32`, where that is exact or where rounding once more does no harm, as to 11 bits
//! after 24. Otherwise, and where `.f32` is not rounded to nearest, it is done as `.f64` rounded to odd.

use crate::float::{BF16, F16, F64, Format, Mode};
use crate::prelude::*;
use crate::uop::float::{Convert, Float, FloatCmp, Flush, Rounding, single::NAN};
use crate::uop::{Cmp, Op};

/// What is computed of one, two or three numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Root,
    Reciprocal,
    Negation,
    Magnitude,
    Min,
    Max,
}

const SIGN: u32 = 1 << 31;
const SIGN_OF_DOUBLE: u64 = 1 << 63;
const SIGN_OF_HALF: u32 = 1 << 15;

/// An operation on operands that all have the type of the result; `None` if it has no micro-ops with this rounding.
pub fn lower_arithmetic(i: &Inst, e: &mut Emit, operation: Operation) -> Option<()> {
    let ty = i.ty(Slot::Type);
    lower_mixed(i, e, ty, &vec![ty; e.source_count()], operation)
}

/// The same on operands of types of their own.
pub fn lower_mixed(i: &Inst, e: &mut Emit, ty: Ty, from: &[Ty], operation: Operation) -> Option<()> {
    let mut elements = Vec::new();
    for lane in 0..ty.lanes {
        let patterns: Vec<Val> =
            from.iter().enumerate().map(|(k, ty)| element(e, *ty, lane, e.source(k))).collect();
        elements.push(result(i, e, ty, from, &patterns, operation)?);
    }
    let d = joined(e, ty, &elements);
    e.done(d)
}

/// An element of a packed number, zeros above it.
pub fn element(e: &mut Emit, ty: Ty, lane: u32, v: Val) -> Val {
    match (ty.lanes, ty.bits, lane) {
        (1, ..) => v,
        (_, 32, 0) => e.low(v),
        (_, 32, _) => e.high(v),
        _ => e.extract(false, v, lane * ty.bits, ty.bits),
    }
}

/// The packed number, or the only one, with these elements.
pub fn joined(e: &mut Emit, ty: Ty, elements: &[Val]) -> Val {
    match *elements {
        [low, high] if ty.bits == 32 => e.pack(low, high),
        [low, high] => {
            let high = e.shl_by(high, 16);
            e.or(low, high)
        }
        _ => elements[0],
    }
}

/// The result of one element.
fn result(
    i: &Inst,
    e: &mut Emit,
    ty: Ty,
    from: &[Ty],
    patterns: &[Val],
    operation: Operation,
) -> Option<Val> {
    let format = Format::of(ty)?;
    let rounding = rounding(i)?;
    if *format == F64 {
        return double(i, e, rounding, patterns, operation);
    }
    let half = format.bits == 16;
    if half && matches!(operation, Operation::Negation | Operation::Magnitude) {
        return Some(half_sign(i, e, format, patterns[0], operation));
    }
    let numbers: Option<Vec<Val>> = from
        .iter()
        .zip(patterns)
        .map(|(ty, bits)| Some(as_single(e, Format::of(*ty)?, i.has(Slot::Ftz), *bits)))
        .collect();
    let numbers = numbers?;
    // What is rounded to `.f32` before it is rounded to half precision must be a product of few bits, or a sum: these have no
    // digits below the least subnormal number.
    let directly = match operation {
        Operation::Fma => !half,
        Operation::Mul => *format != BF16,
        _ => true,
    };
    let d = match rounding {
        Rounding::Nearest if directly => single(i, e, half, &numbers, operation),
        // Products of 11 bits, of which the least is 2^-48, are exact.
        Rounding::Nearest if *format == F16 && operation == Operation::Fma => {
            let product = e.float(Float::Mul, &numbers[..2]);
            e.float(Float::AddOdd, &[product, numbers[2]])
        }
        Rounding::Zero | Rounding::Down | Rounding::Up
            if !half && !i.has(Slot::Ftz) && operation == Operation::Fma =>
        {
            let d = e.op(Op::FmaF32(rounding), &numbers);
            return Some(if i.has(Slot::Sat) { e.float(Float::Saturate, &[d]) } else { d });
        }
        Rounding::Zero | Rounding::Down | Rounding::Up
            if !half && !i.has(Slot::Ftz) && matches!(operation, Operation::Add | Operation::Sub) =>
        {
            directed_sum(e, rounding, &numbers, operation)?
        }
        _ => {
            let exact = odd(e, rounding, &numbers, operation)?;
            match half {
                true => e.convert(Convert::F64ToF32(Rounding::Odd), exact),
                false => narrowed(e, rounding, i.has(Slot::Ftz), exact),
            }
        }
    };
    let d = if i.has(Slot::Sat) { e.float(Float::Saturate, &[d]) } else { d };
    if !half {
        let directed = rounding != Rounding::Nearest;
        return Some(if directed { canonical(e, d) } else { d });
    }
    let d = half_of(e, format, rounding, i.has(Slot::Ftz), d);
    let d = if i.has(Slot::Relu) { relu(e, d) } else { d };
    Some(if i.has(Slot::Oob) { within(e, format, patterns, d) } else { d })
}

/// The rounding that a form names, integral ones included; to nearest without one.
pub fn rounding(i: &Inst) -> Option<Rounding> {
    Some(match Mode::of(i[Slot::Rnd]) {
        Mode::Nearest => Rounding::Nearest,
        Mode::Zero => Rounding::Zero,
        Mode::Down => Rounding::Down,
        Mode::Up => Rounding::Up,
        Mode::NearestAway => return None,
    })
}

/// A number of 32 bits or less as `.f32`, subnormal ones as zeros if they are flushed. NaNs stay NaN.
pub fn as_single(e: &mut Emit, format: &Format, flush: bool, bits: Val) -> Val {
    if *format == F16 {
        let flushed = if flush { without_subnormal(e, bits) } else { bits };
        return e.convert(Convert::F16ToF32, flushed);
    }
    let number = if *format == BF16 { e.shl_by(bits, 16) } else { bits };
    if flush { e.flush(Flush::Value, &[number]) } else { number }
}

/// A number of `.f16`, a zero of its sign if it is subnormal.
fn without_subnormal(e: &mut Emit, bits: Val) -> Val {
    let (exponent, sign) = (e.u32(0x7c00), e.u32(SIGN_OF_HALF));
    let exponent = e.and(bits, exponent);
    let normal = e.nonzero(exponent);
    let zero = e.and(bits, sign);
    e.select(normal, bits, zero)
}

/// The NaN of `.f32` for any NaN.
pub fn canonical(e: &mut Emit, v: Val) -> Val {
    e.op(Op::OneNan, &[v])
}

/// An operation on `.f32`, rounded to nearest and, unless it is half precision that comes of it, flushed.
fn single(i: &Inst, e: &mut Emit, half: bool, numbers: &[Val], operation: Operation) -> Val {
    let flushes = i.has(Slot::Ftz) && !half;
    let one = e.u32(1f32.to_bits());
    let reciprocal = [one, numbers[0]];
    let (float, flush, operands) = match operation {
        Operation::Add => (Float::Add, None, numbers),
        Operation::Sub => (Float::Sub, None, numbers),
        Operation::Mul => (Float::Mul, Some(Flush::Mul), numbers),
        Operation::Fma => (Float::Fma, Some(Flush::Fma), numbers),
        Operation::Div => (Float::Div, Some(Flush::Div), numbers),
        Operation::Reciprocal => (Float::Div, Some(Flush::Div), &reciprocal[..]),
        // A root is never subnormal.
        Operation::Root => return e.float(Float::Sqrt, numbers),
        Operation::Negation => {
            let sign = e.u32(SIGN);
            let d = e.xor(numbers[0], sign);
            return canonical(e, d);
        }
        Operation::Magnitude => {
            let d = magnitude(e, numbers[0]);
            return canonical(e, d);
        }
        Operation::Min => return chosen(i, e, Float::Min, numbers),
        Operation::Max => return chosen(i, e, Float::Max, numbers),
    };
    match flush {
        Some(flush) if flushes => e.flush(flush, operands),
        // Sums that small are exact.
        _ if flushes => {
            let d = e.float(float, operands);
            e.flush(Flush::Value, &[d])
        }
        _ => e.float(float, operands),
    }
}

pub fn magnitude(e: &mut Emit, v: Val) -> Val {
    let size = e.u32(!SIGN);
    e.and(v, size)
}

/// The least or the greatest of `.f32` numbers, as `.NaN`, `.abs` and `.xorsign` say.
fn chosen(i: &Inst, e: &mut Emit, float: Float, numbers: &[Val]) -> Val {
    let pick = |e: &mut Emit, a: Val, b: Val| {
        let nan = i.has(Slot::NaN).then(|| e.float_cmp(FloatCmp::Nan, a, b));
        let [a, b] = [a, b].map(|v| if i.has(Slot::Abs) { magnitude(e, v) } else { v });
        let d = e.float(float, &[a, b]);
        match nan {
            Some(is_nan) => {
                let nan = e.u32(NAN);
                e.select(is_nan, nan, d)
            }
            None => d,
        }
    };
    let d = numbers[1..].iter().fold(numbers[0], |d, number| pick(e, d, *number));
    if !i.has(Slot::XorSign) {
        return d;
    }
    let sign = e.u32(SIGN);
    let signs = e.xor(numbers[0], numbers[1]);
    let signs = e.and(signs, sign);
    let d = e.or(d, signs);
    canonical(e, d)
}

/// An operation on `.f64`; `None` if it has no micro-op with this rounding.
fn double(i: &Inst, e: &mut Emit, rounding: Rounding, numbers: &[Val], operation: Operation) -> Option<Val> {
    let one = e.u64(1f64.to_bits());
    let reciprocal = [one, numbers[0]];
    let (float, operands) = match operation {
        Operation::Add => (Float::Add, numbers),
        Operation::Sub => (Float::Sub, numbers),
        Operation::Mul => (Float::Mul, numbers),
        Operation::Fma => (Float::Fma, numbers),
        Operation::Div => (Float::Div, numbers),
        Operation::Reciprocal => (Float::Div, &reciprocal[..]),
        Operation::Root => (Float::Sqrt, numbers),
        Operation::Min => (Float::Min, numbers),
        Operation::Max => (Float::Max, numbers),
        // A NaN keeps its sign, and becomes quiet.
        Operation::Negation | Operation::Magnitude => {
            let (sign, quiet) = (e.u64(SIGN_OF_DOUBLE), e.u64(1 << 51));
            let a = numbers[0];
            let d = if operation == Operation::Negation { e.xor(a, sign) } else { e.and_not(a, sign) };
            let (is_nan, nan) = (e.float_cmp(FloatCmp::Nan, a, a), e.or(a, quiet));
            return Some(e.select(is_nan, nan, d));
        }
    };
    let d = match rounding {
        Rounding::Nearest => e.float(float, operands),
        Rounding::Zero | Rounding::Down | Rounding::Up => e.op(Op::DirectedF64(float, rounding), operands),
        Rounding::Odd => return None,
    };
    Some(if i.has(Slot::Sat) { e.float(Float::Saturate, &[d]) } else { d })
}

/// The sign of a half-precision number changed.
fn half_sign(i: &Inst, e: &mut Emit, format: &Format, bits: Val, operation: Operation) -> Val {
    let a = if i.has(Slot::Ftz) { without_subnormal(e, bits) } else { bits };
    let (sign, size) = (e.u32(SIGN_OF_HALF), e.u32(!SIGN_OF_HALF));
    let size = e.and(a, size);
    let d = if operation == Operation::Negation { e.xor(a, sign) } else { size };
    let (infinity, nan) = (e.u32(format.beyond() as u32), e.u32(format.nan(&[]) as u32));
    let is_nan = e.lt(false, infinity, size);
    e.select(is_nan, nan, d)
}

/// A sum of numbers of `.f32`, or of a product and one, rounded in another direction than to the nearest. Downwards it is the opposite
/// of what opposite numbers give upwards, -0 for such as cancel each other included.
fn directed_sum(e: &mut Emit, rounding: Rounding, numbers: &[Val], operation: Operation) -> Option<Val> {
    let sign = e.u32(SIGN);
    let down = rounding == Rounding::Down;
    let mut numbers = numbers.to_vec();
    if operation == Operation::Sub {
        numbers[1] = e.xor(numbers[1], sign);
    }
    if down {
        let last = numbers.len() - 1;
        for k in [0, last] {
            numbers[k] = e.xor(numbers[k], sign);
        }
    }
    let wide: Vec<Val> = numbers.iter().map(|v| e.convert(Convert::F32ToF64, *v)).collect();
    let [a, b] = match operation {
        Operation::Add | Operation::Sub => [wide[0], wide[1]],
        _ => return None,
    };
    let rounding = if down { Rounding::Up } else { rounding };
    let d = e.op(Op::AddToF32(rounding), &[a, b]);
    Some(if down { e.xor(d, sign) } else { d })
}

/// An operation on numbers of `.f32` as `.f64` rounded to odd, or so that nothing shows that it was rounded, with the zero that the rounding
/// wants.
fn odd(e: &mut Emit, rounding: Rounding, numbers: &[Val], operation: Operation) -> Option<Val> {
    let wide: Vec<Val> = numbers.iter().map(|v| e.convert(Convert::F32ToF64, *v)).collect();
    Some(match operation {
        Operation::Add => sum(e, rounding, wide[0], wide[1]),
        Operation::Sub => {
            let sign = e.u64(SIGN_OF_DOUBLE);
            let opposite = e.xor(wide[1], sign);
            sum(e, rounding, wide[0], opposite)
        }
        // Products of 24 bits are exact.
        Operation::Mul => e.float(Float::Mul, &wide),
        Operation::Fma => {
            let product = e.float(Float::Mul, &wide[..2]);
            sum(e, rounding, product, wide[2])
        }
        // Of numbers of 24 bits, they are such a number, or further from each by more than the 48th bit: rounded to nearest as `.f64`
        // they stay on its side.
        Operation::Div => e.float(Float::Div, &wide),
        Operation::Reciprocal => {
            let one = e.u64(1f64.to_bits());
            e.float(Float::Div, &[one, wide[0]])
        }
        Operation::Root => e.float(Float::Sqrt, &wide),
        _ => return None,
    })
}

/// A sum rounded to odd. Downwards, that of opposite numbers is -0.
fn sum(e: &mut Emit, rounding: Rounding, a: Val, b: Val) -> Val {
    let sum = e.float(Float::AddOdd, &[a, b]);
    if rounding != Rounding::Down {
        return sum;
    }
    let (zero, sign) = (e.u64(0), e.u64(SIGN_OF_DOUBLE));
    let is_zero = e.float_cmp(FloatCmp::Eq, sum, zero);
    let signs = e.or(a, b);
    let signed = e.and(signs, sign);
    e.select(is_zero, signed, sum)
}

/// A number of `.f64`, exact or rounded to odd, rounded to `.f32` and flushed.
pub fn narrowed(e: &mut Emit, rounding: Rounding, flush: bool, exact: Val) -> Val {
    let d = e.convert(Convert::F64ToF32(rounding), exact);
    if !flush {
        return d;
    }
    // Sizes from which on 24 bits reach 2^-126: that itself, and from halfway to it or from just above the number before it.
    const CUT: u64 = 0x3810_0000_0000_0000;
    const NEAREST: u64 = 0x380f_ffff_f000_0000;
    const RAISED: u64 = 0x380f_ffff_e000_0001;
    let (size, zero) = (e.u64(!SIGN_OF_DOUBLE), e.u64(0));
    let size = e.and(exact, size);
    let [cut, nearest, raised] = [CUT, NEAREST, RAISED].map(|bits| e.u64(bits));
    let least = match rounding {
        Rounding::Nearest => nearest,
        Rounding::Zero | Rounding::Odd => cut,
        Rounding::Down | Rounding::Up => {
            let negative = e.lt(true, exact, zero);
            let (below, above) = if rounding == Rounding::Down { (raised, cut) } else { (cut, raised) };
            e.select(negative, below, above)
        }
    };
    let small = e.lt(false, size, least);
    let sign = e.u32(SIGN);
    let signed = e.and(d, sign);
    e.select(small, signed, d)
}

/// A number of `.f32`, exact or rounded to odd or to enough bits, rounded to half precision; `.f16` may be flushed then.
pub fn half_of(e: &mut Emit, format: &Format, rounding: Rounding, flush: bool, v: Val) -> Val {
    if *format == BF16 {
        return e.convert(Convert::F32ToBf16(rounding), v);
    }
    let d = e.convert(Convert::F32ToF16(rounding), v);
    if !flush {
        return d;
    }
    // From halfway between the last number of 11 bits below 2^-14 and that on.
    let (least, sign) = (e.u32(0x387f_f000), e.u32(SIGN_OF_HALF));
    let size = magnitude(e, v);
    let small = e.lt(false, size, least);
    let zero = e.and(d, sign);
    e.select(small, zero, d)
}

/// Half-precision numbers that are negative as +0. NaN is not.
pub fn relu(e: &mut Emit, d: Val) -> Val {
    let (sign, zero) = (e.u32(SIGN_OF_HALF), e.u32(0));
    let positive = e.lt(false, d, sign);
    e.select(positive, d, zero)
}

/// The result, 0 if one of the first two operands is the NaN that stands for what is outside.
fn within(e: &mut Emit, format: &Format, patterns: &[Val], d: Val) -> Val {
    let (outside, zero) = (e.u32(0x7ff7), e.u32(0));
    let [a, b] = [patterns[0], patterns[1]].map(|bits| {
        let size = e.u32(0x7fff);
        let size = e.and(bits, size);
        let marked = e.eq(size, outside);
        if *format != F16 {
            return marked;
        }
        let written = e.u32(0x7eff);
        let written = e.eq(bits, written);
        e.or(marked, written)
    });
    let either = e.or(a, b);
    e.select(either, zero, d)
}

/// The comparison of two numbers of a type as a predicate.
pub fn lower_reals(i: &Inst, e: &mut Emit, ty: Ty, a: Val, b: Val) -> Option<Val> {
    let format = Format::of(ty)?;
    let number = |e: &mut Emit, bits| match *format == F64 {
        true => bits,
        false => as_single(e, format, i.has(Slot::Ftz), bits),
    };
    let (a, b) = (number(e, a), number(e, b));
    let (cmp, swapped) = match i[Slot::Cmp] {
        Eq => (FloatCmp::Eq, false),
        Ne => (FloatCmp::Ne, false),
        Lt => (FloatCmp::Lt, false),
        Le => (FloatCmp::Le, false),
        Gt => (FloatCmp::Lt, true),
        Ge => (FloatCmp::Le, true),
        Equ => (FloatCmp::Equ, false),
        Neu => (FloatCmp::Neu, false),
        Ltu => (FloatCmp::Ltu, false),
        Leu => (FloatCmp::Leu, false),
        Gtu => (FloatCmp::Ltu, true),
        Geu => (FloatCmp::Leu, true),
        Num => (FloatCmp::Num, false),
        Nan => (FloatCmp::Nan, false),
        _ => return None,
    };
    Some(if swapped { e.float_cmp(cmp, b, a) } else { e.float_cmp(cmp, a, b) })
}

/// Whether a number of `.f32` or `.f64` is of the sort that `testp` names.
pub fn lower_sort(i: &Inst, e: &mut Emit, v: Val) -> Option<Val> {
    let format = Format::of(i.ty(Slot::Type))?;
    let ty = e.ty(v);
    let size = e.constant(ty, !format.sign_bit() as u64);
    let size = e.and(v, size);
    let infinity = e.constant(ty, format.beyond() as u64);
    let (least, one) = (e.constant(ty, 1 << (format.precision - 1)), e.constant(ty, 1));
    // Zero wraps to the greatest of all.
    let (below, above) = (e.sub(size, one), e.sub(least, one));
    Some(match i[Slot::Mode] {
        Finite => e.lt(false, size, infinity),
        Infinite => e.eq(size, infinity),
        Number => e.le(false, size, infinity),
        NotANumber => e.lt(false, infinity, size),
        Subnormal => e.lt(false, below, above),
        _ => {
            let finite = e.lt(false, size, infinity);
            let subnormal = e.cmp(Cmp::LtU, below, above);
            e.and_not(finite, subnormal)
        }
    })
}
