//! Initial values of variables: bytes, and the addresses that a loader puts in (manual section 5.4.4).

use super::Checker;
use super::body::INDIRECT_CALLS;
use super::constant::Value;
use super::layout::Layout;
use super::scope::Entity;
use crate::ast::{BinaryOp, Declarator, Expr, ExprKind, Initializer, Integer, Name};
use crate::diag::{Diagnostic, codes};
use crate::module::{AddressInitial, Space, Symbol};
use crate::source::Span;
use margay_isa::{Bits, Floor, Kind};

/// So many initial bytes a module may have, at least.
pub(super) const BUDGET: u64 = 64 << 20;

/// The values of one initialiser on their way into bytes.
struct Filling {
    bytes: Vec<u8>,
    addresses: Vec<AddressInitial>,
}

impl Checker {
    /// What a variable starts with; an open first dimension gets its size from it.
    pub(super) fn initial(
        &mut self,
        declarator: &Declarator,
        layout: &mut Layout,
        space: Space,
        is_extern: bool,
    ) -> (Vec<u8>, Vec<AddressInitial>) {
        let Some(initializer) = &declarator.initializer else {
            let bytes = if is_extern { Vec::new() } else { self.described(layout, None) };
            return (bytes, Vec::new());
        };
        if layout.handle.is_some() {
            return (self.described(layout, Some(initializer)), Vec::new());
        }
        if is_extern || !matches!(space, Space::Global | Space::Const) {
            let why = if is_extern { "an `.extern` variable" } else { "a variable in this space" };
            let message = format!("{why} cannot have an initial value");
            let diagnostic =
                Diagnostic::error(codes::INITIAL, message).label(declarator.span, "`=` is not allowed here");
            self.report(diagnostic.help("only variables in `.global` and `.const` can have initial values"));
            return Default::default();
        }
        if layout.dimensions.first() == Some(&0) {
            layout.dimensions[0] = match initializer {
                Initializer::List(items, _) => items.len() as u64,
                Initializer::Value(_) | Initializer::Property(..) => 1,
            };
            layout.size = layout.total().unwrap_or(0);
        }
        let mut shape = layout.dimensions.clone();
        if layout.vector > 1 {
            shape.push(layout.vector.into());
        }
        let wanted = match (initializer, shape.is_empty()) {
            (Initializer::List(..), true) => Some("expected one value, without braces"),
            (Initializer::Value(_), false) => Some("expected values in braces"),
            _ => None,
        };
        if let Some(wanted) = wanted {
            let message = format!("initial value does not match the type of `{}`", declarator.name.text);
            self.error(codes::INITIAL, declarator.span, message, wanted);
            return Default::default();
        }
        let mut filling = Filling { bytes: Vec::new(), addresses: Vec::new() };
        self.fill(initializer, &shape, layout, 0, &mut filling);
        (filling.bytes, filling.addresses)
    }

    /// Puts an initialiser for an array of the shape at byte `at`: a list where there is a dimension, a value where there is none.
    /// An array's list may be shorter than the array, a vector's not than the vector.
    fn fill(&mut self, initializer: &Initializer, shape: &[u64], layout: &Layout, at: u64, to: &mut Filling) {
        match (initializer, shape) {
            (Initializer::Value(expr), []) => self.fill_value(expr, layout, at, to),
            (Initializer::Value(expr), _) => self.misfit(expr.span, "expected values in braces"),
            (Initializer::Property(name, _), _) => {
                self.misfit(name.span, "only textures, samplers and surfaces have properties")
            }
            (Initializer::List(_, span), []) => self.misfit(*span, "expected one value, without braces"),
            (Initializer::List(items, span), [count, inner @ ..]) => {
                let element = u64::from(layout.element.width() / 8);
                let step = inner.iter().fold(element, |n, k| n.saturating_mul(*k));
                let vector = inner.is_empty() && layout.vector > 1;
                if items.len() as u64 > *count || (vector && items.len() as u64 != *count) {
                    let message = format!("{} initial values for {count} elements", items.len());
                    let label =
                        if vector { "a vector needs a value for each element" } else { "too many values" };
                    self.error(codes::INITIAL, *span, message, label);
                    return;
                }
                for (k, item) in items.iter().enumerate() {
                    self.fill(item, inner, layout, at.saturating_add((k as u64).saturating_mul(step)), to);
                }
            }
        }
    }

