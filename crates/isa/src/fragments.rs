//! What a whole warp does with matrices: registers of all lanes in and out, or memory on one side.

use crate::WARP;
use crate::tensor_core::{Product, Workspace};
use std::sync::Arc;

/// A register of up to 64 bits in all lanes of a warp.
pub type Across = [u64; WARP];

/// The meaning of a form that a whole warp carries out, made ready for a device: from the registers that are read, in the
/// order of the operands, to those that are written. All of these are set in all lanes.
#[derive(Clone)]
pub enum Whole {
    /// A product of matrices in registers of 32 bits. Engines compile it for the vector instructions that they use.
    Product(Arc<Product>),
    /// Anything else.
    Other(Arc<Carry>),
}

/// From registers to registers.
type Carry = dyn Fn(&[Across], &mut [Across]) + Send + Sync;

impl Whole {
    /// One that is carried out by a function.
    pub fn other(carry: impl Fn(&[Across], &mut [Across]) + Send + Sync + 'static) -> Whole {
        Whole::Other(Arc::new(carry))
    }

    /// Carries it out, with the instructions that every machine has.
    ///
    /// # Panics
    /// If there are fewer registers than the form has.
    pub fn carry_out(&self, sources: &[Across], results: &mut [Across]) {
        match self {
            Whole::Product(product) => {
                let mut work = Workspace::new();
                for (register, source) in work.registers.iter_mut().zip(sources) {
                    *register = source.map(|bits| bits as u32);
                }
                product.carry_out(&mut work);
                for (result, register) in results.iter_mut().zip(&work.results) {
                    *result = register.map(u64::from);
                }
            }
            Whole::Other(carry) => carry(sources, results),
        }
    }
}

/// Which of A's elements are stored.
#[derive(Clone, Copy, Debug)]
pub struct Sparse {
    /// Neighbours that are stored or left out together.
    pub unit: usize,
    /// Bits of metadata for each unit that is stored: 2, or 4 of which the low ones say enough.
    pub step: u32,
    /// Columns of A, stored or not, of whose row a lane's metadata tell: 16 bits for each of two rows, or 32 for one.
    pub span: usize,
    /// Whether a lane tells of two rows.
    pub two_rows: bool,
}

/// A matrix of a form, and who holds what of it.
#[derive(Clone, Debug)]
pub struct Held {
    /// The operand, such as `a`.
    pub operand: &'static str,
    /// What it is, such as `A`.
    pub name: &'static str,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
    /// How many neighbours in a row, or of B in a column, are told of as one: single bits are, by 32.
    pub unit: usize,
    /// Bits of what is told of as one.
    pub width: u32,
    /// Where it holds only what is stored of a matrix with more columns: which elements those are.
    pub sparse: Option<Sparse>,
    /// Row by row, who holds the element. Several may.
    pub holders: Vec<Vec<Holder>>,
}

/// A place in a lane's registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    /// The lane.
    pub lane: u8,
    /// The register, counted from the first of the operand's.
    pub register: u8,
    /// The lowest bit in the register.
    pub shift: u8,
}

impl Held {
    /// Rows and columns of single elements.
    pub fn size(&self) -> (usize, usize) {
        if self.stands() {
            (self.rows * self.unit, self.columns)
        } else {
            (self.rows, self.columns * self.unit)
        }
    }

    /// Whether neighbours that are told of as one stand below each other.
    pub fn stands(&self) -> bool {
        self.name == "B"
    }

    /// Puts single elements, row by row, into the registers of all lanes.
    ///
    /// # Panics
    /// If there are fewer elements or registers than the matrix has.
    pub fn spread(&self, elements: &[u64], registers: &mut [Across]) {
        for (at, holders) in self.holders.iter().enumerate() {
            let mask = u64::MAX >> (64 - self.width_of_one());
            let word = (0..self.unit).fold(0, |word, k| {
                word | (elements[self.single(at, k)] & mask) << (k as u32 * self.width_of_one())
            });
            for holder in holders {
                registers[usize::from(holder.register)][usize::from(holder.lane)] |= word << holder.shift;
            }
        }
    }

