//! Tables of matrix products: which shapes go with which types from when on, and how many registers each matrix takes.
use crate::prelude::*;

/// Products D = A·B + C that exist: of these shapes and types, from a floor on.
pub struct Product {
    /// The shapes.
    pub shapes: &'static [Word],
    /// The type of D.
    pub d: Word,
    /// The types of A and B; where there are several, any of them goes with any.
    pub ab: &'static [Word],
    /// The type of C.
    pub c: Word,
    /// From where on they exist.
    pub floor: Floor,
}

/// A row of a table whose C is of D's type.
pub const fn row(shapes: &'static [Word], d: Word, ab: &'static [Word], floor: Floor) -> Product {
    Product { shapes, d, ab, c: d, floor }
}

impl Product {
    /// Whether a form is one of the row's.
    pub fn has(&self, i: &Inst) -> bool {
        self.shapes.contains(&i[Slot::Shape])
            && self.d == i[Slot::DType]
            && matches!(i[Slot::CType], c if c == self.c || c == Absent)
            && [Slot::AType, Slot::BType].iter().all(|slot| self.ab.contains(&i[*slot]))
    }
}

/// The row of a form.
pub fn find<'t>(table: &'t [Product], i: &Inst) -> Option<&'t Product> {
    table.iter().find(|row| row.has(i))
}

/// Rows, columns and depth of a form's matrices.
pub fn shape(i: &Inst) -> (usize, usize, usize) {
    match i[Slot::Shape] {
        Word::Shape(s) => (s.m.into(), s.n.into(), s.k.into()),
        _ => (0, 0, 0),
    }
}

/// How many registers each of 32 lanes takes for so many elements of so many bits, at least one for all of them: registers
/// have 32 bits, for wider elements as many as those.
pub const fn registers(elements: usize, bits: u32) -> usize {
    let register = if bits > 32 { bits } else { 32 };
    (elements * bits as usize).div_ceil(32 * register as usize)
}

/// What a register of C or D holds: elements of 16 bits are packed by twos; ptxas takes 64 bits of any type.
pub fn accumulator(word: Word) -> Ty {
    let held = match word {
        F16 => F16x2,
        F64 => B64,
        word => word,
    };
    held.ty().unwrap_or(BITS)
}

/// What a register of A or B holds: numbers of 16 bits by twos, of 32 bits one, all that is smaller or larger as bits.
pub fn factor(word: Word) -> Ty {
    let packed = match word {
        F16 => F16x2,
        Bf16 => Bf16x2,
        Tf32 => word,
        F64 => B64,
        _ => B32,
    };
    packed.ty().unwrap_or(BITS)
}

/// 32 bits of any meaning.
pub const BITS: Ty = Ty { kind: Kind::Untyped, bits: 32, lanes: 1 };

/// Rows of a table that no form of a page is of.
#[cfg(test)]
pub fn unmet(
    page: &'static Page,
    table: &'static [Product],
    of: fn(&Inst) -> &'static [Product],
) -> Vec<usize> {
    let forms = crate::forms::forms(page, page.opcodes[0], 0, &mut || 0);
    let meets =
        |row: &Product| forms.iter().any(|i| find(of(i), i).is_some_and(|found| std::ptr::eq(found, row)));
    (0..table.len()).filter(|k| !meets(&table[*k])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_as_many_as_the_elements_fill() {
        assert_eq!([registers(16 * 16, 16), registers(16 * 8, 32), registers(8 * 4, 64)], [4, 4, 1]);
        assert_eq!([registers(16 * 64, 4), registers(8 * 256, 1), registers(8 * 128, 1)], [4, 2, 1]);
    }
}
