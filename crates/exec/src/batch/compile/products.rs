//! Products of matrices that follow each other become one step, whose registers are found before a kernel runs.

use crate::batch::lanes::{Place, ProductOp};
use crate::batch::plan::{Collective, Products, Source, Step, Target};
use crate::code::Deed;
use margay_isa::Whole;
use margay_isa::tensor_core::Part;
use margay_isa::uop::Type;

/// The steps with each run of products as one.
pub(super) fn join(steps: Vec<Step>) -> Vec<Step> {
    let mut joined: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        let Step::Collective(collective) = step else {
            joined.push(step);
            continue;
        };
        let Some(ops) = product_ops(&collective) else {
            joined.push(Step::Collective(collective));
            continue;
        };
        match joined.last_mut() {
            // Where the lanes of one have come, those of all have.
            Some(Step::Products(products)) if products.may_take(&collective) => {
                products.each.push(*collective);
                products.ops.extend(ops);
            }
            _ => {
                joined.push(Step::Products(Box::new(Products { each: vec![*collective], ops })));
            }
        }
    }
    for step in &mut joined {
        if let Step::Products(products) = step {
            ProductOp::keep(&mut products.ops);
        }
    }
    joined
}

impl Products {
    fn may_take(&self, collective: &Collective) -> bool {
        let all = self.each.iter().chain([collective]);
        all.into_iter().all(|each| each.guard.is_none() && each.members == collective.members)
    }
}

/// A product of matrices that lie in registers of 32 bits, as the tiles that it is made of, if it is made of some.
fn product_ops(collective: &Collective) -> Option<Vec<ProductOp>> {
    let Deed::Whole(Whole::Product(product)) = &collective.deed else { return None };
    let word = |(ty, place): (Type, Place)| (ty == Type::U32 && !place.is_lent()).then_some(place);
    let from = |source: &Source| if source.high.is_none() { word(source.low) } else { None };
    let to = |target: &Target| match target {
        Target { low: None, high: None } => Some(None),
        Target { low: Some(low), high: None } => word(*low).filter(|place| place.stride > 0).map(Some),
        Target { high: Some(_), .. } => None,
    };
    let from = collective.sources.iter().map(from).collect::<Option<Vec<Place>>>()?;
    let to = collective.results.iter().map(to).collect::<Option<Vec<Option<Place>>>>()?;
    let parts = product.parts();
    // What a tile gives may lie where none of the later ones reads.
    let meets = |(k, part): (usize, &Part)| {
        let mut read = parts[k + 1..].iter().flat_map(|later| &later.from);
        read.any(|read| part.to.iter().filter_map(|given| to[*given]).any(|to| to.line == from[*read].line))
    };
    if parts.is_empty() || parts.iter().enumerate().any(meets) {
        return Some(vec![ProductOp::new(product.clone(), from, to)]);
    }
    let op = |Part { product, from: read, to: given }: &Part| {
        let read = read.iter().map(|register| from[*register]).collect();
        ProductOp::new(product.clone(), read, given.iter().map(|register| to[*register]).collect())
    };
    Some(parts.iter().map(op).collect())
}
