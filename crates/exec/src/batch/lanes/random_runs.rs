//! Random runs of operations, and whether machine code makes of them what handlers do.

use crate::batch::lanes::{GROUP, Line, Lines, Place, RunKind, Runs, Simd, VectorOp, VectorOps, What, width};
use margay_isa::uop::{Op, Type};

pub(super) const GROUPS: usize = 8;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }

    pub(super) fn operand(&mut self) -> u64 {
        const BYTES: [u8; 6] = [0, 1, 0x7f, 0x80, 0x81, 0xff];
        match self.next() >> 60 {
            0..6 => u64::from_le_bytes(std::array::from_fn(|_| BYTES[(self.next() >> 40) as usize % 6])),
            6..8 => (self.next() >> 20) % 70,
            8..11 => self.float(11, 52),
            11..13 => self.float(8, 23) << 32 | self.float(8, 23),
            _ => self.next(),
        }
    }

    /// A pattern with so many bits of exponent and of fraction: zeros, subnormal numbers, infinities, NaNs, and numbers near the
    /// ends, near 1, and halfway between others.
    fn float(&mut self, exponent: u32, fraction: u32) -> u64 {
        let most = (1 << exponent) - 1;
        let near = [0, 0, 1, most / 2, most / 2 + 1, most - 1, most, most / 2 + u64::from(fraction)];
        let field = match self.next() >> 60 {
            k @ 0..8 => near[k as usize],
            k @ 8..11 => most / 2 + k - 9,
            _ => (self.next() >> 30) & most,
        };
        let top = 1 << (fraction - 1);
        let ones = 2 * top - 1;
        let digits = match self.next() >> 60 {
            0..4 => 0,
            k @ 4..6 => k - 3,
            k @ 6..8 => ones - (k - 6),
            8 => top,
            9 => top - 1,
            10 => ones >> ((self.next() >> 40) % u64::from(fraction)),
            11 => 1 << ((self.next() >> 40) % u64::from(fraction)),
            _ => self.next() >> 7 & ones,
        };
        let sign = self.next() >> 63;
        (sign << exponent | field) << fraction | digits
    }
}

/// Fills a place, and gives what each thread holds.
pub(super) fn fill(lines: &mut Lines, ty: Type, place: Place, random: &mut Random) -> Vec<u64> {
    let same = random.operand() & ty.mask();
    (0..GROUPS * GROUP)
        .map(|t| {
            let value = if place.stride == 0 { same } else { random.operand() & ty.mask() };
            lines.set(ty, place, t, value);
            value
        })
        .collect()
}

/// Places for a run: some of each type, or more than there are registers, the last ones of each the same in all threads.
pub(super) struct Bank {
    pub(super) places: Vec<(Type, Place)>,
    pub(super) lines: usize,
}

impl Bank {
    pub(super) fn new(many: bool) -> Bank {
        let mut bank = Bank { places: Vec::new(), lines: 0 };
        let many = if many { 4 } else { 1 };
        for (ty, varying, uniform) in [(Type::U32, 9, 3), (Type::U64, 5, 2), (Type::Pred, 4, 1)] {
            let varying = many * varying;
            for k in 0..varying + uniform {
                let stride = if k < varying { width(ty) } else { 0 };
                bank.places.push((ty, Place { line: bank.lines as u32, stride }));
                bank.lines += usize::from(width(ty)) * if stride == 0 { 1 } else { GROUPS };
            }
        }
        bank
    }

    pub(super) fn pick(&self, random: &mut Random, ty: Type, varying: bool) -> Place {
        let fits = |(its, place): &&(Type, Place)| *its == ty && !(varying && place.stride == 0);
        let places: Vec<_> = self.places.iter().filter(fits).collect();
        places[(random.next() >> 33) as usize % places.len()].1
    }
}

