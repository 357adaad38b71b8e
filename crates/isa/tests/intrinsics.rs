//! CUDA's 82 SIMD intrinsics in plain integer code equal the PTX instructions that they stand for (`data/intrinsics.tsv`).

use margay_isa::{Args, Bits, Inst, Semantics, Shape, select};
use std::collections::BTreeSet;

const TABLE: &str = include_str!("data/intrinsics.tsv");

/// How many inputs every intrinsic is judged on.
const INPUTS: u32 = 1_000_000;

/// The values of a lane: its width and what it can hold.
#[derive(Clone, Copy)]
struct Lane {
    bits: u32,
}

impl Lane {
    fn ones(self) -> i32 {
        (1 << self.bits) - 1
    }

    /// The greatest signed value.
    fn most(self) -> i32 {
        self.ones() / 2
    }

    /// The least signed value.
    fn least(self) -> i32 {
        -self.most() - 1
    }
}

/// What an intrinsic gives, from the CUDA Math API's description of it.
enum Plain {
    /// A lane from lanes read as signed numbers, cut to its width.
    Signed(fn(i32, i32, Lane) -> i32),
    /// The same, from unsigned numbers.
    Unsigned(fn(i32, i32, Lane) -> i32),
    /// The sum of what lanes read as signed numbers give, as one number.
    SignedSum(fn(i32, i32) -> i32),
    /// The same, from unsigned numbers.
    UnsignedSum(fn(i32, i32) -> i32),
}

use Plain::{Signed, SignedSum, Unsigned, UnsignedSum};

/// The intrinsics without `__` and without the number of lanes. An intrinsic of one argument leaves the second one alone.
const PLAIN: &[(&str, Plain)] = &[
    ("vabs", Signed(|a, _, _| if a < 0 { -a } else { a })),
    ("vabsss", Signed(|a, _, lane| if a < 0 { (-a).min(lane.most()) } else { a })),
    ("vabsdiffs", Signed(|a, b, _| if a < b { b - a } else { a - b })),
    ("vabsdiffu", Unsigned(|a, b, _| if a < b { b - a } else { a - b })),
    ("vadd", Unsigned(|a, b, _| a + b)),
    ("vaddss", Signed(|a, b, lane| (a + b).max(lane.least()).min(lane.most()))),
    ("vaddus", Unsigned(|a, b, lane| (a + b).min(lane.ones()))),
    // Away from zero: half of an odd sum goes to the side of its sign.
    ("vavgs", Signed(|a, b, _| if a + b < 0 { -((1 - a - b) / 2) } else { (a + b + 1) / 2 })),
    ("vavgu", Unsigned(|a, b, _| (a + b + 1) / 2)),
    ("vhaddu", Unsigned(|a, b, _| (a + b) / 2)),
    ("vcmpeq", Unsigned(|a, b, lane| if a == b { lane.ones() } else { 0 })),
    ("vcmpges", Signed(|a, b, lane| if a >= b { lane.ones() } else { 0 })),
    ("vcmpgeu", Unsigned(|a, b, lane| if a >= b { lane.ones() } else { 0 })),
    ("vcmpgts", Signed(|a, b, lane| if a > b { lane.ones() } else { 0 })),
    ("vcmpgtu", Unsigned(|a, b, lane| if a > b { lane.ones() } else { 0 })),
    ("vcmples", Signed(|a, b, lane| if a <= b { lane.ones() } else { 0 })),
    ("vcmpleu", Unsigned(|a, b, lane| if a <= b { lane.ones() } else { 0 })),
    ("vcmplts", Signed(|a, b, lane| if a < b { lane.ones() } else { 0 })),
    ("vcmpltu", Unsigned(|a, b, lane| if a < b { lane.ones() } else { 0 })),
    ("vcmpne", Unsigned(|a, b, lane| if a != b { lane.ones() } else { 0 })),
    ("vmaxs", Signed(|a, b, _| if a < b { b } else { a })),
    ("vmaxu", Unsigned(|a, b, _| if a < b { b } else { a })),
    ("vmins", Signed(|a, b, _| if a < b { a } else { b })),
    ("vminu", Unsigned(|a, b, _| if a < b { a } else { b })),
    ("vneg", Signed(|a, _, _| -a)),
    ("vnegss", Signed(|a, _, lane| (-a).min(lane.most()))),
    ("vsads", SignedSum(|a, b| if a < b { b - a } else { a - b })),
    ("vsadu", UnsignedSum(|a, b| if a < b { b - a } else { a - b })),
    ("vseteq", Unsigned(|a, b, _| (a == b).into())),
    ("vsetges", Signed(|a, b, _| (a >= b).into())),
    ("vsetgeu", Unsigned(|a, b, _| (a >= b).into())),
    ("vsetgts", Signed(|a, b, _| (a > b).into())),
    ("vsetgtu", Unsigned(|a, b, _| (a > b).into())),
    ("vsetles", Signed(|a, b, _| (a <= b).into())),
    ("vsetleu", Unsigned(|a, b, _| (a <= b).into())),
    ("vsetlts", Signed(|a, b, _| (a < b).into())),
    ("vsetltu", Unsigned(|a, b, _| (a < b).into())),
    ("vsetne", Unsigned(|a, b, _| (a != b).into())),
    ("vsub", Unsigned(|a, b, _| a - b)),
    ("vsubss", Signed(|a, b, lane| (a - b).max(lane.least()).min(lane.most()))),
    ("vsubus", Unsigned(|a, b, _| (a - b).max(0))),
];

