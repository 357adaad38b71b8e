//! Kernels from seeds: registers, launch shapes, and what is left to see of a kernel.

use margay_exec::Dim;

/// Rows of words, each of all threads, that a thread has a column of.
pub const ROWS: u64 = 32;
/// Bytes in a row that are a thread's own.
pub const CHUNK: u64 = 64;
/// Bytes that all threads add to.
pub const SUMS: u64 = 4096;
/// Words of shared memory.
pub const SHARED: u32 = 4096;

/// Random numbers that repeat (SplitMix64).
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// What buffers begin with: small numbers, floating-point ones, any bits.
pub fn words(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random(seed);
    let style = random.below(4);
    let mut all = Vec::with_capacity(bytes + 4);
    while all.len() < bytes {
        let bits = random.next();
        let word = match (style, bits >> 60) {
            (0, _) | (3, 0..6) => (bits >> 8) as u32 & 0x1f,
            (1, _) | (3, 6..10) => ((bits as u32 >> 12) as f32 / 4096.0 - 60.0).to_bits(),
            (_, 10) => [0, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7f80_0000, 0x7fa0_0001, 1, 0xffff]
                [bits as usize % 8],
            _ => bits as u32,
        };
        all.extend_from_slice(&word.to_le_bytes());
    }
    all.truncate(bytes);
    all
}

/// A kernel and its launch.
#[derive(Clone)]
pub struct Kernel {
    pub seed: u64,
    pub grid: Dim,
    pub block: Dim,
    /// The number that each launch is given; all launches are one program's.
    pub numbers: Vec<u32>,
    pub registers: Vec<String>,
    pub lines: Vec<String>,
}

impl Kernel {
    pub fn threads(&self) -> u32 {
        [self.grid, self.block].iter().map(|dim| dim.x * dim.y * dim.z).product()
    }

    /// Bytes of the input.
    pub fn input(&self) -> u64 {
        4 * u64::from(INPUT)
    }

    /// The buffer that a byte of all memory is in, and where there.
    pub fn place(&self, at: usize) -> (&'static str, usize) {
        let threads = u64::from(self.threads());
        let sizes = [self.input(), threads * 4 * ROWS, threads * CHUNK, SUMS];
        let mut left = at;
        for (size, name) in sizes.into_iter().zip(["in", "rows", "chunks", "sums"]) {
            if left < size as usize {
                return (name, left);
            }
            left -= size as usize;
        }
        ("nowhere", left)
    }

    pub fn text(&self) -> String {
        let registers = self.registers.join("\n    ");
        let lines = self.lines.join("\n    ");
        format!(
            ".version 8.5
.target sm_90
.address_size 64
.global .align 16 .b32 table[64] = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}};
.const .align 16 .b32 constants[16] = {{7, 0, 5, 4294967295, 1, 2, 3, 100, 9, 8, 65535, 6, 31, 64, 12, 11}};
.func (.reg .b32 %o) mixed(.reg .b32 %a, .reg .b32 %b)
{{
    .reg .pred %p;
    mad.lo.u32 %o, %a, 5, %b;
    setp.gt.s32 %p, %a, %b;
    @%p xor.b32 %o, %o, %a;
    ret;
}}
.func (.reg .b32 %o) turned(.reg .b32 %a, .reg .b32 %b)
{{
    .reg .pred %p;
    and.b32 %b, %b, 3;
    mov.u32 %o, 1;
again:
    mad.lo.u32 %o, %o, 3, %a;
    sub.u32 %b, %b, 1;
    setp.ge.s32 %p, %b, 0;
    @%p bra again;
    ret;
}}
.visible .entry k(.param .u64 in, .param .u64 rows, .param .u64 chunks, .param .u64 sums, .param .u32 n)
{{
    .reg .b64 %in, %own, %chunk, %sums, %row, %d<4>, %x, %y, %z;
    .reg .b32 %r<8>, %i, %j, %k, %l, %m, %t, %g, %b, %nt, %all, %n, %lane, %tx, %ty, %words;
    .reg .b32 %u<4>, %o<24>;
    .reg .pred %s<12>;
    .reg .b64 %w<2>;
    .reg .f32 %f<4>, %fa;
    .reg .f64 %e<2>;
    .reg .b16 %h<3>, %ha;
    .reg .pred %p<4>, %q, %c;
    .shared .align 16 .b32 words[{SHARED}];
    .local .align 16 .b32 own[32];
    {registers}
    {lines}
    ret;
}}
"
        )
    }
}

