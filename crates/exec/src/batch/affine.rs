//! Affine values: a base and a step along each axis of the block, and from CTA to CTA.
//!
//! The axes are the plan's ([`Axes`](crate::batch::compile::axes::Axes)): one of the block's may be two here, so that the low bits of a
//! thread's place are affine, too.

mod compare;
mod patterns;
mod periodic;

use crate::batch::lanes::Place;
pub(crate) use compare::compare_each;
use margay_isa::uop::{AffineRule, Cmp, Type};
pub(crate) use patterns::{PatternId, Patterns, ZEROS};
pub(crate) use periodic::{PeriodicValue, Warps, operate as operate_periodic};

/// Axes along which an affine value grows: three of the block, and the CTAs that run together.
pub(crate) const AXES: usize = 4;

/// A value of every thread: the base, plus the thread's place along each axis times its step, modulo 2^32 or 2^64.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct AffineValue {
    pub(crate) base: u64,
    pub(crate) steps: [i64; AXES],
}

impl AffineValue {
    /// The same value in all threads.
    pub(crate) fn uniform(base: u64) -> AffineValue {
        AffineValue { base, steps: [0; AXES] }
    }

    #[inline(always)]
    fn is_uniform(&self) -> bool {
        self.steps.iter().fold(0, |all, step| all | step) == 0
    }

    /// The value of the thread at a place, in a type.
    #[inline]
    pub(crate) fn at(self, ty: Type, place: [u32; AXES]) -> u64 {
        let rest: i64 = (0..AXES)
            .fold(0, |sum, axis| self.steps[axis].wrapping_mul(i64::from(place[axis])).wrapping_add(sum));
        self.base.wrapping_add(rest as u64) & ty.mask()
    }

    /// How far the values of threads lie below and above the base, as exact numbers; none if that leaves 64 bits.
    #[inline]
    pub(crate) fn reach(self, extent: [u32; AXES]) -> Option<(i64, i64)> {
        let (mut below, mut above) = (0i64, 0i64);
        for (step, extent) in self.steps.iter().zip(extent) {
            if *step == 0 {
                continue;
            }
            let far = step.checked_mul(i64::from(extent) - 1)?;
            if far < 0 { below = below.checked_add(far)? } else { above = above.checked_add(far)? }
        }
        Some((below, above))
    }

    /// The same value with its numbers cut to a type.
    #[inline(always)]
    fn cut(self, ty: Type) -> AffineValue {
        match ty {
            Type::U64 => self,
            Type::Pred | Type::U32 => AffineValue {
                base: self.base & u64::from(u32::MAX),
                steps: self.steps.map(|step| i64::from(step as i32)),
            },
        }
    }

    #[inline(always)]
    fn map(&self, f: impl Fn(u64) -> u64) -> AffineValue {
        AffineValue { base: f(self.base), steps: self.steps.map(|step| f(step as u64) as i64) }
    }

    #[inline(always)]
    fn plus(&self, other: &AffineValue, f: impl Fn(u64, u64) -> u64) -> AffineValue {
        let mut sum = AffineValue { base: f(self.base, other.base), steps: [0; AXES] };
        for axis in 0..AXES {
            sum.steps[axis] = f(self.steps[axis] as u64, other.steps[axis] as u64) as i64;
        }
        sum
    }

    /// A value of 32 bits and a constant, as 64 bits with zeros above; none if some thread's sum leaves 32 bits on the way, or
    /// would with up to `span` more.
    pub(super) fn plus_narrow(self, plus: u64, span: u64, extent: [u32; AXES]) -> Option<AffineValue> {
        let base = u64::from((self.base as u32).wrapping_add(plus as u32));
        let (below, above) = self.reach(extent)?;
        base.checked_add_signed(below)?;
        let most = base.checked_add(span)?.checked_add_signed(above)?;
        (most <= u32::MAX.into()).then_some(AffineValue { base, steps: self.steps })
    }

    /// In two parts with this sum: the low bits, so many, in every thread, and a multiple of what they can count to; none if the
    /// low bits grow along other axes than the rest, or carry.
    fn split(&self, bits: u32, extent: [u32; AXES]) -> Option<(AffineValue, AffineValue)> {
        let below = 1u64.checked_shl(bits)?.wrapping_sub(1);
        let part = |of: u64, takes: bool| if takes { of } else { 0 };
        let is_low = |step: i64| step as u64 & below != 0;
        let low = AffineValue {
            base: self.base & below,
            steps: self.steps.map(|step| part(step as u64, is_low(step)) as i64),
        };
        let (least, most) = low.reach(extent)?;
        let fits = (low.base as i64).checked_add(least)? >= 0
            && (low.base as i64).checked_add(most)? as u64 <= below;
        let high = AffineValue {
            base: self.base - low.base,
            steps: self.steps.map(|step| part(step as u64, !is_low(step)) as i64),
        };
        fits.then_some((low, high))
    }

