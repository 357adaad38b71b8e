//! Which sums take which products: those that nothing else reads first, then sum after sum.

use super::{Contraction, Product, Taken};
use crate::module::InstructionId;
use std::collections::BTreeMap;

/// The contractions of a block. A sum takes one product, that with fewer readers, or `a`; what it adds to it is rounded, and stays so in
/// the sums that follow.
pub(super) fn choose(products: &[Product]) -> Vec<Contraction> {
    let mut sums: BTreeMap<u32, [Option<(usize, Taken)>; 2]> = BTreeMap::new();
    for (k, product) in products.iter().enumerate() {
        for taken in &product.uses {
            sums.entry(taken.sum).or_default()[taken.side] = Some((k, *taken));
        }
    }
    let mut rounded: Vec<bool> = products.iter().map(|product| product.lost).collect();
    let readers = |k: usize| products[k].uses.len();
    let mut found = BTreeMap::new();
    for most in [1, usize::MAX] {
        for (sum, sides) in &sums {
            let fits = |(k, _): &&(usize, Taken)| !rounded[*k] && readers(*k) <= most;
            let chosen = sides.iter().flatten().filter(fits).min_by_key(|(k, _)| readers(*k));
            if let (Some((k, taken)), false) = (chosen, found.contains_key(sum)) {
                found.insert(*sum, contraction(&products[*k], taken));
                let others = sides.iter().flatten().filter(|(other, _)| other != k);
                others.for_each(|(other, _)| rounded[*other] = true);
            }
        }
    }
    found.into_values().collect()
}

fn contraction(product: &Product, taken: &Taken) -> Contraction {
    let Taken { sum, side, negated, changed } = *taken;
    Contraction { product: InstructionId(product.at), sum: InstructionId(sum), side, negated, changed }
}
