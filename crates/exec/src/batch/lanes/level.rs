//! Levels of vector instructions: which the machine has, and what is chosen by them.

use crate::batch::lanes::portable;
#[cfg(target_arch = "x86_64")]
use crate::batch::lanes::x86;

/// The instructions that operations on many threads use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Simd {
    /// What every machine of the target has.
    Baseline,
    /// AVX2, FMA and the bit operations that come with them.
    Avx2,
    /// AVX-512 with BW, VL, DQ, CD, VBMI, VNNI, BITALG and VPOPCNTDQ.
    Avx512,
    /// AVX-512 with VBMI2 too, and runs of operations compiled to machine code for the kernel at hand.
    Jit,
}

impl Simd {
    /// The best that the machine has.
    pub fn best() -> Simd {
        *Simd::available().last().unwrap_or(&Simd::Baseline)
    }

    /// All that the machine has, the plainest first.
    pub fn available() -> &'static [Simd] {
        #[cfg(target_arch = "x86_64")]
        return x86::available();
        #[cfg(not(target_arch = "x86_64"))]
        &[Simd::Baseline]
    }
}

/// A level of handlers that this machine has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Level(Simd);

impl Level {
    /// The handlers of a level, or of the best one if the machine lacks it.
    pub(crate) fn of(simd: Simd) -> Level {
        match if Simd::available().contains(&simd) { simd } else { Simd::best() } {
            Simd::Jit => Level(Simd::Avx512),
            simd => Level(simd),
        }
    }

    #[inline]
    pub(crate) fn simd(self) -> Simd {
        self.0
    }

    /// The place of its functions among those of all levels.
    #[inline]
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }

    /// Gives each lane a value, from the first one on in equal steps.
    pub(crate) fn ramp(self, lanes: &mut [u64], first: u64, step: u64) {
        // SAFETY: the machine has the level.
        unsafe {
            match self.0 {
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
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::ramp_narrow_avx512(lanes, first, step),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::ramp_narrow_avx2(lanes, first, step),
                _ => portable::ramp_narrow(lanes, first, step),
            }
        }
    }
}
