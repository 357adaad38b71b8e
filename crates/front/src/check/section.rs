//! Debug sections: the sizes of their values, and what may stand for one (manual, section 11.5.2).

use super::Checker;
use crate::ast::{BinaryOp, Expr, ExprKind, Section, SectionLine, Word};
use crate::diag::{Diagnostic, codes};
use margay_isa::Floor;

/// Differences of labels and negative numbers are younger than the rest.
const LATER: Floor = Floor::new(7, 5, 10);

impl Checker {
    /// Judges the values of a debug section.
    pub(super) fn section(&mut self, section: &Section) {
        for line in &section.lines {
            let SectionLine::Data { ty, values, .. } = line else { continue };
            let Some(bits) = self.data_bits(ty) else { continue };
            for value in values {
                self.data(value, bits);
            }
        }
    }

    fn data_bits(&mut self, ty: &Word) -> Option<u32> {
        match ty.text.as_str() {
            "b8" => Some(8),
            "b16" => Some(16),
            "b32" => Some(32),
            "b64" => Some(64),
            other => {
                let message = format!("`.{other}` is not a type of debug data");
                let diagnostic =
                    Diagnostic::error(codes::BAD_TYPE, message).label(ty.span, "not allowed for debug data");
                self.report(diagnostic.help("the types are `.b8`, `.b16`, `.b32` and `.b64`"));
                None
            }
        }
    }

    fn data(&mut self, value: &Expr, bits: u32) {
        let symbol = |expr: &Expr| matches!(expr.kind, ExprKind::Symbol(_));
        match &value.kind {
            ExprKind::Binary(BinaryOp::Sub, left, right) if symbol(left) && symbol(right) => {
                self.need("a difference of labels", LATER, value.span);
            }
            ExprKind::Integer(number) if bits < 64 && number.value >> bits > 0 => {
                let message = format!("{} does not fit into {bits} bits", number.text);
                self.error(codes::OUT_OF_RANGE, value.span, message, format!("`.b{bits}`"));
            }
            ExprKind::Unary(..) => {
                self.need("a negative number", LATER, value.span);
            }
            _ => {}
        }
    }
}
