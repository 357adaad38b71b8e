//! What tests share: small random numbers that are the same in every run (xorshift), and where what devices compute is found.

use std::io::Write;
use std::path::{Path, PathBuf};

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

/// The file of device values in the folder that `MARGAY_DEVICE_VALUES` names; none where it names none.
///
/// # Panics
/// If the folder lacks the file: who names one wants to be judged by it.
#[allow(dead_code, reason = "not every test that shares this module needs it")]
pub fn device_values(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("MARGAY_DEVICE_VALUES") else {
        // Not with `eprintln!`, which is not shown of a test that passes.
        let _ = writeln!(std::io::stderr(), "not judged by `{name}`: `MARGAY_DEVICE_VALUES` names no folder");
        return None;
    };
    let path = Path::new(&folder).join(name);
    assert!(path.is_file(), "{} is not there", path.display());
    Some(path)
}
