//! Which lane holds which element of a matrix, as formulas: manual, 9.7.14.5; the fragments of `wmma`, which 9.7.14.4.1 leaves
//! open, are those that ptxas 13.5 uses.

use crate::fragments::Holder;

/// A matrix in the registers of a warp.
#[derive(Clone, Copy)]
pub struct Fragment {
    /// Rows and columns of the matrix: those of several products are one matrix, one product after the other.
    pub rows: usize,
    pub columns: usize,
    /// Bits of a register that an element takes.
    pub bits: u32,
    /// How many of these lie below the element, and how many are the element's.
    pub inset: u32,
    pub width: u32,
    /// Bits of a register.
    pub register: u32,
    /// How many elements each lane holds.
    pub elements: usize,
    /// Row and column of an element.
    pub place: Formula,
}

/// The row and the column of an element that a lane holds.
pub type Formula = fn(&Seat) -> (usize, usize);

/// One of the elements that a lane holds.
#[derive(Clone, Copy)]
pub struct Seat {
    pub lane: usize,
    /// The lane's group of four, and its place there.
    pub g: usize,
    pub t: usize,
    /// The element's number, from the low bits of the first register on.
    pub i: usize,
    /// Its register, and its number there.
    pub r: usize,
    pub j: usize,
    /// Elements of a register.
    pub per: usize,
}

/// An element in a register.
#[derive(Clone, Copy)]
pub struct Held {
    pub lane: usize,
    pub register: usize,
    /// Its lowest bit.
    pub shift: u32,
    pub row: usize,
    pub column: usize,
}

impl Fragment {
    /// A matrix of elements that fill their places.
    pub fn new(rows: usize, columns: usize, bits: u32, registers: usize, place: Formula) -> Fragment {
        let register = bits.max(32);
        let elements = registers * (register / bits) as usize;
        Fragment { rows, columns, bits, inset: 0, width: bits, register, elements, place }
    }

    /// Who holds what, for people.
    pub fn told(&self, operand: &'static str, name: &'static str, unit: usize) -> crate::fragments::Held {
        let mut holders = vec![Vec::new(); self.rows * self.columns];
        for held in self.held() {
            holders[held.row * self.columns + held.column].push(Holder {
                lane: held.lane as u8,
                register: held.register as u8,
                shift: held.shift as u8,
            });
        }
        let Fragment { rows, columns, width, .. } = *self;
        crate::fragments::Held { operand, name, rows, columns, unit, width, sparse: None, holders }
    }

    /// All elements of all lanes, lane by lane in the order of their registers.
    pub fn held(&self) -> impl Iterator<Item = Held> {
        let per = (self.register / self.bits) as usize;
        let all = (0..32).flat_map(move |lane| (0..self.elements).map(move |i| (lane, i)));
        all.map(move |(lane, i)| {
            let (r, j) = (i / per, i % per);
            let (row, column) = (self.place)(&Seat { lane, g: lane / 4, t: lane % 4, i, r, j, per });
            Held { lane, register: r, shift: j as u32 * self.bits + self.inset, row, column }
        })
    }
}

/// A of 16 rows.
pub fn a16(s: &Seat) -> (usize, usize) {
    (s.g + 8 * (s.r & 1), s.t * s.per + s.j + (s.r >> 1) * 4 * s.per)
}

/// A of 8 rows.
pub fn a8(s: &Seat) -> (usize, usize) {
    (s.g, s.t * s.per + s.j)
}

/// B of 8 columns.
pub fn b8(s: &Seat) -> (usize, usize) {
    (s.t * s.per + s.j + s.r * 4 * s.per, s.g)
}

/// C and D of 8 columns.
pub fn c8(s: &Seat) -> (usize, usize) {
    (s.g + 8 * (s.i >> 1), 2 * s.t + (s.i & 1))
}

/// Four products at once, each by four lanes of the lower and four of the upper half of a warp: which product, the lane's place in
/// its four, and 4 in the upper half.
fn quarter(s: &Seat) -> (usize, usize, usize) {
    (s.lane % 16 / 4, s.lane % 4, s.lane / 16 * 4)
}

/// A of four products of 8 rows, by rows.
pub fn quad_a_row(s: &Seat) -> (usize, usize) {
    let (q, l, h) = quarter(s);
    (8 * q + l + h, s.i)
}

/// The same by columns.
pub fn quad_a_col(s: &Seat) -> (usize, usize) {
    let (q, l, h) = quarter(s);
    (8 * q + s.i + h, l)
}

