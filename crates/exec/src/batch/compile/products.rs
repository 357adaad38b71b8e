//! Products of matrices that follow each other become one step, whose registers are found before a kernel runs.

use crate::batch::lanes::{Place, ProductOp};
use crate::batch::plan::{Collective, Products, Source, Step, Target};
use crate::code::Deed;
use margay_isa::Whole;
use margay_isa::uop::Type;

/// The steps with each run of products as one.
pub(super) fn join(steps: Vec<Step>) -> Vec<Step> {
    let mut joined: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        let Step::Collective(collective) = step else {
            joined.push(step);
            continue;
        };
        let Some(op) = product_op(&collective) else {
            joined.push(Step::Collective(collective));
            continue;
        };
        match joined.last_mut() {
            // Where the lanes of one have come, those of all have.
            Some(Step::Products(products)) if products.may_take(&collective) => {
                products.each.push(*collective);
                products.ops.push(op);
            }
            _ => {
                joined.push(Step::Products(Box::new(Products { each: vec![*collective], ops: vec![op] })));
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

/// A product of matrices that lie in registers of 32 bits.
fn product_op(collective: &Collective) -> Option<ProductOp> {
    let Deed::Whole(Whole::Product(product)) = &collective.deed else { return None };
    let word = |(ty, place): (Type, Place)| (ty == Type::U32 && !place.is_lent()).then_some(place);
    let from = |source: &Source| if source.high.is_none() { word(source.low) } else { None };
    let to = |target: &Target| match target {
        Target { low: None, high: None } => Some(None),
        Target { low: Some(low), high: None } => word(*low).filter(|place| place.stride > 0).map(Some),
        Target { high: Some(_), .. } => None,
    };
    let from = collective.sources.iter().map(from).collect::<Option<_>>()?;
    let to = collective.results.iter().map(to).collect::<Option<_>>()?;
    Some(ProductOp::new(product.clone(), from, to))
}