    fn misfit(&mut self, span: Span, label: &str) {
        self.error(codes::INITIAL, span, "initial value does not have the shape of its variable", label);
    }

    fn fill_value(&mut self, expr: &Expr, layout: &Layout, at: u64, to: &mut Filling) {
        let width = layout.element.width() / 8;
        let end = at.saturating_add(width.into());
        let grown = end.saturating_sub(to.bytes.len() as u64);
        if grown > self.budget {
            self.error(
                codes::SIZE,
                expr.span,
                "initial values take too much memory",
                "too far from the start of the array",
            );
            return;
        }
        self.budget -= grown;
        to.bytes.resize(to.bytes.len().max(end as usize), 0);
        if let Some(address) = self.symbol_address(expr) {
            if let Some((target, addend, generic, mask)) = address {
                let (bytes, shift) = mask.map_or((width, 0), |shift| (1, shift));
                to.addresses.push(AddressInitial { at, bytes, target, addend, generic, shift });
                // Manual section 5.4.4: `.u32` or `.u64`, and `.u8` for a byte of an address.
                let holds =
                    layout.element.kind == Kind::Unsigned && (width >= 4 || width == 1 && mask.is_some());
                if !holds {
                    let message = format!("`{}` cannot hold an address", layout.element);
                    let diagnostic =
                        Diagnostic::error(codes::INITIAL, message).label(expr.span, "an address");
                    self.report(diagnostic.help(
                        "store addresses in `.u64` or `.u32`, or byte by byte in `.u8`, such as `0xff00(x)`",
                    ));
                }
            }
            return;
        }
        let Some(value) = self.value(expr) else { return };
        let ty = layout.element;
        let bits: Bits = match (value, ty.kind) {
            (Value::Float(..), Kind::Unsigned | Kind::Signed) => {
                let message = format!("`{ty}` cannot have a floating-point initial value");
                self.error(codes::INITIAL, expr.span, message, "expected an integer");
                return;
            }
            _ if ty.kind == Kind::Float && (ty.bits < 32 || ty.lanes > 1) => {
                let message = format!("`{}` cannot start with a value", super::operand::typed(ty));
                self.error(codes::INITIAL, expr.span, message, "declare untyped bits, such as `.b16`");
                return;
            }
            (Value::Float(..), _) => super::immediate::float_bits(value, ty.width()),
            (_, Kind::Float | Kind::OtherFloat) => {
                let message = format!("`{ty}` cannot start with an integer");
                let diagnostic = Diagnostic::error(codes::INITIAL, message);
                let diagnostic = diagnostic.label(expr.span, "expected a floating-point number");
                return self
                    .report(diagnostic.help("write `1.0` or the bits of a number, such as `0f3f800000`"));
            }
            _ => self.cut(value, ty.width(), expr.span),
        };
        to.bytes[at as usize..end as usize].copy_from_slice(&bits.to_le_bytes()[..width as usize]);
    }

