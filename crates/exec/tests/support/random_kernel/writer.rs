//! The kernel as it grows: text, labels, and what statements may do where they stand.

use super::atomics::Sums;
use super::random::Random;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What a statement may do where it stands.
#[derive(Clone, Copy)]
pub struct Place {
    /// How many more levels of control may stand around statements here.
    pub depth: usize,
    /// Whether it is in a function, which knows nothing of shared memory and of sums.
    pub in_function: bool,
    /// Whether all threads of the block come here, those aside that have ended.
    pub whole: bool,
    /// Whether threads may write their cells in shared memory.
    pub writes_shared: bool,
    /// Where to go on with the next round of the loop, and where to leave it.
    pub leave: Option<(u32, u32)>,
    /// The lanes of the warp that come here, together: none if that is not known.
    pub lanes: Option<Lanes>,
}

/// Lanes of a warp.
#[derive(Clone, Copy)]
pub enum Lanes {
    All,
    /// Those in a register `%m`.
    Of(u32),
}

impl Lanes {
    pub fn text(self) -> String {
        match self {
            Lanes::All => "-1".into(),
            Lanes::Of(k) => format!("%m{k}"),
        }
    }
}

/// Features that are switched on or off for a whole kernel.
#[derive(Clone, Copy)]
pub struct Traits {
    /// Threads of the grid and of a block.
    pub threads: usize,
    pub block: usize,
    /// Whether no access is ordered, and only one kind of atomic operation is there, so that blocks may run at once.
    pub weak: bool,
    /// Whether threads may end early.
    pub exits: bool,
    pub functions: u32,
    /// Whether threads print.
    pub prints: bool,
}

pub struct Writer {
    pub random: Random,
    pub text: String,
    pub traits: Traits,
    pub sums: Sums,
    pub features: BTreeSet<&'static str>,
    labels: u32,
    counters: u32,
    masks: u32,
    /// How many functions may be called.
    pub functions: u32,
    /// The next barrier that none has used.
    pub barriers: u32,
    /// Whether a thread may have ended before what comes next.
    pub ended: bool,
}

impl Writer {
    pub fn new(traits: Traits, random: Random) -> Writer {
        Writer {
            random,
            text: String::new(),
            traits,
            sums: Sums::default(),
            features: BTreeSet::new(),
            labels: 0,
            counters: 0,
            masks: 0,
            functions: 0,
            barriers: 2,
            ended: false,
        }
    }

    pub fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push_str(";\n");
    }

    /// A line that now and then stands under a guard.
    pub fn guarded(&mut self, line: impl AsRef<str>) {
        if self.random.once_in(4) {
            let guard = self.guard();
            self.text.push_str(&guard);
        }
        self.line(line);
    }

    pub fn guard(&mut self) -> String {
        self.feature("guard");
        let (not, k) = (["", "!"][self.random.below(2)], self.random.below(4));
        format!("@{not}%p{k} ")
    }

    pub fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    pub fn put_label(&mut self, label: u32) {
        let _ = writeln!(self.text, "L{label}:");
    }

    /// A register for a loop to count in; none is left if there have been many.
    pub fn counter(&mut self) -> Option<u32> {
        self.counters += 1;
        (self.counters < 64).then_some(self.counters)
    }

    pub fn mask(&mut self) -> Option<u32> {
        self.masks += 1;
        (self.masks < 64).then_some(self.masks)
    }

    pub fn feature(&mut self, name: &'static str) {
        self.features.insert(name);
    }

    /// Forgets counters and masks: a function has its own.
    pub fn fresh_registers(&mut self) {
        (self.counters, self.masks) = (0, 0);
    }

    /// One of the registers of 32 bits.
    pub fn word(&mut self) -> String {
        format!("%r{}", self.random.below(8))
    }
}
