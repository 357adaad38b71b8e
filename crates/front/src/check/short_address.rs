//! Addresses of 32 bits, which newer targets have in their own spaces only: not in global memory, and no generic ones.

use super::Checker;
use crate::ast;
use crate::diag::{Diagnostic, codes};
use crate::source::Span;
use margay_isa::{Effect, Inst, Meaning, Semantics, Slot, Ty, Word};

impl Checker {
    fn short_gone(&mut self, message: String, span: Span, help: &str) {
        let label = format!("not on {}", self.environment.target);
        self.report(Diagnostic::error(codes::SHORT_ADDRESS, message).label(span, label).help(help));
    }

    /// `.address_size 32`.
    pub(super) fn short_size(&mut self, span: Span) {
        if !self.environment.short_addresses {
            self.short_gone(
                format!("{} has no addresses of 32 bits", self.environment.target),
                span,
                "write `.address_size 64`",
            );
        }
    }

    /// A register in an address; whether it is wide enough for where the address points.
    pub(super) fn wide_enough(&mut self, inst: &Inst, register: &ast::Name, ty: Ty) -> Option<()> {
        let meaning = inst.meaning(Semantics::Manual);
        let reaches = matches!(
            meaning,
            Meaning::Atomic(_) | Meaning::Effect(Effect::Load | Effect::Store | Effect::Nothing)
        );
        let far = matches!(inst[Slot::Space], Word::Absent | Word::Global);
        if !(reaches && far && ty.bits == 32 && !self.environment.short_addresses) {
            return Some(());
        }
        let message = format!("register `{}` is too short for the address of `{inst}`", register.text);
        self.short_gone(message, register.span, "use a register of 64 bits, such as one of `.u64`");
        None
    }
}
