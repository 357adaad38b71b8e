//! Types of declarations and how much memory they take.

use super::Checker;
use crate::ast::{Dimension, Expr, Integer, Word};
use crate::diag::{Diagnostic, codes};
use crate::source::Span;
use margay_isa::texture::TextureDescriptor;
use margay_isa::{Floor, Handle, Kind, Ty, Word as IsaWord};

/// Element type, vector size and dimensions of a declaration, with its size and alignment in bytes.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub element: Ty,
    pub vector: u32,
    pub dimensions: Vec<u64>,
    pub size: u64,
    pub align: u64,
    /// What it refers to, if it is a texture, sampler or surface.
    pub handle: Option<Handle>,
}

/// Handles to textures, samplers and surfaces: 64 bits that nobody looks into. Variables at module scope are what they name.
pub(super) const OPAQUE: &[&str] = &["texref", "samplerref", "surfref"];

/// Bytes of a vector.
const MAX_VECTOR: u32 = 16;

const UNTYPED_64: Ty = Ty { kind: Kind::Untyped, bits: 64, lanes: 1 };
const UNTYPED_32: Ty = Ty { kind: Kind::Untyped, bits: 32, lanes: 1 };

impl Checker {
    /// The type that a declaration names. `memory`: whether it must be one that memory can hold.
    pub(super) fn declared_type(&mut self, word: Option<&Word>, memory: bool) -> Option<Ty> {
        let word = word?;
        let text = word.text.as_str();
        if memory && OPAQUE.contains(&text) {
            return Some(UNTYPED_64);
        }
        let since = match text {
            "f16x2" => Floor::new(4, 2, 53),
            "b128" => Floor::new(8, 3, 70),
            _ => Floor::ZERO,
        };
        let declarable = matches!(
            text,
            "u8" | "u16"
                | "u32"
                | "u64"
                | "s8"
                | "s16"
                | "s32"
                | "s64"
                | "b8"
                | "b16"
                | "b32"
                | "b64"
                | "b128"
                | "f16"
                | "f16x2"
                | "f32"
                | "f64"
        );
        let found = IsaWord::parse(text).and_then(IsaWord::ty);
        match found {
            Some(ty) if declarable || (text == "pred" && !memory) => {
                self.need(&format!(".{text}"), since, word.span);
                Some(ty)
            }
            _ => {
                self.wrong_type(word, memory);
                None
            }
        }
    }

    fn wrong_type(&mut self, word: &Word, memory: bool) {
        let known = IsaWord::parse(&word.text).and_then(IsaWord::ty).is_some();
        let message = match (known, memory) {
            (true, true) => format!("variables in memory cannot have type `.{}`", word.text),
            (true, false) => format!("registers cannot have type `.{}`", word.text),
            (false, _) => format!("unknown type `.{}`", word.text),
        };
        let diagnostic = Diagnostic::error(codes::BAD_TYPE, message).label(word.span, "not allowed here");
        let names =
            IsaWord::ALL.iter().filter(|w| w.ty().is_some_and(|t| t.lanes == 1)).map(|w| w.to_string());
        let nearest = crate::suggest::type_of_other_languages(&word.text).map(str::to_string);
        let nearest = nearest.or_else(|| crate::suggest::nearest(&word.text, names)).filter(|_| !known);
        let help = match nearest {
            Some(nearest) => format!("did you mean `.{nearest}`?"),
            None if known && word.text == "pred" => "keep it as 0 or 1 in a byte: `.u8`".to_string(),
            None if known => "declare untyped bits of its size, such as `.b32`".to_string(),
            None => "write a type such as `.u32`, `.s64`, `.b8`, `.f32` or `.pred`".to_string(),
        };
        self.report(diagnostic.help(help));
    }

    /// How many elements a vector word stands for.
    pub(super) fn vector_size(&mut self, word: Option<&Word>) -> u32 {
        match word.map(|w| w.text.as_str()) {
            None => 1,
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => {
                let Some(word) = word else { return 1 };
                let message = format!("`.{}` is not a vector size", word.text);
                self.error(codes::BAD_TYPE, word.span, message, "expected `.v2` or `.v4`");
                1
            }
        }
    }