    /// The single elements, row by row, that the registers of all lanes hold.
    ///
    /// # Panics
    /// If there are fewer registers than the matrix has.
    pub fn collect(&self, registers: &[Across]) -> Vec<u64> {
        let mask = u64::MAX >> (64 - self.width_of_one());
        let mut elements = vec![0; self.holders.len() * self.unit];
        for (at, holders) in self.holders.iter().enumerate() {
            let Some(holder) = holders.first() else { continue };
            let word = registers[usize::from(holder.register)][usize::from(holder.lane)] >> holder.shift;
            for k in 0..self.unit {
                elements[self.single(at, k)] = word >> (k as u32 * self.width_of_one()) & mask;
            }
        }
        elements
    }

    /// Bits of a single element.
    fn width_of_one(&self) -> u32 {
        self.width / self.unit as u32
    }

    /// Where the `k`-th single element of those that are told of as one stands.
    fn single(&self, at: usize, k: usize) -> usize {
        let (row, column) = (at / self.columns, at % self.columns);
        match self.stands() {
            true => (row * self.unit + k) * self.columns + column,
            false => (row * self.columns + column) * self.unit + k,
        }
    }
}

/// How a whole warp moves matrices between memory and registers: stretches of memory, one after the other, are a tile, and
/// pieces of the tile lie in registers.
#[derive(Clone, Debug)]
pub struct Tiles {
    /// Whether memory is written, from registers; else it is read.
    pub stores: bool,
    /// Whether a generic address must point to shared memory.
    pub in_shared: bool,
    /// The stretches, in the order in which they follow each other in the tile.
    pub stretches: Vec<Stretch>,
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// How many registers each lane has of it.
    pub registers: usize,
    /// Bits of a matrix's element, in which strides count.
    pub element_bits: u32,
    /// Elements from one line of a matrix to the next where the instruction has no operand that says so.
    pub stride: u32,
}

/// Neighbouring bytes of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// The lane whose address it is.
    pub lane: u8,
    /// How many strides lie between that address and the first byte.
    pub strides: u32,
    /// How many bytes there are.
    pub bytes: u32,
    /// What the place of the first byte is a multiple of.
    pub align: u32,
}

/// Neighbouring bits of a tile in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The register, counted from the first of the operand's.
    pub register: u8,
    /// The lane.
    pub lane: u8,
    /// The lowest bit in the register.
    pub shift: u8,
    /// How many bits.
    pub bits: u8,
    /// The first bit in the tile.
    pub at: u16,
}

impl Tiles {
    /// Bytes of the tile.
    pub fn bytes(&self) -> usize {
        self.stretches.iter().map(|stretch| stretch.bytes as usize).sum()
    }

    /// Which of the instruction's sources the stride is, where it has one: those that are stored stand before it.
    pub fn stride_source(&self) -> usize {
        if self.stores { self.registers } else { 0 }
    }

    /// Bytes between the address of a stretch's lane and its first byte. A stride that is no whole number of bytes gives an odd
    /// number, which no stretch may lie at.
    pub fn offset(&self, stretch: &Stretch, stride: Option<u64>) -> u64 {
        let bits = stride.unwrap_or(self.stride.into()).wrapping_mul(self.element_bits.into());
        u64::from(stretch.strides).wrapping_mul((bits / 8) | u64::from(bits % 8 != 0))
    }

    /// The registers of all lanes, from a tile's bytes.
    pub fn spread(&self, tile: &[u8], registers: &mut [Across]) {
        registers.iter_mut().for_each(|register| register.fill(0));
        for piece in &self.pieces {
            let Piece { register, lane, shift, bits, at } = *piece;
            let first = usize::from(at / 8);
            let last = (usize::from(at) + usize::from(bits)).div_ceil(8);
            let mut bytes = [0; 8];
            bytes[..last - first].copy_from_slice(&tile[first..last]);
            let value = u64::from_le_bytes(bytes) >> (at % 8) & (u64::MAX >> (64 - bits));
            registers[usize::from(register)][usize::from(lane)] |= value << shift;
        }
    }

    /// A tile's bytes, from the registers of all lanes. Pieces that are stored are whole bytes.
    pub fn collect(&self, registers: &[Across], tile: &mut [u8]) {
        for piece in &self.pieces {
            let Piece { register, lane, shift, bits, at } = *piece;
            let value = registers[usize::from(register)][usize::from(lane)] >> shift;
            let (first, count) = (usize::from(at / 8), usize::from(bits / 8));
            tile[first..first + count].copy_from_slice(&value.to_le_bytes()[..count]);
        }
    }
}
