//! What tests share: small random numbers that are the same in every run (xorshift), and where what devices compute is found.

use std::path::PathBuf;

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

/// The file of device values, if it is there: in the folder that `MARGAY_DEVICE_VALUES` names, else beside the checkout.
#[allow(dead_code, reason = "not every test that shares this module needs it")]
pub fn device_values(name: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    let path = std::env::var_os("MARGAY_DEVICE_VALUES").map_or_else(beside, PathBuf::from).join(name);
    let found = path.is_file();
    if !found {
        eprintln!("not judged by device values: {} is not there", path.display());
    }
    found.then_some(path)
}
