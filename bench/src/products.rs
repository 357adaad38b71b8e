//! Products of matrices as tensor cores compute them: whole ones, beside the specification element by element.

use crate::measure::{Candidate, rounds as measured};
use margay_isa::tensor_core::{Form, Multiplier, NO_SCALES, multiply_add};
use margay_isa::{MatrixShape, Word};

/// A device, the depth, and the types of D (and C) and of A (and B).
type Case = (&'static str, u16, Word, Word);

const CASES: [Case; 8] = [
    ("sm_80", 16, Word::F32, Word::F16),
    ("sm_80", 16, Word::F16, Word::F16),
    ("sm_80", 16, Word::F32, Word::Bf16),
    ("sm_80", 8, Word::F32, Word::Tf32),
    ("sm_90", 16, Word::F32, Word::F16),
    ("sm_89", 32, Word::F32, Word::E4m3),
    ("sm_90", 32, Word::F32, Word::E4m3),
    ("sm_80", 32, Word::S32, Word::S8),
];

/// Patterns of finite numbers of all types: the upper exponents are left out.
fn patterns(word: Word, count: usize) -> Vec<u64> {
    let mask = match word {
        Word::F32 | Word::Tf32 => 0xbfff_ffff,
        Word::F16 | Word::Bf16 => 0xbfff,
        Word::S32 => 0xffff_ffff,
        _ => 0xbf,
    };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        state >> 24 & mask
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// Prints what a product of 16 rows and 8 columns takes.
pub fn run(rounds: usize) {
    println!("\nproducts of 16 rows and 8 columns on one core, instructions that every machine has");
    println!("{:24} {:>12} {:>7} {:>18}", "", "ns a product", "spread", "specification, µs");
    for (device, k, d, a) in CASES {
        let form = Form::plain(MatrixShape { m: 16, n: 8, k }, [d, a, a, d]);
        let target = device.parse().expect("a target");
        let (multiplier, depth) = (Multiplier::new(&form, target), usize::from(k));
        let (rows, columns, c) = (patterns(a, 16 * depth), patterns(a, 8 * depth), patterns(d, 128));
        let fast = || {
            let mut sums = c.clone();
            multiplier.multiply_add(&rows, &columns, [&[], &[]], &mut sums);
            sums
        };
        let wide = |part: &[u64]| part.iter().map(|bits| u128::from(*bits)).collect::<Vec<_>>();
        let one = |at: usize| {
            let (row, column) = (&rows[at / 8 * depth..][..depth], &columns[at % 8 * depth..][..depth]);
            multiply_add(&form, target, &wide(row), &wide(column), NO_SCALES, c[at].into()) as u64
        };
        let specified = || (0..128).map(one).collect::<Vec<u64>>();
        assert_eq!(fast(), specified(), "{form:?} on {device}");
        let timed =
            measured(vec![Candidate::timed("fast", fast), Candidate::timed("specified", specified)], rounds);
        let (name, [fast, specified]) = (format!("{device} {d}.{a} k{k}"), [&timed[0], &timed[1]]);
        let (ns, spread, us) = (fast.median * 1e9, fast.spread * 100.0, specified.median * 1e6);
        println!("{name:24} {ns:>12.0} {spread:>6.0}% {us:>18.1}");
    }
}
