//! Periodic values: the same in every warp, but for what grows from warp to warp.
//!
//! Where lanes hold the rows and columns of a matrix, their places in it (`lane / 4`, `lane % 4`, an exclusive or of both) are affine along
//! no axis. What a warp has of them still tells what every warp has: a pattern of its lanes, and an affine value of warps. Patterns are
//! few and mostly the same in every turn of a loop, so that an operation looks its pattern up and computes with affine values only.

use super::patterns::{PatternId, Patterns, Recipe, ZEROS};
use crate::batch::affine::{self, AXES, AffineValue};
use margay_isa::WARP;
use margay_isa::uop::{AffineRule, Op, Type, eval};

/// A value of every thread: an affine one and what its lane has, modulo 2^32 or 2^64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PeriodicValue {
    pub(crate) affine: AffineValue,
    /// What each lane has more than that.
    pub(crate) pattern: PatternId,
}

/// An operand: an affine value, and what each lane has more.
pub(crate) type Operand<'a> = (&'a AffineValue, PatternId);

/// How the threads of a batch lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Warps {
    pub(crate) extent: [u32; AXES],
    /// On how many of the first axes the lanes of a warp lie.
    pub(crate) lane_axes: usize,
}

/// An operation that parts bits, and the patterns that it has made.
struct Parting<'a> {
    /// The operation's number.
    number: u32,
    op: Op,
    /// Without steps along the axes on which lanes lie.
    values: [PeriodicValue; 3],
    warps: Warps,
    patterns: &'a mut Patterns,
}

impl PeriodicValue {
    /// The same value without steps along the axes on which lanes lie.
    pub(crate) fn folded(self, ty: Type, warps: Warps, patterns: &mut Patterns) -> Option<PeriodicValue> {
        let (mut steps, mut of_lanes) = (self.affine.steps, [0; AXES]);
        for axis in 0..warps.lane_axes {
            of_lanes[axis] = std::mem::take(&mut steps[axis]);
        }
        if of_lanes == [0; AXES] {
            return Some(self);
        }
        let (pattern, plus) = patterns.with_steps(self.pattern, of_lanes, warps.extent)?;
        let affine = AffineValue { base: self.affine.base.wrapping_add(plus), steps };
        Some(PeriodicValue { affine: affine.cut(ty), pattern })
    }

    /// A thread's value, in a type.
    pub(crate) fn at(&self, ty: Type, lane: usize, place: [u32; AXES], patterns: &Patterns) -> u64 {
        self.affine.at(Type::U64, place).wrapping_add(patterns.get(self.pattern).each()[lane]) & ty.mask()
    }

    /// The least and the most of all threads' values, none of which wraps, if it is folded; others lie between these, too.
    pub(crate) fn range(&self, warps: Warps, patterns: &Patterns) -> Option<(u64, u64)> {
        let (below, above) = self.affine.reach(warps.extent)?;
        let most = self.affine.base.checked_add(patterns.get(self.pattern).most())?;
        Some((self.affine.base.checked_add_signed(below)?, most.checked_add_signed(above)?))
    }

    /// The bits that some thread's value or some distance between two has below others.
    pub(crate) fn low_bits(&self, patterns: &Patterns) -> u64 {
        let of_warps = self.affine.steps.iter().fold(self.affine.base, |bits, step| bits | *step as u64);
        of_warps | patterns.get(self.pattern).bits()
    }

    /// Whether all warps have the same.
    fn is_of_lanes(&self) -> bool {
        self.affine.steps == [0; AXES]
    }

    fn uniform(&self) -> Option<u64> {
        (self.is_of_lanes() && self.pattern == ZEROS).then_some(self.affine.base)
    }
}