    /// The address that an expression stands for; the outer `None` if it has no symbol, the inner if it is wrong.
    #[expect(clippy::type_complexity, reason = "used once, right above")]
    fn symbol_address(&mut self, expr: &Expr) -> Option<Option<(Symbol, i64, bool, Option<u32>)>> {
        if !has_symbol(expr) {
            return None;
        }
        let mut place = Place::default();
        let mut rest = expr;
        loop {
            match &rest.kind {
                ExprKind::Paren(inner) => rest = inner,
                ExprKind::Generic(inner) if !place.generic => {
                    place.generic = true;
                    rest = inner;
                }
                ExprKind::Mask(mask, inner) if place.mask.is_none() => {
                    place.mask = Some(mask);
                    rest = inner;
                }
                ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
                    let (symbol, number) = match has_symbol(right) {
                        false => (left, right),
                        true if *op == BinaryOp::Add && !has_symbol(left) => (right, left),
                        true => return Some(self.not_an_address(rest.span)),
                    };
                    let Some(value) = self.integer(number) else { return Some(None) };
                    let value = value as i64;
                    let signed = if *op == BinaryOp::Sub { value.wrapping_neg() } else { value };
                    place.addend = place.addend.wrapping_add(signed);
                    rest = symbol;
                }
                ExprKind::Symbol(name) => return Some(self.place_of(name, place)),
                _ => return Some(self.not_an_address(rest.span)),
            }
        }
    }

    fn place_of(&mut self, name: &Name, place: Place) -> Option<(Symbol, i64, bool, Option<u32>)> {
        let target = match self.lookup(&name.text).map(|(_, d)| d.entity) {
            Some(Entity::Variable(id)) => Symbol::Variable(id),
            Some(Entity::Function(id)) => {
                self.need("the address of a function", INDIRECT_CALLS, name.span);
                Symbol::Function(id)
            }
            Some(other) => {
                self.wrong_kind(name, other, "a variable or function");
                return None;
            }
            None => {
                self.undefined("variable or function", name);
                return None;
            }
        };
        self.address_since(&place, name.span);
        if matches!(target, Symbol::Function(_)) && place.generic {
            let message = format!("`{}` is a function, whose address is generic already", name.text);
            self.error(codes::INITIAL, name.span, message, "remove `generic()`");
            return None;
        }
        if let Symbol::Variable(id) = target {
            let space = self.variables[id.0 as usize].space;
            if !matches!(space, Space::Global | Space::Const) {
                let message =
                    format!("`{}` in `.{}` has no address before the launch", name.text, space.word());
                self.error(
                    codes::INITIAL,
                    name.span,
                    message,
                    "expected a variable in `.global` or `.const`",
                );
                return None;
            }
        }
        let mask = match place.mask {
            None => None,
            Some(mask) => Some(self.mask_shift(mask)?),
        };
        Some((target, place.addend, place.generic, mask))
    }

    /// From where on variables may start with addresses, generic ones and parts of them (manual, section 5.4.4).
    fn address_since(&mut self, place: &Place, span: Span) {
        self.need("an address as initial value", Floor::new(2, 1, 20), span);
        if place.generic {
            self.need("`generic()`", Floor::new(3, 1, 20), span);
        }
        if place.mask.is_some() {
            self.need("a part of an address", Floor::new(7, 1, 10), span);
        }
    }

    /// `0xff` selects byte 0, `0xff00` byte 1 and so on.
    fn mask_shift(&mut self, mask: &Integer) -> Option<u32> {
        let shift = mask.value.trailing_zeros();
        if mask.value != 0 && shift.is_multiple_of(8) && mask.value >> shift == 0xff {
            return Some(shift);
        }
        let message = format!("`{}` does not select one byte of an address", mask.text);
        self.error(codes::INITIAL, mask.span, message, "`0xff`, `0xff00`, `0xff0000`, ...");
        None
    }

    fn not_an_address<T>(&mut self, span: Span) -> Option<T> {
        let message = "only constants can be added to an address";
        self.error(codes::INITIAL, span, message, "write `symbol`, `symbol + 4` or `generic(symbol) + 4`");
        None
    }
}

#[derive(Default)]
struct Place<'a> {
    addend: i64,
    generic: bool,
    mask: Option<&'a Integer>,
}

fn has_symbol(expr: &Expr) -> bool {
    let mut rest = expr;
    loop {
        match &rest.kind {
            ExprKind::Symbol(_) | ExprKind::Generic(_) | ExprKind::Mask(..) => return true,
            ExprKind::Paren(inner) | ExprKind::Unary(_, inner) | ExprKind::Cast(_, inner) => rest = inner,
            ExprKind::Binary(_, left, right) => {
                if has_symbol(right) {
                    return true;
                }
                rest = left;
            }
            ExprKind::Ternary(a, b, c) => return has_symbol(a) || has_symbol(b) || has_symbol(c),
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::WarpSize | ExprKind::Section(_) => {
                return false;
            }
        }
    }
}
