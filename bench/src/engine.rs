//! The golden engine on nvcc's PTX of the benchmark kernels, beside plain Rust that does the same; each run is compared.

use crate::measure::{Candidate, rounds};
use crate::native;
use margay_exec::{Argument, Launch, Memory, Program, parameter_block};
use margay_front::module::Module;

/// A kernel with its input, and what plain Rust makes of it.
struct Work {
    name: &'static str,
    entry: &'static str,
    /// Input buffers in parameter order; the output follows them.
    inputs: Vec<Vec<u32>>,
    /// Threads, and words of output.
    threads: usize,
    /// Scalar parameters behind the output.
    scalars: Vec<u32>,
    native: fn(&[Vec<u32>], &[u32], &mut [u32]),
}

fn random(count: usize, limit: u32, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as u32 % limit
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn works(smoke: bool) -> Vec<Work> {
    let scale = if smoke { 1 } else { 8 };
    let (n1, n2, n3, n4) = (4096 * scale, 256 * scale, 64 * scale, 512 * scale);
    let pitch = n2 + 16;
    let words = |seed| random(n1, u32::MAX, seed);
    let rows = |seed| random(17 * pitch, u32::MAX, seed);
    vec![
        Work {
            name: "K1 sum of differences",
            entry: "k1_sad",
            inputs: vec![words(1), words(2), words(3)],
            threads: n1,
            scalars: vec![n1 as u32],
            native: |i, _, out| native::sad(&i[0], &i[1], &i[2], out),
        },
        Work {
            name: "K2 block matching",
            entry: "k2_match",
            inputs: vec![rows(4), rows(5)],
            threads: n2,
            scalars: vec![pitch as u32, n2 as u32],
            native: |i, s, out| native::matching(&i[0], &i[1], out, s[0] as usize),
        },
        Work {
            name: "K3 register mix",
            entry: "k3_mix",
            inputs: vec![],
            threads: n3,
            scalars: vec![200],
            native: |_, s, out| native::mix(out, s[0]),
        },
        Work {
            name: "K4 Collatz",
            entry: "k4_collatz",
            inputs: vec![random(n4, 1_000_000, 6)],
            threads: n4,
            scalars: vec![n4 as u32],
            native: |i, _, out| native::collatz(&i[0], out),
        },
    ]
}

/// Launches a work once; the output and the number of instructions that threads executed.
fn launch(module: &Module, work: &Work) -> (Vec<u32>, u64) {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).expect("the module fits");
    let mut arguments = Vec::new();
    for input in &work.inputs {
        let bytes: Vec<u8> = input.iter().flat_map(|w| w.to_le_bytes()).collect();
        let address = memory.alloc(bytes.len() as u64, "input").expect("there is room");
        memory.write(address, &bytes).expect("it was just allocated");
        arguments.push(Argument::Address(address));
    }
    let bytes = 4 * work.threads as u64;
    let out = memory.alloc(bytes, "output").expect("there is room");
    arguments.push(Argument::Address(out));
    arguments.extend(work.scalars.iter().map(|s| Argument::from(*s)));
    let entry = module.entry(work.entry).expect("the kernel is there");
    let parameters = parameter_block(module.function(entry), 64, &arguments).expect("they fit");
    let (grid, block) = ((work.threads as u32 / 64).into(), 64.into());
    let launch = Launch { grid, block, parameters, workers: 1, ..Launch::new(entry) };
    let report = launch.run(&program, &memory).expect("it runs");
    let found = memory.read(out, bytes).expect("the output");
    (
        found.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect(),
        report.instructions,
    )
}

pub fn run(count: usize, smoke: bool) {
    let module = margay_front::compile(include_str!("../data/kernels.ptx")).expect("the kernels are valid");
    println!("\ngolden engine, one worker, beside plain Rust, one core");
    println!("{:<24} {:>14} {:>10} {:>8} {:>14}", "", "instructions", "ns each", "spread", "times native");
    for work in works(smoke) {
        let native = |work: &Work| {
            let mut out = vec![0; work.threads];
            (work.native)(&work.inputs, &work.scalars, &mut out);
            out
        };
        let (found, instructions) = launch(&module, &work);
        assert!(found == native(&work), "{}: the engine's result is not the native one", work.name);
        let mut candidates = [
            Candidate { name: "golden", run: Box::new(|| launch(&module, &work).1) },
            Candidate { name: "native", run: Box::new(|| native(&work).iter().map(|w| u64::from(*w)).sum()) },
        ];
        let t = rounds(&mut candidates, count);
        let each = t[0].median * 1e9 / instructions as f64;
        let ratio = t[0].median / t[1].median;
        let spread = t[0].spread * 100.0;
        println!("{:<24} {instructions:>14} {each:>10.2} {spread:>7.0}% {ratio:>14.0}", work.name);
    }
}
