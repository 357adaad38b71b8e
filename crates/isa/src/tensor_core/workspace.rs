//! Room in which products are computed, and how matrices lie there: in lines as long as vector instructions like them.

use crate::WARP;

/// Registers that a product reads at most, and elements of its matrices.
pub(crate) const REGISTERS: usize = 32;
pub(super) const MOST: usize = 1024;
/// Elements of C at most.
pub(super) const MOST_SUMS: usize = 256;
/// Lanes of a line: compilers make vector instructions of loops over so many, on every machine.
pub(super) const LANES: usize = 8;
/// The deepest product of floating-point numbers.
pub(super) const DEEPEST: usize = 32;

/// Numbers taken apart: in double precision, or whole ones in single precision, and exponents.
pub(super) struct Decoded {
    pub values: [f64; MOST],
    pub exponents: [f32; MOST],
    pub special: [u32; MOST],
}

/// Room in which products are computed, one after the other.
///
/// One matrix lies along lanes: a line for each k, with an element of each of eight rows; the next rows follow after all lines.
/// The other one lies across: at each k an element of every column. C has a line for each column. Where there are more columns than
/// rows, A and B change places.
pub struct Workspace {
    /// What the lanes of a warp hold in the registers that are read.
    pub registers: [[u32; WARP]; REGISTERS],
    /// What they get.
    pub results: [[u32; WARP]; REGISTERS],
    pub(crate) words: [u32; MOST],
    pub(crate) along: [u32; MOST],
    pub(crate) across: [u32; MOST],
    pub(crate) sums: [u32; MOST_SUMS],
    /// Sums on the way, and ones where they mean nothing.
    pub(super) running: [u32; MOST_SUMS],
    pub(super) odd: [u32; MOST_SUMS],
    pub(super) along_numbers: Decoded,
    pub(super) across_numbers: Decoded,
}

impl Workspace {
    /// Room that holds nothing yet.
    pub fn new() -> Box<Workspace> {
        const NONE: Decoded = Decoded { values: [0.0; MOST], exponents: [0.0; MOST], special: [0; MOST] };
        const EMPTY: Workspace = Workspace {
            registers: [[0; WARP]; REGISTERS],
            results: [[0; WARP]; REGISTERS],
            words: [0; MOST],
            along: [0; MOST],
            across: [0; MOST],
            sums: [0; MOST_SUMS],
            running: [0; MOST_SUMS],
            odd: [0; MOST_SUMS],
            along_numbers: NONE,
            across_numbers: NONE,
        };
        Box::new(EMPTY)
    }
}

/// How the matrices of a product lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lined {
    /// Whether B lies along lanes, and A across.
    pub swapped: bool,
    /// Lines of so many elements of what lies along.
    pub blocks: usize,
    /// Elements at each k of what lies across, and lines of C in each block.
    pub columns: usize,
    pub depth: usize,
    /// How many neighbours a word holds: lines are those of the first in each word, then those of the second, and so on.
    pub per: usize,
    /// The same of C.
    pub sums_per: usize,
}

impl Lined {
    /// That of matrices of so many rows, columns and elements in a row, if they fit.
    pub fn new(m: usize, n: usize, depth: usize) -> Option<Lined> {
        let swapped = n > m;
        let (rows, columns) = if swapped { (n, m) } else { (m, n) };
        let fits = rows.max(columns) * depth <= MOST && m * n <= MOST_SUMS && depth > 0;
        let blocks = rows / LANES;
        let lined = Lined { swapped, blocks, columns, depth, per: 1, sums_per: 1 };
        (rows.is_multiple_of(LANES) && fits).then_some(lined)
    }

    /// The line of an element at k.
    pub fn line(&self, k: usize) -> usize {
        k % self.per * (self.depth / self.per) + k / self.per
    }

    /// The lines of the first elements, and of the first columns of C.
    #[inline(always)]
    pub fn lines(&self) -> [[u16; DEEPEST]; 2] {
        [places(self.depth, self.per), places(self.columns, self.sums_per)]
    }

    /// The line of a column of C in its block.
    pub fn sums_line(&self, n: usize) -> usize {
        n % self.sums_per * (self.columns / self.sums_per) + n / self.sums_per
    }
}

/// Where each of some neighbours lies if the first ones of all words come first.
#[inline(always)]
fn places(count: usize, per: usize) -> [u16; DEEPEST] {
    let (words, mut places) = (count / per, [0; DEEPEST]);
    for (word, own) in places.chunks_mut(per).enumerate() {
        own.iter_mut().enumerate().for_each(|(j, place)| *place = (j * words + word) as u16);
    }
    places
}