/// Words of the input.
pub const INPUT: u32 = 1 << 16;

/// A loop around what is drawn.
pub struct Around {
    /// A register of 32 bits that its counter, or its low bits, are in at the turn's begin.
    pub turn: String,
    /// The counter itself, if it has 64 bits.
    pub wide: Option<String>,
    pub exit: String,
    pub next: String,
    /// Lines before the loop, and those at each turn's end.
    pub before: Vec<String>,
    pub after: Vec<String>,
    /// How many turns there are at most, if that is known.
    pub turns: Option<u32>,
    /// The greatest number that the counter has, if that is known.
    pub most: Option<u32>,
}

/// A kernel while it is drawn.
pub struct Draw {
    pub random: Random,
    pub lines: Vec<String>,
    pub registers: Vec<String>,
    pub around: Vec<Around>,
    names: u32,
    /// Whether all threads of a block come here together.
    pub whole: bool,
    /// Whether warps are whole.
    pub warps: bool,
    /// Kinds of statements that this kernel has.
    pub habits: Vec<Habit>,
    pub floats: bool,
    /// A line that the next loop's body begins with.
    pub pending: Option<String>,
    /// The next loop's counter, if it has 64 bits.
    pub wide: Option<String>,
    /// The greatest number that it has, if that is known.
    pub most: Option<u32>,
    pub threads: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Habit {
    Values,
    Loads,
    Columns,
    Chunks,
    Shared,
    Warps,
    Atomics,
    Branches,
    Odd,
    /// Loads, operations and stores without conditions, at places that grow alike.
    Plain,
    /// Floating-point numbers and their bits.
    Floats,
    /// More values and predicates than machines have registers.
    Many,
    /// Addresses that may lie outside.
    Faults,
}

const HABITS: &[Habit] = &[
    Habit::Loads,
    Habit::Loads,
    Habit::Columns,
    Habit::Columns,
    Habit::Chunks,
    Habit::Shared,
    Habit::Shared,
    Habit::Warps,
    Habit::Atomics,
    Habit::Branches,
    Habit::Odd,
    Habit::Faults,
];

impl Draw {
    pub fn line(&mut self, line: impl Into<String>) {
        let line = line.into();
        self.lines.extend(
            line.split(';').map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line};")),
        );
    }

    pub fn label(&mut self, label: &str) {
        self.lines.push(format!("{label}:"));
    }

    pub fn name(&mut self, of: &str) -> String {
        self.names += 1;
        format!("{of}{}", self.names)
    }

    /// A new register.
    pub fn register(&mut self, ty: &str) -> String {
        let name = self.name("%v");
        self.registers.push(format!(".reg .{ty} {name};"));
        name
    }
}

/// The kernel of a seed.
pub fn draw(seed: u64) -> Kernel {
    let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc_def1) ^ 77);
    // What a launch has found out, later ones know.
    let launches = random.of(&[1, 1, 1, 1, 2, 3]);
    let numbers = (0..launches).map(|_| random.of(&[0, 1, 2, 3, 5, 7, 8, 16, 31, 33, 64])).collect();
    let habits = habits(&mut random);
    // What a thread that fails has written is known if there is no other one.
    let (grid, block) = match habits.contains(&Habit::Faults) && random.once_in(2) {
        true => (Dim::from(1), Dim::from(1)),
        false => shape(&mut random),
    };
    let floats = habits.contains(&Habit::Floats) || random.once_in(3);
    let warps = (block.x * block.y * block.z).is_multiple_of(32);
    let threads = [grid, block].iter().map(|dim| dim.x * dim.y * dim.z).product();
    let (lines, registers, around) = (Vec::new(), Vec::new(), Vec::new());
    let mut draw = Draw {
        random,
        lines,
        registers,
        around,
        names: 0,
        whole: true,
        warps,
        habits,
        floats,
        pending: None,
        wide: None,
        most: None,
        threads,
    };
    draw.whole = draw.habits.contains(&Habit::Shared) || draw.habits.contains(&Habit::Warps);
    draw.begin();
    for _ in 0..1 + draw.random.below(2) {
        if draw.random.once_in(4) {
            draw.statement();
        }
        draw.a_loop();
    }
    if draw.random.once_in(3) {
        draw.statement();
    }
    draw.end();
    Kernel { seed, grid, block, numbers, registers: draw.registers, lines: draw.lines }
}

