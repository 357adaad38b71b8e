//! Modules that have addresses of 64 bits without saying so, and addresses of 32 bits, which newer targets have in their own spaces only: not in global memory, and no generic ones.

use super::Checker;
use super::operand::Site;
use crate::ast;
use crate::diag::{Diagnostic, codes};
use crate::source::Span;
use margay_isa::{Effect, Meaning, Semantics, Slot, Ty, Version, Word};

/// The first version that has `.address_size`.
const SIZE_SINCE: Version = Version { major: 2, minor: 3 };

impl Checker {
    fn short_gone(&mut self, message: String, span: Span, help: &str) {
        let label = format!("not available on {}", self.environment.target);
        self.report(Diagnostic::error(codes::SHORT_ADDRESS, message).label(span, label).help(help));
    }

    /// `.address_size 32`.
    pub(super) fn short_size(&mut self, span: Span) {
        if !self.environment.short_addresses {
            self.short_gone(
                format!("{} does not have 32-bit addresses", self.environment.target),
                span,
                "write `.address_size 64`",
            );
        }
    }

    /// Warns of a module that has addresses of 64 bits and does not say so.
    pub(super) fn unsaid_size(&mut self, file: &ast::File) {
        let said = file.items.iter().any(|item| matches!(item, ast::Item::AddressSize(_)));
        let Some(first) = self.long_address.filter(|_| !said && self.environment.judged) else { return };
        if self.environment.version < SIZE_SINCE {
            return;
        }
        let message = "`.address_size` is missing, but this address has 64 bits";
        let diagnostic = Diagnostic::warning(codes::NO_ADDRESS_SIZE, message);
        let diagnostic = diagnostic.label(first, "a 64-bit register holds an address");
        self.report(
            diagnostic.help("write `.address_size 64` after `.target`: without it, addresses have 32 bits"),
        );
    }

    /// A register in an address; whether it is wide enough for where the address points.
    pub(super) fn wide_enough(&mut self, site: &Site, register: &ast::Name, ty: Ty) -> Option<()> {
        let inst = site.inst;
        let meaning = inst.meaning(Semantics::Manual);
        let reaches = matches!(
            meaning,
            Meaning::Atomic(_) | Meaning::Effect(Effect::Load | Effect::Store | Effect::Nothing)
        );
        if reaches && ty.bits == 64 && self.long_address.is_none() {
            self.long_address = Some(register.span);
        }
        let far = matches!(inst[Slot::Space], Word::Absent | Word::Global);
        if !((reaches || site.operand.long) && far && ty.bits == 32 && !self.environment.short_addresses) {
            return Some(());
        }
        let message = format!("register `{}` is too narrow for the address of `{inst}`", register.text);
        self.short_gone(message, register.span, "use a 64-bit register, such as a `.u64` one");
        None
    }
}