impl Plain {
    /// The plain code of an intrinsic, and its lanes.
    fn of(name: &str) -> Option<(&'static Plain, Lane)> {
        let stem = name.strip_prefix("__")?;
        let (stem, bits) = match stem.strip_suffix('2') {
            Some(stem) => (stem, 16),
            None => (stem.strip_suffix('4')?, 8),
        };
        let (_, plain) = PLAIN.iter().find(|(name, _)| *name == stem)?;
        Some((plain, Lane { bits }))
    }

    fn of_words(&self, a: u32, b: u32, lane: Lane) -> u32 {
        let unsigned = |word: u32, at: u32| (word >> at) as i32 & lane.ones();
        let signed = |word: u32, at: u32| {
            let value = unsigned(word, at);
            if value > lane.most() { value - lane.ones() - 1 } else { value }
        };
        let lanes = (0..32).step_by(lane.bits as usize);
        let put = |value: i32, at: u32| ((value & lane.ones()) as u32) << at;
        match self {
            Signed(f) => lanes.fold(0, |word, at| word | put(f(signed(a, at), signed(b, at), lane), at)),
            Unsigned(f) => {
                lanes.fold(0, |word, at| word | put(f(unsigned(a, at), unsigned(b, at), lane), at))
            }
            SignedSum(f) => lanes.map(|at| f(signed(a, at), signed(b, at)) as u32).sum(),
            UnsignedSum(f) => lanes.map(|at| f(unsigned(a, at), unsigned(b, at)) as u32).sum(),
        }
    }
}

/// The names that instructions of the table may use, each with a place in a [`Values`].
const NAMES: [&str; 6] = ["a", "b", "d", "t", "u", "z"];

type Values = [Bits; NAMES.len()];

/// One instruction of the table.
struct Step {
    inst: Inst,
    to: usize,
    sources: Vec<Source>,
}

enum Source {
    Named(usize),
    Constant(Bits),
}

impl Step {
    fn read(text: &str) -> Step {
        let (head, operands) = text.trim().split_once(' ').expect("operands");
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        let mut words = head.split('.');
        let opcode = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let inst = match select(opcode, &words, &vec![Shape::default(); operands.len()]) {
            Some(Ok(inst)) => inst,
            other => panic!("{text}: {other:?}"),
        };
        let named = |text: &str| NAMES.iter().position(|name| *name == text);
        let source = |text: &&str| match (named(text), text.strip_prefix("0x")) {
            (Some(place), _) => Source::Named(place),
            (None, Some(digits)) => Source::Constant(Bits::from_str_radix(digits, 16).expect("a number")),
            (None, None) => Source::Constant(text.parse().expect("a number")),
        };
        Step {
            inst,
            to: named(operands[0]).expect("a name"),
            sources: operands[1..].iter().map(source).collect(),
        }
    }

    fn run(&self, values: &mut Values) {
        let mut args: Args = [0; 8];
        for (arg, source) in args.iter_mut().zip(&self.sources) {
            *arg = match source {
                Source::Named(place) => values[*place],
                Source::Constant(bits) => *bits,
            };
        }
        let mut result = [0];
        assert!(self.inst.compute(Semantics::Manual, &args, &mut result));
        values[self.to] = result[0];
    }
}

/// What a sequence of instructions leaves in `d`.
fn run(steps: &[Step], a: u32, b: u32) -> u32 {
    let mut values: Values = [a.into(), b.into(), 0, 0, 0, 0];
    steps.iter().for_each(|step| step.run(&mut values));
    values[2] as u32
}

/// Intrinsics and their instructions.
fn rows() -> impl Iterator<Item = (&'static str, Vec<Step>)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let [name, _, text] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        (name, text.split(';').map(Step::read).collect())
    })
}

/// Pairs of words: lanes are random or corner values, and lanes of the second word often equal or neighbour the first's.
struct Pairs {
    state: u64,
    lane: Lane,
}

