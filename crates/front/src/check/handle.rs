//! Handles: what stands for a texture, a sampler or a surface where an instruction refers to one.

use super::Checker;
use super::operand::{Site, typed};
use super::scope::Entity;
use crate::ast::{self, AddressBase, Reference};
use crate::diag::{Diagnostic, codes};
use crate::module::{Address, Base, Operand};
use crate::source::Span;
use margay_isa::Handle;

impl Checker {
    /// A handle in brackets; it has no offset.
    pub(super) fn handle(
        &mut self,
        site: &Site,
        wanted: Handle,
        ast: &ast::Address,
        span: Span,
    ) -> Option<Operand> {
        let AddressBase::Name(reference) = &ast.base else {
            let message = format!("address of `{}` is a constant", site.inst);
            let label = format!("expected a `.{}` or a 64-bit register", wanted.name());
            self.error(codes::ADDRESS_BASE, span, message, label);
            return None;
        };
        if let Some(first) = ast.offsets.first() {
            let message = format!("a handle of `{}` has no offset", site.inst);
            self.error(codes::ADDRESS_BASE, first.span, message, "nothing is added here");
            return None;
        }
        self.handle_named(site, wanted, reference)
    }

    /// A variable of the opaque type, or a register that holds its handle.
    pub(super) fn handle_named(
        &mut self,
        site: &Site,
        wanted: Handle,
        reference: &Reference,
    ) -> Option<Operand> {
        let name = &reference.name;
        let wants = format!("expected a `.{}` or a 64-bit register", wanted.name());
        let (found, base) = match self.lookup(&name.text) {
            None => {
                self.undefined("register or variable", name);
                return None;
            }
            Some((scope, declared)) => match declared.entity {
                Entity::Register(ty)
                    if ty.vector == 1 && ty.element.is_integer() && ty.element.width() == 64 =>
                {
                    (None, Base::Register(self.register(scope, &name.text, ty)))
                }
                Entity::Register(ty) => (Some(format!("of type `{}`", typed(ty.element))), Base::Absolute),
                Entity::Variable(id) => {
                    let handle = self.variables[id.0 as usize].handle;
                    let fits = handle == Some(wanted);
                    let wrong = match handle {
                        Some(handle) => format!("a `.{}`", handle.name()),
                        None => "a variable".to_string(),
                    };
                    ((!fits).then_some(wrong), Base::Variable(id))
                }
                other => {
                    self.wrong_kind(name, other, "a register or variable");
                    return None;
                }
            },
        };
        if let Some(found) = found {
            let message = format!("`{}` is {found}, not what `{}` refers to", name.text, site.inst);
            self.report(Diagnostic::error(codes::ADDRESS_BASE, message).label(name.span, wants));
            return None;
        }
        Some(Operand::Address(Address { base, offset: 0 }))
    }
}
