//! Triton's products of matrices, against products computed here with the device's sum.

use crate::data;
use margay_exec::{Argument, Dim, Engine, Launch, Memory, Program, parameter_block};
use margay_isa::tensor_core::{Form, NO_SCALES, multiply_add};
use margay_isa::{MatrixShape, Target, Word};

const M: usize = 128;
const N: usize = 64;
const K: usize = 96;

/// Runs a module's kernel on A and B, both by rows; C's words.
fn product(ptx: &str, a: &[u8], b: &[u8], engine: Engine, device: Option<Target>) -> Vec<u32> {
    let module = margay_front::compile(ptx).unwrap();
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let mut buffer = |bytes: &[u8], name: &str| {
        let address = memory.alloc(bytes.len() as u64, name).unwrap();
        memory.write(address, bytes).unwrap();
        Argument::Address(address)
    };
    let c = buffer(&[0; 4 * M * N], "c");
    let Argument::Address(at) = c else { unreachable!() };
    let sizes = [M, N, K].map(|n| Argument::from(n as u32));
    let nothing = [Argument::Address(0), Argument::Address(0)];
    let arguments: Vec<Argument> =
        [buffer(a, "a"), buffer(b, "b"), c].into_iter().chain(sizes).chain(nothing).collect();
    let entry = module.entry(&module.entries().next().unwrap().name).unwrap();
    let launch = Launch {
        grid: Dim::new((M / 64) as u32, (N / 64) as u32, 1),
        block: 128.into(),
        shared_bytes: 32 << 10,
        parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
        engine,
        device,
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory).unwrap();
    assert_eq!(report.handed_over, 0);
    let bytes = memory.read(at, 4 * (M * N) as u64).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn numbers(count: usize, mut number: impl FnMut(u64) -> Vec<u8>) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count).flat_map(|_| number(next())).collect()
}

#[test]
fn integers_are_multiplied_exactly() {
    let [a, b] = [M * K, K * N].map(|count| numbers(count, |n| vec![(n >> 20) as u8]));
    let wanted: Vec<u32> = (0..M * N)
        .map(|at| {
            let each = |k: usize| i32::from(a[at / N * K + k] as i8) * i32::from(b[k * N + at % N] as i8);
            (0..K).map(each).sum::<i32>() as u32
        })
        .collect();
    let ptx = data::of("triton", "t_matmul_i8.sm_80");
    for engine in [Engine::Golden, Engine::Batch] {
        assert_eq!(product(&ptx, &a, &b, engine, None), wanted, "{engine:?}");
    }
}

#[test]
fn halves_are_multiplied_as_each_device_does() {
    // Of either sign, with exponents that differ widely.
    let half = |n: u64| ((n >> 9) as u16 & 0x83ff | (8 + (n >> 40) as u16 % 12) << 10).to_le_bytes().to_vec();
    let [a, b] = [M * K, K * N].map(|count| numbers(count, half));
    let ptx = data::of("triton", "t_matmul.sm_80");
    judge(&ptx, Word::F16, 16, [&a, &b], &["sm_70", "sm_80", "sm_90"]);
}

#[test]
fn singles_are_multiplied_as_each_device_multiplies_tf32() {
    // As above, with more bits than tensor cores read.
    let single =
        |n: u64| (n as u32 & 0x807f_ffff | (114 + (n >> 40) as u32 % 16) << 23).to_le_bytes().to_vec();
    let [a, b] = [M * K, K * N].map(|count| numbers(count, single));
    judge(include_str!("../data/t_matmul_tf32.sm_80.ptx"), Word::Tf32, 8, [&a, &b], &["sm_80", "sm_90"]);
}

/// Holds a kernel, on both engines and as several devices, against sums of so many products each, one after the other.
fn judge(ptx: &str, word: Word, deep: u16, [a, b]: [&[u8]; 2], devices: &[&str]) {
    let bytes = a.len() / (M * K);
    let element = |of: &[u8], at: usize| {
        of[bytes * at..][..bytes].iter().rev().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte))
    };
    let form = Form::plain(MatrixShape { m: 16, n: 8, k: deep }, [Word::F32, word, word, Word::F32]);
    let mut seen = Vec::new();
    for device in devices {
        let target: Target = device.parse().unwrap();
        let wanted: Vec<u32> = (0..M * N)
            .map(|at| {
                let a: Vec<u128> = (0..K).map(|k| element(a, at / N * K + k)).collect();
                let b: Vec<u128> = (0..K).map(|k| element(b, k * N + at % N)).collect();
                let steps = a.chunks(deep.into()).zip(b.chunks(deep.into()));
                steps.fold(0, |c, (a, b)| multiply_add(&form, target, a, b, NO_SCALES, c)) as u32
            })
            .collect();
        for engine in [Engine::Golden, Engine::Batch] {
            let found = product(ptx, a, b, engine, Some(target));
            assert!(found == wanted, "{engine:?} as {device}");
        }
        if *device == "sm_80" {
            let default = product(ptx, a, b, Engine::Batch, None);
            assert!(default == wanted, "the module's target is not the default");
        }
        assert!(!seen.contains(&wanted), "{device} gives what another device gives");
        seen.push(wanted);
    }
}
