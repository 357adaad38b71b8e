//! Questions about single instructions that only a device can answer, as data: which instructions, on which operands.

/// Instructions that are carried out on a device and by margay, and compared.
pub struct Experiment {
    pub name: &'static str,
    pub question: &'static str,
    /// Instructions with the operands of their syntax lines; `[m]` is a cell that holds the first value before.
    pub forms: &'static [&'static str],
    pub inputs: Inputs,
}

/// The values of the sources.
#[derive(Clone, Copy)]
pub enum Inputs {
    /// Every pattern of 32 bits.
    Words,
    /// Every pattern of 16 bits.
    Halves,
    /// Every pair of patterns of 16 bits.
    HalfPairs,
    /// Every upper half of 64 bits, above zeros.
    UpperHalves,
    /// The same above other bits.
    UpperHalvesAndMore,
    /// Numbers of 32 bits drawn from every pattern, the first source each number once.
    Drawn,
    /// These in every place, in every combination.
    Of(&'static [u64]),
}

impl Inputs {
    /// How many combinations there are for so many sources.
    pub fn count(self, sources: usize) -> u64 {
        match self {
            Inputs::Halves => 1 << 16,
            Inputs::Of(list) => (list.len() as u64).pow(sources as u32),
            _ => 1 << 32,
        }
    }

    /// The value of a source in one of the combinations, where these are few.
    pub fn value(self, index: u64, source: usize) -> u64 {
        match self {
            Inputs::Of(list) => {
                let len = list.len() as u64;
                list[(index / len.pow(source as u32) % len) as usize]
            }
            _ => index,
        }
    }