/// As 64 bits, with or without sign; none if some thread's number may leave 32 bits on the way.
fn widened(
    (affine, pattern): Operand,
    signed: bool,
    warps: Warps,
    patterns: &Patterns,
) -> Option<AffineValue> {
    let (base, least, most) = match signed {
        true => (i64::from(affine.base as u32 as i32), i64::from(i32::MIN), i64::from(i32::MAX)),
        false => (i64::from(affine.base as u32), 0, i64::from(u32::MAX)),
    };
    let (below, above) = affine.reach(warps.extent)?;
    let above = above.checked_add_unsigned(patterns.get(pattern).most())?;
    let fits = base.checked_add(below)? >= least && base.checked_add(above)? <= most;
    fits.then_some(AffineValue { base: base as u64, steps: affine.steps })
}

/// How many times a linear operation takes each operand, where it asks for operands that are the same in all threads and they are; none
/// if they are not, or it is not linear.
#[inline]
fn times(rule: AffineRule, ty: Type, [a, b, _]: [Operand; 3]) -> Option<[i64; 3]> {
    let uniform =
        |(affine, pattern): Operand| (pattern == ZEROS && affine.steps == [0; AXES]).then_some(affine.base);
    let factor = |operand: Operand| {
        uniform(operand).map(|bits| if ty == Type::U64 { bits as i64 } else { i64::from(bits as u32 as i32) })
    };
    let product = |plus: i64| match (factor(a), factor(b)) {
        (_, Some(by)) => Some([by, 0, plus]),
        (Some(by), _) => Some([0, by, plus]),
        _ => None,
    };
    match rule {
        AffineRule::Same => Some([1, 0, 0]),
        AffineRule::Sum => Some([1, 1, 0]),
        AffineRule::Difference => Some([1, -1, 0]),
        AffineRule::SumOfThree => Some([1, 1, 1]),
        AffineRule::Product => product(0),
        AffineRule::ProductSum => product(1),
        AffineRule::Shift => match uniform(b)? {
            by @ 0..64 => Some([1i64.wrapping_shl(by as u32), 0, 0]),
            _ => Some([0; 3]),
        },
        AffineRule::Choice if uniform(a)? & 1 == 1 => Some([0, 1, 0]),
        AffineRule::Choice => Some([0, 0, 1]),
        _ => None,
    }
}

/// The result of an operation with a number of its own, if it is periodic too. Operands that it does not have may be any.
#[inline]
pub(crate) fn operate(
    (number, op, rule): (u32, Op, AffineRule),
    operands: [Operand; 3],
    warps: Warps,
    patterns: &mut Patterns,
) -> Option<PeriodicValue> {
    let (ty, of) = (op.result(), operands.map(|(_, pattern)| pattern));
    if let Some(times) = times(rule, ty, operands) {
        let (pattern, plus) = patterns.sum(number, of, times, ty.mask())?;
        let mut affine = affine::operate(rule, ty, operands.map(|(affine, _)| affine), warps.extent)?;
        affine.base = affine.base.wrapping_add(plus) & ty.mask();
        return Some(PeriodicValue { affine, pattern });
    }
    match rule {
        AffineRule::WideProduct { signed } => {
            let [a, b, _] = operands;
            let [wide_a, wide_b] =
                [widened(a, signed, warps, patterns)?, widened(b, signed, warps, patterns)?];
            let wide = [(&wide_a, of[0]), (&wide_b, of[1]), (&wide_b, of[1])];
            let times = times(AffineRule::Product, ty, wide)?;
            let (pattern, plus) = patterns.sum(number, wide.map(|(_, pattern)| pattern), times, ty.mask())?;
            let product =
                affine::operate(AffineRule::Product, ty, [&wide_a, &wide_b, &wide_b], warps.extent)?;
            let affine = AffineValue { base: product.base.wrapping_add(plus), steps: product.steps };
            Some(PeriodicValue { affine, pattern })
        }
        AffineRule::Widened { signed } => {
            let affine = widened(operands[0], signed, warps, patterns)?;
            Some(PeriodicValue { affine, pattern: of[0] })
        }
        AffineRule::Field { .. }
        | AffineRule::SignedField { .. }
        | AffineRule::ShiftOfPositive
        | AffineRule::Mask
        | AffineRule::Choice
        | AffineRule::Comparison
        | AffineRule::Bitwise => parted((number, op, rule), operands, warps, patterns),
        _ => None,
    }
}

