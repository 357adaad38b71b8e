//! Tensor memory: lanes and columns of words of 32 bits, into which tensor cores multiply (manual, 9.7.16).
//!
//! What is where is arithmetic alone and stands here; the words themselves belong to whoever executes.
//!
//! ```
//! use margay_isa::tensor_memory::Cell;
//! // The sixth column of the second quarter of the lanes.
//! assert_eq!(Cell::of(0x0020_0005), Cell { lane: 32, column: 5 });
//! assert_eq!(Cell { lane: 32, column: 5 }.address(), 0x0020_0005);
//! ```

mod from_shared;
mod movement;
mod multiply;

pub use from_shared::{FromShared, Placed};
pub use movement::Movement;
pub use multiply::{Block, Multiplication, Multiply, Packed, Sources};

/// Lanes of tensor memory.
pub const LANES: usize = 128;
/// Columns of tensor memory.
pub const COLUMNS: usize = 512;
/// Columns that are taken and given back together.
pub const UNIT: usize = 32;
/// Lanes that a warp reads and writes: those of its place in its warpgroup.
pub const QUARTER: usize = 32;

/// A word of tensor memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// Its lane.
    pub lane: u32,
    /// Its column.
    pub column: u32,
}

impl Cell {
    /// The one at an address: columns in the low half, lanes in the high one.
    pub fn of(address: u32) -> Cell {
        Cell { lane: address >> 16, column: address & 0xffff }
    }

    /// Its address.
    pub fn address(self) -> u32 {
        self.lane << 16 | self.column
    }

    /// So many lanes and columns on.
    pub fn plus(self, lanes: u32, columns: u32) -> Cell {
        Cell { lane: self.lane + lanes, column: self.column + columns }
    }
}

/// What an instruction does with tensor memory, made ready for a device.
#[derive(Clone)]
pub enum TensorMemoryOp {
    /// A warp takes as many columns as its source says; the address of the first goes to shared memory.
    Allocate,
    /// A warp gives columns back: by their address, and how many.
    Free,
    /// A warp promises that its CTA takes no more columns.
    Relinquish,
    /// A warp reads words into its registers.
    Load(Movement),
    /// A warp writes its registers.
    Store(Movement),
    /// A thread multiplies matrices.
    Multiply(Multiply),
    /// A thread copies shared memory there.
    Copy(FromShared),
}

impl TensorMemoryOp {
    /// Whether a whole warp does it, and not each thread by itself.
    pub fn is_of_warp(&self) -> bool {
        !matches!(self, TensorMemoryOp::Multiply(_) | TensorMemoryOp::Copy(_))
    }
}