/// B of four products of 8 columns, by rows.
pub fn quad_b_row(s: &Seat) -> (usize, usize) {
    let (q, l, h) = quarter(s);
    (l, 8 * q + s.i + h)
}

/// The same by columns.
pub fn quad_b_col(s: &Seat) -> (usize, usize) {
    let (q, l, h) = quarter(s);
    (s.i, 8 * q + l + h)
}

/// C and D of four products, in 16 bits: rows are those of one product after the other.
pub fn quad_c_half(s: &Seat) -> (usize, usize) {
    let (q, l, h) = quarter(s);
    (8 * q + l + h, s.i)
}

/// The same in 32 bits.
pub fn quad_c(s: &Seat) -> (usize, usize) {
    let (q, l, h) = quarter(s);
    (8 * q + (l & 1) + (s.i & 2) + h, (s.i & 4) + (l & 2) + (s.i & 1))
}

/// An element whose register is another, as if it stood there.
fn at(s: &Seat, r: usize) -> Seat {
    Seat { r, i: r * s.per + s.j, ..*s }
}

/// A of 16 rows in registers that repeat.
pub fn wide_a16(s: &Seat) -> (usize, usize) {
    a16(&at(s, s.r & 3))
}

/// A of 32 rows: of 16, twice.
pub fn wide_a32(s: &Seat) -> (usize, usize) {
    let (row, k) = a16(&at(s, s.r & 3));
    (row + 16 * (s.r >> 2), k)
}

/// A of 8 rows and 16 columns of 16 bits, in registers that repeat.
pub fn wide_a8(s: &Seat) -> (usize, usize) {
    (s.g, 2 * s.t + s.j + 8 * (s.r & 1))
}

/// B of 16 columns of 16 bits, in registers that repeat.
pub fn wide_b16(s: &Seat) -> (usize, usize) {
    (2 * s.t + s.j + 8 * (s.r & 1), s.g + 8 * (s.r >> 1 & 1))
}

/// B of 8 columns of 16 bits, in registers that repeat.
pub fn wide_b8(s: &Seat) -> (usize, usize) {
    b8(&at(s, s.r & 1))
}

/// B of 32 columns of 16 bits.
pub fn wide_b32(s: &Seat) -> (usize, usize) {
    (2 * s.t + s.j + 8 * (s.r >> 1 & 1), s.g + 16 * (s.r >> 2) + 8 * (s.r & 1))
}

/// A of bytes: 8 rows a register.
pub fn byte_a(s: &Seat) -> (usize, usize) {
    (s.g + 8 * s.r, 4 * s.t + s.j)
}

/// B of bytes: 8 columns a register.
pub fn byte_b(s: &Seat) -> (usize, usize) {
    (4 * s.t + s.j, s.g + 8 * s.r)
}

/// B of 16 columns of 32 bits.
pub fn word_b16(s: &Seat) -> (usize, usize) {
    (s.t + 4 * (s.r & 1), s.g + 8 * (s.r >> 1))
}

/// C and D of 16 columns: of 8, twice.
pub fn wide_c16(s: &Seat) -> (usize, usize) {
    (s.g + 8 * (s.i >> 1 & 1), 2 * s.t + (s.i & 1) + 8 * (s.i >> 2))
}

/// C and D of 32 columns and 8 rows: of 32 rows, transposed.
pub fn wide_c32(s: &Seat) -> (usize, usize) {
    (2 * s.t + (s.i & 1), s.g + 8 * (s.i >> 1))
}

/// A matrix of 8 by 8 elements of 16 bits as `ldmatrix` spreads it, one a register: the row counts on from matrix to matrix.
pub fn loaded(s: &Seat) -> (usize, usize) {
    (8 * s.r + s.g, 2 * s.t + s.j)
}

/// The same transposed.
pub fn loaded_across(s: &Seat) -> (usize, usize) {
    (8 * s.r + 2 * s.t + s.j, s.g)
}

/// Matrices of 16 by 16 bytes transposed, two registers each.
pub fn bytes_across(s: &Seat) -> (usize, usize) {
    (16 * (s.r >> 1) + 4 * s.t + s.j, s.g + 8 * (s.r & 1))
}

/// Matrices of 8 rows of 16 elements that have a byte each.
pub fn bytes_along(s: &Seat) -> (usize, usize) {
    (8 * s.r + s.g, 4 * s.t + s.j)
}

/// Matrices of 8 rows of 16 bytes that are stored transposed.
pub fn bytes_stored(s: &Seat) -> (usize, usize) {
    (8 * s.r + 2 * s.t + (s.j & 1), s.g + 8 * (s.j >> 1))
}
