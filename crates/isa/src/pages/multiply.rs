//! D = A·B + C of matrices that a warp holds: gather the elements, multiply and add, scatter.

use super::layout::Fragment;
use crate::floor::Target;
use crate::fragments::{Across, Held, Whole};
use crate::inst::Inst;
use crate::tensor_core::{Form, Multiplier, Place, Product, Spread, Workspace};
use std::sync::Arc;

/// Elements of the largest matrix.
const MOST: usize = 1024;

/// The matrices of a form.
pub struct Matrices {
    pub d: Fragment,
    pub a: Fragment,
    pub b: Fragment,
    pub c: Fragment,
    /// How many products there are at once, one after the other in the rows of A and the columns of B.
    pub products: usize,
}

impl Matrices {
    /// Who holds what; single bits are told by 32.
    pub fn held(&self, bits: u32) -> Vec<Held> {
        let unit = if bits == 1 { 32 } else { 1 };
        let told = [
            (&self.a, "a", "A", unit),
            (&self.b, "b", "B", unit),
            (&self.c, "c", "C", 1),
            (&self.d, "d", "D", 1),
        ];
        told.map(|(fragment, operand, name, unit)| fragment.told(operand, name, unit)).into()
    }
}

/// Neighbours among a matrix's elements that are neighbours in a register.
#[derive(Clone, Copy)]
struct Run {
    /// Register and lane.
    from: u16,
    /// The first one's lowest bit.
    shift: u8,
    /// The first one's place among the elements.
    at: u16,
}

/// A matrix, with its elements in the order in which sums read them.
pub struct Gathered {
    runs: Vec<Run>,
    /// Elements of each run.
    each: usize,
    /// Bits from an element to the next, and of an element.
    bits: u32,
    width: u32,
    pub registers: usize,
    pub elements: usize,
}

impl Gathered {
    /// With columns, or else rows, one after the other; of elements that several lanes hold one counts.
    pub fn new(fragment: &Fragment, by_columns: bool) -> Gathered {
        let Fragment { rows, columns, bits, width, register, .. } = *fragment;
        let mut taken = vec![false; rows * columns];
        let mut single = Vec::new();
        for held in fragment.held() {
            let at =
                if by_columns { held.column * rows + held.row } else { held.row * columns + held.column };
            if !std::mem::replace(&mut taken[at], true) {
                let from = (held.register * 32 + held.lane) as u16;
                single.push(Run { from, shift: held.shift as u8, at: at as u16 });
            }
        }
        let per = (register / bits) as usize;
        let follow =
            |run: &[Run]| run.windows(2).all(|two| two[0].from == two[1].from && two[0].at + 1 == two[1].at);
        let joined = single.len().is_multiple_of(per) && single.chunks(per).all(follow);
        let each = if joined { per } else { 1 };
        let runs = single.into_iter().step_by(each).collect();
        let registers = fragment.elements / per;
        Gathered { runs, each, bits, width, registers, elements: rows * columns }
    }

    /// The elements in the registers at the front of those that are left.
    pub fn gather(&self, left: &mut &[Across], to: &mut [u64]) {
        let (own, others) = left.split_at(self.registers.min(left.len()));
        *left = others;
        match self.each {
            8 => self.gather_runs::<8>(own, to),
            4 => self.gather_runs::<4>(own, to),
            2 => self.gather_runs::<2>(own, to),
            _ => self.gather_runs::<1>(own, to),
        }
    }

    fn gather_runs<const EACH: usize>(&self, registers: &[Across], to: &mut [u64]) {
        let (words, mask) = (registers.as_flattened(), u64::MAX >> (64 - self.width));
        for run in &self.runs {
            let word = words[usize::from(run.from)] >> run.shift;
            let to = &mut to[usize::from(run.at)..][..EACH];
            for (j, to) in to.iter_mut().enumerate() {
                *to = word >> (j as u32 * self.bits) & mask;
            }
        }
    }

    /// The registers of so many elements.
    pub fn scatter(&self, from: &[u64], registers: &mut [Across]) {
        registers.iter_mut().for_each(|register| register.fill(0));
        let words = registers.as_flattened_mut();
        if self.each == 1 {
            for run in &self.runs {
                words[usize::from(run.from)] |= from[usize::from(run.at)] << run.shift;
            }
            return;
        }
        for run in &self.runs {
            let elements = from[usize::from(run.at)..][..self.each].iter().enumerate();
            let word = elements.fold(0, |word, (j, bits)| word | bits << (j as u32 * self.bits));
            words[usize::from(run.from)] |= word << run.shift;
        }
    }
}

/// What a form computes on a device.
pub fn product(inst: &Inst, device: Target, matrices: &Matrices) -> Whole {
    product_of(&Form::of(inst), device, matrices)
}

/// The same, of what matters to the arithmetic.
pub fn product_of(form: &Form, device: Target, matrices: &Matrices) -> Whole {
    let multiplier = Multiplier::new(form, device);
    let Matrices { d, a, b, c, products } = matrices;
    let fragments = [d, a, b, c];
    if *products == 1 && fragments.iter().all(|fragment| fragment.register == 32) {
        let sizes = (a.rows, b.columns, a.columns);
        if let Some(product) = Product::new(multiplier, sizes, fragments.map(spread).each_ref()) {
            return Whole::Product(Arc::new(product));
        }
    }
    by_elements(multiplier, matrices)
}

/// A fragment, with all its elements.
fn spread(fragment: &Fragment) -> Spread {
    let Fragment { bits, width, register, elements, .. } = *fragment;
    let per = (register / bits) as usize;
    let places = fragment.held().map(|held| Place {
        register: held.register,
        lane: held.lane,
        shift: held.shift,
        row: held.row,
        column: held.column,
    });
    Spread { places: places.collect(), per, width, registers: elements / per }
}

/// The product with every element gathered by itself.
fn by_elements(multiplier: Multiplier, matrices: &Matrices) -> Whole {
    let Matrices { d, a, b, c, products } = matrices;
    let products = *products;
    let [d, a, b, c] = [(d, false), (a, false), (b, true), (c, false)].map(|(m, by)| Gathered::new(m, by));
    Whole::other(move |sources, results| {
        let mut left = sources;
        let mut work = Workspace::new();
        let (mut tile_a, mut tile_b, mut tile_c) = ([0; MOST], [0; MOST], [0; MOST]);
        a.gather(&mut left, &mut tile_a);
        b.gather(&mut left, &mut tile_b);
        c.gather(&mut left, &mut tile_c);
        let parts = [&a, &b, &c].map(|m| m.elements / products);
        for product in 0..products {
            let [a, b, c] = parts.map(|part| product * part..(product + 1) * part);
            multiplier.multiply_add_in(&mut work, &tile_a[a], &tile_b[b], [&[], &[]], &mut tile_c[c]);
        }
        d.scatter(&tile_c, results);
    })
}