    /// Whether the values of all threads are so many bits above 0, without a wrap.
    fn has_bits(&self, bits: u32, extent: [u32; AXES]) -> bool {
        let within = || {
            let (below, above) = self.reach(extent)?;
            self.base.checked_add_signed(below)?;
            self.base.checked_add_signed(above)
        };
        within().is_some_and(|most| bits >= 64 || most >> bits == 0)
    }

    /// So many bits from this one on, of numbers of a type; none if they are not affine.
    fn field(&self, at: u32, length: u32, ty: Type, extent: [u32; AXES]) -> Option<AffineValue> {
        let width = ty.mask().count_ones();
        let shifted = match at {
            0 => *self,
            _ => {
                let (_, high) = self.split(at, extent)?;
                if !high.has_bits(width, extent) {
                    return None;
                }
                AffineValue { base: high.base >> at, steps: high.steps.map(|step| step >> at) }
            }
        };
        if at + length >= width { Some(shifted) } else { Some(shifted.split(length, extent)?.0) }
    }

    /// What a mask leaves: low bits, or all but these.
    fn masked(&self, mask: u64, ty: Type, extent: [u32; AXES]) -> Option<AffineValue> {
        let low = mask & ty.mask();
        if low.wrapping_add(1) & low == 0 {
            return if low == ty.mask() {
                Some(*self)
            } else {
                Some(self.split(low.count_ones(), extent)?.0)
            };
        }
        let cleared = !low & ty.mask();
        let has_one_end = cleared.wrapping_add(1) & cleared == 0;
        if has_one_end { Some(self.split(cleared.count_ones(), extent)?.1) } else { None }
    }

    /// As 64 bits, with or without sign; none if some thread's number leaves 32 bits on the way.
    #[inline]
    fn widened(&self, signed: bool, extent: [u32; AXES]) -> Option<AffineValue> {
        let (base, least, most) = match signed {
            true => (i64::from(self.base as u32 as i32), i64::from(i32::MIN), i64::from(i32::MAX)),
            false => (i64::from(self.base as u32), 0, i64::from(u32::MAX)),
        };
        let (below, above) = self.reach(extent)?;
        let fits = base.checked_add(below)? >= least && base.checked_add(above)? <= most;
        fits.then_some(AffineValue { base: base as u64, steps: self.steps })
    }
}

/// Whether a comparison holds in all threads, or in none; nothing if that differs or cannot be told from the ends.
pub(crate) fn compare(
    cmp: Cmp,
    ty: Type,
    a: AffineValue,
    b: AffineValue,
    extent: [u32; AXES],
) -> Option<bool> {
    let signed = matches!(cmp, Cmp::LtS | Cmp::LeS);
    // The least and the most as numbers in whose order the values are.
    let range = |affine: AffineValue| -> Option<(i64, i64)> {
        let (below, above) = affine.reach(extent)?;
        let (base, limits) = match (ty, signed) {
            (Type::U64, true) => (affine.base as i64, (i64::MIN, i64::MAX)),
            (Type::U64, false) => {
                let ends = (affine.base.checked_add_signed(below)?, affine.base.checked_add_signed(above)?);
                return Some(((ends.0 ^ 1 << 63) as i64, (ends.1 ^ 1 << 63) as i64));
            }
            (_, true) => (i64::from(affine.base as u32 as i32), (i32::MIN.into(), i32::MAX.into())),
            (_, false) => (i64::from(affine.base as u32), (0, u32::MAX.into())),
        };
        let (least, most) = (base.checked_add(below)?, base.checked_add(above)?);
        (least >= limits.0 && most <= limits.1).then_some((least, most))
    };
    let ((a_least, a_most), (b_least, b_most)) = (range(a)?, range(b)?);
    let apart = a_most < b_least || b_most < a_least;
    let equal = a_least == a_most && (b_least, b_most) == (a_least, a_most);
    let (yes, no) = match cmp {
        Cmp::Eq => (equal, apart),
        Cmp::Ne => (apart, equal),
        Cmp::LtU | Cmp::LtS => (a_most < b_least, a_least >= b_most),
        Cmp::LeU | Cmp::LeS => (a_most <= b_least, a_least > b_most),
    };
    (yes || no).then_some(yes)
}

