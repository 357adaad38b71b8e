//! Which sums take which products: those with the fewest readers first, each of which must be able to take them.

use super::{Contraction, Product, Taken};
use crate::module::InstructionId;
use std::collections::{BTreeMap, BTreeSet};

/// The contractions of a block. A sum takes one product, `a` rather than `b`; what it adds to it is rounded.
pub(super) fn choose(products: &[Product]) -> Vec<Contraction> {
    let mut sums: BTreeMap<u32, [Option<usize>; 2]> = BTreeMap::new();
    for (k, product) in products.iter().enumerate() {
        for taken in &product.uses {
            sums.entry(taken.sum).or_default()[taken.side] = Some(k);
        }
    }
    let mut choice =
        Choice { lost: products.iter().map(|product| product.lost).collect(), found: Vec::new() };
    let counts: BTreeSet<usize> = products.iter().map(|product| product.uses.len()).collect();
    for count in counts {
        for sides in sums.values() {
            let fits = |k: &usize| !choice.lost[*k] && products[*k].uses.len() == count;
            if let Some(k) = sides.iter().flatten().copied().find(fits) {
                products[k].uses.iter().for_each(|taken| choice.take(k, &products[k], taken, &sums));
                choice.lost[k] = true;
            }
        }
    }
    choice.found.sort_unstable_by_key(|contraction| contraction.sum.0);
    choice.found
}

struct Choice {
    /// Products that are rounded, or have been taken.
    lost: Vec<bool>,
    found: Vec<Contraction>,
}

impl Choice {
    fn take(&mut self, k: usize, product: &Product, taken: &Taken, sums: &BTreeMap<u32, [Option<usize>; 2]>) {
        let Taken { sum, side, negated, changed } = *taken;
        sums[&sum].iter().flatten().filter(|other| **other != k).for_each(|other| self.lost[*other] = true);
        let (product, sum) = (InstructionId(product.at), InstructionId(sum));
        self.found.push(Contraction { product, sum, side, negated, changed });
    }
}
