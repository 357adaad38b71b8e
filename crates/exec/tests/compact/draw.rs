//! Compact programs from seeds: statements that meet in few words, and barriers wherever the order of accesses would show.

use super::matrices;
use super::operations::{combined, operation, uniform};
use super::order::first_conflict;
use super::places::{Deed, WORD};
use super::program::{Ahead, Counts, Loop, Program, Space, Stmt, Style, Those, Width, around};
use super::random::Random;
use super::shapes;
use super::text::WIDES;

/// Threads of a CTA and how many are in a row, each the more often the more there are of it.
const BLOCKS: &[([u32; 2], u32)] = &[
    ([32, 1], 32),
    ([64, 1], 64),
    ([64, 1], 64),
    ([64, 1], 16),
    ([8, 8], 8),
    ([16, 4], 16),
    ([96, 1], 96),
    ([128, 1], 128),
    ([128, 1], 128),
    ([128, 1], 32),
    ([32, 4], 32),
    ([32, 8], 32),
    ([16, 8], 16),
    ([16, 16], 16),
    ([16, 16], 16),
    ([256, 1], 256),
    ([256, 1], 256),
    ([256, 1], 16),
    ([256, 1], 32),
    ([512, 1], 512),
    ([512, 1], 512),
    ([32, 16], 32),
    ([100, 1], 100),
    ([12, 5], 12),
];

const GRIDS: &[[u32; 2]] =
    &[[1, 1], [1, 1], [2, 1], [3, 1], [4, 1], [2, 2], [5, 1], [8, 1], [3, 4], [16, 1], [33, 2], [160, 1]];

/// Threads of a launch, at most: the golden engine takes each one's steps.
const MOST_THREADS: [u32; 8] = [256, 256, 512, 512, 512, 1024, 2048, 16384];

/// What atomic operations do.
const ATOMICS: &[&str] = &["add.u32", "add.u32", "xor.b32", "max.s32", "min.u32"];

/// Barriers that are put between statements, at most; then statements go.
const MOST_BARRIERS: usize = 40;

/// A program while it is drawn.
pub struct Draw {
    pub random: Random,
    pub program: Program,
    /// Steps between columns and rows, in elements, that many accesses of the program have.
    pub steps: Vec<[i64; 2]>,
    pub widths: Vec<Width>,
    labels: u32,
    /// The registers that were written last.
    pub word: u8,
    pub wide: u8,
}

/// Where statements stand.
#[derive(Clone, Copy)]
pub struct Place {
    /// Turns of the loops around.
    pub turns: [u32; 2],
    pub depth: usize,
    /// Whether all threads come here.
    pub whole: bool,
}

pub const TOP: Place = Place { turns: [1; 2], depth: 0, whole: true };

/// The program of a seed.
pub fn draw(seed: u64) -> Program {
    let mut random = Random::new(seed, 0);
    let (block, columns) = *random.pick(BLOCKS);
    let threads = block[0] * block[1];
    let most = *random.pick(&MOST_THREADS);
    let grids: Vec<_> =
        GRIDS.iter().filter(|grid| grid[0] * grid[1] * threads <= most.max(threads)).collect();
    let window = (threads * 4 * *random.pick(&[2, 3, 5]) + 256).next_multiple_of(64);
    let alias = match random.below(3) {
        0 => 0,
        1 => 4 * (1 + random.below(2 * threads as usize) as u32),
        _ => window / 2 / 16 * 16,
    };
    let style = Style {
        generic: [random.once_in(6), random.once_in(8)],
        ahead: *random.pick(&[Ahead::Always, Ahead::Sometimes, Ahead::Never]),
        bits: random.once_in(3),
        loaded: random.once_in(2),
        floating: random.once_in(3),
        forms: random.once_in(4),
        matrices: threads.is_multiple_of(32) && random.once_in(3),
        atomic: ATOMICS[random.below(ATOMICS.len())],
    };
    let body = Vec::new();
    let (grid, digest) = (**random.pick(&grids), Vec::new());
    let program = Program { seed, block, columns, grid, window, alias, style, body, digest };
    let mut draw =
        Draw { steps: Vec::new(), widths: Vec::new(), labels: 0, word: 0, wide: 0, random, program };
    for _ in 0..1 + draw.random.below(3) {
        let (step, width) = (draw.step(), draw.width());
        draw.steps.push(step);
        draw.widths.push(width);
    }
    draw.everything();
    draw.program
}

