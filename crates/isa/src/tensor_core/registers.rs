//! Products of matrices in a warp's registers of 32 bits: words are brought into lines and back by tables.

use super::fast::Multiplier;
use super::parts::{Part, parts};
use super::tile::Tile;
use super::workspace::{LANES, Lined, MOST, MOST_SUMS, REGISTERS, Workspace};
use crate::WARP;

/// An element of a matrix in a register of a lane.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub register: usize,
    pub lane: usize,
    /// Its lowest bit.
    pub shift: u32,
    pub row: usize,
    pub column: usize,
}

/// A matrix in registers.
pub(crate) struct Spread {
    /// All elements, those of a word one after the other; several lanes may have the same.
    pub places: Vec<Place>,
    /// Elements of a word.
    pub per: usize,
    /// Bits of an element.
    pub width: u32,
    pub registers: usize,
}

impl Spread {
    fn mask(&self) -> u32 {
        u32::MAX >> (32 - self.width)
    }
}

/// A product of matrices in registers, ready for a device.
///
/// It is compiled as a part of the function that calls it, for the vector instructions which that one may use.
pub struct Product {
    multiplier: Multiplier,
    tile: Option<Tile>,
    parts: Vec<Part>,
    lined: Lined,
    along: Gather,
    across: Gather,
    sums: Gather,
    results: Scatter,
}

impl Product {
    /// That of D, A, B and C, if words can be brought into lines as they are.
    pub(crate) fn new(
        multiplier: Multiplier,
        sizes: (usize, usize, usize),
        [d, a, b, c]: [&Spread; 4],
    ) -> Option<Product> {
        let (m, n, depth) = sizes;
        let registers = [a, b, c].map(|matrix| matrix.registers);
        let lined = Lined { per: a.per, sums_per: c.per, ..multiplier.lined(m, n, depth)? };
        let fit = registers.iter().sum::<usize>() <= REGISTERS && d.registers <= REGISTERS;
        if !fit || b.per != a.per || depth % a.per + lined.columns % c.per != 0 {
            return None;
        }
        // The line's lane, and the line.
        let straight = |place: &Place| (place.row, place.column);
        let turned = |place: &Place| (place.column, place.row);
        let (lanes, columns) = (LANES, lined.columns);
        let of_a = |sizes| Gather::new(a, 0, sizes, depth, straight);
        let of_b = |sizes| Gather::new(b, registers[0], sizes, depth, turned);
        let (long, short) = ((lined.blocks, lanes), (1, columns));
        let (along, across) =
            if lined.swapped { (of_b(long)?, of_a(short)?) } else { (of_a(long)?, of_b(short)?) };
        let of_sums = if lined.swapped { turned } else { straight };
        let sums = Gather::new(c, registers[0] + registers[1], long, columns, of_sums)?;
        let results = Scatter::new(d, |place| {
            let (row, column) = of_sums(place);
            ((row / lanes) * columns + lined.sums_line(column)) * lanes + row % lanes
        });
        let tile = multiplier.tile([d, a, b, c]);
        let parts = parts(&multiplier, sizes, [d, a, b, c]);
        Some(Product { multiplier, tile, parts, lined, along, across, sums, results })
    }

    /// What it is if it has 16 rows and 8 columns, and registers hold them as they mostly do.
    #[inline]
    pub fn tile(&self) -> Option<&Tile> {
        self.tile.as_ref()
    }

    /// The tiles that it is made of, if it has more rows or columns and is made of some: each may be carried out by itself, before others.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The registers that a warp reads become those that it gets.
    #[inline(always)]
    pub fn carry_out(&self, work: &mut Workspace) {
        self.along.gather(&work.registers, &mut work.words, &mut work.along);
        self.across.gather(&work.registers, &mut work.words, &mut work.across);
        self.sums.gather(&work.registers, &mut work.words, &mut work.sums);
        self.multiplier.multiply_lines(&self.lined, [&[], &[]], work);
        self.results.scatter(&work.sums, &mut work.results);
    }
}

/// From words to lines.
struct Gather {
    /// The word, its register and lane, for each place in the lines of the first elements of words; block by block.
    words: Vec<u16>,
    /// Words of a block.
    block: usize,
    /// The lowest bit of each element of a word.
    shifts: Vec<u32>,
    mask: u32,
}

impl Gather {
    /// That of a matrix in registers from `first` on, whose elements belong to a lane of some blocks of lanes, and to a line.
    fn new(
        spread: &Spread,
        first: usize,
        (blocks, lanes): (usize, usize),
        lines: usize,
        place: impl Fn(&Place) -> (usize, usize),
    ) -> Option<Gather> {
        let mut words = vec![None; blocks * lanes * lines / spread.per];
        let shifts: Vec<u32> = spread.places[..spread.per].iter().map(|place| place.shift).collect();
        for word in spread.places.chunks(spread.per) {
            let (lane, line) = place(&word[0]);
            let alike =
                |(j, other): (usize, &Place)| place(other) == (lane, line + j) && other.shift == shifts[j];
            if line % spread.per != 0 || !word.iter().enumerate().all(alike) {
                return None;
            }
            let at = ((lane / lanes) * lines / spread.per + line / spread.per) * lanes + lane % lanes;
            words[at].get_or_insert(((first + word[0].register) * WARP + word[0].lane) as u16);
        }
        let words = words.into_iter().collect::<Option<Vec<u16>>>()?;
        Some(Gather { block: words.len() / blocks, words, shifts, mask: spread.mask() })
    }

    #[inline(always)]
    fn gather<const N: usize>(
        &self,
        registers: &[[u32; WARP]; REGISTERS],
        words: &mut [u32; MOST],
        to: &mut [u32; N],
    ) {
        const { assert!(WARP * REGISTERS == MOST) };
        let registers = registers.as_flattened();
        let lines = to.chunks_exact_mut(self.block * self.shifts.len());
        for (table, lines) in self.words.chunks_exact(self.block).zip(lines) {
            for (word, at) in words.iter_mut().zip(table) {
                *word = registers[usize::from(*at) % MOST];
            }
            for (shift, line) in self.shifts.iter().zip(lines.chunks_exact_mut(self.block)) {
                for (element, word) in line.iter_mut().zip(&*words) {
                    *element = word >> (shift % 32) & self.mask;
                }
            }
        }
    }
}

/// From lines to words.
struct Scatter {
    /// For each element of a word its lowest bit, and where it lies, for the words of a register after those of another.
    tables: Vec<(u32, Vec<u16>)>,
    mask: u32,
}

impl Scatter {
    fn new(spread: &Spread, at: impl Fn(&Place) -> usize) -> Scatter {
        let table = |j: usize| {
            let mut table = vec![0; spread.registers * WARP];
            for word in spread.places.chunks(spread.per) {
                table[word[j].register * WARP + word[j].lane] = at(&word[j]) as u16;
            }
            (spread.places[j].shift, table)
        };
        Scatter { tables: (0..spread.per).map(table).collect(), mask: spread.mask() }
    }

    #[inline(always)]
    fn scatter(&self, sums: &[u32; MOST_SUMS], registers: &mut [[u32; WARP]; REGISTERS]) {
        let words = registers.as_flattened_mut();
        for (j, (shift, table)) in self.tables.iter().enumerate() {
            for (word, at) in words.iter_mut().zip(table) {
                let before = if j == 0 { 0 } else { *word };
                *word = before | (sums[usize::from(*at) % MOST_SUMS] & self.mask) << (shift % 32);
            }
        }
    }
}
