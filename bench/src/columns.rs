//! Instructions over whole columns of values: `margay::snippet` beside plain Rust loops.

use crate::measure::{Candidate, rounds};
use margay::snippet::{Input, Options, Snippet};

/// Three columns of words to one.
type Loop = fn(&[Vec<u32>; 3], &mut [u32]);

/// An instruction, and the same as a plain loop.
struct Case {
    text: &'static str,
    plain: Loop,
}

fn each(columns: &[Vec<u32>; 3], out: &mut [u32], of: impl Fn(u32, u32, u32) -> u32) {
    let [a, b, c] = columns;
    for (((d, a), b), c) in out.iter_mut().zip(a).zip(b).zip(c) {
        *d = of(*a, *b, *c);
    }
}

fn bytes(a: u32, b: u32) -> impl Iterator<Item = (i32, i32)> {
    a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| (a.into(), b.into()))
}

const CASES: &[Case] = &[
    Case { text: "add.u32 d, a, b", plain: |columns, out| each(columns, out, |a, b, _| a.wrapping_add(b)) },
    Case {
        text: "min.s32 d, a, b",
        plain: |columns, out| each(columns, out, |a, b, _| (a as i32).min(b as i32) as u32),
    },
    Case {
        text: "vadd4.u32.u32.u32.sat d, a, b, c",
        plain: |columns, out| {
            each(columns, out, |a, b, _| {
                let sums = bytes(a, b).map(|(a, b)| (a + b).min(255) as u32);
                sums.enumerate().fold(0, |d, (k, sum)| d | sum << (8 * k))
            });
        },
    },
    Case {
        text: "vabsdiff4.u32.u32.u32.add d, a, b, c",
        plain: |columns, out| {
            each(columns, out, |a, b, c| bytes(a, b).fold(c, |d, (a, b)| d.wrapping_add(a.abs_diff(b))));
        },
    },
    Case {
        text: "bfe.u32 d, a, b, c",
        plain: |columns, out| {
            each(columns, out, |a, b, c| {
                let (position, length) = (b & 255, c & 255);
                let moved = if position > 31 { 0 } else { a >> position };
                if length > 31 { moved } else { moved & ((1 << length) - 1) }
            });
        },
    },
    Case {
        text: "dp4a.u32.u32 d, a, b, c",
        plain: |columns, out| {
            each(columns, out, |a, b, c| bytes(a, b).fold(c, |d, (a, b)| d.wrapping_add((a * b) as u32)));
        },
    },
];

/// Prints a table of what columns take beside plain loops.
pub fn run(count: usize, smoke: bool) {
    let elements = if smoke { 1 << 12 } else { 1 << 24 };
    println!(
        "\ncolumns of {elements} words: ns for each element; x is how many times as long as a plain loop"
    );
    println!("{:<38} {:>10} {:>10} {:>6} {:>10} {:>6}", "", "plain", "1 worker", "x", "2 workers", "x");
    let mut next = 1u32;
    let mut word = || {
        next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        next >> 3 ^ next
    };
    let columns: [Vec<u32>; 3] = std::array::from_fn(|_| (0..elements).map(|_| word()).collect());
    let raw: [Vec<u8>; 3] =
        std::array::from_fn(|k| columns[k].iter().flat_map(|value| value.to_le_bytes()).collect());
    for Case { text, plain } in CASES {
        let snippet = Snippet::instruction(text).expect("it is legal");
        let inputs: Vec<Input> =
            raw.iter().take(snippet.inputs().len()).map(|bytes| Input::Each(bytes)).collect();
        let apply = |out: &mut [u8], workers| {
            let options = Options { workers, ..Options::default() };
            snippet.apply(elements, &inputs, &mut [out], &options).expect("it runs");
        };
        let mut wanted = vec![0; elements];
        let mut outs = [vec![0; 4 * elements], vec![0; 4 * elements]];
        plain(&columns, &mut wanted);
        let [one, two] = &mut outs;
        for (out, workers) in [(&mut *one, 1), (&mut *two, 2)] {
            apply(out, workers);
            let same = out.chunks_exact(4).zip(&wanted).all(|(d, wanted)| *d == wanted.to_le_bytes());
            assert!(same, "{text}: the plain loop gives something else");
        }
        let candidates = vec![
            Candidate::timed("plain", || plain(&columns, &mut wanted)),
            Candidate::timed("1 worker", || apply(one, 1)),
            Candidate::timed("2 workers", || apply(two, 2)),
        ];
        let timings = rounds(candidates, count);
        let each = |k: usize| timings[k].median * 1e9 / elements as f64;
        let ratio = |k: usize| timings[k].ratio(&timings[0]);
        println!(
            "{text:<38} {:>10.2} {:>10.2} {:>6.1} {:>10.2} {:>6.1}",
            each(0),
            each(1),
            ratio(1),
            each(2),
            ratio(2)
        );
    }
}
