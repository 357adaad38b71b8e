//! What a kernel is that is measured, and the eight of integers: their launches at a size, and who else can do the same work.

use crate::buffer::Buffer;
use crate::hand;
use crate::level::is_avx512;
use crate::plain::natively;
use margay_exec::Simd;

/// A launch with its input.
pub struct Case {
    /// Input buffers in parameter order; the output follows them.
    pub inputs: Vec<Buffer>,
    /// Words of output.
    pub output: usize,
    /// Parameters behind the output.
    pub scalars: Vec<u32>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads in each block.
    pub block: [u32; 3],
}

impl Case {
    /// Bytes that have to be read or written at least once.
    pub fn bytes(&self) -> usize {
        4 * (self.inputs.iter().map(|i| i.len()).sum::<usize>() + self.output)
    }
}

/// What results of others than the device may differ in.
#[derive(Clone, Copy)]
pub enum Results {
    /// Nothing.
    Bits,
    /// `f32`, by this share of the number and the mean magnitude of all, which stands for what cancelled out in sums.
    Floats(f32),
    /// Pairs of `f16`, likewise.
    Halves(f32),
}

/// A kernel that is measured.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// How the command line names it.
    pub short: &'static str,
    /// What it does.
    pub title: &'static str,
    /// Its name in the module.
    pub entry: &'static str,
    /// Makes a launch of a size.
    pub case: fn(usize) -> Case,
    /// Plain Rust, one thread after the other, compiled for a level.
    pub plain: fn(Simd, &Case, &mut [u32]),
    /// Sizes in threads, in words for K5 and K7, whose threads take many: result checks only; what the second-level cache holds; what only memory holds.
    pub sizes: [usize; 3],
    /// The ratio to the version written by hand for AVX-512 that one worker must reach.
    pub bar: f64,
    /// How results are compared. Those of margay's engines are the same bits in any case.
    pub results: Results,
}

/// The same for AVX2, for every kernel.
const AVX2_BAR: f64 = 2.5;

impl Kernel {
    /// The ratio to the version written by hand for a level that one worker must reach.
    pub fn bar(&self, level: Simd) -> f64 {
        if is_avx512(level) { self.bar } else { AVX2_BAR }
    }

    /// Does the work of a case by the version written by hand for a level; the output starts as zeros.
    pub fn by_hand(&self, level: Simd, case: &Case, out: &mut [u32]) {
        match hand::version(self.short, level) {
            // SAFETY: the machine has the level.
            Some(version) => unsafe { version(case, out) },
            None => (self.plain)(level, case, out),
        }
    }
}

pub const SMOKE: usize = 0;
pub const CACHE: usize = 1;
pub const MEMORY: usize = 2;

const BLOCK: usize = 256;

/// Threads in a row, in blocks of 256.
pub fn flat(size: usize, inputs: Vec<Buffer>, output: usize, scalars: Vec<u32>) -> Case {
    let block = BLOCK.min(size);
    Case { inputs, output, scalars, grid: [size.div_ceil(block) as u32, 1, 1], block: [block as u32, 1, 1] }
}

/// A grid whose threads walk through words in strides: as many blocks as give each thread 64 words, at most 1024.
fn strided(size: usize, output: usize, seed: u64) -> Case {
    let inputs = vec![Buffer::random(size, u32::MAX, seed)];
    let blocks = (size / (64 * BLOCK)).clamp(1, 1024) as u32;
    Case { inputs, output, scalars: vec![size as u32], grid: [blocks, 1, 1], block: [BLOCK as u32, 1, 1] }
}

/// Distance of rows in K2, in words.
pub fn pitch(size: usize) -> usize {
    size + 16
}

/// Rounds of K3.
pub const ROUNDS: u32 = 1000;

/// The side of K6's output and its depth in words: a quarter of the depth in bytes.
fn product(size: usize) -> Case {
    let side = size.isqrt() / 16 * 16;
    let depth = side;
    let inputs = vec![Buffer::random(side * depth, u32::MAX, 71), Buffer::random(side * depth, u32::MAX, 72)];
    let grid = [side as u32 / 16, side as u32 / 16, 1];
    let scalars = vec![side as u32, depth as u32];
    Case { inputs, output: side * side, scalars, grid, block: [16, 16, 1] }
}

/// All eight, in order.
pub fn kernels() -> Vec<Kernel> {
    vec![
        Kernel {
            short: "K1",
            title: "differences",
            entry: "k1_sad",
            case: |n| {
                let words = |seed| Buffer::random(n, u32::MAX, seed);
                flat(n, vec![words(1), words(2), words(3)], n, vec![n as u32])
            },
            plain: natively::<'K', 1>,
            sizes: [1000, 1 << 16, 1 << 24],
            bar: 2.0,
            results: Results::Bits,
        },
        Kernel {
            short: "K2",
            title: "block matching",
            entry: "k2_match",
            case: |n| {
                let rows = |seed| Buffer::random(17 * pitch(n), u32::MAX, seed);
                flat(n, vec![rows(4), rows(5)], n, vec![pitch(n) as u32, n as u32])
            },
            plain: natively::<'K', 2>,
            sizes: [600, 1 << 13, 1 << 20],
            bar: 1.8,
            results: Results::Bits,
        },
        Kernel {
            short: "K3",
            title: "register mix",
            entry: "k3_mix",
            case: |n| flat(n, vec![], n, vec![ROUNDS]),
            plain: natively::<'K', 3>,
            sizes: [160, 1 << 14, 1 << 17],
            bar: 1.3,
            results: Results::Bits,
        },
        Kernel {
            short: "K4",
            title: "Collatz",
            entry: "k4_collatz",
            case: |n| flat(n, vec![Buffer::random(n, 1_000_000, 6)], n, vec![n as u32]),
            plain: natively::<'K', 4>,
            sizes: [1000, 1 << 16, 1 << 19],
            bar: 2.0,
            results: Results::Bits,
        },
        Kernel {
            short: "K5",
            title: "sum",
            entry: "k5_reduce",
            case: |n| strided(n, 1, 7),
            plain: natively::<'K', 5>,
            sizes: [10_000, 1 << 18, 1 << 26],
            bar: 2.0,
            results: Results::Bits,
        },
        Kernel {
            short: "K6",
            title: "int8 product",
            entry: "k6_gemm",
            case: product,
            plain: natively::<'K', 6>,
            sizes: [48 * 48, 256 * 256, 1024 * 1024],
            bar: 2.5,
            results: Results::Bits,
        },
        Kernel {
            short: "K7",
            title: "histogram",
            entry: "k7_hist",
            case: |n| strided(n, 256, 8),
            plain: natively::<'K', 7>,
            sizes: [10_000, 1 << 18, 1 << 24],
            bar: 2.5,
            results: Results::Bits,
        },
        Kernel {
            short: "K8",
            title: "SHA-256",
            entry: "k8_sha256",
            case: |n| flat(n, vec![Buffer::random(16 * n, u32::MAX, 9)], 8 * n, vec![n as u32]),
            plain: natively::<'K', 8>,
            sizes: [300, 1 << 13, 1 << 19],
            bar: 1.8,
            results: Results::Bits,
        },
    ]
}
