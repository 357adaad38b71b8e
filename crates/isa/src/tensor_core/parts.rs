//! Products of more rows or columns than tiles have as several tiles, each of some of their registers.

use super::fast::Multiplier;
use super::registers::{Place, Product, Spread};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Rows and columns of a tile.
const TILE: (usize, usize) = (16, 8);

/// A tile of a product: some rows and columns of D, which only depend on the same ones of A, B and C.
pub struct Part {
    /// Its own product.
    pub product: Arc<Product>,
    /// Which registers of A, B and C it reads, counted through.
    pub from: Vec<usize>,
    /// Which registers of D it gives.
    pub to: Vec<usize>,
}

/// The tiles of a product of D, A, B and C; none if some part of it is no tile, or it is one itself.
pub(super) fn parts(
    multiplier: &Multiplier,
    (m, n, depth): (usize, usize, usize),
    [d, a, b, c]: [&Spread; 4],
) -> Vec<Part> {
    if (m, n) == TILE || m % TILE.0 != 0 || n % TILE.1 != 0 {
        return Vec::new();
    }
    let part = |(row, column): (usize, usize)| {
        let (rows, columns, all) = (row..row + TILE.0, column..column + TILE.1, 0..depth);
        let (of_a, own_a) = own(a, &rows, &all);
        let (of_b, own_b) = own(b, &all, &columns);
        let (of_c, own_c) = own(c, &rows, &columns);
        let (to, own_d) = own(d, &rows, &columns);
        let multiplier = multiplier.of_size(TILE.0 as u16, TILE.1 as u16)?;
        let product = Product::new(multiplier, (TILE.0, TILE.1, depth), [&own_d, &own_a, &own_b, &own_c])?;
        product.tile()?;
        let of_b = of_b.into_iter().map(|register| a.registers + register);
        let of_c = of_c.into_iter().map(|register| a.registers + b.registers + register);
        Some(Part {
            product: Arc::new(product),
            from: of_a.into_iter().chain(of_b).chain(of_c).collect(),
            to,
        })
    };
    let places =
        (0..m).step_by(TILE.0).flat_map(|row| (0..n).step_by(TILE.1).map(move |column| (row, column)));
    let parts: Vec<Part> = places.map(part).collect::<Option<_>>().unwrap_or_default();
    // No register of D has nothing to do with any, or with several.
    let given: BTreeSet<usize> = parts.iter().flat_map(|part| part.to.iter().copied()).collect();
    let each_once =
        given.len() == d.registers && parts.iter().map(|part| part.to.len()).sum::<usize>() == d.registers;
    if each_once { parts } else { Vec::new() }
}

/// The registers that hold these rows and columns, without those that repeat others, and how they do.
fn own(matrix: &Spread, rows: &Range<usize>, columns: &Range<usize>) -> (Vec<usize>, Spread) {
    let (mut registers, mut places, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
    for word in matrix.places.chunks(matrix.per) {
        let Place { register, row, column, .. } = word[0];
        if !rows.contains(&row) || !columns.contains(&column) || !known.insert((row, column)) {
            continue;
        }
        let own = registers.iter().position(|known| *known == register).unwrap_or_else(|| {
            registers.push(register);
            registers.len() - 1
        });
        places.extend(word.iter().map(|place| Place {
            register: own,
            row: place.row.wrapping_sub(rows.start),
            column: place.column.wrapping_sub(columns.start),
            ..*place
        }));
    }
    let spread = Spread { places, per: matrix.per, width: matrix.width, registers: registers.len() };
    (registers, spread)
}
