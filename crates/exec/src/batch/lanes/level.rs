//! Levels of vector instructions: which the machine has, and what is chosen by them.

use crate::batch::lanes::executable;
use std::sync::OnceLock;

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
    /// Runs of operations compiled to machine code of AArch64; what every such machine has for everything else.
    JitNeon,
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
        matches!(self, Simd::JitAvx2 | Simd::JitSkylake | Simd::Jit | Simd::JitNeon)
    }

    /// All that the machine has, the plainest first.
    pub fn available() -> &'static [Simd] {
        static LEVELS: OnceLock<Vec<Simd>> = OnceLock::new();
        LEVELS.get_or_init(|| detected(executable::is_allowed()))
    }
}

/// Those that an x86-64 machine has.
#[cfg(target_arch = "x86_64")]
fn detected(may_compile: bool) -> Vec<Simd> {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt");
    let base = avx2
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512cd");
    let avx512 = base
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vnni")
        && is_x86_feature_detected!("avx512bitalg")
        && is_x86_feature_detected!("avx512vpopcntdq");
    let mut levels = vec![Simd::Baseline];
    levels.extend(avx2.then_some(Simd::Avx2));
    levels.extend((avx2 && may_compile).then_some(Simd::JitAvx2));
    levels.extend(avx512.then_some(Simd::Avx512));
    if base && may_compile {
        levels.extend([Simd::JitSkylake, Simd::Jit]);
    }
    levels
}

/// Those that an AArch64 machine has.
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
fn detected(may_compile: bool) -> Vec<Simd> {
    if may_compile { vec![Simd::Baseline, Simd::JitNeon] } else { vec![Simd::Baseline] }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
fn detected(_: bool) -> Vec<Simd> {
    vec![Simd::Baseline]
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
            Simd::JitNeon => Level(Simd::Baseline),
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
            Simd::Baseline | Simd::JitNeon => 0,
            Simd::Avx512 => 2,
            Simd::Avx2 | Simd::JitAvx2 | Simd::JitSkylake | Simd::Jit => 1,
        }
    }
}