/// Kinds of statements: often few, since what a compiler makes of a loop is less the more there is in it.
fn habits(random: &mut Random) -> Vec<Habit> {
    use Habit::*;
    match random.below(15) {
        0 => vec![Values],
        1..4 => vec![Values, Loads],
        4 => vec![Values, Loads, Loads, Columns],
        5 => vec![Values, Loads, random.of(&[Columns, Chunks])],
        6 | 7 => vec![Shared, random.of(&[Shared, Loads, Values])],
        8 => vec![Plain],
        11 => vec![Floats, random.of(&[Floats, Floats, Loads, Values])],
        10 => vec![Many, random.of(&[Many, Many, Values, Loads])],
        9 => vec![Plain, random.of(&[Values, Loads, Plain, Columns])],
        _ => {
            let others = 1 + random.below(4);
            std::iter::once(Values).chain((0..others).map(|_| random.of(HABITS))).collect()
        }
    }
}

fn shape(random: &mut Random) -> (Dim, Dim) {
    let block = match random.below(12) {
        0 => Dim::from(1),
        1 => Dim::from(random.of(&[2, 7, 16, 31, 33, 40, 63, 65, 100])),
        2 => Dim::from(256),
        3 => Dim::new(16, 16, 1),
        4 => random.of(&[
            Dim::new(8, 8, 1),
            Dim::new(32, 4, 1),
            Dim::new(16, 4, 1),
            Dim::new(5, 7, 3),
            Dim::new(4, 4, 4),
            Dim::new(32, 2, 2),
        ]),
        5 | 6 => Dim::from(128),
        7 => Dim::from(96),
        8 => Dim::from(32),
        _ => Dim::from(64),
    };
    let threads = block.x * block.y * block.z;
    let grid = match random.below(40) {
        0..16 => Dim::from(1),
        16..22 => Dim::from(2),
        22..26 => Dim::from(3),
        26..29 => Dim::from(5),
        29..31 => Dim::new(2, 2, 1),
        31..33 => Dim::new(3, 2, 2),
        33..35 if threads < 33 => Dim::from(33),
        35 => Dim::from(1 + 2000 / threads),
        36 if random.once_in(4) => Dim::from(1 + 20000 / threads),
        // Of which many run together whose warps are not whole.
        37..40 if !threads.is_multiple_of(32) => Dim::from(16 + random.below(80) as u32),
        _ => Dim::from(4),
    };
    (grid, block)
}

