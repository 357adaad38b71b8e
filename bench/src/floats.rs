//! The ten floating-point and matrix kernels, and approximate functions by themselves, as `case.rs` has the eight others.

use crate::buffer::Buffer;
use crate::case::{Case, Kernel, Results, flat};
use crate::plain::natively;

/// nvcc's PTX of them; what it was made of lies beside it.
pub const PTX: &str = include_str!("../data/floats.ptx");

/// Elements of a row in F3 and F4.
const ROW: usize = 1024;

/// Most steps in F7.
const STEPS: u32 = 256;

/// A product of square matrices whose elements take so many bytes, by blocks of 64 by 64.
fn tensor(size: usize, bytes: usize, input: impl Fn(usize, u64) -> Buffer) -> Case {
    let side = size.isqrt() / 64 * 64;
    let words = side * side * bytes / 4;
    Case {
        inputs: vec![input(words, 91), input(words, 92)],
        output: side * side,
        scalars: vec![side as u32, (side * bytes) as u32],
        grid: [side as u32 / 64, side as u32 / 64, 1],
        block: [128, 1, 1],
    }
}

/// Numbers in a range, that look random.
fn numbers(count: usize, low: f32, high: f32, seed: u64) -> Buffer {
    Buffer::floats(count, low, high, seed)
}

