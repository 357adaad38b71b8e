//! Products of a matrix of which only half the elements are stored, and of matrices whose blocks have scales (manual, 9.7.14.6 and
//! 9.7.14.5.14): what metadata and scales say, and where lanes hold them.

use super::multiply::{Gathered, Matrices};
use crate::floor::Target;
use crate::fragments::{Across, Held, Holder, Sparse, Whole};
use crate::inst::Inst;
use crate::tensor_core::{Form, Multiplier, Workspace};

/// Elements of the largest matrix.
const MOST: usize = 1024;

/// What a form reads beside matrices.
#[derive(Clone, Copy)]
pub struct Beside {
    pub sparse: Option<Sparse>,
    /// How many scales each row of A and each column of B has; 0 without.
    pub scales: usize,
}

impl Sparse {
    /// Of how many units, and how many of these are stored: two of four; where metadata have 4 bits, one of two.
    fn groups(&self) -> (usize, usize) {
        if self.step == 4 { (2, 1) } else { (4, 2) }
    }

    /// Of how many neighbours in a row, and how many elements of these are stored.
    pub fn share(&self) -> (usize, usize) {
        let (of, stored) = self.groups();
        (of * self.unit, stored * self.unit)
    }

    /// The lane that tells of a stored unit of a row, and the lowest bit there; `selector` is the first lane of four that tells.
    fn told(&self, row: usize, unit: usize, selector: usize) -> (usize, u32) {
        let (of, stored) = self.groups();
        let part = unit / stored * of * self.unit / self.span;
        let lane = 4 * (row % 8) + self.lane(row, part, selector);
        let first = if self.two_rows { 16 * (row / 8) } else { 0 };
        let units = unit - part * self.span / self.unit * stored / of;
        (lane, first as u32 + units as u32 * self.step)
    }

    /// The column, of those stored or not, of each element that is stored of a row; `depth` are stored.
    fn columns(&self, row: usize, depth: usize, metadata: &Across, selector: usize) -> [u16; MOST] {
        let mut columns = [0; MOST];
        let (of, stored) = self.groups();
        for (q, column) in columns.iter_mut().enumerate().take(depth) {
            let (unit, within) = (q / self.unit, q % self.unit);
            let (lane, shift) = self.told(row, unit, selector);
            let index = metadata[lane] >> shift & 3;
            let chosen = if self.step == 4 { index as usize / 2 } else { index as usize };
            *column = ((unit / stored * of + chosen) * self.unit + within) as u16;
        }
        columns
    }

    /// The elements that are stored of a whole matrix of so many columns, row by row, and the metadata of all lanes that say
    /// which those are, with selector 0.
    ///
    /// # Errors
    /// Row and first column of neighbours of which more are not zero than are stored.
    pub fn compress(&self, whole: &[u64], columns: usize) -> Result<(Vec<u64>, Across), (usize, usize)> {
        let (of, stored) = self.groups();
        let (mut elements, mut metadata) = (Vec::new(), [0; 32]);
        for (row, line) in whole.chunks_exact(columns).enumerate() {
            for (group, units) in line.chunks_exact(of * self.unit).enumerate() {
                let unit = |k: &usize| &units[k * self.unit..][..self.unit];
                let is_zero = |k: &usize| unit(k).iter().all(|bits| *bits == 0);
                if (0..of).filter(|k| !is_zero(k)).count() > stored {
                    return Err((row, group * of * self.unit));
                }
                let mut chosen: Vec<usize> = (0..of).collect();
                chosen.sort_by_key(is_zero);
                chosen.truncate(stored);
                chosen.sort();
                for (place, k) in chosen.iter().enumerate() {
                    elements.extend(unit(k));
                    let (lane, shift) = self.told(row, group * stored + place, 0);
                    let index = match (self.step, k) {
                        (4, 0) => 0b0100,
                        (4, _) => 0b1110,
                        _ => *k as u64,
                    };
                    metadata[lane] |= index << shift;
                }
            }
        }
        Ok((elements, metadata))
    }

    /// Which lane of four tells of a part of a row.
    fn lane(&self, row: usize, part: usize, selector: usize) -> usize {
        let lane = if self.two_rows { selector + part } else { selector + 2 * part + row / 8 };
        lane & 3
    }
}

/// The lane that holds the scales of a row of A, in the half of its four that the operands name.
fn lane_of_row(row: usize, half: usize) -> usize {
    4 * (row % 8) + 2 * (half & 1) + row / 8
}

/// The lane that holds the scales of a column of B, the one of its four that the operands name.
fn lane_of_column(column: usize, lane: usize) -> usize {
    4 * column + (lane & 3)
}

