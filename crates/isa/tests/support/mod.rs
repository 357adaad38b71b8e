//! Small random numbers that are the same in every run (xorshift).

/// What the next number follows from; not 0.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8 | self.0 << 56
    }
}

#[allow(dead_code, reason = "not every test that shares this module needs it")]
pub mod numbers;

/// The numbers from a seed, as what draws forms wants them.
#[allow(dead_code, reason = "not every test that shares this module needs it")]
pub fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut random = Random(seed | 1);
    move || random.next()
}
