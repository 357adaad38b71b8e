//! Lanes with values in equal steps.

use crate::batch::lanes::Level;
use crate::batch::lanes::portable;
#[cfg(target_arch = "x86_64")]
use crate::batch::lanes::{Simd, x86};

impl Level {
    /// Gives each lane a value, from the first one on in equal steps.
    pub(crate) fn ramp(self, lanes: &mut [u64], first: u64, step: u64) {
        // SAFETY: the machine has the level.
        unsafe {
            match self.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::ramp_avx512(lanes, first, step),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::ramp_avx2(lanes, first, step),
                _ => portable::ramp(lanes, first, step),
            }
        }
    }

    /// The same in 32 bits.
    pub(crate) fn ramp_narrow(self, lanes: &mut [u32], first: u32, step: u32) {
        // SAFETY: the machine has the level.
        unsafe {
            match self.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::ramp_narrow_avx512(lanes, first, step),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::ramp_narrow_avx2(lanes, first, step),
                _ => portable::ramp_narrow(lanes, first, step),
            }
        }
    }
}
