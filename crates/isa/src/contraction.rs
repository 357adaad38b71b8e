//! What instructions are to contraction, by which a product is added without being rounded.

use crate::inst::Inst;
use crate::words::Slot;

/// What an instruction is to contraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// It multiplies `a` and `b`, and rounding is left open.
    Product,
    /// It adds `a` and `b`, and rounding is left open.
    Sum,
    /// It subtracts `b` from `a`, and rounding is left open.
    Difference,
    /// It changes the sign of `a`.
    Negation,
    /// It copies `a`.
    Copy,
}

impl Inst {
    /// What the instruction is to contraction.
    ///
    /// ```
    /// use margay_isa::{Part, Shape, select};
    /// let part = |opcode, words: &[&str]| select(opcode, words, &[Shape::default(); 3]).unwrap().unwrap().part();
    /// assert_eq!(part("mul", &["f32"]), Some(Part::Product));
    /// assert_eq!(part("mul", &["rn", "f32"]), None);
    /// assert_eq!(part("mul", &["lo", "s32"]), None);
    /// ```
    pub fn part(&self) -> Option<Part> {
        self.page().part.and_then(|part| part(self))
    }

    /// Whether what a product gives goes into this sum, difference, negation or copy without being rounded.
    pub fn takes_unrounded(&self, product: &Inst) -> bool {
        let width = |inst: &Inst| inst[Slot::Type].ty().map(|ty| ty.width());
        let same_type = self[Slot::Type] == product[Slot::Type];
        let (ftz, products) = (self.has(Slot::Ftz), product.has(Slot::Ftz));
        match self.part() {
            Some(Part::Sum | Part::Difference) => same_type && ftz == products,
            // Without `.ftz` it is a sign of an operand; with it, it rounds as the product does.
            Some(Part::Negation) => same_type && (products || !ftz),
            Some(Part::Copy) => width(self) == width(product),
            Some(Part::Product) | None => false,
        }
    }
}
