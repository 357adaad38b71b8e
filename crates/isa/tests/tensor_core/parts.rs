//! Products of more rows or columns than tiles have, against the tiles that they are made of.

use crate::support::Random;
use margay_isa::tensor_core::Workspace;
use margay_isa::{Meaning, PAGES, Whole, forms};
use std::collections::BTreeSet;

#[test]
fn tiles_give_what_the_product_gives_that_they_make() {
    let mut random = Random(0x7a27);
    let (mut whole, mut work) = (Workspace::new(), Workspace::new());
    let mut judged = BTreeSet::new();
    for page in PAGES {
        let Meaning::Fragments(meaning) = page.meaning else { continue };
        for inst in forms::forms(page, page.opcodes[0], 0, &mut || 0) {
            for device in ["sm_75", "sm_80", "sm_90"] {
                let Whole::Product(product) = meaning(&inst, device.parse().unwrap()) else { continue };
                for round in 0..if product.parts().is_empty() { 0 } else { 8 } {
                    // Any patterns, and numbers close to 1.
                    let [mask, always] = [[u32::MAX, 0], [0x83ff_83ff, 0x3c00_3c00]][round % 2];
                    for word in whole.registers.as_flattened_mut() {
                        *word = random.next() as u32 & mask | always;
                    }
                    product.carry_out(&mut whole);
                    for part in product.parts() {
                        for (to, from) in work.registers.iter_mut().zip(&part.from) {
                            *to = whole.registers[*from];
                        }
                        part.product.carry_out(&mut work);
                        for (result, to) in work.results.iter().zip(&part.to) {
                            assert_eq!(*result, whole.results[*to], "{inst} on {device}: register {to}");
                        }
                    }
                    judged.insert((format!("{inst}"), product.parts().len()));
                }
            }
        }
    }
    println!("{} forms", judged.len());
    assert!(judged.len() > 40, "{} forms", judged.len());
}