    /// Whether there are so few that each result is fetched.
    pub fn are_few(self) -> bool {
        matches!(self, Inputs::Halves | Inputs::Of(_))
    }
}

/// Zeros, ones, infinities, quiet and signalling NaNs with payloads, the greatest subnormal and the least normal number.
const DOUBLES: &[u64] = &[
    0,
    1 << 63,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_00aa,
    0xfff8_0000_0000_00bb,
    0x7ff0_0000_0000_00cc,
    0xfff0_0000_0000_00dd,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x41ef_ffff_ffe0_0000,
    0x43f0_0000_0000_0000,
];
const SINGLES: &[u64] = &[
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_00aa,
    0xffc0_00bb,
    0x7f80_00cc,
    0xff80_00dd,
    0x7f80_2000,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x3300_0000,
];
const HALVES: &[u64] =
    &[0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7eaa, 0xfebb, 0x7c0c, 0xfc0d, 0x03ff, 0x8001, 0x0400];
const BRAIN_HALVES: &[u64] =
    &[0, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fea, 0xffeb, 0x7f8c, 0xff8d, 0x007f, 0x8001, 0x0080];
/// Products at the edge of the normal numbers, where flushing before and after rounding differ.
const EDGES: &[u64] = &[
    0x3f7f_fffd,
    0x3f7f_fffe,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x3f00_0000,
    0x3f00_0001,
    0x0080_0000,
    0x0080_0001,
    0x00ff_fffe,
    0x00ff_ffff,
    0x8080_0000,
    0x80ff_fffe,
    0,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
];

/// Whether an experiment on so many operands can be carried out in parts.
pub fn is_in_parts(name: &str) -> bool {
    EXPERIMENTS.iter().any(|experiment| experiment.name == name && !experiment.inputs.are_few())
}

pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "E1",
        question: "are the tables of the approximate functions this device's?",
        forms: &[
            "rcp.approx.f32 d, a",
            "rcp.approx.ftz.f32 d, a",
            "sqrt.approx.f32 d, a",
            "sqrt.approx.ftz.f32 d, a",
            "rsqrt.approx.f32 d, a",
            "rsqrt.approx.ftz.f32 d, a",
            "sin.approx.f32 d, a",
            "sin.approx.ftz.f32 d, a",
            "cos.approx.f32 d, a",
            "cos.approx.ftz.f32 d, a",
            "lg2.approx.f32 d, a",
            "lg2.approx.ftz.f32 d, a",
            "ex2.approx.f32 d, a",
            "ex2.approx.ftz.f32 d, a",
        ],
        inputs: Inputs::Words,
    },
    Experiment {
        name: "E2",
        question: "what does tanh.approx.f32 compute?",
        forms: &["tanh.approx.f32 d, a"],
        inputs: Inputs::Words,
    },
    Experiment {
        name: "E3",
        question: "what do the half-precision units compute?",
        forms: &[
            "ex2.approx.f16 d, a",
            "tanh.approx.f16 d, a",
            "ex2.approx.ftz.bf16 d, a",
            "tanh.approx.bf16 d, a",
        ],
        inputs: Inputs::Halves,
    },
    Experiment {
        name: "E4",
        question: "which NaN does f64 arithmetic give?",
        forms: &[
            "add.rn.f64 d, a, b",
            "sub.rn.f64 d, a, b",
            "mul.rn.f64 d, a, b",
            "fma.rn.f64 d, a, b, c",
            "div.rn.f64 d, a, b",
            "rcp.rn.f64 d, a",
            "sqrt.rn.f64 d, a",
            "neg.f64 d, a",
            "abs.f64 d, a",
            "min.f64 d, a, b",
            "max.f64 d, a, b",
            "cvt.rn.f32.f64 d, a",
            "cvt.rni.f64.f64 d, a",
            "cvt.sat.f64.f64 d, a",
            "atom.global.add.f64 d, [m], b",
        ],
        inputs: Inputs::Of(DOUBLES),
    },
    Experiment {
        name: "E5",
        question: "which NaN, and which zero, do f32 operations give?",
        forms: &[
            "add.rn.f32 d, a, b",
            "mul.rn.f32 d, a, b",
            "fma.rn.f32 d, a, b, c",
            "div.rn.f32 d, a, b",
            "neg.f32 d, a",
            "abs.f32 d, a",
            "neg.ftz.f32 d, a",
            "abs.ftz.f32 d, a",
            "min.f32 d, a, b",
            "max.f32 d, a, b",
            "min.NaN.f32 d, a, b",
            "max.xorsign.abs.f32 d, a, b",
            "cvt.f64.f32 d, a",
            "cvt.ftz.f64.f32 d, a",
            "cvt.ftz.f32.f32 d, a",
            "cvt.rni.f32.f32 d, a",
            "cvt.rzi.f32.f32 d, a",
            "cvt.rna.tf32.f32 d, a",
            "cvt.rn.tf32.f32 d, a",
            "cvt.rz.tf32.f32 d, a",
            "cvt.rn.relu.tf32.f32 d, a",
            "cvt.rn.f16.f32 d, a",
            "cvt.rn.bf16.f32 d, a",
            "cvt.rn.relu.bf16.f32 d, a",
        ],
        inputs: Inputs::Of(SINGLES),
    },
    Experiment {
        name: "E5h",
        question: "which NaN, and which zero, do half-precision operations give?",
        forms: &[
            "add.f16 d, a, b",
            "mul.f16 d, a, b",
            "fma.rn.f16 d, a, b, c",
            "fma.rn.relu.f16 d, a, b, c",
            "neg.f16 d, a",
            "abs.f16 d, a",
            "min.f16 d, a, b",
            "max.NaN.f16 d, a, b",
            "add.sat.f16 d, a, b",
            "cvt.f32.f16 d, a",
            "cvt.f64.f16 d, a",
        ],
        inputs: Inputs::Of(HALVES),
    },
    Experiment {
        name: "E5b",
        question: "the same for bf16",
        forms: &[
            "fma.rn.bf16 d, a, b, c",
            "fma.rn.relu.bf16 d, a, b, c",
            "neg.bf16 d, a",
            "abs.bf16 d, a",
            "min.bf16 d, a, b",
            "max.NaN.bf16 d, a, b",
            "cvt.f32.bf16 d, a",
        ],
        inputs: Inputs::Of(BRAIN_HALVES),
    },
    Experiment {
        name: "E6",
        question: "is flushing decided after rounding with unbounded exponent?",
        forms: &[
            "mul.rn.ftz.f32 d, a, b",
            "mul.rz.ftz.f32 d, a, b",
            "mul.rm.ftz.f32 d, a, b",
            "mul.rp.ftz.f32 d, a, b",
            "fma.rn.ftz.f32 d, a, b, c",
            "fma.rz.ftz.f32 d, a, b, c",
            "fma.rm.ftz.f32 d, a, b, c",
            "fma.rp.ftz.f32 d, a, b, c",
            "add.rn.ftz.f32 d, a, b",
            "div.rn.ftz.f32 d, a, b",
        ],
        inputs: Inputs::Of(EDGES),
    },
    Experiment {
        name: "E6h",
        question: "the same for f16, and saturation",
        forms: &["add.ftz.f16 d, a, b", "mul.ftz.f16 d, a, b", "add.sat.f16 d, a, b", "mul.sat.f16 d, a, b"],
        inputs: Inputs::HalfPairs,
    },
    Experiment {
        name: "E7",
        question: "does bf16 arithmetic round once, with subnormal numbers?",
        forms: &["add.bf16 d, a, b", "sub.bf16 d, a, b", "mul.bf16 d, a, b"],
        inputs: Inputs::HalfPairs,
    },
    Experiment {
        name: "E8",
        question: "are conversions to and from 8 bits as NVIDIA's headers have them?",
        forms: &["cvt.rn.f16x2.e4m3x2 d, a", "cvt.rn.f16x2.e5m2x2 d, a"],
        inputs: Inputs::Halves,
    },
    Experiment {
        name: "E8w",
        question: "the same from pairs of halves",
        forms: &["cvt.rn.satfinite.e4m3x2.f16x2 d, a", "cvt.rn.satfinite.relu.e5m2x2.f16x2 d, a"],
        inputs: Inputs::Words,
    },
    Experiment {
        name: "E9",
        question: "do atomic additions flush, and in which memory?",
        forms: &["atom.global.add.f32 d, [m], b", "atom.shared.add.f32 d, [m], b"],
        inputs: Inputs::Of(SINGLES),
    },
    Experiment {
        name: "E10",
        question: "what do conversions to integers make of NaNs and of what is too large?",
        forms: &[
            "cvt.rzi.s8.f32 d, a",
            "cvt.rzi.u8.f32 d, a",
            "cvt.rzi.s16.f32 d, a",
            "cvt.rzi.u16.f32 d, a",
            "cvt.rzi.s32.f32 d, a",
            "cvt.rzi.u32.f32 d, a",
            "cvt.rzi.s64.f32 d, a",
            "cvt.rzi.u64.f32 d, a",
            "cvt.rpi.ftz.s32.f32 d, a",
        ],
        inputs: Inputs::Of(SINGLES),
    },
    Experiment {
        name: "E10d",
        question: "the same from f64",
        forms: &[
            "cvt.rzi.s8.f64 d, a",
            "cvt.rzi.u16.f64 d, a",
            "cvt.rzi.s32.f64 d, a",
            "cvt.rzi.u32.f64 d, a",
            "cvt.rzi.s64.f64 d, a",
            "cvt.rzi.u64.f64 d, a",
        ],
        inputs: Inputs::Of(DOUBLES),
    },
    Experiment {
        name: "E11",
        question: "are the approximate functions of f64 those of the upper 32 bits?",
        forms: &["rcp.approx.ftz.f64 d, a", "rsqrt.approx.ftz.f64 d, a", "rsqrt.approx.f64 d, a"],
        inputs: Inputs::UpperHalves,
    },
    Experiment {
        name: "E11m",
        question: "and do their lower 32 bits matter?",
        forms: &["rcp.approx.ftz.f64 d, a", "rsqrt.approx.ftz.f64 d, a", "rsqrt.approx.f64 d, a"],
        inputs: Inputs::UpperHalvesAndMore,
    },
    Experiment {
        name: "E12",
        question: "which NaN do `.oob` operations take for zero?",
        forms: &["fma.rn.oob.f16 d, a, 0x3c00, 0x3c00", "fma.rn.oob.bf16 d, a, 0x3f80, 0x3f80"],
        inputs: Inputs::Halves,
    },
    Experiment {
        name: "E13",
        question: "is `.ftz` without effect on conversions from f32 to f16?",
        forms: &["cvt.rp.ftz.f16.f32 d, a", "cvt.rm.ftz.f16.f32 d, a"],
        inputs: Inputs::Words,
    },
    Experiment {
        name: "E14",
        question: "what do approximate divisions compute?",
        forms: &[
            "div.approx.f32 d, a, b",
            "div.approx.ftz.f32 d, a, b",
            "div.full.f32 d, a, b",
            "div.full.ftz.f32 d, a, b",
        ],
        inputs: Inputs::Drawn,
    },
    Experiment {
        name: "E15",
        question: "is arithmetic on drawn numbers rounded as the manual says?",
        forms: &[
            "add.rz.ftz.f32 d, a, b",
            "sub.rp.f32 d, a, b",
            "mul.rm.f32 d, a, b",
            "fma.rn.f32 d, a, b, c",
            "fma.rp.ftz.f32 d, a, b, c",
            "div.rn.f32 d, a, b",
            "div.rz.ftz.f32 d, a, b",
            "fma.rn.f16x2 d, a, b, c",
            "fma.rn.relu.bf16x2 d, a, b, c",
            "fma.rn.ftz.sat.f16x2 d, a, b, c",
            "cvt.rn.f16x2.f32 d, a, b",
            "cvt.rz.relu.bf16x2.f32 d, a, b",
            "cvt.rn.satfinite.e4m3x2.f32 d, a, b",
            "cvt.rn.satfinite.relu.e5m2x2.f32 d, a, b",
        ],
        inputs: Inputs::Drawn,
    },
    Experiment {
        name: "E16",
        question: "are functions and conversions of one number right for all numbers?",
        forms: &[
            "rcp.rn.f32 d, a",
            "rcp.rp.ftz.f32 d, a",
            "sqrt.rn.f32 d, a",
            "sqrt.rm.ftz.f32 d, a",
            "cvt.rna.tf32.f32 d, a",
            "cvt.rn.f16.f32 d, a",
            "cvt.rz.bf16.f32 d, a",
            "cvt.rni.s32.f32 d, a",
            "cvt.rpi.u8.f32 d, a",
            "cvt.rzi.ftz.s64.f32 d, a",
            "cvt.rn.f32.s32 d, a",
            "cvt.rp.f32.u32 d, a",
            "cvt.rz.f16.u32 d, a",
        ],
        inputs: Inputs::Words,
    },
];