/// Where an affine value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AffineDef {
    /// An operation on affine values.
    Op(AffineRule),
    /// What the lines of a value hold that is the same in all threads.
    Uniform(Type, Place),
}

/// The result of an operation, cut to its type, if it is affine too. Operands that the operation does not have may be any.
#[inline]
pub(crate) fn operate(
    rule: AffineRule,
    ty: Type,
    [a, b, c]: [&AffineValue; 3],
    extent: [u32; AXES],
) -> Option<AffineValue> {
    let scaled = |a: &AffineValue, b: &AffineValue| match (a.is_uniform(), b.is_uniform()) {
        (_, true) => Some(a.map(|n| n.wrapping_mul(b.base))),
        (true, _) => Some(b.map(|n| n.wrapping_mul(a.base))),
        _ => None,
    };
    let result = match rule {
        AffineRule::Same => *a,
        AffineRule::Sum => a.plus(b, u64::wrapping_add),
        AffineRule::Difference => a.plus(b, u64::wrapping_sub),
        AffineRule::SumOfThree => a.plus(b, u64::wrapping_add).plus(c, u64::wrapping_add),
        AffineRule::Product => scaled(a, b)?,
        AffineRule::ProductSum => scaled(a, b)?.plus(c, u64::wrapping_add),
        AffineRule::Shift if b.is_uniform() => {
            let amount = b.base as u32;
            a.map(|n| margay_isa::uop::scalar::shl64(n, amount))
        }
        AffineRule::WideProduct { signed } => {
            scaled(&a.widened(signed, extent)?, &b.widened(signed, extent)?)?
        }
        AffineRule::Widened { signed } => a.widened(signed, extent)?,
        AffineRule::Choice if a.is_uniform() => *if a.base & 1 == 1 { b } else { c },
        AffineRule::Mask if b.is_uniform() => a.masked(b.base, ty, extent)?,
        AffineRule::Mask if a.is_uniform() => b.masked(a.base, ty, extent)?,
        AffineRule::Field { at, length } => a.field(at.into(), length.into(), ty, extent)?,
        AffineRule::ShiftOfPositive if b.is_uniform() => {
            let width = ty.mask().count_ones();
            let by = (b.base as u32).min(width - 1);
            if !a.has_bits(width - 1, extent) {
                return None;
            }
            a.field(by, width - by, ty, extent)?
        }
        AffineRule::Shift
        | AffineRule::Choice
        | AffineRule::Mask
        | AffineRule::ShiftOfPositive
        | AffineRule::Bitwise
        | AffineRule::Comparison
        | AffineRule::SignedField { .. }
        | AffineRule::Never => return None,
    };
    // A shift by 32 or more leaves nothing of 32 bits, although 64 would keep it.
    Some(result.cut(ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::uop::{Int, Op, eval};

    #[test]
    fn affine_values_are_those_of_every_thread() {
        let ops = [
            Op::Int32(Int::Add),
            Op::Int64(Int::Sub),
            Op::Int32(Int::Mul),
            Op::Int64(Int::MulAdd),
            Op::Int32(Int::Shl),
            Op::Int64(Int::Shl),
            Op::MulWideU,
            Op::MulWideS,
            Op::Zext,
            Op::Sext,
            Op::Low,
            Op::Int32(Int::MulAdd),
            Op::Int64(Int::AddAdd),
            Op::Int32(Int::And),
            Op::Int64(Int::And),
            Op::Int32(Int::ExtractU(3, 29)),
            Op::Int32(Int::ExtractU(0, 5)),
            Op::Int64(Int::ExtractU(4, 60)),
            Op::Int32(Int::ExtractU(3, 7)),
            Op::Int32(Int::Sar),
            Op::Int64(Int::Shr),
        ];
        let extent = [5, 3, 2, 2];
        let mut seed = 9u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let small = (seed >> 33) % 41;
            [small, small.wrapping_neg(), seed ^ seed >> 31, 0, 1 << 31, u64::from(u32::MAX) - small]
                [(seed >> 60) as usize % 6]
        };
        let mut affine = 0;
        for round in 0..30_000 {
            let op = ops[round % ops.len()];
            let operands: Vec<AffineValue> = op
                .operands()
                .iter()
                .map(|ty| {
                    let value = AffineValue { base: next(), steps: std::array::from_fn(|_| next() as i64) };
                    let value = if next() % 2 == 0 { AffineValue::uniform(value.base) } else { value };
                    AffineValue { base: value.base & ty.mask(), ..value.cut(*ty) }
                })
                .collect();
            let three = [0, 1, 2].map(|k| operands.get(k).unwrap_or(&operands[0]));
            let Some(result) = operate(op.affine(), op.result(), three, extent) else { continue };
            affine += 1;
            for place in (0..60).map(|t| [t % 5, t / 5 % 3, t / 15 % 2, t / 30]) {
                let mut args = [0; 3];
                for ((arg, value), ty) in args.iter_mut().zip(&operands).zip(op.operands()) {
                    *arg = value.at(*ty, place);
                }
                let want = eval(op, args);
                // The value of a thread, said once more.
                let plain = |affine: AffineValue| {
                    let steps =
                        affine.steps.iter().zip(place).map(|(s, n)| (*s as u64).wrapping_mul(n.into()));
                    steps.fold(affine.base, u64::wrapping_add) & op.result().mask()
                };
                assert_eq!(plain(result), want, "{op:?} of {operands:?} at {place:?}");
                assert_eq!(result.at(op.result(), place), want, "{op:?} of {operands:?} at {place:?}");
            }
        }
        assert!(affine > 10_000, "{affine}");
    }

    #[test]
    fn low_bits_that_axes_divide_are_affine() {
        let extent = [32, 4, 2, 3];
        let ops = [
            Op::Int32(Int::And),
            Op::Int64(Int::And),
            Op::Int32(Int::Sar),
            Op::Int64(Int::Shr),
            Op::Int32(Int::ExtractU(5, 27)),
            Op::Int32(Int::ExtractU(0, 5)),
            Op::Int64(Int::ExtractU(7, 57)),
            Op::Int32(Int::ExtractU(5, 2)),
        ];
        let mut seed = 3u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut affine = vec![0; ops.len()];
        for round in 0..20_000 {
            let k = round % ops.len();
            let op = ops[k];
            let base =
                [0, 31, 32 * next(100), u64::from(u32::MAX) - next(999), next(64), 1 << 31][next(6) as usize];
            let steps = [
                [1, -1, 0, 2][next(4) as usize],
                [32, 64, 0, 1][next(4) as usize],
                [128, -256, 0][next(3) as usize],
                [256, 0, 5][next(3) as usize],
            ];
            let other = match op.affine() {
                AffineRule::Mask => [31, !31, 127, 1, !0, u64::from(!127u32)][next(6) as usize],
                _ => [5, 7, 31, 64, 0][next(5) as usize],
            };
            let a = AffineValue { base, steps }.cut(op.operands()[0]);
            let b = AffineValue::uniform(other & op.operands().get(1).map_or(0, |ty| ty.mask()));
            let Some(result) = operate(op.affine(), op.result(), [&a, &b, &a], extent) else { continue };
            affine[k] += 1;
            for t in 0..32 * 4 * 2 * 3u32 {
                let place = [t % 32, t / 32 % 4, t / 128 % 2, t / 256];
                let want = eval(op, [a.at(op.operands()[0], place), b.base, 0]);
                assert_eq!(result.at(op.result(), place), want, "{op:?} of {a:?}, {b:?} at {place:?}");
            }
        }
        assert!(affine.iter().all(|count| *count > 100), "{affine:?}");
    }

    #[test]
    fn a_comparison_that_is_told_from_the_ends_holds_in_all_threads_or_in_none() {
        let extent = [5, 3, 2, 2];
        let mut seed = 5u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let small = (seed >> 33) % 7;
            [small, small.wrapping_neg(), 100 + small, 1 << 31, u64::from(u32::MAX) - small, 1 << 63]
                [(seed >> 60) as usize % 6]
        };
        let cmps = [Cmp::Eq, Cmp::Ne, Cmp::LtU, Cmp::LeU, Cmp::LtS, Cmp::LeS];
        let mut told = 0;
        for round in 0..40_000 {
            let (cmp, wide) = (cmps[round % 6], round % 12 < 6);
            let ty = if wide { Type::U64 } else { Type::U32 };
            let mut affine = || {
                let steps = if next() % 2 == 0 { [0; AXES] } else { std::array::from_fn(|_| next() as i64) };
                AffineValue { base: next(), steps }.cut(ty)
            };
            let (a, b) = (affine(), affine());
            let Some(holds) = compare(cmp, ty, a, b, extent) else { continue };
            told += 1;
            for place in (0..60).map(|t| [t % 5, t / 5 % 3, t / 15 % 2, t / 30]) {
                let op = if wide { Op::Cmp64(cmp) } else { Op::Cmp32(cmp) };
                let want = eval(op, [a.at(ty, place), b.at(ty, place), 0]);
                assert_eq!(u64::from(holds), want, "{cmp:?} of {a:?} and {b:?} at {place:?}");
            }
        }
        assert!(told > 5_000, "{told}");
    }
}
