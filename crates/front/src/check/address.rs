//! Addresses in brackets: base, offset, and the space that they point into.

use super::Checker;
use super::operand::{Site, typed};
use super::scope::Entity;
use super::variable::space_named;
use crate::ast::{self, AddressBase, Reference};
use crate::diag::{Diagnostic, codes};
use crate::module::{Address, Base, Operand, Space};
use crate::source::Span;
use margay_isa::special::Special;
use margay_isa::{Kind, Slot, Ty, TypeRule, Within, Word};
use std::fmt::Display;

impl Checker {
    /// An address; what follows behind commas in its brackets stands behind it in a vector.
    pub(super) fn address(&mut self, site: &Site, ast: &ast::Address, span: Span) -> Option<Operand> {
        let address = self.place(site, ast, span);
        if ast.rest.is_empty() {
            return address;
        }
        let inside: Vec<_> = site
            .inside
            .iter()
            .zip(&ast.rest)
            .map(|(template, operand)| self.at(site.inst, template, operand))
            .collect();
        let all = std::iter::once(address).chain(inside);
        all.collect::<Option<_>>().map(Operand::Vector)
    }

    fn place(&mut self, site: &Site, ast: &ast::Address, span: Span) -> Option<Operand> {
        if let TypeRule::Handle(wanted) = site.operand.ty {
            return self.handle(site, wanted, ast, span);
        }
        let (base, start) = match &ast.base {
            AddressBase::Name(reference) => (self.base(site, reference)?, 0),
            AddressBase::Constant(expr) => {
                let value = self.integer(expr)?;
                if site.inst[Slot::Space] != Word::Local {
                    self.constant_address(site.inst, span)?;
                }
                (Base::Absolute, value as i64)
            }
        };
        let unified = ast.words.first().filter(|_| site.inst[Slot::Action2] == Word::Unified);
        if let (Some(word), Base::Variable(_)) = (unified, base) {
            let message = format!("address of `{}` is a variable", site.inst);
            self.error(codes::ADDRESS_BASE, word.span, message, "`.unified` is for addresses in registers");
            return None;
        }
        let offset = self.offsets(&ast.offsets)?;
        self.fits_space(site, base, span)?;
        Some(Operand::Address(Address { base, offset: start.wrapping_add(offset) }))
    }

    /// Only in local memory a program can know where something is; the manual does not say so, ptxas does.
    pub(super) fn constant_address(&mut self, what: impl Display, span: Span) -> Option<()> {
        let message = format!("address of `{what}` is a constant");
        let diagnostic = Diagnostic::error(codes::ADDRESS_BASE, message);
        let diagnostic = diagnostic.label(span, "only addresses in `.local` may be constants");
        self.report(diagnostic.help("name a variable, or put the address into a register"));
        None
    }

    fn base(&mut self, site: &Site, reference: &Reference) -> Option<Base> {
        let name = &reference.name;
        let found = self.entity(&name.text);
        if let Some(word) = reference.selector.as_ref().filter(|_| found.is_some()) {
            let message = format!("`{}` in an address has no selector", name.text);
            self.error(codes::ADDRESS_BASE, word.span, message, "remove it");
            return None;
        }
        match found {
            Some((scope, entity)) => {
                match entity {
                    Entity::Register(ty) if ty.vector == 1 && holds_address(site, ty.element) => {
                        if !in_tensor_memory(site) {
                            self.wide_enough(site, name, ty.element)?;
                        }
                        self.reached_by_register(site, reference)?;
                        Some(Base::Register(self.register(scope, &name.text, ty)))
                    }
                    Entity::Register(ty) => {
                        let message = format!("register `{}` cannot hold an address", name.text);
                        let label = format!("this is `{}`", typed(ty.element));
                        let diagnostic =
                            Diagnostic::error(codes::ADDRESS_BASE, message).label(name.span, label);
                        self.report(diagnostic.help(match site.operand.ty {
                        TypeRule::TensorAddress(Word::B32) => "addresses in tensor memory are in registers of `.b32` here",
                        TypeRule::TensorAddress(_) => "addresses in tensor memory are in registers of 32 bits",
                        _ => "addresses are in registers of integer or untyped bits, such as `.u64` or `.b32`",
                    }));
                        None
                    }
                    found @ Entity::Variable(_) if in_tensor_memory(site) => {
                        self.wrong_kind(name, found, "a register");
                        None
                    }
                    Entity::Variable(id) => Some(Base::Variable(id)),
                    other => {
                        self.wrong_kind(name, other, "a register or variable");
                        None
                    }
                }
            }
            None if Special::is_name(&name.text) => {
                let message =
                    format!("operand `{}` of `{}` cannot be a special register", site.name, site.inst);
                self.error(codes::SPECIAL, name.span, message, "copy it into a register first");
                None
            }
            None => {
                self.undefined("register or variable", name);
                None
            }
        }
    }

    /// What a function gives to those that it calls is reached by name only.
    fn reached_by_register(&mut self, site: &Site, reference: &Reference) -> Option<()> {
        if site.inst[Slot::Space] != Word::ParamFunc {
            return Some(());
        }
        let message = format!("address of `{}` is a register", site.inst);
        let diagnostic = Diagnostic::error(codes::ADDRESS_BASE, message);
        self.report(diagnostic.label(reference.name.span, "expected the name of a parameter"));
        None
    }

    /// A variable's space must be the one that the instruction names, or always looks in.
    pub(super) fn fits_space(&mut self, site: &Site, base: Base, span: Span) -> Option<()> {
        let Base::Variable(id) = base else { return Some(()) };
        let found = self.variables[id.0 as usize].space;
        let named = site.space().and_then(|word| space_named(&word.to_string()));
        let wrong = match named {
            Some(space) => space != found,
            // That the generic window has no constants by name the manual does not say; ptxas does.
            None => found == Space::Const || (found == Space::Param && site.inst.page().runs()),
        };
        if !wrong {
            return Some(());
        }
        let name = &self.variables[id.0 as usize].name;
        let message = format!("`{name}` is in `.{}`, which `{}` does not access", found.word(), site.inst);
        let label = match named {
            Some(space) => format!("expected a `.{}` variable", space.word()),
            None => "without a state space the address is generic".to_string(),
        };
        let diagnostic = Diagnostic::error(codes::SPACE, message).label(span, label);
        let help = match (site.operand.space, named) {
            (Within::Always(_), Some(space)) => format!("declare it in `.{}`", space.word()),
            _ => format!("add `.{}` to `{}`", found.word(), site.inst.opcode()),
        };
        self.report(diagnostic.help(help));
        None
    }
}

fn in_tensor_memory(site: &Site) -> bool {
    matches!(site.operand.ty, TypeRule::TensorAddress(_))
}

fn holds_address(site: &Site, ty: Ty) -> bool {
    let integer = ty.is_integer() && ty.lanes == 1 && ty.bits <= 64;
    match site.operand.ty {
        TypeRule::TensorAddress(Word::B32) => ty.kind == Kind::Untyped && ty.bits == 32,
        TypeRule::TensorAddress(_) => integer && ty.bits == 32,
        _ => integer && (ty.bits >= 32 || !(site.operand.wide)(site.inst)),
    }
}
