//! Vectors as operands: `{a, b, _}`, their elements and what these must have in common.

use super::Checker;
use super::operand::{Site, typed};
use super::scope::Entity;
use crate::ast::{self, OperandKind};
use crate::diag::{Diagnostic, codes};
use crate::module::Operand;
use crate::source::Span;
use margay_isa::{Kind, Operand as PageOperand, Role, Ty};

/// Bits of the vectors of which a store may leave elements out.
const WITH_GAPS: u32 = 256;

impl Checker {
    /// An element of a vector: its type may depend on its place.
    fn vector_item(&mut self, site: &Site, k: usize, ast: &ast::Operand) -> Option<Operand> {
        let want = site.operand.element.map(|ty| ty(site.inst, k)).or(site.want);
        let operand = PageOperand { bare: false, ..site.operand };
        self.operand(&Site { want, operand, ..*site }, ast)
    }

    /// The type that the elements of a vector of a form's own length must fit: one untyped register makes untyped bits of
    /// the whole, as ptxas has it.
    fn want_together(&self, site: &Site, items: &[ast::Operand]) -> Option<Ty> {
        let want = site.want?;
        let bits = Ty { kind: Kind::Untyped, bits: want.width(), lanes: 1 };
        let untyped = |item: &ast::Operand| match &item.kind {
            OperandKind::Name(reference) => match self.entity(&reference.name.text).map(|(_, entity)| entity)
            {
                Some(Entity::Register(ty)) => ty.element == bits,
                _ => false,
            },
            _ => false,
        };
        let mixed = site.operand.elements.is_some() && items.iter().any(untyped);
        Some(if mixed { bits } else { want })
    }

    /// A vector of a form's own length has a type: it is not all `_`, and where bits of any type are taken, not all integers.
    fn has_type(&mut self, site: &Site, items: &[Operand], span: Span) -> Option<()> {
        let untyped = site.want.is_some_and(|want| want.kind == Kind::Untyped);
        let vague = |item: &Operand| match item {
            Operand::Sink => true,
            Operand::Immediate(_) => untyped,
            _ => false,
        };
        if site.operand.elements.is_none() || !items.iter().all(vague) {
            return Some(());
        }
        let message = format!("operand `{}` of `{}` needs a register", site.name, site.inst);
        self.error(codes::VECTOR, span, message, "at least expected one register");
        None
    }

    /// `{a, b}`: elements of a vector access, or parts that are packed or unpacked. A lone element stands for itself.
    pub(super) fn vector(&mut self, site: &Site, items: &[ast::Operand], span: Span) -> Option<Operand> {
        let whole = Site { want: self.want_together(site, items), ..*site };
        let items: Vec<_> = items
            .iter()
            .enumerate()
            .map(|(k, item)| match &item.kind {
                OperandKind::Vector(_) => {
                    self.error(
                        codes::VECTOR,
                        item.span,
                        "a vector inside a vector",
                        "braces are not allowed here",
                    );
                    None
                }
                _ => match site.template.map(|template| template.element(k)) {
                    Some(name) if name != site.name && site.inst.page().operand(name).is_some() => {
                        self.operand(&Site { vector: true, ..Site::new(site.inst, name) }, item)
                    }
                    _ => self.vector_item(&whole, k, item),
                },
            })
            .collect();
        let mut items: Vec<Operand> = items.into_iter().collect::<Option<_>>()?;
        if site.vector {
            let apart = site.operand.element.is_some_and(|ty| ty(site.inst, 0) != ty(site.inst, 1));
            self.alike(&items[usize::from(apart).min(items.len())..], span)?;
        }
        if site.vector && site.operand.elements.is_none() && site.operand.element.is_none() {
            self.not_only_sinks(site, &items, span)?;
            self.no_special_with_constant(&items, span)?;
            self.short_addresses_only(site, &items, span)?;
        }
        self.has_type(site, &items, span)?;
        if !site.vector && items.len() == 1 { items.pop() } else { Some(Operand::Vector(items)) }
    }

    /// The registers of a vector have one size, and mix kinds only with untyped ones.
    fn alike(&mut self, items: &[Operand], span: Span) -> Option<()> {
        let registers = items.iter().filter_map(|item| match item {
            Operand::Register(id) => Some(&self.body.registers[id.0 as usize]),
            _ => None,
        });
        let registers: Vec<_> = registers.collect();
        let mix = |a: Ty, b: Ty| {
            let untyped = a.kind == Kind::Untyped || b.kind == Kind::Untyped;
            a == b || (a.width() == b.width() && (untyped || (a.is_integer() && b.is_integer())))
        };
        let Some(pair) = registers.windows(2).find(|pair| !mix(pair[0].ty, pair[1].ty)) else {
            return Some(());
        };
        let [a, b] = [pair[0], pair[1]].map(|r| format!("`{}` of `{}`", r.name, typed(r.ty)));
        let message = format!("{a} and {b} cannot be in the same vector");
        self.error(codes::VECTOR, span, message, "expected registers of one type");
        None
    }

    /// Something is read or written; and what is read has gaps in 256 bits only (manual, section 9.7.9.11, and ptxas).
    fn not_only_sinks(&mut self, site: &Site, items: &[Operand], span: Span) -> Option<()> {
        let sinks = items.iter().filter(|item| **item == Operand::Sink).count();
        let bits = site.want.map_or(0, Ty::width) * items.len() as u32;
        let registers = items.iter().filter(|item| matches!(item, Operand::Register(_))).count();
        let (message, label) = match site.operand.role {
            _ if sinks == 0 => return Some(()),
            Role::Source if bits != WITH_GAPS => (
                format!("operand `{}` of `{}` has {bits} bits", site.name, site.inst),
                "only vectors of 256 bits can contain `_` here",
            ),
            _ if registers == 0 => (
                format!("operand `{}` of `{}` has no register", site.name, site.inst),
                "expected at least one register",
            ),
            _ => return Some(()),
        };
        self.error(codes::SINK, span, message, label);
        None
    }

    /// The manual does not say so, ptxas does.
    fn no_special_with_constant(&mut self, items: &[Operand], span: Span) -> Option<()> {
        let special = items.iter().any(|item| matches!(item, Operand::Special(_)));
        let constant = items.iter().any(|item| matches!(item, Operand::Immediate(_)));
        if !(special && constant) {
            return Some(());
        }
        let diagnostic = Diagnostic::error(
            codes::SPECIAL,
            "a special register and a constant cannot be in the same vector",
        );
        let diagnostic = diagnostic.label(span, "expected only registers or special registers");
        self.report(diagnostic.help("copy one of them into a register with `mov` first"));
        None
    }

    /// Addresses of variables are elements of 32 bits; the manual does not say so, ptxas does.
    fn short_addresses_only(&mut self, site: &Site, items: &[Operand], span: Span) -> Option<()> {
        let has_address = items.iter().any(|item| matches!(item, Operand::Symbol(..)));
        if !has_address || site.want.is_none_or(|want| want.width() == 32) {
            return Some(());
        }
        let diagnostic = Diagnostic::error(codes::VECTOR, "a 64-bit address cannot be in a vector");
        self.report(
            diagnostic
                .label(span, "expected a register")
                .help("copy the address into a register with `mov` first"),
        );
        None
    }
}