impl Draw {
    fn everything(&mut self) {
        if self.random.once_in(2) {
            // Shared memory holds something else than zeros.
            let at = self.own(Space::Shared, 4);
            self.program.body.push(Stmt::Store { at, width: WORD, from: vec![0] });
        }
        let count = 1 + self.random.below(4);
        for _ in 0..count {
            let more = match self.random.below(2) {
                0 => shapes::shape(self),
                _ => {
                    let count = 2 + self.random.below(7);
                    self.statements(count, TOP)
                }
            };
            self.program.body.extend(more);
            if self.random.once_in(2) {
                break;
            }
        }
        if self.random.once_in(if self.program.style.forms { 2 } else { 4 }) {
            let most = if self.program.style.forms { 6 } else { 2 };
            self.program.digest = (0..1 + self.random.below(most)).map(|_| self.any_word()).collect();
        }
        self.order();
    }

    /// Puts barriers where they are needed, and drops statements that conflict with themselves.
    fn order(&mut self) {
        let mut put = 0;
        while let Some((mut path, in_warp)) = first_conflict(&self.program) {
            let full = path.clone();
            path.truncate(self.open(&path));
            let mut k = path.pop().expect("a path has an end");
            let may_be_of_warps = in_warp && self.program.has_warps();
            let body = around(&mut self.program.body, &[&path[..], &[0]].concat());
            let before = k.checked_sub(1).map(|before| &body[before]);
            if put > MOST_BARRIERS || matches!(before, Some(Stmt::Barrier(_))) {
                let end = full[full.len() - 1];
                around(&mut self.program.body, &full).remove(end);
                continue;
            }
            if matches!(before, Some(Stmt::WarpBarrier)) {
                body[k - 1] = barrier(&mut self.random);
                continue;
            }
            // Anywhere after the one before it may be as good; if not, one more is needed.
            let since =
                body[..k].iter().rposition(|stmt| matches!(stmt, Stmt::Barrier(_) | Stmt::WarpBarrier));
            let first = since.map_or(0, |since| since + 1).max(k.saturating_sub(5));
            if put < MOST_BARRIERS / 2 && !self.random.once_in(3) {
                k = first + self.random.below(k - first + 1);
            }
            let one = match may_be_of_warps && self.random.once_in(2) {
                true => Stmt::WarpBarrier,
                false => barrier(&mut self.random),
            };
            body.insert(k, one);
            put += 1;
        }
    }

    /// How much of a path all threads of the block go.
    fn open(&self, path: &[usize]) -> usize {
        let mut body = &self.program.body;
        for (depth, k) in path.iter().enumerate() {
            match &body[*k] {
                Stmt::Loop(Loop { cut: 0, body: inside, .. }) => body = inside,
                _ => return depth + 1,
            }
        }
        path.len()
    }

    pub fn statements(&mut self, count: usize, place: Place) -> Vec<Stmt> {
        let mut all = Vec::new();
        for _ in 0..count {
            if place.whole && self.program.style.matrices && self.random.once_in(3) {
                all.extend(matrices::statement(self, place));
                continue;
            }
            match self.random.below(32) {
                0..5 => all.extend(self.load(place)),
                5..8 => all.push(Stmt::Ops(operation(self, place.whole))),
                8..12 => all.extend(self.store(place)),
                12 => all.extend(self.atomic(place)),
                13 if place.whole => all.push(barrier(&mut self.random)),
                14..16 if place.depth < 2 && place.whole => all.push(self.turns(place)),
                16 | 20 if place.whole => all.push(self.guarded(place)),
                17 => all.push(Stmt::Ops(uniform(self))),
                18 | 19 => all.push(self.gather()),
                _ => all.extend(self.chain(place)),
            }
        }
        all
    }

