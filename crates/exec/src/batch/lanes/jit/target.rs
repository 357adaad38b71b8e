//! The machines that code is made for: which instructions they have, how long their vectors are, how many there are, and what moves them.

use crate::batch::lanes::jit::neon::PAIRS;
use crate::batch::lanes::{GROUP, Simd};
use iced_x86::{Code, CpuidFeature, Register};
use std::sync::OnceLock;

/// A machine. Operations become instructions of AVX-512; for a machine without it, these become others ([`legalize`]).
///
/// [`legalize`]: crate::batch::lanes::jit::legalize
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Machine {
    /// How its instructions are encoded.
    pub(super) encoding: Encoding,
    /// The extensions of AVX-512 that it has, of those that are not on every machine with AVX-512 for servers.
    pub(super) extensions: &'static [CpuidFeature],
    /// Bytes of a vector.
    pub(super) bytes: usize,
    /// Vectors that there are.
    pub(super) vectors: u8,
    /// Whether it has registers for masks, and chooses lanes by them; else masks are vectors, all ones in the lanes that they choose.
    pub(super) has_masks: bool,
    /// From memory, to memory, from a vector to another.
    pub(super) load: Code,
    pub(super) store: Code,
    pub(super) copy: Code,
    /// The first vector, and its lower half.
    pub(super) first: Register,
    pub(super) first_half: Register,
}

/// The families of machines, by how instructions are encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    X86,
    /// AArch64, whose pairs of vectors are what is a vector with AVX2.
    Neon,
}

/// What every machine with AVX-512 for servers has, Skylake-X as the first.
pub(super) const BASE: [CpuidFeature; 5] = [
    CpuidFeature::AVX512F,
    CpuidFeature::AVX512BW,
    CpuidFeature::AVX512CD,
    CpuidFeature::AVX512DQ,
    CpuidFeature::AVX512VL,
];

/// The extensions that selected instructions use where there are any.
pub(super) const EXTENSIONS: [CpuidFeature; 4] = [
    CpuidFeature::AVX512_VBMI,
    CpuidFeature::AVX512_VBMI2,
    CpuidFeature::AVX512_VNNI,
    CpuidFeature::AVX512_VPOPCNTDQ,
];

/// AVX-512 with some extensions.
pub(super) const fn avx512(extensions: &'static [CpuidFeature]) -> Machine {
    Machine {
        encoding: Encoding::X86,
        extensions,
        bytes: 64,
        vectors: 32,
        has_masks: true,
        load: Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
        store: Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
        copy: Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
        first: Register::ZMM0,
        first_half: Register::YMM0,
    }
}

/// AVX-512 with every extension.
pub(super) static AVX512: Machine = avx512(&EXTENSIONS);

/// AVX-512 without any.
pub(super) static SKYLAKE: Machine = avx512(&[]);

/// AVX2 with FMA and F16C.
pub(super) static AVX2: Machine = AVX2_VECTORS;

const AVX2_VECTORS: Machine = Machine {
    encoding: Encoding::X86,
    extensions: &[],
    bytes: 32,
    vectors: 16,
    has_masks: false,
    load: Code::VEX_Vmovdqu_ymm_ymmm256,
    store: Code::VEX_Vmovdqu_ymmm256_ymm,
    copy: Code::VEX_Vmovdqa_ymm_ymmm256,
    first: Register::YMM0,
    first_half: Register::XMM0,
};

/// AArch64: as with AVX2, and each vector is a pair.
pub(super) static NEON: Machine = Machine { encoding: Encoding::Neon, vectors: PAIRS, ..AVX2_VECTORS };

impl Machine {
    /// The machine that code of a level is for wherever it is only shown, if the level has compiled code.
    pub(super) fn of(simd: Simd) -> Option<&'static Machine> {
        match simd {
            Simd::Jit => Some(&AVX512),
            Simd::JitSkylake => Some(&SKYLAKE),
            Simd::JitAvx2 => Some(&AVX2),
            Simd::JitNeon => Some(&NEON),
            Simd::Baseline | Simd::Avx2 | Simd::Avx512 => None,
        }
    }

    /// The same where code is to run: with the extensions that there are.
    pub(super) fn here(simd: Simd) -> Option<&'static Machine> {
        static EXTENSIONS_HERE: OnceLock<Vec<CpuidFeature>> = OnceLock::new();
        static HERE: OnceLock<Machine> = OnceLock::new();
        match simd {
            Simd::Jit => Some(HERE.get_or_init(|| avx512(EXTENSIONS_HERE.get_or_init(extensions_here)))),
            simd => Machine::of(simd),
        }
    }

    /// Whether it has an instruction of AVX-512.
    pub(super) fn has(&self, code: Code) -> bool {
        let has = |feature| self.has_masks && BASE.contains(feature) || self.extensions.contains(feature);
        code.cpuid_features().iter().all(has)
    }

    /// Threads whose 32-bit values are a vector: those that are taken at a time.
    pub(super) fn lanes(&self) -> usize {
        self.bytes / size_of::<u32>()
    }

    /// How many times as many such threads make a group.
    pub(super) fn in_group(&self) -> usize {
        GROUP / self.lanes()
    }
}

/// The extensions that this machine has.
#[cfg(target_arch = "x86_64")]
fn extensions_here() -> Vec<CpuidFeature> {
    let is_here = |extension: &CpuidFeature| match extension {
        CpuidFeature::AVX512_VBMI => is_x86_feature_detected!("avx512vbmi"),
        CpuidFeature::AVX512_VBMI2 => is_x86_feature_detected!("avx512vbmi2"),
        CpuidFeature::AVX512_VNNI => is_x86_feature_detected!("avx512vnni"),
        CpuidFeature::AVX512_VPOPCNTDQ => is_x86_feature_detected!("avx512vpopcntdq"),
        _ => false,
    };
    EXTENSIONS.into_iter().filter(is_here).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn extensions_here() -> Vec<CpuidFeature> {
    Vec::new()
}
