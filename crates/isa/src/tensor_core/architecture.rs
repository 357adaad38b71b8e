//! The arithmetic of each architecture's tensor cores as data, and what evidence there is for it.

use super::evidence::{Devices, Evidence};
use super::form::Form;
use crate::float::{F16, F32, Format, Mode, Nan};
use crate::floor::Target;
use crate::words::Word;

/// How a device adds floating-point products: all terms in units of 2^(E - `fraction`), where E is the greatest exponent among them
/// and at least `integer` below that of the least normal result; cut off towards 0, added exactly, rounded once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sum {
    /// Fraction bits that terms are cut to.
    pub fraction: i32,
    /// How far below the least normal result's exponent the greatest one is taken to be at least: the bits before the point that
    /// the device's adder needs for the sum.
    pub integer: i32,
    /// How many products are added at once, with C or the sum before.
    pub length: usize,
    /// What sums are rounded to.
    pub result: Narrow,
}

impl Sum {
    /// The least exponent that terms are aligned to.
    pub fn least_exponent(&self) -> i32 {
        self.result.format().least_exponent() - self.integer
    }
}

/// What a sum is rounded to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Narrow {
    /// `.f32`, towards 0; beyond the greatest number to infinity.
    Single,
    /// `.f32` with 13 fraction bits only, towards 0; beyond the greatest number to infinity.
    SingleOf13,
    /// `.f16`, to the nearest.
    Half,
}

/// Single precision without its ten low bits.
static F32_OF_13: Format = Format {
    name: "f32 with 13 fraction bits",
    bits: 32,
    exponent: 8,
    precision: 14,
    bias: 127,
    signed: true,
    unused: 10,
    special: crate::float::Special::Ieee,
    nan: Nan::Canonical(0x7fff_ffff),
};

impl Narrow {
    /// The numbers that results are.
    pub fn format(self) -> &'static Format {
        match self {
            Narrow::Single => &F32,
            Narrow::SingleOf13 => &F32_OF_13,
            Narrow::Half => &F16,
        }
    }

    /// The numbers that C may be.
    pub(super) fn accumulator(self) -> &'static Format {
        if self == Narrow::Half { &F16 } else { &F32 }
    }

    /// How it is rounded.
    pub fn rounding(self) -> Mode {
        if self == Narrow::Half { Mode::Nearest } else { Mode::Zero }
    }
}

/// By which steps a product is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Exact sums of integers, wrapped or clamped once.
    Integers,
    /// Numbers of ones in combined bits.
    Ones,
    /// A chain of `.f64` multiply-adds, each rounded.
    Chain,
    /// Scalar `.f32` multiply-adds, to the nearest.
    Scalars,
    /// One sum after the other.
    Sums(Sum),
    /// Factors of 8 bits as `.f16`, in two sums, of which the second goes on with the first; then C is added to the nearest.
    Halves(Sum),
    /// Sums of products with scales.
    Scaled(Sum),
    /// Sums of exact sums of sixteen products with scales.
    ScaledGroups(Sum),
}

/// The arithmetic of a form on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arithmetic {
    /// What the architecture is called.
    pub architecture: &'static str,
    /// By which steps.
    pub method: Method,
    /// What stands behind it.
    pub evidence: Evidence,
}

/// An architecture: its sums, and the devices whose results they reproduce.
struct Architecture {
    name: &'static str,
    /// The targets, from the first number to the last.
    targets: (u16, u16),
    fraction: i32,
    integer: i32,
    /// Bytes of a row or column that are summed at once.
    bytes: usize,
    /// Devices with results for `.f16`, and from Ampere on for `.bf16` and `.tf32`.
    devices: Devices,
    small: Small,
}

/// What an architecture does with `.e4m3` and `.e5m2`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Small {
    /// It adds them as it adds others.
    Alike,
    /// It adds them with 13 fraction bits.
    Of13,
    /// It multiplies them as `.f16`.
    AsHalves,
}

/// Which device was asked about all forms on drawn matrices (`bench/data/device`).
const ASKED: [(&str, u16); 1] = [("H200", 90)];

const ARCHITECTURES: &[Architecture] = &[
    Architecture {
        name: "Volta",
        targets: (0, 74),
        fraction: 23,
        integer: 5,
        bytes: 8,
        devices: &[("V100", 70)],
        small: Small::Alike,
    },
    Architecture {
        name: "Turing",
        targets: (75, 79),
        fraction: 24,
        integer: 6,
        bytes: 16,
        devices: &[],
        small: Small::Alike,
    },
    Architecture {
        name: "Ampere",
        targets: (80, 88),
        fraction: 24,
        integer: 6,
        bytes: 16,
        devices: &[("A100", 80), ("A2", 86)],
        small: Small::Alike,
    },
    Architecture {
        name: "Ada",
        targets: (89, 89),
        fraction: 24,
        integer: 6,
        bytes: 16,
        devices: &[("RTX 1000 Ada", 89), ("L40S", 89)],
        small: Small::Of13,
    },
    Architecture {
        name: "Hopper",
        targets: (90, 99),
        fraction: 25,
        integer: 7,
        bytes: 32,
        devices: &[("H100", 90), ("H200", 90)],
        small: Small::AsHalves,
    },
    Architecture {
        name: "Blackwell",
        targets: (100, 119),
        fraction: 25,
        integer: 7,
        bytes: 32,
        devices: &[("B200", 100)],
        small: Small::AsHalves,
    },
    Architecture {
        name: "RTX Blackwell",
        targets: (120, u16::MAX),
        fraction: 25,
        integer: 7,
        bytes: 32,
        devices: &[],
        small: Small::Alike,
    },
];