impl Draw {
    /// What threads know of themselves, and what registers begin with.
    fn begin(&mut self) {
        self.line(
            "ld.param.u64 %in, [in]; ld.param.u64 %own, [rows]; ld.param.u64 %chunk, [chunks]; ld.param.u64 %sums, [sums]; ld.param.u32 %n, [n];
             mov.u32 %tx, %tid.x; mov.u32 %ty, %tid.y; mov.u32 %i, %tid.z; mov.u32 %j, %ntid.y; mad.lo.u32 %i, %i, %j, %ty;
             mov.u32 %k, %ntid.x; mad.lo.u32 %t, %i, %k, %tx; mul.lo.u32 %nt, %j, %k; mov.u32 %j, %ntid.z; mul.lo.u32 %nt, %nt, %j;
             mov.u32 %b, %ctaid.z; mov.u32 %i, %nctaid.y; mov.u32 %j, %ctaid.y; mad.lo.u32 %b, %b, %i, %j;
             mov.u32 %i, %nctaid.x; mov.u32 %j, %ctaid.x; mad.lo.u32 %b, %b, %i, %j;
             mov.u32 %j, %nctaid.y; mul.lo.u32 %all, %i, %j; mov.u32 %j, %nctaid.z; mul.lo.u32 %all, %all, %j; mul.lo.u32 %all, %all, %nt;
             mad.lo.u32 %g, %b, %nt, %t; and.b32 %lane, %t, 31; mov.u32 %words, words;
             mul.wide.u32 %x, %g, 4; add.u64 %own, %own, %x; mul.wide.u32 %x, %g, 64; add.u64 %chunk, %chunk, %x; mul.wide.u32 %row, %all, 4",
        );
        if self.random.once_in(4) {
            self.line("cvta.to.global.u64 %in, %in; cvta.to.global.u64 %own, %own");
        }
        if !self.whole && self.random.once_in(5) {
            // Those beyond an end have nothing to do.
            let text = match self.random.below(4) {
                0 => "sub.u32 %i, %all, 3; setp.ge.u32 %c, %g, %i; @%c ret",
                1 => "setp.gt.s32 %c, %t, 40; @%c ret",
                2 => "setp.ge.u32 %c, %tx, 13; setp.ge.or.u32 %c, %ty, 13, %c; @%c ret",
                _ => "and.b32 %i, %g, 3; setp.eq.u32 %c, %i, 1; @%c ret",
            };
            self.line(text);
        }
        for k in 0..8 {
            let value = match self.random.below(9) {
                0 => format!("mov.u32 %r{k}, %t"),
                1 => format!("mov.u32 %r{k}, %n"),
                2 => format!(
                    "mov.u32 %r{k}, {}",
                    self.random.of(&["0", "1", "7", "0x80000000", "0xfffffff0", "0x3f800000"])
                ),
                3 => format!("mad.lo.u32 %r{k}, %g, 3, %n"),
                4 => format!("ld.global.u32 %r{k}, [%in+{}]", 4 * k),
                5 => format!("mul.lo.u32 %r{k}, %t, 0x9e3779b9"),
                6 => format!("mov.u32 %r{k}, %b"),
                7 => format!("and.b32 %r{k}, %t, {}", self.random.of(&[1, 3, 7, 15, 16, 30])),
                _ => format!("mul.wide.u32 %x, %g, 4; add.u64 %x, %in, %x; ld.global.u32 %r{k}, [%x]"),
            };
            self.line(value);
        }
        for k in 0..4 {
            let value = self.random.of(&["%n", "%nt", "0", "1", "9", "0x80000001", "%b"]);
            let load = format!("ld.global.u32 %u{k}, [%in+{}]", 16 * k);
            let value = if self.random.once_in(3) { load } else { format!("mov.u32 %u{k}, {value}") };
            self.line(value);
        }
        self.line("add.u64 %w0, %in, 64; cvt.u64.u32 %w1, %u1");
        self.line("mul.wide.u32 %d0, %r0, %r1; cvt.s64.s32 %d1, %r2; mov.u64 %d2, 5; cvt.u64.u32 %d3, %t");
        self.line("mov.b32 %f0, %r4; cvt.rn.f32.u32 %f1, %t; mov.f32 %f2, 0f3fc00000; cvt.rn.f32.s32 %f3, %r5; mov.f32 %fa, 0f00000000");
        self.line("cvt.rn.f64.s32 %e0, %r6; mov.f64 %e1, 0d3ff8000000000000");
        self.line("cvt.u16.u32 %h0, %r7; cvt.u16.u32 %h1, %t; mov.u16 %h2, 3");
        self.line("setp.lt.u32 %p0, %t, 20; setp.ne.u32 %p1, %n, 3; setp.lt.s32 %p2, %r0, %r3; and.b32 %i, %t, 1; setp.eq.u32 %p3, %i, 0; setp.ne.u32 %c, %i, 0");
        if self.habits.contains(&Habit::Odd) {
            for k in 0..16 {
                self.line(format!("st.local.u32 [own+{}], %r{}", 4 * k, k % 8));
            }
        }
        if self.habits.contains(&Habit::Floats) {
            // Bits that are no number, and signal; numbers that are flushed.
            for k in 0..4 {
                let bits = self.random.of(&[
                    "0x7f800001",
                    "0xffa00000",
                    "0x7fc00000",
                    "0x00000003",
                    "0x80000000",
                    "0x3f800000",
                ]);
                let first = match self.random.below(4) {
                    0 => format!("or.b32 %i, %lane, {bits}; mov.b32 %f{k}, %i"),
                    1 => format!("mov.b32 %f{k}, {bits}"),
                    _ => continue,
                };
                self.line(first);
            }
        }
        if self.habits.contains(&Habit::Many) {
            for k in 0..24 {
                self.line(format!("mad.lo.u32 %o{k}, %r{}, {}, %t", k % 8, k + 3));
            }
            for k in 0..12 {
                self.line(format!("setp.lt.s32 %s{k}, %o{k}, %o{}", k + 5));
            }
        }
        if self.habits.contains(&Habit::Shared) {
            self.line("mad.lo.u32 %l, %t, 4, %words");
            for k in 0..4 {
                self.line(format!("st.shared.u32 [%l], %r{k}; mad.lo.u32 %l, %nt, 4, %l"));
            }
            self.line("bar.sync 0");
        }
    }