/// All ten, in order.
pub fn kernels() -> Vec<Kernel> {
    vec![
        Kernel {
            short: "F1",
            title: "saxpy",
            entry: "f1_saxpy",
            case: |n| {
                let inputs = vec![numbers(n, -1.0, 1.0, 11), numbers(n, -1.0, 1.0, 12)];
                flat(n, inputs, n, vec![1.7f32.to_bits(), n as u32])
            },
            plain: natively::<'F', 1>,
            sizes: [1000, 1 << 16, 1 << 24],
            bar: 2.5,
            results: Results::Bits,
        },
        Kernel {
            short: "F2",
            title: "sgemm",
            entry: "f2_sgemm",
            case: |size| {
                let side = size.isqrt() / 16 * 16;
                let input = |seed| numbers(side * side, -1.0, 1.0, seed);
                let grid = [side as u32 / 16, side as u32 / 16, 1];
                let (inputs, scalars) = (vec![input(21), input(22)], vec![side as u32]);
                Case { inputs, output: side * side, scalars, grid, block: [16, 16, 1] }
            },
            plain: natively::<'F', 2>,
            sizes: [48 * 48, 256 * 256, 512 * 512],
            bar: 2.5,
            results: Results::Bits,
        },
        Kernel {
            short: "F3",
            title: "softmax",
            entry: "f3_softmax",
            case: |n| {
                let rows = (n / ROW) as u32;
                let inputs = vec![numbers(n, -8.0, 8.0, 31)];
                Case {
                    inputs,
                    output: n,
                    scalars: vec![rows],
                    grid: [rows.div_ceil(8), 1, 1],
                    block: [256, 1, 1],
                }
            },
            plain: natively::<'F', 3>,
            sizes: [3 * ROW, 1 << 16, 1 << 22],
            bar: 4.0,
            results: Results::Floats(4e-6),
        },
        Kernel {
            short: "F4",
            title: "layer norm",
            entry: "f4_layer_norm",
            case: |n| {
                let inputs =
                    vec![numbers(n, -3.0, 5.0, 41), numbers(ROW, 0.5, 1.5, 42), numbers(ROW, -1.0, 1.0, 43)];
                Case {
                    inputs,
                    output: n,
                    scalars: vec![],
                    grid: [(n / ROW) as u32, 1, 1],
                    block: [256, 1, 1],
                }
            },
            plain: natively::<'F', 4>,
            sizes: [2 * ROW, 1 << 16, 1 << 22],
            bar: 2.5,
            results: Results::Floats(4e-6),
        },
        Kernel {
            short: "F5",
            title: "n-body",
            entry: "f5_bodies",
            case: |n| {
                let grid = [n as u32 / 256, 1, 1];
                let inputs = vec![numbers(4 * n, 0.0, 1.0, 51)];
                Case { inputs, output: 4 * n, scalars: vec![n as u32], grid, block: [256, 1, 1] }
            },
            plain: natively::<'F', 5>,
            sizes: [256, 1 << 10, 1 << 12],
            bar: 4.0,
            results: Results::Floats(1e-5),
        },
        Kernel {
            short: "F6",
            title: "Black-Scholes",
            entry: "f6_options",
            case: |n| {
                let inputs =
                    vec![numbers(n, 5.0, 30.0, 61), numbers(n, 1.0, 100.0, 62), numbers(n, 0.25, 10.0, 63)];
                let scalars = vec![n as u32, 0.02f32.to_bits(), 0.3f32.to_bits()];
                Case { output: 2 * n, ..flat(n, inputs, n, scalars) }
            },
            plain: natively::<'F', 6>,
            sizes: [1000, 1 << 14, 1 << 20],
            bar: 4.0,
            results: Results::Floats(4e-6),
        },
        Kernel {
            short: "F7",
            title: "Mandelbrot",
            entry: "f7_mandelbrot",
            case: |size| {
                let side = size.isqrt();
                flat(side * side, vec![], side * side, vec![side as u32, STEPS])
            },
            plain: natively::<'F', 7>,
            sizes: [24 * 24, 128 * 128, 512 * 512],
            bar: 2.5,
            results: Results::Bits,
        },
        Kernel {
            short: "F8",
            title: "convolution",
            entry: "f8_convolution",
            case: |size| {
                let side = size.isqrt() / 16 * 16;
                let weights: Buffer = Buffer::halves(9, -1.0, 1.0, 82);
                // The same weight for both pixels of a word.
                let weights = Buffer::from_words(weights.iter().map(|pair| (pair & 0xffff) * 0x1_0001));
                let inputs = vec![Buffer::halves((side + 1) * (side + 2), 0.0, 1.0, 81), weights];
                let block = 256.min(side) as u32;
                let grid = [(side as u32).div_ceil(block), side as u32, 1];
                let scalars = vec![side as u32, side as u32];
                Case { inputs, output: side * side, scalars, grid, block: [block, 1, 1] }
            },
            plain: natively::<'F', 8>,
            sizes: [48 * 48, 128 * 128, 2048 * 2048],
            bar: 2.5,
            results: Results::Halves(4e-3),
        },
        Kernel {
            short: "F9",
            title: "mma bytes",
            entry: "f9_bytes",
            case: |size| tensor(size, 1, |words, seed| Buffer::random(words, u32::MAX, seed)),
            plain: natively::<'F', 9>,
            sizes: [64 * 64, 256 * 256, 512 * 512],
            bar: 2.5,
            results: Results::Bits,
        },
        Kernel {
            short: "F10",
            title: "mma halves",
            entry: "f10_halves",
            case: |size| tensor(size, 2, |words, seed| Buffer::halves(words, -1.0, 1.0, seed)),
            plain: natively::<'F', 10>,
            sizes: [64 * 64, 256 * 256, 512 * 512],
            bar: 2.5,
            results: Results::Floats(1e-5),
        },
    ]
}

/// Approximate functions by themselves, one a thread: what it costs to have the device's bits.
pub fn approximations() -> Vec<Kernel> {
    let power = Kernel {
        short: "A1",
        title: "ex2.approx",
        entry: "a1_power",
        case: |n| over(n, -10.0, 10.0),
        plain: natively::<'A', 1>,
        sizes: [1000, 1 << 16, 1 << 22],
        bar: 4.0,
        results: Results::Floats(1e-6),
    };
    let logarithm = Kernel {
        short: "A2",
        title: "lg2.approx",
        entry: "a2_logarithm",
        case: |n| over(n, 0.1, 100.0),
        plain: natively::<'A', 2>,
        ..power
    };
    let root = Kernel {
        short: "A3",
        title: "rsqrt.approx",
        entry: "a3_root",
        plain: natively::<'A', 3>,
        ..logarithm
    };
    vec![power, logarithm, root]
}

/// A launch over numbers in a range.
fn over(n: usize, low: f32, high: f32) -> Case {
    flat(n, vec![numbers(n, low, high, 95)], n, vec![n as u32])
}