impl Pairs {
    fn random(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.state >> 32) as u32
    }

    fn next(&mut self) -> (u32, u32) {
        let (mut a, mut b) = (self.random(), self.random());
        let mut choices = u64::from(self.random()) << 32 | u64::from(self.random());
        let Lane { bits } = self.lane;
        let ones = self.lane.ones() as u32;
        let corners = [0, 1, ones / 2, ones / 2 + 1, ones / 2 + 2, ones - 1, ones, ones / 2 - 1];
        for at in (0..32).step_by(bits as usize) {
            let mut choose = |of: u64| {
                let choice = choices % of;
                choices /= of;
                choice as usize
            };
            let put = |word: &mut u32, value: u32| *word = *word & !(ones << at) | (value & ones) << at;
            if choose(2) == 0 {
                put(&mut a, corners[choose(8)]);
            }
            match choose(4) {
                0 => put(&mut b, corners[choose(8)]),
                1 => put(&mut b, (a >> at).wrapping_add(choose(3) as u32).wrapping_sub(1)),
                _ => {}
            }
        }
        (a, b)
    }
}

#[test]
fn every_intrinsic_is_in_the_table_once_and_has_plain_code() {
    let names: BTreeSet<_> = rows().map(|(name, _)| name).collect();
    assert_eq!((rows().count(), names.len(), PLAIN.len()), (82, 82, 41));
    assert!(names.iter().all(|name| Plain::of(name).is_some()));
}

#[test]
fn every_intrinsic_equals_its_instructions_on_a_million_inputs() {
    let rows: Vec<_> = rows().collect();
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let judge = |(name, steps): &(&str, Vec<Step>)| {
        let (plain, lane) = Plain::of(name).expect("plain code");
        let mut pairs = Pairs { state: 82, lane };
        for _ in 0..INPUTS {
            let (a, b) = pairs.next();
            let (want, got) = (plain.of_words(a, b, lane), run(steps, a, b));
            assert_eq!(got, want, "{name} of {a:#010x}, {b:#010x}: {got:#010x} instead of {want:#010x}");
        }
    };
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let mine = rows.iter().skip(worker).step_by(workers);
            scope.spawn(move || mine.for_each(judge));
        }
    });
}

#[test]
fn a_thousand_inputs_tell_every_intrinsic_from_every_other() {
    let rows: Vec<_> = rows().collect();
    for (name, _) in &rows {
        let (plain, lane) = Plain::of(name).expect("plain code");
        for (other, steps) in rows.iter().filter(|(other, _)| other != name) {
            let mut pairs = Pairs { state: 41, lane };
            let mut inputs = (0..1000).map(|_| pairs.next());
            let differs = inputs.any(|(a, b)| plain.of_words(a, b, lane) != run(steps, a, b));
            assert!(differs, "{name} cannot be told from {other}");
        }
    }
}

#[test]
fn results_that_the_description_gives_as_examples_are_given() {
    let (two, four) = ((0x8000_7fff, 0x7fff_8000), (0x807f_3302, 0x7f80_3301));
    let same = (0x1234_5678, 0x1234_abcd);
    let least = [("2", (0x8000_8000, 0)), ("4", (0x8080_8080, 0))];
    let mut examples: Vec<(String, (u32, u32), u32)> = Vec::new();
    for (lanes, words) in least {
        let most = words.0 - if lanes == "2" { 0x0001_0001 } else { 0x0101_0101 };
        for (stem, want) in [("vabs", words.0), ("vneg", words.0), ("vabsss", most), ("vnegss", most)] {
            examples.push((format!("__{stem}{lanes}"), words, want));
        }
    }
    // What comparisons give as lanes of 1; as masks, every such lane is all ones.
    let compared = [
        ("eq2", same, 0x0001_0000),
        ("ne2", same, 0x0000_0001),
        ("ges2", two, 0x0000_0001),
        ("geu2", two, 0x0001_0000),
        ("gts2", two, 0x0000_0001),
        ("gtu2", two, 0x0001_0000),
        ("les2", two, 0x0001_0000),
        ("leu2", two, 0x0000_0001),
        ("lts2", two, 0x0001_0000),
        ("ltu2", two, 0x0000_0001),
        ("eq4", four, 0x0000_0100),
        ("ne4", four, 0x0101_0001),
        ("ges4", four, 0x0001_0101),
        ("geu4", four, 0x0100_0101),
        ("gts4", four, 0x0001_0001),
        ("gtu4", four, 0x0100_0001),
        ("les4", four, 0x0100_0100),
        ("leu4", four, 0x0001_0100),
        ("lts4", four, 0x0100_0000),
        ("ltu4", four, 0x0001_0000),
    ];
    for (suffix, words, want) in compared {
        examples.push((format!("__vset{suffix}"), words, want));
        let ones = if suffix.ends_with('2') { 0xffff } else { 0xff };
        examples.push((format!("__vcmp{suffix}"), words, want * ones));
    }
    assert_eq!(examples.len(), 48);
    for (name, steps) in rows() {
        for (_, (a, b), want) in examples.iter().filter(|(of, ..)| of == name) {
            let (plain, lane) = Plain::of(name).expect("plain code");
            assert_eq!([plain.of_words(*a, *b, lane), run(&steps, *a, *b)], [*want; 2], "{name}");
        }
    }
}