/// The same of an operation that parts bits.
#[inline(never)]
fn parted(
    (number, op, rule): (u32, Op, AffineRule),
    operands: [Operand; 3],
    warps: Warps,
    patterns: &mut Patterns,
) -> Option<PeriodicValue> {
    let mut values = operands.map(|(affine, pattern)| PeriodicValue { affine: *affine, pattern });
    for (value, ty) in values.iter_mut().zip(op.operands()) {
        *value = value.folded(*ty, warps, patterns)?;
    }
    let PeriodicValue { affine, pattern } = Parting { number, op, values, warps, patterns }.parted(rule)?;
    Some(PeriodicValue { affine: affine.cut(op.result()), pattern })
}

impl Parting<'_> {
    fn ty(&self) -> Type {
        self.op.result()
    }

    fn parted(&mut self, rule: AffineRule) -> Option<PeriodicValue> {
        let ([a, b, _], ty) = (self.values, self.ty());
        match rule {
            AffineRule::Field { at, length } => self.field(0, at.into(), length.into()),
            AffineRule::SignedField { at, length } => self.signed_field(at.into(), length.into()),
            AffineRule::ShiftOfPositive => {
                let width = ty.mask().count_ones();
                let by = (b.uniform()? as u32).min(width - 1);
                let (_, most) = a.range(self.warps, self.patterns)?;
                if most > ty.mask() >> 1 { None } else { self.field(0, by, width - by) }
            }
            AffineRule::Mask => {
                let masked = match (a.uniform(), b.uniform()) {
                    (_, Some(mask)) => self.masked(0, mask),
                    (Some(mask), _) => self.masked(1, mask),
                    _ => None,
                };
                masked.or_else(|| self.bitwise())
            }
            AffineRule::Choice => self.choice(),
            AffineRule::Comparison => self.comparison(),
            _ => self.bitwise(),
        }
    }

    /// An affine value and the pattern of numbers of lanes, of which the parts are all that they follow from beside operands' patterns.
    fn made(
        &mut self,
        parts: [u64; 4],
        affine: AffineValue,
        numbers: impl FnOnce([&[u64; WARP]; 3]) -> [i64; WARP],
    ) -> Option<PeriodicValue> {
        let (of, mask) = (self.values.map(|value| value.pattern), self.ty().mask());
        let (pattern, plus) =
            self.patterns.made(self.number, Recipe { patterns: of, parts }, mask, |all| {
                numbers(of.map(|pattern| all[pattern as usize].each()))
            })?;
        Some(PeriodicValue {
            affine: AffineValue { base: affine.base.wrapping_add(plus), steps: affine.steps },
            pattern,
        })
    }

    /// So many bits of an operand from this one on; none if warps differ in those below.
    fn field(&mut self, operand: usize, at: u32, length: u32) -> Option<PeriodicValue> {
        let (AffineValue { base, steps }, mask) = (self.values[operand].affine, self.ty().mask());
        let ends = at + length >= mask.count_ones();
        let below = (1u64 << at) - 1;
        // Of the base, these bits meet those of lanes; those above add to all.
        let meet = if ends { below } else { ((below + 1) << length) - 1 };
        let keeps = if ends { !below } else { meet & !below };
        if steps.iter().any(|step| *step as u64 & below != 0) {
            return None;
        }
        let steps = steps.map(|step| if step as u64 & meet == 0 && !ends { 0 } else { step >> at });
        let (low, high) = (base & meet, base & !meet);
        let affine = AffineValue { base: if ends { high >> at } else { 0 }, steps };
        let parts = [low, operand as u64, u64::from(at) << 32 | u64::from(length), 1];
        let value = self.made(parts, affine, |lanes| {
            lanes[operand].map(|lane| ((low.wrapping_add(lane) & keeps) >> at) as i64)
        })?;
        let (_, most) = value.range(self.warps, self.patterns)?;
        // What carries, or wraps on the way, would have left some bits.
        (most <= if ends { mask >> at } else { keeps >> at }).then_some(value)
    }

    /// So many bits of the operand from this one on, the highest of them as its sign; none if warps differ in them.
    fn signed_field(&mut self, at: u32, length: u32) -> Option<PeriodicValue> {
        let (AffineValue { base, steps }, mask) = (self.values[0].affine, self.ty().mask());
        let meet = mask.min(u64::MAX >> (64 - (at + length)));
        if steps.iter().any(|step| *step as u64 & meet != 0) {
            return None;
        }
        let (low, rest) = (base & meet, 64 - (at + length));
        self.made([low, 0, 0, 4], AffineValue::default(), |lanes| {
            lanes[0].map(|lane| (low.wrapping_add(lane) << rest) as i64 >> (rest + at))
        })
    }

    /// One of two operands in each lane; none if warps differ in which, or by other steps in one than in the other.
    fn choice(&mut self) -> Option<PeriodicValue> {
        let ([by, yes, no], mask) = (self.values, self.ty().mask());
        if !by.is_of_lanes() || yes.affine.steps != no.affine.steps {
            return None;
        }
        let bases = self.values.map(|value| value.affine.base);
        let affine = AffineValue { base: 0, steps: yes.affine.steps };
        self.made([bases[0], bases[1], bases[2], 5], affine, |lanes| {
            std::array::from_fn(|lane| {
                let of = |k: usize| bases[k].wrapping_add(lanes[k][lane]);
                (of(if of(0) & 1 == 1 { 1 } else { 2 }) & mask) as i64
            })
        })
    }

    /// Whether a comparison holds, in each lane; none if warps differ.
    fn comparison(&mut self) -> Option<PeriodicValue> {
        let (op, [a, b, _]) = (self.op, self.values);
        if !a.is_of_lanes() || !b.is_of_lanes() {
            return None;
        }
        let (bases, mask) = ([a.affine.base, b.affine.base], op.operands()[0].mask());
        self.made([bases[0], bases[1], 0, 6], AffineValue::default(), |lanes| {
            std::array::from_fn(|lane| {
                let of = |k: usize| bases[k].wrapping_add(lanes[k][lane]) & mask;
                eval(op, [of(0), of(1), 0]) as i64
            })
        })
    }

    /// What a mask leaves of an operand: low bits, or all but these.
    fn masked(&mut self, operand: usize, mask: u64) -> Option<PeriodicValue> {
        let (AffineValue { base, steps }, all) = (self.values[operand].affine, self.ty().mask());
        let (low, cleared) = (mask & all, !mask & all);
        let is_mask = |bits: u64| bits.wrapping_add(1) & bits == 0;
        if is_mask(low) && cleared != 0 {
            return self.field(operand, 0, low.count_ones());
        }
        if !is_mask(cleared) || steps.iter().any(|step| *step as u64 & cleared != 0) {
            return None;
        }
        let rest = base & cleared;
        self.made([rest, operand as u64, cleared, 2], AffineValue { base: base & !cleared, steps }, |lanes| {
            lanes[operand].map(|lane| (rest.wrapping_add(lane) & !cleared) as i64)
        })
    }

    /// A function of each bit by itself, if one operand at most differs from warp to warp, and only above all bits of the others.
    fn bitwise(&mut self) -> Option<PeriodicValue> {
        let (op, mask, values) = (self.op, self.ty().mask(), self.values);
        let arity = op.operands().len();
        let mut growing = (0..arity).filter(|k| !values[*k].is_of_lanes());
        let (grows, None) = (growing.next().unwrap_or(0), growing.next()) else { return None };
        let AffineValue { base, steps } = values[grows].affine;
        let growth = steps.iter().fold(0, |bits, step| bits | *step as u64);
        let below = if growth == 0 { u64::MAX } else { (growth & growth.wrapping_neg()) - 1 };
        for (_, other) in values[..arity].iter().enumerate().filter(|(k, _)| *k != grows && growth != 0) {
            let (_, most) = other.range(self.warps, self.patterns)?;
            if most > below {
                return None;
            }
        }
        // What becomes of bits where the others have none.
        let [of_none, of_all] = [0, mask].map(|bits| {
            let mut args = [0; 3];
            args[grows] = bits;
            eval(op, args) & mask & !below
        });
        let keeps = (of_none, of_all) == (0, mask & !below);
        if !keeps && (of_none, of_all) != (0, 0) {
            return None;
        }
        let mut low = values.map(|value| value.affine.base);
        low[grows] &= below;
        let affine = if keeps { AffineValue { base: base & !below, steps } } else { AffineValue::default() };
        let how = u64::from(below.count_ones()) << 32 | (grows as u64) << 8 | 3;
        self.made([low[0], low[1], low[2], how], affine, |lanes| {
            std::array::from_fn(|lane| {
                let mut args = [0, 1, 2].map(|k| low[k].wrapping_add(lanes[k][lane]) & mask);
                let above = if keeps { low[grows].wrapping_add(lanes[grows][lane]) & !below } else { 0 };
                args[grows] &= below;
                (eval(op, args) & below).wrapping_add(above) as i64
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::uop::{Cmp, Int, Logic};

    /// How threads may lie, and on how many axes the lanes of a warp do.
    const EXTENTS: [([u32; AXES], usize); 3] = [([32, 4, 2, 3], 1), ([16, 2, 2, 2], 2), ([4, 4, 2, 5], 3)];

    struct Random(u64);

    impl Random {
        fn below(&mut self, below: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % below
        }

        /// A value to begin with: a thread's place, mostly, or the same in all threads.
        fn value(&mut self, ty: Type) -> AffineValue {
            let bases = [0, 7, 32, 0u64.wrapping_sub(4), 1 << 31, (1 << 32) - 1, 0x7fff_fff0, 1 << 63];
            let base = bases[self.below(8) as usize] & ty.mask();
            let scale = [1, 4, -1, 80, 2, 1 << 30][self.below(6) as usize];
            let steps = match self.below(4) {
                0 => [0; AXES],
                1 => [scale, 32 * scale, 128 * scale, 0],
                2 => [scale, 0, 64, 4096],
                _ => [scale, 16 * scale, 32 * scale, 64 * scale],
            };
            AffineValue { base, steps }.cut(ty)
        }
    }

    fn ops() -> Vec<Op> {
        let ints = [
            Int::Add,
            Int::Sub,
            Int::Mul,
            Int::MulAdd,
            Int::AddAdd,
            Int::And,
            Int::Or,
            Int::Xor,
            Int::Shl,
            Int::Shr,
            Int::Sar,
            Int::ExtractU(2, 3),
            Int::ExtractU(0, 2),
            Int::ExtractU(4, 28),
            Int::ExtractU(3, 29),
            Int::ExtractS(2, 1),
            Int::ExtractS(1, 3),
            Int::ExtractS(4, 28),
        ];
        let narrow = ints.map(Op::Int32);
        let others = [
            Op::Int64(Int::ExtractU(4, 60)),
            Op::MulWideU,
            Op::MulWideS,
            Op::Zext,
            Op::Sext,
            Op::Low,
            Op::Lop3(0x96),
            Op::Lop3(0x6a),
            Op::Lop3(0xea),
            Op::Lop3(0x80),
            Op::Select(Type::U32),
            Op::Select(Type::U64),
            Op::Cmp32(Cmp::LtU),
            Op::Cmp32(Cmp::Eq),
            Op::Cmp64(Cmp::LeS),
            Op::Pred(Logic::AndNot),
            Op::Pred(Logic::Xor),
        ];
        narrow.into_iter().chain(ints[..11].iter().map(|int| Op::Int64(*int))).chain(others).collect()
    }

    /// Chains of operations, whose results are operands of others: every thread has what the operation makes of its own.
    #[test]
    fn periodic_values_are_those_of_every_thread() {
        let (mut random, ops) = (Random(41), ops());
        let mut periodic = vec![0; ops.len()];
        for round in 0..2500 {
            let (extent, lane_axes) = EXTENTS[round % EXTENTS.len()];
            let warps = Warps { extent, lane_axes };
            let mut patterns = Patterns::new();
            // Operations come again with the same numbers, as in a loop.
            let mut known: Vec<(Type, PeriodicValue)> = Vec::new();
            for ty in [Type::U32, Type::U32, Type::U32, Type::U64, Type::U64, Type::Pred] {
                let affine = match ty {
                    Type::Pred => AffineValue::uniform(random.below(2)),
                    _ => random.value(ty),
                };
                known.push((ty, PeriodicValue { affine, pattern: ZEROS }));
            }
            for ty in [Type::U32, Type::U64] {
                let small = AffineValue::uniform([3, 7, 2, 31, !7 & ty.mask(), 64][random.below(6) as usize]);
                known.push((ty, PeriodicValue { affine: small, pattern: ZEROS }));
            }
            for _ in 0..60 {
                let k = random.below(ops.len() as u64) as usize;
                let op = ops[k];
                let mut operands = [known[0].1; 3];
                for (operand, ty) in operands.iter_mut().zip(op.operands()) {
                    let fit: Vec<_> = known.iter().filter(|(of, _)| of == ty).collect();
                    *operand = fit[random.below(fit.len() as u64) as usize].1;
                }
                let of = operands.each_ref().map(|value| (&value.affine, value.pattern));
                let Some(result) = operate((k as u32, op, op.affine()), of, warps, &mut patterns) else {
                    continue;
                };
                periodic[k] += usize::from(result.pattern != ZEROS);
                let folded = result.folded(op.result(), warps, &mut patterns).expect("there is room");
                let range = folded.range(warps, &patterns);
                let threads = extent.iter().product::<u32>();
                let mut ends = (u64::MAX, 0);
                for thread in 0..threads {
                    let [x, y, z, _] = extent;
                    let place = [thread % x, thread / x % y, thread / x / y % z, thread / x / y / z];
                    let lane = thread as usize % WARP;
                    let mut args = [0; 3];
                    for ((arg, operand), ty) in args.iter_mut().zip(&operands).zip(op.operands()) {
                        *arg = operand.at(*ty, lane, place, &patterns);
                    }
                    let (ty, want) = (op.result(), eval(op, args));
                    for value in [&result, &folded] {
                        let found = value.at(ty, lane, place, &patterns);
                        assert_eq!(
                            found, want,
                            "{op:?} of {operands:?}: {value:?} at {place:?} in {extent:?}"
                        );
                    }
                    let bits = folded.low_bits(&patterns);
                    assert_eq!(want & (bits & bits.wrapping_neg()).wrapping_sub(1), 0, "bits of {folded:?}");
                    ends = (ends.0.min(want), ends.1.max(want));
                }
                if let Some(range) = range.filter(|(_, most)| *most <= op.result().mask()) {
                    assert_eq!(range, ends, "{folded:?} in {extent:?}");
                }
                known.push((op.result(), result));
            }
        }
        for (op, count) in ops.iter().zip(&periodic) {
            assert!(*count > 50, "{op:?}: {count} of {periodic:?}");
        }
    }

    #[test]
    fn places_in_a_matrix_are_periodic() {
        let warps = Warps { extent: [32, 4, 1, 2], lane_axes: 1 };
        let mut patterns = Patterns::new();
        let thread = AffineValue { base: 0, steps: [1, 32, 0, 0] };
        let row = operate(
            (0, Op::Int32(Int::ExtractU(2, 30)), AffineRule::Field { at: 2, length: 30 }),
            [(&thread, ZEROS); 3],
            warps,
            &mut patterns,
        );
        let row = row.expect("rows are the same in every warp");
        assert_eq!(row.affine, AffineValue { base: 0, steps: [0, 8, 0, 0] });
        assert_eq!(patterns.get(row.pattern).each()[..9], [0, 0, 0, 0, 1, 1, 1, 1, 2]);
        let starts = patterns.starts(row.affine.steps, warps.extent, warps.lane_axes);
        assert_eq!(starts[..], [0, 8, 16, 24, 0, 8, 16, 24]);
    }
}
