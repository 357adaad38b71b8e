//! What a warp does of a product that a warpgroup computes: it reads its part of matrices that descriptors find in shared memory, and
//! multiplies blocks of 16 rows and 8 columns (manual, 9.7.15.5).

use crate::WARP;
use crate::fragments::{Across, Whole};
use crate::shared_matrix::{CORE, Chunk, Descriptor};

/// Core matrices of a warp's part of A that stand below each other.
const CORES_OF_A: usize = 2;

/// The meaning of a form, made ready for a device. The registers that it reads are those of D, and then all others in the order of the
/// operands. Lanes hold of a block what they hold of a product of a warp (`mma`) of its shape, and warp *q* of the warpgroup has rows
/// 16 *q* to 16 *q* + 15 of A and D.
#[derive(Clone)]
pub struct Warpgroup {
    /// Blocks of 8 columns of B and D.
    pub(crate) blocks: usize,
    /// Registers of D that each lane has of a block.
    pub(crate) sums: usize,
    /// Whether A lies in shared memory.
    pub(crate) shares_a: bool,
    /// Core matrices along the depth of A and of B.
    pub(crate) depth: (usize, usize),
    /// The signs in a register of A or B, where operands say whether they change.
    pub(crate) signs: Option<u64>,
    /// Whether operands say that matrices are transposed.
    pub(crate) turns: bool,
    /// Whether D is added where `scale_d` is false.
    pub(crate) inverted: bool,
    /// Whether operands say which elements of A are stored.
    pub(crate) sparse: bool,
    /// The product of a block: of A's registers and B's, of D's that are added, and of what says which elements of A are stored.
    pub(crate) product: Whole,
}

/// The sources of an instruction but for D's registers, by what they are.
struct Sources<'s> {
    /// Registers, or else a descriptor.
    a: &'s [Across],
    b: &'s Across,
    /// Metadata and selector.
    stored: &'s [Across],
    scale_d: &'s Across,
    /// The signs in registers of A and B that change.
    signs: [u64; 2],
    /// Whether A and B are transposed.
    turns: [bool; 2],
}

impl Warpgroup {
    /// How many registers of D each lane has, which are read before all other sources.
    pub fn sums(&self) -> usize {
        self.blocks * self.sums
    }

    /// How many of them belong to a block.
    pub fn sums_of_block(&self) -> usize {
        self.sums
    }

    /// The product of a block: of A's registers and B's, of D's that are added, and of what says which elements of A are stored.
    pub fn product(&self) -> &Whole {
        &self.product
    }

    /// How many registers each lane has of A, if it lies in shared memory, and of each block of B.
    pub fn factors(&self) -> (usize, usize) {
        (if self.shares_a { CORES_OF_A * self.depth.0 } else { 0 }, self.depth.1)
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Which of the sources after D's says whether D is added.
    pub fn scale_d(&self) -> usize {
        let of_a = if self.shares_a { 1 } else { CORES_OF_A * self.depth.0 };
        of_a + 1 + if self.sparse { 2 } else { 0 }
    }

    /// Whether D is added where that is `scale_d`: else what it was has no meaning.
    pub fn adds(&self, scale_d: u64) -> bool {
        (scale_d & 1 == 1) != self.inverted
    }

    /// Which of the sources after D's says whether A is negated, if one does.
    pub fn scale_a(&self) -> Option<usize> {
        self.signs.map(|_| self.scale_d() + 1)
    }

    /// The bits of A's registers that change where that is `scale`.
    pub fn signs(&self, scale: u64) -> u64 {
        if scale as u32 == 1 { 0 } else { self.signs.unwrap_or(0) }
    }

    /// Where the chunks of A lie in shared memory that warp `quarter` of the warpgroup reads, in the order in which they are multiplied; by
    /// the sources after D's. None of A in registers.
    ///
    /// # Errors
    /// The name of the matrix, if the lanes have several.
    pub fn find_a(
        &self,
        sources: &[Across],
        quarter: usize,
        chunks: &mut Vec<u64>,
    ) -> Result<(), &'static str> {
        if !self.shares_a {
            return Ok(());
        }
        let Sources { a, turns, .. } = self.sources(sources);
        let a = Descriptor::of_warpgroup(same(&a[0]).ok_or("A")?, turns[0]);
        for k in 0..self.depth.0 {
            for i in 0..CORES_OF_A {
                chunks.extend(a.core(CORES_OF_A * quarter + i, k));
            }
        }
        Ok(())
    }