    /// What is left in registers, or some of them, so that other values are not needed.
    fn end(&mut self) {
        let few = self.random.once_in(2);
        for k in 0..8 {
            if !few || self.random.once_in(4) {
                self.line(format!("mad.lo.u32 %r0, %r0, 31, %r{k}"));
            }
        }
        for k in 0..4 {
            if !few || self.random.once_in(4) {
                self.line(format!(
                    "mad.lo.u32 %r0, %r0, 31, %u{k}; cvt.u32.u64 %i, %w1; xor.b32 %r0, %r0, %i"
                ));
                self.line(format!("cvt.u32.u64 %i, %d{k}; xor.b32 %r0, %r0, %i; shr.u64 %d{k}, %d{k}, 32; cvt.u32.u64 %i, %d{k}; mad.lo.u32 %r0, %r0, 31, %i"));
            }
            if self.floats && (!few || self.random.once_in(3)) {
                self.line(format!("mov.b32 %i, %f{k}; mad.lo.u32 %r0, %r0, 31, %i"));
            }
            if !few || self.random.once_in(4) {
                self.line(format!("selp.b32 %i, 1, 0, %p{k}; mad.lo.u32 %r0, %r0, 31, %i"));
            }
        }
        if !few || self.random.once_in(4) {
            self.line("cvt.u32.u16 %i, %h0; mad.lo.u32 %r0, %r0, 31, %i; cvt.u32.u16 %i, %h1; mad.lo.u32 %r0, %r0, 31, %i");
            self.line("mov.b64 %x, %e0; cvt.u32.u64 %i, %x; xor.b32 %r0, %r0, %i");
        }
        if self.habits.contains(&Habit::Shared) {
            self.line("bar.sync 0; mad.lo.u32 %l, %t, 4, %words; ld.shared.u32 %i, [%l]; mad.lo.u32 %r0, %r0, 31, %i");
        }
        if self.habits.contains(&Habit::Many) {
            let last = self.random.of(&[1, 5, 12, 24]);
            for k in 0..last {
                self.line(format!(
                    "mad.lo.u32 %r0, %r0, 31, %o{k}; selp.b32 %i, 1, 0, %s{}; mad.lo.u32 %r0, %r0, 31, %i",
                    k % 12
                ));
            }
        }
        if self.habits.contains(&Habit::Odd) {
            self.line("ld.local.u32 %i, [own+8]; mad.lo.u32 %r0, %r0, 31, %i");
        }
        self.line("mul.lo.u64 %x, %row, 31; add.u64 %x, %own, %x; st.global.u32 [%x], %r0");
    }
}