/// A run of random operations, whose results in some places are not read after it.
pub(super) fn random_run(bank: &Bank, random: &mut Random, ops: &[Op]) -> (Vec<VectorOp>, Vec<bool>) {
    let unread: Vec<u32> =
        bank.places.iter().map(|(_, place)| place.line).filter(|_| random.next() >> 62 == 0).collect();
    let length = 1 + (random.next() >> 33) % if random.next() >> 61 == 0 { 200 } else { 12 };
    let vector_ops: Vec<VectorOp> = (0..length)
        .map(|_| {
            if random.next() >> 60 == 0 {
                let ty = [Type::Pred, Type::U32, Type::U64][(random.next() >> 33) as usize % 3];
                let from = [bank.pick(random, ty, false); 3];
                return VectorOp { what: What::Move(ty), to: bank.pick(random, ty, true), from };
            }
            let op = ops[(random.next() >> 33) as usize % ops.len()];
            let mut from = [Place { line: 0, stride: 0 }; 3];
            for (place, ty) in from.iter_mut().zip(op.operands()) {
                *place = bank.pick(random, *ty, false);
            }
            VectorOp { what: What::Op(op), to: bank.pick(random, op.result(), true), from }
        })
        .collect();
    let lasts = vector_ops.iter().map(|vector_op| !unread.contains(&vector_op.to.line)).collect();
    (vector_ops, lasts)
}

/// A run of random operations on random values.
pub(super) struct RandomRun {
    seed: u64,
    bank: Bank,
    pub(super) vector_ops: VectorOps,
    lasts: Vec<bool>,
    values: Vec<Line>,
}

impl RandomRun {
    pub(super) fn new(seed: u64, ops: &[Op]) -> RandomRun {
        let mut random = Random(seed);
        let bank = Bank::new(seed.is_multiple_of(5));
        let (vector_ops, lasts) = random_run(&bank, &mut random, ops);
        let known = |place: &Place| place.stride == 0 && place.line.is_multiple_of(2);
        let none = VectorOps::new(bank.lines, GROUPS, Vec::new(), Runs::default());
        let mut values = Lines::new(&none, Simd::Baseline, None);
        for (ty, place) in &bank.places {
            fill(&mut values, *ty, *place, &mut random);
        }
        let constants = bank
            .places
            .iter()
            .filter(|(_, place)| known(place))
            .map(|(ty, place)| (place.line, values.get(*ty, *place, 0)))
            .collect();
        let ranges = vec![(0..vector_ops.len() as u32, RunKind::Alone)];
        let runs = Runs { ranges, lasts: lasts.clone(), constants, ..Runs::default() };
        let values = values.lines.to_vec();
        let vector_ops = VectorOps::new(bank.lines, GROUPS, vector_ops, runs);
        RandomRun { seed, bank, vector_ops, lasts, values }
    }

    /// Holds what lines with machine code become against what they become by handlers.
    pub(super) fn judge<'a>(&'a self, name: &str, compiled: &mut Lines<'a>) {
        let RandomRun { seed, bank, vector_ops, lasts, values } = self;
        let mut handled = Lines::new(vector_ops, Simd::Avx2, None);
        for lines in [&mut *compiled, &mut handled] {
            lines.lines.copy_from_slice(values);
            if seed.is_multiple_of(3) {
                lines.units = vec![(1, 1)];
            }
            lines.run(0..vector_ops.vector_ops.len() as u32);
        }
        for (ty, place) in &bank.places {
            let last = vector_ops.vector_ops.iter().rposition(|vector_op| vector_op.to.line == place.line);
            if last.is_some_and(|last| !lasts[last]) {
                continue;
            }
            for t in 0..GROUPS * GROUP {
                let (got, want) = (compiled.get(*ty, *place, t), handled.get(*ty, *place, t));
                assert_eq!(
                    got, want,
                    "{name}, seed {seed}: {ty:?} at {place:?} in thread {t} after {:#?}",
                    vector_ops.vector_ops
                );
            }
        }
    }
}