/// The arithmetic of a form on a device. Devices that do not have the form get that of their architecture all the same.
pub fn arithmetic(form: &Form, device: Target) -> Arithmetic {
    let within = |a: &&Architecture| (a.targets.0..=a.targets.1).contains(&device.number);
    let architecture = ARCHITECTURES.iter().find(within).unwrap_or(&ARCHITECTURES[0]);
    let (method, evidence) = match form.a {
        Word::F64 => (Method::Chain, Evidence::Manual),
        Word::B1 => (Method::Ones, Evidence::Manual),
        Word::S8 | Word::U8 | Word::S4 | Word::U4 => (Method::Integers, Evidence::Manual),
        _ => floating(architecture, form, device),
    };
    Arithmetic { architecture: architecture.name, method, evidence }
}

fn floating(architecture: &Architecture, form: &Form, device: Target) -> (Method, Evidence) {
    let bytes = match form.a {
        Word::Tf32 => 4,
        Word::F16 | Word::Bf16 => 2,
        _ => 1,
    };
    // Where C or D is of single precision the sum is: then C is taken as such, and D is rounded to nearest once more.
    let halves = form.c == Word::F16 && form.d == Word::F16;
    // `wmma` on `.tf32` is two instructions one after the other, each of half the depth.
    let halved = bytes == 4 && form.shape.n == 16 && !form.asynchronous;
    let length = architecture.bytes / bytes;
    let sum = Sum {
        fraction: architecture.fraction,
        integer: architecture.integer,
        length: if halved { length.min(form.shape.k as usize / 2) } else { length },
        result: if halves { Narrow::Half } else { Narrow::Single },
    };
    match form.kind {
        Word::KindMxf8f6f4 => return (Method::Scaled(sum), Evidence::Algorithm),
        Word::KindMxf4 | Word::KindMxf4nvf4 => {
            return (
                Method::ScaledGroups(Sum { fraction: 35, integer: 13, length: 64, ..sum }),
                Evidence::Algorithm,
            );
        }
        _ => {}
    }
    let measured = match architecture.devices {
        [] => Evidence::Algorithm,
        _ if form.asynchronous => Evidence::Algorithm,
        devices if devices.iter().all(|(_, number)| *number != device.number) => Evidence::Kin(devices),
        // The published results are of sums of four.
        _ if bytes == 4 && form.shape.k > 4 && device.number == 90 => Evidence::Devices(&ASKED),
        devices if bytes == 4 && form.shape.k > 4 && sum.length > 4 => Evidence::Shorter(devices),
        devices => Evidence::Devices(devices),
    };
    let quadrupled = (form.shape.m, form.shape.n, form.shape.k) == (8, 8, 4);
    let (method, evidence) = match architecture.small {
        _ if quadrupled && device.number >= 80 => {
            let evidence = match form.a {
                Word::F16 if device.number == 90 => Evidence::Devices(&ASKED),
                Word::F16 => Evidence::Assembler,
                _ => Evidence::None,
            };
            (Method::Scalars, evidence)
        }
        _ if quadrupled && device.number >= 75 => {
            (Method::Sums(Sum { fraction: 23, integer: 5, length: 4, ..sum }), Evidence::Algorithm)
        }
        Small::Of13 if bytes == 1 => (Method::Sums(of_13(sum)), measured),
        // Products into tensor memory add them as they add others.
        Small::AsHalves if bytes == 1 && form.asynchronous && architecture.targets.0 >= 100 => {
            (Method::Sums(sum), measured)
        }
        Small::AsHalves if bytes == 1 && form.asynchronous => {
            let evidence = if halves { Evidence::Algorithm } else { Evidence::Devices(architecture.devices) };
            (Method::Sums(of_13(sum)), evidence)
        }
        Small::AsHalves if bytes == 1 => {
            // Published results of Hopper with sums of single precision are those of warpgroups.
            let evidence = match device.number {
                90 if !halves => Evidence::Devices(&ASKED),
                ..100 if !halves => Evidence::Assembler,
                _ => measured,
            };
            (Method::Halves(Sum { length: architecture.bytes / 2, ..sum }), evidence)
        }
        _ => (Method::Sums(sum), measured),
    };
    // A device was asked about `.tf32` with metadata that mean nothing, and about this other form with selectors that it refuses.
    let unanswered = form.a == Word::Tf32 || (form.a, form.d, form.shape.k) == (Word::F16, Word::F32, 32);
    let evidence = match form.sparse {
        false => evidence,
        true if device.number == 90 && !unanswered && !form.asynchronous => Evidence::Devices(&ASKED),
        true => Evidence::None,
    };
    (method, evidence)
}

/// The sum with 13 fraction bits.
fn of_13(sum: Sum) -> Sum {
    let result = if sum.result == Narrow::Half { Narrow::Half } else { Narrow::SingleOf13 };
    Sum { fraction: 13, result, ..sum }
}
