//! Sums that assemblers may join with a product to round once: noted where asked for.

use super::Checker;
use crate::contraction::contractions;
use crate::diag::{Diagnostic, codes};

impl Checker {
    /// Notes every sum of the module that may take a product unrounded.
    pub(super) fn note_contractions(&mut self) {
        for k in 0..self.functions.len() {
            let function = &self.functions[k];
            let notes: Vec<Diagnostic> = contractions(function)
                .into_iter()
                .map(|found| {
                    let [product, sum] = [found.product, found.sum].map(|id| id.0 as usize);
                    let inst = &function.code[sum].inst;
                    Diagnostic::note(codes::FUSIBLE, format!("`{inst}` may take its product unrounded"))
                        .label(function.spans[sum], "ptxas rounds here once, unless told not to")
                        .label(function.spans[product], "the product")
                        .help("name a rounding such as `.rn` on either to round twice; `margay run --contract` rounds once")
                })
                .collect();
            notes.into_iter().for_each(|note| self.report(note));
        }
    }
}
