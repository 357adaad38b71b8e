//! Operands that repeat: a change here makes recorded facts void.

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x6a09_e667_f3bc_c908))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn pick(&mut self, list: &[u64]) -> u64 {
        list[self.below(list.len())]
    }

    /// A pattern with so many bits of exponent and of fraction: zeros, subnormal numbers, infinities, NaNs, numbers near the ends and
    /// near 1, and halfway between others.
    fn float(&mut self, exponent: u32, fraction: u32) -> u64 {
        let (most, top) = ((1u64 << exponent) - 1, 1u64 << (fraction - 1));
        let one = most / 2;
        let field = match self.below(4) {
            0 => self.pick(&[0, 0, 1, one - 1, one, one + 1, most - 1, most]),
            1 => one - u64::from(fraction) / 2 + self.next() % u64::from(fraction + 2),
            2 => one - 2 + self.next() % 5,
            _ => self.next() & most,
        };
        let ones = 2 * top - 1;
        let digits = match self.below(5) {
            0 => self.pick(&[0, 0, 1, 2, top, top - 1, top + 1, ones, ones - 1]),
            1 => ones >> self.below(fraction as usize),
            2 => 1 << self.below(fraction as usize),
            _ => self.next() & ones,
        };
        (self.next() & 1) << (exponent + fraction) | field.min(most) << fraction | digits
    }

    /// Bits that favour the edges of integers and of floating-point formats.
    fn corner(&mut self) -> u64 {
        const BYTES: [u64; 8] = [0, 1, 2, 0x7f, 0x80, 0x81, 0xfe, 0xff];
        const WHOLE: [u64; 9] =
            [0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7fff_ffff, u64::MAX >> 1, 0x8000, 0xffff_ffff];
        let lanes = |bits: u32, lane: &mut dyn FnMut() -> u64| {
            (0..64 / bits).fold(0, |word, k| word | lane() << (bits * k))
        };
        match self.below(16) {
            0 => lanes(8, &mut || self.pick(&BYTES)),
            1 => self.pick(&WHOLE),
            2 => self.next() % 70,
            3 => (self.next() % 70).wrapping_neg(),
            4 | 5 => self.float(11, 52),
            6..=9 => lanes(32, &mut || self.float(8, 23)),
            10 | 11 => lanes(16, &mut || self.float(5, 10)),
            12 => lanes(16, &mut || self.float(8, 7)),
            _ => self.next(),
        }
    }
}

/// Planes of operands for so many threads: some are near those of the plane before, or their negatives.
pub fn operands(planes: usize, threads: usize) -> Vec<u64> {
    let mut random = Random::new(7);
    let mut all: Vec<u64> = Vec::with_capacity(planes * threads);
    for k in 0..planes * threads {
        let before = if k >= threads { all[k - threads] } else { 0 };
        let word = match random.below(10) {
            0 => before ^ random.pick(&[0, 1, 2, 1 << 63, 1 << 31, 1 << 63 | 1 << 31, 0x8000_8000_8000_8000]),
            1 => before.wrapping_add(random.next() % 5).wrapping_sub(2),
            _ => random.corner(),
        };
        all.push(word);
    }
    all
}