    /// The descriptor of B and whether it is transposed, by the sources after D's.
    ///
    /// # Errors
    /// The name of the matrix, if the lanes have several.
    pub fn b(&self, sources: &[Across]) -> Result<(u64, bool), &'static str> {
        let Sources { b, turns, .. } = self.sources(sources);
        Ok((same(b).ok_or("B")?, turns[1]))
    }

    /// Where the chunks of B lie, which every warp reads, in the order in which they are multiplied; by [`Warpgroup::b`].
    pub fn find_b(&self, (descriptor, across): (u64, bool), chunks: &mut Vec<u64>) {
        let b = Descriptor::of_warpgroup(descriptor, across);
        for block in 0..self.blocks {
            for k in 0..self.depth.1 {
                chunks.extend(b.core(block, k));
            }
        }
    }

    /// Gives the registers that hold what the chunks hold, by their numbers, A's before each block's of B; by the sources after D's. Of fewer
    /// chunks, as many registers as they fill.
    ///
    /// # Panics
    /// If there are fewer sources than the form has.
    pub fn load(&self, sources: &[Across], chunks: &[Chunk], mut give: impl FnMut(usize, &[u32; WARP])) {
        let Sources { signs, turns, .. } = self.sources(sources);
        let of_a = self.factors().0;
        for (k, core) in chunks.as_chunks().0.iter().enumerate() {
            let which = usize::from(k >= of_a);
            let mut lanes = if turns[which] { columns(core) } else { rows(core) };
            if signs[which] != 0 {
                lanes.iter_mut().for_each(|bits| *bits ^= signs[which] as u32);
            }
            give(k, &lanes);
        }
    }

    /// D's registers, from what they were, the sources after them and the chunks.
    ///
    /// # Panics
    /// If there are fewer registers or chunks than the form has.
    pub fn carry_out(&self, sums: &[Across], sources: &[Across], chunks: &[Chunk], results: &mut [Across]) {
        let Sources { a, stored, scale_d, signs, .. } = self.sources(sources);
        let mut factors: Vec<Across> = vec![[0; WARP]; chunks.len() / CORE];
        self.load(sources, chunks, |k, lanes| factors[k] = lanes.map(u64::from));
        let (of_a, of_b) = factors.split_at(self.factors().0);
        let mut registers: Vec<Across> = match self.shares_a {
            true => of_a.to_vec(),
            false => a.iter().map(|register| register.map(|bits| bits ^ signs[0])).collect(),
        };
        let kept = registers.len();
        let of_blocks = of_b.chunks_exact(self.depth.1);
        for ((of_b, sums), results) in
            of_blocks.zip(sums.chunks(self.sums)).zip(results.chunks_mut(self.sums))
        {
            registers.truncate(kept);
            registers.extend(of_b);
            registers.extend(sums.iter().map(|sum| self.added(sum, scale_d)));
            registers.extend(stored);
            self.product.carry_out(&registers, results);
        }
    }

    /// What of a register of D is added.
    fn added(&self, sum: &Across, scale_d: &Across) -> Across {
        std::array::from_fn(|lane| if self.adds(scale_d[lane]) { sum[lane] } else { 0 })
    }

    fn sources<'s>(&self, sources: &'s [Across]) -> Sources<'s> {
        let (a, rest) = sources.split_at(if self.shares_a { 1 } else { CORES_OF_A * self.depth.0 });
        let (b, rest) = rest.split_at(1);
        let (stored, rest) = rest.split_at(if self.sparse { 2 } else { 0 });
        let (scale_d, rest) = rest.split_at(1);
        let (scales, rest) = rest.split_at(if self.signs.is_some() { 2 } else { 0 });
        // Constants, the same in all lanes; of A in registers nothing is said.
        let turns = |k: usize| self.turns && rest[k][0] == 1;
        let (first, second) = if self.shares_a { (turns(0), turns(1)) } else { (false, turns(0)) };
        Sources {
            a,
            b: &b[0],
            stored,
            scale_d: &scale_d[0],
            signs: [0, 1].map(|k| scales.get(k).map_or(0, |scale| self.signs(scale[0]))),
            turns: [first, second],
        }
    }
}

/// What all lanes have.
fn same(lanes: &Across) -> Option<u64> {
    lanes.iter().all(|bits| *bits == lanes[0]).then_some(lanes[0])
}

/// What lanes hold of a core matrix: 32 bits of a row.
#[inline]
fn rows(core: &[Chunk; CORE]) -> [u32; WARP] {
    const { assert!(4 * WARP == size_of::<[Chunk; CORE]>()) };
    // Lane 4g + t has word t of row g.
    let words = core.as_flattened().as_chunks().0;
    std::array::from_fn(|lane| u32::from_le_bytes(words[lane]))
}

/// The same of one that lies across: a half of each of two rows.
fn columns(core: &[Chunk; CORE]) -> [u32; WARP] {
    let halves = core.as_flattened().as_chunks().0;
    let half = |row: usize, at: usize| u32::from(u16::from_le_bytes(halves[CORE * row + at]));
    std::array::from_fn(|lane| {
        let (g, t) = (lane / 4, lane % 4);
        half(2 * t, g) | half(2 * t + 1, g) << 16
    })
}
