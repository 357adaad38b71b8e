//! Descriptors and addresses of which some bits are any: a launch ends with the same words on both engines, or does the same.

use crate::kernel::{Block, COLUMNS, LANES, SHARED, WORDS, kernel, once, run_or_end};
use crate::random::Random;

/// Instructions, with a descriptor of the instruction that each may have: 128 rows and 16 columns.
const INSTRUCTIONS: [(&str, u32); 8] = [
    ("mma.cta_group::1.kind::f16 [%w0], %descA, %descB, %w1, 1", 0x0804_0010),
    ("mma.cta_group::1.kind::f16 [%w0], [%w2], %descB, %w1, {%w4, %w5, %w6, %w7}, 1, 3", 0x0804_0000),
    ("mma.cta_group::1.kind::tf32 [%w0], %descA, %descB, %w1, 0", 0x0804_0910),
    ("mma.cta_group::1.kind::f8f6f4 [%w0], [%w2], %descB, %w1, 1", 0x0804_0090),
    ("mma.cta_group::1.kind::i8 [%w0], %descA, %descB, %w1, 1", 0x0804_0020),
    ("mma.cta_group::1.kind::mxf8f6f4.block_scale [%w0], %descA, %descB, %w1, [%w2], [%w3], 1", 0x0884_0000),
    (
        "mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%w0], [%w2], %descB, %w1, [%w2], [%w3], 1",
        0x0804_0480,
    ),
    ("cp.cta_group::1.128x256b [%w0], %descA", 0),
];

/// Some bits of a number changed, mostly none or few.
fn broken(random: &mut Random, bits: u64, width: usize) -> u64 {
    let count = [0, 0, 0, 1, 1, 2, 8][random.below(7)];
    (0..count).fold(bits, |bits, _| bits ^ 1 << random.below(width))
}

/// Judges so many instructions.
pub fn judge(seed: u64, count: usize) {
    let mut ended = 0;
    for number in 0..count {
        let mut random = Random::new(seed, number as u64 + (2 << 32));
        let (instruction, said) = INSTRUCTIONS[number % INSTRUCTIONS.len()];
        let mut descriptor = || {
            let (start, swizzle) = (random.below(256) as u64, [0, 1, 2, 4, 6][random.below(5)]);
            broken(&mut random, start | 8 << 16 | 16 << 32 | 1 << 46 | swizzle << 61, 64)
        };
        let mut text = format!("mov.u64 %descA, {}; mov.u64 %descB, {};\n", descriptor(), descriptor());
        let said = broken(&mut random, said.into(), 32);
        text += &format!("mov.u32 %w1, {said};\n");
        for register in [0, 2, 3, 4, 5, 6, 7] {
            let place = broken(&mut random, 64 * register as u64 / 2, 32);
            text += &format!("add.u32 %w{register}, %base, {place};\n");
        }
        text += &format!("tcgen05.{instruction};\n");
        let word = |random: &mut Random| random.next() as u32;
        let block = Block {
            picture: (0..SHARED).map(|_| random.next() as u8).collect(),
            cells: (0..LANES * COLUMNS).map(|_| word(&mut random)).collect(),
            words: vec![0; LANES * WORDS],
        };
        ended += usize::from(run_or_end(&kernel(&once(0, &text)), &[block]).is_err());
    }
    assert!((count / 8..count - count / 8).contains(&ended), "{ended} of {count} end");
}
