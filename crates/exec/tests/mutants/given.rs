//! What a mutant is run with: arguments, and how many threads.

use super::data;
use super::random::Random;
use super::subjects::{Parameter, Subject};
use std::fmt;

pub enum Argument {
    Bytes(Vec<u8>),
    /// What memory holds, as long as it is; the address lies [`MARGIN`] after its start.
    Buffer(Vec<u8>),
    /// A structure, some of whose words are addresses in a buffer.
    Words(Vec<Word>),
}

#[derive(Clone, Copy, Debug)]
pub enum Word {
    Number(u64),
    Address,
}

/// Bytes before and after what an address is meant to reach, so that a mutant that misses it has something to miss it in.
pub const MARGIN: usize = 16384;

pub struct Given {
    pub arguments: Vec<Argument>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u64,
    /// A number that chooses among ways to run it.
    pub turn: usize,
}

const BLOCKS: &[[u32; 3]] = &[
    [32, 1, 1],
    [64, 1, 1],
    [128, 1, 1],
    [128, 1, 1],
    [256, 1, 1],
    [256, 1, 1],
    [16, 16, 1],
    [16, 16, 1],
    [32, 8, 1],
    [8, 8, 1],
    [16, 8, 1],
    [8, 4, 4],
    [96, 1, 1],
    [50, 1, 1],
    [512, 1, 1],
];

const GRIDS: &[[u32; 3]] = &[
    [1, 1, 1],
    [1, 1, 1],
    [2, 1, 1],
    [3, 1, 1],
    [4, 1, 1],
    [2, 2, 1],
    [8, 1, 1],
    [1, 5, 1],
    [4, 4, 1],
    [2, 1, 3],
    [40, 1, 1],
];

const SCALARS: &[u64] =
    &[0, 1, 2, 3, 4, 5, 8, 10, 16, 31, 32, 33, 48, 64, 64, 100, 128, 128, 200, 256, 512, 1000];

/// Draws them: those of a known launch mostly, or any.
pub fn given(random: &mut Random, subject: &Subject) -> Given {
    let (mut grid, mut block) = (*random.pick(GRIDS), *random.pick(BLOCKS));
    let mut shared_bytes = 0;
    if let Some(said) = subject.block {
        let fits = |block: &&[u32; 3]| u64::from(block[0] * block[1] * block[2]) <= said;
        let fitting: Vec<&[u32; 3]> = BLOCKS.iter().filter(fits).collect();
        let line = [said as u32, 1, 1];
        block = if fitting.is_empty() || !random.once_in(3) { line } else { **random.pick(&fitting) };
    }
    let arguments = match &subject.case {
        None => {
            if random.once_in(3) {
                shared_bytes = 64 << random.below(8);
            }
            let style = random.below(5);
            subject.parameters.iter().map(|parameter| any(random, *parameter, style)).collect()
        }
        Some((case, contents)) => {
            if !random.once_in(3) {
                (grid, block) = (case.shape("grid"), case.shape("block"));
            }
            shared_bytes = case.json["shared_bytes"].as_u64().unwrap_or(0);
            let known = case.params().iter().map(|param| match param["kind"] == "scalar" {
                true => Argument::Bytes(data::hex(param["bytes"].as_str().expect("a scalar has bytes"))),
                false => Argument::Buffer(
                    data::part(contents, param, "in").expect("a buffer has contents").to_vec(),
                ),
            });
            known.collect()
        }
    };
    Given { arguments, grid, block, shared_bytes, turn: random.below(1 << 16) }
}

fn any(random: &mut Random, parameter: Parameter, style: usize) -> Argument {
    let size = parameter.size as usize;
    match (size, parameter.is_array) {
        (8, false) => {
            let bytes = 1 << (10 + random.below(7));
            Argument::Buffer(contents(random, bytes, style))
        }
        (_, true) => Argument::Words((0..size.div_ceil(8)).map(|_| word(random)).collect()),
        (4, false) if parameter.is_float => {
            Argument::Bytes((random.below(64) as f32 / 16.0 - 1.0).to_le_bytes().to_vec())
        }
        _ => Argument::Bytes(random.pick(SCALARS).to_le_bytes()[..size.min(8)].to_vec()),
    }
}

fn word(random: &mut Random) -> Word {
    match random.once_in(2) {
        true => Word::Address,
        false => Word::Number(random.pick(SCALARS) | random.pick(SCALARS) << 32),
    }
}

fn contents(random: &mut Random, bytes: usize, style: usize) -> Vec<u8> {
    let words = bytes / 4;
    let each = (0..words).map(|_| match style {
        0 => random.next() as u32,
        1 => random.below(64) as u32,
        2 => (random.below(4096) as f32 / 1024.0 - 2.0).to_bits(),
        3 => random.floats() as u32,
        _ => [0, 1, 2, u32::MAX, 100][random.below(5)],
    });
    each.flat_map(u32::to_le_bytes).collect()
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Given { arguments, grid, block, shared_bytes, .. } = self;
        write!(f, "grid {grid:?}, block {block:?}, {shared_bytes} bytes of shared memory, arguments")?;
        for argument in arguments {
            match argument {
                Argument::Bytes(bytes) => write!(f, " {bytes:?}")?,
                Argument::Buffer(bytes) => write!(f, " {} bytes", bytes.len())?,
                Argument::Words(words) => write!(f, " {words:?}")?,
            }
        }
        Ok(())
    }
}