    /// What is loaded, changed and stored: fused loops are made of it.
    fn chain(&mut self, place: Place) -> Vec<Stmt> {
        let wide = self.random.once_in(6);
        let count = 1 + self.random.below(3);
        let (mut all, mut loaded) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let width = self.usual_width();
            let width = if (width.bytes == 8) == wide {
                width
            } else {
                Width { bytes: if wide { 8 } else { 4 }, ..WORD }
            };
            let space = *self.random.pick(&[
                Space::Global,
                Space::Global,
                Space::Shared,
                Space::Shared,
                Space::Input,
            ]);
            let Some(at) = self.at(space, width.size(), place, Deed::Load) else { continue };
            let to = self.registers(width);
            loaded.extend_from_slice(&to);
            all.push(Stmt::Load { at, width, to });
        }
        if loaded.is_empty() {
            return all;
        }
        let to = self.registers(Width { bytes: if wide { 8 } else { 4 }, ..WORD })[0];
        for (k, from) in loaded.into_iter().enumerate() {
            all.push(Stmt::Ops(combined(self, k == 0, wide, [to, from])));
        }
        let more = if self.program.style.forms { 2 } else { usize::from(self.random.once_in(6)) };
        if place.whole {
            all.extend((0..more).map(|_| Stmt::Ops(operation(self, true))));
        }
        all.extend(self.store(place));
        all
    }

    /// A number that no other label has.
    pub fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn turns(&mut self, place: Place) -> Stmt {
        let turns = match (place.depth, self.random.below(4)) {
            (0, 0) => 1 + self.random.below(24) as u32,
            _ => 1 + self.random.below(8) as u32,
        };
        let count = 1 + self.random.below(5);
        self.turns_of(turns, place, |draw, place| draw.statements(count, place))
    }

    /// A loop of so many turns.
    pub fn turns_of(
        &mut self,
        turns: u32,
        place: Place,
        body: impl FnOnce(&mut Draw, Place) -> Vec<Stmt>,
    ) -> Stmt {
        let counts = *self.random.pick(&[Counts::Up, Counts::Down, Counts::Given, Counts::Threads]);
        let threads = self.program.threads();
        let cut = match counts {
            Counts::Threads if turns > 1 && !self.random.once_in(3) => {
                self.random.below(threads as usize) as u32
            }
            _ => 0,
        };
        let mut inside = Place { depth: place.depth + 1, whole: place.whole && cut == 0, ..place };
        inside.turns[place.depth] = turns;
        let mut body = body(self, inside);
        // A shape has the barriers that it needs.
        if cut != 0 {
            body.retain(|stmt| !matches!(stmt, Stmt::Barrier(_) | Stmt::WarpBarrier));
        }
        Stmt::Loop(Loop { turns, counts, cut, body })
    }

    fn guarded(&mut self, place: Place) -> Stmt {
        let threads = self.program.threads() as usize;
        let those = match self.random.below(8) {
            0 => Those::Below(self.random.below(threads) as u32),
            1 => Those::Below(32 * (1 + self.random.below(threads / 32 + 1)) as u32),
            2 => Those::Only(self.random.below(threads) as u32),
            3 => Those::Column(self.random.below(self.program.columns as usize) as u32),
            4..7 => Those::Less(self.word, *self.random.pick(&[1 << 31, 1 << 20, 77, 0xffff_0000])),
            _ => Those::FirstLanes,
        };
        let (count, branch) = (1 + self.random.below(3), self.random.once_in(2));
        let body = self.statements(count, Place { whole: false, ..place });
        Stmt::Guarded { those, branch, body }
    }

    pub fn load(&mut self, place: Place) -> Option<Stmt> {
        if self.random.once_in(8) {
            return Some(self.gather());
        }
        let width = self.usual_width();
        let space =
            *self.random.pick(&[Space::Global, Space::Global, Space::Shared, Space::Shared, Space::Input]);
        let at = self.at(space, width.size(), place, Deed::Load)?;
        let to = self.registers(width);
        Some(Stmt::Load { at, width, to })
    }

    fn gather(&mut self) -> Stmt {
        let (width, word) = (self.usual_width(), self.word);
        let (space, count) = match self.random.once_in(3) {
            true => (Space::Shared, *self.random.pick(&[1, 8, 32])),
            false => (Space::Input, *self.random.pick(&[1, 16, 64])),
        };
        Stmt::Gather { space, word, count, width, to: self.registers(width) }
    }

    fn store(&mut self, place: Place) -> Option<Stmt> {
        let width = self.usual_width();
        let space = *self.random.pick(&[Space::Global, Space::Global, Space::Shared]);
        let at = self.at(space, width.size(), place, Deed::Store)?;
        let width = match (self.random.once_in(2), width.bytes) {
            (true, 4) => WORD,
            _ => width,
        };
        let first = match width.bytes {
            8 => [self.wide, self.random.below(WIDES.into()) as u8],
            _ => [self.word, self.any_word()],
        };
        let from = (0..width.lanes as usize).map(|lane| if lane == 0 { first[0] } else { first[1] });
        Some(Stmt::Store { at, width, from: from.collect() })
    }

    fn atomic(&mut self, place: Place) -> Option<Stmt> {
        let space = *self.random.pick(&[Space::Global, Space::Shared]);
        let at = self.at(space, 4, place, Deed::Store)?;
        Some(Stmt::Atomic { at, from: self.word })
    }
}

/// The barriers that kernels have.
pub fn barrier(random: &mut Random) -> Stmt {
    const ALL: &[&str] =
        &["bar.sync 0", "bar.sync 0", "bar.sync 0", "bar.sync 1", "barrier.sync 0", "bar.sync 0, ALL"];
    Stmt::Barrier(ALL[random.below(ALL.len())])
}