    /// A vector has at most 128 bits, and none of predicates (manual, section 5.4.2).
    pub(super) fn vector_fits(&mut self, element: Ty, vector: u32, span: Span) {
        let bytes = element.width() / 8 * vector;
        if vector > 1 && element.kind == Kind::Predicate {
            self.error(
                codes::BAD_TYPE,
                span,
                "predicates are never elements of a vector",
                "leave the vector size out",
            );
        } else if vector > 1 && bytes > MAX_VECTOR {
            let message = format!("vector has {bytes} bytes, more than {MAX_VECTOR}");
            self.error(codes::SIZE, span, message, "too many elements");
        }
    }

    /// An alignment as written, which must be a power of two.
    pub(super) fn alignment(&mut self, align: Option<&Integer>) -> Option<u64> {
        let align = align?;
        if align.value.is_power_of_two() && align.value <= 1 << 31 {
            return Some(align.value);
        }
        let message = format!("alignment {} is not a power of two", align.text);
        let diagnostic =
            Diagnostic::error(codes::ALIGNMENT, message).label(align.span, "1, 2, 4, 8, 16, ...");
        let near = align.value.min(1 << 31).checked_next_power_of_two().unwrap_or(1);
        self.report(diagnostic.help(format!("write `.align {near}`")));
        None
    }

    /// The value of a constant expression that must be an integer.
    pub(super) fn integer(&mut self, expr: &Expr) -> Option<i128> {
        let value = self.value(expr)?;
        let exact = value.exact();
        if exact.is_none() {
            let label = "this is a floating-point number";
            self.error(codes::CONSTANT_KIND, expr.span, "expected an integer", label);
        }
        exact
    }

    fn dimension(&mut self, dimension: &Dimension) -> u64 {
        let Some(expr) = &dimension.size else { return 0 };
        match self.integer(expr) {
            Some(size) if size > 0 => size as u64,
            Some(size) => {
                let message = format!("array size {size} is not positive");
                self.error(codes::SIZE, expr.span, message, "an array needs at least one element");
                1
            }
            None => 1,
        }
    }

    /// Lays out a declaration; reports what is wrong with it.
    pub(super) fn layout(
        &mut self,
        ty: Option<&Word>,
        vector: Option<&Word>,
        align: Option<&Integer>,
        dimensions: &[Dimension],
        span: Span,
    ) -> Layout {
        let element = self.declared_type(ty, true).unwrap_or(UNTYPED_32);
        let vector = self.vector_size(vector);
        let natural = u64::from(element.width() / 8 * vector);
        self.vector_fits(element, vector, span);
        let align = self.alignment(align).map_or(natural, |align| align.max(natural));
        let sizes: Vec<u64> = dimensions.iter().map(|d| self.dimension(d)).collect();
        if let Some(inner) = dimensions.iter().skip(1).find(|d| d.size.is_none()) {
            let label = "only the first dimension may be left empty";
            self.error(codes::SIZE, inner.span, "array dimension has no size", label);
        }
        let handle = ty.and_then(|word| Handle::of(&word.text));
        let mut layout = Layout { element, vector, dimensions: sizes, size: 0, align, handle };
        layout.size = match layout.total() {
            Some(size) => size,
            None => {
                let message = "variable is larger than the address space";
                self.error(codes::SIZE, span, message, "2^63 bytes or more");
                0
            }
        };
        layout
    }
}

impl Layout {
    /// Bytes of one element of the array.
    pub fn unit(&self) -> u64 {
        u64::from(self.element.width() / 8 * self.vector)
    }

    /// Lets a variable of an opaque type be what its handle names: a description.
    pub fn describe(&mut self) {
        const TIMES: u64 = TextureDescriptor::BYTES as u64 * 8 / UNTYPED_64.bits as u64;
        self.size = self.size.saturating_mul(TIMES);
        self.align = self.align.max(TextureDescriptor::ALIGN);
    }

    /// Bytes of the whole, 0 with an open dimension; none if that is 2^63 or more.
    pub fn total(&self) -> Option<u64> {
        let size = self.dimensions.iter().try_fold(self.unit(), |size, n| size.checked_mul(*n))?;
        Some(size).filter(|size| *size < 1 << 63)
    }
}
