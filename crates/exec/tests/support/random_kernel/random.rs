//! Random numbers that repeat (SplitMix64).

#[derive(Clone)]
pub struct Random(u64);

impl Random {
    /// Sequence number `of` of a seed.
    pub fn new(seed: u64, of: u64) -> Random {
        Random(mix(seed ^ mix(of ^ 0x6a09_e667_f3bc_c908)))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// Once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = (0..count.div_ceil(8)).flat_map(|_| match self.below(4) {
            // Values near zero and near the limits meet more often than chance has them.
            0 => (self.next() & 0x0101_0101_0303_0f0f).to_le_bytes(),
            1 => (self.next() | 0xff7f_ff00_80ff_ff00).to_le_bytes(),
            _ => self.next().to_le_bytes(),
        });
        let mut bytes: Vec<u8> = words.collect();
        bytes.truncate(count);
        bytes
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
