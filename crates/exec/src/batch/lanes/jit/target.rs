//! The machines that code is made for: how long their vectors are, how many there are, and what moves them.

use crate::batch::lanes::{GROUP, Simd};
use iced_x86::{Code, Register};

/// A machine. Operations become instructions of AVX-512; for a machine without it, these become others ([`legalize`]).
///
/// [`legalize`]: crate::batch::lanes::jit::legalize
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Machine {
    /// Bytes of a vector.
    pub(super) bytes: usize,
    /// Vectors that there are.
    pub(super) vectors: u8,
    /// Whether it has registers for masks, and chooses lanes by them; else masks are vectors, all ones in the lanes that they choose.
    pub(super) has_masks: bool,
    /// Whether it sums up products of bytes and half-words in an instruction.
    pub(super) has_dot: bool,
    /// From memory, to memory, from a vector to another.
    pub(super) load: Code,
    pub(super) store: Code,
    pub(super) copy: Code,
    /// The first vector, and its lower half.
    pub(super) first: Register,
    pub(super) first_half: Register,
}

/// AVX-512 with BW, VL, DQ, CD, VBMI, VBMI2, VNNI, BITALG and VPOPCNTDQ.
pub(super) static AVX512: Machine = Machine {
    bytes: 64,
    vectors: 32,
    has_masks: true,
    has_dot: true,
    load: Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
    store: Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
    copy: Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
    first: Register::ZMM0,
    first_half: Register::YMM0,
};

/// AVX2 with FMA and F16C.
pub(super) static AVX2: Machine = Machine {
    bytes: 32,
    vectors: 16,
    has_masks: false,
    has_dot: false,
    load: Code::VEX_Vmovdqu_ymm_ymmm256,
    store: Code::VEX_Vmovdqu_ymmm256_ymm,
    copy: Code::VEX_Vmovdqa_ymm_ymmm256,
    first: Register::YMM0,
    first_half: Register::XMM0,
};

impl Machine {
    /// The machine of a level, if that has compiled code.
    pub(super) fn of(simd: Simd) -> Option<&'static Machine> {
        match simd {
            Simd::Jit => Some(&AVX512),
            Simd::JitAvx2 => Some(&AVX2),
            Simd::Baseline | Simd::Avx2 | Simd::Avx512 => None,
        }
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
