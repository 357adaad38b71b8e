//! The fragments of each form: which layout its matrices have.

use super::layout::*;
use super::product::shape;
use crate::fragments::{Piece, Stretch, Tiles};
use crate::prelude::*;

/// Bits that an element takes in a register, where the layout is told by elements: single bits are told by 32.
fn told_bits(bits: u32) -> u32 {
    if bits == 1 { 32 } else { bits }
}

/// How many elements so many are where single bits are told by 32.
fn told(count: usize, bits: u32) -> usize {
    if bits == 1 { count / 32 } else { count }
}

/// A of an `mma`, of which one element of `sparse` is there.
pub fn a_of(i: &Inst, registers: usize, bits: u32, sparse: usize) -> Fragment {
    let (m, _, k) = shape(i);
    let k = told(k / sparse, bits);
    match m {
        8 if registers > 1 => {
            let formula = if i[Slot::LayoutA] == Row { quad_a_row } else { quad_a_col };
            Fragment::new(32, k, bits, registers, formula)
        }
        8 => Fragment::new(m, k, told_bits(bits), registers, a8),
        _ => Fragment::new(m, k, told_bits(bits), registers, a16),
    }
    .of_type(i, Slot::AType)
}

/// B of an `mma`.
pub fn b_of(i: &Inst, registers: usize, bits: u32) -> Fragment {
    let (m, n, k) = shape(i);
    let k = told(k, bits);
    match m {
        8 if registers > 1 => {
            let formula = if i[Slot::LayoutB] == Row { quad_b_row } else { quad_b_col };
            Fragment::new(k, 32, bits, registers, formula)
        }
        _ => Fragment::new(k, n, told_bits(bits), registers, b8),
    }
    .of_type(i, Slot::BType)
}

/// C or D of an `mma`.
pub fn c_of(i: &Inst, registers: usize, bits: u32) -> Fragment {
    let (m, n, _) = shape(i);
    match (m, registers) {
        (8, 4) => Fragment::new(32, n, bits, registers, quad_c_half),
        (8, 8) => Fragment::new(32, n, bits, registers, quad_c),
        _ => Fragment::new(m, n, bits, registers, c8),
    }
}

impl Fragment {
    /// The same of a type whose elements leave bits of their places out.
    fn of_type(self, i: &Inst, slot: Slot) -> Fragment {
        match i[slot] {
            E3m2 | E2m3 => Fragment { width: 6, ..self },
            E2m1 if self.bits == 8 => Fragment { inset: 2, width: 4, ..self },
            _ => self,
        }
    }
}

/// A of a `wmma`, of elements of a type in so many registers.
pub fn wide_a_of(i: &Inst, bits: u32, registers: usize) -> Fragment {
    let (m, _, k) = shape(i);
    let formula = match (m, bits) {
        (16 | 32, 8) => byte_a,
        (16, _) => wide_a16,
        (32, _) => wide_a32,
        (_, 16) => wide_a8,
        _ => a8,
    };
    Fragment::new(m, told(k, bits), told_bits(bits), registers, formula)
}

/// B of a `wmma`.
pub fn wide_b_of(i: &Inst, bits: u32, registers: usize) -> Fragment {
    let (m, n, k) = shape(i);
    let formula = match (m, n, bits) {
        (_, 16 | 32, 8) => byte_b,
        (_, 16, 16) => wide_b16,
        (_, 16, _) => word_b16,
        (_, 32, _) => wide_b32,
        (32, _, 16) => wide_b8,
        _ => b8,
    };
    Fragment::new(told(k, bits), n, told_bits(bits), registers, formula)
}

/// C or D of a `wmma`.
pub fn wide_c_of(i: &Inst, bits: u32, registers: usize) -> Fragment {
    let (m, n, _) = shape(i);
    let formula = match n {
        16 => wide_c16,
        32 => wide_c32,
        _ => c8,
    };
    Fragment::new(m, n, bits, registers, formula)
}

/// The pieces of a tile whose lines are a fragment's rows, or its columns, each of so many elements.
pub fn pieces(fragment: &Fragment, by_rows: bool) -> Vec<Piece> {
    let Fragment { width, rows, columns, .. } = *fragment;
    let along = if by_rows { columns } else { rows };
    let mut pieces: Vec<Piece> = Vec::new();
    for held in fragment.held() {
        let (line, place) = if by_rows { (held.row, held.column) } else { (held.column, held.row) };
        let piece = Piece {
            register: held.register as u8,
            lane: held.lane as u8,
            shift: held.shift as u8,
            bits: width as u8,
            at: ((line * along + place) * width as usize) as u16,
        };
        match pieces.last_mut() {
            Some(last) if follows(last, &piece) => last.bits += piece.bits,
            _ => pieces.push(piece),
        }
    }
    pieces
}

/// Whether a piece goes on where another ends, in the register and in the tile.
fn follows(last: &Piece, next: &Piece) -> bool {
    let bits = last.bits;
    (last.register, last.lane) == (next.register, next.lane)
        && last.shift + bits == next.shift
        && last.at + u16::from(bits) == next.at
}

/// How a `wmma` moves a fragment of elements of so many bits: lines of memory are its rows or columns. Each begins at a multiple of the
/// bytes that a lane holds, of 16 at most.
pub fn lines(fragment: &Fragment, by_rows: bool, bits: u32, registers: usize, stores: bool) -> Tiles {
    let Fragment { rows, columns, width, .. } = *fragment;
    let (count, along) = if by_rows { (rows, columns) } else { (columns, rows) };
    let held = registers as u32 * fragment.register / 8;
    let bytes = (along as u32 * width) / 8;
    let stretch = |k: usize| Stretch { lane: (k % 32) as u8, strides: k as u32, bytes, align: held.min(16) };
    Tiles {
        stores,
        in_shared: false,
        stretches: (0..count).map(stretch).collect(),
        pieces: pieces(fragment, by_rows),
        registers,
        element_bits: bits,
        stride: 8 * bytes / bits,
    }
}

/// How so many lanes' addresses lead to a line each of a fragment, of so many bytes, in places of 16.
pub fn rows_of_lanes(fragment: &Fragment, bytes: u32, stores: bool) -> Tiles {
    let stretch = |lane: usize| Stretch { lane: lane as u8, strides: 0, bytes, align: 16 };
    Tiles {
        stores,
        in_shared: true,
        stretches: (0..fragment.rows).map(stretch).collect(),
        pieces: pieces(fragment, true),
        registers: fragment.elements * fragment.bits as usize / 32,
        element_bits: 8,
        stride: 0,
    }
}