/// Who holds so many scales of each row of A and each column of B where the operands name byte 0 and thread 0.
pub fn held_scales(rows: usize, columns: usize, count: usize) -> [Held; 2] {
    let holder =
        |lane: usize, byte: usize| vec![Holder { lane: lane as u8, register: 0, shift: 8 * byte as u8 }];
    let of_rows = (0..rows * count).map(|at| holder(lane_of_row(at / count, 0), at % count));
    let of_columns = (0..count * columns).map(|at| holder(lane_of_column(at % columns, 0), at / columns));
    let held = |operand, name, rows, columns, holders| Held {
        operand,
        name,
        rows,
        columns,
        unit: 1,
        width: 8,
        sparse: None,
        holders,
    };
    [
        held("scale_a", "scales of A", rows, count, of_rows.collect()),
        held("scale_b", "scales of B", count, columns, of_columns.collect()),
    ]
}

/// The scales of a row of A or a column of B, from the lane that holds them.
fn scales(lane: usize, words: &Across, bytes: &Across) -> [u64; 4] {
    std::array::from_fn(|k| words[lane] >> (8 * ((bytes[lane] as usize + k) & 3)) & 0xff)
}

/// What a form computes on a device.
pub fn product_beside(inst: &Inst, device: Target, matrices: &Matrices, beside: Beside) -> Whole {
    product_beside_of(Form::of(inst), device, matrices, beside)
}

/// The same, of what matters to the arithmetic.
pub fn product_beside_of(mut form: Form, device: Target, matrices: &Matrices, beside: Beside) -> Whole {
    let Matrices { d, a, b, c, .. } = matrices;
    let (rows, depth, full, columns) = (a.rows, a.columns, b.rows, b.columns);
    if beside.sparse.is_some() {
        // Row by row: each meets other elements of B.
        form.shape.m = 1;
    }
    let multiplier = Multiplier::new(&form, device);
    let [d, a, b, c] = [(d, false), (a, false), (b, true), (c, false)].map(|(m, by)| Gathered::new(m, by));
    Whole::other(move |sources, results| {
        let mut work = Workspace::new();
        let mut left = sources;
        let (mut tile_a, mut tile_b, mut tile_c) = ([0; MOST], [0; MOST], [0; MOST]);
        a.gather(&mut left, &mut tile_a);
        b.gather(&mut left, &mut tile_b);
        c.gather(&mut left, &mut tile_c);
        let told = if beside.sparse.is_some() { &left[2..] } else { left };
        let count = beside.scales;
        let (mut scales_a, mut scales_b) = ([0; 64], [0; 64]);
        if let ([words_a, bytes_a, threads_a, words_b, bytes_b, threads_b], true) = (told, count > 0) {
            for row in 0..rows {
                let lane = lane_of_row(row, threads_a[4 * (row % 8)] as usize);
                scales_a[row * count..][..count].copy_from_slice(&scales(lane, words_a, bytes_a)[..count]);
            }
            for column in 0..columns {
                let lane = lane_of_column(column, threads_b[4 * column] as usize);
                scales_b[column * count..][..count].copy_from_slice(&scales(lane, words_b, bytes_b)[..count]);
            }
        }
        let (scales_a, scales_b) = (&scales_a[..rows * count], &scales_b[..columns * count]);
        match (beside.sparse, left) {
            (Some(sparse), [metadata, selector, ..]) => {
                let mut met = [0; MOST];
                for row in 0..rows {
                    // The selector is a constant: the same in all lanes. It counts single lanes or pairs.
                    let first = selector[0] as usize * sparse.lanes(full);
                    let chosen = sparse.columns(row, depth, metadata, first);
                    for (column, met) in met.chunks_exact_mut(depth).enumerate().take(columns) {
                        let own = &tile_b[column * full..][..full];
                        met.iter_mut().zip(chosen).for_each(|(met, k)| *met = own[usize::from(k)]);
                    }
                    multiplier.multiply_add_in(
                        &mut work,
                        &tile_a[row * depth..][..depth],
                        &met[..columns * depth],
                        [&scales_a[row * count..][..count], scales_b],
                        &mut tile_c[row * columns..][..columns],
                    );
                }
            }
            _ => multiplier.multiply_add_in(
                &mut work,
                &tile_a[..rows * depth],
                &tile_b[..columns * depth],
                [scales_a, scales_b],
                &mut tile_c[..rows * columns],
            ),
        }
        d.scatter(&tile_c, results);
    })
}

impl Sparse {
    /// How many lanes of four tell of a matrix of so many columns.
    fn lanes(&self, columns: usize) -> usize {
        columns.div_ceil(self.span) * if self.two_rows { 1 } else { 2 }
    }
}
