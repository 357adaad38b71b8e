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
    /// AVX2 with F16C too, and runs of operations compiled to machine code for the kernel at hand.
    JitAvx2,
    /// AVX-512 with BW, VL, DQ, CD, VBMI, VNNI, BITALG and VPOPCNTDQ.
    Avx512,
    /// AVX-512 with BW, VL, DQ and CD alone, for runs of operations compiled to machine code for the kernel at hand; AVX2 for
    /// everything else.
    JitSkylake,
    /// The same with what the machine has of VBMI, VBMI2, VNNI and VPOPCNTDQ; AVX-512 for everything else, if it is there.
    Jit,
}

impl Simd {
    /// The best that the machine has: one with machine code, which gains more than longer vectors do.
    pub fn best() -> Simd {
        let there = Simd::available();
        let compiles = there.iter().rev().find(|level| level.compiles());
        *compiles.or(there.last()).unwrap_or(&Simd::Baseline)
    }

    /// Whether runs of operations are compiled to machine code.
    pub fn compiles(self) -> bool {
        matches!(self, Simd::JitAvx2 | Simd::JitSkylake | Simd::Jit)
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
            Simd::Jit if Simd::available().contains(&Simd::Avx512) => Level(Simd::Avx512),
            Simd::Jit | Simd::JitSkylake | Simd::JitAvx2 => Level(Simd::Avx2),
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
        match self.0 {
            Simd::Baseline => 0,
            Simd::Avx512 => 2,
            Simd::Avx2 | Simd::JitAvx2 | Simd::JitSkylake | Simd::Jit => 1,
        }
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
