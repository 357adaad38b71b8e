//! Products of a matrix of which only half the elements are stored, and of matrices whose blocks have scales (manual, 9.7.14.6 and
//! 9.7.14.5.14): what metadata and scales say, and where lanes hold them.

use super::multiply::{Gathered, Matrices};
use crate::floor::Target;
use crate::fragments::{Across, Whole};
use crate::inst::Inst;
use crate::tensor_core::{Form, Multiplier, Workspace};

/// Elements of the largest matrix.
const MOST: usize = 1024;

/// Which of A's elements are stored.
#[derive(Clone, Copy)]
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

/// What a form reads beside matrices.
#[derive(Clone, Copy)]
pub struct Beside {
    pub sparse: Option<Sparse>,
    /// How many scales each row of A and each column of B has; 0 without.
    pub scales: usize,
}

impl Sparse {
    /// The column, of those stored or not, of each element that is stored of a row; `depth` are stored.
    fn columns(&self, row: usize, depth: usize, metadata: &Across, selector: usize) -> [u16; MOST] {
        let mut columns = [0; MOST];
        for (q, column) in columns.iter_mut().enumerate().take(depth) {
            let (unit, within) = (q / self.unit, q % self.unit);
            // Two of four units are stored; where metadata have 4 bits, one of two.
            let (of, stored) = if self.step == 4 { (2, 1) } else { (4, 2) };
            let group = unit / stored * of;
            let part = group * self.unit / self.span;
            let lane = 4 * (row % 8) + self.lane(row, part, selector);
            let first = if self.two_rows { 16 * (row / 8) } else { 0 };
            let units = unit - part * self.span / self.unit * stored / of;
            let index = metadata[lane] >> (first as u32 + units as u32 * self.step) & 3;
            let chosen = if self.step == 4 { index as usize / 2 } else { index as usize };
            *column = ((group + chosen) * self.unit + within) as u16;
        }
        columns
    }

    /// Which lane of four tells of a part of a row.
    fn lane(&self, row: usize, part: usize, selector: usize) -> usize {
        let lane = if self.two_rows { selector + part } else { selector + 2 * part + row / 8 };
        lane & 3
    }
}

/// The scales of a row of A or a column of B, from the lane that holds them.
fn scales(lane: usize, words: &Across, bytes: &Across) -> [u64; 4] {
    std::array::from_fn(|k| words[lane] >> (8 * ((bytes[lane] as usize + k) & 3)) & 0xff)
}

/// What a form computes on a device.
pub fn product_beside(inst: &Inst, device: Target, matrices: &Matrices, beside: Beside) -> Whole {
    let Matrices { d, a, b, c, .. } = matrices;
    let (rows, depth, full, columns) = (a.rows, a.columns, b.rows, b.columns);
    let mut form = Form::of(inst);
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
                let lane = 4 * (row % 8) + 2 * (threads_a[4 * (row % 8)] as usize & 1) + row / 8;
                scales_a[row * count..][..count].copy_from_slice(&scales(lane, words_a, bytes_a)[..count]);
            }
            for column in 0..columns {
                let lane = 4 * column + (threads_b[4 * column] as usize & 3);
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
